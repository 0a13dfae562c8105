"""MtSDA with its penalties tuned."""

import warnings
from dataclasses import field
from itertools import product
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from colabel._indicator import Indicator, dense_labels
from colabel._parameters import (
    Count,
    Folds,
    FoldSeed,
    Fraction,
    Penalties,
    Scoring,
    Verbose,
    as_penalties,
)
from colabel._plotting import PlotAxes
from colabel._terminal import progress
from colabel.classifiers.mtsda.classifier import MtSDA
from colabel.classifiers.mtsda.discriminant import SparseDiscriminant, mean_weighted
from colabel.classifiers.mtsda.optimal_scoring import LabelRange
from colabel.classifiers.mtsda.paths import plot_rho
from colabel.classifiers.mtsda.penalty import Penalty
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg.data import CentredData
from colabel.metrics import scorable_labels
from colabel.tuning.calibrated import CalibratedLabels
from colabel.tuning.calibration import calibrate_labels
from colabel.tuning.cells import Cell, search_results
from colabel.tuning.edges import open_ends, warn_of_ends
from colabel.tuning.folds import as_folds
from colabel.tuning.judge import Judge


class MtSDACV(CalibratedLabels, SparseDiscriminant):
    """:class:`~colabel.MtSDA` with λ₁, λ₂ and ρ found by cross-validation.

    For each λ₂ and ρ a fold is fitted along a path of decreasing λ₁, each model starting from the
    one before. The model with the best mean score is then fitted on all rows from scratch, so that
    it is the :class:`MtSDA` of these parameters.

    Parameters
    ----------
    l1s
        Candidates for λ₁, or their number: then from λ₁max, where the first coefficient appears,
        down to ``eps`` times it, evenly in their logarithms.
    l2s
        Candidates for λ₂.
    rhos
        Candidates for ρ, between 1/(1 − d) and 1 for d features.
    eps
        The smallest λ₁ as a share of λ₁max; for a number of candidates only.
    n_jobs
        Folds at a time.

    Attributes
    ----------
    l1_, l2_, rho_ : float
        The best parameters.
    best_score_ : float
        Their mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a model starts from the one before.
        Folds whose held-out rows have nothing to rank are NaN and do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MtSDACV
    >>> X = np.random.default_rng(0).normal(size=(200, 50))
    >>> Y = (X[:, :3] + X[:, 1:4] > 0).astype(int)
    >>> model = MtSDACV(l1s=5, l2s=(0.1,), random_state=0).fit(X, Y)
    >>> len(model.cv_results_["params"])
    5
    >>> bool(model.best_score_ > 0.95)
    True
    """

    l1s: Count | Penalties = field(default=10, kw_only=False)
    l2s: Penalties = field(default=(0.01, 0.1, 1.0), kw_only=False)
    rhos: Penalties = field(default=(0.0,), kw_only=False)
    eps: Fraction = 0.1
    n_components: Count | None = None
    cv: Folds = 5
    scoring: Scoring = "auc_micro"
    n_jobs: int | None = None
    verbose: Verbose = True
    random_state: FoldSeed = None

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        # refused for all rows before any fold is fitted: a fold may lack some of the labels
        varying = self._varying_labels(labels)
        cells = self._cells(data, mean_weighted(labels)[:, varying])
        splits = as_folds(self.cv, data, labels.learned, self.random_state)
        jobs = (delayed(self._judge)(data, labels, cells, *split) for split in splits)
        folds = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        bar = progress(folds, total=len(splits), description="folds", enabled=bool(self.verbose))
        judged, scores = zip(*bar, strict=True)
        self.cv_results_ = search_results(cells, np.array(judged))
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        rows = np.concatenate([test for _, test in splits])
        self._held_out = rows, np.vstack([of_fold[best] for of_fold in scores])
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        ends = open_ends(cells, self.cv_results_["mean_test_score"], self._bounds(data, cells))
        warn_of_ends(ends, stacklevel=4)
        self.l1_, self.l2_, self.rho_ = (cells[best][name] for name in ("l1", "l2", "rho"))
        return self._solve(data, labels, Penalty(self.l1_, self.l2_, self.rho_))

    def _keep(self, U: np.ndarray, data: CentredData, labels: Indicator) -> Self:
        super()._keep(U, data, labels)
        rows, scores = self.__dict__.pop("_held_out")
        counted = labels.varying | ~labels.varying.any()
        truth = dense_labels(labels.matrix[rows])[:, counted]
        weights = None if labels.row_weights is None else labels.row_weights[rows]
        self.calibration_ = calibrate_labels(scores, truth, labels, self._cuts, weights)
        return self

    def _cells(self, data: CentredData, Y: Any) -> list[Cell]:
        """What to try, each path of λ₁ in a row."""
        rhos = np.asarray(self.rhos, dtype=np.float64)
        if rhos.ndim != 1 or not len(rhos):
            raise ValueError(f"rhos must be a sequence of numbers below 1; got {self.rhos!r}")
        for rho in rhos:
            Penalty(0.0, 0.0, float(rho)).check(data.shape[1])
        if isinstance(self.l1s, Integral):
            highest = LabelRange.of(Y).l1_max(standardise(data, self.standardize).X)
            l1s = (highest * np.geomspace(1, self.eps, self.l1s)).tolist()
        else:
            l1s = sorted(as_penalties("l1s", self.l1s), reverse=True)
        grid = product(as_penalties("l2s", self.l2s), rhos.tolist(), l1s)
        return [{"l1": l1, "l2": l2, "rho": rho} for l2, rho, l1 in grid]

    def _bounds(self, data: CentredData, cells: list[Cell]) -> Any:
        """What no candidate can lie beyond; from the first of a number of λ₁ on all are zero."""
        highest = cells[0]["l1"] if isinstance(self.l1s, Integral) else np.inf
        lowest_rho = 1.0 / (1.0 - data.shape[1]) if data.shape[1] > 1 else -np.inf
        found = {"l1": (0.0, highest), "l2": (0.0, np.inf), "rho": (lowest_rho, 1.0)}
        return found.__getitem__

    def _judge(
        self,
        data: CentredData,
        labels: Indicator,
        cells: list[Cell],
        train: np.ndarray,
        test: np.ndarray,
    ) -> tuple[list[float], list[np.ndarray]]:
        """How good the cells are on the held-out rows of a fold, and their scores of these."""
        judge = Judge.of(self.scoring, labels)
        model = MtSDA(
            n_components=self.n_components,
            max_iter=self.max_iter,
            tol=self.tol,
            standardize=self.standardize,
            label_means=self.label_means,
            # the highest score decides either way
            decode="linear" if judge.one_each else self.decode,
        )
        weights = labels.row_weights
        fitted, held_out = (data.plain.rows(index) for index in (train, test))
        of_fitted, of_held_out = (
            (None, None) if weights is None else (weights[train], weights[test])
        )
        counted = labels.varying | ~labels.varying.any()
        truth = dense_labels(labels.matrix[test])[:, counted]
        counts = labels.known_weights
        known = None if counts is None else counts[test][:, counted] > 0
        found, kept = [], []
        for i, cell in enumerate(cells):
            continues = i > 0 and all(cell[key] == cells[i - 1][key] for key in ("l2", "rho"))
            model.set_params(warm_start=continues, **cell)
            with warnings.catch_warnings():
                # of labels that do not vary here, and of rounds: said once, by the final model
                warnings.simplefilter("ignore", UserWarning)
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(fitted, labels.known_rows(train), of_fitted)
            scores = model.uncut_scores(held_out)[:, counted]
            scores = scores if known is None else np.where(known, scores, np.nan)
            cuts = np.asarray(model._cuts)[counted]
            found.append(_measure(judge, truth, scores, cuts, of_held_out))
            kept.append(scores.astype(np.float32))
        return found, kept

    def plot_rho(self, ax: PlotAxes | None = None) -> PlotAxes:
        """Draw the scores of the folds against ρ, at the best λ₁ and λ₂."""
        results = self.cv_results_
        there = (results["param_l1"] == self.l1_) & (results["param_l2"] == self.l2_)
        folds = [values[there] for key, values in results.items() if key.startswith("split")]
        ax = plot_rho(results["param_rho"][there], np.transpose(folds), ax=ax)
        ax.set_ylabel(f"{self.scoring}, λ₁={self.l1_:.3g}, λ₂={self.l2_:.3g}")
        return ax


def _measure(
    judge: Judge,
    truth: np.ndarray,
    scores: np.ndarray,
    cuts: np.ndarray,
    weights: np.ndarray | None,
) -> float:
    """NaN where held-out rows have nothing to rank."""
    try:
        return float(judge(truth, scores, cuts, weights))
    except ValueError:
        if scorable_labels(truth).any():
            raise
        return np.nan
