"""Ridge regression on ±1 labels: the plain linear baseline of every comparison."""

from dataclasses import field
from functools import partial

import numpy as np

from colabel._bases import LinearScorer
from colabel._in_parts import FittedInParts
from colabel._kernels import Kernelised
from colabel._labels import Indicator
from colabel._parameters import NonNegative, Residual
from colabel._public import public
from colabel.family.choose import RidgeSolverName, SolveRidge, solve_ridge
from colabel.family.similarity import linear
from colabel.linalg.data import CentredData


class RidgeScorer(LinearScorer, Kernelised, FittedInParts):
    """One ridge regression a label, of whatever penalty."""

    _solution = "coef_"

    def _solve(
        self, data: CentredData, labels: Indicator, solve: SolveRidge, alpha: float
    ) -> np.ndarray:
        found, self.solver_ = solve(data, linear(labels.learned.weighted), [alpha])
        return labels.spread(data.lift(found.expand(found.coordinates[0])))


@public
class LabelRidge(RidgeScorer):
    """min ‖X̄W − Ȳ‖² + α‖W‖²: one ridge regression a label, all solved at once.

    Ȳ are the centred ±1 labels. It is :class:`SharedSubspaceClassifier` with ``alpha=0`` and
    ``beta=α/n``. ``alpha=0`` gives the solution of minimum norm.

    Parameters
    ----------
    alpha
        α ≥ 0; it is not scaled by the number of rows.

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

    alpha: NonNegative = field(default=1.0, kw_only=False)
    solver: RidgeSolverName = "auto"
    tol: Residual = 1e-10

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        solve = partial(solve_ridge, solver=self.solver, tol=self.tol)
        return self._solve(data, labels, solve, self.alpha)
