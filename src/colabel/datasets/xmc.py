"""The format of the extreme classification repository: a line ``n d L``, then svmlight from 0."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from colabel.datasets._files import MOST_COLUMNS, DataError, open_binary, shown
from colabel.datasets.dataset import Columns, Dataset, default_names
from colabel.datasets.svmlight import Layout, blocks, parse


def is_header(line: bytes) -> bool:
    """Whether a first line is three whole numbers."""
    words = line.removeprefix(b"\xef\xbb\xbf").split()
    return len(words) == 3 and all(word.isdigit() and len(word) < 19 for word in words)


def read(path: Path) -> Dataset:
    """Read a file of n rows, d features and L labels, as its first line says."""
    with open_binary(path) as file:
        n, d, q = _header(path, file.readline())
        data = file.read()
    rows = 0
    if data.strip(b"\r\n"):
        X, Y = parse(Layout(path, d, q, zero_based=True), data, first_line=2)
        rows = X.shape[0]
    if rows != n or not n:
        raise DataError.at(path, 1, f"the header announces {n} rows; the file has {rows}")
    return Dataset(X=X, Y=Y, label_names=default_names(q))


def stream(path: Path, columns: Columns, *, rows: int) -> Iterator[Any]:
    """Blocks of rows of X, with as many features as `columns` has."""
    with open_binary(path) as file:
        _header(path, file.readline())
        layout = Layout(path, columns.n_features, None, zero_based=True)
        yield from blocks(layout, file, rows, first_line=2)


def _header(path: Path, line: bytes) -> tuple[int, int, int]:
    if not is_header(line):
        got = shown(line.decode("utf-8", "replace").strip())
        raise DataError.at(path, 1, f"{got} where three numbers 'rows features labels' should be")
    n, d, q = (int(word) for word in line.removeprefix(b"\xef\xbb\xbf").split())
    if max(n, d, q) > MOST_COLUMNS:
        raise DataError.at(
            path, 1, f"the header announces {max(n, d, q)}, more than the {MOST_COLUMNS} allowed"
        )
    return n, d, q
