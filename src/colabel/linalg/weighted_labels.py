"""Labels of rows that count differently."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class WeightedLabels:
    """Labels of rows that count differently: what similarities ask of an n×q matrix Y.

    Sums over rows are weighted, and what is told of single rows is not.
    """

    matrix: Any
    weights: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    @cached_property
    def total(self) -> float:
        """What all rows count."""
        return float(self.weights.sum())

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __matmul__(self, other: Any) -> np.ndarray:
        return np.asarray(self.matrix @ other)

    def sum(self, axis: int) -> np.ndarray:
        """Weighted counts of the labels, or how many of them each row has."""
        if axis == 0:
            return np.asarray(self.matrix.T @ self.weights).ravel()
        return np.asarray(self.matrix.sum(axis=axis)).ravel()

    def __getitem__(self, index: tuple[slice, np.ndarray]) -> WeightedLabels:
        """``labels[:, kept]``, some of the labels of all rows."""
        return replace(self, matrix=self.matrix[index])

    def scale_rows(self, scale: np.ndarray) -> WeightedLabels:
        """Each row times its own number."""
        return replace(self, matrix=scale_rows(self.matrix, scale))

    @property
    def in_rows(self) -> Any:
        """W^½Y: what is multiplied with weighted rows of the data."""
        return scale_rows(self.matrix, np.sqrt(self.weights))


@dataclass(frozen=True)
class _Transposed:
    """Yᵀ, of which the product with Y alone is weighted."""

    labels: WeightedLabels

    def __matmul__(self, other: Any) -> Any:
        if other is not self.labels:
            raise TypeError("weighted labels are multiplied with each other only")
        rooted = self.labels.in_rows
        return rooted.T @ rooted


def scale_rows(Y: Any, scale: np.ndarray) -> Any:
    """Rows of a dense or sparse Y, each times its own number."""
    return Y.multiply(scale[:, None]).tocsr() if sp.issparse(Y) else Y * scale[:, None]
