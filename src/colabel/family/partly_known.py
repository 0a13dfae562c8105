"""Ridge regressions of labels that are known in some rows only, each on its own rows, exactly."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from colabel._indicator import Indicator, dense_labels
from colabel.linalg import masked
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import IDENTITY
from colabel.linalg.normal import NormalEquations, SingularError

#: Solves with a preconditioner, about.
SOLVES = 20
#: To which share of the targets columns are solved.
TOLERANCE = 1e-13


class PartlyKnown:
    """Labels Y (n×q, 0 and 1) of data, of which each entry counts as much as `counts` says."""

    def __init__(self, data: CentredData, Y: np.ndarray, counts: np.ndarray) -> None:
        self.data, self.counts = data, counts
        self.X = data.core.unweighted
        self.equations = masked.MaskedEquations(self.X, counts)
        self.signs = 2.0 * Y - 1.0
        #: The mean of each column over its rows.
        self.base = self.equations.means(self.signs)

    @cached_property
    def targets(self) -> np.ndarray:
        """What the equations times the solutions are."""
        return self.equations.targets(self.signs)

    @classmethod
    def of(cls, data: CentredData, labels: Indicator) -> PartlyKnown:
        """For labels of which some are unknown."""
        return cls(data, dense_labels(labels.matrix), np.asarray(labels.known_weights))

    def needs_no_start(self, ridges: np.ndarray, free: float = 0.0) -> bool:
        """Whether it is solved over rows, from nothing."""
        return self.X.is_wide and not self.data.is_factored and bool(ridges.min() > free)

    def solve(
        self,
        ridges: np.ndarray,
        start: np.ndarray | None = None,
        Theta: np.ndarray | None = None,
        free: float = 0.0,
    ) -> np.ndarray:
        """Coefficients over the core of the data, each column with its own ridge.

        What lies in the span of the rows of Theta pays `free` less, of ridges that are all equal.
        """
        tol = max(TOLERANCE, 10 * float(np.finfo(self.X.dtype).eps) if self.X.is_dense else 0.0)
        if self.needs_no_start(ridges, free):
            return masked.EquationsOfRows(self.equations, ridges, Theta, free).solve(
                self.signs, tol
            )
        start = np.zeros(self.targets.shape) if start is None else start

        def apply(V: np.ndarray, columns: np.ndarray) -> np.ndarray:
            out = self.equations.dot(V, columns) + ridges[columns] * V
            if Theta is not None:
                out -= free * (Theta.T @ (Theta @ V))
            return out

        return masked.solve(apply, self.targets, start, self._precondition(ridges), tol)

    def intercepts(self, W: np.ndarray) -> np.ndarray:
        """Scores of the mean row, from coefficients over the core."""
        return self.base - self.equations.means(self.X.dot(W))

    def _precondition(self, ridges: np.ndarray) -> masked.ColumnOperator | None:
        """The inverse for all rows, scaled to how many of them a column has."""
        if ridges.min() <= 0:  # of which the least norm is wanted
            return None
        share = self.equations.total / self.data.core.total
        if self.data.is_factored:
            return self._by_factor(ridges, share)
        ridge, mean = float(np.exp(np.mean(np.log(ridges / share)))), float(share.mean())
        equations = NormalEquations(
            self.data.core, IDENTITY, ridge, columns=len(ridges), solves=SOLVES
        )
        if not equations.is_direct:
            return None
        try:
            equations.solve(np.zeros((self.data.core.shape[1], 1)))
        except SingularError:
            return None
        return lambda R, columns: equations.solve(R) / mean

    def _by_factor(self, ridges: np.ndarray, share: np.ndarray) -> masked.ColumnOperator:
        svd = self.data.factorise().svd

        def apply(R: np.ndarray, columns: np.ndarray) -> np.ndarray:
            b, C = ridges[columns], svd.right_transpose_dot(R)
            inside = C / (svd.s[:, None] ** 2 * share[columns] + b)
            return svd.right_dot(inside - C / b) + R / b

        return apply
