"""Multi-label svmlight: ``3,17 1:0.5 8:2`` is a row with the labels 3 and 17.

Labels count from 0 and may be absent; features count from 1. A file ``NAME.json`` beside
``NAME.svm`` may give names (`label_names`, `feature_names`), sizes (`n`, `d`, `q`) and the number
of rows in the standard training part, which come first (`n_train`).
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from colabel.datasets._cells import number as read_number
from colabel.datasets._files import MOST_COLUMNS, DataError, beside, open_binary, shown
from colabel.datasets.dataset import Columns, Dataset, as_names, default_names, first_rows

_BOM = b"\xef\xbb\xbf"
_SPACES = re.compile(rb"^[ \t]+(?=#|\r?$)", re.MULTILINE)
_NOTHING = re.compile(rb"^\r?$", re.MULTILINE)
_COUNTS, _NAMES = ("n", "d", "q", "n_train"), ("label_names", "feature_names")


@dataclass(frozen=True)
class Layout:
    """How the lines of one file are to be read; a size that is None is found in the file."""

    path: Path
    n_features: int | None = None
    n_labels: int | None = None
    zero_based: bool = False


def read(path: Path, *, zero_based: bool = False) -> Dataset:
    """Read an svmlight file and what stands beside it."""
    about = _about(beside(path, ".json"))
    with open_binary(path) as file:
        data = file.read().removeprefix(_BOM)
    if not data.strip(b"\r\n"):
        raise DataError.at(path, 1, "the file is empty")
    X, Y = parse(Layout(path, about["d"], about["q"], zero_based), data)
    n, n_train = X.shape[0], about["n_train"]
    if about["n"] not in (None, n) or (n_train or 0) > n:
        wanted = about["n"] if about["n"] not in (None, n) else n_train
        raise DataError.at(path, n, f"the file ends after {n} rows; its .json wants {wanted}")
    label_names, feature_names = about["label_names"], about["feature_names"]
    return Dataset(
        X=X,
        Y=Y,
        label_names=default_names(Y.shape[1]) if label_names is None else as_names(label_names),
        feature_names=None if feature_names is None else as_names(feature_names),
        split=None if n_train is None else first_rows(n_train, n),
    )


def stream(path: Path, columns: Columns, *, rows: int, zero_based: bool = False) -> Iterator[Any]:
    """Blocks of rows of X, with as many features as `columns` has."""
    with open_binary(path) as file:
        yield from blocks(Layout(path, columns.n_features, None, zero_based), file, rows)


def blocks(layout: Layout, file: Any, rows: int, first_line: int = 1) -> Iterator[Any]:
    """Rows of X from a file that stands before its first row."""
    while lines := list(islice(file, rows)):
        data = b"".join(lines)
        data = data.removeprefix(_BOM) if first_line == 1 else data
        if data.strip(b"\r\n"):
            yield parse(layout, data, first_line)[0]
        first_line += len(lines)


def parse(layout: Layout, data: bytes, first_line: int = 1) -> tuple[sp.csr_array, sp.csr_array]:
    """Rows of svmlight as X and Y."""
    data = data.rstrip(b"\r\n")
    if b"_" in data or not data.isascii():  # scikit-learn would take 1_0 for 10
        fault = _first_fault(layout, data, first_line)
        if fault is not None:
            raise fault
    try:
        X, labels = _fast(layout, data)
        if len(labels) <= data.count(b"\n"):
            data = _with_empty_rows(layout, data, first_line)
            X, labels = _fast(layout, data)
    except DataError:
        raise
    except (ValueError, OverflowError):
        raise _fault(layout, data, first_line) from None
    counts = [len(present) for present in labels]
    ids = np.fromiter(chain.from_iterable(labels), dtype=np.float64, count=sum(counts))
    limit = MOST_COLUMNS if layout.n_labels is None else layout.n_labels
    known = (ids >= 0) & (ids < limit) & (ids == np.floor(ids))
    if not known.all() or X.shape[1] > MOST_COLUMNS or not np.isfinite(X.data).all():
        raise _fault(layout, data, first_line)
    q = int(ids.max(initial=-1)) + 1 if layout.n_labels is None else limit
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    Y = sp.csr_array((np.ones(len(ids), np.int64), ids.astype(np.int32), indptr), (len(counts), q))
    Y.sum_duplicates()
    if len(Y.data) < len(ids):
        raise _fault(layout, data, first_line)
    return X, Y


def _fast(layout: Layout, data: bytes) -> tuple[sp.csr_array, list[tuple[float, ...]]]:
    X, labels = load_svmlight_file(
        io.BytesIO(data),
        n_features=layout.n_features,
        multilabel=True,
        zero_based=layout.zero_based,
    )
    X.eliminate_zeros()
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=X.shape), labels


def _with_empty_rows(layout: Layout, data: bytes, first_line: int) -> bytes:
    """Lines of spaces made readable: scikit-learn writes them for empty rows, but skips them."""
    if blank := _NOTHING.search(data):
        raise DataError.at(
            layout.path,
            first_line + data.count(b"\n", 0, blank.start()),
            "a blank line; remove it, or put one space there for a row without labels and features",
        )
    return _SPACES.sub(b"0:0" if layout.zero_based else b"1:0", data)


def _fault(layout: Layout, data: bytes, first_line: int) -> DataError:
    """What is wrong where something is known to be."""
    fault = _first_fault(layout, data, first_line)
    if fault is not None:
        return fault
    return DataError.at(layout.path, None, "this is not svmlight: labels, then index:value")


def _first_fault(layout: Layout, data: bytes, first_line: int) -> DataError | None:
    """The first thing that is wrong, and where; slow, for it reads line by line."""
    for number, line in enumerate(data.split(b"\n"), start=first_line):
        try:
            _check_line(layout, line.partition(b"#")[0].decode("utf-8", "replace").split())
        except ValueError as error:
            return DataError.at(layout.path, number, str(error))
    return None


def _check_line(layout: Layout, words: list[str]) -> None:
    if words and ":" not in words[0]:
        _check_labels(layout, words.pop(0).split(","))
    lowest = 0 if layout.zero_based else 1
    limit = layout.n_features if layout.n_features is not None else MOST_COLUMNS
    before = lowest - 1
    for word in words:
        index, colon, value = word.partition(":")
        if not colon or not index.isascii() or not index.removeprefix("-").isdecimal():
            if index == "qid":
                continue
            raise ValueError(f"{shown(word)} is not index:value")
        if not lowest <= int(index) < limit + lowest:
            hint = "; pass zero_based=True if they count from 0" if index == "0" else ""
            raise ValueError(
                f"feature {index}; they go from {lowest} to {limit - 1 + lowest}{hint}"
            )
        if int(index) <= before:
            raise ValueError(f"feature {index} after {before}; each once, in rising order")
        before = int(index)
        _check_value(index, value)


def _check_value(index: str, value: str) -> None:
    try:
        finite = np.isfinite(read_number(value))
    except ValueError:
        finite = False
    if not finite:
        raise ValueError(f"feature {index} is {shown(value)}, which is no finite number")


def _check_labels(layout: Layout, labels: list[str]) -> None:
    limit = MOST_COLUMNS if layout.n_labels is None else layout.n_labels
    for label in labels:
        try:
            known = read_number(label) % 1 == 0 and 0 <= float(label) < limit
        except ValueError:
            known = False
        if not known:
            raise ValueError(
                f"label {shown(label)}; labels are whole numbers from 0 to {limit - 1}"
            )
    if len(set(map(float, labels))) < len(labels):
        raise ValueError(f"a label stands twice in {shown(','.join(labels))}")


def _about(path: Path) -> dict[str, Any]:
    """Sizes and names from the .json beside a file; None for each that it does not give."""
    about: dict[str, Any] = dict.fromkeys((*_COUNTS, *_NAMES))
    if not path.exists():
        return about
    try:
        with open_binary(path) as file:
            given = json.loads(file.read().decode("utf-8-sig"))
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DataError.at(path, line, f"this is not JSON that can be read: {error}") from None
    if not isinstance(given, dict):
        raise DataError.at(path, 1, f"a {type(given).__name__} where names and sizes should be")
    about |= {key: value for key, value in given.items() if key in about}
    for key in _COUNTS:
        value = about[key]
        if value is not None and (type(value) is not int or not 0 <= value <= MOST_COLUMNS):
            raise DataError.at(path, None, f"{key} is {shown(value)}, which is no such number")
    for key, size in zip(_NAMES, ("q", "d"), strict=True):
        if about[key] is None:
            continue
        if not isinstance(about[key], list) or about[size] not in (None, len(about[key])):
            raise DataError.at(path, None, f"{key} must be a list of {about[size]} names")
        if len(set(map(str, about[key]))) < len(about[key]):
            raise DataError.at(path, None, f"{key} holds a name twice; names must differ")
        about[size] = len(about[key])
    return about
