"""Data as estimators see them: centred, and factored where that pays for itself."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from colabel._public import public
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.kernel_map import KernelMap
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.svd import SVD, svd
from colabel.linalg.weighted import WeightedRows


class Coordinates(Protocol):
    """What the columns of a data matrix stand for, where they are not the features themselves."""

    @property
    def origin(self) -> np.ndarray:
        """The point of the features' space that has the coordinates 0."""

    def place(self, z: np.ndarray) -> np.ndarray:
        """The point of the features' space that has the coordinates z."""

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions in the coordinates as directions in the space of the features."""

    def project(self, P: np.ndarray) -> np.ndarray:
        """Directions in the space of the features, as far as the coordinates see them."""


class RowSpace:
    """Coordinates in the row space of a reference X̄: a row x is stored as Vᵀ(x − origin)."""

    def __init__(self, reference: SVD) -> None:
        self.reference = reference

    @property
    def origin(self) -> np.ndarray:
        return self.reference.X.mean

    def place(self, z: np.ndarray) -> np.ndarray:
        return self.origin + self.lift(z[:, None])[:, 0]

    def lift(self, C: np.ndarray) -> np.ndarray:
        return self.reference.right_dot(C)

    def project(self, P: np.ndarray) -> np.ndarray:
        return self.reference.right_transpose_dot(P)


class CentredData:
    """Centred rows, in whatever holds them: what every estimator is fitted on.

    Parameters
    ----------
    core : DataMatrix
        The rows, or their coordinates.
    space : Coordinates or None
        What the columns of `core` stand for; None where they are the features.
    dtype : numpy.dtype or None
        Of what is fitted, where it is not that of `core`.
    """

    def __init__(
        self, core: DataMatrix, space: Coordinates | None = None, dtype: Any = None
    ) -> None:
        self.core = core
        self.space = space
        self.dtype = core.dtype if dtype is None else dtype

    @cached_property
    def shape(self) -> tuple[int, int]:
        return self.core.shape[0], len(self.mean)

    @cached_property
    def mean(self) -> np.ndarray:
        """Column means of these rows."""
        return self.core.mean if self.space is None else self.space.place(self.core.mean)

    @property
    def kernel_map(self) -> KernelMap | None:
        """What makes features of rows, where that is a kernel."""
        return getattr(self.space, "map", None)

    @property
    def n_features_in(self) -> int:
        """How many numbers a row has before a kernel sees it."""
        return self.shape[1] if self.kernel_map is None else self.kernel_map.n_features

    @property
    def is_factored(self) -> bool:
        """Whether a factorisation is there already, and costs nothing again."""
        return "_factored" in vars(self)

    def factorise(self) -> FactoredMatrix:
        """The same data with their singular value decomposition, computed once."""
        return self._factored

    @cached_property
    def _factored(self) -> FactoredMatrix:
        return FactoredMatrix(self.core, self._decompose(), self.space, self.dtype)

    def _decompose(self) -> SVD:
        return svd(self.core)

    def with_axes(self) -> CentredData:
        """The same rows in coordinates that have inner products: itself, but for some kernels."""
        return self

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions over `core` as directions over the features."""
        return C if self.space is None else self.space.lift(C)

    def uncentred_dot(self, P: np.ndarray) -> np.ndarray:
        """XP for the rows held here."""
        if self.space is None:
            return self.core.uncentred_dot(P)
        offset = (self.space.origin @ P).astype(self.dtype)
        return self.core.uncentred_dot(self.space.project(P)) + offset

    def rows(self, index: Any) -> CentredData:
        """The chosen rows as they are held here, centred by their own means."""
        return CentredData(self.core.rows(index), self.space, self.dtype)

    def weigh(self, weights: np.ndarray) -> CentredData:
        """The same rows, each of which counts as much as its weight says, above 0."""
        return CentredData(WeightedRows(self.core, weights), self.space, self.dtype)

    @property
    def plain(self) -> CentredData:
        """The same rows without weights."""
        if not isinstance(self.core, WeightedRows):
            return self
        return CentredData(self.core.plain, self.space, self.dtype)

    def __getitem__(self, rows: Any) -> CentredData:
        if isinstance(rows, tuple):  # scikit-learn's splitters index with [rows, ...]
            rows, *rest = rows
            if rest not in ([], [Ellipsis]):
                raise IndexError("data can be indexed by rows only: fm[rows]")
        if np.ndim(rows) == 0 and not isinstance(rows, slice):
            raise IndexError(f"fm[rows] takes a slice, a mask or a list of rows, got {rows!r}")
        return self._subset(rows)

    def _subset(self, rows: Any) -> CentredData:
        return self.rows(rows)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        n, d = self.shape
        return f"{type(self).__name__}({n} rows, {d} features, {self.dtype})"


@public
class FactoredMatrix(CentredData):
    """Data factored once: give it as X to any estimator, and take rows of it for cross-validation.

    Made by :func:`factor`. Every extractor fitted on it shares its singular value decomposition.
    ``fm[rows]`` is the row subset, centred by its own means. When there are more features than
    rows, it is stored by its exact coordinates in the row space of X (at most n numbers a row), so
    neither the features nor the factorisation of X are touched again.

    Attributes
    ----------
    shape : (int, int)
        Rows and features of the data.
    dtype : numpy.dtype
    singular_values : ndarray
        Of the centred data, descending, zero ones left out.
    rank : int

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MVMD, PCA, factor
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(20, 50)), rng.integers(0, 2, size=(20, 4))
    >>> fm = factor(X)
    >>> fm.rank
    19
    >>> [method(n_components=2).fit(fm, Y).transform(fm).shape for method in (PCA, MVMD)]
    [(20, 2), (20, 2)]
    >>> PCA(n_components=2).fit(fm[:10]).transform(fm[10:]).shape
    (10, 2)
    """

    is_factored = True

    def __init__(
        self, core: DataMatrix, svd: SVD, space: Coordinates | None = None, dtype: Any = None
    ) -> None:
        super().__init__(core, space, dtype)
        self.svd = svd

    def factorise(self) -> FactoredMatrix:
        """Itself."""
        return self

    @property
    def singular_values(self) -> np.ndarray:
        return self.svd.s

    @property
    def rank(self) -> int:
        return len(self.svd.s)

    @cached_property
    def _coordinates(self) -> DenseMatrix:
        """UΣ, the rows in the row space."""
        scores = (self.svd.basis * self.svd.s).astype(self.dtype)
        return DenseMatrix(scores, rank_by_gram=True)

    def weigh(self, weights: np.ndarray) -> CentredData:
        rows = self._subset(slice(None))
        return CentredData(WeightedRows(rows.core, weights), rows.space, rows.dtype)

    def _subset(self, rows: Any) -> CentredData:
        if self.space is None and self.core.is_wide:
            return CentredData(self._coordinates.rows(rows), RowSpace(self.svd))
        return self.rows(rows)
