"""Ridge regression on ±1 labels: the plain linear baseline of every comparison."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from colabel._base import LinearScorer
from colabel._validation import Indicator, Interval, StrOptions
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.least_squares import ridge_solutions
from colabel.algebra.similarity import linear


class LabelRidge(LinearScorer):
    """min ‖X̄W − Ȳ‖² + α‖W‖²: one ridge regression a label, all solved at once.

    Ȳ are the centred ±1 labels. It is :class:`SharedSubspaceClassifier` with ``alpha=0`` and
    ``beta=α/n``. ``alpha=0`` gives the solution of minimum norm.

    Parameters
    ----------
    alpha : float, default=1.0
        α ≥ 0; it is not scaled by the number of rows.
    solver : {"auto", "factor", "two-stage"}, default="auto"
        "factor" goes through the singular value decomposition of X, "two-stage" through a block
        solve; both give the same coefficients. "auto" takes the cheaper.
    tol : float, default=1e-10
        Relative residual at which an iterative solve stops; the direct ones ignore it.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
    intercept_ : ndarray of shape (q,)
    classes_ : ndarray
        Column numbers of the labels, or the classes of a 1-D y.
    label_names_ : ndarray of shape (q,)
    solver_ : str
        The solver used.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"auto", "factor", "two-stage"})],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, alpha: float = 1.0, *, solver: str = "auto", tol: float = 1e-10) -> None:
        self.alpha = alpha
        self.solver = solver
        self.tol = tol

    def _coefficients(self, data: FactoredMatrix, labels: Indicator) -> np.ndarray:
        targets = linear(labels.matrix)
        (W,), self.solver_ = ridge_solutions(
            data, targets, [self.alpha], solver=self.solver, tol=self.tol
        )
        return data.lift(W)
