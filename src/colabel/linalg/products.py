"""Products with a sparse matrix, in threads; compiled where that pays and numba is installed.

scipy multiplies a sparse matrix by a dense one on one core, and forms a Gram as a sparse matrix
that is hardly sparse. The loops of :mod:`~colabel.linalg.compiled` take a half to a third of the
time for the first and a thirteenth for the second. What is small is left to scipy, so that nobody
waits for a compiler (or its import) over a few milliseconds.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeAlias

import numpy as np

#: Multiplications from which on the compiled loops are used.
COMPILED_FROM = 5_000_000
#: Entries from which on threads sum them: they share the cores with those of a BLAS that still wait
#: for more to do, so that fewer are summed sooner by one.
MOMENTS_FROM = 20_000_000
#: The rows that a thread takes at a time hold about so many stored entries.
ENTRIES = 2**19
#: Entries of a dense block from which on its sums take longer than their calls.
MOMENT_ENTRIES = 2**16
#: The name of our threads.
POOL = "colabel-products"
#: Bytes of a dense block, where one is unavoidable.
BLOCK_BYTES = 16 * 2**20

#: Arrays to work in, by a number.
Work: TypeAlias = dict[int, np.ndarray]


@cache
def _compiled() -> Any:
    """The compiled loops, or None without a numba that works here."""
    try:
        from colabel.linalg import compiled
    except (ImportError, RuntimeError):  # one for another numpy; no folder to keep its work in
        return None
    return compiled


def compiled(work: float) -> Any:
    """The compiled loops if they pay for so many multiplications, else None."""
    return _compiled() if work >= COMPILED_FROM else None


def thread_count() -> int:
    """Cores of this process, or OMP_NUM_THREADS if that is less, as worker processes set it."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        return max(1, min(cores, int(os.environ["OMP_NUM_THREADS"])))
    except (KeyError, ValueError):
        return cores


@cache
def _pool(threads: int, pid: int) -> ThreadPoolExecutor:
    """Threads to share; of this process, as a forked child has none of its parent's."""
    return ThreadPoolExecutor(threads, thread_name_prefix=POOL)


def in_threads(function: Callable[[int, int], Any], cuts: np.ndarray) -> list[Any]:
    """function(start, stop) for each pair of neighbouring cuts, some at a time."""
    pairs = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    threads = min(thread_count(), len(pairs))
    if threads < 2 or threading.current_thread().name.startswith(POOL):  # not from within itself
        return [function(*pair) for pair in pairs]
    return list(_pool(threads, os.getpid()).map(lambda pair: function(*pair), pairs))


def in_row_blocks(n: int, fill: Callable[[slice], Any], rows: int) -> None:
    """fill(rows) for blocks of n rows, which threads share where there are several."""

    def part(start: int, stop: int) -> None:
        for first in range(start, stop, rows):
            fill(slice(first, min(first + rows, stop)))

    in_threads(part, even_cuts(n, thread_count() if n > rows else 1))


def even_cuts(n: int, parts: int) -> np.ndarray:
    """Row numbers that divide n rows."""
    return np.unique(np.linspace(0, n, parts + 1).astype(np.int64))


