"""Eigenvectors and solves of matrices that are small enough for numpy's own LAPACK.

numpy and scipy bring a BLAS each. The threads of one wait for more work for a while, at full speed,
and the other's have to share the cores with them: just after a product by numpy, a factorisation by
scipy takes some times as long. So what is small goes where the products went.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg

#: The side of a matrix above which it does not matter, and memory does.
SMALL = 3000


def eigh(A: np.ndarray, *, overwrite: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    if len(A) <= SMALL:
        return np.linalg.eigh(A)
    return linalg.eigh(A, driver="evd", overwrite_a=overwrite, check_finite=False)


def leading_eigh(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, ascending, and their eigenvectors; A may be overwritten.

    numpy's LAPACK finds all or none, so that this pays from some size on.
    """
    part = (len(A) - k, len(A) - 1)
    return linalg.eigh(A, subset_by_index=part, overwrite_a=True, check_finite=False)


def cholesky_solver(B: np.ndarray) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The lower factor L of B = LLᵀ, which takes the place of a large B, and F ↦ B⁻¹F.

    B is not to be changed as long as the second is used.
    """
    if len(B) <= SMALL:
        # numpy has no solve with a triangle, and one with B itself is as good
        return np.linalg.cholesky(B), lambda F: np.linalg.solve(B, F)
    # in the order of LAPACK, which works in place then
    L, lower = linalg.cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
    return L, lambda F: linalg.cho_solve((L, lower), F, check_finite=False)
