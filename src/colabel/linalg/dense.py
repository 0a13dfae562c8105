"""Dense rows, centred in their products or, where that would cost digits, in a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel.linalg import products, single, small, turned
from colabel.linalg.interruption import wait_if_long
from colabel.linalg.matrix import FAR, DataMatrix
from colabel.linalg.products import BLOCK_BYTES

#: A mean up to so many times as large costs less than a digit of anything.
NEAR = 2.0
#: ... and up to so many times, no more than two of the sum of squares around it.
SUMMED = 10.0
#: Entries up to which each thread adds up a result of its own.
SHARED = 2**21
#: Rows at a time where results are larger, and adding them up takes longer.
MOST_ROWS = 4096
#: Digits of the largest entries that a mean has which is taken off rows in float32.
SHIFT_BITS = 12

#: What is made of a block of centred rows and the place of these rows, added to a sum.
AddBlock: TypeAlias = Callable[[np.ndarray, slice, np.ndarray], None]


class DenseMatrix(DataMatrix):
    """A dense array: centred by corrections of each product, or else in a copy.

    Corrections take off what the mean brings into a product. Where the mean is far larger than what
    varies around it, digits would go with it, and the copy is made.

    `origin` is what was already taken off each row, so that a subset of centred rows is centred
    again without adding the old mean back and losing digits to it.
    """

    is_dense = True

    def __init__(
        self,
        X: np.ndarray,
        origin: np.ndarray | float = 0.0,
        *,
        mean: np.ndarray | None = None,
        rank_by_gram: bool = False,
    ) -> None:
        self.rank_by_gram = rank_by_gram
        self.shape, self.dtype, self.nnz = X.shape, X.dtype, X.size
        self._rows, self._origin = X, origin
        #: Rows, and what is to be taken off them once they are needed for more than a Gram.
        self._waiting: tuple[np.ndarray, np.ndarray] | None = None
        if mean is None:
            sums, squares = products.dense_moments(X)
            self._offset = sums / len(X)
        else:
            self._offset, squares = mean, 0.0
        self.mean = origin + self._offset
        around = squares - self.correction_scale**2
        if self.correction_scale**2 < NEAR**2 * around and X.flags.forc:
            self._scatter = float(np.sqrt(around))
        elif self.correction_scale**2 < SUMMED**2 * around and self._can_wait(X):
            self._scatter = float(np.sqrt(around))
            self._waiting = X, self._offset
            self._origin, self._offset = self.mean, np.zeros(X.shape[1])
            del self._rows
        else:
            self._centre(exactly=mean is None)

    @staticmethod
    def _can_wait(X: np.ndarray) -> bool:
        """Whether a Gram is likely to be all that is asked for."""
        return X.dtype == np.float64 and X.flags.forc and X.shape[0] >= 2 * X.shape[1]

    @cached_property
    def _rows(self) -> np.ndarray:
        """Less their mean, or nearly so."""
        assert self._waiting is not None
        X, offset = self._waiting
        self._waiting = None
        return products.take_off(X, offset)

    def _centre(self, *, exactly: bool) -> None:
        """Take the mean off a copy of the rows."""
        self._rows = products.take_off(self._rows, self._offset.astype(self.dtype))
        self._scatter = float(np.sqrt(products.squares(self._rows)))
        if exactly and self.centring_scale > FAR * self.scatter_scale:
            # the rounding of a large mean is the same in all rows, so that 1ᵀX̄ would not be 0
            rest = products.dense_moments(self._rows)[0] / len(self._rows)
            self.mean = self.mean + rest
            self._rows -= rest.astype(self.dtype)
            self._scatter = float(np.sqrt(products.squares(self._rows)))
        self._origin, self._offset = self.mean, np.zeros(self.shape[1])

    @property
    def correction_scale(self) -> float:
        return float(np.sqrt(self.shape[0]) * np.linalg.norm(self._offset))

    @property
    def scatter_scale(self) -> float:
        return self._scatter

    @cached_property
    def _corrects(self) -> bool:
        return bool(self._offset.any())

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self.rows_dot(slice(None), V)

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        return self.rows_dot_in(self.dtype, index, V)

    def rows_dot_in(self, dtype: Any, index: Any, V: np.ndarray) -> np.ndarray:
        """The chosen rows of X̄V, multiplied in a precision."""
        V = V.astype(dtype, copy=False)
        out = _product(self._rows[index].astype(dtype, copy=False), V)
        if self._corrects:
            out -= (self._offset @ V).astype(dtype)
        return out

    def rough_dot(self, V: np.ndarray) -> np.ndarray:
        return turned.rough_dot(self, V)

    def weigh_squares(self, E: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return turned.weigh_squares(self, E, weights)

    def tdot(self, U: Any) -> np.ndarray:
        is_small = self.shape[1] * U.shape[1] <= SHARED  # or else adding up sparse products tells
        if self.dtype == np.float32 and (is_small or not sp.issparse(U)):
            return self._tdot_in(self.dtype, U)
        U = U.astype(self.dtype, copy=False)
        out = (U.T @ self._rows).T if sp.issparse(U) else _product(self._rows.T, U)
        if self._corrects:
            totals = np.asarray(U.sum(axis=0)).ravel()
            out -= np.multiply.outer(self._offset, totals).astype(self.dtype, copy=False)
        return out

    def exact_tdot(self, U: Any) -> np.ndarray:
        return self.tdot(U) if self.dtype == np.float64 else self._tdot_in(np.float64, U)

    def _tdot_in(self, dtype: Any, U: Any) -> np.ndarray:
        """X̄ᵀU, multiplied in a precision and added up in float64."""
        crossing = _Crossing(U, dtype)
        out = self._add_up((self.shape[1], U.shape[1]), crossing.add, dtype)
        rest = self._offset - self._shift(dtype)
        if rest.any():
            out -= np.multiply.outer(rest, crossing.totals)
        return out

    def _shift(self, dtype: Any) -> np.ndarray:
        """What is taken off rows to be multiplied in a precision; the rest of the mean is small."""
        return self._offset if dtype == np.float64 else self._short_offset

    @cached_property
    def _short_offset(self) -> np.ndarray:
        """The offset in few digits, so that differences in float32 need no more than there are.

        Rounding them would move all rows in one direction, and not average out.
        """
        sizes = np.abs(self._rows[: single.ROWS]).max(axis=0)
        grid = np.ldexp(1.0, np.frexp(sizes.astype(np.float64))[1] - SHIFT_BITS)
        return np.round(self._offset / grid) * grid

    @property
    def has_single_gram(self) -> bool:
        return self.dtype == np.float32

    def single_gram(self) -> np.ndarray:
        return self._gram_in(self.dtype)

    def single_products(self, U: Any) -> tuple[np.ndarray, np.ndarray]:
        d, q = self.shape[1], U.shape[1]
        if self.dtype != np.float32 or d * (d + q) > SHARED:
            return super().single_products(U)
        crossing = _Crossing(U, self.dtype)

        def add(X: np.ndarray, rows: slice, total: np.ndarray) -> None:
            total[:, :d] += single.gram(X)
            crossing.add(X, rows, total[:, d:])

        both = self._add_up((d, d + q), add, self.dtype)
        rest = self._offset - self._shift(self.dtype)
        if rest.any():
            both -= np.multiply.outer(rest, np.append(self.shape[0] * rest, crossing.totals))
        return np.ascontiguousarray(both[:, :d]), np.ascontiguousarray(both[:, d:])

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        if self.dtype == np.float32 or weights is not None or self._waiting is not None:
            return self._gram_in(np.float64, weights)
        G = _product(self._rows.T, self._rows)
        if self._corrects:
            G -= np.multiply.outer(len(self._rows) * self._offset, self._offset)
        return G

    def _gram_in(self, dtype: Any, weights: np.ndarray | None = None) -> np.ndarray:
        """X̄ᵀ diag(weights) X̄, multiplied in a precision and added up in float64."""

        def add(X: np.ndarray, rows: slice, total: np.ndarray) -> None:
            if dtype == np.float32:
                total += single.gram(X)
            else:
                total += X.T @ X if weights is None else (X.T * weights[rows]) @ X

        G = self._add_up((self.shape[1], self.shape[1]), add, dtype)
        rest = self._offset - self._shift(dtype)
        if rest.any():
            G -= np.multiply.outer(self.shape[0] * rest, rest)
        return G

    def _add_up(self, shape: tuple[int, int], add: AddBlock, dtype: Any) -> np.ndarray:
        """The sum of products with blocks of centred rows, each made in a precision, in float64.

        The rows of a block are centred in a copy, which is small and keeps what cancels in a
        correction. Threads share the blocks where what each adds up is small; BLAS has one thread
        then, so that all else that is done to a block is done on all cores.
        """
        given, shift = self._waiting or (self._rows, self._shift(dtype).astype(dtype))
        threads, step = products.thread_count(), single.ROWS
        copies = shift.any() or dtype != self.dtype
        is_shared = shape[0] * shape[1] <= SHARED and len(given) >= threads * step
        if not is_shared:
            step = min(MOST_ROWS, max(step, 4 * BLOCK_BYTES // shift.nbytes))

        def part(start: int, stop: int) -> np.ndarray:
            total, work = np.zeros(shape), np.empty((step, self.shape[1]), dtype)
            for first in range(start, stop, step):
                rows = slice(first, min(first + step, stop))
                X = given[rows]
                X = np.subtract(X, shift, out=work[: len(X)]) if copies else X
                add(X, rows, total)
            return total

        if not is_shared:
            return part(0, len(given))
        with small.one_thread():
            parts = products.in_threads(part, products.even_cuts(len(given), threads))
        return products.total(parts)

    def outer(self) -> np.ndarray:
        X = self._rows.astype(np.float64, copy=False)
        G = _product(X, X.T)
        if self._corrects:
            correction = X @ self._offset - self._offset @ self._offset / 2
            G -= correction[:, None]
            G -= correction
        return G

    def rows(self, index: Any) -> DenseMatrix:
        return DenseMatrix(self._rows[index], self._origin, rank_by_gram=self.rank_by_gram)

    def astype(self, dtype: type) -> DenseMatrix:
        return self if self.dtype == dtype else DenseMatrix(self._rows.astype(dtype), self._origin)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        X = self._rows - self._offset.astype(self.dtype) if self._corrects else self._rows
        yield X.T if transposed else X


class _Crossing:
    """X̄ᵀU as a sum over blocks of rows, and 1ᵀU."""

    def __init__(self, U: Any, dtype: Any) -> None:
        self._U, self._dtype = U.tocsr() if sp.issparse(U) else U, dtype
        self._totals: list[np.ndarray] = []

    def add(self, X: np.ndarray, rows: slice, total: np.ndarray) -> None:
        block = self._U[rows].astype(self._dtype, copy=False)
        self._totals.append(np.ones(block.shape[0], self._dtype) @ block)
        total += products.transpose_dot(block, X).T if sp.issparse(block) else X.T @ block

    @property
    def totals(self) -> np.ndarray:
        return np.sum(self._totals, axis=0)


def _product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return wait_if_long(float(A.size) * B.shape[1], lambda: A @ B)
