"""Labels as estimators see them: zeros and ones, what rows count, and where nothing is known."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._terminal import brief
from colabel._unknown import AllBut, count_unknown
from colabel._weights import Weights
from colabel.linalg.low_rank import row_total, totals
from colabel.linalg.weighted_labels import WeightedLabels

#: Zeros and ones, n×q.
LabelMatrix: TypeAlias = np.ndarray | sp.csr_array

#: Entries of labels that are looked at together: some ten arrays of so many are held at a time.
TOGETHER = 2**21


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
    #: Where a label is unknown, n×q, dense, sparse or an `AllBut`; the matrix is 0 there. None:
    #: nowhere.
    unknown: Any = None
    #: What an entry of 0, and one of 1, counts beside its row, 2×q; None where both count the same.
    class_weights: np.ndarray | None = None

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
        return totals(self.matrix)

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
        if sp.issparse(self.unknown):
            means = sp.csr_array(self.unknown.multiply(self.plain_shares))
            return (self.matrix + means).tocsr()
        filled = dense_labels(self.matrix)  # smaller than sparse where much is unknown
        return np.where(dense_labels(self.unknown), self.plain_shares, filled)

    @property
    def counts_entries(self) -> bool:
        """Whether entries of a row count differently, as some are unknown, or by their class."""
        return self.unknown is not None or self.class_weights is not None

    @cached_property
    def known_weights(self) -> np.ndarray | None:
        """What each entry counts, n×q, 0 where it is not known; None where all are as their rows.

        As large as scores are: of many labels, it is asked of some `columns` at a time.
        """
        if not self.counts_entries:
            return None
        counts = np.ones(self.matrix.shape)
        if self.class_weights is not None:
            absent, present = self.class_weights
            counts = np.where(dense_labels(self.matrix) > 0, present, absent)
        if self.unknown is not None:
            counts[dense_labels(self.unknown)] = 0.0
        return counts if self.row_weights is None else counts * self.row_weights[:, None]

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
        return self.counts if weights is None else totals(WeightedLabels(self.matrix, weights))

    @cached_property
    def known_totals(self) -> np.ndarray | float:
        """What the rows count together in which each label is known."""
        if self.unknown is None:
            return self.total
        weights = np.ones(self.matrix.shape[0]) if self.row_weights is None else self.row_weights
        return self.total - count_unknown(self.unknown, weights)

    @cached_property
    def plain_shares(self) -> np.ndarray:
        """Which part of all that rows count has each label, of those in which it is known."""
        known = np.broadcast_to(self.known_totals, self.matrix.shape[1:])
        return np.divide(self.totals, known, out=np.zeros(len(known)), where=known > 0)

    @cached_property
    def shares(self) -> np.ndarray:
        """The same of all that entries count, where classes count differently."""
        if self.class_weights is None:
            return self.plain_shares
        absent, present = self.class_weights
        p = self.plain_shares
        return present * p / (present * p + absent * (1.0 - p))

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

    def columns(self, kept: np.ndarray | slice) -> Indicator:
        """Some of the labels."""
        unknown, by_class = self.unknown, self.class_weights
        return replace(
            self,
            matrix=self.matrix[:, kept],
            names=self.names[kept],
            unknown=None if unknown is None else unknown[:, kept],
            class_weights=None if by_class is None else by_class[:, kept],
        )

    def parts(self) -> Iterator[slice]:
        """Labels that are looked at together; by the eight, which products are made for."""
        n, q = self.matrix.shape
        step = max(8, TOGETHER // max(n, 1) // 8 * 8)
        return (slice(first, min(first + step, q)) for first in range(0, q, step))

    @property
    def learned(self) -> Indicator:
        """Without the labels that do not vary; with all of them where none varies."""
        varying = self.varying
        if self.classes is not None or varying.all() or not varying.any():
            return self
        return self.columns(varying)

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
        return self.columns(used)


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
    return Y.toarray() if sp.issparse(Y) or isinstance(Y, AllBut) else np.asarray(Y)
