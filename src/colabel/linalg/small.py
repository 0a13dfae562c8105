"""Eigenvectors and solves of matrices that are small enough for numpy's own LAPACK.

numpy and scipy bring a BLAS each. The threads of one wait for more work for a while, at full speed,
and the other's have to share the cores with them: just after a product by numpy, a factorisation by
scipy takes some times as long. So what is small goes where the products went.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from colabel.linalg.interruption import heard

#: The side of a matrix above which it does not matter, and memory does.
SMALL = 3000
#: The side up to which eigenvectors take less than a second.
SHORT = 1000


def eigh(A: np.ndarray, *, overwrite: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    if len(A) <= SHORT:
        return np.linalg.eigh(A)
    if len(A) <= SMALL:
        return heard(lambda: np.linalg.eigh(A))
    return heard(lambda: linalg.eigh(A, driver="evd", overwrite_a=overwrite, check_finite=False))


def cholesky_solver(B: np.ndarray) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The lower factor L of B = LLᵀ, which takes the place of a large B, and F ↦ B⁻¹F."""
    if len(B) <= SMALL:
        L = np.linalg.cholesky(B)
        return L, lambda F: np.linalg.solve(L.T, np.linalg.solve(L, F))
    # in the order of LAPACK, which works in place then
    L, lower = heard(
        lambda: linalg.cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
    )
    return L, lambda F: linalg.cho_solve((L, lower), F, check_finite=False)
