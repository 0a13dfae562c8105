"""What each column of a table is."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from colabel._public import public
from colabel._terminal import brief
from colabel.tables import cells as cell
from colabel.tables.dates import formats_of

KINDS = ("number", "category", "date", "text", "embedding", "drop")
#: The share of the cells that have to be numbers.
ENOUGH = 0.95
#: Different values up to which a column of words is one of categories, as in skrub.
FEW_VALUES = 40
#: Words of a cell from which on many different ones are texts.
SENTENCE = 3.0
#: Rows from which on a column of which no two cells agree may be an identifier.
ROWS_OF_IDS = 10
_ID = re.compile(r"(?:^|[\W_])(?:id|ids|uuid|guid|key|index|nr|no)$|(?<=[a-z])(?:Id|ID|UUID)$")
_ID_ALONE = re.compile(r"(?:id|uuid|guid|index|unnamed: 0)", re.IGNORECASE)
NEEDS_SKRUB = "recognising the columns of a table needs skrub; pip install 'colabel[tables]'"


@public
@dataclass(frozen=True)
class ColumnPlan:
    """What a column is taken for, and what there is to say of it."""

    name: str
    kind: str
    #: Why it is left out, or how it is written.
    note: str = ""
    #: Of numbers: what stands before the fraction.
    decimal: str = "."
    #: Of dates.
    formats: tuple[str, ...] = ()
    #: Of embeddings.
    size: int = 0

    def said(self) -> str:
        """The column in a list of its kind."""
        return f"{self.name} ({self.note})" if self.note else self.name


def is_available() -> bool:
    """Whether columns can be recognised: whether skrub is there."""
    return find_spec("skrub") is not None


def check_kinds(kinds: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse columns that are not there, and kinds that are none."""
    for name, kind in kinds.items():
        if name not in names:
            raise ValueError(f"no column is named {name!r}; there are {brief(list(names))}")
        if kind not in KINDS:
            raise ValueError(f"column {name!r} as {kind!r}: use one of {', '.join(KINDS)}")


def recognise(name: str, column: Sequence[Any], kind: str | None = None) -> ColumnPlan:
    """What a column is; with a `kind`, how it is one of these."""
    if kind == "drop":
        return ColumnPlan(name, "drop", "as asked")
    known = [one for one in column if not cell.is_gap(one)]
    if kind is None:
        return _recognise(name, column, known)
    plan = _AS[kind](name, column, known)
    if plan is None:
        raise ValueError(f"column {name!r} holds nothing that can be read as {kind}")
    return plan


def _recognise(name: str, column: Sequence[Any], known: list[Any]) -> ColumnPlan:
    why = _uninformative(column, known)
    if why:
        return ColumnPlan(name, "drop", why)
    for find in (_as_number, _as_embedding, _as_date):
        plan = find(name, column, known, strict=True)
        if plan is not None:
            is_id = plan.kind == "number" and numbers_rows(name, _values(column, plan))
            return ColumnPlan(name, "drop", IS_ID) if is_id else plan
    return _of_words(name, column, known)


IS_ID = "an identifier: every row has its own"


def _uninformative(column: Sequence[Any], known: list[Any]) -> str:
    if not known:
        return "empty"
    same = len(known) == len(column) > 1 and all(_same(one, known[0]) for one in known)
    return "the same in every row" if same else ""


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if hasattr(one, "__len__") else bool(one == other)


def numbers_rows(name: str, values: np.ndarray) -> bool:
    """Whether numbers only say which row it is: whole, all different, counted or called an id."""
    n = len(values)
    if n < ROWS_OF_IDS or np.isnan(values).any() or (values != np.round(values)).any():
        return False
    if len(np.unique(values)) < n:
        return False
    counts_rows = values[0] in (0, 1) and bool((np.diff(values) == 1).all())
    return counts_rows or is_called_id(name)


def is_called_id(name: str) -> bool:
    """Whether a column has the name of an identifier."""
    return _ID.search(name) is not None or _ID_ALONE.fullmatch(name.strip()) is not None


def _values(column: Sequence[Any], plan: ColumnPlan) -> np.ndarray:
    return cell.numbers(column, plan.decimal)


