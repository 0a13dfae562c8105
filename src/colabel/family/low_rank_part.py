"""F = X̄ᵀTR of a problem with A = FFᵀ: its directions, and which of them are only rounding."""

import numpy as np

from colabel.linalg import small
from colabel.linalg.low_rank import Similarity
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.rank import rounding


def factor_of(S: Similarity, X: DataMatrix) -> np.ndarray:
    """F = X̄ᵀTR, d×k, in float64."""
    return S.times_root(X.tdot(S.labels)).astype(np.float64, copy=False)


def zero_of(S: Similarity, X: DataMatrix) -> float:
    """Below this a singular value of F = X̄ᵀTR is rounding: what all solvers call zero."""
    return rounding(X.dtype, X.scale, S.factor_size)


def directions_of(
    F: np.ndarray, zero: float, *, orthonormal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, s and Z with F = Q diag(s) Zᵀ and Z orthonormal, those with s ≤ `zero` left out.

    It goes through FᵀF, which is small, where that loses nothing: where all eigenvalues are far
    from rounding, and Q need not be orthonormal.
    """
    if not orthonormal:
        lam, Z = small.eigh(F.T @ F, overwrite=True)
        if lam[0] > max(1e-8 * lam[-1], zero**2):
            size = np.sqrt(lam)
            return F @ (Z / size), size, Z
    Q, size, Zt = small.thin_svd(F.copy())
    kept = size > zero
    return Q[:, kept], size[kept], Zt[kept].T
