"""X̄ = UΣVᵀ once, for every method and every hyperparameter.

Only the basis of the smaller side is stored: U when n < d, V otherwise. The other one is an
operator, V = X̄ᵀUΣ⁻¹ or U = X̄VΣ⁻¹, so that a wide sparse X never turns into a dense d×t array.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from colabel.algebra.matrix import DataMatrix, DenseMatrix

#: The relative error of an eigenvalue above which a Gram is not good enough.
TARGET = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): np.finfo(np.float32).eps}


@dataclass(frozen=True)
class SVD:
    """X̄ = U diag(s) Vᵀ, compact, s descending; `basis` is U if `left`, else V."""

    X: DataMatrix
    s: np.ndarray
    basis: np.ndarray
    left: bool

    def left_transpose_dot(self, T: Any) -> np.ndarray:
        """UᵀT for a dense or sparse T of n rows, which need not be centred."""
        if not self.left:
            return (self.basis.T @ self.X.tdot(T)) / self.s[:, None]
        product = (T.T @ self.basis).T if sp.issparse(T) else self.basis.T @ T
        # 1ᵀU = 0 holds to rounding over the smallest singular values only
        means = np.asarray(T.sum(axis=0), dtype=np.float64).ravel() / T.shape[0]
        return product - np.multiply.outer(self.basis.sum(axis=0), means)

    def left_dot(self, C: np.ndarray) -> np.ndarray:
        """UC for C of t rows."""
        return self.basis @ C if self.left else self.X.dot(self.basis @ (C / self.s[:, None]))

    def right_dot(self, C: np.ndarray) -> np.ndarray:
        """VC for C of t rows."""
        return self.X.tdot(self.basis @ (C / self.s[:, None])) if self.left else self.basis @ C

    def right_transpose_dot(self, P: np.ndarray) -> np.ndarray:
        """VᵀP for P of d rows."""
        return (self.basis.T @ self.X.dot(P)) / self.s[:, None] if self.left else self.basis.T @ P

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        """ΣUᵀ diag(weights) UΣ = VᵀX̄ᵀ diag(weights) X̄V, t×t."""
        if self.left:
            scores = self.basis * self.s
            return (scores * weights[:, None]).T @ scores
        return self.basis.T @ self.X.gram(weights) @ self.basis


def svd(X: DataMatrix) -> SVD:
    """The compact singular value decomposition of X̄, with an explicit rank tolerance.

    The Gram of the smaller side m is fast, but squares the condition number. It is used where every
    eigenvalue that is not zero keeps a relative error of at most 1e-8; elsewhere, a QR
    factorisation is. By the Gram of a sparse X, singular values up to √(m·eps)·‖X‖ are zero. That
    of a dense one is trusted only where none but the one that centring makes is: by the QR
    factorisation, those up to max(n, d)·eps·‖X‖ are zero.
    """
    left = X.shape[0] < X.shape[1]
    lam, E = linalg.eigh(X.outer() if left else X.gram(), driver="evd", check_finite=False)
    noise = np.finfo(np.float64).eps * (max(lam[-1], 0.0) + X.correction_scale**2)
    size = np.hypot(np.sqrt(max(lam[-1], 0.0)), X.centring_scale)
    certain = lam > max(noise / TARGET[X.dtype], _rank_tolerance(X, size) ** 2)
    if X.rank_by_gram:
        zero = max(len(lam) * noise, _rank_tolerance(X, size) ** 2)
        good = not np.any(~certain & (lam > zero))
    else:
        good = bool(np.count_nonzero(~certain) <= int(left))
    if good:
        kept = np.flatnonzero(certain)[::-1]
        return SVD(X, np.sqrt(lam[kept]), E[:, kept], left)
    _, s, Et = linalg.svd(X.triangle().astype(np.float64), full_matrices=False, check_finite=False)
    rank = np.count_nonzero(s > _rank_tolerance(X, np.hypot(s[0], X.centring_scale)))
    return SVD(X, s[:rank], Et[:rank].T, left)


def _rank_tolerance(X: DataMatrix, scale: float) -> float:
    return max(X.shape) * float(np.finfo(X.dtype).eps) * scale


@dataclass(frozen=True)
class RowSpace:
    """Coordinates in the row space of a reference X̄: a row x is stored as Vᵀ(x − origin)."""

    reference: SVD

    @property
    def origin(self) -> np.ndarray:
        return self.reference.X.mean

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions in the stored coordinates as directions in the space of the features."""
        return self.reference.right_dot(C)

    def project(self, P: np.ndarray) -> np.ndarray:
        """Directions in the space of the features, as far as the stored coordinates see them."""
        return self.reference.right_transpose_dot(P)


