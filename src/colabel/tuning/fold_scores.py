"""Scores of folds by the rows outside of them, which are read once for all folds.

The Gram of the rows that a fold trains on is a sum over the other folds, or a block of the matrix
of all inner products.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from joblib import Parallel, delayed

from colabel.family.similarity import linear
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.normal import solve_normal
from colabel.linalg.weighted_labels import WeightedLabels
from colabel.tuning.held_out import TOLERANCE, HeldOut, Spectrum, Targets

#: Memory for the ridges that share a Krylov space.
SHIFT_BYTES = 2**30

#: Numbers of training rows, and of those held out.
RowSplit = tuple[np.ndarray, np.ndarray]


class Fold(HeldOut):
    """Some rows, scored by models of others."""

    def __init__(self, split: RowSplit, Y: np.ndarray, weights: np.ndarray | None) -> None:
        self.train, self.rows = split
        self.targets = Targets(Y[self.train], None if weights is None else weights[self.train])

    def scores(self, b: float) -> np.ndarray:
        return self._score(b, self.rows)

    def own_scores(self, b: float) -> np.ndarray:
        return self._score(b, self.train)

    def _score(self, b: float, rows: np.ndarray) -> np.ndarray:
        found = self._apply(b, rows)
        found += self.targets.base.astype(found.dtype)
        return found

    @abstractmethod
    def _apply(self, b: float, rows: np.ndarray) -> np.ndarray:
        """Scores of rows, but for their base."""


class FoldInRows(Fold):
    """Models found through X̄X̄ᵀ of the training rows, a block of all inner products."""

    def __init__(
        self, split: RowSplit, Y: np.ndarray, outer: np.ndarray, weights: np.ndarray | None
    ) -> None:
        super().__init__(split, Y, weights)
        self.outer = outer
        own = outer[np.ix_(self.train, self.train)]
        self.mean = np.average(own, axis=0, weights=self.targets.weights)
        own = self._centre(own)
        own *= self.targets.root()
        self.spectrum = Spectrum.of(own, self.targets.centred(), in_rows=True)

    def _centre(self, block: np.ndarray) -> np.ndarray:
        """Inner products with the training rows, both sides less the mean of these, which then
        count as they do.
        """
        block -= self.mean
        block -= np.average(block, axis=1, weights=self.targets.weights)[:, None]
        block *= np.transpose(self.targets.root())
        return block

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self.spectrum.overlap(b, c)

    def _apply(self, b: float, rows: np.ndarray) -> np.ndarray:
        return self._centre(self.outer[np.ix_(rows, self.train)]) @ self.spectrum.solve(b)


class FoldByCoefficients(Fold):
    """Models known by their coefficients W."""

    def __init__(self, split: RowSplit, Y: np.ndarray, core: DataMatrix) -> None:
        super().__init__(split, Y, core.weights)
        self.core = core

    @property
    @abstractmethod
    def mean(self) -> np.ndarray:
        """Of the training rows."""

    @abstractmethod
    def _solve(self, b: float) -> np.ndarray:
        """W."""

    def _apply(self, b: float, rows: np.ndarray) -> np.ndarray:
        W = self._solve(b)
        found = self.core.rows_dot(rows, W)
        found += ((self.core.mean - self.mean) @ W).astype(found.dtype)
        return found


class FoldInFeatures(FoldByCoefficients):
    """Models found through X̄ᵀX̄ of the training rows."""

    def __init__(self, split: RowSplit, Y: np.ndarray, core: DataMatrix, sums: Sums) -> None:
        super().__init__(split, Y, core)
        self._mean = sums.mean
        F = self.targets.without_constant(2.0 * sums.cross)
        self.spectrum = Spectrum.of(sums.scatter, F, in_rows=False)

    @property
    def mean(self) -> np.ndarray:
        return self._mean

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self.spectrum.overlap(b, c)

    def _solve(self, b: float) -> np.ndarray:
        return self.spectrum.solve(b)


class FoldByIteration(FoldByCoefficients):
    """Training rows too many to factor: one Krylov space serves all penalties."""

    def __init__(self, split: RowSplit, Y: np.ndarray, core: DataMatrix) -> None:
        super().__init__(split, Y, core)
        self.fitted = core.rows(split[0])
        self.solutions: dict[float, np.ndarray] = {}

    @property
    def mean(self) -> np.ndarray:
        return self.fitted.mean

    def prepare(self, ridges: list[float]) -> None:
        wanted = [b for b in sorted(set(ridges)) if b not in self.solutions]
        d, varying = self.core.shape[1], self.targets.varying
        self.solutions |= {b: np.zeros((d, len(varying))) for b in wanted}
        if not varying.any():
            return
        Y = self.targets.Y[:, varying]
        weights = self.targets.weights
        similarity = linear(Y if weights is None else WeightedLabels(Y, weights))
        # several at a time share a Krylov space; each takes two arrays of the size of a solution
        together = max(1, SHIFT_BYTES // (16 * d * similarity.rank))
        for start in range(0, len(wanted), together):
            some = wanted[start : start + together]
            found = solve_normal(self.fitted, similarity, some, tol=TOLERANCE)
            for b, W in zip(some, found, strict=True):
                self.solutions[b][:, varying] = W

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self._solve(c).T @ self._solve(b)

    def _solve(self, b: float) -> np.ndarray:
        self.prepare([b])
        return self.solutions[b]


@dataclass(frozen=True)
class Sums:
    """Sums over rows, around their own mean; ``a + b`` are those of the rows of both."""

    #: What they count together.
    n: float
    mean: np.ndarray
    #: X̄ᵀX̄.
    scatter: np.ndarray
    #: X̄ᵀY.
    cross: np.ndarray
    #: Shares of rows with each label.
    share: np.ndarray

    @staticmethod
    def of(core: DataMatrix, Y: np.ndarray) -> Sums:
        """Of these rows and their labels."""
        Y = core.weigh(Y)
        cross = core.tdot(Y).astype(np.float64, copy=False)
        return Sums(core.total, core.mean, core.gram(), cross, core.means(Y))

    def __add__(self, other: Sums) -> Sums:
        n, weight = self.n + other.n, other.n / (self.n + other.n)
        step, tilt = other.mean - self.mean, other.share - self.share
        apart = self.n * weight * step
        scatter, cross = self.scatter + other.scatter, self.cross + other.cross
        scatter += np.multiply.outer(apart, step)
        cross += np.multiply.outer(apart, tilt)
        return Sums(n, self.mean + weight * step, scatter, cross, self.share + weight * tilt)


def make_folds(
    core: DataMatrix, Y: np.ndarray, splits: list[RowSplit], *, factor: bool, jobs: int | None
) -> list[HeldOut]:
    """Folds that are factored, or solved by iteration."""
    in_threads = Parallel(n_jobs=jobs, prefer="threads")
    if not factor:
        return in_threads(delayed(FoldByIteration)(split, Y, core) for split in splits)
    if core.is_wide:
        outer, weights = core.plain_outer(), core.weights
        return in_threads(delayed(FoldInRows)(split, Y, outer, weights) for split in splits)
    sums = _training_sums(core, Y, splits)
    return in_threads(
        delayed(FoldInFeatures)(split, Y, core, own)
        for split, own in zip(splits, sums, strict=True)
    )


def _training_sums(core: DataMatrix, Y: np.ndarray, splits: list[RowSplit]) -> list[Sums]:
    if not _are_complements(len(Y), splits):
        return [Sums.of(core.rows(train), Y[train]) for train, _ in splits]
    parts = [Sums.of(core.rows(test), Y[test]) for _, test in splits]
    return [reduce(add, parts[:k] + parts[k + 1 :]) for k in range(len(parts))]


def _are_complements(n: int, splits: list[RowSplit]) -> bool:
    """Whether every row is held out once, and seen by all other folds."""
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=n)
    return (
        len(splits) > 1
        and bool(np.all(times == 1))
        and all(np.array_equal(np.sort(np.concatenate(split)), np.arange(n)) for split in splits)
    )
