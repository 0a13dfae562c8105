"""Sums over rows, in the place of the rows: all that most problems know of the data.

A problem whose similarities hold no weights of single rows sees X only through X̄ᵀX̄, X̄ᵀY and YᵀY.
They are sums over rows, so that those of two sets of rows add up to those of both, once each is
moved to the common mean (Chan, Golub & LeVeque 1983).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from colabel._public import public
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.svd import SVD, TARGET
from colabel.linalg.weighted import WeightedRows

_EPS = float(np.finfo(np.float64).eps)


@public
@dataclass(frozen=True)
class Moments:
    """Sums over n rows of d features and q labels; ``a + b`` are those of the rows of both.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.linalg.moments import Moments
    >>> X, Y = np.array([[1.0], [3.0], [5.0]]), np.array([[1], [0], [1]])
    >>> both = Moments.of(X[:1], Y[:1]) + Moments.of(X[1:], Y[1:])
    >>> both.mean, both.scatter, both.counts
    (array([3.]), array([[8.]]), array([2.]))
    """

    #: What the rows count together: how many they are, without weights.
    n: float
    mean: np.ndarray
    #: X̄ᵀX̄.
    scatter: np.ndarray
    #: X̄ᵀY, with Y in {0, 1}.
    cross: np.ndarray
    #: How many rows have each label.
    counts: np.ndarray
    #: How many rows have each pair of labels, YᵀY.
    joint: Any
    #: The squares that were taken off X̄ᵀX̄ in centring, by as much as they were rounded.
    rounding: float
    #: That of the rows. The sums are in float64 always.
    dtype: np.dtype
    #: How many rows there are.
    rows: int = 0

    @classmethod
    def of(cls, X: Any, Y: Any = None, weights: np.ndarray | None = None) -> Moments:
        """Of rows in a dense, sparse or factored X, and of labels Y in {0, 1} if there are any."""
        if isinstance(X, CentredData):
            data, core = X, X.core.astype(np.float64)
        else:
            core = as_matrix(X.astype(np.float64, copy=False))
            data = CentredData(core)
        if weights is not None:
            core = WeightedRows(core, weights)
            data = CentredData(core, data.space)
        rows, n = core.shape[0], core.total
        labels = core.weigh(np.empty((rows, 0)) if Y is None else Y.astype(np.float64))
        counts = core.along(labels)
        # what rounding left of X̄ᵀ1 = 0, the mean's own rounding times n, is taken off everything
        rest = core.tdot(core.weigh(np.ones((rows, 1))))
        scatter = _plus_outer(core.gram(), -rest[:, 0] / n, rest[:, 0])
        cross = core.tdot(labels) - rest * (counts / n)
        return cls(
            n=n,
            mean=data.mean + data.lift(rest)[:, 0] / n,
            scatter=data.lift(data.lift(scatter).T).T,
            cross=data.lift(cross),
            counts=counts,
            joint=sp.csr_array(labels.T @ labels),
            rounding=core.correction_scale**2 + _EPS * core.centring_scale**2,
            dtype=np.dtype(X.dtype),
            rows=rows,
        )

    def __add__(self, other: Moments) -> Moments:
        n = self.n + other.n
        step = other.mean - self.mean
        weight = self.n * other.n / n
        tilt = other.counts / other.n - self.counts / self.n
        return Moments(
            n=n,
            mean=self.mean + step * (other.n / n),
            scatter=_plus_outer(self.scatter + other.scatter, weight * step, step),
            cross=self.cross + other.cross + np.multiply.outer(weight * step, tilt),
            counts=self.counts + other.counts,
            joint=self.joint + other.joint,
            rounding=self.rounding + other.rounding,
            dtype=np.result_type(self.dtype, other.dtype),
            rows=self.rows + other.rows,
        )

    @property
    def labels(self) -> LabelMoments:
        """What stands for Y."""
        return LabelMoments(self.n, self.counts, self.joint, self.cross)

    @property
    def data(self) -> MomentData:
        """What stands for X."""
        return MomentData(MomentMatrix(self))


class RowsNeededError(TypeError):
    """Rows are asked for of which only sums are known."""


@dataclass(frozen=True)
class LabelMoments:
    """Labels known by their sums: it does what similarities ask of an n×q matrix Y, and no more."""

    total: float
    counts: np.ndarray
    joint: Any
    cross: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.total), len(self.counts)

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __matmul__(self, other: Any) -> NoReturn:
        _needs_rows()

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        _needs_rows()

    def sum(self, axis: int) -> np.ndarray:
        """The label counts; nothing is known of single rows."""
        if axis != 0:
            _needs_rows()
        return self.counts

    def __getitem__(self, index: tuple[slice, np.ndarray]) -> LabelMoments:
        """``labels[:, kept]``, some of the labels of all rows."""
        rows, kept = index
        if rows != slice(None):
            _needs_rows()
        joint = self.joint[kept][:, kept]
        return LabelMoments(self.total, self.counts[kept], joint, self.cross[:, kept])


#: Two labels of two rows, to find out whether sums over rows are all that something asks for.
UNSEEN_LABELS = LabelMoments(2, np.ones(2), sp.eye_array(2, format="csr"), np.zeros((1, 2)))


@dataclass(frozen=True)
class _Transposed:
    """Yᵀ, which can be multiplied with Y alone."""

    labels: LabelMoments

    def __matmul__(self, other: Any) -> Any:
        if other is not self.labels:
            _needs_rows()
        return self.labels.joint


class MomentMatrix(DataMatrix):
    """X̄ up to a rotation of its rows, of which d are enough then.

    The rotated rows are not formed: X̄ᵀX̄ is there already, and so is X̄ᵀY.
    """

    is_dense = True

    def __init__(self, moments: Moments) -> None:
        self.moments = moments
        self.mean, self.dtype = moments.mean, moments.dtype
        d = len(self.mean)
        self.shape, self.nnz = (d, d), d * d

    @cached_property
    def centring_scale(self) -> float:
        return float(np.sqrt(self.moments.n) * np.linalg.norm(self.mean))

    @cached_property
    def scatter_scale(self) -> float:
        return float(np.sqrt(np.trace(self.moments.scatter)))

    @cached_property
    def total(self) -> float:
        return self.moments.n

    def along(self, U: Any) -> np.ndarray:
        return U.counts if isinstance(U, LabelMoments) else _needs_rows()

    def tdot(self, U: Any) -> np.ndarray:
        return U.cross.copy() if isinstance(U, LabelMoments) else _needs_rows()

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        return self.moments.scatter.copy() if weights is None else _needs_rows()

    def normal_dot(self, V: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        return self.moments.scatter @ V if weights is None else _needs_rows()

    def similarity_dot(self, S: Similarity, V: np.ndarray) -> np.ndarray:
        product = S.diag * self.normal_dot(V)
        if S.labels is None:
            return product
        F = S.times_root(self.tdot(S.labels))
        return product + S.sign * (F @ (F.T @ V))

    def astype(self, dtype: type) -> MomentMatrix:
        return MomentMatrix(replace(self.moments, dtype=np.dtype(dtype)))

    def dot(self, V: np.ndarray) -> np.ndarray:
        return _needs_rows()

    def outer(self) -> np.ndarray:
        return _needs_rows()

    def rows(self, index: Any) -> DataMatrix:
        return _needs_rows()

    def blocks(self, *, transposed: bool) -> Iterator[np.ndarray]:
        return _needs_rows()


class MomentData(CentredData):
    """Data known by their moments, factored through X̄ᵀX̄, which squares the condition number."""

    core: MomentMatrix

    def _decompose(self) -> SVD:
        """The decomposition, with a warning where an eigenvalue keeps fewer than eight digits."""
        moments, eps = self.core.moments, float(np.finfo(self.dtype).eps)
        lam, V = linalg.eigh(moments.scatter, driver="evd", check_finite=False)
        largest = max(float(lam[-1]), 0.0)
        noise = _EPS * (largest + moments.rounding)
        # as for rows: what is below their own rounding, or that of the sums, is zero
        side = max(moments.rows, len(lam))
        of_rows = (side * eps) ** 2 * (largest + self.core.centring_scale**2)
        kept = np.flatnonzero(lam > max(len(lam) * noise, of_rows))[::-1]
        error: Any = noise / lam[kept[-1]] if len(kept) else 0.0
        if error > TARGET[self.dtype]:
            warnings.warn(
                "sums over rows square the condition number of X, which leaves its smallest "
                f"eigenvalue with a relative error of about {error:.0e}; scale the features, use a "
                "larger ridge or fewer directions, or call fit on all rows (row_blocks, if they do "
                "not fit into memory)",
                UserWarning,
                stacklevel=2,
            )
        return SVD(self.core, np.sqrt(lam[kept]), V[:, kept], left=False)


def _plus_outer(G: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """G + uvᵀ in the place of G, without another array of its size."""
    for start in range(0, len(G), 256):
        rows = slice(start, start + 256)
        G[rows] += np.multiply.outer(u[rows], v)
    return G


def _needs_rows() -> NoReturn:
    raise RowsNeededError("this takes the rows themselves, of which only sums are known")
