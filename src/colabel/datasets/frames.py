"""Tables that are read whole: spreadsheets and Feather by pandas, JSON, DataFrames as they are."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from colabel.datasets._files import DataError, open_text
from colabel.datasets.dataset import Columns
from colabel.datasets.tables import Block, stream
from colabel.tables.cells import is_gap


class Frame:
    """A table in memory: columns by name, each an array of numbers or a list of cells."""

    def __init__(self, columns: dict[str, Any], path: Path) -> None:
        self.path, self._columns, self.names = path, columns, list(columns)

    @classmethod
    def of(cls, frame: Any, path: str | Path = "table") -> Self:
        """A DataFrame of pandas or polars."""
        return cls({str(name): _column(frame[name]) for name in frame.columns}, Path(path))

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[Block]:
        """The named columns, so many rows at a time."""
        n = len(next(iter(self._columns.values()), ()))
        for first in range(0, n, rows):
            some = {name: self._columns[name][first : first + rows] for name in names}
            lines = range(first + 1, min(first + rows, n) + 1)
            yield Block(self.path, some, lines, unit="row")


def _column(series: Any) -> Any:
    """Numbers as an array, with NaN for what is missing; anything else as a list."""
    values = series.to_numpy()
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    cells = [one.to_list() if hasattr(one, "to_list") else one for one in series]
    cells = [list(one) if isinstance(one, np.ndarray | tuple | set) else one for one in cells]
    return [None if not isinstance(one, str) and is_gap(one) else one for one in cells]


def rows_of(frame: Any, columns: Columns) -> Any:
    """The rows of a DataFrame as rows of X that a model knows."""
    if not len(frame):
        raise ValueError("the table has no rows")
    return next(stream(Frame.of(frame), columns, rows=len(frame)))


def by_pandas(function: str, kind: str, needs: str) -> Callable[[Path], Frame]:
    """What opens files that a function of pandas reads, which needs another package."""

    def opened(path: Path) -> Frame:
        try:
            import pandas as pd

            return Frame.of(getattr(pd, function)(path), path)
        except ImportError:
            what = f"{kind} files are read by pandas and {needs}; pip install 'colabel[tables]'"
            raise DataError.at(path, None, f"{what} {needs}") from None
        except Exception as error:  # pandas raises whatever its parts raise
            said = (str(error) or type(error).__name__).splitlines()[0]
            raise DataError.at(
                path, None, f"cannot be read as {kind}: {said}; save it as CSV"
            ) from None

    return opened


def json_lines(path: Path, encoding: str = "utf-8") -> Frame:
    """A file with an object of JSON on each line."""
    records = []
    with open_text(path, encoding) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                records.append(_object(path, number, _parse(path, number, line)))
    return _of_records(path, records)


def json_list(path: Path, encoding: str = "utf-8") -> Frame:
    """A file that is one list of objects of JSON."""
    with open_text(path, encoding) as file:
        found = _parse(path, 1, file.read())
    if not isinstance(found, list):
        raise DataError.at(path, None, "a table in JSON is a list of objects, or one on each line")
    return _of_records(path, [_object(path, i, one) for i, one in enumerate(found, start=1)])


def _parse(path: Path, line: int, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError.at(path, line, f"this is no JSON: {error}") from None


def _object(path: Path, line: int, found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise DataError.at(path, line, f"a row is an object of JSON, {{…}}; this is a {kind}")
    return found


def _of_records(path: Path, records: list[dict[str, Any]]) -> Frame:
    names = dict.fromkeys(name for record in records for name in record)
    if not names:
        raise DataError.at(path, 1, "the file is empty")
    return Frame({name: [record.get(name) for record in records] for name in names}, path)
