"""Tables: labels in columns of 0 and 1 or as tags in one, features as numbers or as a text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer

from colabel._terminal import brief
from colabel.datasets._cells import MISSING, TRUTH, number, numbers
from colabel.datasets._columns import Documents, align, documents_as, pick
from colabel.datasets._files import DataError, shown, unknown
from colabel.datasets.dataset import Columns, Dataset, as_names, as_whole

_BLOCK = 1000
_LABELS = {**TRUTH, **dict.fromkeys(MISSING, float("nan"))}


@dataclass(frozen=True)
class Block:
    """Some rows of a table: columns by name, each an array of numbers or a list of cells."""

    path: Path
    columns: dict[str, Any]
    lines: Sequence[int]
    unit: str = "line"

    def _fault(self, row: int, what: str) -> DataError:
        return DataError.at(self.path, self.lines[row], what, self.unit)

    def numbers(self, name: str) -> np.ndarray:
        """A column of numbers; NaN where a cell says that its value is missing."""
        cells = self.columns[name]
        if not isinstance(cells, np.ndarray):
            try:
                cells = numbers(cells)
            except (TypeError, ValueError):
                cells = np.array([self._number(name, row, cell) for row, cell in enumerate(cells)])
        infinite = np.flatnonzero(np.isinf(cells))
        if len(infinite):
            row = int(infinite[0])
            raise self._fault(row, f"column {shown(name)} is infinite; leave the cell empty")
        return cells

    def _number(self, name: str, row: int, cell: Any) -> float:
        try:
            missing = cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)
            if missing:
                return float("nan")
            return number(cell) if isinstance(cell, str) else float(cell)
        except (TypeError, ValueError):
            raise self._fault(
                row,
                f"column {shown(name)} holds {shown(cell)}, which is no number; name a column of "
                f"text with text={name!r}, or leave it out with ignore=[{name!r}]",
            ) from None

    def labels(self, name: str) -> np.ndarray:
        """A column of zeros and ones; NaN where a cell says that the label is not known."""
        cells = self.columns[name]
        if not isinstance(cells, np.ndarray):
            cells = np.array([_LABELS.get(str(cell).strip().lower(), 2.0) for cell in cells])
        strange = np.flatnonzero((cells != 0) & (cells != 1) & ~np.isnan(cells))
        if len(strange):
            value = self.columns[name][strange[0]]
            value = f"{value:g}" if isinstance(value, float) else shown(value)
            row = int(strange[0])
            raise self._fault(row, f"label {shown(name)} is {value}; a label is 0 or 1, or empty")
        return cells

    def texts(self, name: str) -> list[str]:
        """A column of text, empty where it is missing."""
        cells = self.columns[name]
        if isinstance(cells, np.ndarray):
            raise self._fault(0, f"column {shown(name)} holds numbers, not text")
        return ["" if cell is None else str(cell) for cell in cells]

    def tags(self, name: str, separator: str | None) -> list[list[str]]:
        """A column of tags: lists, or strings to split."""
        return [self._tags(name, row, c, separator) for row, c in enumerate(self.columns[name])]

    def _tags(self, name: str, row: int, cell: Any, separator: str | None) -> list[str]:
        if isinstance(cell, str) and separator is None:
            raise self._fault(
                row,
                f"column {shown(name)} holds {shown(cell)}; say what stands between its tags, as "
                "in separator=';'",
            )
        if cell is not None and not isinstance(cell, (str, list)):
            raise self._fault(row, f"column {shown(name)} holds {shown(cell)}, which is no tag")
        tags = cell.split(separator) if isinstance(cell, str) else cell or []
        return [tag for tag in (str(tag).strip() for tag in tags) if tag]


class Table(Protocol):
    """A file with named columns."""

    path: Path
    names: list[str]

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[Block]:
        """The named columns, so many rows at a time."""


@dataclass(frozen=True)
class _Plan:
    """Which columns become what."""

    features: list[str]
    text: str | None
    labels: list[str]
    label_column: str | None
    separator: str | None

    @property
    def columns(self) -> list[str]:
        single = [name for name in (self.text, self.label_column) if name is not None]
        return [*self.features, *self.labels, *single]

    def part(self, block: Block) -> tuple[Any, Any]:
        """One block of X and one of Y; texts and tags as they are."""
        X: Any = (
            np.column_stack([block.numbers(name) for name in self.features])
            if self.text is None
            else block.texts(self.text)
        )
        Y: Any = (
            sp.csr_array(np.column_stack([block.labels(name) for name in self.labels]))
            if self.label_column is None
            else block.tags(self.label_column, self.separator)
        )
        return X, Y


def read(
    table: Table,
    *,
    labels: Any = None,
    label_column: str | None = None,
    separator: str | None = None,
    text: str | None = None,
    vectorizer: Any = None,
    ignore: Any = (),
) -> Dataset:
    """Read a whole table; see :func:`colabel.datasets.load`."""
    label_names = _label_columns(table, labels, label_column)
    features = (
        [] if text is not None else _feature_columns(table, label_names, label_column, ignore)
    )
    plan = _Plan(features, text, label_names, label_column, separator)
    for name in (text, label_column):
        if name is not None and name not in table.names:
            raise unknown(table.path, None, "column", name, table.names)
    documents = Documents(vectorizer)
    numbers: list[np.ndarray] = []
    Y: list[Any] = []
    for block in table.blocks(plan.columns, _BLOCK):
        X, some = plan.part(block)
        (numbers.append if text is None else documents.add)(X)
        Y.append(some)
    if not Y:
        raise DataError.at(table.path, None, "no rows under the header")
    if text is None:
        matrix, vectorizer = np.concatenate(numbers), None
    else:
        matrix, vectorizer = documents.weigh(table.path)
        features = list(vectorizer.get_feature_names_out())
    if label_column is None:
        indicator = sp.vstack(Y)
    else:
        indicator, label_names = _binarize(table.path, label_column, list(chain.from_iterable(Y)))
    return Dataset(
        X=matrix,
        Y=as_whole(sp.csr_array(indicator)),
        label_names=as_names(label_names),
        feature_names=as_names(features),
        text=text,
        vectorizer=vectorizer,
    )


def stream(table: Table, columns: Columns, *, rows: int) -> Iterator[Any]:
    """Blocks of rows of X, with the features that `columns` names."""
    wanted = list(columns.names if columns.names is not None else table.names)
    wanted = wanted if columns.text is None else [columns.text]
    for name in wanted:
        if name not in table.names:
            raise unknown(table.path, None, "column", name, table.names)
    for block in table.blocks(wanted, rows):
        if columns.text is not None:
            yield documents_as(columns, table.path, block.texts(columns.text))
        else:
            X = np.column_stack([block.numbers(name) for name in wanted])
            yield align(table.path, X, wanted, columns)


def cells(table: Table, names: Sequence[str], *, rows: int) -> Iterator[list[tuple[Any, ...]]]:
    """The named columns as they stand in the file, so many rows at a time."""
    for name in names:
        if name not in table.names:
            raise unknown(table.path, None, "column", name, table.names)
    for block in table.blocks(list(names), rows):
        yield list(zip(*(block.columns[name] for name in names), strict=True))


def _label_columns(table: Table, labels: Any, label_column: str | None) -> list[str]:
    if (labels is None) == (label_column is None):
        raise DataError.at(
            table.path,
            None,
            "say which columns are labels: labels=['a', 'b'] for columns of 0 and 1, or "
            f"label_column='tags' for a column of tags; there are {brief(table.names)}",
        )
    return [table.names[i] for i in pick(table.path, table.names, labels)] if labels else []


def _feature_columns(
    table: Table, labels: list[str], label_column: str | None, ignore: Any
) -> list[str]:
    ignored = [table.names[i] for i in pick(table.path, table.names, ignore)] if ignore else []
    left_out = {*labels, *ignored, label_column}
    features = [name for name in table.names if name not in left_out]
    if not features:
        raise DataError.at(table.path, None, "no column is left for the features")
    return features


def _binarize(path: Path, column: str, tags: list[list[str]]) -> tuple[Any, list[str]]:
    if not any(tags):
        raise DataError.at(path, None, f"no row has a tag in column {shown(column)}")
    binarizer = MultiLabelBinarizer(sparse_output=True)
    return binarizer.fit_transform(tags), list(binarizer.classes_)
