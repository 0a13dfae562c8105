"""Sparse rows, which stay as they are: centring is a correction of each product, of rank one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg import products
from colabel.linalg.matrix import FAR, DataMatrix
from colabel.linalg.products import BLOCK_BYTES
from colabel.linalg.tiles import Tiles

#: Rows at a time that a rank-one correction is taken off.
CORRECTED = 256
#: The share of features that are in use above which the others are not left out.
COMPACT = 0.9


class SparseMatrix(DataMatrix):
    """A sparse array, centred by rank-one corrections of each product and never made dense.

    `origin` is what was already taken off each row: of columns without a zero, whose mean would
    cancel in every product and take the digits of the rest with it.
    """

    def __init__(
        self, X: Any, origin: np.ndarray | float = 0.0, *, mean: np.ndarray | None = None
    ) -> None:
        self._rows = X.tocsr()
        self._kept_tiles: Tiles | None = None
        self.shape, self.dtype, self.nnz = X.shape, X.dtype, X.nnz
        self._offset = products.column_sums(self._rows) / X.shape[0] if mean is None else mean
        self._origin = origin
        if mean is None:
            self._shift_full_columns()
        self.mean = self._origin + self._offset

    def _shift_full_columns(self) -> None:
        """Take the mean off columns without a zero, where it is far larger than what varies."""
        X, (n, d) = self._rows, self.shape
        full = np.bincount(X.indices, minlength=d) == n
        if not full.any() or not X.has_canonical_format:
            return
        entries = np.flatnonzero(full[X.indices])
        columns = X.indices[entries]
        shifted = X.data[entries] - self._offset[columns].astype(self.dtype)
        varying = np.bincount(columns, shifted.astype(np.float64) ** 2, minlength=d)
        far = full & (n * self._offset**2 > FAR**2 * varying)
        if far.any():
            data = X.data.copy()
            data[entries[far[columns]]] = shifted[far[columns]]
            self._rows = sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
            self._origin = self._origin + np.where(far, self._offset, 0.0)
            self._offset = products.column_sums(self._rows) / n

    @cached_property
    def scatter_scale(self) -> float:
        squares = float(np.vdot(self._rows.data, self._rows.data))
        return float(np.sqrt(max(0.0, squares - self.correction_scale**2)))

    @property
    def correction_scale(self) -> float:
        return float(np.sqrt(self.shape[0]) * np.linalg.norm(self._offset))

    @cached_property
    def pairs(self) -> float:
        X = self._rows
        counts = np.bincount(X.indices) if self.is_wide else np.diff(X.indptr)
        return float(np.sum(counts.astype(np.float64) ** 2))

    @cached_property
    def _columns(self) -> Any:
        """The rows of Xᵀ in CSR: X itself when it came as CSC, one conversion otherwise."""
        return self._rows.T.tocsr()

    def dot(self, V: np.ndarray) -> np.ndarray:
        V = V.astype(self.dtype, copy=False)
        out = products.dot(self._rows, V)
        out -= (self._offset @ V).astype(self.dtype)
        return out

    def tdot(self, U: Any) -> np.ndarray:
        U = U.astype(self.dtype, copy=False)
        totals = np.asarray(U.sum(axis=0), dtype=np.float64)
        if sp.issparse(U):
            out = (self._rows.T @ U).toarray()
        elif "_columns" in vars(self):
            out = products.dot(self._columns, U, out=self._take_spare(U))
        else:
            out = products.transpose_dot(self._rows, U)
        for start in range(0, len(out), CORRECTED):  # without an array as large as the result
            rows = slice(start, start + CORRECTED)
            out[rows] -= np.multiply.outer(self._offset[rows], totals).astype(
                self.dtype, copy=False
            )
        return out

    def normal_dot(self, V: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        weights = np.ones(self.shape[0]) if weights is None else weights
        out, totals = products.normal_dot(self._rows, V, self._offset @ V, weights)
        products.take_off_outer(out, self._offset, totals)
        return out

    def normal_dot_in(
        self, dtype: Any, V: np.ndarray, work: products.Work | None = None, *, rounded: bool = True
    ) -> np.ndarray:
        if not rounded:
            return self.normal_dot(V).astype(dtype, copy=False)
        V = V.astype(dtype, copy=False)
        offset = self._offset.astype(dtype) @ V
        if products.compiled(self.nnz * V.shape[1]) is None:
            ones = np.ones(self.shape[0], dtype)
            out, totals = products.normal_dot(self._rows, V, offset, ones, dtype, work)
        else:
            out, totals = self._tiles(V.shape[1]).normal_dot(V, offset, work)
        products.take_off_outer(out, self._offset, totals)
        return out

    def _tiles(self, columns: int) -> Tiles:
        """The rows in float32; those of the first number of columns serve all others."""
        if self._kept_tiles is None:
            self._kept_tiles = Tiles.of(self._rows, columns)
        return self._kept_tiles

    @cached_property
    def column_scatter(self) -> np.ndarray:
        squares, step, X = np.zeros(self.shape[1]), 2**22, self._rows
        for start in range(0, X.nnz, step):
            part = slice(start, start + step)
            values = X.data[part].astype(np.float64) ** 2
            squares += np.bincount(X.indices[part], values, minlength=len(squares))
        return np.maximum(squares - self.shape[0] * self._offset**2, 0.0)

    @cached_property
    def compact(self) -> tuple[DataMatrix, np.ndarray | None]:
        used = np.flatnonzero(np.bincount(self._rows.indices, minlength=self.shape[1]))
        if len(used) > COMPACT * self.shape[1] or np.any(self._origin):
            return self, None
        return SparseMatrix(self._rows[:, used]), used

    def outer_dot(self, U: np.ndarray) -> np.ndarray:
        # H(XXᵀU − (Xm)(1ᵀU)), so that corrections have rows and not features
        U = U.astype(np.float64, copy=False)
        inner = products.dot(self._columns, U, out=self._take_spare(U))
        out = products.dot(self._rows, inner)
        self._spare.append(inner)
        products.centre(out, self._rows_dot_mean, U.sum(axis=0))
        return out

    @cached_property
    def _spare(self) -> list[np.ndarray]:
        """An array for XᵀU: it is large, and would be a new one in every call."""
        return []

    def _take_spare(self, U: np.ndarray) -> np.ndarray | None:
        """It, if it is of the shape and the precision of XᵀU; any other is given up."""
        spare = self._spare.pop() if self._spare else None
        fits = spare is not None and spare.shape[1] == U.shape[1] and spare.dtype == U.dtype
        return spare if fits else None

    @cached_property
    def _rows_dot_mean(self) -> np.ndarray:
        return products.dot(self._rows, self._offset[:, None])[:, 0]

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        G = products.outer(self._columns, self._rows, weights)
        weights = np.ones(self.shape[0]) if weights is None else weights
        # X̄ᵀWX̄ = XᵀWX − (XᵀW1)mᵀ − m(XᵀW1)ᵀ + (1ᵀW1)mmᵀ
        weighted_sums = self._rows.T @ weights.astype(np.float64, copy=False)
        correction = weighted_sums - weights.sum() / 2 * self._offset
        for start in range(0, len(G), CORRECTED):
            rows = slice(start, start + CORRECTED)
            G[rows] -= np.multiply.outer(correction[rows], self._offset)
            G[rows] -= np.multiply.outer(self._offset[rows], correction)
        return G

    def outer(self) -> np.ndarray:
        G = products.outer(self._rows, self._columns)
        # X̄X̄ᵀ = XXᵀ − (Xm)1ᵀ − 1(Xm)ᵀ + (mᵀm)11ᵀ
        correction = self._rows_dot_mean - self._offset @ self._offset / 2
        G -= correction[:, None]
        G -= correction
        return G

    def row_squares(self) -> np.ndarray:
        X, offset = self._rows, self._offset
        numbers = np.repeat(np.arange(self.shape[0]), np.diff(X.indptr))
        data = X.data.astype(np.float64, copy=False)
        # an entry that is not stored counts with its mean, which all of them begin with
        terms = data * (data - 2 * offset[X.indices])
        return np.bincount(numbers, terms, minlength=self.shape[0]) + offset @ offset

    def rows(self, index: Any) -> SparseMatrix:
        return SparseMatrix(self._rows[index], self._origin)

    def astype(self, dtype: type) -> SparseMatrix:
        return self if self.dtype == dtype else SparseMatrix(self._rows.astype(dtype), self._origin)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        X = self._columns if transposed else self._rows
        mean = self._offset.astype(self.dtype)
        # square at least: a QR factorisation of thinner blocks would mostly redo the triangle
        step = max(X.shape[1], BLOCK_BYTES // (8 * X.shape[1]))
        for start in range(0, X.shape[0], step):
            chunk = slice(start, start + step)
            yield X[chunk].toarray() - (mean[chunk, None] if transposed else mean)
