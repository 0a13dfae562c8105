"""Rows as a kernel sees them, for algorithms that know only data matrices.

HKH = EΛEᵀ, and the rows of EΛ^½ are exact coordinates of the centred images: every method on them
is its kernel method. A direction C in these coordinates is the combination EΛ^(−½)C of the images
(the representer theorem), so that the features of a model are the columns of K. A ridge regression
needs no axes: its solution is the combination (HKH + bI)⁻¹Ȳ of the images.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg import small
from colabel.linalg.data import CentredData, FactoredMatrix
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
    largest, mean = float(np.abs(K).max()), _centre(K)
    E, s = _axes(K, largest)
    core = Images(E, s)
    space = KernelSpace(kernel_map, E, s, mean)
    return FactoredMatrix(core, PrincipalAxes(core, s, E, left=True), space, dtype)


def _centre(K: np.ndarray) -> np.ndarray:
    """HKH in the place of K, whose mean row is returned."""
    mean = K.mean(axis=0)
    K -= mean
    K -= (mean - mean.mean())[:, None]
    return mean


def _axes(K: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """E and Λ^½ of a centred K, which is overwritten, its positive eigenvalues descending."""
    lam, E = small.eigh(K, overwrite=True)
    if -lam[0] > INDEFINITE * lam[-1]:
        warnings.warn(
            "the kernel is not positive semi-definite on these rows, and its negative part is "
            f"left out: its smallest eigenvalue is {lam[0]:.3g}, its largest {lam[-1]:.3g}",
            UserWarning,
            stacklevel=7,
        )
    scale = max(float(lam[-1]), largest)  # centring may leave only rounding
    kept = np.flatnonzero(lam > len(lam) * np.finfo(np.float64).eps * scale)[::-1]
    kept = kept[: len(lam) - 1]  # the ones are no direction, whatever rounding makes of their 0
    E, s = E[:, kept], np.sqrt(lam[kept])
    # 1ᵀE = 0 holds to rounding over the smallest eigenvalues only, by which coefficients of the
    # rows are divided: what k(x, ·) has in common for all rows would drown the rest
    E -= E.mean(axis=0)
    return E, s


class Combinations(DataMatrix):
    """The centred images, with directions given as combinations of them: X̄ᵀU is HU.

    Directions have no inner products of their own here, and so there is no Gram. K is made when it
    is asked for, and given away to be factorised in its own place.
    """

    is_dense = True
    is_wide = True

    def __init__(self, kernel_map: KernelMap, X: Any) -> None:
        self.map, self._X, n = kernel_map, X, X.shape[0]
        self.shape, self.dtype, self.nnz = (n, n), np.dtype(np.float64), n * n
        self.mean = np.zeros(n)
        self._made: np.ndarray | None = None
        self._kernel()

    def _kernel(self) -> np.ndarray:
        if self._made is None:
            K = self.map.values(self._X)
            self.largest, self.origin = float(np.abs(K).max()), _centre(K)
            self._scatter = float(np.sqrt(max(np.trace(K), 0.0)))
            self._made = K
        return self._made

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._kernel() @ V

    def tdot(self, U: Any) -> np.ndarray:
        U = U.toarray() if sp.issparse(U) else U
        return U - U.mean(axis=0)

    def outer(self) -> np.ndarray:
        K = self._kernel()
        self._made = None
        return K

    @property
    def scatter_scale(self) -> float:
        return self._scatter

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        raise TypeError("combinations of images have no Gram; factorise them")

    def rows(self, index: Any) -> DataMatrix:
        raise TypeError("combinations of images have no rows; factorise them")

    def astype(self, dtype: type) -> Combinations:
        return self

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        yield self._kernel()


@dataclass(frozen=True)
class CombinationSpace:
    """Directions as they are given: combinations of the images of rows."""

    map: KernelMap
    core: Combinations

    @property
    def origin(self) -> np.ndarray:
        return self.core.origin

    def place(self, z: np.ndarray) -> np.ndarray:
        return self.origin + (self.core.dot(z) if z.any() else 0.0)

    def lift(self, C: np.ndarray) -> np.ndarray:
        return C

    def project(self, P: np.ndarray) -> np.ndarray:
        return P


class UnfactoredImages(CentredData):
    """The images of rows for a method that needs no axes of them, unless it asks for them."""

    core: Combinations

    def __init__(self, kernel_map: KernelMap, X: Any, dtype: Any) -> None:
        core = Combinations(kernel_map, X)
        super().__init__(core, CombinationSpace(kernel_map, core), dtype)

    def with_axes(self) -> FactoredMatrix:
        K = self.core.outer()
        E, s = _axes(K, self.core.largest)
        core = Images(E, s)
        space = KernelSpace(self.core.map, E, s, self.core.origin)
        return FactoredMatrix(core, PrincipalAxes(core, s, E, left=True), space, self.dtype)

    def _decompose(self) -> SVD:
        E, s = _axes(self.core.outer(), self.core.largest)
        return SVD(self.core, s, E, left=True)
