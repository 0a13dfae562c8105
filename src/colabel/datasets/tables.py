"""Tables: labels in columns of 0 and 1 or as tags in one, features as numbers or as a text."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MultiLabelBinarizer

from colabel._terminal import brief
from colabel.datasets._cells import MISSING, TRUTH, number, numbers
from colabel.datasets._columns import align, documents_as, pick
from colabel.datasets._files import DataError, shown, unknown
from colabel.datasets.collectors import Collector, NotNumbersError, Numbers, Raw, Words, needs_skrub
from colabel.datasets.dataset import Columns, Dataset, as_names, as_whole, known_labels
from colabel.datasets.tag_cells import ALONE, said, separator_of, split
from colabel.tables.cells import category
from colabel.tables.kinds import NEEDS_SKRUB, is_available

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
            raise NotNumbersError(
                self._fault(
                    row,
                    f"column {shown(name)} holds {shown(cell)}, which is no number; name a column "
                    f"of text with text={name!r}, or leave it out with ignore=[{name!r}]",
                )
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
        if isinstance(cell, Real):  # one class a row, numbered
            return [category(cell)] if cell == cell else []
        if cell is not None and not isinstance(cell, (str, list)):
            raise self._fault(row, f"column {shown(name)} holds {shown(cell)}, which is no tag")
        tags = split(cell, separator or ALONE) if isinstance(cell, str) else cell or []
        return [tag for tag in (str(tag).strip() for tag in tags) if tag]


class Table(Protocol):
    """A file with named columns."""

    path: Path
    names: list[str]

    def blocks(self, names: Sequence[str], rows: int) -> Iterator[Block]:
        """The named columns, so many rows at a time."""


@dataclass(frozen=True)
class _Labels:
    """Which columns become Y."""

    columns: list[str]
    label_column: str | None
    separator: str | None

    @property
    def read(self) -> list[str]:
        return self.columns if self.label_column is None else [self.label_column]

    def part(self, block: Block) -> Any:
        """Of one block: zeros and ones, or a block of cells with tags."""
        if self.label_column is None:
            return sp.csr_array(np.column_stack([block.labels(name) for name in self.columns]))
        return replace(block, columns={self.label_column: block.columns[self.label_column]})

    def finish(self, path: Path, parts: list[Any]) -> dict[str, Any]:
        """Y, the names of its columns, and how tags are written."""
        column, separator = self.label_column, self.separator
        if column is None:
            Y, names = sp.vstack(parts), self.columns
            return {"Y": as_whole(sp.csr_array(Y)), "label_names": as_names(names)}
        cells = [cell for block in parts for cell in block.columns[column]]
        if separator is None and any(isinstance(cell, str) for cell in cells):
            separator = separator_of(cells)
        tags = [names for block in parts for names in block.tags(column, separator)]
        Y, names = _binarize(path, column, tags)
        return {
            "Y": sp.csr_array(Y, dtype=np.int64),
            "label_names": as_names(names),
            "separator": separator,
            "tags": tags,
            "notes": []
            if self.separator is not None
            else [f"labels: {len(names)} tags in {column}, {said(separator)}"],
        }


def read(
    table: Table,
    *,
    labels: Any = None,
    label_column: str | None = None,
    separator: str | None = None,
    text: str | Sequence[str] | None = None,
    vectorizer: Any = None,
    ignore: Any = (),
    kinds: Mapping[str, str] | None = None,
    recognise: bool = True,
) -> Dataset:
    """Read a whole table; see :func:`colabel.datasets.load`."""
    wanted = _Labels(_label_columns(table, labels, label_column), label_column, separator)
    texts = [text] if isinstance(text, str) else list(text or ())
    for name in (*texts, label_column, *(kinds or ())):
        if name is not None and name not in table.names:
            raise unknown(table.path, None, "column", name, table.names)
    features = _feature_columns(table, wanted.read, ignore, [*texts, *(kinds or ())])
    try:
        X, Y = _collect(table, _collector(features, texts, kinds, vectorizer, recognise), wanted)
    except NotNumbersError as error:
        if not is_available():
            raise needs_skrub(error) from None
        if not recognise:
            raise
        X, Y = _collect(table, Raw(features, {}, vectorizer, []), wanted)
    notes = (*Y.pop("notes", ()), *X.pop("notes"))
    names = X.pop("feature_names")
    return Dataset(**X, **Y, feature_names=as_names(names), notes=notes)


def _collector(
    features: list[str],
    texts: list[str],
    kinds: Mapping[str, str] | None,
    vectorizer: Any,
    recognise: bool,
) -> Collector:
    """All columns; or, where texts are named, these and those whose kind is named."""
    asked = {**dict(kinds or {}), **dict.fromkeys(texts, "text")}
    left_out = [name for name in features if name not in asked] if texts else []
    if len(asked) == len(texts) == 1:
        return Words(texts[0], vectorizer, left_out)
    if not asked:
        return Numbers(features, complete=recognise and is_available())
    return Raw([name for name in features if name not in left_out], asked, vectorizer, left_out)


def _collect(
    table: Table, collector: Collector, labels: _Labels
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of X and those of Y, and a warning for each column that gives labels away."""
    parts = []
    for block in table.blocks(list(dict.fromkeys([*collector.columns, *labels.read])), _BLOCK):
        collector.add(block)
        parts.append(labels.part(block))
    if not parts:
        raise DataError.at(table.path, None, "no rows under the header")
    Y = labels.finish(table.path, parts)
    X = collector.finish(table.path)
    tags = Y.pop("tags", None)
    both = [name for name in collector.columns if name in {*labels.read, *Y["label_names"]}]
    told = [f"column {name!r} is a label and a feature" for name in both]
    for line in [*told, *collector.leaks(known_labels(Y["Y"])[0], Y["label_names"], tags)]:
        warnings.warn(f"{table.path.name}: {line}", UserWarning, stacklevel=5)
    return X, Y


