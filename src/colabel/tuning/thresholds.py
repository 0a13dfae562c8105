"""Thresholds tuned for the measure that counts, around any classifier with scores."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable

from colabel import _cuts
from colabel._bases import LabelClassifier
from colabel._labels import AsFrame, Indicator, Labels, Predictions, as_labels, dense_labels
from colabel._parameters import Count, Folds, FoldSeed, Share
from colabel._public import public
from colabel._rows import AnyRows
from colabel._scores import own_cut, scores_of
from colabel._sklearn import fit_context, take_rows
from colabel.linalg.containers import canonical
from colabel.tuning.cut_scores import (
    CutScores,
    fit_quietly,
    per_label_thresholds,
    warn_of_unlearned,
)
from colabel.tuning.folds import as_folds


@public
class ThresholdTuner(CutScores):
    """max metric(Y, scores > t) over thresholds t: cut the scores of any classifier where it pays.

    F1 and its kin depend on where scores are cut as much as on the scores. The optimum over all
    cuts is found exactly, by sorting.

    Parameters
    ----------
    strategy
        One threshold a label, with the best metric of that label; one for all labels, with the best
        micro-averaged metric; the same number of labels for every row, with the best micro-averaged
        metric; or one for all labels that gives as many labels a row as the training data have.
    metric
        What thresholds are tuned for.
    cv
        Folds from which out-of-fold scores are taken, shuffled if an int; one split, as of
        scikit-learn's ShuffleSplit, holds out a part and costs one more fit instead of several.
        "train" takes the scores of the training rows themselves, which is optimistic, but what the
        papers do.
    fbr
        A label whose best F-measure stays below this is predicted only above the highest score
        seen: on a rare label the best cut of bad scores is to predict it everywhere (Fan & Lin
        2007). For "per-label"; 0 turns it off.
    k
        The number of labels for "top-k", those that all rows have among them; None tunes it.
    n_jobs
        Folds fitted at a time.

    Attributes
    ----------
    thresholds_ : ndarray of shape (q,) or None
        A label is predicted where its score, of `uncut_scores`, is above: that of the classifier
        itself for a label that no fold could learn, 0 for a constant label, which is predicted as
        it is. None for "top-k", and for a 1-D y of more than two classes, where the highest score
        decides.
    k_ : int
        Only for "top-k".

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import LabelRidge, ThresholdTuner
    >>> from colabel.metrics import f1
    >>> X, Y = make_multilabel_classification(n_samples=300, n_classes=8, random_state=0)
    >>> plain = LabelRidge().fit(X[:200], Y[:200])
    >>> tuned = ThresholdTuner(LabelRidge(), random_state=0).fit(X[:200], Y[:200])
    >>> before, after = (f1(Y[200:], m.predict(X[200:]), average="macro") for m in (plain, tuned))
    >>> bool(after > before)
    True
    """

    strategy: Literal["per-label", "global", "top-k", "cardinality"] = field(
        default="per-label", kw_only=False
    )
    metric: Literal["f1", "f2", "f0.5", "accuracy"] = field(default="f1", kw_only=False)
    cv: Folds | Literal["train"] = field(default=5, kw_only=False)
    fbr: Share = 0.1
    k: Count | None = None
    n_jobs: int | None = None
    random_state: FoldSeed = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: AnyRows, y: Labels) -> Self:
        """Fit the classifier, and find where to cut its scores."""
        labels = as_labels(self, y, X)
        labels.warn_of_constant()
        q = labels.matrix.shape[1]
        if self.k is not None and self.k > q:
            raise ValueError(f"k={self.k} is more than the {q} labels; use a smaller k, or None")
        target = _Target(y, labels, takes_sparse=_is_ours(self.estimator))
        self._learn(labels, target.varying())
        X = canonical(*indexable(X))
        self.estimator_ = _fit_model(self.estimator, X, target, None, self._varying)
        self.thresholds_ = None
        if self._is_multilabel or q == 1:
            scores, rows = self._scores_to_cut(X, target)
            self._tune(scores, target.matrix if rows is None else target.matrix[rows])
        self._know_features()
        return self

    def _tune(self, scores: np.ndarray, Y: np.ndarray) -> None:
        """Find k or the thresholds, by the labels that vary and have scores."""
        if self.strategy == "top-k":
            placed = self._constants_apart(scores)
            self.k_ = _cuts.best_k(placed, Y, self.metric) if self.k is None else self.k
            return
        known = self._varying & ~np.isnan(scores).all(axis=0)
        tuned = known if self.strategy == "per-label" else self._varying & known.any()
        self.thresholds_ = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if tuned.any():
            self.thresholds_[tuned] = self._cuts(scores[:, known], Y[:, known])
        warn_of_unlearned(self._varying & ~tuned, self.label_names_, self.estimator_)

    def _cuts(self, scores: np.ndarray, Y: np.ndarray) -> Any:
        """A threshold for each of these labels, or one for all."""
        if self.strategy == "per-label":
            return per_label_thresholds(scores, Y, self.metric, self.fbr)
        if self.strategy == "global":
            return _cuts.best_global_threshold(scores, Y, self.metric)
        return _cuts.cardinality_threshold(scores, Y)

    def _constants_apart(self, scores: np.ndarray) -> np.ndarray:
        """Labels that all training rows have rank first, those that none has last."""
        return np.where(self._varying, scores, np.inf * self._constant)

    def _scores_to_cut(self, X: Any, target: _Target) -> tuple[np.ndarray, np.ndarray | None]:
        """Out-of-fold scores, NaN where a fold could not learn a label; or training scores.

        With them the numbers of the rows, where these are some: of rows that no fold holds out
        there is nothing to keep.
        """
        if isinstance(self.cv, str):
            return self._uncut(X), None
        splits = as_folds(self.cv, X, target.labels, self.random_state)
        parts = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_fold_scores)(self.estimator, X, target, train, test) for train, test in splits
        )
        if len(splits) == 1:
            (scores,) = parts
            return scores, splits[0][1]
        scores = np.full(target.labels.matrix.shape, np.nan)
        for (_, test), part in zip(splits, parts, strict=True):
            scores[test] = part
        return scores, None

    def predict(self, X: AnyRows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels with a score above their threshold, or the k highest."""
        return super().predict(X, as_frame=as_frame)

    def _predict_rows(self, X: Any) -> np.ndarray:
        if self.strategy != "top-k" or not self._is_multilabel:
            return super()._predict_rows(X)
        chosen = _cuts.top_k(self._constants_apart(self.decision_function(X)), self.k_)
        return np.where(self._varying, chosen, (self._constant > 0).astype(int))


