"""A data set in many files, of which only one at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from colabel._row_blocks import row_blocks
from colabel.datasets._files import DataError, shown
from colabel.datasets.dataset import Columns, Dataset, as_names, default_names, known_labels
from colabel.datasets.sources import is_table, load, stream
from colabel.linalg.data import CentredData

#: Rows that are read at a time; those of a shard are joined.
_ROWS = 100_000
#: What the labels of a file need, and its features do not.
_LABEL_OPTIONS = ("labels", "label_column", "separator", "ignore")


@dataclass(frozen=True, eq=False, kw_only=True)
class Shards:
    """Instances in many files, with their labels in memory; made by :func:`load_shards`.

    Attributes
    ----------
    X : CentredData
        To be given as X to an estimator. Every pass over it reads the files anew.
    feature_names : ndarray of shape (d,) or None
        None where the format has no names.
    """

    X: CentredData
    Y: Any
    label_names: np.ndarray
    feature_names: np.ndarray | None
    paths: tuple[Path, ...]

    def __repr__(self) -> str:
        n, d = self.shape
        return f"<Shards: {n} rows, {d} features, {self.Y.shape[1]} labels in {len(self.paths)}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.X.shape

    @property
    def columns(self) -> Columns:
        """How a row of X is made; to be kept with a model."""
        return Columns(self.feature_names, self.shape[1])

    def describe(self) -> dict[str, Any]:
        """What there is to know without another pass over X, as plain data.

        Returns
        -------
        dict
            Numbers, strings, lists and dicts only: it can be written as JSON as it is.
        """
        (n, d), core = self.shape, self.X.core
        known, unknown = known_labels(self.Y)
        counts, per_row = np.asarray(known.sum(axis=0)).ravel(), np.diff(known.indptr)
        return {
            "shards": [str(path) for path in self.paths],
            "rows": n,
            "features": d,
            "labels": len(counts),
            "sparse": not core.is_dense,
            "density": core.nnz / (n * d),
            "cardinality": float(per_row.mean()),
            "rows_without_labels": int(np.count_nonzero(per_row == 0)),
            "labels_without_rows": int(np.count_nonzero(counts == 0)),
            "unknown_labels": unknown,
            "label_counts": {
                str(self.label_names[j]): int(counts[j]) for j in np.argsort(-counts, kind="stable")
            },
        }


def load_shards(
    paths: Sequence[str | PathLike[str]], *, n_features: int | None = None, **options: Any
) -> Shards:
    r"""Read a data set that is in many files, none of which is too large for memory.

    The labels are kept in memory, and the features are read anew whenever an estimator needs them;
    see :func:`colabel.row_blocks`. Files that are read slowly, such as CSV, are better converted
    once: ``numpy.save`` or ``scipy.sparse.save_npz`` for each, and then `row_blocks`.

    Parameters
    ----------
    paths : sequence of str or path
        The shards, in any format of :func:`colabel.datasets.load`. Their features must agree, in
        names and order; labels that only some of them have are joined.
    n_features : int or None
        Of formats without names: how many features there are. None is the most that a shard has.
    **options
        As in :func:`colabel.datasets.load`, the same for all shards; texts are not read.

    Raises
    ------
    DataError
        Saying in one line which file, what is wrong, and what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from colabel import LabelRidge
    >>> from colabel.datasets import load_shards
    >>> with TemporaryDirectory() as folder:
    ...     for name, rows in (("a", "0 1:2 2:1\n0,1 2:3\n"), ("b", "1 3:1\n0 1:1 3:2\n")):
    ...         _ = Path(folder, f"{name}.svm").write_text(rows)
    ...     data = load_shards(sorted(Path(folder).glob("*.svm")))
    ...     model = LabelRidge().fit(data.X, data.Y)
    >>> data
    <Shards: 4 rows, 3 features, 2 labels in 2>
    >>> model.coef_.shape
    (2, 3)
    """
    files = _check(paths, options)
    shards = [_Shard.of(path, _load(path, options)) for path in files]
    for shard in shards[1:]:
        shard.check_features(shards[0])
        shard.check_label_names(shards[0])
    columns = Columns(shards[0].features, _width(shards, n_features))
    names = _join(shard.labels for shard in shards)
    if "label_column" in options:  # tags have no order but that of their letters
        names = sorted(names)
    reading = {key: value for key, value in options.items() if key not in _LABEL_OPTIONS}
    return Shards(
        X=row_blocks([partial(_features, path, columns, reading) for path in files]),
        Y=sp.vstack([shard.indicator(names) for shard in shards], format="csr"),
        label_names=as_names(names),
        feature_names=columns.names,
        paths=tuple(files),
    )


def _load(path: Path, options: dict[str, Any]) -> Dataset:
    """A shard as it stands: what a column is cannot be told by a part of its rows."""
    return load(path, **options, recognise=not is_table(path, options.get("format")))


class _Shard(NamedTuple):
    """What is kept of a shard once it has been read."""

    path: Path
    Y: Any
    labels: list[str]
    features: np.ndarray | None
    n_features: int

    @classmethod
    def of(cls, path: Path, data: Dataset) -> _Shard:
        values = data.X.data if sp.issparse(data.X) else data.X
        if np.isnan(values).any():
            raise DataError.at(
                path, None, "values are missing; fill them in, or leave their rows or columns out"
            )
        labels = data.label_names.tolist()
        return cls(path, data.Y, labels, data.feature_names, data.X.shape[1])

    def check_features(self, first: _Shard) -> None:
        """Raise an error that names a feature in which two shards differ."""
        if self.features is None or first.features is None:
            if (self.features is None) != (first.features is None):
                one, other = (self, first) if self.features is None else (first, self)
                raise DataError.at(
                    one.path, None, f"the features have no names, and those of {other.path} have"
                )
            return
        ours, theirs = self.features.tolist(), first.features.tolist()
        if ours == theirs:
            return
        same = "all shards need the same features"
        for name in _missing(theirs, ours):
            what = f"there is no column {shown(name)}, which {first.path} has; {same}"
            raise DataError.at(self.path, None, what)
        for name in _missing(ours, theirs):
            what = f"there is a column {shown(name)}, which {first.path} does not have; {same}"
            raise DataError.at(self.path, None, what)
        place = next(i for i, name in enumerate(ours) if name != theirs[i])
        raise DataError.at(
            self.path,
            None,
            f"feature {place + 1} is {shown(ours[place])}, and {shown(theirs[place])} in "
            f"{first.path}; all shards need the same order",
        )

    def check_label_names(self, first: _Shard) -> None:
        """Raise an error where labels are numbered in one shard and named in the other."""
        if self.labels and first.labels and self._is_numbered != first._is_numbered:
            one, other = (self, first) if self._is_numbered else (first, self)
            raise DataError.at(
                one.path,
                None,
                f"the labels have no names, and those of {other.path} have; name all or none",
            )

    @property
    def _is_numbered(self) -> bool:
        return self.labels == default_names(len(self.labels)).tolist()

    def indicator(self, names: list[str]) -> Any:
        """Y with a column for each of the names."""
        position = {name: i for i, name in enumerate(names)}
        columns = np.array([position[name] for name in self.labels], dtype=np.int64)
        Y = sp.csr_array(self.Y)
        parts = (Y.data, columns[Y.indices], Y.indptr)
        return sp.csr_array(parts, shape=(Y.shape[0], len(names)))


def _check(paths: Any, options: dict[str, Any]) -> list[Path]:
    if isinstance(paths, str | PathLike) or not isinstance(paths, Sequence):
        raise TypeError(
            "load_shards takes a list of files, such as sorted(Path('folder').glob('*.svm')); got "
            f"{type(paths).__name__}"
        )
    files = [Path(path) for path in paths]
    if not files:
        raise ValueError("there are no shards in the list")
    for path in files:
        if not path.exists():
            raise DataError.at(path, None, "there is no such file")
    for key in ("text", "vectorizer", "encode", "kinds"):
        if options.get(key) is not None:
            raise DataError.at(
                files[0],
                None,
                f"{key}= is not for shards, as each would get a vocabulary of its own; turn texts "
                "into files of numbers first, with one vectorizer (HashingVectorizer needs no "
                "vocabulary) and scipy.sparse.save_npz, and give them to colabel.row_blocks",
            )
    return files


def _width(shards: list[_Shard], n_features: int | None) -> int:
    """How many features all shards have."""
    widest = max(shards, key=lambda shard: shard.n_features)
    if n_features is None:
        return widest.n_features
    named_ones = widest.features is not None  # of which there are as many as names
    if widest.n_features > n_features or (named_ones and widest.n_features != n_features):
        raise DataError.at(
            widest.path, None, f"{widest.n_features} features, but n_features={n_features}"
        )
    return n_features


def _join(lists: Iterable[list[str]]) -> list[str]:
    """All names, each once, in the order in which they come."""
    return list(dict.fromkeys(name for names in lists for name in names))


def _missing(wanted: list[str], there: list[str]) -> list[str]:
    known = set(there)
    return [name for name in wanted if name not in known]


def _features(path: Path, columns: Columns, options: dict[str, Any]) -> Any:
    """The rows of X in a shard."""
    blocks = list(stream(path, columns, rows=_ROWS, **options))
    if len(blocks) == 1:
        return blocks[0]
    return sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else np.vstack(blocks)
