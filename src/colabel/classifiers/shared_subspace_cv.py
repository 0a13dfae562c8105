"""The shared-subspace classifier with both penalties and the thresholds tuned."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from colabel._plotting import axes
from colabel._validation import Indicator, Interval, as_penalties
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.shared_subspace import coefficients, split_labels
from colabel.classifiers.grid import Axes, Cell, Model, TunedOnGrid
from colabel.classifiers.shared_subspace import (
    SharedSubspaceClassifier,
    subspace_dimension,
)

#: The penalties that Ji et al. search, who end at 1, and two more.
PENALTIES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


class SharedSubspaceClassifierCV(TunedOnGrid, SharedSubspaceClassifier):
    """:class:`SharedSubspaceClassifier` with α, β and the thresholds found by cross-validation.

    The whole grid costs one factorisation a fold; when there are more features than rows, the folds
    are rotations of one factorisation of X, and nothing depends on the number of features after it.

    Parameters
    ----------
    alphas : sequence of float, default=(0, 1e-6, 1e-5, …, 100)
        Candidates for α.
    betas : sequence of float, default=(0, 1e-6, 1e-5, …, 100)
        Candidates for β. Where the best is the last of the default ones, up to three more are
        tried; other candidates than these are not left, and a warning says where the best is the
        last of them.
    n_components : int or None, default=None
        The dimension of the shared subspace. None: 5⌊(q − 1)/5⌋ for q labels that vary, at least 1.
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
    alpha_, beta_ : float
        The best penalties.
    best_score_ : float
        Their mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a fold fits all candidates at once.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide, and off the intercepts; zeros
        without tuning.
    coef_, intercept_, subspace_, mean_, n_components_, classes_, label_names_, solver_
        As in :class:`SharedSubspaceClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import SharedSubspaceClassifierCV
    >>> X, Y = make_multilabel_classification(n_samples=200, n_classes=8, random_state=0)
    >>> model = SharedSubspaceClassifierCV(random_state=0).fit(X, Y)
    >>> len(model.cv_results_["params"])
    100
    >>> model.predict(X).shape
    (200, 8)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alphas": ["array-like"],
        "betas": ["array-like"],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        **TunedOnGrid._search_constraints,
    }

    def __init__(
        self,
        alphas: Sequence[float] = PENALTIES,
        betas: Sequence[float] = PENALTIES,
        n_components: int | None = None,
        *,
        cv: Any = 5,
        scoring: Any = "f1_macro",
        thresholds: str | None = "out-of-fold",
        n_jobs: int | None = None,
        verbose: bool = True,
        random_state: Any = None,
    ) -> None:
        self.alphas = alphas
        self.betas = betas
        self.n_components = n_components
        self.cv = cv
        self.scoring = scoring
        self.thresholds = thresholds
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _candidates(self, data: FactoredMatrix, labels: Indicator) -> tuple[Axes, Model]:
        q, d = labels.matrix.shape[1], data.shape[1]
        subspace_dimension(self.n_components, q, d)  # refuses what is too large

        def ridges(cell: Cell, n: int) -> list[float]:
            return [n * cell["beta"], n * (cell["alpha"] + cell["beta"])]

        def combined(solutions: list[np.ndarray], n: int) -> np.ndarray:
            W1, W2 = solutions
            r = subspace_dimension(self.n_components, q, d, W1.shape[1])
            return coefficients(W1, W2, split_labels(W1, W2, r)[1], 1)

        axes = {
            "alpha": as_penalties("alphas", self.alphas),
            "beta": as_penalties("betas", self.betas),
        }
        return axes, Model(ridges, combined)

    def grid_scores(self) -> tuple[list[float], list[float], np.ndarray]:
        """The penalties that were tried, those beyond the ends of the grid too, and their scores.

        Returns
        -------
        alphas, betas : list of float
        scores : ndarray of shape (len(alphas), len(betas))
            Means over the folds.
        """
        found = self.cv_results_
        row = int(np.argmax(np.append(found["param_alpha"] != found["param_alpha"][0], True)))
        alphas, betas = found["param_alpha"][::row], found["param_beta"][:row]
        return alphas.tolist(), betas.tolist(), found["mean_test_score"].reshape(-1, row)

    def plot_grid(self, ax: Any = None) -> Any:
        """Draw the mean score over the grid of penalties, the best cell marked.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        ax = axes(ax)
        alphas, betas, scores = self.grid_scores()
        shape = scores.shape
        image = ax.imshow(scores, origin="lower", cmap="viridis")
        ax.figure.colorbar(image, ax=ax, label=f"mean {self.scoring}")
        ax.set_xticks(range(shape[1]), [f"{beta:g}" for beta in betas])
        ax.set_yticks(range(shape[0]), [f"{alpha:g}" for alpha in alphas])
        ax.set(xlabel="beta", ylabel="alpha", title=f"best: {self.best_score_:.4f}")
        row, column = divmod(int(np.argmax(scores)), shape[1])
        ax.plot(column, row, marker="o", markersize=14, fillstyle="none", color="red")
        return ax
