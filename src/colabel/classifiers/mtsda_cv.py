"""MtSDA with its penalties tuned."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from colabel._progress import progress
from colabel._validation import Indicator, Interval, as_folds, as_penalties, dense_labels
from colabel.algebra.elastic_net import Penalty
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.optimal_scoring import LabelRange
from colabel.algebra.predictors import standardised
from colabel.classifiers.edges import open_ends, warn_of_ends
from colabel.classifiers.judging import Judge
from colabel.classifiers.mtsda import MtSDA
from colabel.classifiers.mtsda_plots import plot_rho
from colabel.metrics import scorable_labels


class MtSDACV(MtSDA):
    """:class:`MtSDA` with λ₁, λ₂ and ρ found by cross-validation.

    For each λ₂ and ρ a fold is fitted along a path of decreasing λ₁, each model starting from the
    one before. The model with the best mean score is then fitted on all rows from scratch, so that
    it is the :class:`MtSDA` of these parameters.

    Parameters
    ----------
    l1s : int or sequence of float, default=10
        Candidates for λ₁, or their number: then from λ₁max, where the first coefficient appears,
        down to ``eps`` times it, evenly in their logarithms.
    l2s : sequence of float, default=(0.01, 0.1, 1.0)
        Candidates for λ₂.
    rhos : sequence of float, default=(0.0,)
        Candidates for ρ, between 1/(1 − d) and 1 for d features.
    eps : float, default=0.1
        The smallest λ₁ as a share of λ₁max; for a number of candidates only.
    n_components : int or None, default=None
        As in :class:`MtSDA`, and so are the next four.
    max_iter : int, default=300
    tol : float, default=1e-6
    standardize : bool, default=True
    decode : {"linear", "exact"}, default="linear"
    cv : int, splitter or iterable, default=5
        Folds, shuffled if an int.
    scoring : str or callable, default="auc_micro"
        A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    n_jobs : int or None, default=None
        Folds at a time.
    verbose : bool, default=True
        Whether to show a progress bar on a terminal when it takes over two seconds.
    random_state : int, RandomState or None, default=None
        Seeds the shuffling of the folds.

    Attributes
    ----------
    l1_, l2_, rho_ : float
        The best parameters.
    best_score_ : float
        Their mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a model starts from the one before.
        Folds whose held-out rows have nothing to rank are NaN and do not count.
    components_, scores_, coef_, intercept_, threshold_, objective_, n_nonzero_, selected_features_
        As in :class:`MtSDA`, and so are the others.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MtSDACV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> Y = (X[:, :3] + X[:, 1:4] > 0).astype(int)
    >>> model = MtSDACV(l1s=5, l2s=(0.1,), random_state=0).fit(X, Y)
    >>> len(model.cv_results_["params"])
    5
    >>> bool(model.best_score_ > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "l1s": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "l2s": ["array-like"],
        "rhos": ["array-like"],
        "eps": [Interval(Real, 0, 1, closed="neither")],
        **{
            name: MtSDA._parameter_constraints[name]
            for name in ("n_components", "max_iter", "tol", "standardize", "decode")
        },
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    # the final model is the MtSDA of the best parameters
    warm_start = False
    n_init = 1

    def __init__(
        self,
        l1s: int | Sequence[float] = 10,
        l2s: Sequence[float] = (0.01, 0.1, 1.0),
        rhos: Sequence[float] = (0.0,),
        *,
        eps: float = 0.1,
        n_components: int | None = None,
        max_iter: int = 300,
        tol: float = 1e-6,
        standardize: bool = True,
        decode: str = "linear",
        cv: Any = 5,
        scoring: Any = "auc_micro",
        n_jobs: int | None = None,
        verbose: bool = True,
        random_state: Any = None,
    ) -> None:
        self.l1s = l1s
        self.l2s = l2s
        self.rhos = rhos
        self.eps = eps
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.standardize = standardize
        self.decode = decode
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _coefficients(self, data: FactoredMatrix, labels: Indicator) -> np.ndarray:
        cells = self._cells(data, labels)
        splits = as_folds(self.cv, data, labels.learned, self.random_state)
        jobs = (delayed(self._judge)(data, labels, cells, *split) for split in splits)
        folds = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        bar = progress(folds, total=len(splits), description="folds", enabled=bool(self.verbose))
        self.cv_results_ = _results(cells, np.array(list(bar)))
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        ends = open_ends(cells, self.cv_results_["mean_test_score"], self._bounds(data, cells))
        warn_of_ends(ends, stacklevel=4)
        self.l1_, self.l2_, self.rho_ = (cells[best][name] for name in ("l1", "l2", "rho"))
        return self._solve(data, labels, Penalty(self.l1_, self.l2_, self.rho_))

    def _cells(self, data: FactoredMatrix, labels: Indicator) -> list[dict[str, float]]:
        """What to try, each path of λ₁ in a row."""
        rhos = np.asarray(self.rhos, dtype=np.float64)
        if rhos.ndim != 1 or not len(rhos):
            raise ValueError(f"rhos must be a sequence of numbers below 1; got {self.rhos!r}")
        for rho in rhos:
            Penalty(0.0, 0.0, float(rho)).check(data.shape[1])
        if isinstance(self.l1s, Integral):
            Y = labels.matrix[:, self._varying_labels(labels)]
            highest = LabelRange.of(Y).l1_max(standardised(data, self.standardize).X)
            l1s = (highest * np.geomspace(1, self.eps, self.l1s)).tolist()
        else:
            l1s = sorted(as_penalties("l1s", self.l1s), reverse=True)
        grid = product(as_penalties("l2s", self.l2s), rhos.tolist(), l1s)
        return [{"l1": l1, "l2": l2, "rho": rho} for l2, rho, l1 in grid]

    def _bounds(self, data: FactoredMatrix, cells: list[dict[str, float]]) -> Any:
        """What no candidate can lie beyond; from the first of a number of λ₁ on all are zero."""
        highest = cells[0]["l1"] if isinstance(self.l1s, Integral) else np.inf
        lowest_rho = 1.0 / (1.0 - data.shape[1]) if data.shape[1] > 1 else -np.inf
        found = {"l1": (0.0, highest), "l2": (0.0, np.inf), "rho": (lowest_rho, 1.0)}
        return found.__getitem__

    def _judge(
        self,
        data: FactoredMatrix,
        labels: Indicator,
        cells: list[dict[str, float]],
        train: np.ndarray,
        test: np.ndarray,
    ) -> list[float]:
        """Scores of the cells on the held-out rows of a fold."""
        judge = Judge.of(self.scoring, labels)
        model = MtSDA(
            n_components=self.n_components,
            max_iter=self.max_iter,
            tol=self.tol,
            standardize=self.standardize,
            # the highest score decides either way
            decode="linear" if judge.one_each else self.decode,
        )
        fitted, held_out = (_rows(data, index) for index in (train, test))
        counted = labels.varying | ~labels.varying.any()
        truth = dense_labels(labels.matrix[test])[:, counted]
        found = []
        for i, cell in enumerate(cells):
            continues = i > 0 and all(cell[key] == cells[i - 1][key] for key in ("l2", "rho"))
            model.set_params(warm_start=continues, **cell)
            with warnings.catch_warnings():
                # of labels that do not vary here, and of rounds: said once, by the final model
                warnings.simplefilter("ignore", UserWarning)
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(fitted, labels.matrix[train])
            scores = model.uncut_scores(held_out)[:, counted]
            found.append(_measured(judge, truth, scores, model._cuts[counted]))
        return found

    def plot_rho(self, ax: Any = None) -> Any:
        """Draw the scores of the folds against ρ, at the best λ₁ and λ₂.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        results = self.cv_results_
        there = (results["param_l1"] == self.l1_) & (results["param_l2"] == self.l2_)
        folds = [values[there] for key, values in results.items() if key.startswith("split")]
        ax = plot_rho(results["param_rho"][there], np.transpose(folds), ax=ax)
        ax.set_ylabel(f"{self.scoring}, λ₁={self.l1_:.3g}, λ₂={self.l2_:.3g}")
        return ax


def _rows(data: FactoredMatrix, index: np.ndarray) -> FactoredMatrix:
    """Some rows, with their features: fm[index] would keep coordinates only."""
    return FactoredMatrix(data.core.rows(index), data.row_space)


def _measured(judge: Judge, truth: np.ndarray, scores: np.ndarray, cuts: np.ndarray) -> float:
    """NaN where held-out rows have nothing to rank."""
    try:
        return float(judge(truth, scores, cuts))
    except ValueError:
        if scorable_labels(truth).any():
            raise
        return np.nan


def _results(cells: list[dict[str, float]], scores: np.ndarray) -> dict[str, Any]:
    """`cv_results_` from scores, folds × cells, with the keys that scikit-learn's searches have."""
    counted = scores[~np.isnan(scores).any(axis=1)]
    mean = counted.mean(axis=0) if len(counted) else np.full(len(cells), np.nan)
    return {
        **{f"param_{name}": np.array([cell[name] for cell in cells]) for name in cells[0]},
        "params": cells,
        **{f"split{i}_test_score": row for i, row in enumerate(scores)},
        "mean_test_score": mean,
        "std_test_score": counted.std(axis=0) if len(counted) else mean,
        "rank_test_score": rankdata(-mean, method="min", nan_policy="omit"),
    }