def stream(table: Table, columns: Columns, *, rows: int) -> Iterator[Any]:
    """Blocks of rows of X, with the features that `columns` names."""
    wanted = _wanted(table, columns)
    for name in wanted:
        if name not in table.names:
            raise unknown(table.path, None, "column", name, table.names)
    for block in table.blocks(wanted, rows):
        if columns.table is not None:
            yield _encode(table.path, block, columns)
        elif columns.text is not None:
            yield documents_as(columns, table.path, block.texts(columns.text))
        else:
            X = np.column_stack([block.numbers(name) for name in wanted])
            yield _fill(table.path, align(table.path, X, wanted, columns), columns)


def _wanted(table: Table, columns: Columns) -> list[str]:
    if columns.table is not None:
        return columns.table.wanted
    if columns.text is not None:
        return [columns.text]
    return list(columns.names if columns.names is not None else table.names)


def _encode(path: Path, block: Block, columns: Columns) -> Any:
    try:
        X = columns.table.transform(block.columns)
    except ImportError:
        raise DataError.at(path, None, NEEDS_SKRUB) from None
    except ValueError as error:
        raise DataError.at(path, None, str(error)) from None
    return align(path, X, columns.table.get_feature_names_out(), columns)


def _fill(path: Path, X: np.ndarray, columns: Columns) -> np.ndarray:
    """Gaps in columns that had none where the model was fitted: their means, and a warning."""
    gaps = np.isnan(X)
    if columns.fill is None or not gaps.any():
        return X
    names = [] if columns.names is None else list(columns.names[gaps.any(axis=0)])
    warnings.warn(
        f"{path.name}: values are missing in {brief(names)}, which had none in training; each is "
        "taken to be the mean",
        UserWarning,
        stacklevel=2,
    )
    return np.where(gaps, columns.fill, X)


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
    table: Table, labels: list[str], ignore: Any, asked: Sequence[str]
) -> list[str]:
    """All columns that are neither labels nor ignored, unless they are asked for by name."""
    ignored = [table.names[i] for i in pick(table.path, table.names, ignore)] if ignore else []
    left_out = {*labels, *ignored} - set(asked)
    features = [name for name in table.names if name not in left_out]
    if not features:
        raise DataError.at(table.path, None, "no column is left for the features")
    return features


def _binarize(path: Path, column: str, tags: list[list[str]]) -> tuple[Any, list[str]]:
    if not any(tags):
        raise DataError.at(path, None, f"no row has a tag in column {shown(column)}")
    binarizer = MultiLabelBinarizer(sparse_output=True)
    return binarizer.fit_transform(tags), list(binarizer.classes_)
