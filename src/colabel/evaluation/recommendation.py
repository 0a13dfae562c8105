"""What to do after a comparison, in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from colabel._text import one_line
from colabel.evaluation.comparison import Comparison
from colabel.evaluation.overall import winner
from colabel.evaluation.standings import MARGIN, find, standings
from colabel.evaluation.verdict import title


@dataclass(frozen=True)
class Recommendation:
    """The method to use, and how.

    Attributes
    ----------
    method : dict
        Of ``Comparison.methods``.
    why : str
        What is said of it beside its name; empty for the best.
    """

    method: dict[str, Any]
    why: str = ""

    @property
    def command(self) -> str | None:
        """What fits it on the command line; None where only Python can."""
        return self.method.get("command") or None

    @property
    def opening(self) -> str:
        """The sentence up to the command, or up to the code."""
        name = f"{title(self.method)}{self.why}"
        if self.command:
            return f"Use {name}, with this command:"
        return f"Use {name}, with this Python code:" if self.method["code"] else f"Use {name}."

    @property
    def sentence(self) -> str:
        """All of it, where there is a command."""
        return f"{self.opening} {one_line(self.command)}" if self.command else self.opening


def recommendation(comparison: Comparison) -> Recommendation | None:
    """The method to use: the best, or one as good that a command can fit where the best has none.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    Recommendation or None
        None if no method finished.

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.recommendation import recommendation
    >>> recommendation(from_scores({"birds": {"a": [0.72], "b": [0.6]}})).sentence
    'Use a.'
    """
    name = winner(comparison)
    if name is None:
        return None
    best = Recommendation(find(comparison.methods, name))
    if best.command or len(comparison.datasets) > 1:
        return best
    why = f", as good as {title(best.method)} within {MARGIN:.0%}"
    for standing in standings(comparison, comparison.datasets[0]["name"]):
        if standing.as_good and standing.method.get("command"):
            return Recommendation(standing.method, why)
    return best
