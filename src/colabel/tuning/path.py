"""One held-out part of rows that are too many to factor, and penalties tried on the way down.

The solution of a strong penalty is the start for the next weaker one, and costs few products with
X. What a judge needs of a solution is small: scores of the held-out rows, and FᵀW with F = X̄ᵀȲ,
from which overlaps follow: W_cᵀW_b = Fᵀ(W_b − W_c)/(c − b). So only the last two are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from colabel._indicator import dense_labels
from colabel.family.ridge import RidgeSolutions
from colabel.linalg import products
from colabel.linalg.data import CentredData
from colabel.linalg.descent import descend, label_blocks, precision_of_target
from colabel.linalg.low_rank import Similarity
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.nystrom import largest_eigenvalue
from colabel.tuning.fold_scores import FoldByCoefficients, RowSplit

#: Residuals, relative to X̄ᵀȲ, to which candidates are solved, and the model of all rows. Of 640,000
#: labels of texts, 8 are predicted otherwise at 1e-3 than at 1e-11, 2 at 1e-4, and none at 1e-5.
ROUGH, TOLERANCE = 1e-3, 1e-5
#: The most rows that candidates are fitted on.
MOST = 40_000
#: Features at a time that are summed over in double precision.
ROWS = 2**14
#: The share of labels that are given up to which their sparse product with rows costs less.
SPARSE = 1 / 32
#: Rows from which the largest eigenvalue of X̄ᵀX̄ is guessed.
GUESSED = 4000


@dataclass(frozen=True)
class _Found:
    """What is known of a solution."""

    scores: np.ndarray
    #: FᵀW.
    reach: np.ndarray


class Path(FoldByCoefficients):
    """Models of all rows but the held-out ones, by penalty."""

    def __init__(self, split: RowSplit, Y: np.ndarray, core: DataMatrix) -> None:
        super().__init__(split, Y, core)
        self._labels = Y
        self._begin: dict[float, np.ndarray] = {}
        self._found: dict[float, _Found] = {}
        self._last: dict[float, np.ndarray] = {}

    @cached_property
    def fitted(self) -> DataMatrix:
        """The rows that models are fitted on."""
        return self.core.rows(self.train)

    @property
    def mean(self) -> np.ndarray:
        return self.fitted.mean

    @cached_property
    def F(self) -> np.ndarray:
        """X̄ᵀȲ."""
        return self.targets.without_constant(
            _cross(self.fitted, self.fitted.weigh(self.targets.Y), ROUGH)
        )

    def on_fewer_rows(self, random_state: Any) -> Path:
        """Models of some of the rows, for the same held-out ones."""
        if len(self.train) <= MOST:
            return self
        some = check_random_state(random_state).permutation(len(self.train))[:MOST]
        return Path((self.train[np.sort(some)], self.rows), self._labels, self.core)

    def begin_at(self, other: Path) -> None:
        """Take over the solutions of other rows for a start."""
        self._begin = dict(other._last)
        other._forget()

    def _forget(self) -> None:
        """Let go of what is as large as the data, or as the model."""
        for name in ("fitted", "F"):
            self.__dict__.pop(name, None)
        self._last = {}

    def prepare(self, ridges: list[float]) -> None:
        for b in sorted({_key(b) for b in ridges} - self._found.keys(), reverse=True):
            W = self._solve(b)
            self._found[b] = _Found(super().scores(b), self._reach(W))

    def scores(self, b: float) -> np.ndarray:
        self.prepare([b])
        return self._found[_key(b)].scores.copy()

    def overlap(self, b: float, c: float) -> np.ndarray:
        self.prepare([b, c])
        apart = self._found[_key(b)].reach - self._found[_key(c)].reach
        return (apart + apart.T) / (2 * (c - b))

    def _reach(self, W: np.ndarray) -> np.ndarray:
        parts = products.even_cuts(len(W), -(-len(W) // ROWS))
        pairs = [(self.F[a:b], W[a:b]) for a, b in pairwise(parts.tolist())]
        return sum((F.T.astype(np.float64) @ part for F, part in pairs), np.zeros((1, 1)))

    def _solve(self, b: float) -> np.ndarray:
        b = _key(b)
        if b not in self._last:
            W = descend(self.fitted, self.F, b, self._start(b), ROUGH)
            self._last = {**dict(list(self._last.items())[-1:]), b: W}
        return self._last[b]

    def _apply(self, b: float, rows: np.ndarray) -> np.ndarray:
        W = self._solve(b)
        found, apart = np.empty((len(rows), W.shape[1]), W.dtype), self.core.mean - self.mean
        for part in label_blocks(len(W), W.shape[1]):  # not all of W in the precision of X
            found[:, part] = self.core.rows_dot(rows, W[:, part]) + apart @ W[:, part]
        return found

    def _start(self, b: float) -> np.ndarray:
        known = self._last or self._begin
        if not known:
            return np.zeros(self.F.shape, self.F.dtype)
        return known[min(known, key=lambda other: abs(other - b))]

    def solve_all(
        self, data: CentredData, targets: Similarity, ridges: list[float]
    ) -> tuple[RidgeSolutions, str]:
        starts = {b: self._start(b) for b in set(ridges)}
        self._forget()
        self._begin = {}
        F = _cross(data.core, targets.labels, TOLERANCE)
        found = {b: descend(data.core, F, b, starts.pop(b), TOLERANCE) for b in list(starts)}
        return RidgeSolutions([found[b] for b in ridges]), "two-stage"

    def worth_trying(self, ridges: list[float]) -> list[float]:
        """From the strongest down, without those that leave next to nothing of all coefficients."""
        n = self.core.shape[0]
        some = self.core.rows(np.unique(np.linspace(0, n - 1, GUESSED).astype(int)))
        largest = largest_eigenvalue(some.normal_dot, some.shape[1]) * self.n / some.total
        wanted = sorted((b for b in set(ridges) if b > 0), reverse=True)
        stronger = [b for b in wanted if b > largest]
        return [*stronger[-1:], *wanted[len(stronger) :]] or [0.0]


def _key(b: float) -> float:
    """The same for penalties that differ by rounding: sums and differences of the same numbers."""
    return float(f"{b:.12g}")


def _cross(X: DataMatrix, Y: Any, tol: float) -> np.ndarray:
    """X̄ᵀȲ, some labels at a time, as precisely as it has to be known; Y as X̄ is weighted."""
    d, q = X.shape[1], Y.shape[1]
    F = np.empty((d, q), dtype=precision_of_target(tol))
    for part in label_blocks(max(X.shape), q):
        given = sp.csr_array(Y[:, part])
        is_sparse = given.nnz <= SPARSE * X.shape[0] * given.shape[1]
        F[:, part] = 2.0 * X.tdot(given if is_sparse else dense_labels(given))
    return F
