"""What the cells of a column say: nothing, a number, a text, a list of numbers."""

import json
import math
import re
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

#: How people write that there is nothing, in small letters.
GAPS = frozenset({"", "?", "na", "n/a", "#n/a", "nan", "null", "none", "<na>", "-", "--", "..."})
_SIGNS = re.compile(r"^[\s$€£¥]+|[\s$€£¥%]+$")
#: Numbers with groups of three digits, by what stands before the fraction.
_GROUPED = {
    ".": re.compile(r"[-+]?\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d*)?"),
    ",": re.compile(r"[-+]?(?:\d{1,3}(?:[.' \u00a0\u202f]\d{3})+|\d+)(?:,\d+)?"),
}
_GROUPS = {".": re.compile(r"[,' \u00a0\u202f]"), ",": re.compile(r"[.' \u00a0\u202f]")}
#: A code rather than a number: 00123.
_CODE = re.compile(r"0\d+")


def is_gap(cell: Any) -> bool:
    """Whether a cell says nothing."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return cell.strip().lower() in GAPS
    if isinstance(cell, float | np.floating):
        return bool(np.isnan(cell))
    return type(cell).__name__ in ("NAType", "NaTType")  # of pandas, which need not be there


def number(cell: Any, decimal: str = ".") -> float:
    """The number that a cell writes, NaN where it writes none; "1,234.5" and "5 %" are numbers."""
    if isinstance(cell, str):
        return _number(cell, decimal)
    found = float(cell) if isinstance(cell, Real | np.bool_) else math.nan
    return found if math.isfinite(found) else math.nan


def _number(text: str, decimal: str) -> float:
    bare = _SIGNS.sub("", text)
    if _GROUPED[decimal].fullmatch(bare):
        bare = _GROUPS[decimal].sub("", bare).replace(",", ".")
    elif decimal == "," or "_" in bare or not bare.isascii():
        return math.nan
    try:
        found = float(bare)
    except ValueError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def numbers(cells: Sequence[Any], decimal: str = ".") -> np.ndarray:
    """A column as numbers, NaN where a cell writes none."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
        found = cells.astype(np.float64)
        return np.where(np.isfinite(found), found, np.nan)
    if decimal == "." and all(type(cell) is str for cell in cells):
        together = "".join(cells)
        if together.isascii() and "_" not in together:
            try:
                found = np.array([float(cell) for cell in cells])
                return np.where(np.isfinite(found), found, np.nan)
            except ValueError:
                pass
    return np.fromiter((number(cell, decimal) for cell in cells), np.float64, len(cells))


def is_code(cell: Any) -> bool:
    """Whether a cell is a code of digits, such as 02139, that is no number."""
    return isinstance(cell, str) and _CODE.fullmatch(cell.strip()) is not None


def text(cell: Any) -> str:
    """A cell as text, "" where it says nothing; a list as its parts."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, list | tuple | np.ndarray):
        return " ".join(str(part) for part in cell)
    return "" if is_gap(cell) else str(cell)


def category(cell: Any) -> str:
    """A cell as the name of a category, "" where it says nothing."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # of whole numbers in a column with gaps
    return text(cell)


def vector(cell: Any) -> np.ndarray | None:
    """The numbers of a list, given as one or written as one; None for anything else."""
    if isinstance(cell, str):
        bare = cell.strip()
        if not (bare.startswith("[") and bare.endswith("]")):
            return None
        cell = bare[1:-1].replace(",", " ").split()
    elif not isinstance(cell, list | tuple | np.ndarray):
        return None
    try:
        found = np.array([float(part) for part in cell], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return found if len(found) and np.isfinite(found).all() else None


def names_in(cell: Any) -> list[str] | None:
    """The names in a list, given as one, or written as JSON or as Python writes it; else None."""
    if isinstance(cell, list | tuple | set | frozenset | np.ndarray):
        return [str(part).strip() for part in cell]
    if not isinstance(cell, str) or not (cell.lstrip()[:1] == "[" and cell.rstrip()[-1:] == "]"):
        return None
    try:
        found = json.loads(cell)
    except ValueError:
        found = _python_names(cell)
    if not isinstance(found, list) or any(isinstance(part, list | dict) for part in found):
        return None
    return [str(part).strip() for part in found if part is not None]


def _python_names(cell: str) -> list[str] | None:
    import ast

    try:
        found = ast.literal_eval(cell.strip())  # of strings and numbers; nothing is called
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, list) else None
