"""A whole grid of ridge-like models cross-validated on one factorisation a fold.

Every model is made of ridge solutions (X̄ᵀX̄ + bI)⁻¹F. In the coordinates of X̄ = UΣVᵀ they are
divisions by Σ² + b, so that a fold costs one factorisation, and all of its models are applied side
by side in one product. Where X is too large to factor, one Krylov space a fold serves all b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_limits

from colabel._progress import progress
from colabel._validation import (
    Indicator,
    StrOptions,
    _fit_context,
    as_data,
    as_folds,
    as_labels,
    dense_labels,
)
from colabel.algebra import cost
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.least_squares import ridge_solutions_without_svd
from colabel.algebra.matrix import DataMatrix
from colabel.algebra.similarity import linear
from colabel.classifiers.thresholds import per_label_thresholds
from colabel.metrics import METRICS, get_scorer

#: Scores held at a time, in numbers.
BLOCK = 2**24

#: Memory for the ridges that share a Krylov space, and the residual to which they are solved.
SHIFT_BYTES, TOLERANCE = 2**30, 1e-8

#: Labels whose best F1 is below this are cut at their highest score, as by ThresholdTuner.
FBR = 0.1

Cell = dict[str, float]


@dataclass(frozen=True)
class Model:
    """Coefficients from ridge solutions.

    Attributes
    ----------
    ridges : callable
        Which b a cell needs, for a number of rows.
    combined : callable
        Its coefficients from those solutions (each with q columns) and the number of rows.
    """

    ridges: Callable[[Cell, int], list[float]]
    combined: Callable[[list[np.ndarray], int], np.ndarray]


@dataclass(frozen=True)
class Fold:
    """Training rows with their labels, and held-out rows with theirs."""

    fitted: FactoredMatrix
    Y: np.ndarray
    held_out: DataMatrix
    truth: np.ndarray

    @staticmethod
    def of(data: FactoredMatrix, Y: Any, train: np.ndarray, test: np.ndarray) -> Fold:
        """Some rows factored, where they are not too many for it, others held out."""
        rows = (dense_labels(Y[train]), data[test].core, dense_labels(Y[test]))
        fitted = data[train]
        if min(fitted.core.shape) > cost.DIRECT_LIMIT:
            return IteratedFold(fitted, *rows, {})
        fitted.svd  # noqa: B018  now, so that folds can be factored side by side
        return Fold(fitted, *rows)

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Be ready for these cells."""

    def scores(self, cells: list[Cell], model: Model, *, own: bool = False) -> np.ndarray:
        """Scores of the held-out rows (or of its `own` training rows), all cells side by side."""
        svd, n = self.fitted.svd, len(self.Y)
        F = 2.0 * svd.s[:, None] * svd.left_transpose_dot(self.Y)
        # many small eigenproblems: threads would cost more than they bring
        with threadpool_limits(1):
            C = np.hstack(
                [
                    model.combined([F / (svd.s**2 + b)[:, None] for b in model.ridges(cell, n)], n)
                    for cell in cells
                ]
            )
        shift = self._base_scores(cells)
        if own:
            return svd.left_dot(svd.s[:, None] * C) + shift
        if C.shape[1] > len(svd.s):
            return self._held_out_coordinates @ C + shift
        return self._project(svd.right_dot(C)) + shift

    def _base_scores(self, cells: list[Cell]) -> np.ndarray:
        """Scores of the mean row, which no coefficient changes."""
        return np.tile(2.0 * self.Y.mean(axis=0) - 1.0, len(cells))

    @cached_property
    def _held_out_coordinates(self) -> np.ndarray:
        """Held-out rows in the coordinates V of the training rows, for many columns of C."""
        return self._project(self.fitted.svd.right_dot(np.eye(len(self.fitted.svd.s))))

    def _project(self, P: np.ndarray) -> np.ndarray:
        return self.held_out.uncentred_dot(P) - self.fitted.core.mean @ P


