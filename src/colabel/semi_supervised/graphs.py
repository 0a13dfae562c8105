"""Similarities A of rows, seen only through products: implicit cosines, neighbour graphs, given.

The cosine of all pairs is A = X̂X̂ᵀ with X̂ the rows at unit length: AM = X̂(X̂ᵀM), and A is never
formed. A neighbour graph is sparse. A callable or a precomputed A is as large as its maker wants.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches

from colabel._public import public
from colabel.linalg import products
from colabel.linalg.containers import canonical
from colabel.linalg.products import BLOCK_BYTES

#: How far from symmetric, relative to its largest value, a given A may be.
SYMMETRY = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-5}


class RowSimilarity(ABC):
    """Similarities of n fitted rows to each other, A, and of new rows to them."""

    shape: tuple[int, int]
    dtype: np.dtype

    @abstractmethod
    def dot(self, M: np.ndarray) -> np.ndarray:
        """AM."""

    @abstractmethod
    def squared_norm(self) -> float:
        """The sum of the squares of A."""

    @abstractmethod
    def carry(self, M: np.ndarray) -> np.ndarray:
        """What of M (n×k) is needed to `collect` it from new rows."""

    @abstractmethod
    def collect(self, X: Any, carried: np.ndarray) -> np.ndarray:
        """The similarities of new rows to the fitted ones, times the M that was carried."""

    @abstractmethod
    def neighbours(self, X: Any, rows: np.ndarray, k: int) -> Any:
        """Similarities of X (None: the fitted rows) to the k most similar of `rows`; csr."""

    @property
    def degrees(self) -> np.ndarray:
        """Row sums of A."""
        return self.dot(np.ones((self.shape[0], 1), dtype=self.dtype))[:, 0]


@public
class CosineSimilarity(RowSimilarity):
    """A = X̂X̂ᵀ, X̂ the rows of X ≥ 0 at unit length; an empty row is similar to none."""

    def __init__(self, X: Any) -> None:
        self.units = normalize(X)
        self.shape, self.dtype = (X.shape[0], X.shape[0]), X.dtype

    @property
    def _is_sparse(self) -> bool:
        return bool(sp.issparse(self.units))

    def dot(self, M: np.ndarray) -> np.ndarray:
        """X̂(X̂ᵀM)."""
        carried = self.carry(M)
        return products.dot(self.units, carried) if self._is_sparse else self.units @ carried

    def squared_norm(self) -> float:
        """‖X̂X̂ᵀ‖² = ‖X̂ᵀX̂‖², by rows of whichever takes less, neither being kept."""
        left, right = _cheaper_gram(self.units)
        if self._is_sparse:
            return products.outer_squares(left, right)
        step = max(1, BLOCK_BYTES // (8 * right.shape[1]))
        parts = (left[rows] @ right for rows in gen_batches(left.shape[0], step))
        return sum(float(np.sum(np.square(part, dtype=np.float64))) for part in parts)

    def carry(self, M: np.ndarray) -> np.ndarray:
        """X̂ᵀM: as large as the features, not as the rows."""
        return products.transpose_dot(self.units, M) if self._is_sparse else self.units.T @ M

    def collect(self, X: Any, carried: np.ndarray) -> np.ndarray:
        """X̂_new(X̂ᵀM)."""
        return normalize(X) @ carried

    def neighbours(self, X: Any, rows: np.ndarray, k: int) -> Any:
        """The k largest cosines of each row of X to `rows`, block by block."""
        units, others = self.units if X is None else normalize(X), self.units[rows]
        step = max(1, BLOCK_BYTES // (8 * len(rows)))
        blocks = [largest(units[part] @ others.T, k) for part in gen_batches(units.shape[0], step)]
        return sp.vstack(blocks, format="csr")


@public
class ExplicitSimilarity(RowSimilarity):
    """A matrix A ≥ 0, dense or csr, given or made by a subclass.

    Parameters
    ----------
    A : ndarray or csr_array of shape (n, n)
    pairwise : callable or None
        Similarities of new rows to the fitted ones, f(X, fitted); None if new rows come as such.
    fitted : array or csr_array, optional
        The fitted rows, for `pairwise`.
    """

    def __init__(
        self, A: Any, pairwise: Callable[[Any, Any], Any] | None = None, fitted: Any = None
    ) -> None:
        self.A = _check_similarity(A)
        self.shape, self.dtype = self.A.shape, self.A.dtype
        self.pairwise, self.fitted = pairwise, fitted

    @property
    def directed(self) -> Any:
        """Similarities of each row to the rows that it is compared with."""
        return self.A

    def dot(self, M: np.ndarray) -> np.ndarray:
        """AM."""
        return self.A @ M

    def squared_norm(self) -> float:
        """The sum of the squares of A."""
        entries = self.A.data if sp.issparse(self.A) else self.A
        return float(np.sum(np.square(entries, dtype=np.float64)))

    def carry(self, M: np.ndarray) -> np.ndarray:
        """M itself."""
        return M

    def collect(self, X: Any, carried: np.ndarray) -> np.ndarray:
        """The similarities of new rows, times M."""
        return self.cross(X) @ carried

    def cross(self, X: Any) -> Any:
        """The similarities of new rows to the fitted ones, dense or csr."""
        S = X if self.pairwise is None else self.pairwise(X, self.fitted)
        S = _as_floats(S, X.dtype)
        if S.shape != (X.shape[0], self.shape[0]):
            raise ValueError(
                f"similarities of {X.shape[0]} rows to the {self.shape[0]} fitted ones must have "
                f"the shape {(X.shape[0], self.shape[0])}; got {S.shape}"
            )
        _check_non_negative(S)
        return S

    def neighbours(self, X: Any, rows: np.ndarray, k: int) -> Any:
        """The k largest similarities of each row of X to `rows`; of a sparse A, all of them."""
        S = (self.A if X is None else self.cross(X))[:, rows]
        return S if sp.issparse(S) else largest(S, k)


@public
class NeighbourGraph(ExplicitSimilarity):
    """Similarities along the graph of nearest neighbours, and of each row to itself.

    A_ij = max(w_ij, w_ji) and A_ii = 1, where w_ij is the similarity of row i to row j if j is one
    of the `n_neighbors` nearest to i, else 0. A row without a positive similarity has A_ii = 0.

    Parameters
    ----------
    X : array or csr_array of shape (n, d)
    n_neighbors : int
        At most n − 1 are taken.
    kind : {"knn", "rbf-knn"}
        The cosine, of the rows nearest by it, negative ones being 0; or exp(−‖x − x'‖²/2σ²), of the
        rows nearest by distance, σ the median distance along the graph.
    """

    def __init__(self, X: Any, n_neighbors: int, kind: str) -> None:
        k = min(n_neighbors, X.shape[0] - 1)
        self.kind = kind
        self.index = NearestNeighbors(
            n_neighbors=k, **({"metric": "cosine"} if kind == "knn" else {})
        ).fit(X)
        graph = sp.csr_array(self.index.kneighbors_graph(mode="distance"))
        positive = graph.data[graph.data > 0]
        self.width = float(np.median(positive)) if len(positive) else 1.0
        self._weights = self._weigh(graph, X.dtype)
        A = self._weights.maximum(self._weights.T).tocsr()
        diagonal = (np.asarray(A.sum(axis=1)).ravel() > 0).astype(X.dtype)
        super().__init__(sp.csr_array(A + sp.diags_array(diagonal)))

    @property
    def directed(self) -> Any:
        """W, in which a row has its own neighbours only."""
        return self._weights

    def _weigh(self, graph: Any, dtype: np.dtype) -> Any:
        """Distances made into similarities, in place."""
        if self.kind == "knn":
            graph.data = np.maximum(1.0 - graph.data, 0.0)
        else:
            graph.data = np.exp(-((graph.data / self.width) ** 2) / 2.0)
        graph.data = graph.data.astype(dtype)
        graph.eliminate_zeros()
        return graph

    def cross(self, X: Any) -> Any:
        """Similarities of new rows along the graph: csr, `n_neighbors` a row."""
        return self._weigh(sp.csr_array(self.index.kneighbors_graph(X, mode="distance")), X.dtype)


def row_similarity(X: Any, kind: str | Callable[..., Any], n_neighbors: int) -> RowSimilarity:
    """The similarity of a name: "cosine", "knn", "rbf-knn", "precomputed", or by a callable."""
    if callable(kind):
        return ExplicitSimilarity(_as_floats(kind(X, X), X.dtype), kind, X)
    if kind == "precomputed":
        return ExplicitSimilarity(X)
    if kind == "cosine":
        return CosineSimilarity(X)
    return NeighbourGraph(X, n_neighbors, kind)


def check_cosine(estimator: Any, X: Any) -> None:
    """Refuse rows whose cosines can be negative."""
    values = X.data if sp.issparse(X) else X
    lowest = values.min(initial=0.0)
    if lowest < 0:
        raise ValueError(
            f"Negative values in data passed to {type(estimator).__name__}: similarity='cosine' "
            f"needs X ≥ 0, so that no similarity is negative, and X has {lowest:g}; use "
            "similarity='knn' or 'rbf-knn', or scale the features to [0, 1]"
        )


def largest(S: Any, k: int) -> Any:
    """The k largest positive values of each row, as csr."""
    dense = S.toarray() if sp.issparse(S) else np.asarray(S)
    k = min(k, dense.shape[1])
    columns = np.argpartition(dense, dense.shape[1] - k, axis=1)[:, dense.shape[1] - k :]
    values = np.take_along_axis(dense, columns, axis=1)
    start = np.arange(0, values.size + 1, k)
    kept = sp.csr_array((values.ravel(), columns.ravel(), start), shape=dense.shape)
    kept.eliminate_zeros()
    return kept


def _cheaper_gram(X: Any) -> tuple[Any, Any]:
    """The factors of XXᵀ or of XᵀX, whichever product takes fewer operations."""
    if not sp.issparse(X):
        return (X, X.T) if X.shape[0] < X.shape[1] else (X.T, X)
    by_columns = np.sum(np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64) ** 2)
    by_rows = np.sum(np.diff(X.indptr).astype(np.float64) ** 2)
    transposed = X.T.tocsr()
    return (X, transposed) if by_columns < by_rows else (transposed, X)


def _as_floats(S: Any, dtype: np.dtype) -> Any:
    if sp.issparse(S):
        return canonical(sp.csr_array(S, dtype=dtype))
    return np.asarray(S, dtype=dtype)


def _check_similarity(A: Any) -> Any:
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"a similarity of rows must be square; got the shape {A.shape}")
    _check_non_negative(A)
    gap = abs(A - A.T).max()
    if gap > SYMMETRY[A.dtype] * A.max():
        raise ValueError(
            f"a similarity of rows must be symmetric; A and its transpose differ by {gap:g}. "
            "Pass (A + A.T) / 2"
        )
    return A


def _check_non_negative(S: Any) -> None:
    values = S.data if sp.issparse(S) else S
    if not np.all(values >= 0) or not np.all(np.isfinite(values)):
        raise ValueError(
            f"Negative values in data passed as similarities: they must be finite and ≥ 0, and "
            f"the smallest is {values.min():g}, the largest {values.max():g}; clip them with "
            "np.maximum(A, 0)"
        )
