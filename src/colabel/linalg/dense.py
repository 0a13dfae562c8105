"""Dense rows, centred in their products or, where that would cost digits, in a copy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg import products
from colabel.linalg.matrix import FAR, DataMatrix
from colabel.linalg.products import BLOCK_BYTES

#: A mean up to so many times as large costs less than a digit of anything.
NEAR = 2.0
#: Rows that are multiplied in float32 before their products are added up in float64: as few as
#: leave the speed of one large product, of a Gram and of others. That would round three times as
#: much and more.
SINGLE_GRAM_ROWS, SINGLE_ROWS = 4096, 1024


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
        if mean is None:
            sums, squares = products.dense_moments(X)
            self._offset = sums / len(X)
        else:
            self._offset, squares = mean, 0.0
        self.mean = origin + self._offset
        around = squares - self.correction_scale**2
        if self.correction_scale**2 < NEAR**2 * around and X.flags.forc:
            self._scatter = float(np.sqrt(around))
        else:
            self._centre(exactly=mean is None)

    def _centre(self, *, exactly: bool) -> None:
        """Take the mean off a copy of the rows."""
        self._rows = self._rows - self._offset.astype(self.dtype)
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
        V = V.astype(self.dtype, copy=False)
        out = self._rows[index] @ V
        if self._corrects:
            out -= (self._offset @ V).astype(self.dtype)
        return out

    def tdot(self, U: Any) -> np.ndarray:
        if self.dtype == np.float32 and not sp.issparse(U):
            return self._single_tdot(U)
        U = U.astype(self.dtype, copy=False)
        out = (U.T @ self._rows).T if sp.issparse(U) else self._rows.T @ U
        if self._corrects:
            totals = np.asarray(U.sum(axis=0)).ravel()
            out -= np.multiply.outer(self._offset, totals).astype(self.dtype, copy=False)
        return out

    def _single_tdot(self, U: np.ndarray) -> np.ndarray:
        """X̄ᵀU, multiplied in float32 and added up in float64."""
        out, totals = np.zeros((self.shape[1], U.shape[1])), np.zeros(U.shape[1])
        for rows in self._in_steps(SINGLE_ROWS):
            block = U[rows].astype(np.float32, copy=False)
            out += self._rows[rows].T @ block
            totals += block.sum(axis=0, dtype=np.float64)
        out -= np.multiply.outer(self._offset, totals)
        return out.astype(np.float32)

    def _in_steps(self, step: int) -> Iterator[slice]:
        return (slice(start, start + step) for start in range(0, len(self._rows), step))

    @property
    def has_single_gram(self) -> bool:
        return self.dtype == np.float32

    def single_gram(self) -> np.ndarray:
        if not self.has_single_gram:
            return self.gram()
        d = self.shape[1]
        G, mean = np.zeros((d, d)), self._offset.astype(np.float32)
        work = np.empty((SINGLE_GRAM_ROWS, d), np.float32)
        for rows in self._in_steps(SINGLE_GRAM_ROWS):
            X = self._rows[rows]
            if self._corrects:  # of so few rows a copy costs little, and keeps what cancels
                X = np.subtract(X, mean, out=work[: len(X)])
            G += X.T @ X
        return G

    def _correct(self, G: np.ndarray) -> np.ndarray:
        """X̄ᵀX̄ from XᵀX."""
        if self._corrects:
            G -= np.multiply.outer(len(self._rows) * self._offset, self._offset)
        return G

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        if self.dtype == np.float64 and weights is None:
            return self._correct(self._rows.T @ self._rows)
        # a block at a time in float64, in one array, so that no copy is as large as X
        n, d = self.shape
        G, step = np.zeros((d, d)), max(1, min(n, BLOCK_BYTES // (8 * d)))
        work = np.empty((step, d))
        for start in range(0, n, step):
            X = work[: min(step, n - start)]
            np.copyto(X, self._rows[start : start + step])
            if self._corrects:
                X -= self._offset
            if weights is None:
                G += X.T @ X
            else:
                G += (X.T * weights[start : start + step]) @ X
        return G

    def outer(self) -> np.ndarray:
        X = self._rows.astype(np.float64, copy=False)
        G = X @ X.T
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
