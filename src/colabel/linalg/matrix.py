"""The data matrix: centred data seen only through the products that algorithms need.

An algorithm asks a :class:`DataMatrix` for X̄V, X̄ᵀU and Grams, where X̄ = X − 1mᵀ; it never sees
what holds the numbers. A dense array is centred once, explicitly, because that is the accurate way.
A sparse one stays as it is and is centred by rank-one corrections. Row blocks (a cluster, shards on
disk) are a third subclass, in :mod:`~colabel.linalg.blocks`: every product below is a sum or a
stacking over blocks of rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from colabel.linalg import products
from colabel.linalg.low_rank import Similarity
from colabel.linalg.products import BLOCK_BYTES
from colabel.linalg.tiles import Tiles

#: Rows at a time that a rank-one correction is taken off.
CORRECTED = 256
#: A mean so many times as large as what varies around it costs four digits of a Gram.
FAR = 100.0
#: A mean up to so many times as large costs less than a digit of anything.
NEAR = 2.0
#: The share of features that are in use above which the others are not left out.
COMPACT = 0.9
#: Rows that are multiplied in float32 before their products are added up in float64: as few as
#: leave the speed of one large product, of a Gram and of others. That would round three times as
#: much and more.
SINGLE_GRAM_ROWS, SINGLE_ROWS = 4096, 1024


class DataMatrix(ABC):
    """Centred data X̄ = X − 1mᵀ, n×d.

    Attributes
    ----------
    dtype : numpy.dtype
        float32 or float64, that of X.
    mean : ndarray of shape (d,)
        The column means m, always in float64.
    nnz : int
        Stored entries of X: what a product with one column costs.
    rank_by_gram : bool
        Whether its rank may be read off a Gram, which has half of the digits, to be fast.
    is_dense : bool
        Whether X stores zeros too.
    is_wide : bool
        Whether to work on the side of the rows, because there are fewer of them.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    mean: np.ndarray
    nnz: int
    rank_by_gram: bool = True
    is_dense: bool = False

    @abstractmethod
    def dot(self, V: np.ndarray) -> np.ndarray:
        """X̄V for a dense V of d rows."""

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        """The chosen rows of X̄V, centred by the means of all rows."""
        some = self.rows(index)
        out = some.dot(V)
        out += ((some.mean - self.mean) @ V).astype(out.dtype)
        return out

    @abstractmethod
    def tdot(self, U: Any) -> np.ndarray:
        """X̄ᵀU for a dense or sparse U of n rows; a dense array."""

    @abstractmethod
    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        """X̄ᵀ diag(weights) X̄, d×d, in float64."""

    @abstractmethod
    def outer(self) -> np.ndarray:
        """X̄X̄ᵀ, n×n, in float64."""

    @property
    def has_single_gram(self) -> bool:
        """Whether `single_gram` is worth asking for."""
        return False

    def single_gram(self) -> np.ndarray:
        """X̄ᵀX̄ with no more digits than float32 has, at its speed."""
        return self.gram()

    @property
    @abstractmethod
    def scatter_scale(self) -> float:
        """‖X̄‖."""

    @abstractmethod
    def rows(self, index: Any) -> DataMatrix:
        """The chosen rows as a data matrix of their own, centred by their own means."""

    @abstractmethod
    def astype(self, dtype: type) -> DataMatrix:
        """The same data in another precision; itself if it has that already."""

    @abstractmethod
    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        """Dense blocks of rows of X̄ (or of X̄ᵀ), in order, each of about `BLOCK_BYTES`."""

    @property
    def is_wide(self) -> bool:
        return self.shape[0] < self.shape[1]

    def normal_dot(self, V: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """X̄ᵀ diag(weights) X̄V, d×k, in float64."""
        scores = self.dot(V)
        return self.tdot(scores if weights is None else weights[:, None] * scores)

    def normal_dot_in(
        self, dtype: Any, V: np.ndarray, work: products.Work | None = None
    ) -> np.ndarray:
        """X̄ᵀX̄V in a precision, which may be less than that of X where products cost less then.

        With `work`, the result may be one of these arrays, in which products are made.
        """
        return self.normal_dot(V).astype(dtype, copy=False)

    @property
    def column_scatter(self) -> np.ndarray:
        """The diagonal of X̄ᵀX̄; zeros where that is not at hand."""
        return np.zeros(self.shape[1])

    @property
    def compact(self) -> tuple[DataMatrix, np.ndarray | None]:
        """The same rows without features that are 0 in all of them, and the numbers of the others.

        Itself, and None, where that would save little.
        """
        return self, None

    def outer_dot(self, U: np.ndarray) -> np.ndarray:
        """X̄X̄ᵀU, n×k, in float64."""
        return self.dot(self.tdot(U))

    def similarity_dot(self, S: Similarity, V: np.ndarray) -> np.ndarray:
        """X̄ᵀSX̄V, d×k."""
        return self.tdot(S.dot(self.dot(V)))

    @cached_property
    def centring_scale(self) -> float:
        """‖1mᵀ‖: what centring takes away, and so the size of the rounding it leaves behind."""
        return float(np.sqrt(self.shape[0]) * np.linalg.norm(self.mean))

    @cached_property
    def scale(self) -> float:
        """‖X‖ before centring, which products with X̄ are rounded relative to."""
        return float(np.hypot(self.scatter_scale, self.centring_scale))

    @property
    def correction_scale(self) -> float:
        """‖1mᵀ‖ where it is taken off products, in which it cancels, and not off X itself."""
        return self.centring_scale

    def uncentred_dot(self, V: np.ndarray) -> np.ndarray:
        """XV, the product before centring."""
        return self.dot(V) + (self.mean @ V).astype(self.dtype)

    def triangle(self) -> np.ndarray:
        """R of a QR factorisation of the tall one of X̄ and X̄ᵀ, by blocks, never squaring X̄."""
        transposed = self.is_wide
        R = np.empty((0, min(self.shape)), dtype=self.dtype)
        for block in self.blocks(transposed=transposed):
            (R,) = linalg.qr(np.vstack([R, block]), mode="r", overwrite_a=True, check_finite=False)
            R = R[: R.shape[1]]
        return R


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
            out = products.dot(self._columns, U)
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
        self, dtype: Any, V: np.ndarray, work: products.Work | None = None
    ) -> np.ndarray:
        if dtype == np.float64:
            return self.normal_dot(V)
        V = V.astype(np.float32, copy=False)
        offset = self._offset.astype(np.float32) @ V
        if products.compiled(self.nnz * V.shape[1]) is None:
            ones = np.ones(self.shape[0], np.float32)
            out, totals = products.normal_dot(self._rows, V, offset, ones, np.float32, work)
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
        spare = self._spare.pop() if self._spare else None
        if spare is None or spare.shape[1] != U.shape[1]:
            spare = np.empty((self.shape[1], U.shape[1]))
        out = products.dot(self._rows, products.dot(self._columns, U, out=spare))
        self._spare.append(spare)
        products.centre(out, self._rows_dot_mean, U.sum(axis=0))
        return out

    @cached_property
    def _spare(self) -> list[np.ndarray]:
        """An array for the product inside: it is large, and would be a new one in every call."""
        return []

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


def canonical(X: Any) -> Any:
    """A sparse X that stores each entry once, in order: a copy if this one does not.

    A CSR or CSC matrix may hold an entry as several numbers that add up to it. Products do not
    mind, but squares, distances and norms of what is stored are wrong then.
    """
    if not (sp.issparse(X) and X.format in ("csr", "csc")) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def as_matrix(X: Any, mean: np.ndarray | None = None) -> DataMatrix:
    """The data matrix over whatever holds the numbers: the one place that looks at containers.

    A `mean` is given where X is a block of more rows and centred by theirs.
    """
    if isinstance(X, DataMatrix):
        return X
    return SparseMatrix(X, mean=mean) if sp.issparse(X) else DenseMatrix(X, mean=mean)
