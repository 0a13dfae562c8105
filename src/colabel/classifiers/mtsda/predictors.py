"""Standardised columns of the data, for algorithms that work feature by feature.

X̃ = X̄ diag(1/s) with s the standard deviations, without the columns that are constant: they cannot
be standardised, and no coefficient of theirs would mean anything. A sparse X stays sparse; its
means are taken off in each product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg.data import CentredData, RowSpace
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.sparse import SparseMatrix
from colabel.linalg.weighted import WeightedRows

#: Rows of a Gram at a time.
ROWS = 200
#: Up to so many features their Gram is kept: 32 MB.
FEW_FEATURES = 2000


class Predictors:
    """X̃ = Rᵀ − umᵀ, n×p, stored as R = its rows by feature (p×n, dense or csr) and means m.

    u holds ones, or the roots of weights whose mean is 1, by which rows of R are multiplied too.
    """

    def __init__(self, by_feature: Any, mean: np.ndarray, root: np.ndarray | None = None) -> None:
        self.by_feature = by_feature
        self.mean, self.root = mean, root
        self.shape = by_feature.shape[::-1]
        self.nnz = by_feature.nnz if sp.issparse(by_feature) else by_feature.size

    def dot(self, V: np.ndarray) -> np.ndarray:
        """X̃V for V of p rows."""
        offset = self.mean @ V
        out = self.by_feature.T @ V
        out -= offset if self.root is None else np.multiply.outer(self.root, offset)
        return out

    def tdot(self, U: np.ndarray) -> np.ndarray:
        """X̃ᵀU for U of n rows."""
        product = self.by_feature @ U
        sums = U.sum(axis=0) if self.root is None else self.root @ U
        product -= np.multiply.outer(self.mean, sums)
        return product

    def centre(self, U: np.ndarray) -> np.ndarray:
        """U (n×k) without what no combination of the columns can fit: its means."""
        if self.root is None:
            return U - U.mean(axis=0)
        return U - np.multiply.outer(self.root, self.root @ U / len(U))

    def gram(self) -> np.ndarray:
        """X̃ᵀX̃, p×p."""
        G = _product(self.by_feature, self.by_feature.T)
        offset = np.sqrt(self.shape[0]) * self.mean  # on both sides, which keeps G symmetric
        for start in range(0, len(G), ROWS):
            block = slice(start, start + ROWS)
            G[block] -= np.multiply.outer(offset[block], offset)
        return G

    def gram_of(self, features: np.ndarray) -> np.ndarray:
        """X̃ᵀX̃ of some features, from that of all where they are few enough to keep it."""
        if self.shape[1] > FEW_FEATURES:
            return self.subset(features).gram()
        return self.whole_gram[np.ix_(features, features)]

    @cached_property
    def whole_gram(self) -> np.ndarray:
        """X̃ᵀX̃, kept."""
        return self.gram()

    def outer(self) -> np.ndarray:
        """X̃X̃ᵀ, n×n."""
        K = _product(self.by_feature.T, self.by_feature)
        u = np.ones(len(K)) if self.root is None else self.root
        correction = self.by_feature.T @ self.mean - self.mean @ self.mean / 2 * u
        K -= np.multiply.outer(correction, u)
        K -= np.multiply.outer(u, correction)
        return K

    def subset(self, features: np.ndarray) -> Predictors:
        """Some of the features."""
        return Predictors(self.by_feature[features], self.mean[features], self.root)


@dataclass(frozen=True)
class Standardised:
    """Predictors and where they come from."""

    X: Predictors
    #: What each column was divided by.
    scale: np.ndarray
    #: Column numbers in the data; those that are missing are constant.
    features: np.ndarray


def standardise(data: CentredData, scale: bool = True) -> Standardised:
    """The columns that vary, in float64, divided by their standard deviations if asked to."""
    by_feature, mean, root = _weighted_by_feature(data)
    n = by_feature.shape[1]
    variance = _variances(by_feature, mean, root)
    # what rounding leaves of a constant column, as in scikit-learn's StandardScaler
    noise = n * np.finfo(np.float64).eps
    features = np.flatnonzero(variance > noise * variance + (noise * data.mean) ** 2)
    s = np.sqrt(variance[features]) if scale else np.ones(len(features))
    by_feature = by_feature[features]
    if sp.issparse(by_feature):
        by_feature.data /= np.repeat(s, np.diff(by_feature.indptr))
    else:
        by_feature /= s[:, None]
    return Standardised(Predictors(by_feature, mean[features] / s, root), s, features)


def _weighted_by_feature(data: CentredData) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """R, m and u with X̄ = Rᵀ − umᵀ, as for :class:`Predictors`."""
    core = data.core
    if not isinstance(core, WeightedRows):
        return *_by_feature(data), None
    by_feature, mean = _by_feature(data.plain)
    mean = mean + (data.mean - data.plain.mean)
    root = np.sqrt(core.weights * (len(core.weights) / core.total))
    if sp.issparse(by_feature):
        by_feature.data *= root[by_feature.indices]
        return by_feature, mean, root
    return (by_feature - mean[:, None]) * root, np.zeros(len(mean)), root


def _by_feature(data: CentredData) -> tuple[Any, np.ndarray]:
    """R (p×n, float64) and m with X̄ = Rᵀ − 1mᵀ."""
    core, space = data.core, data.space
    if space is not None:
        if not (isinstance(space, RowSpace) and isinstance(space.reference.X, DenseMatrix)):
            raise ValueError(
                "rows of a factored sparse matrix hold coordinates, not features, and features "
                "cannot be selected from them; pass the rows of X itself instead of factor(X)[rows]"
            )
        core = DenseMatrix(space.lift(core.dot(np.eye(core.shape[1])).T).T)
    if isinstance(core, SparseMatrix):
        by_feature = core._rows.T.tocsr().astype(np.float64, copy=False)  # a copy already
        by_feature.sum_duplicates()
        return by_feature, core._offset
    if isinstance(core, DenseMatrix):
        (centred,) = core.blocks(transposed=True)
        return centred.astype(np.float64, copy=False), np.zeros(core.shape[1])
    raise TypeError(f"features cannot be selected from {type(core).__name__}; pass one array")


def _variances(by_feature: Any, mean: np.ndarray, root: np.ndarray | None) -> np.ndarray:
    n = by_feature.shape[1]
    if not sp.issparse(by_feature):
        return np.einsum("ij,ij->i", by_feature, by_feature) / n
    u = np.ones(n) if root is None else root
    feature = np.repeat(np.arange(len(mean)), np.diff(by_feature.indptr))
    own = u[by_feature.indices]
    squares = np.bincount(feature, (by_feature.data - mean[feature] * own) ** 2, len(mean))
    missing = n - np.bincount(feature, own**2, len(mean))  # what rows without an entry count
    return (squares + missing * mean**2) / n


def _product(left: Any, right: Any) -> np.ndarray:
    """Left @ right as a dense array; of sparse ones by blocks, as a product is hardly sparse."""
    if not sp.issparse(left):
        return left @ right
    left, right = left.tocsr(), right.tocsr()
    out = np.empty((left.shape[0], right.shape[1]))
    for start in range(0, len(out), ROWS):
        out[start : start + ROWS] = (left[start : start + ROWS] @ right).toarray()
    return out
