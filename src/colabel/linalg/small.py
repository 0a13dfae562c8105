"""What is small: matrices for numpy's own LAPACK, and work that one thread does best.

numpy and scipy bring a BLAS each. The threads of one wait for more work for a while, at full speed,
and the other's have to share the cores with them: just after a product by numpy, a factorisation by
scipy takes some times as long. So what is small goes where the products went.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg
from threadpoolctl import ThreadpoolController

#: The side of a matrix above which it does not matter, and memory does.
SMALL = 3000
#: Entries of X from which on the threads of BLAS bring more than they cost.
THREADS_FROM = 10_000_000


def enough_threads(entries: int) -> AbstractContextManager[Any]:
    """While many products with so few entries are made, one thread of BLAS and no more.

    On small data the threads wait for each other longer than they work.
    """
    return _blas().limit(limits=1) if entries < THREADS_FROM else nullcontext()


@cache
def _blas() -> Any:
    # Looking for the libraries takes milliseconds, and they stay the same.
    return ThreadpoolController().select(user_api="blas")


def eigh(A: np.ndarray, *, overwrite: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    if len(A) <= SMALL:
        return np.linalg.eigh(A)
    return linalg.eigh(A, driver="evd", overwrite_a=overwrite, check_finite=False)


def cholesky_solver(B: np.ndarray) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """The lower factor L of B = LLᵀ, which takes the place of a large B, and F ↦ B⁻¹F."""
    if len(B) <= SMALL:
        L = np.linalg.cholesky(B)
        return L, lambda F: np.linalg.solve(L.T, np.linalg.solve(L, F))
    # in the order of LAPACK, which works in place then
    L, lower = linalg.cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
    return L, lambda F: linalg.cho_solve((L, lower), F, check_finite=False)
