"""X̄ = UΣVᵀ once, for every method and every hyperparameter.

Only the basis of the smaller side is stored: U when n < d, V otherwise. The other one is an
operator, V = X̄ᵀUΣ⁻¹ or U = X̄VΣ⁻¹, so that a wide sparse X never turns into a dense d×t array.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from colabel.linalg.matrix import DataMatrix

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
