"""Labels as estimators see them: zeros and ones, what rows count, and where nothing is known."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._terminal import brief
from colabel._weights import Weights
from colabel.linalg.low_rank import row_total, totals
from colabel.linalg.weighted_labels import WeightedLabels

#: Zeros and ones, n×q.
LabelMatrix: TypeAlias = np.ndarray | sp.csr_array


@dataclass(frozen=True)
class Indicator:
    """Labels as an n×q matrix of zeros and ones."""

    #: Always floating-point: products of small integers overflow silently.
    matrix: LabelMatrix
    #: Column names of a DataFrame, classes of a 1-D target, else "label0", "label1", ...
    names: np.ndarray
    #: The classes of a 1-D target; None for an indicator matrix.
    classes: np.ndarray | None = None
    #: What rows count; None where all count the same.
    weights: Weights | None = None
    #: Where a label is unknown, n×q, dense or sparse as the matrix, which is 0 there; else None.
    unknown: Any = None

    @property
    def class_list(self) -> np.ndarray:
        """What scikit-learn calls `classes_`: for an indicator, the numbers of its columns.

        A single column has the classes 0 and 1: of [0] alone, scikit-learn takes 0 for the class
        that high scores speak for.
        """
        return indicator_classes(self.matrix.shape[1]) if self.classes is None else self.classes

    @property
    def codes(self) -> np.ndarray:
        """What a splitter stratifies by: a dense indicator, or the class of each row as an int."""
        dense = dense_labels(self.matrix)
        if self.classes is None:
            return dense.astype(int)
        return dense[:, 0].astype(int) if dense.shape[1] == 1 else np.argmax(dense, axis=1)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows have each label."""
        return np.asarray(self.matrix.sum(axis=0)).ravel()

    @property
    def row_weights(self) -> np.ndarray | None:
        """What each of these rows counts."""
        return None if self.weights is None else self.weights.values

    @property
    def weighted(self) -> Any:
        """The labels as similarities see them, with what rows count."""
        weights, filled = self.row_weights, self.filled
        return filled if weights is None else WeightedLabels(filled, weights)

    @cached_property
    def filled(self) -> LabelMatrix:
        """The labels, with its mean over the known rows where a label is not known.

        Less this mean, an unknown label is 0: it says nothing.
        """
        if self.unknown is None:
            return self.matrix
        if sp.issparse(self.matrix):
            return (self.matrix + sp.csr_array(self.unknown.multiply(self.shares))).tocsr()
        return np.where(self.unknown, self.shares, self.matrix)

    @cached_property
    def known_weights(self) -> np.ndarray | None:
        """What each entry counts, n×q, 0 where it is not known; None where all are known."""
        if self.unknown is None:
            return None
        known = 1.0 - dense_labels(self.unknown)
        return known if self.row_weights is None else known * self.row_weights[:, None]

    @property
    def in_rows(self) -> Any:
        """The labels as rows of the data are multiplied with them: W^½Y."""
        return self.weighted.in_rows if self.weights is not None else self.filled

    @cached_property
    def total(self) -> float:
        """How many rows there are, or what they count together."""
        weights = self.row_weights
        return row_total(self.matrix) if weights is None else float(weights.sum())

    @property
    def totals(self) -> np.ndarray:
        """How many rows have each label, or what they count together."""
        weights = self.row_weights
        return totals(self.matrix if weights is None else WeightedLabels(self.matrix, weights))

    @cached_property
    def shares(self) -> np.ndarray:
        """Which part of all that rows count has each label, of those in which it is known."""
        if self.unknown is None:
            return self.totals / self.total
        weights = np.ones(self.matrix.shape[0]) if self.row_weights is None else self.row_weights
        known = self.total - np.asarray(self.unknown.T @ weights).ravel()
        return np.divide(self.totals, known, out=np.zeros(len(known)), where=known > 0)

    @cached_property
    def varying(self) -> np.ndarray:
        """Which labels some rows have and some have not."""
        # of sums that are known without their rows, all is what rounding made of it
        unknown = 0 if self.unknown is None else np.asarray(self.unknown.sum(axis=0)).ravel()
        known = (row_total(self.matrix) - unknown) * (1.0 - 1e-12)
        return (self.counts > 0) & (self.counts < known)

    def known_rows(self, rows: Any) -> Any:
        """Labels of some rows as they were given, NaN where they are unknown."""
        if self.unknown is None:
            return self.matrix[rows]
        unknown = dense_labels(self.unknown[rows])
        return np.where(unknown, np.nan, dense_labels(self.matrix[rows]))

    def _columns(self, kept: np.ndarray) -> Indicator:
        """Some of the labels."""
        unknown = None if self.unknown is None else self.unknown[:, kept]
        return replace(self, matrix=self.matrix[:, kept], names=self.names[kept], unknown=unknown)

    @property
    def learned(self) -> Indicator:
        """Without the labels that do not vary; with all of them where none varies."""
        varying = self.varying
        if self.classes is not None or varying.all() or not varying.any():
            return self
        return self._columns(varying)

    def spread(self, U: np.ndarray) -> np.ndarray:
        """Columns of the `learned` labels among all, those of labels that do not vary being 0."""
        varying = self.varying
        if varying.all():
            return U
        whole = np.zeros((len(U), len(varying)), dtype=U.dtype)
        whole[:, varying] = U if U.shape[1] < len(varying) else U[:, varying]
        return whole

    def warn_of_constant(self) -> None:
        """Say in one warning which labels every row has, or none, and so are predicted constant."""
        constant = ~self.varying
        if self.classes is None and constant.any():
            warnings.warn(
                f"{np.count_nonzero(constant)} of {len(constant)} labels have only one value in Y "
                f"and are predicted constant: {brief(self.names[constant])}",
                UserWarning,
                stacklevel=4,
            )

    def without_empty(self) -> Indicator:
        """Leave out the labels that no row has, saying which in one warning."""
        used = self.counts > 0
        if used.all():
            return self
        empty = brief(self.names[~used])
        if not used.any():
            raise ValueError(
                f"no row has any of the {len(used)} labels ({empty}): nothing to learn"
            )
        warnings.warn(
            f"{np.count_nonzero(~used)} of {len(used)} labels have no positive row and are left "
            f"out: {empty}",
            UserWarning,
            stacklevel=4,
        )
        return self._columns(used)


def indicator_classes(q: int) -> np.ndarray:
    """What stands in `classes_` for an indicator of q columns."""
    return np.arange(max(q, 2))


def numbers_of(labels: Any, names: Any, q: int) -> np.ndarray:
    """Numbers of columns, of labels that are given by name, where there are any, or by number."""
    known = {name: j for j, name in reversed([*enumerate(names)])}
    given = np.asarray(labels, dtype=object).ravel().tolist()
    found = [known.get(label, label) for label in given]
    for label, column in zip(given, found, strict=True):
        is_number = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if not (is_number and 0 <= column < q):
            raise ValueError(
                f"labels holds {label!r}, which is neither a number from 0 to {q - 1} nor the name "
                f"of a label{f', of which there are {list(names)[:5]}' if known else ''}"
            )
    if not found or len(set(found)) < len(found):
        raise ValueError(f"labels must name at least one label, each once; got {labels!r}")
    return np.array(found, dtype=np.intp)


def dense_labels(Y: Any) -> np.ndarray:
    """Labels as a dense array, which scores of the same shape are anyway."""
    return Y.toarray() if sp.issparse(Y) else np.asarray(Y)
