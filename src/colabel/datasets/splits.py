"""Splits for data with many labels, as scikit-learn splitters.

``cv=5`` on an indicator matrix is a plain KFold, which may leave a rare label out of a training
part. All of these take Y dense or sparse, or as a DataFrame.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit
from numpy.typing import ArrayLike
from sklearn.model_selection import BaseCrossValidator, ShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from colabel._indicator import Indicator, dense_labels
from colabel._labels import Labels, as_indicator
from colabel._parameters import Seed
from colabel._rows import Rows
from colabel._sklearn import count_rows
from colabel.datasets.covers import small_cover

Split = tuple[np.ndarray, np.ndarray]


class _ByLabels:
    """Splitters that look at Y, in any of its forms."""

    def split(self, X: Rows, y: Labels, groups: None = None) -> Iterator[Split]:
        """Give the rows of each training and each test part.

        Parameters
        ----------
        X : array of shape (n, d) or None
            Only its length is looked at.
        y : indicator matrix of shape (n, q), NaN where a label is unknown; or a class a row
        groups : ignored

        Yields
        ------
        train, test : ndarray
        """
        labels = as_indicator(y)
        check_consistent_length(X, labels.matrix)
        Y = self._labels(labels)
        yield from self._fill(super().split(Y, Y), Y)  # type: ignore[misc]

    def _labels(self, labels: Indicator) -> Any:
        """What parts are to have their shares of: the labels, of which some may be unknown.

        A single label, and those that are known in some rows, by their presence and their absence.
        """
        Y = dense_labels(labels.matrix).astype(bool)
        if labels.unknown is not None:
            unknown = dense_labels(labels.unknown).astype(bool)
            some = unknown.any(axis=0)
            return np.hstack([Y, ~(Y | unknown)[:, some]])
        return np.hstack([Y, ~Y]) if Y.shape[1] == 1 else Y

    def _fill(self, splits: Iterator[Split], Y: Any) -> Iterator[Split]:
        """The splits with a row in every part, as stratification by few rows may leave one out."""
        for train, test in splits:
            if len(train) and len(test):
                yield train, test
            else:
                fold = np.zeros(len(Y), dtype=int)
                fold[test] = 1
                fold = _without_empty(fold, 2, Y)
                yield np.flatnonzero(fold == 0), np.flatnonzero(fold == 1)


class IterativeStratifiedKFold(_ByLabels, MultilabelStratifiedKFold):
    """K folds in which every label has, as nearly as can be, its share of rows.

    Iterative stratification: the rarest label first, each of its rows to the fold that lacks it
    most (Sechidis et al. 2011).

    Parameters
    ----------
    n_splits : int, default=5
    shuffle : bool, default=True
    random_state : int, RandomState or None

    Examples
    --------
    >>> from colabel.datasets import IterativeStratifiedKFold, load_debtags
    >>> data = load_debtags()
    >>> rarest = data.Y.sum(axis=0).argmin()
    >>> folds = IterativeStratifiedKFold(n_splits=5, random_state=0).split(data.X, data.Y)
    >>> [int(data.Y[test, rarest].sum()) for train, test in folds]
    [21, 21, 22, 22, 21]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = True, random_state: Seed = None
    ) -> None:
        super().__init__(n_splits=n_splits, shuffle=shuffle, random_state=random_state)

    def _fill(self, splits: Iterator[Split], Y: Any) -> Iterator[Split]:
        fold = np.empty(len(Y), dtype=int)
        for i, (_, test) in enumerate(splits):
            fold[test] = i
        fold = _without_empty(fold, self.n_splits, Y)
        for i in range(self.n_splits):
            yield np.flatnonzero(fold != i), np.flatnonzero(fold == i)


class IterativeStratifiedShuffleSplit(_ByLabels, MultilabelStratifiedShuffleSplit):
    """Random splits in which every label has, as nearly as can be, its share of rows.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float or int, default=0.25
        The rest is for training.
    random_state : int, RandomState or None

    Examples
    --------
    >>> from colabel.datasets import IterativeStratifiedShuffleSplit, load_debtags
    >>> data = load_debtags()
    >>> splitter = IterativeStratifiedShuffleSplit(n_splits=1, test_size=0.5, random_state=0)
    >>> [(train, test)] = splitter.split(data.X, data.Y)
    >>> shares = data.Y[test].sum(axis=0) / data.Y.sum(axis=0)
    >>> bool(abs(shares - 0.5).max() < 0.05)
    True
    """

    def __init__(
        self, n_splits: int = 10, *, test_size: float = 0.25, random_state: Seed = None
    ) -> None:
        super().__init__(n_splits=n_splits, test_size=test_size, random_state=random_state)


