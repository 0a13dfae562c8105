"""Data in blocks of rows: shards on disk, or a cluster.

Every product that an algorithm asks for is a sum or a stacking over blocks. A block computes its
part where it is, by the same code as data in memory, and parts are added there before anything is
sent. So the whole of X is never in one place. :mod:`~colabel.linalg.executors` says who runs it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from colabel.linalg import products, small
from colabel.linalg.containers import as_matrix, canonical
from colabel.linalg.executors import Executor
from colabel.linalg.matrix import FAR, DataMatrix


class Fact(NamedTuple):
    """What is known of a block."""

    rows: int
    features: int
    nnz: int
    dtype: np.dtype
    is_finite: bool
    is_sparse: bool


@dataclass(frozen=True)
class Facts:
    """What is known of neighbouring blocks; of their columns sums, squares and stored entries."""

    blocks: tuple[Fact, ...]
    columns: np.ndarray

    def __add__(self, other: Facts) -> Facts:
        # different widths are refused when all blocks are known
        same = self.columns.shape == other.columns.shape
        columns = self.columns + other.columns if same else self.columns
        return Facts(self.blocks + other.blocks, columns)


@dataclass(frozen=True)
class Stack:
    """Rows with the same Gram as all that were added; fewer than twice as many as features."""

    rows: np.ndarray

    def __add__(self, other: Stack) -> Stack:
        rows = np.vstack([self.rows, other.rows])
        d = rows.shape[1]
        # A QR of few rows more than the triangle would mostly redo the triangle.
        if len(rows) >= 2 * d:
            rows = small.triangle(rows)
        return Stack(rows)


class RowBlocks(DataMatrix):
    """X̄ in blocks of rows, each centred by the means of all.

    Parameters
    ----------
    executor : Executor
        Its blocks are dense arrays or in CSR, in float32 or float64.
    origin : ndarray of shape (d,)
        What was already taken off each row.
    """

    def __init__(self, executor: Executor, origin: np.ndarray | float = 0.0) -> None:
        found: Facts = executor.total(_facts, [()] * len(executor))
        facts = found.blocks
        self._check(facts)
        self.is_dense = not any(fact.is_sparse for fact in facts)
        self.dtype = np.result_type(*(fact.dtype for fact in facts))
        one_precision = all(fact.dtype == self.dtype for fact in facts)
        self.executor = (
            executor if one_precision else executor.map(_astype, [(self.dtype,)] * len(executor))
        )
        self.nnz = sum(fact.nnz for fact in facts)
        self.starts = np.concatenate([[0], np.cumsum([fact.rows for fact in facts])])
        self.shape = int(self.starts[-1]), facts[0].features
        # Squares before centring: ‖X̄‖ follows from them without another pass over the blocks.
        sums, self._squares, stored = found.columns
        self._offset, self._origin = sums / self.shape[0], origin
        self.mean = origin + self._offset
        if not self.is_dense:
            self._shift_full_columns(stored == self.shape[0])

    def _shift_full_columns(self, full: np.ndarray) -> None:
        """As in a sparse matrix in memory, but where the blocks are."""
        means = self.shape[0] * self._offset**2
        far = full & (means > FAR**2 * np.maximum(self._squares - means, 0.0))
        if far.any():
            shift = np.where(far, self._offset, 0.0)
            self.executor = self.executor.map(_shift, [(shift,)] * len(self.executor))
            self._origin, self._offset = self._origin + shift, self._offset - shift
            self._squares = np.where(far, np.maximum(self._squares - means, 0.0), self._squares)

    @cached_property
    def scatter_scale(self) -> float:
        return float(np.sqrt(max(0.0, np.sum(self._squares) - self._squared_offset)))

    @property
    def correction_scale(self) -> float:
        return 0.0 if self.is_dense else float(np.sqrt(self._squared_offset))

    @property
    def _squared_offset(self) -> float:
        return float(self.shape[0] * (self._offset @ self._offset))

    @staticmethod
    def _check(facts: Sequence[Fact]) -> None:
        if not facts[0].features or not any(fact.rows for fact in facts):
            raise ValueError(f"X has no {'rows' if facts[0].features else 'features'}")
        for i, fact in enumerate(facts):
            if fact.features != facts[0].features:
                raise ValueError(
                    f"block {i} has {fact.features} features, and block 0 has {facts[0].features}; "
                    "all blocks need the same features in the same order"
                )
            if not fact.is_finite:
                raise ValueError(f"block {i} of X contains NaN or infinity; leave such rows out")

    def _slices(self, array: Any) -> list[tuple[Any, ...]]:
        """Rows of an array for each block."""
        return [(array[a:b],) for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def _nothing(self) -> list[tuple[Any, ...]]:
        return [()] * len(self.executor)

    def dot(self, V: np.ndarray) -> np.ndarray:
        return np.vstack(self.executor.each(_dot, self._nothing(), self._offset, V))

    def tdot(self, U: Any) -> np.ndarray:
        return self.executor.total(_tdot, self._slices(U), self._offset)

    def normal_dot(self, V: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        own = self._nothing() if weights is None else self._slices(weights)
        return self.executor.total(
            _normal_dot if own[0] else _plain_normal_dot, own, self._offset, V
        )

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        own = [(None,)] * len(self.executor) if weights is None else self._slices(weights)
        return self.executor.total(_gram, own, self._offset)

    def outer(self) -> np.ndarray:
        # Pairs of blocks, as no one has more than two in hand; j ≤ i, as it is symmetric.
        G = np.empty((self.shape[0], self.shape[0]))
        for i, j, part in self.executor.pairs(_outer, self._offset):
            rows, columns = (slice(*self.starts[k : k + 2]) for k in (i, j))
            G[rows, columns], G[columns, rows] = part, part.T
        return G

    def rows(self, index: Any) -> RowBlocks:
        chosen = np.arange(self.shape[0])[index]
        if np.any(np.diff(chosen) <= 0):
            raise ValueError(
                "rows of row blocks are taken in their order, each once: sort the row numbers "
                "(KFold gives them sorted, ShuffleSplit does not)"
            )
        if not len(chosen):
            raise ValueError(f"none of the {self.shape[0]} rows was chosen")
        parts = np.split(chosen, np.searchsorted(chosen, self.starts[1:-1]))
        pairs = zip(parts, self.starts[:-1], strict=True)
        own = [(part - start,) if len(part) else None for part, start in pairs]
        return RowBlocks(self.executor.map(operator.getitem, own), self._origin)

    @property
    def given(self) -> Executor:
        """The blocks with nothing taken off."""
        if not np.any(self._origin):
            return self.executor
        return self.executor.map(_shift, [(-np.asarray(self._origin),)] * len(self.executor))

    def take(self, chosen: np.ndarray) -> Any:
        """Some rows with nothing taken off, in memory; their numbers ascend."""
        found = self.rows(chosen).given
        parts = found.each(_itself, [()] * len(found))
        return np.vstack(parts) if self.is_dense else sp.vstack(parts, format="csr")

    def astype(self, dtype: type) -> RowBlocks:
        if self.dtype == dtype:
            return self
        executor = self.executor.map(_astype, [(np.dtype(dtype),)] * len(self.executor))
        return RowBlocks(executor, self._origin)

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        """Of the rows, a few with the same Gram instead: they are made where the rows are."""
        if not transposed:
            yield self.executor.total(_stack, self._nothing(), self._offset).rows
            return
        step = max(self.shape[0], products.BLOCK_BYTES // (8 * self.shape[0]))
        for start in range(0, self.shape[1], step):
            columns = [(slice(start, start + step),)] * len(self.executor)
            yield np.vstack(self.executor.each(_some_columns, columns, self._offset)).T

    def weighted_blocks(self, root: np.ndarray, shift: np.ndarray) -> Iterator[np.ndarray]:
        own = self._slices(root)
        yield self.executor.total(_weighted_stack, own, self._offset, shift).rows

    def row_squares(self) -> np.ndarray:
        return np.concatenate(self.executor.each(_row_squares, self._nothing(), self._offset))


def block_of(rows: Any, name: str) -> Any:
    """Rows as a block: CSR or a dense array of floats; `name` is for what is wrong with them."""
    rows = canonical(sp.csr_array(rows)) if sp.issparse(rows) else np.asarray(rows)
    if rows.ndim != 2:
        raise ValueError(f"{name} must have the shape (rows, features); got {rows.shape}")
    if rows.dtype in (np.float32, np.float64):
        return rows
    try:
        return rows.astype(np.float64, casting="unsafe" if rows.dtype == object else "same_kind")
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got dtype {rows.dtype}") from None


def _itself(block: Any) -> Any:
    return block


def _facts(block: Any) -> Facts:
    is_sparse = sp.issparse(block)
    with np.errstate(invalid="ignore", over="ignore"):
        columns = (_sparse_columns if is_sparse else _dense_columns)(block)
    size = block.nnz if is_sparse else block.size
    n, d = block.shape
    # a NaN or an infinity stays in its sum
    is_finite = bool(np.isfinite(columns[0]).all())
    return Facts((Fact(n, d, size, block.dtype, is_finite, is_sparse),), columns)


def _sparse_columns(block: Any) -> np.ndarray:
    sums = products.column_sums(block)
    squares = np.bincount(block.indices, np.square(block.data, dtype=np.float64), len(sums))
    return np.vstack([sums, squares, np.bincount(block.indices, minlength=len(sums))])


def _dense_columns(block: np.ndarray) -> np.ndarray:
    sums, _ = products.dense_moments(block)
    squares = np.einsum("ij,ij->j", block, block)
    return np.vstack([sums, squares, np.full(len(sums), len(block))])


def _dot(block: Any, mean: np.ndarray, V: np.ndarray) -> np.ndarray:
    return as_matrix(block, mean).dot(V)


def _tdot(block: Any, U: Any, mean: np.ndarray) -> np.ndarray:
    return as_matrix(block, mean).tdot(U)


def _plain_normal_dot(block: Any, mean: np.ndarray, V: np.ndarray) -> np.ndarray:
    return as_matrix(block, mean).normal_dot(V)


def _normal_dot(block: Any, weights: np.ndarray, mean: np.ndarray, V: np.ndarray) -> np.ndarray:
    return as_matrix(block, mean).normal_dot(V, weights)


def _gram(block: Any, weights: np.ndarray | None, mean: np.ndarray) -> np.ndarray:
    return as_matrix(_exact(block), mean).gram(weights)


def _outer(block: Any, other: Any, mean: np.ndarray) -> np.ndarray:
    """(X_i − 1mᵀ)(X_j − 1mᵀ)ᵀ."""
    if not (sp.issparse(block) and sp.issparse(other)):
        return _centre(_exact(block), mean) @ _centre(_exact(other), mean).T
    product = (block.astype(np.float64) @ other.astype(np.float64).T).toarray()
    half = mean @ mean / 2
    product -= (block @ mean - half)[:, None]
    product -= other @ mean - half
    return product


def _stack(block: Any, mean: np.ndarray) -> Stack:
    """R of the block, or the block itself if it is no smaller."""
    matrix = as_matrix(block, mean)
    return Stack(_centre(block, mean) if matrix.is_wide else matrix.triangle())


def _weighted_stack(block: Any, root: np.ndarray, mean: np.ndarray, shift: np.ndarray) -> Stack:
    """The same of rows that count differently, moved together."""
    rows = (_centre(block, mean) - shift) * root[:, None]
    return Stack(rows if len(rows) < rows.shape[1] else small.triangle(rows))


def _row_squares(block: Any, mean: np.ndarray) -> np.ndarray:
    return as_matrix(block, mean).row_squares()


def _exact(block: Any) -> Any:
    """In the precision of a Gram, float64; of sparse blocks it comes without a copy."""
    return block if sp.issparse(block) else block.astype(np.float64, copy=False)


def _astype(block: Any, dtype: np.dtype) -> Any:
    return block.astype(dtype, copy=False)


def _shift(block: Any, shift: np.ndarray) -> Any:
    """A block less the means of columns that have no zeros in any block."""
    shift = shift.astype(block.dtype)
    if not sp.issparse(block):
        return block - shift
    data = block.data - shift[block.indices]
    return sp.csr_array((data, block.indices, block.indptr), shape=block.shape)


def _centre(block: Any, mean: np.ndarray) -> np.ndarray:
    return (block.toarray() if sp.issparse(block) else block) - mean.astype(block.dtype)


def _some_columns(block: Any, columns: slice, mean: np.ndarray) -> np.ndarray:
    return _centre(block[:, columns], mean[columns])
