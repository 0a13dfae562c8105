"""Rows as a kernel sees them, for algorithms that know only data matrices.

HKH = EΛEᵀ, and the rows of EΛ^½ are exact coordinates of the centred images: every method on them
is its kernel method. A direction C in these coordinates is the combination EΛ^(−½)C of the images
(the representer theorem), so that the features of a model are the columns of K.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from colabel.linalg import small
from colabel.linalg.data import FactoredMatrix
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.kernel_map import KernelMap
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.svd import SVD

#: Eigenvalues below minus this share of the largest are more than rounding.
INDEFINITE = 1e-6


class Images(DataMatrix):
    """EΛ^½, known by its factors."""

    is_dense = True
    is_wide = True  # the images have more dimensions than there are rows, or as many

    def __init__(self, E: np.ndarray, s: np.ndarray) -> None:
        self.E, self.s = E, s
        self.shape, self.dtype, self.nnz = E.shape, E.dtype, E.size
        self.mean = np.zeros(len(s))

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self.E @ (self.s[:, None] * V)

    def tdot(self, U: Any) -> np.ndarray:
        return self.s[:, None] * np.asarray((U.T @ self.E).T)

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        if weights is None:
            return np.diag(self.s**2)
        return (self._coordinates.T * weights) @ self._coordinates

    def outer(self) -> np.ndarray:
        return self._coordinates @ self._coordinates.T

    @cached_property
    def _coordinates(self) -> np.ndarray:
        return self.E * self.s

    @property
    def scatter_scale(self) -> float:
        return float(np.linalg.norm(self.s))

    def rows(self, index: Any) -> DenseMatrix:
        return DenseMatrix(self._coordinates[index], rank_by_gram=True)

    def astype(self, dtype: type) -> Images:
        return self

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        yield self._coordinates.T if transposed else self._coordinates


class PrincipalAxes(SVD):
    """Of data whose columns are orthogonal already: V = I."""

    def right_dot(self, C: np.ndarray) -> np.ndarray:
        return np.eye(len(self.s), len(C)) * C if C.ndim == 1 else C

    def right_transpose_dot(self, P: np.ndarray) -> np.ndarray:
        return P


@dataclass(frozen=True)
class KernelSpace:
    """Coordinates whose directions are combinations of the images of rows."""

    map: KernelMap
    E: np.ndarray
    s: np.ndarray
    #: The mean row of K.
    origin: np.ndarray

    def place(self, z: np.ndarray) -> np.ndarray:
        """But for a multiple of 1, which no direction sees."""
        return self.origin + self.E @ (self.s * z)

    def lift(self, C: np.ndarray) -> np.ndarray:
        return self.E @ (C / self.s[:, None])

    def project(self, P: np.ndarray) -> np.ndarray:
        return self.s[:, None] * (self.E.T @ P)


def kernel_rows(K: np.ndarray, kernel_map: KernelMap, dtype: Any) -> FactoredMatrix:
    """The images of n rows, given by their kernel matrix, which is overwritten.

    As data are centred anyway, a kernel need only be positive on differences of rows.
    """
    mean, largest = K.mean(axis=0), float(np.abs(K).max())
    K -= mean
    K -= (mean - mean.mean())[:, None]
    lam, E = small.eigh(K, overwrite=True)
    if -lam[0] > INDEFINITE * lam[-1]:
        warnings.warn(
            "the kernel is not positive semi-definite on these rows, and its negative part is "
            f"left out: its smallest eigenvalue is {lam[0]:.3g}, its largest {lam[-1]:.3g}",
            UserWarning,
            stacklevel=6,
        )
    scale = max(float(lam[-1]), largest)  # centring may leave only rounding
    kept = np.flatnonzero(lam > len(lam) * np.finfo(np.float64).eps * scale)[::-1]
    kept = kept[: len(lam) - 1]  # the ones are no direction, whatever rounding makes of their 0
    E, s = E[:, kept], np.sqrt(lam[kept])
    # 1ᵀE = 0 holds to rounding over the smallest eigenvalues only, by which coefficients of the
    # rows are divided: what k(x, ·) has in common for all rows would drown the rest
    E -= E.mean(axis=0)
    core = Images(E, s)
    space = KernelSpace(kernel_map, E, s, mean)
    return FactoredMatrix(core, PrincipalAxes(core, s, E, left=True), space, dtype)
