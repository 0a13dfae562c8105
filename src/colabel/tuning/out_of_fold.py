"""Scores of any classifier for rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from colabel._bases import LabelClassifier
from colabel._indicator import Indicator, dense_labels
from colabel._scores import scores_of
from colabel._sklearn import take_rows
from colabel.tuning.cut_scores import fit_quietly
from colabel.tuning.folds import as_folds
from colabel.tuning.grid import TunedOnGrid
from colabel.tuning.routing import Passed, weights_to_pass


def is_ours(estimator: Any) -> bool:
    """Whether a classifier, or the last step of a pipeline, reads labels as this library does."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return isinstance(estimator, LabelClassifier)


class Target:
    """Y as the wrapped classifier is to see it: rows and varying columns of 0 and 1, or classes."""

    def __init__(
        self, Y: Any, labels: Indicator, *, takes_sparse: bool, passed: Passed | None = None
    ) -> None:
        self.labels, self.weights = labels, labels.row_weights
        #: What fits and folds are given besides.
        self.passed = Passed() if passed is None else passed
        self.y = None if labels.classes is None else np.asarray(Y).ravel()
        # few other classifiers take sparse labels, and some of them misread them in silence
        self.matrix = labels.matrix if takes_sparse else dense_labels(labels.matrix).astype(int)
        if labels.unknown is not None:
            self.matrix = labels.known_rows(slice(None))

    def varying(self, rows: Any = None) -> np.ndarray:
        """Which labels some of these rows have and some have not; all of them for classes."""
        if self.y is not None:
            return np.ones(self.matrix.shape[1], dtype=bool)
        part = self.matrix if rows is None else self.matrix[rows]
        if self.labels.unknown is not None:
            return (part == 1).any(axis=0) & (part == 0).any(axis=0)
        counts = np.asarray(part.sum(axis=0)).ravel()
        return (counts > 0) & (counts < part.shape[0])

    def weights_of(self, rows: Any) -> np.ndarray | None:
        """What rows count; None where all count the same."""
        return self.weights if self.weights is None or rows is None else self.weights[rows]

    def take(self, rows: Any, labels: np.ndarray) -> Any:
        if self.y is not None:
            return self.y if rows is None else self.y[rows]
        part = self.matrix if rows is None else self.matrix[rows]
        return part if labels.all() else part[:, labels]


def take_part(estimator: Any, X: Any, rows: Any, fitted: Any) -> Any:
    """Rows of X; where they are kernel values or similarities, those with the fitted rows."""
    part = take_rows(X, rows)
    return take_rows(part, fitted, axis=1) if get_tags(estimator).input_tags.pairwise else part


def fit_model(estimator: Any, X: Any, target: Target, rows: Any, labels: np.ndarray) -> Any:
    """A clone fitted on some rows and labels; None where no label varies."""
    if not labels.any():
        return None
    part = X if rows is None else take_part(estimator, X, rows, rows)
    Y, weights = target.take(rows, labels), target.weights_of(rows)
    params = target.passed.of_rows(X, rows)
    return fit_quietly(clone(estimator), part, Y, weights_to_pass(weights, target.passed), **params)


def _fold_scores(estimator: Any, X: Any, target: Target, train: Any, test: Any) -> np.ndarray:
    varying = target.varying(train)
    model = fit_model(estimator, X, target, train, varying)
    scores = np.full((len(test), len(varying)), np.nan)
    if model is not None:
        part = take_part(estimator, X, test, train)
        scores[:, varying] = scores_of(model, part, int(varying.sum()))
    return scores


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of rows by models that have not seen them, n×q; NaN where no model knows a label."""

    scores: np.ndarray
    #: Numbers of the rows, where these are some.
    rows: np.ndarray | None

    def truth(self, target: Target) -> Any:
        """The labels of these rows."""
        return target.matrix if self.rows is None else target.matrix[self.rows]

    def known(self, target: Target) -> tuple[np.ndarray, Any]:
        """Scores and labels, NaN among scores where a label is unknown."""
        truth = self.truth(target)
        if target.labels.unknown is None:
            return self.scores, truth
        return np.where(np.isnan(truth), np.nan, self.scores), np.nan_to_num(truth)

    def of_all(self, n: int) -> np.ndarray:
        """Scores of all n rows, NaN for those that no fold holds out."""
        if self.rows is None:
            return self.scores
        whole = np.full((n, self.scores.shape[1]), np.nan)
        whole[self.rows] = self.scores
        return whole


def out_of_fold_scores(
    estimator: Any, X: Any, target: Target, cv: Any, random_state: Any, n_jobs: int | None
) -> HeldOutScores:
    """Scores by clones that are fitted on the other folds.

    Of one split, as of ShuffleSplit, those of the rows that it holds out: of the others there is
    nothing to keep.
    """
    splits = as_folds(cv, X, target.labels, random_state, target.passed.to_split)
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fold_scores)(estimator, X, target, train, test) for train, test in splits
    )
    if len(splits) == 1:
        (scores,) = parts
        return HeldOutScores(scores, splits[0][1])
    scores = np.full(target.labels.matrix.shape, np.nan)
    for (_, test), part in zip(splits, parts, strict=True):
        scores[test] = part
    return HeldOutScores(scores, None)


def fit_and_hold_out(
    estimator: Any, X: Any, target: Target, cv: Any, random_state: Any, n_jobs: int | None
) -> tuple[Any, HeldOutScores]:
    """A classifier fitted on all rows, and held-out scores.

    Those that a search has anyway, where the classifier tunes itself; else out of folds. Folds that
    are given are those of the search then.
    """
    varying = target.varying()
    if isinstance(estimator, TunedOnGrid) and varying.any():
        keeping = clone(estimator).set_params(keep_scores=True)
        if not isinstance(cv, Integral):
            splits = as_folds(cv, X, target.labels, random_state, target.passed.to_split)
            keeping.set_params(cv=splits)
        model = fit_model(keeping, X, target, None, varying)
        scores = np.full(target.labels.matrix.shape, np.nan)
        scores[:, varying] = model.held_out_scores_
        del model.held_out_scores_
        model.set_params(keep_scores=estimator.keep_scores, cv=estimator.cv)
        return model, HeldOutScores(scores, None)
    model = fit_model(estimator, X, target, None, varying)
    return model, out_of_fold_scores(estimator, X, target, cv, random_state, n_jobs)
