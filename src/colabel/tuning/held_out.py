"""Scores of rows by models that have not seen them, all candidates of a grid side by side.

Every model is made of ridge solutions (X̄ᵀX̄ + bI)⁻¹F. In the coordinates of X̄ = UΣVᵀ they are
divisions by Σ² + b, so that a fold costs one factorisation, and all of its models are applied side
by side in one product. Where X is too large to factor, one Krylov space a fold serves all b.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from colabel._labels import dense_labels
from colabel.family.similarity import linear
from colabel.linalg import cost
from colabel.linalg.data import CentredData, FactoredMatrix
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.normal import solve_normal

#: Memory for the ridges that share a Krylov space, and the residual to which they are solved.
SHIFT_BYTES, TOLERANCE = 2**30, 1e-8

Cell: TypeAlias = dict[str, float]


@dataclass(frozen=True)
class Model:
    """Coefficients from ridge solutions."""

    #: Which b a cell needs, for a number of rows.
    ridges: Callable[[Cell, int], list[float]]
    #: Its coefficients from those solutions (each with q columns) and the number of rows.
    combined: Callable[[list[np.ndarray], int], np.ndarray]


@dataclass(frozen=True)
class Fold(ABC):
    """Training rows with their labels, and held-out rows with theirs."""

    Y: np.ndarray
    held_out: DataMatrix
    truth: np.ndarray

    @staticmethod
    def of(data: CentredData, Y: Any, train: np.ndarray, test: np.ndarray) -> Fold:
        """Some rows factored, where they are not too many for it, others held out."""
        rows = (dense_labels(Y[train]), data[test].core, dense_labels(Y[test]))
        fitted = data[train]
        if min(fitted.core.shape) > cost.DIRECT_LIMIT:
            return IteratedFold(*rows, fitted, {})
        return FactoredFold(*rows, fitted.factorise())

    @cached_property
    def varying(self) -> np.ndarray:
        """Which labels are learned; a label that all training rows have, or none, is constant."""
        return (self.Y[0] != self.Y).any(axis=0)

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Be ready for these cells; where a factorisation serves all, there is nothing to do."""
        return

    def scores(self, cells: list[Cell], model: Model, *, own: bool = False) -> np.ndarray:
        """Scores of the held-out rows (or of its `own` training rows), all cells side by side."""
        base = np.tile(2.0 * self.Y.mean(axis=0) - 1.0, len(cells))
        if not self.varying.any():
            return np.tile(base, (len(self.Y if own else self.truth), 1))
        # many small eigenproblems: threads would cost more than they bring
        with threadpool_limits(1):
            C = np.hstack([self._spread(part) for part in self._solutions(cells, model)])
        return (self._own_scores(C) if own else self._held_out_scores(C)) + base

    @abstractmethod
    def _solutions(self, cells: list[Cell], model: Model) -> Iterator[np.ndarray]:
        """Coefficients of each cell, of the labels that vary."""

    @abstractmethod
    def _own_scores(self, C: np.ndarray) -> np.ndarray:
        """Scores of the training rows, but for their base."""

    @abstractmethod
    def _held_out_scores(self, C: np.ndarray) -> np.ndarray:
        """Scores of the held-out rows, but for their base."""

    def _spread(self, C: np.ndarray) -> np.ndarray:
        """Zeros for labels that do not vary, so that their score is constant to the last bit."""
        if self.varying.all():
            return C
        whole = np.zeros((len(C), len(self.varying)))
        whole[:, self.varying] = C
        return whole


@dataclass(frozen=True)
class FactoredFold(Fold):
    """A fold whose ridge solutions are divisions by Σ² + b, in the coordinates of X̄ = UΣVᵀ."""

    fitted: FactoredMatrix

    def _solutions(self, cells: list[Cell], model: Model) -> Iterator[np.ndarray]:
        svd, n = self.fitted.svd, len(self.Y)
        F = 2.0 * svd.s[:, None] * svd.left_transpose_dot(self.Y[:, self.varying])
        for cell in cells:
            ridges = model.ridges(cell, n)
            yield model.combined([F / (svd.s**2 + b)[:, None] for b in ridges], n)

    def _own_scores(self, C: np.ndarray) -> np.ndarray:
        svd = self.fitted.svd
        return svd.left_dot(svd.s[:, None] * C)

    def _held_out_scores(self, C: np.ndarray) -> np.ndarray:
        svd = self.fitted.svd
        if C.shape[1] > len(svd.s):
            return self._held_out_coordinates @ C
        return self._project(svd.right_dot(C))

    @cached_property
    def _held_out_coordinates(self) -> np.ndarray:
        """Held-out rows in the coordinates V of the training rows, for many columns of C."""
        return self._project(self.fitted.svd.right_dot(np.eye(len(self.fitted.svd.s))))

    def _project(self, P: np.ndarray) -> np.ndarray:
        return self.held_out.uncentred_dot(P) - self.fitted.core.mean @ P


@dataclass(frozen=True)
class IteratedFold(Fold):
    """A fold too large to factor; `solutions` holds the ridge solutions by their b."""

    fitted: CentredData
    solutions: dict[float, np.ndarray]

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Solve for all ridges that the cells need."""
        wanted = sorted({b for cell in cells for b in model.ridges(cell, len(self.Y))})
        wanted = [b for b in wanted if b not in self.solutions]
        if not self.varying.any():
            return
        targets = linear(self.Y[:, self.varying])
        # several at a time share a Krylov space; each takes two arrays of the size of a solution
        together = max(1, SHIFT_BYTES // (16 * self.fitted.core.shape[1] * targets.rank))
        for start in range(0, len(wanted), together):
            some = wanted[start : start + together]
            found = solve_normal(self.fitted.core, targets, some, tol=TOLERANCE)
            self.solutions.update(zip(some, found, strict=True))

    def _solutions(self, cells: list[Cell], model: Model) -> Iterator[np.ndarray]:
        self.prepare(cells, model)
        n = len(self.Y)
        for cell in cells:
            yield model.combined([self.solutions[b] for b in model.ridges(cell, n)], n)

    def _own_scores(self, C: np.ndarray) -> np.ndarray:
        return self.fitted.core.dot(C)

    def _held_out_scores(self, C: np.ndarray) -> np.ndarray:
        return self.held_out.uncentred_dot(C) - self.fitted.core.mean @ C
