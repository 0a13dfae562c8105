"""Dates as people write them: their formats found by skrub, and kept as plain text."""

import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from colabel.tables.cells import is_gap

#: The most formats of one column.
MOST_FORMATS = 6
#: Cells that skrub is shown.
TELLING = 30
#: The share of the cells that have to be dates.
ENOUGH = 0.95


def formats_of(cells: Sequence[Any]) -> list[str] | None:
    """The formats that the dates of a column are written in; None where they are no dates.

    skrub finds one format for a column, by some of its cells. Cells that look alike (digits where
    digits are) are given to it together, so a column may have several.
    """
    alike: dict[str, list[str]] = {}
    known = [cell.strip() for cell in cells if not is_gap(cell)]
    for cell in known:
        alike.setdefault(_look(cell), []).append(cell)
    frequent = sorted(alike.values(), key=len, reverse=True)[:MOST_FORMATS]
    found = [(_format_of(group), len(group)) for group in frequent]
    dated = sum(count for form, count in found if form is not None)
    if dated < ENOUGH * len(known) or not known:
        return None
    return list(dict.fromkeys(form for form, _ in found if form is not None))


def _look(cell: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", cell))


def _format_of(cells: list[str]) -> str | None:
    """Of cells that look alike."""
    import pandas as pd
    from skrub import ToDatetime

    if not re.search(r"\d", cells[0]):
        return None
    # skrub looks at thirty cells by chance: give it those that tell days from months, and short
    # names of months from whole ones, which May is both
    telling = [cell for cell in cells if not re.search(r"\bmay\b", cell, re.IGNORECASE)] or cells
    telling = sorted(telling, key=_largest_day, reverse=True)[:TELLING]
    reader = ToDatetime()
    with warnings.catch_warnings(), suppress(ValueError):  # skrub's RejectColumn is one
        warnings.simplefilter("ignore")
        reader.fit_transform(pd.Series(telling, name="date"))
    form = getattr(reader, "format_", None)
    if form is None:
        return None
    return next((f for f in _variants(form) if parse(cells, [f]).notna().all()), None)


def _variants(form: str) -> list[str]:
    """A format that was guessed from some cells, after what it is if days come first.

    They do between points, where all cells can be read so.
    """
    return [form.replace("%m.%d.", "%d.%m."), form]


def _largest_day(cell: str) -> int:
    """The largest number that can be a day and cannot be a month."""
    return max((n for n in map(int, re.findall(r"\d+", cell)) if 12 < n < 32), default=0)


def parse(cells: Sequence[Any], formats: Sequence[str]) -> Any:
    """A column of pandas with the times that cells say, in UTC; NaT where they say none."""
    import pandas as pd

    given = pd.Series(list(cells), dtype=object)
    found = pd.Series(pd.NaT, index=given.index, dtype="datetime64[ns, UTC]")
    is_text = given.map(lambda cell: isinstance(cell, str)).astype(bool)
    stripped = given[is_text].str.strip()
    left = stripped.index
    for form in formats:
        times = pd.to_datetime(stripped[left], format=form, errors="coerce", utc=True)
        found[left] = times.astype(found.dtype)
        left = left[found[left].isna()]
    if not is_text.all():
        others = pd.to_datetime(given[~is_text], errors="coerce", utc=True)
        found[~is_text] = others.astype(found.dtype)
    return found.dt.tz_localize(None)
