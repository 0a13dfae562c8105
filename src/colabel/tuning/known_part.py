"""Held-out scores of labels that are known in some rows only.

A label's model is fitted on the rows where it is known. What it says of another row is held out
already. What the model without one of its rows says of that row is y − (y − f)/(1 − h) as ever, but
h needs a factorisation for each label. Where these cost too much, the scatter of its other rows is
taken for that of all others, times the share of rows in which the label is known. That is exact
where all are known, and nearly so where labels are unknown at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from colabel.family.partly_known import PartlyKnown
from colabel.linalg import cost, small
from colabel.linalg.data import CentredData
from colabel.linalg.matrix import DataMatrix
from colabel.tuning.fold_scores import RowSplit
from colabel.tuning.held_out import HeldOut, Targets

#: What factorisations of all labels may cost.
SECONDS, BYTES = 10.0, 2**29


class KnownPart(HeldOut):
    """Models of the rows of which each label is known."""

    def __init__(self, data: CentredData, Y: np.ndarray, counts: np.ndarray) -> None:
        self.data = data
        self.known = PartlyKnown(data, Y, counts)
        self.targets = Targets(Y, data.core.weights)
        self._found: dict[float, np.ndarray] = {}

    def _solve(self, b: float) -> np.ndarray:
        """Coefficients over the core; the solution of the nearest penalty is the start."""
        if b not in self._found:
            near = min(self._found, key=lambda other: abs(other - b), default=None)
            shape = self.known.targets.shape
            start = np.zeros(shape) if near is None else self._found[near]
            self._found[b] = self.known.solve(np.full(shape[1], b), start)
        return self._found[b]

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self._solve(c).T @ self._solve(b)

    def _own(self, b: float) -> np.ndarray:
        """Scores of the rows that models are fitted on, and of those where a label is unknown."""
        W = self._solve(b)
        return self.known.X.dot(W) + self.known.intercepts(W)

    def own_scores(self, b: float) -> np.ndarray:
        return np.where(self.known.counts > 0, self._own(b), np.nan)


class KnownOneOut(KnownPart):
    """All rows, each scored by models that have not seen it."""

    def __init__(self, data: CentredData, Y: np.ndarray, counts: np.ndarray) -> None:
        super().__init__(data.factorise(), Y, counts)
        self.rows = np.arange(len(Y))

    @property
    def n(self) -> float:
        return self.targets.n * (1.0 - 1.0 / self.targets.rows)

    def scores(self, b: float) -> np.ndarray:
        own, signs = self._own(b), self.known.signs
        return np.where(self.known.counts > 0, signs - (signs - own) / self._room(b), own)

    @cached_property
    def _part(self) -> np.ndarray:
        """What an entry counts as a part of its label."""
        return self.known.counts / self.known.equations.total

    def _room(self, b: float) -> np.ndarray:
        """1 − h of each row and label.

        With r the share of the known rows and a = xᵢᵀ(rX̄ᵀX̄ + bI)⁻¹xᵢ + 1/(rn), the others alone
        give a/(1 − ra), and so h = a/(1 − ra + a). 1 − ra is what a penalty b/r leaves of all rows.
        """
        svd, tiny = self.data.factorise().svd, np.finfo(np.float64).eps
        squares = (svd.basis if svd.left else svd.X.dot(svd.basis) / svd.s) ** 2
        share = self.known.equations.total / self.data.core.total
        ridges = max(b, tiny * float(svd.s.max(initial=0.0)) ** 2) / share
        outside = 1.0 - np.reshape(self.targets.part_of(), (-1, 1)) - squares.sum(axis=1)[:, None]
        left = np.maximum(outside, 0.0) + squares @ (ridges / (svd.s[:, None] ** 2 + ridges))
        left = np.maximum(left, tiny)
        return left / (left + (1.0 - left) / share)

    def put_on_level(self, scores: np.ndarray) -> None:
        """As in :class:`~colabel.tuning.leave_one_out.LeaveOneOut`."""
        moved = self._part / np.maximum(1.0 - self._part, np.finfo(np.float64).eps)
        scores += (self.known.signs - self.known.base) * moved


class KnownLabelByLabel(KnownOneOut):
    """The same, exactly: a factorisation of the rows of each label serves all penalties."""

    def __init__(self, data: CentredData, Y: np.ndarray, counts: np.ndarray) -> None:
        KnownPart.__init__(self, data, Y, counts)
        self.rows = np.arange(len(Y))

    @staticmethod
    def is_cheap(core: DataMatrix, labels: int) -> bool:
        """Whether so many factorisations take no more than seconds, and some hundred megabytes."""
        size = cost.Size.of(core)
        each = size.eigh + size.n * size.small**2 / cost.DENSE_PRODUCT
        return labels * each < SECONDS and 8 * labels * size.n * size.small < BYTES

    @cached_property
    def _factors(self) -> list[_Factor]:
        X, known = self.known.X, self.known
        K = X.outer() if X.is_wide else None
        return [
            _of_features(known, j) if K is None else _of_rows(K, known, j)
            for j in range(known.counts.shape[1])
        ]

    def _solve(self, b: float) -> np.ndarray:
        if b not in self._found:
            found = np.column_stack([factor.solve(b) for factor in self._factors])
            self._found[b] = self.known.X.tdot(found) if self.known.X.is_wide else found
        return self._found[b]

    def _room(self, b: float) -> np.ndarray:
        room = np.ones(self.known.counts.shape)
        for j, factor in enumerate(self._factors):
            room[factor.rows, j] = factor.room(b)
        return np.maximum(room, np.finfo(np.float64).eps)


@dataclass(frozen=True)
class _Factor:
    """Of a label: eigenvalues of the scatter of its rows, and what depends on no penalty."""

    rows: np.ndarray
    lam: np.ndarray
    #: What is combined to solutions, and with which coefficients before the penalty.
    basis: np.ndarray
    coordinates: np.ndarray
    #: Of each row, what 1 − h is without eigenvectors, and how much of each it takes off; or, over
    #: rows, how much of each is left by a penalty.
    alone: np.ndarray
    squares: np.ndarray
    of_rows: bool

    def _plus(self, b: float) -> np.ndarray:
        least = len(self.lam) * float(np.finfo(np.float64).eps) * float(self.lam.max(initial=0.0))
        return np.maximum(self.lam, 0.0) + max(b, least, np.finfo(np.float64).tiny)

    def solve(self, b: float) -> np.ndarray:
        """Coefficients of the features, or of the rows."""
        return self.basis @ (self.coordinates / self._plus(b))

    def room(self, b: float) -> np.ndarray:
        plus = self._plus(b)
        if self.of_rows:
            return self.squares @ ((plus - np.maximum(self.lam, 0.0)) / plus) - self.alone
        return self.alone - self.squares @ (1.0 / plus)


def _of_features(known: PartlyKnown, j: int) -> _Factor:
    counts, total = known.counts[:, j], known.equations.total[j]
    rows = np.flatnonzero(counts)
    mean = known.X.tdot(counts[:, None])[:, 0].astype(np.float64) / total
    lam, E = small.eigh(known.X.gram(counts) - total * np.outer(mean, mean), overwrite=True)
    inside = (known.X.dot(E)[rows] - mean @ E) * np.sqrt(counts[rows])[:, None]
    alone = 1.0 - counts[rows] / total
    return _Factor(rows, lam, E, E.T @ known.targets[:, j], alone, inside**2, of_rows=False)


def _of_rows(K: np.ndarray, known: PartlyKnown, j: int) -> _Factor:
    """From all inner products of rows.

    Along the roots of what the rows count there is nothing; that direction is set apart from other
    null ones by an eigenvalue above all others.
    """
    rows = np.flatnonzero(known.counts[:, j])
    roots = np.sqrt(known.counts[rows, j])
    u = roots / np.linalg.norm(roots)
    M = K[np.ix_(rows, rows)] * np.outer(roots, roots)
    M -= np.outer(u, u @ M)
    M -= np.outer(M @ u, u)
    lam, Q = small.eigh(M + (1.0 + np.trace(M)) * np.outer(u, u), overwrite=True)
    lam, Q = lam[:-1], Q[:, :-1]
    basis = np.zeros((len(K), len(lam)))
    basis[rows] = Q * roots[:, None]
    coordinates = Q.T @ (roots * (known.signs[rows, j] - known.base[j]))
    return _Factor(rows, lam, basis, coordinates, np.zeros(len(rows)), Q**2, of_rows=True)


class KnownFold(KnownPart):
    """Some rows, scored by models of others."""

    def __init__(
        self, data: CentredData, Y: np.ndarray, counts: np.ndarray, split: RowSplit
    ) -> None:
        train, self.rows = split
        super().__init__(data.rows(train), Y[train], counts[train])
        self.whole = data.core

    def scores(self, b: float) -> np.ndarray:
        W = self._solve(b)
        moved = (self.whole.mean - self.data.core.mean) @ W
        return self.whole.rows_dot(self.rows, W) + moved + self.known.intercepts(W)