class CoveringShuffleSplit(_ByLabels, ShuffleSplit):
    """Random splits in which every label that any row has is in the training part.

    A plain random split, mended: for a label that is missing, one of its rows comes in for a row
    that can be spared; where none can, few rows that have all labels are looked for. So is the data
    of Ji et al. (2008) split, into few rows for training and the rest for testing.

    Parameters
    ----------
    n_splits : int, default=10
    test_size, train_size : float, int or None
        As in scikit-learn's ShuffleSplit.
    random_state : int, RandomState or None

    Examples
    --------
    >>> from colabel.datasets import CoveringShuffleSplit, load_debtags
    >>> data = load_debtags()
    >>> splitter = CoveringShuffleSplit(n_splits=1, train_size=50, random_state=0)
    >>> [(train, test)] = splitter.split(data.X, data.Y)
    >>> len(train), bool((data.Y[train].sum(axis=0) > 0).all())
    (50, True)
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_splits=n_splits, test_size=test_size, train_size=train_size, random_state=random_state
        )

    def _labels(self, labels: Indicator) -> Any:
        return sp.csr_array(labels.matrix)

    def _iter_indices(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        rng = check_random_state(self.random_state)
        for train, test in super()._iter_indices(X):
            yield _mend(train, test, y, rng)


class GivenSplit(BaseCrossValidator):
    """The one split that is given.

    Parameters
    ----------
    train : int, or array of int or bool
        The rows for training, as numbers or as a mask, or how many of the first rows are.
    test : array of int or bool, or None
        The rows for testing; None is all others.

    Examples
    --------
    >>> from colabel.datasets import GivenSplit, load_debtags
    >>> data = load_debtags()
    >>> [(train, test)] = GivenSplit(*data.split).split(data.X)
    >>> len(train) + len(test) == data.X.shape[0]
    True
    """

    def __init__(self, train: int | ArrayLike, test: ArrayLike | None = None) -> None:
        self.train = train
        self.test = test

    def get_n_splits(self, X: Rows | None = None, y: Labels = None, groups: None = None) -> int:
        """One."""
        return 1

    def split(self, X: Rows, y: Labels = None, groups: None = None) -> Iterator[Split]:
        """Give the rows of the training and the test part.

        Yields
        ------
        train, test : ndarray
        """
        rows = np.arange(count_rows(X))
        first = np.ndim(self.train) == 0
        train = rows[: self.train] if first else _numbers("train", self.train, rows)
        left = np.setdiff1d(rows, train)
        test = left if self.test is None else _numbers("test", self.test, rows)
        for name, part in (("train", train), ("test", test)):
            if not len(part) or not np.all(np.isin(part, rows)):
                raise ValueError(f"{name} must hold rows from 0 to {len(rows) - 1}, at least one")
        if np.intersect1d(train, test).size:
            raise ValueError("train and test have rows in common")
        yield train, test


def _numbers(name: str, given: Any, rows: np.ndarray) -> np.ndarray:
    """Row numbers, from numbers or from a mask."""
    given = np.asarray(given)
    if given.dtype != bool:
        return given
    if given.shape != rows.shape:
        raise ValueError(
            f"{name} is a mask of shape {given.shape}, and there are {len(rows)} rows; a mask has "
            "a value for each row"
        )
    return rows[given]


def _without_empty(fold: np.ndarray, count: int, Y: np.ndarray) -> np.ndarray:
    """Put into each empty fold the row that the largest can best spare: of no rare label there."""
    sizes = np.bincount(fold, minlength=count)
    for empty in np.flatnonzero(sizes == 0):
        largest = np.flatnonzero(fold == np.argmax(sizes))
        if len(largest) < 2:
            raise ValueError(f"{len(fold)} rows are too few for {count} parts; ask for fewer")
        rarest = np.where(Y[largest], Y[largest].sum(axis=0), len(Y)).min(axis=1)
        fold[largest[np.argmax(rarest)]] = empty
        sizes = np.bincount(fold, minlength=count)
    return fold


def _mend(train: np.ndarray, test: np.ndarray, Y: sp.csr_array, rng: Any) -> Split:
    """Exchange rows until the training part has every label."""
    totals = Y.sum(axis=0)
    columns = Y.tocsc()
    for label in np.argsort(totals, kind="stable"):
        counts = Y[train].sum(axis=0)
        if counts[label] or not totals[label]:
            continue
        coming = rng.choice(columns.indices[columns.indptr[label] : columns.indptr[label + 1]])
        spare = np.flatnonzero(Y[train] @ (counts == 1).astype(float) == 0)
        if not len(spare):
            return _cover_labels(train, test, Y, rng)
        place = rng.choice(spare)
        test = np.where(test == coming, train[place], test)
        train = np.where(np.arange(len(train)) == place, coming, train)
    return train, test


def _cover_labels(train: np.ndarray, test: np.ndarray, Y: sp.csr_array, rng: Any) -> Split:
    """Rows that have all labels for training, and of the others as many as were there."""
    cover, settled = small_cover(Y, len(train), rng)
    if cover is None:
        what = "are too few to have" if settled else "were not found that have"
        raise ValueError(
            f"{len(train)} training rows {what} each of the {np.count_nonzero(Y.sum(axis=0))} "
            "labels; give a larger train_size"
        )
    others = train[~np.isin(train, cover)]
    kept, displaced = np.split(others, [len(train) - len(cover)])
    test = np.concatenate([test[~np.isin(test, cover)], displaced])[: len(test)]
    return np.concatenate([cover, kept]), test
