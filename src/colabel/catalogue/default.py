"""Which method is fitted where none is named.

Over the sets of ``benchmarks/results/mixtures.md``, mixtures come first by all four measures, and
the quick one, which has no member that needs folds, is about as good as the best. So it is what to
begin with, for data of about the sizes that were tried.
"""

from dataclasses import dataclass

from colabel.catalogue.method import BEST, LINEAR, QUICK, Recipe

#: About half of the rows that were learned from of the smallest set that was tried.
FEWEST_ROWS = 200
#: Rows times labels that a mixture fits in a minute or so, on two cores.
MOST_ENTRIES = 200_000


@dataclass(frozen=True)
class Default:
    """The name of a method, and why, in half a sentence; None where the recipe asks for it."""

    name: str
    reason: str | None = None


def default_method(rows: int, labels: int, recipe: Recipe, *, all_known: bool = True) -> Default:
    """What is fitted to so many rows and labels."""
    if "budget" in recipe.parameters:
        return Default(BEST)
    if recipe.parameters or not recipe.tune:  # which are those of one classifier
        return Default(LINEAR)
    linear = _why_linear(rows, labels, all_known=all_known)
    if linear is not None:
        return Default(LINEAR, f"{linear}; -m says otherwise")
    return Default(QUICK, f"-m {LINEAR} is linear and quicker, -m {BEST} tries more kinds")


def _why_linear(rows: int, labels: int, *, all_known: bool) -> str | None:
    if not all_known:
        return "some labels are unknown"
    if rows < FEWEST_ROWS:
        return f"{rows} rows are few"
    if rows * labels > MOST_ENTRIES:
        return f"{rows} rows × {labels} labels take a mixture minutes"
    return None