def _is_ours(estimator: Any) -> bool:
    """Whether a classifier, or the last step of a pipeline, reads labels as this library does."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return isinstance(estimator, LabelClassifier)


class _Target:
    """Y as the wrapped classifier is to see it: rows and varying columns of 0 and 1, or classes."""

    def __init__(self, Y: Any, labels: Indicator, *, takes_sparse: bool) -> None:
        self.labels = labels
        self.y = None if labels.classes is None else np.asarray(Y).ravel()
        # few other classifiers take sparse labels, and some of them misread them in silence
        self.matrix = labels.matrix if takes_sparse else dense_labels(labels.matrix).astype(int)

    def varying(self, rows: Any = None) -> np.ndarray:
        """Which labels some of these rows have and some have not; all of them for classes."""
        if self.y is not None:
            return np.ones(self.matrix.shape[1], dtype=bool)
        part = self.matrix if rows is None else self.matrix[rows]
        counts = np.asarray(part.sum(axis=0)).ravel()
        return (counts > 0) & (counts < part.shape[0])

    def take(self, rows: Any, labels: np.ndarray) -> Any:
        if self.y is not None:
            return self.y if rows is None else self.y[rows]
        part = self.matrix if rows is None else self.matrix[rows]
        return part if labels.all() else part[:, labels]


def _fit_model(estimator: Any, X: Any, target: _Target, rows: Any, labels: np.ndarray) -> Any:
    """A clone fitted on some rows and labels; None where no label varies."""
    if not labels.any():
        return None
    part = X if rows is None else take_rows(X, rows)
    return fit_quietly(clone(estimator), part, target.take(rows, labels))


def _fold_scores(estimator: Any, X: Any, target: _Target, train: Any, test: Any) -> np.ndarray:
    varying = target.varying(train)
    model = _fit_model(estimator, X, target, train, varying)
    scores = np.full((len(test), len(varying)), np.nan)
    if model is not None:
        scores[:, varying] = scores_of(model, take_rows(X, test), int(varying.sum()))
    return scores
