"""Rows that count differently: W^½(X − 1mᵀ) for weights w > 0, with m = Xᵀw/Σw.

Whatever is found from products with these rows is found for rows of which each stands w times. The
rows stay where they are, in whatever holds them: centred by their plain means, they are moved by
what the two means are apart, in each product.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from colabel.linalg.matrix import DataMatrix

#: Rows of a square matrix at a time that a correction is taken off.
CORRECTED = 256


class MovedRows(DataMatrix):
    """X̄ − 1δᵀ: rows as they are, centred by something else than their mean."""

    def __init__(self, plain: DataMatrix, apart: np.ndarray) -> None:
        self.plain, self._apart = plain, apart
        self.shape, self.dtype, self.nnz = plain.shape, plain.dtype, plain.nnz
        self.is_dense, self.rank_by_gram = plain.is_dense, plain.rank_by_gram
        self.mean = plain.mean + apart

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._move(self.plain.dot(V), V)

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        return self._move(self.plain.rows_dot(index, V), V)

    def _move(self, out: np.ndarray, V: np.ndarray) -> np.ndarray:
        out -= (self._apart @ V).astype(out.dtype)
        return out

    def uncentred_dot(self, V: np.ndarray) -> np.ndarray:
        return self.plain.uncentred_dot(V)

    def tdot(self, U: Any) -> np.ndarray:
        return self._take_sums_off(self.plain.tdot(U), U)

    def exact_tdot(self, U: Any) -> np.ndarray:
        return self._take_sums_off(self.plain.exact_tdot(U), U)

    def _take_sums_off(self, out: np.ndarray, U: Any) -> np.ndarray:
        out -= np.multiply.outer(self._apart, self.along(U)).astype(out.dtype, copy=False)
        return out

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        each = np.ones(self.shape[0]) if weights is None else weights
        G = self.plain.gram(weights)
        # (X̄ − 1δᵀ)ᵀD(X̄ − 1δᵀ) = X̄ᵀDX̄ − cδᵀ − δcᵀ with c = X̄ᵀD1 − δ(1ᵀD1)/2
        c = self.plain.exact_tdot(each[:, None])[:, 0] - self._apart * (each.sum() / 2)
        for start in range(0, len(G), CORRECTED):  # without an array as large as the result
            rows = slice(start, start + CORRECTED)
            G[rows] -= np.multiply.outer(c[rows], self._apart)
            G[rows] -= np.multiply.outer(self._apart[rows], c)
        return G

    def outer(self) -> np.ndarray:
        G = self.plain.outer()
        c = self.plain.dot(self._apart[:, None])[:, 0] - self._apart @ self._apart / 2
        G -= c[:, None]
        G -= c
        return G

    def row_squares(self) -> np.ndarray:
        along = self.plain.dot(self._apart[:, None])[:, 0].astype(np.float64)
        squares = self.plain.row_squares() - 2 * along + self._apart @ self._apart
        return np.maximum(squares, 0.0)

    @cached_property
    def scatter_scale(self) -> float:
        return float(np.sqrt(self.row_squares().sum()))

    def rows(self, index: Any) -> DataMatrix:
        return self.plain.rows(index)

    def astype(self, dtype: type) -> MovedRows:
        return self if self.dtype == dtype else MovedRows(self.plain.astype(dtype), self._apart)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        return self.rooted_blocks(np.ones(self.shape[0], self.dtype), transposed=transposed)

    def rooted_blocks(self, root: np.ndarray, *, transposed: bool) -> Iterator[np.ndarray]:
        """Blocks of diag(root)(X̄ − 1δᵀ), or of its transpose."""
        apart = self._apart.astype(self.dtype)
        if not transposed:
            yield from self.plain.weighted_blocks(root, apart)
            return
        start = 0
        for block in self.plain.blocks(transposed=True):
            features = slice(start, start + len(block))
            start = features.stop
            yield (block - apart[features, None]) * root


class WeightedRows(DataMatrix):
    """W^½(X̄ − 1δᵀ), X̄ being centred by plain means and δ what the weighted ones are apart."""

    weights: np.ndarray

    def __init__(self, rows: DataMatrix, weights: np.ndarray) -> None:
        self.plain, self.weights = rows, weights
        self.total = float(weights.sum())
        apart = rows.exact_tdot(weights[:, None])[:, 0].astype(np.float64) / self.total
        self._moved = MovedRows(rows, apart)
        self._moved_by = float(np.linalg.norm(apart))
        self.shape, self.dtype, self.nnz = rows.shape, rows.dtype, rows.nnz
        self.is_dense, self.rank_by_gram = rows.is_dense, rows.rank_by_gram
        self.mean = self._moved.mean

    @cached_property
    def _root(self) -> np.ndarray:
        return np.sqrt(self.weights)

    @property
    def unweighted(self) -> DataMatrix:
        return self._moved

    def plain_outer(self) -> np.ndarray:
        return self.plain.outer()

    def dot(self, V: np.ndarray) -> np.ndarray:
        out = self._moved.dot(V)
        out *= self._root.astype(out.dtype)[:, None]
        return out

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        return self._moved.rows_dot(index, V)

    def uncentred_dot(self, V: np.ndarray) -> np.ndarray:
        return self.plain.uncentred_dot(V)

    def tdot(self, U: Any) -> np.ndarray:
        return self._moved.tdot(self.weigh(U))

    def exact_tdot(self, U: Any) -> np.ndarray:
        return self._moved.exact_tdot(self.weigh(U))

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        return self._moved.gram(self.weights if weights is None else self.weights * weights)

    def outer(self) -> np.ndarray:
        G = self._moved.outer()
        G *= self._root[:, None]
        G *= self._root
        return G

    def row_squares(self) -> np.ndarray:
        return self.weights * self._moved.row_squares()

    @cached_property
    def scatter_scale(self) -> float:
        return float(np.sqrt(self.row_squares().sum()))

    @cached_property
    def centring_scale(self) -> float:
        return float(np.sqrt(self.total) * np.linalg.norm(self.mean))

    @cached_property
    def correction_scale(self) -> float:
        mean = np.sqrt(self.total / self.shape[0])
        return float(
            np.hypot(mean * self.plain.correction_scale, np.sqrt(self.total) * self._moved_by)
        )

    @property
    def pairs(self) -> float:
        return self.plain.pairs

    def rows(self, index: Any) -> WeightedRows:
        return WeightedRows(self.plain.rows(index), self.weights[index])

    def astype(self, dtype: type) -> WeightedRows:
        return self if self.dtype == dtype else WeightedRows(self.plain.astype(dtype), self.weights)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        return self._moved.rooted_blocks(self._root.astype(self.dtype), transposed=transposed)
