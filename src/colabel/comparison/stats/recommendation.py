"""What to do after a comparison, in one line."""

from dataclasses import dataclass

from colabel._terminal import one_line
from colabel.comparison.result import ComparisonData, MethodFacts
from colabel.comparison.stats.overall import winner
from colabel.comparison.stats.standings import MARGIN, standings
from colabel.comparison.stats.verdict import title


@dataclass(frozen=True)
class Recommendation:
    """The method to use, and how."""

    method: MethodFacts
    #: What is said of it beside its name; empty for the best.
    why: str = ""

    @property
    def command(self) -> str | None:
        """What fits it on the command line; None where only Python can."""
        return self.method.command or None

    @property
    def opening(self) -> str:
        """The sentence up to the command, or up to the code."""
        name = f"{title(self.method)}{self.why}"
        if self.command:
            return f"Use {name}, with this command:"
        return f"Use {name}, with this Python code:" if self.method.code else f"Use {name}."

    @property
    def sentence(self) -> str:
        """All of it, where there is a command."""
        return f"{self.opening} {one_line(self.command)}" if self.command else self.opening


def recommendation(comparison: ComparisonData) -> Recommendation | None:
    """The method to use: the best, or one as good that a command fits where the best has none."""
    name = winner(comparison)
    if name is None:
        return None
    best = Recommendation(comparison.method(name))
    if best.command or len(comparison.datasets) > 1:
        return best
    why = f", as good as {title(best.method)} within {MARGIN:.0%}"
    for standing in standings(comparison, comparison.datasets[0].name):
        if standing.as_good and standing.method.command:
            return Recommendation(standing.method, why)
    return best