class FactoredMatrix:
    """Data factored once: give it as X to any estimator, and take rows of it for cross-validation.

    Made by :func:`factor`. Every extractor fitted on it shares its singular value decomposition.
    ``fm[rows]`` is the row subset, centred by its own means. When there are more features than
    rows, it is stored by its exact coordinates in the row space of X (at most n numbers a row), so
    neither the features nor the factorisation of X are touched again.

    Attributes
    ----------
    shape : (int, int)
        Rows and features of the data.
    dtype : numpy.dtype
    singular_values : ndarray
        Of the centred data, descending, zero ones left out.
    rank : int

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MVMD, PCA, factor
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(20, 50)), rng.integers(0, 2, size=(20, 4))
    >>> fm = factor(X)
    >>> fm.rank
    19
    >>> [method(n_components=2).fit(fm, Y).transform(fm).shape for method in (PCA, MVMD)]
    [(20, 2), (20, 2)]
    >>> PCA(n_components=2).fit(fm[:10]).transform(fm[10:]).shape
    (10, 2)
    """

    def __init__(self, core: DataMatrix, row_space: RowSpace | None = None) -> None:
        self.core = core
        self.row_space = row_space

    @cached_property
    def svd(self) -> SVD:
        """The decomposition of `core`, computed when first asked for."""
        return svd(self.core)

    @property
    def shape(self) -> tuple[int, int]:
        return self.core.shape[0], len(self.mean)

    @property
    def dtype(self) -> np.dtype:
        return self.core.dtype

    @cached_property
    def mean(self) -> np.ndarray:
        """Column means of these rows."""
        if self.row_space is None:
            return self.core.mean
        return self.row_space.origin + self.row_space.lift(self.core.mean[:, None])[:, 0]

    @property
    def singular_values(self) -> np.ndarray:
        return self.svd.s

    @property
    def rank(self) -> int:
        return len(self.svd.s)

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions over `core` as directions over the features."""
        return C if self.row_space is None else self.row_space.lift(C)

    def uncentred_dot(self, P: np.ndarray) -> np.ndarray:
        """XP for the rows held here."""
        if self.row_space is None:
            return self.core.uncentred_dot(P)
        offset = (self.row_space.origin @ P).astype(self.dtype)
        return self.core.uncentred_dot(self.row_space.project(P)) + offset

    @cached_property
    def _coordinates(self) -> DenseMatrix:
        """UΣ, the rows in the row space."""
        scores = (self.svd.basis * self.svd.s).astype(self.dtype)
        return DenseMatrix(scores, rank_by_gram=True)

    def __getitem__(self, rows: Any) -> FactoredMatrix:
        if isinstance(rows, tuple):  # scikit-learn's splitters index with [rows, ...]
            rows, *rest = rows
            if rest not in ([], [Ellipsis]):
                raise IndexError("a FactoredMatrix can be indexed by rows only: fm[rows]")
        if np.ndim(rows) == 0 and not isinstance(rows, slice):
            raise IndexError(f"fm[rows] takes a slice, a mask or a list of rows, got {rows!r}")
        if self.row_space is None and self.core.shape[0] < self.core.shape[1]:
            return FactoredMatrix(self._coordinates.rows(rows), RowSpace(self.svd))
        return FactoredMatrix(self.core.rows(rows), self.row_space)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        n, d = self.shape
        return f"FactoredMatrix({n} rows, {d} features, {self.dtype})"