@dataclass(frozen=True)
class IteratedFold(Fold):
    """A fold too large to factor; `solutions` holds the ridge solutions by their b."""

    solutions: dict[float, np.ndarray]

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Solve for all ridges that the cells need."""
        wanted = sorted({b for cell in cells for b in model.ridges(cell, len(self.Y))})
        wanted = [b for b in wanted if b not in self.solutions]
        targets = linear(self.Y)
        # several at a time share a Krylov space; each takes two arrays of the size of a solution
        together = max(1, SHIFT_BYTES // (16 * self.fitted.core.shape[1] * self.Y.shape[1]))
        for start in range(0, len(wanted), together):
            some = wanted[start : start + together]
            found = ridge_solutions_without_svd(self.fitted.core, targets, some, tol=TOLERANCE)
            self.solutions.update(zip(some, found, strict=True))

    def scores(self, cells: list[Cell], model: Model, *, own: bool = False) -> np.ndarray:
        """Scores of the held-out rows (or of its `own` training rows), all cells side by side."""
        self.prepare(cells, model)
        n = len(self.Y)
        parts = [[self.solutions[b] for b in model.ridges(cell, n)] for cell in cells]
        C = np.hstack([model.combined(part, n) for part in parts])
        if own:
            return self.fitted.core.dot(C) + self._base_scores(cells)
        return self._project(C) + self._base_scores(cells)


@dataclass(frozen=True)
class Search:
    """What to try, and how to judge it.

    Attributes
    ----------
    cells : list of dict
        Parameters of the candidates.
    model : callable
    scoring : str or callable
    thresholds : {"train", "out-of-fold", None}
        Which scores each label's threshold is tuned on: those of the fold's own training rows, or
        those of the held-out rows of all other folds.
    """

    cells: list[Cell]
    model: Model
    scoring: Any
    thresholds: str | None

    def run(self, folds: list[Fold], verbose: bool) -> dict[str, Any]:
        """`cv_results_` over all cells, with the keys that scikit-learn's searches have."""
        for fold in folds:
            fold.prepare(self.cells, self.model)
        rows, q = sum(len(fold.Y) for fold in folds), folds[0].Y.shape[1]
        step = max(1, BLOCK // (rows * q))
        chunks = [self.cells[i : i + step] for i in range(0, len(self.cells), step)]
        bar = progress(chunks, total=len(chunks), description="trying the grid", enabled=verbose)
        scores = np.hstack([self._judge(folds, chunk) for chunk in bar])
        mean = scores.mean(axis=0)
        names = self.cells[0].keys()
        return {
            **{f"param_{name}": np.array([cell[name] for cell in self.cells]) for name in names},
            "params": self.cells,
            **{f"split{i}_test_score": row for i, row in enumerate(scores)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=0),
            "rank_test_score": rankdata(-mean, method="min").astype(np.int32),
        }

    def _judge(self, folds: list[Fold], cells: list[Cell]) -> np.ndarray:
        """Scores of the cells, folds × cells."""
        found = [fold.scores(cells, self.model) for fold in folds]
        judged = []
        for i, fold in enumerate(folds):
            scores = found[i] - self._thresholds(folds, found, i, cells)
            parts = np.split(scores, len(cells), axis=1)
            judged.append([_score(self.scoring, fold.truth, part) for part in parts])
        return np.array(judged)

    def _thresholds(
        self, folds: list[Fold], found: list[np.ndarray], i: int, cells: list[Cell]
    ) -> Any:
        if self.thresholds is None:
            return 0.0
        others = [j for j in range(len(folds)) if j != i]
        if self.thresholds == "train" or not others:
            scores = folds[i].scores(cells, self.model, own=True)
            return per_label_thresholds(scores, folds[i].Y, "f1", FBR)
        truth = np.vstack([folds[j].truth for j in others])
        scores = np.vstack([found[j] for j in others])
        return per_label_thresholds(scores, truth, "f1", FBR)

    def out_of_fold_thresholds(self, folds: list[Fold], cell: Cell) -> np.ndarray:
        """Thresholds for one cell from the held-out rows of all folds."""
        scores = np.vstack([fold.scores([cell], self.model) for fold in folds])
        return per_label_thresholds(scores, np.vstack([f.truth for f in folds]), "f1", FBR)


class TunedOnGrid:
    """What the tuned classifiers share: search, fit the best on all rows, tune the thresholds.

    A class with it says what to try in `_candidates`, and fits one candidate in `_solve`. The
    thresholds are taken off the intercepts, so that labels are predicted above 0 as by every other
    scorer.
    """

    _search_constraints: ClassVar[dict[str, list[Any]]] = {
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "thresholds": [StrOptions({"train", "out-of-fold"}), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    # of the final model: where X is factored already, because folds are its rotations, that is used
    solver = "auto"
    tol = TOLERANCE

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self: Any, X: Any, Y: Any) -> Any:
        """Find the penalties, fit with them on all rows, and tune the thresholds.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1. A 1-D y holds one class a row.

        Returns
        -------
        self
        """
        data = as_data(self, X)
        labels = as_labels(self, Y, data)
        labels.warn_of_constant()
        cells, model = self._candidates(data, labels)
        search = Search(cells, model, self.scoring, self.thresholds)
        folds = list(self._folds(data, labels))
        self.cv_results_ = search.run(folds, bool(self.verbose))
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        for name, value in cells[best].items():
            setattr(self, f"{name}_", value)
        self._keep(self._solve(data, labels, **cells[best]), data, labels)
        self.thresholds_ = self._tuned(search, folds, cells[best], data, labels)
        self.intercept_ = (self.intercept_ - self.thresholds_).astype(data.dtype)
        return self

    def _folds(self: Any, data: FactoredMatrix, labels: Indicator) -> Iterator[Fold]:
        splits = as_folds(self.cv, data, labels, self.random_state)
        if data.core.is_wide and min(data.core.shape) <= cost.DIRECT_LIMIT:
            data.svd  # noqa: B018  once, before the folds that are its rotations
        jobs = (delayed(Fold.of)(data, labels.matrix, *split) for split in splits)
        folds = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(jobs)
        return progress(
            folds, total=len(splits), description="factoring folds", enabled=bool(self.verbose)
        )

    def _tuned(
        self: Any,
        search: Search,
        folds: list[Fold],
        cell: Cell,
        data: FactoredMatrix,
        labels: Indicator,
    ) -> np.ndarray:
        """Zeros without tuning, and where the highest score decides (a 1-D y of many classes)."""
        Y = dense_labels(labels.matrix)
        if self.thresholds is None or (labels.classes is not None and Y.shape[1] > 1):
            return np.zeros(Y.shape[1])
        if self.thresholds == "train":
            scores = data.uncentred_dot(self.coef_.T) + self.intercept_
            tuned = per_label_thresholds(scores, Y, "f1", FBR)
        else:
            tuned = search.out_of_fold_thresholds(folds, cell)
        varying = (labels.counts > 0) & (labels.counts < len(Y))
        return np.where(varying, tuned, 0.0)


def _score(scoring: Any, truth: np.ndarray, scores: np.ndarray) -> float:
    metric = METRICS.get(scoring) if isinstance(scoring, str) else None
    if metric is not None:
        value = metric(truth, (scores > 0).astype(int) if metric.needs == "labels" else scores)
        return value if metric.greater_is_better else -value
    return get_scorer(scoring)(Scored(scores), scores, truth.astype(int))


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted classifier as scorers see one, with its scores already known."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = scores
        self.classes_ = np.arange(scores.shape[1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores."""
        return self.scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a positive score."""
        return (self.scores > 0).astype(int)
