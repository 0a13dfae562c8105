"""Ridge regressions of labels whose entries count differently, each on its own rows, exactly.

What is unknown counts 0. Labels are solved for some at a time, so that what their entries count is
never an n×q array where that is large.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

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
    """Labels Y (n×q, 0 and 1) of data, of which each entry counts as much as `counts` says.

    What is factored for one penalty is kept in `factored`, for other labels of the same data.
    """

    def __init__(
        self,
        data: CentredData,
        Y: np.ndarray,
        counts: np.ndarray,
        factored: dict[float, Any] | None = None,
    ) -> None:
        self.data, self.counts = data, counts
        self._factored: dict[float, Any] = {} if factored is None else factored
        self.X = data.core.unweighted
        self.equations = masked.MaskedEquations(self.X, counts)
        self.signs = 2.0 * Y - 1.0
        #: The mean of each column over its rows.
        self.base = self.equations.means(self.signs)

    @cached_property
    def targets(self) -> np.ndarray:
        """What the equations times the solutions are."""
        return self.equations.targets(self.signs)

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
            rows = masked.EquationsOfRows(self.equations, ridges, Theta, free, self._factored)
            return rows.solve(self.signs, tol)
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
        key, mean = float(np.exp(np.mean(np.log(ridges)))), float(share.mean())
        if key not in self._factored:
            ridge = float(np.exp(np.mean(np.log(ridges / share))))
            self._factored[key] = self._factor(ridge, len(ridges))
        equations = self._factored[key]
        return None if equations is None else lambda R, columns: equations.solve(R) / mean

    def _factor(self, ridge: float, columns: int) -> NormalEquations | None:
        """The equations of all rows; None where they are not solved directly."""
        core = self.data.core
        equations = NormalEquations(core, IDENTITY, ridge, columns=columns, solves=SOLVES)
        if not equations.is_direct:
            return None
        try:
            equations.solve(np.zeros((core.shape[1], 1)))
        except SingularError:
            return None
        return equations

    def _by_factor(self, ridges: np.ndarray, share: np.ndarray) -> masked.ColumnOperator:
        svd = self.data.factorise().svd

        def apply(R: np.ndarray, columns: np.ndarray) -> np.ndarray:
            b, C = ridges[columns], svd.right_transpose_dot(R)
            inside = C / (svd.s[:, None] ** 2 * share[columns] + b)
            return svd.right_dot(inside - C / b) + R / b

        return apply


class EachOnItsRows:
    """Ridge regressions of all labels, some at a time; entries count as `labels` say."""

    def __init__(self, data: CentredData, labels: Indicator) -> None:
        self.data, self.labels = data, labels
        self._factored: dict[float, Any] = {}

    def solve(
        self,
        ridges: np.ndarray,
        start: np.ndarray | None = None,
        Theta: np.ndarray | None = None,
        free: float = 0.0,
    ) -> np.ndarray:
        """As :meth:`PartlyKnown.solve`."""
        found = np.empty((self.data.core.shape[1], len(ridges)))
        for part in self.labels.parts():
            some = self.labels.columns(part)
            counts = np.asarray(some.known_weights)
            known = PartlyKnown(self.data, dense_labels(some.matrix), counts, self._factored)
            begin = None if start is None else start[:, part]
            found[:, part] = known.solve(ridges[part], begin, Theta, free)
        return found
