"""Kernel values of rows with the rows that a model keeps: the features that a kernel gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._public import public
from colabel.linalg import products

#: Rows between which the distances are taken that a width is guessed from.
SAMPLE = 1000

#: Kernels with a width.
WIDE = ("rbf", "poly", "polynomial", "sigmoid", "laplacian", "chi2")


@public
@dataclass(frozen=True)
class Kernel:
    """A kernel and its parameters; `gamma` is None where it has none."""

    name: str | Callable[..., Any]
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0

    @property
    def has_width(self) -> bool:
        """Whether `gamma` says anything to it."""
        return self.name in WIDE

    @property
    def is_precomputed(self) -> bool:
        """Whether rows come as their kernel values already."""
        return self.name == "precomputed"

    @property
    def is_positive(self) -> bool:
        """Whether no rows have a kernel matrix with negative eigenvalues, but for rounding."""
        if self.name in ("poly", "polynomial"):
            return float(self.degree).is_integer() and self.coef0 >= 0
        return self.name in ("rbf", "laplacian", "chi2", "linear", "cosine")

    def values(self, X: Any, others: Any) -> np.ndarray:
        """k(x, y) for all rows of both, in float64."""
        # imports take a while, and draw in what a fit without a kernel does not need
        from sklearn.metrics.pairwise import pairwise_kernels

        X, others = (_smaller(rows).astype(np.float64, copy=False) for rows in (X, others))
        if callable(self.name):
            return pairwise_kernels(X, others, metric=self.name)
        is_plain = X is not others and not sp.issparse(X) and not sp.issparse(others)
        if self.name == "rbf" and self.gamma is not None and is_plain:
            return _rbf(X, others, self.gamma)
        settings = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        given = {name: value for name, value in settings.items() if value is not None}
        return pairwise_kernels(X, others, metric=self.name, filter_params=True, **given)

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) for each row."""
        if self.is_precomputed:
            return np.array(X.diagonal(), dtype=np.float64)
        if self.name in ("rbf", "laplacian", "chi2"):
            return np.ones(X.shape[0])
        if self.name in ("linear", "poly", "polynomial", "sigmoid"):
            squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
            # k(x, y) depends on x·y alone
            return self.values(np.asarray(squares).reshape(-1, 1), np.ones((1, 1)))[:, 0]
        rows = (X[i : i + 1] for i in range(X.shape[0]))
        return np.array([self.values(row, row)[0, 0] for row in rows])

    def keep(self, X: Any, chosen: np.ndarray | slice) -> KernelMap:
        """The features of rows that chosen rows of X give."""
        numbers = np.arange(X.shape[0])[chosen]
        return KernelMap(self, numbers if self.is_precomputed else X[chosen], X.shape[1])


def _rbf(X: np.ndarray, others: np.ndarray, gamma: float) -> np.ndarray:
    """exp(−γ‖x − y‖²), its exponents from one product: seven passes over the result are two."""
    sizes, other_sizes = (gamma * np.einsum("ij,ij->i", rows, rows) for rows in (X, others))
    left = np.column_stack([X, sizes, np.ones(len(X))])
    right = np.column_stack([2.0 * gamma * others, -np.ones(len(others)), -other_sizes])
    found = left @ right.T
    np.minimum(found, 0.0, out=found)
    return np.exp(found, out=found)


def _smaller(X: Any) -> Any:
    """A sparse array with so few zeros that it is smaller without being one, and multiplied faster:
    as a dense one.
    """
    return X.toarray() if sp.issparse(X) and 3 * X.nnz > 2 * np.prod(X.shape) else X


def default_width(name: str, X: Any, weights: np.ndarray | None = None) -> float:
    """One over the median distance of rows; for "chi2" 1, as scikit-learn has it."""
    from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

    if name == "chi2":
        return 1.0
    rows = _smaller(X).astype(np.float64, copy=False)
    laplacian = name == "laplacian"
    distances = manhattan_distances(rows) if laplacian else euclidean_distances(rows, squared=True)
    pairs = np.triu_indices(X.shape[0], k=1)
    apart = distances[pairs]
    # rows that are repeated say nothing of a scale, nor what rounding leaves of their distance
    differ = apart > 1e-12 * apart.max(initial=0.0)
    if not differ.any():
        return 1.0
    counts = np.ones(len(apart)) if weights is None else weights[pairs[0]] * weights[pairs[1]]
    return 1.0 / _median(apart[differ], counts[differ])


def _median(values: np.ndarray, counts: np.ndarray) -> float:
    """The median of values of which each stands so many times."""
    order = np.argsort(values)
    reached = np.cumsum(counts[order])
    half = reached[-1] / 2
    middle = np.searchsorted(reached, half, "left"), np.searchsorted(reached, half, "right")
    return float(values[order][np.minimum(middle, len(order) - 1)].mean())


@public
@dataclass(frozen=True)
class KernelMap:
    """The features k(x, y) of a row x, one for each row y that is kept.

    Parameters
    ----------
    kernel : Kernel
    rows : array or sparse array of shape (m, d)
        What is kept of the fitted rows; with a precomputed kernel, their numbers.
    n_features : int
        Of the rows that it takes.
    """

    kernel: Kernel
    rows: Any
    n_features: int

    def __len__(self) -> int:
        return self.rows.shape[0]

    def keep(self, chosen: np.ndarray) -> KernelMap:
        """Without the rows that are not chosen."""
        return KernelMap(self.kernel, self.rows[chosen], self.n_features)

    def values(self, X: Any) -> np.ndarray:
        """The features of rows, in float64."""
        if self.kernel.is_precomputed:
            some = X[:, self.rows]
            return np.asarray(some.toarray() if sp.issparse(some) else some, dtype=np.float64)
        return self.kernel.values(X, self.rows)

    def dot(self, X: Any, P: np.ndarray, origin: np.ndarray | None = None) -> np.ndarray:
        """(K − origin)P with K the features of rows, of which some are made at a time."""
        X = X.tocsr() if sp.issparse(X) else X
        found = np.empty((X.shape[0], P.shape[1]), dtype=P.dtype)
        step = max(1, products.BLOCK_BYTES // (8 * len(self)))
        exact = P.astype(np.float64, copy=False)
        for start in range(0, X.shape[0], step):
            K = self.values(X[start : start + step])
            if origin is not None:
                K -= origin
            found[start : start + step] = K @ exact
        return found
