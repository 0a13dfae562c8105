"""How the tags of a row are written in one cell: as a list, or with something between them."""

from collections.abc import Iterable
from typing import Any

from colabel.tables.cells import is_gap, names_in

#: Lists as JSON writes them, or Python.
JSON = "json"
#: Each cell is one tag.
ALONE = ""
_SEPARATORS = ("|", ";", "\t", ",")
#: How often a separator occurs, relative to the most frequent, to be one.
SELDOM = 0.1


def separator_of(cells: Iterable[Any]) -> str:
    """What stands between the tags of a column: a sign, :data:`JSON` or :data:`ALONE`."""
    texts = [cell for cell in cells if isinstance(cell, str) and not is_gap(cell)]
    if texts and sum(names_in(text) is not None for text in texts) > 0.5 * len(texts):
        return JSON
    counts = {sign: sum(sign in text for text in texts) for sign in _SEPARATORS}
    most = max(counts.values())
    return next((s for s in _SEPARATORS if most and counts[s] >= SELDOM * most), ALONE)


def split(cell: str, separator: str) -> list[str]:
    """The tags of a cell."""
    if separator == ALONE:
        return [cell]
    if separator == JSON:
        found = names_in(cell)
        return [cell] if found is None else found
    return cell.split(separator)


def said(separator: str | None) -> str:
    """How tags are written, as a sentence says it."""
    if separator is None:
        return "as lists"
    return {JSON: "as JSON lists", ALONE: "one a row"}.get(separator, f"between {separator!r}")
