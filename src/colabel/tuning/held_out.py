"""Scores of rows by ridge models that have not seen them, for every penalty and label at once.

Every tuned model is made of ridge solutions W = (X̄ᵀX̄ + bI)⁻¹X̄ᵀȲ. One eigendecomposition of the
smaller one of X̄ᵀX̄ and X̄X̄ᵀ gives them for every b, with no rank to decide on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from colabel.family.choose import solve_ridge
from colabel.family.ridge import RidgeSolutions
from colabel.linalg import small
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.linalg.matrix import DataMatrix

#: The residual to which solutions are found where nothing is factored.
TOLERANCE = 1e-8


class Targets:
    """Labels of the rows to train on, as ±1 less their means; 0 where a label does not vary."""

    def __init__(self, Y: np.ndarray, weights: np.ndarray | None = None) -> None:
        self.Y, self.weights, self.rows = Y, weights, len(Y)
        #: What rows count together.
        self.n = len(Y) if weights is None else float(weights.sum())
        share = Y.mean(axis=0, dtype=np.float64)
        self.varying = (share > 0) & (share < 1)
        if weights is not None:
            share = np.where(self.varying, weights @ Y / self.n, share)
        #: The score of the mean row.
        self.base = 2.0 * share - 1.0

    def part_of(self) -> np.ndarray | float:
        """What each row counts as a part of all."""
        return 1.0 / self.n if self.weights is None else self.weights / self.n

    def root(self) -> np.ndarray | float:
        """What each row of X̄ is multiplied with."""
        return 1.0 if self.weights is None else np.sqrt(self.weights)[:, None]

    def centred(self) -> np.ndarray:
        """Ȳ, as rows of X̄ are weighted."""
        return self.without_constant(self.root() * (2.0 * self.Y - 1.0 - self.base))

    def cross(self, core: DataMatrix) -> np.ndarray:
        """X̄ᵀȲ."""
        product = core.tdot(core.weigh(self.Y))
        return self.without_constant(2.0 * product.astype(np.float64, copy=False))

    def without_constant(self, F: np.ndarray) -> np.ndarray:
        """F, with exact zeros for labels that do not vary: their scores are constant then."""
        F[:, ~self.varying] = 0.0
        return F


class Spectrum:
    """Ridge solutions for all b, from the eigenvalues `lam` and eigenvectors `E` of a Gram.

    It is X̄ᵀX̄, and the targets are X̄ᵀȲ; or it is X̄X̄ᵀ, `in_rows`, and the targets are Ȳ. Eigenvectors
    whose eigenvalue is 0 may be missing.
    """

    def __init__(
        self, lam: np.ndarray, E: np.ndarray, targets: np.ndarray, *, in_rows: bool
    ) -> None:
        self.lam, self.E, self.in_rows = np.maximum(lam, 0.0), E, in_rows
        #: The targets in the coordinates of E.
        self.z = E.T @ targets
        #: What stands for a penalty of 0: the least that rounding tells from it.
        self.least = len(E) * float(np.finfo(np.float64).eps) * float(self.lam.max(initial=0.0))

    @classmethod
    def of(cls, gram: np.ndarray, targets: np.ndarray, *, in_rows: bool) -> Self:
        """Of a Gram, which it is computed in the place of."""
        lam, E = small.eigh(gram, overwrite=True)
        return cls(lam, E, targets, in_rows=in_rows)

    def solve(self, b: float) -> np.ndarray:
        """W; or A with W = X̄ᵀA where the Gram is that of the rows."""
        return self.E @ (self.z / (self.lam + max(b, self.least))[:, None])

    def overlap(self, b: float, c: float) -> np.ndarray:
        """W_cᵀW_b, which is symmetric."""
        weights = 1.0 / ((self.lam + max(b, self.least)) * (self.lam + max(c, self.least)))
        return self.z.T @ (self.z * (weights * self.lam if self.in_rows else weights)[:, None])


class HeldOut(ABC):
    """Ridge models, one for each penalty b, and their scores of rows that they have not seen."""

    #: Numbers of the rows that are scored.
    rows: np.ndarray
    targets: Targets

    @property
    def n(self) -> float:
        """How many rows a model is fitted on, or what they count together."""
        return self.targets.n

    def put_on_level(self, scores: np.ndarray) -> None:
        """Make scores by models of different intercepts comparable, in their place."""
        return

    def prepare(self, ridges: list[float]) -> None:
        """Be ready for these penalties: what is common to several is done once then."""
        return

    def expect(self, ridges: list[float]) -> None:
        """Scores of these will be asked for next, in this order."""
        return

    def solve_all(
        self, data: CentredData, targets: Similarity, ridges: list[float]
    ) -> tuple[RidgeSolutions, str]:
        """Solutions of all rows, from what is known of them already, and the solver."""
        return solve_ridge(data, targets, ridges, tol=TOLERANCE)

    @abstractmethod
    def scores(self, b: float) -> np.ndarray:
        """Scores of the rows, in an array of their own."""

    @abstractmethod
    def own_scores(self, b: float) -> np.ndarray:
        """Scores of the rows that the models are fitted on."""

    @abstractmethod
    def overlap(self, b: float, c: float) -> np.ndarray:
        """W_cᵀW_b."""
