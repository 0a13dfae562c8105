"""X̄ = UΣVᵀ once, for every method and every hyperparameter.

Only the basis of the smaller side is stored: U when n < d, V otherwise. The other one is an
operator, V = X̄ᵀUΣ⁻¹ or U = X̄VΣ⁻¹, so that a wide sparse X never turns into a dense d×t array.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg import lanczos, small
from colabel.linalg.matrix import DataMatrix

#: Directions are found again up to this multiple of the least certain eigenvalue: the gap above it
#: keeps what they span apart from the certain ones.
MARGIN = 100.0
#: The relative error of an eigenvalue above which a Gram is not good enough.
TARGET = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): float(np.finfo(np.float32).eps)}


@dataclass(frozen=True)
class SVD:
    """X̄ = U diag(s) Vᵀ, compact, s descending; `basis` is U if `left`, else V."""

    X: DataMatrix
    s: np.ndarray
    basis: np.ndarray
    left: bool
    #: What the last problem on these data was reduced to, for one that differs by a penalty alone.
    reduced: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def left_transpose_dot(self, T: Any) -> np.ndarray:
        """UᵀT for a dense or sparse T of n rows, which need not be centred."""
        if not self.left:
            return (self.basis.T @ self.X.tdot(T)) / self.s[:, None]
        product = (T.T @ self.basis).T if sp.issparse(T) else self.basis.T @ T
        # 1ᵀU = 0 holds to rounding over the smallest singular values only
        return product - np.multiply.outer(self.X.along(self.basis), self.X.means(T))

    def left_dot(self, C: np.ndarray) -> np.ndarray:
        """UC for C of t rows."""
        return self.basis @ C if self.left else self.X.dot(self.basis @ (C / self.s[:, None]))

    def right_dot(self, C: np.ndarray) -> np.ndarray:
        """VC for C of t rows; a vector stands for the diagonal of as many columns."""
        if C.ndim == 1:
            first = self.basis[:, : len(C)]
            return self.X.tdot(first * (C / self.s[: len(C)])) if self.left else first * C
        return self.X.tdot(self.basis @ (C / self.s[:, None])) if self.left else self.basis @ C

    def right_transpose_dot(self, P: np.ndarray) -> np.ndarray:
        """VᵀP for P of d rows."""
        return (self.basis.T @ self.X.dot(P)) / self.s[:, None] if self.left else self.basis.T @ P

    def weighted_gram(self, weights: np.ndarray) -> np.ndarray:
        """ΣUᵀ diag(weights) UΣ = VᵀX̄ᵀ diag(weights) X̄V, t×t."""
        if self.left:
            scores = self.basis * self.s
            return (scores * weights[:, None]).T @ scores
        return self.basis.T @ self.X.gram(weights) @ self.basis


def svd(X: DataMatrix) -> SVD:
    """The compact singular value decomposition of X̄, with an explicit rank tolerance.

    The Gram of the smaller side m is fast, but squares the condition number: an eigenvalue is
    certain where it keeps a relative error of at most 1e-8. By the Gram of a sparse X, singular
    values up to √(m·eps)·‖X‖ are zero, and if all others are certain, that is all. Else, and for a
    dense X, the directions that are not certain are found again from X̄ itself, and of them those
    up to max(n, d)·eps·‖X‖ are zero.
    """
    left = X.shape[0] < X.shape[1]
    lam, E = small.eigh(X.outer() if left else X.gram(), overwrite=True)
    noise, size, sure = _certainty(X, lam)
    if X.rank_by_gram:
        zero = max(len(lam) * noise, _rank_tolerance(X, size) ** 2)
        good = not np.any((lam <= sure) & (lam > zero))
    else:
        # centring makes one singular value 0 where there are no more rows than features
        good = bool(np.count_nonzero(lam <= sure) <= int(X.shape[0] <= X.shape[1]))
    if good:
        kept = np.flatnonzero(lam > sure)[::-1]
        return SVD(X, np.sqrt(lam[kept]), E[:, kept], left)
    vague = int(np.count_nonzero(lam <= MARGIN * sure))
    if 4 * vague > len(lam):  # more would take half of the memory of a dense X
        return _by_triangle(X, left)
    return _refine(X, lam[::-1], E[:, ::-1], len(lam) - vague, left)


def leading_svd(X: DataMatrix, k: int) -> SVD | None:
    """The k leading singular values and their vectors, if a Gram is sure of all of them."""
    left = X.shape[0] < X.shape[1]
    G = X.outer() if left else X.gram()
    lam, E = lanczos.leading(G, k) or small.leading_eigh(G, k)
    if lam[0] <= MARGIN * _certainty(X, lam)[2]:
        return None
    return SVD(X, np.sqrt(lam[::-1]), E[:, ::-1], left)


def _certainty(X: DataMatrix, lam: np.ndarray) -> tuple[float, float, float]:
    """Of eigenvalues of a Gram, ascending: their noise, the size of X, and what they are sure from
    on.
    """
    largest = max(float(lam[-1]), 0.0)
    noise = float(np.finfo(np.float64).eps) * (largest + X.correction_scale**2)
    size = float(np.hypot(np.sqrt(largest), X.centring_scale))
    return noise, size, max(noise / TARGET[X.dtype], _rank_tolerance(X, size) ** 2)


def _refine(X: DataMatrix, lam: np.ndarray, E: np.ndarray, certain: int, left: bool) -> SVD:
    """Singular values and vectors that are not certain, from X̄ times what their vectors span.

    That space is known to noise over the gap to the certain eigenvalues. What it has of certain
    directions is taken off, as X̄ sees it, or a singular value of 0 would be as large as that times
    the certain ones: all are known to its square then, the same digits that a factorisation of all
    of X̄ would give.
    """
    there, back = (X.tdot, X.dot) if left else (X.dot, X.tdot)
    sure, rest = E[:, :certain], np.ascontiguousarray(E[:, certain:])
    leak = (sure.T @ back(there(rest))) / lam[:certain, None]
    product = there(rest - sure @ leak).astype(np.float64, copy=False)
    _, s, Wt = small.thin_svd(small.triangle(product))
    s = np.append(np.sqrt(lam[:certain]), s)
    rank = np.count_nonzero(s > _rank_tolerance(X, float(np.hypot(s[0], X.centring_scale))))
    return SVD(X, s[:rank], np.hstack([E[:, :certain], rest @ Wt.T])[:, :rank], left)


def _by_triangle(X: DataMatrix, left: bool) -> SVD:
    """All of it from a QR factorisation, which takes longer."""
    _, s, Et = small.thin_svd(X.triangle().astype(np.float64))
    rank = np.count_nonzero(s > _rank_tolerance(X, float(np.hypot(s[0], X.centring_scale))))
    return SVD(X, s[:rank], Et[:rank].T, left)


def _rank_tolerance(X: DataMatrix, scale: float) -> float:
    return max(X.shape) * float(np.finfo(X.dtype).eps) * scale
