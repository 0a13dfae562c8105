"""What was decided of a table, in a few lines."""

from collections.abc import Sequence

from colabel._terminal import brief
from colabel.tables.kinds import KINDS, ColumnPlan

_TITLES = {
    "number": "numbers",
    "embedding": "lists of numbers",
    "category": "categories",
    "date": "dates",
    "text": "texts",
}
#: Columns of a kind that are named.
NAMED = 6


def lines(plan: Sequence[ColumnPlan], texts_by: str = "TF-IDF") -> list[str]:
    """At most four lines: numbers; categories and dates; texts; what is left out."""
    told = {kind: _list(plan, kind) for kind in KINDS}
    found = []
    for kinds in (("number", "embedding"), ("category", "date"), ("text",)):
        parts = [f"{_TITLES[kind]}: {told[kind]}" for kind in kinds if told[kind]]
        by = f", by {texts_by}" if kinds == ("text",) else ""
        found += [f"{'; '.join(parts)}{by}"] if parts else []
    out = f"left out: {told['drop']}; " if told["drop"] else ""
    return [*found, f"{out}say otherwise with kinds={{'NAME': 'KIND'}} ({', '.join(KINDS)})"]


def _list(plan: Sequence[ColumnPlan], kind: str) -> str:
    return brief([column.said() for column in plan if column.kind == kind], NAMED)
