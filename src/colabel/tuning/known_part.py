"""Held-out scores of labels that are known in some rows only.

A label's model is fitted on the rows where it is known. What it says of another row is held out
already. What the model without one of its rows says of that row is y − (y − f)/(1 − h) as ever, but
h would need a factorisation for each label: the scatter of its other rows is taken for that of all
others, times the share of rows in which the label is known. That is exact where all are known, and
nearly so where labels are unknown at random.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from colabel.family.partly_known import PartlyKnown
from colabel.linalg.data import CentredData
from colabel.tuning.fold_scores import RowSplit
from colabel.tuning.held_out import HeldOut, Targets


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
