"""Ridge regression on ±1 labels: the plain linear baseline of every comparison."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from colabel._base import LinearScorer
from colabel._partial_fit import FittedInParts
from colabel._validation import Indicator, Interval, StrOptions, as_penalties
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.least_squares import ridge_solutions
from colabel.algebra.similarity import linear
from colabel.classifiers.grid import Axes, Model, TunedOnGrid


class LabelRidge(LinearScorer, FittedInParts):
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
        Column numbers of the labels (0 and 1 for a single column), or the classes of a 1-D y.
    label_names_ : ndarray of shape (q,)
    solver_ : str
        The solver used.
    moments_ : Moments
        The sums over rows that `partial_fit` adds to; `fit` keeps none.

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

    _solution = "coef_"
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
        return self._solve(data, labels, self.alpha)

    def _solve(self, data: FactoredMatrix, labels: Indicator, alpha: float) -> np.ndarray:
        targets = linear(labels.learned.matrix)
        (W,), self.solver_ = ridge_solutions(
            data, targets, [alpha], solver=self.solver, tol=self.tol
        )
        return labels.spread(data.lift(W))


class LabelRidgeCV(TunedOnGrid, LabelRidge):
    """:class:`LabelRidge` with α and the thresholds found by cross-validation.

    All candidates cost one factorisation a fold; when there are more features than rows, the folds
    are rotations of one factorisation of X.

    Parameters
    ----------
    alphas : sequence of float, default=(1e-3, 1e-2, …, 1e3)
        Candidates; they are not scaled by the number of rows. Where the best is the last of the
        default ones, up to three more are tried; other candidates than these are not left, and a
        warning says where the best is the last of them.
    cv : int, splitter or iterable, default=5
        Folds, shuffled if an int.
    scoring : str or callable, default="f1_macro"
        A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    thresholds : {"out-of-fold", "train", None}, default="out-of-fold"
        Whether each label's threshold is tuned for F1, and on which scores: those of the held-out
        rows of the other folds, and of all folds for the final model; or those of the training
        rows, as the papers do. None cuts at 0.
    n_jobs : int or None, default=None
        Folds at a time, in threads.
    verbose : bool, default=True
        Whether to show a progress bar on a terminal when it takes over two seconds.
    random_state : int, RandomState or None, default=None
        Seeds the shuffling of the folds.

    Attributes
    ----------
    alpha_ : float
        The best candidate.
    best_score_ : float
        Its mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a fold fits all candidates at once.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide, and off the intercepts; zeros
        without tuning.
    coef_, intercept_, classes_, label_names_, solver_
        As in :class:`LabelRidge`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import LabelRidgeCV
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = LabelRidgeCV(random_state=0).fit(X, Y)
    >>> model.alpha_ in model.cv_results_["param_alpha"]
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alphas": ["array-like"],
        **TunedOnGrid._search_constraints,
    }

    def __init__(
        self,
        alphas: Sequence[float] = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0),
        *,
        cv: Any = 5,
        scoring: Any = "f1_macro",
        thresholds: str | None = "out-of-fold",
        n_jobs: int | None = None,
        verbose: bool = True,
        random_state: Any = None,
    ) -> None:
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.thresholds = thresholds
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _candidates(self, data: FactoredMatrix, labels: Indicator) -> tuple[Axes, Model]:
        axes = {"alpha": as_penalties("alphas", self.alphas)}
        return axes, Model(lambda cell, n: [cell["alpha"]], lambda solutions, n: solutions[0])
