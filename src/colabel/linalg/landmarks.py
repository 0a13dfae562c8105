"""Many rows as a kernel sees them, by few of them: K ≈ FFᵀ, without the n×n matrix K.

Randomly pivoted Cholesky factorisation (Chen, Epperly, Tropp & Webber 2023): a row becomes a
landmark with a probability in proportion to what the landmarks before it leave of k(x, x). Rows are
proposed in blocks, and each is taken with the share of that which is left when its turn comes, so
that blocks change nothing but the speed. With all rows as landmarks F is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg

from colabel.linalg import products, small
from colabel.linalg.blocks import RowBlocks
from colabel.linalg.data import CentredData
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.kernel_map import Kernel, KernelMap

#: Rows up to which all of them are kept, if nothing else is said; and landmarks of more.
EXACT_ROWS, LANDMARKS = 4000, 2000
#: Rows that are proposed at a time, and rows whose coordinates are made at a time.
PROPOSED, BLOCK = 256, 1024
#: Of rows in blocks, so many times as many as landmarks are looked at to choose these.
SAMPLED = 5


@dataclass(frozen=True)
class LandmarkSpace:
    """Coordinates L⁻¹k(x) of a row, with k(x) its kernel values with the landmarks, K_SS = LLᵀ."""

    map: KernelMap
    L: np.ndarray

    @property
    def origin(self) -> np.ndarray:
        return np.zeros(len(self.L))

    def place(self, z: np.ndarray) -> np.ndarray:
        return self.L @ z

    def lift(self, C: np.ndarray) -> np.ndarray:
        return linalg.solve_triangular(self.L, C, lower=True, trans="T", check_finite=False)

    def project(self, P: np.ndarray) -> np.ndarray:
        return self.L.T @ P

    def coordinates(self, X: Any) -> np.ndarray:
        """Of rows, in float64."""
        K = self.map.values(X)
        return linalg.solve_triangular(self.L, K.T, lower=True, check_finite=False).T


def choose_landmarks(
    kernel: Kernel, X: Any, most: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """F (n×m) with FFᵀ ≈ K, and the numbers of the m ≤ `most` rows that are landmarks.

    There are fewer where these give all of K, to rounding.
    """
    n, most = X.shape[0], min(most, X.shape[0])
    F, pivots = np.empty((n, most), dtype=X.dtype), np.empty(0, dtype=int)
    left = kernel.diagonal(X)
    if not left.sum() > 0:
        raise ValueError(
            f"landmarks are drawn by k(x, x), which is 0 for kernel={kernel.name!r}; it needs all "
            f"rows: n_landmarks=None, and at most {EXACT_ROWS} rows"
        )
    enough = 16 * np.sqrt(most) * float(np.finfo(X.dtype).eps) * left.sum()
    while len(pivots) < most and left.sum() > enough:
        proposed = rng.choice(n, size=min(PROPOSED, most - len(pivots)), p=left / left.sum())
        taken, L = _accept(kernel, X, proposed, F[proposed, : len(pivots)], left[proposed], rng)
        if not len(taken):  # rounding is all that was left of them
            left[proposed] = 0.0
            continue
        new = slice(len(pivots), len(pivots) + len(taken))
        _extend(kernel.keep(X, taken), X, F, new, F[taken, : new.start], L, left)
        F[pivots, new], F[taken, new] = 0.0, L  # a triangle, exactly
        np.maximum(left, 0.0, out=left)
        left[taken] = 0.0
        pivots = np.append(pivots, taken)
    return np.ascontiguousarray(F[:, : len(pivots)]), pivots


def _extend(
    features: KernelMap,
    X: Any,
    F: np.ndarray,
    new: slice,
    others: np.ndarray,
    L: np.ndarray,
    left: np.ndarray,
) -> None:
    """Fill the new columns of F, and take what they add to FFᵀ off what is `left` of its diagonal.

    Threads share the rows, with one of BLAS each: distances and exponentials are half of the work.
    """
    inverse = small.inverse(L)
    quarters = [slice(*pair) for pair in pairwise(products.even_cuts(len(L), 4).tolist())]

    def part(start: int, stop: int) -> None:
        for first in range(start, stop, BLOCK):
            rows = slice(first, min(first + BLOCK, stop))
            rest = features.values(X[rows]).astype(F.dtype, copy=False)
            rest -= F[rows, : new.start] @ others.T
            for some in quarters:  # of a triangle: without the zeros above it
                columns = slice(new.start + some.start, new.start + some.stop)
                F[rows, columns] = rest[:, : some.stop] @ inverse[some, : some.stop].T
            left[rows] -= np.einsum("ij,ij->i", F[rows, new], F[rows, new])

    threads = 1 if callable(features.kernel.name) else products.thread_count()
    with small.one_thread():
        products.in_threads(part, products.even_cuts(len(F), threads))


def _accept(
    kernel: Kernel,
    X: Any,
    proposed: np.ndarray,
    F: np.ndarray,
    expected: np.ndarray,
    rng: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray]:
    """Which of the proposed rows become landmarks, and the Cholesky factor of what they add."""
    F = F.astype(np.float64, copy=False)
    A = kernel.keep(X, proposed).values(X[proposed]) - F @ F.T
    chance = rng.uniform(size=len(proposed)) * expected
    columns: list[np.ndarray] = []
    taken: list[int] = []
    for i in range(len(proposed)):
        if A[i, i] > chance[i]:
            columns.append(A[:, i] / np.sqrt(A[i, i]))
            A -= np.multiply.outer(columns[-1], columns[-1])
            taken.append(i)
    return proposed[taken], np.tril(np.array(columns).reshape(len(taken), -1).T[taken])


def blocks_of(X: CentredData) -> RowBlocks:
    """The blocks of rows that are held in blocks."""
    if not isinstance(X.core, RowBlocks):
        raise TypeError(f"a kernel needs the rows themselves; got {X!r}")
    return X.core


def landmark_rows(
    kernel: Kernel, X: Any, most: int, rng: np.random.RandomState, dtype: Any
) -> CentredData:
    """The images of rows, by at most so many landmarks."""
    if isinstance(X, CentredData):
        return _in_blocks(kernel, blocks_of(X), most, rng, dtype)
    F, pivots = choose_landmarks(kernel, X, most, rng)
    return CentredData(DenseMatrix(F, rank_by_gram=True), _space(kernel, X, F, pivots), dtype)


def _space(kernel: Kernel, X: Any, F: np.ndarray, pivots: np.ndarray) -> LandmarkSpace:
    return LandmarkSpace(kernel.keep(X, pivots), F[pivots].astype(np.float64))


def _in_blocks(
    kernel: Kernel, X: RowBlocks, most: int, rng: np.random.RandomState, dtype: Any
) -> CentredData:
    """Landmarks among a sample of the rows; coordinates are made where the blocks are."""
    n = X.shape[0]
    sample = X.take(np.sort(rng.permutation(n)[: SAMPLED * most]))
    space = _space(kernel, sample, *choose_landmarks(kernel, sample, most, rng))
    given = X.given
    images = given.map(partial(_coordinates, space, X.dtype), [()] * len(given))
    return CentredData(RowBlocks(images), space, dtype)


def _coordinates(space: LandmarkSpace, dtype: np.dtype, block: Any) -> np.ndarray:
    return space.coordinates(block).astype(dtype, copy=False)
