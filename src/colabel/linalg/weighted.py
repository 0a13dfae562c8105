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


class WeightedRows(DataMatrix):
    """W^½(X̄ − 1δᵀ), X̄ being centred by plain means and δ what the weighted ones are apart."""

    weights: np.ndarray

    def __init__(self, rows: DataMatrix, weights: np.ndarray) -> None:
        self.plain, self.weights = rows, weights
        self.total = float(weights.sum())
        self.shape, self.dtype, self.nnz = rows.shape, rows.dtype, rows.nnz
        self.is_dense, self.rank_by_gram = rows.is_dense, rows.rank_by_gram
        self._apart = rows.exact_tdot(weights[:, None])[:, 0].astype(np.float64) / self.total
        self.mean = rows.mean + self._apart

    @property
    def unweighted(self) -> DataMatrix:
        return _Recentred(self.plain, self._apart)

    def dot(self, V: np.ndarray) -> np.ndarray:
        out = self.rows_dot(slice(None), V)
        out *= np.sqrt(self.weights).astype(out.dtype)[:, None]
        return out

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        out = self.plain.rows_dot(index, V)
        out -= (self._apart @ V).astype(out.dtype)
        return out

    def uncentred_dot(self, V: np.ndarray) -> np.ndarray:
        return self.plain.uncentred_dot(V)

    def tdot(self, U: Any) -> np.ndarray:
        return self._move(self.plain.tdot(self.weigh(U)), U)

    def exact_tdot(self, U: Any) -> np.ndarray:
        return self._move(self.plain.exact_tdot(self.weigh(U)), U)

    def _move(self, out: np.ndarray, U: Any) -> np.ndarray:
        out -= np.multiply.outer(self._apart, self.along(U)).astype(out.dtype, copy=False)
        return out

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        each = self.weights if weights is None else self.weights * weights
        G = self.plain.gram(each)
        # (X̄ − 1δᵀ)ᵀD(X̄ − 1δᵀ) = X̄ᵀDX̄ − cδᵀ − δcᵀ with c = X̄ᵀD1 − δ(1ᵀD1)/2
        c = self.plain.exact_tdot(each[:, None])[:, 0] - self._apart * (each.sum() / 2)
        for start in range(0, len(G), 256):  # without an array as large as the result
            rows = slice(start, start + 256)
            G[rows] -= np.multiply.outer(c[rows], self._apart)
            G[rows] -= np.multiply.outer(self._apart[rows], c)
        return G

    def outer(self) -> np.ndarray:
        G = self.plain.outer()
        c = self.plain.dot(self._apart[:, None])[:, 0] - self._apart @ self._apart / 2
        G -= c[:, None]
        G -= c
        root = np.sqrt(self.weights)
        G *= root[:, None]
        G *= root
        return G

    def plain_outer(self) -> np.ndarray:
        return self.plain.outer()

    def row_squares(self) -> np.ndarray:
        moved = self.plain.dot(self._apart[:, None])[:, 0].astype(np.float64)
        squares = self.plain.row_squares() - 2 * moved + self._apart @ self._apart
        return self.weights * np.maximum(squares, 0.0)

    @cached_property
    def scatter_scale(self) -> float:
        return float(np.sqrt(self.row_squares().sum()))

    @cached_property
    def centring_scale(self) -> float:
        return float(np.sqrt(self.total) * np.linalg.norm(self.mean))

    @cached_property
    def correction_scale(self) -> float:
        share = self.total / self.shape[0]
        apart = float(np.sqrt(self.total) * np.linalg.norm(self._apart))
        return float(np.hypot(np.sqrt(share) * self.plain.correction_scale, apart))

    @property
    def pairs(self) -> float:
        return self.plain.pairs

    def rows(self, index: Any) -> WeightedRows:
        return WeightedRows(self.plain.rows(index), self.weights[index])

    def astype(self, dtype: type) -> WeightedRows:
        return self if self.dtype == dtype else WeightedRows(self.plain.astype(dtype), self.weights)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        apart, root = self._apart.astype(self.dtype), np.sqrt(self.weights).astype(self.dtype)
        if not transposed:
            yield from self.plain.weighted_blocks(root, apart)
            return
        start = 0
        for block in self.plain.blocks(transposed=True):
            features = slice(start, start + len(block))
            start = features.stop
            yield (block - apart[features, None]) * root


class _Recentred(DataMatrix):
    """X − 1mᵀ, the plain rows, centred by the means of weighted ones: products with it, no more."""

    def __init__(self, plain: DataMatrix, apart: np.ndarray) -> None:
        self.plain, self._apart = plain, apart
        self.shape, self.dtype, self.nnz = plain.shape, plain.dtype, plain.nnz
        self.is_dense, self.mean = plain.is_dense, plain.mean + apart

    def dot(self, V: np.ndarray) -> np.ndarray:
        out = self.plain.dot(V)
        out -= (self._apart @ V).astype(out.dtype)
        return out

    def tdot(self, U: Any) -> np.ndarray:
        out = self.plain.tdot(U)
        out -= np.multiply.outer(self._apart, self.along(U)).astype(out.dtype, copy=False)
        return out

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        raise NotImplementedError

    def outer(self) -> np.ndarray:
        raise NotImplementedError

    @property
    def scatter_scale(self) -> float:
        raise NotImplementedError

    def rows(self, index: Any) -> DataMatrix:
        raise NotImplementedError

    def astype(self, dtype: type) -> DataMatrix:
        raise NotImplementedError

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        raise NotImplementedError
