"""Small matrices by the BLAS that the products before them went to, and on as many threads as pay.

numpy and scipy bring a BLAS each. The threads of one wait for more work for a while, at full speed,
and the other's have to share the cores with them: just after a product by numpy, a factorisation by
scipy takes some times as long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg
from threadpoolctl import ThreadpoolController

from colabel.linalg.interruption import wait_if_long

#: The side of a matrix above which it does not matter, and memory does.
SMALL = 3000
#: The side up to which eigenvectors are found in half of the time by one thread of BLAS, and
#: triangles in no more.
ONE_THREAD = 600
#: Entries of an array that is not square up to which memory does not matter either.
ENTRIES = 2**22
#: Columns that are factorised at a time; all else is products.
PANEL = 192
#: Entries of X from which on the threads of BLAS bring more than they cost.
THREADS_FROM = 10_000_000


def enough_threads(entries: int) -> AbstractContextManager[Any]:
    """While many products with so few entries are made, one thread of BLAS and no more.

    On small data the threads wait for each other longer than they work.
    """
    return one_thread() if entries < THREADS_FROM else nullcontext()


class _OneThread:
    """How many hold BLAS to one thread at the moment; the last of them gives the others back."""

    def __init__(self) -> None:
        self._lock, self._holders = threading.Lock(), 0
        self._limit: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            self._holders += 1
            if self._holders == 1:
                self._limit = _blas().limit(limits=1)
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._limit.restore_original_limits()


#: For a `with`, in which products of BLAS take one thread.
one_thread = _OneThread()


@cache
def _blas() -> Any:
    # Looking for the libraries takes milliseconds, and they stay the same.
    return ThreadpoolController().select(user_api="blas")


def threads_for(side: int) -> AbstractContextManager[Any]:
    """While a matrix of this side is factorised or solved with, as many threads of BLAS as pay.

    Others would go on waiting for more, and take time from whatever our own threads do next.
    """
    return one_thread() if side <= ONE_THREAD else nullcontext()


def eigh(A: np.ndarray, *, overwrite: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix."""
    operations = 9.0 * len(A) ** 3
    if len(A) <= ONE_THREAD:
        with one_thread():
            return np.linalg.eigh(A)
    if len(A) <= SMALL:
        return wait_if_long(operations, lambda: np.linalg.eigh(A))
    return wait_if_long(
        operations, lambda: linalg.eigh(A, driver="evd", overwrite_a=overwrite, check_finite=False)
    )


def leading_eigh(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, ascending, and their eigenvectors; A may be overwritten.

    numpy's LAPACK finds all or none, so that this pays from some size on.
    """
    part = (len(A) - k, len(A) - 1)
    return wait_if_long(
        4.0 * len(A) ** 3,
        lambda: linalg.eigh(A, subset_by_index=part, overwrite_a=True, check_finite=False),
    )


def inverse(L: np.ndarray) -> np.ndarray:
    """L⁻¹ of a lower triangle, half by half: a general inverse would take three times as long."""
    m = len(L) // 2
    if m < 32:
        return np.tril(np.linalg.inv(L))
    whole = np.zeros_like(L)
    whole[:m, :m], whole[m:, m:] = inverse(L[:m, :m]), inverse(L[m:, m:])
    whole[m:, :m] = -whole[m:, m:] @ (L[m:, :m] @ whole[:m, :m])
    return whole


def _panels(m: int) -> list[slice]:
    return [slice(start, min(start + PANEL, m)) for start in range(0, m, PANEL)]


def thin_svd(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s, Vᵀ of A = U diag(s) Vᵀ, as many as its smaller side; A may be overwritten."""
    operations = 9.0 * A.size * min(A.shape)
    if A.size <= ENTRIES:
        return wait_if_long(operations, lambda: np.linalg.svd(A, full_matrices=False))
    return wait_if_long(
        operations, lambda: linalg.svd(A, full_matrices=False, overwrite_a=True, check_finite=False)
    )


def orthonormal(A: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns of A, Q of A = QR; A may be overwritten."""
    operations = 4.0 * A.size * min(A.shape)
    if A.size <= ENTRIES:
        return wait_if_long(operations, lambda: np.linalg.qr(A)[0])
    return wait_if_long(
        operations, lambda: linalg.qr(A, mode="economic", overwrite_a=True, check_finite=False)[0]
    )


def triangle(A: np.ndarray) -> np.ndarray:
    """R of A = QR, with no more rows than columns; A may be overwritten."""
    operations = 2.0 * A.size * min(A.shape)
    (R,) = wait_if_long(
        operations, lambda: linalg.qr(A, mode="r", overwrite_a=True, check_finite=False)
    )
    return R[: R.shape[1]]


@dataclass(frozen=True)
class Cholesky:
    """L of B = LLᵀ, in the lower triangle of an array; what stands above it is not read."""

    L: np.ndarray
    #: Inverses of the blocks on the diagonal of L.
    inverses: list[np.ndarray]

    @classmethod
    def of(cls, B: np.ndarray) -> Cholesky:
        """Factorise B; in its own place, panel after panel, if it is not small.

        LAPACK's own way is faster below some thousand, and no slower above; but that of OpenBLAS
        writes outside of its memory where threads share a matrix with a side of 16,000.
        """
        if len(B) <= SMALL:
            with threads_for(len(B)):
                L = np.linalg.cholesky(B)
                return cls(L, [inverse(L[now, now]) for now in _panels(len(L))])
        inverses = []
        for now in _panels(len(B)):
            below, rest = slice(now.start, None), slice(now.stop, None)
            if now.start:
                B[below, now] -= B[below, : now.start] @ B[now, : now.start].T
            B[now, now] = np.linalg.cholesky(B[now, now])
            inverses.append(inverse(B[now, now]))
            B[rest, now] = B[rest, now] @ inverses[-1].T
        return cls(B, inverses)

    def solve(self, F: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
        """B⁻¹F, in the place of F if that may be and it is in float64."""
        with threads_for(max(F.shape)):
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
