"""Ridge regression on ±1 labels: the plain linear baseline of every comparison."""

from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from colabel._bases import LinearScorer
from colabel._class_weights import ClassWeight
from colabel._in_parts import FittedInParts
from colabel._indicator import Indicator
from colabel._kernels import Kernelised
from colabel._parameters import NonNegative, Penalties, Residual, as_penalties
from colabel.family.choose import RidgeSolverName, SolveRidge, solve_ridge
from colabel.family.partly_known import EachOnItsRows
from colabel.family.similarity import linear
from colabel.linalg.data import CentredData


class RidgeScorer(LinearScorer, Kernelised, FittedInParts):
    """One ridge regression a label, of whatever penalty; each on the rows where it is known."""

    class_weight: ClassWeight = None

    _solution = "coef_"

    def _solve(
        self, data: CentredData, labels: Indicator, solve: SolveRidge, alpha: Any
    ) -> np.ndarray:
        learned = labels.learned
        if learned.counts_entries:
            self.solver_, data = "two-stage", data.with_axes()
            ridges = np.full(learned.matrix.shape[1], alpha, dtype=np.float64)
            return labels.spread(data.lift(EachOnItsRows(data, learned).solve(ridges)))
        found, self.solver_ = solve(data, linear(learned.weighted), [alpha])
        return labels.spread(data.lift(found.expand(found.coordinates[0])))


class LabelRidge(RidgeScorer):
    """min ‖X̄W − Ȳ‖² + α‖W‖²: one ridge regression a label, all solved at once.

    Ȳ are the centred ±1 labels. It is :class:`SharedSubspaceClassifier` with ``alpha=0`` and
    ``beta=α/n``. ``alpha=0`` gives the solution of minimum norm.

    Parameters
    ----------
    alpha
        α ≥ 0; it is not scaled by the number of rows. A sequence has one for each label, by
        divisions in the singular value decomposition of X (``solver="factor"``).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import LabelRidge
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> LabelRidge(alpha=0.1).fit(X, Y).predict(X)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])
    """

    _needs_axes = False

    alpha: NonNegative | Penalties = field(default=1.0, kw_only=False)
    solver: RidgeSolverName = "auto"
    tol: Residual = 1e-10

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        several = np.ndim(self.alpha) > 0
        solver = self._by_factor() if several else self.solver
        solve = partial(solve_ridge, solver=solver, tol=self.tol)
        return self._solve(data, labels, solve, self._alphas(labels) if several else self.alpha)

    def _by_factor(self) -> RidgeSolverName:
        if self.solver == "two-stage":
            raise ValueError(
                "solver='two-stage' solves for one penalty at a time, and alpha has one for each "
                "label; use solver='factor' or 'auto'"
            )
        return "factor"

    def _alphas(self, labels: Indicator) -> np.ndarray:
        """The penalties of the labels that are learned."""
        alphas = np.array(as_penalties("alpha", self.alpha))
        q = len(labels.names)
        if len(alphas) != q:
            raise ValueError(
                f"alpha has {len(alphas)} values for {q} labels; give one for each label, or one "
                "number for all"
            )
        return alphas if len(labels.learned.names) == q else alphas[labels.varying]
