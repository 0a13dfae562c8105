"""Long products with the rows of a dense matrix, block by block, in float32 where that does.

They are for held-out scores, by which candidates are judged; no model is made of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from colabel.linalg import products, small

#: Multiplications from which on float32 will do, at twice the speed: seconds of them.
SINGLE_FROM = 2e10
#: What float32 may cost the root of a sum of squares.
TARGET = 1e-5
#: Sizes of rows whose squares are far from the ends of float32.
LEAST, LARGEST = 1e-12, 1e12
#: Rows at a time.
BLOCK = 2048

UNIT = float(np.finfo(np.float32).eps) / 2


class DenseRows(Protocol):
    """What is asked of a dense matrix."""

    shape: tuple[int, int]
    dtype: np.dtype

    @property
    def scatter_scale(self) -> float: ...

    def dot(self, V: np.ndarray) -> np.ndarray: ...

    def rows_dot_in(self, dtype: Any, index: Any, V: np.ndarray) -> np.ndarray: ...


def weigh_squares(X: DenseRows, E: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(X̄E)∘(X̄E) times positive weights, for an orthogonal E.

    In float32, coordinates are off by u‖x‖ in all, so that the root of what is weighed is off by at
    most that times the root of the largest weight. Rows for which this is too much are done again.
    """
    if X.dtype == np.float32 or not _pays(X, E):
        return _weigh(X, X.dtype, slice(None), E, weights)
    with_norms = np.column_stack([weights, np.ones(len(weights))])
    found = _weigh(X, np.float32, slice(None), E, with_norms)
    found, squares = found[:, :-1], found[:, -1]
    doubtful = np.flatnonzero(~(UNIT**2 * squares * weights.max() <= TARGET**2))
    if len(doubtful):
        found[doubtful] = _weigh(X, X.dtype, doubtful, E, weights)
    return found


def rough_dot(X: DenseRows, V: np.ndarray) -> np.ndarray:
    """X̄V; in float32 where it is long."""
    if X.dtype == np.float32 or not _pays(X, V):
        return X.dot(V)
    found = np.empty((X.shape[0], V.shape[1]), np.float32)

    def fill(rows: slice) -> None:
        found[rows] = X.rows_dot_in(np.float32, rows, V32)

    V32 = V.astype(np.float32)
    _in_blocks(X.shape[0], fill)
    return found


def _pays(X: DenseRows, V: np.ndarray) -> bool:
    """Whether a product is long, and its terms are far from the ends of float32."""
    typical = X.scatter_scale / np.sqrt(X.shape[0])
    return float(X.shape[0]) * V.size >= SINGLE_FROM and LEAST < typical < LARGEST


def _weigh(X: DenseRows, dtype: Any, index: Any, E: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The chosen rows of `weigh_squares`, in a precision."""
    numbers = np.arange(X.shape[0])[index]
    E, weights = E.astype(dtype, copy=False), weights.astype(dtype, copy=False)
    found = np.empty((len(numbers), weights.shape[1]))

    def fill(rows: slice) -> None:
        some = rows if isinstance(index, slice) else numbers[rows]
        coordinates = X.rows_dot_in(dtype, some, E)
        coordinates *= coordinates
        found[rows] = coordinates @ weights

    _in_blocks(len(numbers), fill)
    return found


def _in_blocks(n: int, fill: Callable[[slice], None]) -> None:
    """Blocks of n rows, which threads share, with one of BLAS each."""
    with small.one_thread():
        products.in_row_blocks(n, fill, BLOCK)
