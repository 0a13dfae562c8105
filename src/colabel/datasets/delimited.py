"""CSV and TSV: cells of text under a header of names."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from colabel.datasets._files import DataError, open_text, shown
from colabel.datasets.tables import Block

_LONGEST_CELL = 2**31 - 1


class Delimited:
    """A file of cells between commas, or tabs, or semicolons."""

    def __init__(self, path: Path, delimiter: str | None = None, encoding: str = "utf-8") -> None:
        self.path, self.encoding = path, encoding
        with open_text(path, encoding) as file:
            header = file.readline()
        self.delimiter = delimiter or next((d for d in ",;\t" if d in header), ",")
        with self._rows() as rows:
            _, self.names = next(rows, (1, []))
        _check_names(path, self.names)

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[Block]:
        """The named columns, so many rows at a time."""
        positions = [self.names.index(name) for name in names]
        with self._rows() as found:
            next(found)
            while some := list(islice(found, rows)):
                lines, cells = zip(*some, strict=True)
                columns = list(zip(*cells, strict=True))
                chosen = {name: columns[i] for name, i in zip(names, positions, strict=True)}
                yield Block(self.path, chosen, lines)

    @contextmanager
    def _rows(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        longest = csv.field_size_limit(_LONGEST_CELL)
        try:
            with open_text(self.path, self.encoding, newline="") as file:
                yield self._check(csv.reader(file, delimiter=self.delimiter, strict=True))
        finally:
            csv.field_size_limit(longest)

    def _check(self, reader: Any) -> Iterator[tuple[int, list[str]]]:
        """Rows with the line where each begins; blank lines are passed over."""
        width, line = 0, 1
        try:
            for row in reader:
                if row:
                    width = width or len(row)
                    if len(row) != width:
                        raise DataError.at(
                            self.path, line, f"{len(row)} cells; the header has {width}"
                        )
                    yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError.at(
                self.path, line, f"{error}; is a quote missing or one too many?"
            ) from None


def _check_names(path: Path, names: list[str]) -> None:
    if not names:
        raise DataError.at(path, 1, "the file is empty")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError.at(path, 1, f"two columns are named {shown(twice[0])}; rename one")
    if "" in names:
        raise DataError.at(
            path,
            1,
            f"column {names.index('') + 1} has no name; name it (and if it only numbers the rows, "
            "leave it out with ignore=)",
        )
