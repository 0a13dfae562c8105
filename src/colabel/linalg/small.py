"""Small matrices by the BLAS that the products before them went to, and on as many threads as pay.

numpy and scipy bring a BLAS each. The threads of one wait for more work for a while, at full speed,
and the other's have to share the cores with them: just after a product by numpy, a factorisation by
scipy takes some times as long.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg
from threadpoolctl import ThreadpoolController

from colabel.linalg.interruption import wait_for

#: The side of a matrix above which it does not matter, and memory does.
SMALL = 3000
#: The side up to which eigenvectors take less than a second.
SHORT = 1000
#: Columns that are factorised at a time; all else is products.
PANEL = 192
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
    if len(A) <= SHORT:
        return np.linalg.eigh(A)
    if len(A) <= SMALL:
        return wait_for(lambda: np.linalg.eigh(A))
    return wait_for(lambda: linalg.eigh(A, driver="evd", overwrite_a=overwrite, check_finite=False))


def leading_eigh(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, ascending, and their eigenvectors; A may be overwritten.

    numpy's LAPACK finds all or none, so that this pays from some size on.
    """
    part = (len(A) - k, len(A) - 1)
    return wait_for(
        lambda: linalg.eigh(A, subset_by_index=part, overwrite_a=True, check_finite=False)
    )


def _panels(m: int) -> list[slice]:
    return [slice(start, min(start + PANEL, m)) for start in range(0, m, PANEL)]


@dataclass(frozen=True)
class Cholesky:
    """L of B = LLᵀ, in the lower triangle of an array; what stands above it is not read."""

    L: np.ndarray
    #: Inverses of the blocks on the diagonal of L.
    inverses: list[np.ndarray]

    @classmethod
    def of(cls, B: np.ndarray) -> Cholesky:
        """Factorise B in its own place, panel after panel.

        LAPACK's own way is as fast, but that of OpenBLAS writes outside of its memory where threads
        share a matrix with a side of 16,000.
        """
        inverses = []
        for now in _panels(len(B)):
            below, rest = slice(now.start, None), slice(now.stop, None)
            if now.start:
                B[below, now] -= B[below, : now.start] @ B[now, : now.start].T
            B[now, now] = np.linalg.cholesky(B[now, now])
            inverses.append(np.tril(np.linalg.inv(B[now, now])))
            B[rest, now] = B[rest, now] @ inverses[-1].T
        return cls(B, inverses)

    def solve(self, F: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
        """B⁻¹F, in the place of F if that may be and it is in float64."""
        return self.back(self.forward(F.astype(np.float64, order="C", copy=not overwrite)))

    def forward(self, F: np.ndarray) -> np.ndarray:
        """L⁻¹F, in the place of F."""
        for now, inverse in zip(_panels(len(F)), self.inverses, strict=True):
            if now.start:
                F[now] -= self.L[now, : now.start] @ F[: now.start]
            F[now] = inverse @ F[now]
        return F

    def back(self, F: np.ndarray) -> np.ndarray:
        """L⁻ᵀF, in the place of F."""
        for now, inverse in reversed(list(zip(_panels(len(F)), self.inverses, strict=True))):
            if now.stop < len(F):
                F[now] -= self.L[now.stop :, now].T @ F[now.stop :]
            F[now] = inverse.T @ F[now]
        return F