def _as_number(
    name: str, column: Sequence[Any], known: list[Any], *, strict: bool = False
) -> ColumnPlan | None:
    if strict and any(map(cell.is_code, known)):
        return None
    if strict and not _may_be_numbers(known):
        return None
    decimal, count = ".", int(np.isfinite(cell.numbers(known)).sum())
    if count < len(known):
        other = int(np.isfinite(cell.numbers(known, ",")).sum())
        decimal, count = (",", other) if other > count else (decimal, count)
    if count == 0 or (strict and count < ENOUGH * len(known)):
        return None
    gaps, odd = len(column) - len(known), len(known) - count
    notes = [
        "written as 1.234,5" if decimal == "," else "",
        f"{gaps + odd} gap{'s' if gaps + odd > 1 else ''} filled and marked" if gaps + odd else "",
        f"{odd} of them no number" if odd else "",
    ]
    return ColumnPlan(name, "number", ", ".join(note for note in notes if note), decimal)


def _may_be_numbers(known: list[Any]) -> bool:
    """Whether it is worth parsing them all: a column of texts is seen by its first cells."""
    some = known[:100]
    found = sum(max(np.isfinite(cell.number(one, mark)) for mark in ".,") for one in some)
    return found >= 0.5 * len(some)


def _as_embedding(
    name: str, column: Sequence[Any], known: list[Any], *, strict: bool = False
) -> ColumnPlan | None:
    first = cell.vector(known[0]) if known else None
    if first is None or (strict and len(first) < 2):
        return None
    found = [cell.vector(one) for one in known]
    sizes = {0 if one is None else len(one) for one in found}
    if len(sizes) > 1:
        if not strict:
            raise ValueError(
                f"column {name!r} holds lists of different lengths, {brief(sorted(sizes))}"
            )
        return None
    gaps = len(column) - len(known)
    note = f"{len(first)} numbers each" + (f", {gaps} gaps are zeros" if gaps else "")
    return ColumnPlan(name, "embedding", note, size=len(first))


def _as_date(
    name: str, column: Sequence[Any], known: list[Any], *, strict: bool = False
) -> ColumnPlan | None:
    strings = [one for one in known if isinstance(one, str)]
    if not strings:
        is_date = bool(known) and all(isinstance(one, datetime.date) for one in known)
        return ColumnPlan(name, "date") if is_date else None
    formats = formats_of(strings) if len(strings) == len(known) else None
    if formats is None:
        return None
    return ColumnPlan(name, "date", " or ".join(formats), formats=tuple(formats))


def _of_words(name: str, column: Sequence[Any], known: list[Any]) -> ColumnPlan:
    texts = [cell.category(one) for one in known]
    distinct, n = len(set(texts)), len(texts)
    words = sum(len(one.split()) for one in texts) / n
    if distinct == n >= ROWS_OF_IDS and _are_ids(name, texts):
        return ColumnPlan(name, "drop", IS_ID)
    if distinct <= n / 2 and (distinct <= FEW_VALUES or words < SENTENCE):
        return _as_category(name, column, known)
    return _as_text(name, column, known) or _as_category(name, column, known)


def _are_ids(name: str, texts: list[str]) -> bool:
    """Whether words, all different, are codes: T-1001, an address, a hash."""
    if any(re.search(r"\s", one) or not one.isascii() for one in texts):
        return False
    return is_called_id(name) or all(re.search(r"[\d@]", one) for one in texts)


def _as_category(name: str, column: Sequence[Any], known: list[Any], **_: Any) -> ColumnPlan:
    values = len({cell.category(one) for one in column})
    return ColumnPlan(name, "category", f"{values} values")


def _as_text(name: str, column: Sequence[Any], known: list[Any], **_: Any) -> ColumnPlan | None:
    """None where there is no word in it."""
    has_words = any(re.search(r"\b\w\w+\b", cell.text(one)) for one in known)
    return ColumnPlan(name, "text") if has_words else None


_AS = {
    "number": _as_number,
    "category": _as_category,
    "date": _as_date,
    "text": _as_text,
    "embedding": _as_embedding,
}