def cuts_by_entries(indptr: np.ndarray, parts: int | None = None) -> np.ndarray:
    """Row numbers between which there are about as many stored entries."""
    parts = parts or max(thread_count(), int(indptr[-1]) // ENTRIES)
    goals = np.linspace(0, indptr[-1], parts + 1)[1:-1]
    inner = np.searchsorted(indptr, goals)
    return np.unique(np.concatenate([[0], inner, [len(indptr) - 1]]))


def dot(X: Any, V: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """XV for X in CSR, in the precision of V; written to `out` where that saves an array."""
    fast = compiled(X.nnz * V.shape[1])
    V = np.ascontiguousarray(V)
    if fast is None:
        return _in_precision(X, V.dtype) @ V
    out = np.empty((X.shape[0], V.shape[1]), V.dtype) if out is None else out
    parts = (X.indptr, X.indices, X.data, V, out)
    in_threads(lambda start, stop: fast.dot(*parts, start, stop), cuts_by_entries(X.indptr))
    return out


def transpose_dot(X: Any, U: np.ndarray) -> np.ndarray:
    """XᵀU for X in CSR, in the precision of U, without a transposed copy of X."""
    fast = compiled(X.nnz * U.shape[1])
    U = np.ascontiguousarray(U)
    if fast is None:
        return _in_precision(X, U.dtype).T @ U

    def part(start: int, stop: int) -> np.ndarray:
        out = np.zeros((X.shape[1], U.shape[1]), U.dtype)
        fast.transpose_dot(X.indptr, X.indices, X.data, U, out, start, stop)
        return out

    return total(in_threads(part, cuts_by_entries(X.indptr, thread_count())))


def normal_dot(
    X: Any,
    V: np.ndarray,
    offset: np.ndarray,
    weights: np.ndarray,
    dtype: Any = np.float64,
    work: Work | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """XᵀT and 1ᵀT for T = diag(weights)(XV − 1·offset), without T, which has as many rows as X.

    With `work`, in arrays that are there from the last time: the first is the result.
    """
    V, offset = (np.ascontiguousarray(part, dtype=dtype) for part in (V, offset))
    if not X.shape[0] or not V.shape[1]:
        return np.zeros((X.shape[1], V.shape[1]), dtype), np.zeros(V.shape[1], dtype)
    fast = compiled(X.nnz * V.shape[1])

    def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        out, totals = zeros(work, start, (X.shape[1], V.shape[1]), dtype), np.zeros_like(offset)
        if fast is not None:
            arrays = (X.indptr, X.indices, X.data, weights, V, offset, out, totals)
            fast.normal_dot(*arrays, start, stop)
            return out, totals
        step = max(1, BLOCK_BYTES // (8 * V.shape[1]))
        for first in range(start, stop, step):
            rows = slice(first, min(first + step, stop))
            block = _in_precision(X[rows], V.dtype)
            T = (block @ V - offset) * weights[rows, None]
            out += block.T @ T
            totals += T.sum(axis=0)
        return out, totals

    return add_up(in_threads(part, cuts_by_entries(X.indptr, thread_count())))


def add_up(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The sums of what threads have found, in the place of the first array."""
    (first, *others), totals = zip(*parts, strict=True)

    def add(start: int, stop: int) -> None:
        for other in others:
            first[start:stop] += other[start:stop]

    in_threads(add, even_cuts(len(first), thread_count()))
    return first, total(list(totals))


def zeros(work: Work | None, key: int, shape: tuple[int, int], dtype: Any) -> np.ndarray:
    """An array of zeros, which is kept under its key; a new one costs several times as much."""
    out = None if work is None else work.get(key)
    if out is not None and out.shape == shape and out.dtype == dtype:
        out.fill(0)
        return out
    out = np.zeros(shape, dtype)
    if work is not None:
        work[key] = out
    return out


def outer(X: Any, columns: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """X diag(weights) Xᵀ for X in CSR and `columns` = Xᵀ in CSR, dense, in float64.

    float32 is multiplied in float64: a Gram loses half of its digits.
    """
    n = X.shape[0]
    out = np.zeros((n, n))
    fast = compiled(float(np.sum(np.diff(columns.indptr).astype(np.float64) ** 2)))
    if fast is None:
        right = columns if weights is None else columns.multiply(weights[:, None])
        right = _in_precision(right.tocsr(), np.dtype(np.float64))
        step = max(1, BLOCK_BYTES // (16 * n))
        for start in range(0, n, step):
            block = _in_precision(X[start : start + step], np.dtype(np.float64))
            out[start : start + step] = (block @ right).toarray()
        return out
    columns = _in_order(columns)
    weights = np.ones(X.shape[1]) if weights is None else weights.astype(np.float64)
    arrays = (X.indptr, X.indices, X.data.astype(np.float64, copy=False), weights)
    by_column = (columns.indptr, columns.indices, columns.data)
    cuts = _triangle_cuts(n)
    in_threads(lambda a, b: fast.lower_outer(*arrays, *by_column, out, a, b), cuts)
    in_threads(lambda a, b: fast.mirror(out, a, b), cuts)
    return out


def outer_squares(X: Any, columns: Any) -> float:
    """‖XXᵀ‖² for X in CSR and `columns` = Xᵀ in CSR, without XXᵀ."""
    fast = compiled(float(np.sum(np.diff(columns.indptr).astype(np.float64) ** 2)))
    if fast is None:
        step, total = max(1, BLOCK_BYTES // (8 * max(1, X.shape[0]))), 0.0
        for start in range(0, X.shape[0], step):
            block = X[start : start + step] @ columns
            total += float(np.sum(np.square(block.data, dtype=np.float64)))
        return total
    columns = _in_order(columns)
    arrays = (X.indptr, X.indices, X.data, columns.indptr, columns.indices, columns.data)
    parts = in_threads(lambda a, b: fast.outer_squares(*arrays, a, b), _triangle_cuts(X.shape[0]))
    return float(sum(parts))


def _in_order(columns: Any) -> Any:
    return columns if columns.has_sorted_indices else columns.sorted_indices()


def _triangle_cuts(n: int) -> np.ndarray:
    """Row numbers that divide a lower triangle: rows further down have more of it."""
    return np.unique(np.sqrt(np.linspace(0, float(n) ** 2, 4 * thread_count() + 1)).astype(int))


def centre(A: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """A becomes A − abᵀ, less its column means."""
    fast = compiled(10 * A.size)
    if fast is None:
        A -= np.multiply.outer(a, b)
        A -= A.mean(axis=0)
        return

    def part(start: int, stop: int) -> np.ndarray:
        sums = np.zeros(A.shape[1])
        fast.take_off(A, a, b, sums, start, stop)
        return sums

    cuts = even_cuts(len(A), thread_count())
    mean = np.sum(in_threads(part, cuts), axis=0) / len(A)
    in_threads(lambda start, stop: np.subtract(A[start:stop], mean, out=A[start:stop]), cuts)


def take_off_outer(A: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """A becomes A − abᵀ, in threads, and without another array as large."""
    a, b = a.astype(A.dtype, copy=False), b.astype(A.dtype, copy=False)
    step = max(1, BLOCK_BYTES // (16 * max(1, A.shape[1])))

    def part(start: int, stop: int) -> None:
        A[start:stop] -= np.multiply.outer(a[start:stop], b)

    in_threads(part, even_cuts(len(A), -(-len(A) // step)))


def column_sums(X: Any) -> np.ndarray:
    """1ᵀX in float64 for X in CSR, without a copy of its entries in float64."""
    sums, step = np.zeros(X.shape[1]), 2**22
    for start in range(0, X.nnz, step):
        part = slice(start, start + step)
        sums += np.bincount(X.indices[part], X.data[part], minlength=X.shape[1])
    return sums


def dense_moments(X: np.ndarray) -> tuple[np.ndarray, float]:
    """1ᵀX in float64 and ‖X‖², reading X once.

    First over blocks of rows: adding row after row would round a digit away.
    """
    step = max(64, int(np.sqrt(len(X))), MOMENT_ENTRIES // max(1, X.shape[1]))

    @np.errstate(all="ignore")  # who asks sees what is not finite
    def part(start: int, stop: int) -> tuple[np.ndarray, float]:
        sums, total = np.zeros(X.shape[1]), 0.0
        for first in range(start, stop, step):
            block = X[first : min(first + step, stop)].astype(np.float64, copy=False)
            entries = block.ravel(order="K")
            sums += block.sum(axis=0)
            total += float(np.einsum("i,i->", entries, entries))
        return sums, total

    if not len(X):
        return np.zeros(X.shape[1]), 0.0
    parts = thread_count() if X.size >= MOMENTS_FROM else 1
    sums, totals = zip(*in_threads(part, even_cuts(len(X), parts)), strict=True)
    return total(list(sums)), float(sum(totals))


def take_off(X: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """X less a row, in a copy."""
    out = np.empty_like(X)
    parts = thread_count() if X.size >= COMPILED_FROM // 10 else 1
    in_threads(
        lambda start, stop: np.subtract(X[start:stop], shift, out=out[start:stop]),
        even_cuts(len(X), parts),
    )
    return out


def squares(X: np.ndarray) -> float:
    """‖X‖², without the threads of a BLAS, which would go on waiting for more."""
    entries = X.ravel(order="K")

    def part(start: int, stop: int) -> float:
        return float(np.einsum("i,i->", entries[start:stop], entries[start:stop]))

    parts = thread_count() if X.size >= COMPILED_FROM // 10 else 1
    return float(sum(in_threads(part, even_cuts(len(entries), parts))))


def _in_precision(X: Any, dtype: np.dtype) -> Any:
    return X.astype(dtype, copy=False)


def total(parts: list[np.ndarray]) -> np.ndarray:
    """The sum, in the place of the first."""
    first, *others = parts
    for part in others:
        first += part
    return first
