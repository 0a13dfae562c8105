"""The data matrix: centred data seen only through the products that algorithms need.

An algorithm asks a :class:`DataMatrix` for X̄V, X̄ᵀU and Grams, where X̄ = X − 1mᵀ; it never sees
what holds the numbers: a dense array (:mod:`~colabel.linalg.dense`), a sparse one
(:mod:`~colabel.linalg.sparse`) or row blocks on a cluster or on disk
(:mod:`~colabel.linalg.blocks`), by whose rows every product below is a sum or a stacking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from colabel.linalg import products, small
from colabel.linalg.low_rank import Similarity
from colabel.linalg.weighted_labels import scale_rows

#: Coordinates of rows that are formed at a time, in numbers.
COORDINATES = 2**24
#: A mean so many times as large as what varies around it costs four digits of a Gram.
FAR = 100.0


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
    weights : ndarray of shape (n,) or None
        What each row counts, if not the same: X̄ = W^½(X − 1mᵀ) then, with weighted means m.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    mean: np.ndarray
    nnz: int
    rank_by_gram: bool = True
    is_dense: bool = False
    weights: np.ndarray | None = None

    @cached_property
    def total(self) -> float:
        """What all rows count together."""
        return float(self.shape[0])

    @property
    def unweighted(self) -> DataMatrix:
        """The rows as they are, centred as here: for losses that are no squares."""
        return self

    def weigh(self, U: Any) -> Any:
        """W^½U for a dense or sparse U of n rows."""
        return U if self.weights is None else scale_rows(U, np.sqrt(self.weights))

    def along(self, U: Any) -> np.ndarray:
        """1ᵀW^½U, which is 0 for X̄ itself."""
        if self.weights is None:
            return np.asarray(U.sum(axis=0), dtype=np.float64).ravel()
        return np.asarray(U.T @ np.sqrt(self.weights), dtype=np.float64).ravel()

    def means(self, U: Any) -> np.ndarray:
        """Means of the columns of U, which rows of X̄ are multiplied with: W^½1 times them is taken
        off to centre it.
        """
        return self.along(U) / self.total

    def centre(self, U: np.ndarray) -> np.ndarray:
        """U less its part along W^½1, in its own place."""
        means = self.means(U)
        U -= means if self.weights is None else np.multiply.outer(np.sqrt(self.weights), means)
        return U

    def lifted_outer(self) -> tuple[np.ndarray, float]:
        """X̄X̄ᵀ with its eigenvalue 0, that of W^½1, lifted to the mean of all; and that mean.

        What rounding makes of 0 is not small beside a small ridge, and nothing that is solved for
        has a part along it.
        """
        G = self.outer()
        lift = float(np.trace(G)) / len(G)
        if self.weights is None:
            G += lift / len(G)
            return G, lift
        root = np.sqrt(self.weights / self.total)
        for start in range(0, len(G), 256):  # without an array as large
            rows = slice(start, start + 256)
            G[rows] += np.multiply.outer(lift * root[rows], root)
        return G, lift

    @abstractmethod
    def dot(self, V: np.ndarray) -> np.ndarray:
        """X̄V for a dense V of d rows."""

    def rows_dot(self, index: Any, V: np.ndarray) -> np.ndarray:
        """The chosen rows of X̄V, centred by the means of all rows, and whatever they count."""
        some = self.rows(index)
        out = some.dot(V)
        out += ((some.mean - self.mean) @ V).astype(out.dtype)
        return out

    def rough_dot(self, V: np.ndarray) -> np.ndarray:
        """X̄V, perhaps in less than the precision of X where that saves seconds."""
        return self.dot(V)

    def weigh_squares(self, E: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(X̄E)∘(X̄E) times positive weights, for an orthogonal E: n×k, in float64."""
        found = np.zeros((self.shape[0], weights.shape[1]))
        step = max(1, COORDINATES // self.shape[0])
        for start in range(0, E.shape[1], step):
            some = slice(start, start + step)
            coordinates = self.dot(E[:, some])
            coordinates *= coordinates
            found += coordinates @ weights[some].astype(coordinates.dtype)
        return found

    @abstractmethod
    def tdot(self, U: Any) -> np.ndarray:
        """X̄ᵀU for a dense or sparse U of n rows; a dense array."""

    def exact_tdot(self, U: Any) -> np.ndarray:
        """X̄ᵀU, multiplied in float64 whatever the precision of X."""
        return self.tdot(U)

    @abstractmethod
    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        """X̄ᵀ diag(weights) X̄, d×d, in float64."""

    @abstractmethod
    def outer(self) -> np.ndarray:
        """X̄X̄ᵀ, n×n, in float64."""

    def plain_outer(self) -> np.ndarray:
        """Inner products of all rows as they are, from some origin, whatever they count."""
        return self.outer()

    @property
    def has_single_gram(self) -> bool:
        """Whether `single_gram` is worth asking for."""
        return False

    def single_gram(self) -> np.ndarray:
        """X̄ᵀX̄ with no more digits than float32 has, at its speed."""
        return self.gram()

    def single_products(self, U: Any) -> tuple[np.ndarray, np.ndarray]:
        """`single_gram` and X̄ᵀU for a U of n rows, in one look at X where that saves time."""
        return self.single_gram(), self.tdot(U)

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

    def weighted_blocks(self, root: np.ndarray, shift: np.ndarray) -> Iterator[np.ndarray]:
        """Blocks of diag(root)(X̄ − 1 shiftᵀ), or of something with the same Gram."""
        start = 0
        for block in self.blocks(transposed=False):
            rows = slice(start, start + len(block))
            start = rows.stop
            yield (block - shift) * root[rows, None]

    def row_squares(self) -> np.ndarray:
        """The squared length of each row of X̄."""
        blocks = (block.astype(np.float64, copy=False) for block in self.blocks(transposed=False))
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in blocks])

    @property
    def pairs(self) -> float:
        """Pairs of stored entries that meet in a Gram of the smaller side, about: its cost."""
        return self.nnz**2 / max(self.shape)

    @property
    def is_wide(self) -> bool:
        return self.shape[0] < self.shape[1]

    def normal_dot(self, V: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """X̄ᵀ diag(weights) X̄V, d×k, in float64."""
        scores = self.dot(V)
        return self.tdot(scores if weights is None else weights[:, None] * scores)

    def normal_dot_in(
        self, dtype: Any, V: np.ndarray, work: products.Work | None = None, *, rounded: bool = True
    ) -> np.ndarray:
        """X̄ᵀX̄V in a precision, which may be less than that of X where products cost less then.

        With `work`, the result may be one of these arrays, in which products are made. The entries
        of X may be rounded to single precision, unless they may not.
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
            R = small.triangle(np.vstack([R, block]))
        return R
