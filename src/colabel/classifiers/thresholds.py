"""Thresholds tuned for the measure that counts, around any classifier with scores."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from colabel._base import decide
from colabel._scores import is_cutting, uncut_scores
from colabel._validation import (
    HasMethods,
    Indicator,
    Interval,
    StrOptions,
    _fit_context,
    as_folds,
    as_labels,
    canonical,
    class_scores_of_pairs,
    dense_labels,
    listed,
    positive_probabilities,
    take_rows,
)
from colabel.classifiers import cutting


class ThresholdTuner(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """max metric(Y, scores > t) over thresholds t: cut the scores of any classifier where it pays.

    F1 and its kin depend on where scores are cut as much as on the scores. The optimum over all
    cuts is found exactly, by sorting.

    Parameters
    ----------
    estimator : classifier with `decision_function` or `predict_proba`
        Of this library, of scikit-learn, or any other that fits several labels.
    strategy : {"per-label", "global", "top-k", "cardinality"}, default="per-label"
        One threshold a label, with the best metric of that label; one for all labels, with the best
        micro-averaged metric; the same number of labels for every row, with the best micro-averaged
        metric; or one for all labels that gives as many labels a row as the training data have.
    metric : {"f1", "f2", "f0.5", "accuracy"}, default="f1"
        What thresholds are tuned for.
    cv : int, splitter, iterable or "train", default=5
        Folds from which out-of-fold scores are taken, shuffled if an int. "train" takes the scores
        of the training rows themselves, which is optimistic, but what the papers do.
    fbr : float, default=0.1
        A label whose best F-measure stays below this is predicted only above the highest score
        seen: on a rare label the best cut of bad scores is to predict it everywhere (Fan & Lin
        2007). For "per-label"; 0 turns it off.
    k : int or None, default=None
        The number of labels for "top-k", those that all rows have among them; None tunes it.
    n_jobs : int or None, default=None
        Folds fitted at a time.
    random_state : int, RandomState or None, default=None
        Seeds the shuffling of the folds.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows, and on the labels that vary.
    thresholds_ : ndarray of shape (q,) or None
        A label is predicted where its score, of `uncut_scores`, is above: that of the classifier
        itself for a label that no fold could learn, 0 for a constant label, which is predicted as
        it is. None for "top-k", and for a 1-D y of more than two classes, where the highest score
        decides.
    k_ : int
        Only for "top-k".
    classes_ : ndarray
        Column numbers of the labels (0 and 1 for a single column), or the classes of a 1-D y.
    label_names_ : ndarray of shape (q,)

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "strategy": [StrOptions({"per-label", "global", "top-k", "cardinality"})],
        "metric": [StrOptions(set(cutting.METRICS))],
        "cv": ["cv_object", StrOptions({"train"})],
        "fbr": [Interval(Real, 0, 1, closed="both")],
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        strategy: str = "per-label",
        metric: str = "f1",
        cv: Any = 5,
        *,
        fbr: float = 0.1,
        k: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.strategy = strategy
        self.metric = metric
        self.cv = cv
        self.fbr = fbr
        self.k = k
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, Y: Any) -> Self:
        """Fit the classifier, and find where to cut its scores.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1. A 1-D y holds one class a row.

        Returns
        -------
        self
        """
        labels = as_labels(self, Y, X)
        labels.warn_of_constant()
        q = labels.matrix.shape[1]
        if self.k is not None and self.k > q:
            raise ValueError(f"k={self.k} is more than the {q} labels; use a smaller k, or None")
        target = _Target(Y, labels)
        self.label_names_, self.classes_ = labels.names, labels.class_list
        self._is_multilabel = labels.classes is None
        self._constant = np.where(labels.counts > 0, 1.0, -1.0)
        self._varying = target.varying()
        X = canonical(*indexable(X))
        self.estimator_ = _fitted(self.estimator, X, target, None, self._varying)
        self.thresholds_: np.ndarray | None = None
        if self._is_multilabel or q == 1:
            self._tune(self._scores_to_cut(X, target), target.matrix)
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        return self

    def _tune(self, scores: np.ndarray, Y: np.ndarray) -> None:
        """Find k or the thresholds, by the labels that vary and have scores."""
        if self.strategy == "top-k":
            placed = self._constants_apart(scores)
            self.k_ = cutting.best_k(placed, Y, self.metric) if self.k is None else self.k
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
            return cutting.best_global_threshold(scores, Y, self.metric)
        return cutting.cardinality_threshold(scores, Y)

    def _constants_apart(self, scores: np.ndarray) -> np.ndarray:
        """Labels that all training rows have rank first, those that none has last."""
        return np.where(self._varying, scores, np.inf * self._constant)

    def _scores_to_cut(self, X: Any, target: _Target) -> np.ndarray:
        """Out-of-fold scores, NaN where a fold could not learn a label; or training scores."""
        if isinstance(self.cv, str):
            return self._matrix(X)
        splits = as_folds(self.cv, X, target.labels, self.random_state)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold_scores)(self.estimator, X, target, train, test) for train, test in splits
        )
        scores = np.full(target.labels.matrix.shape, np.nan)
        for (_, test), part in zip(splits, parts, strict=True):
            scores[test] = part
        return scores

    def _matrix(self, X: Any) -> np.ndarray:
        """Scores of all labels, n×q, those of constant labels being ±1."""
        learned = int(self._varying.sum())
        if learned == len(self._varying):
            return scores_of(self.estimator_, X, learned)
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        scores = np.tile(self._constant, (n, 1))
        if learned:
            scores[:, self._varying] = scores_of(self.estimator_, X, learned)
        return scores

    def uncut_scores(self, X: Any) -> np.ndarray:
        """Scores of the labels before thresholds are taken off: what rankings are by.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q), or (n,) for a 1-D y of two classes
        """
        check_is_fitted(self)
        scores = self._matrix(X)
        return scores if self._is_multilabel or scores.shape[1] > 1 else scores[:, 0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the labels less their thresholds, so that a label is predicted above 0.

        For "top-k" there are no thresholds, and these are the scores of the classifier. Labels that
        do not vary score ±1.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q), or (n,) for a 1-D y of two classes
        """
        check_is_fitted(self)
        scores = self._matrix(X)
        if self.thresholds_ is not None:
            scores = scores - self.thresholds_
        return scores if self._is_multilabel or scores.shape[1] > 1 else scores[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a score above their threshold.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q) of 0 and 1, or (n,) of classes for a 1-D y
        """
        scores = self.decision_function(X)
        if self.strategy == "top-k" and self._is_multilabel:
            chosen = cutting.top_k(self._constants_apart(scores), self.k_)
            return np.where(self._varying, chosen, (self._constant > 0).astype(int))
        return decide(scores, self.classes_, self._is_multilabel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags


class _Target:
    """Y as the wrapped classifier is to see it: rows and varying columns of 0 and 1, or classes."""

    def __init__(self, Y: Any, labels: Indicator) -> None:
        self.labels = labels
        self.y = None if labels.classes is None else np.asarray(Y).ravel()
        # few classifiers take sparse labels, and some of the others misread them in silence
        self.matrix = dense_labels(labels.matrix).astype(int)

    def varying(self, rows: Any = None) -> np.ndarray:
        """Which labels some of these rows have and some have not; all of them for classes."""
        if self.y is not None:
            return np.ones(self.matrix.shape[1], dtype=bool)
        part = self.matrix if rows is None else self.matrix[rows]
        counts = part.sum(axis=0)
        return (counts > 0) & (counts < len(part))

    def take(self, rows: Any, labels: np.ndarray) -> Any:
        if self.y is not None:
            return self.y if rows is None else self.y[rows]
        part = self.matrix if rows is None else self.matrix[rows]
        return part if labels.all() else part[:, labels]


def _fitted(estimator: Any, X: Any, target: _Target, rows: Any, labels: np.ndarray) -> Any:
    """A clone fitted on some rows and labels; None where no label varies."""
    if not labels.any():
        return None
    part = X if rows is None else take_rows(X, rows)
    with warnings.catch_warnings():
        # a single label is a column here, whatever scikit-learn thinks of columns
        warnings.simplefilter("ignore", DataConversionWarning)
        return clone(estimator).fit(part, target.take(rows, labels))


def _fold_scores(estimator: Any, X: Any, target: _Target, train: Any, test: Any) -> np.ndarray:
    varying = target.varying(train)
    model = _fitted(estimator, X, target, train, varying)
    scores = np.full((len(test), len(varying)), np.nan)
    if model is not None:
        scores[:, varying] = scores_of(model, take_rows(X, test), int(varying.sum()))
    return scores


def per_label_thresholds(scores: np.ndarray, Y: Any, metric: str, fbr: float) -> np.ndarray:
    """The best threshold of each label, or its highest score where even the best is below `fbr`.

    The columns of Y repeat where scores have more.
    """
    thresholds, best = cutting.best_cuts(scores, dense_labels(Y), metric)
    highest = np.fmax.reduce(scores, axis=0)
    if metric != "accuracy":
        thresholds = np.where(best < fbr, highest, thresholds)
    return thresholds


def warn_of_unlearned(labels: np.ndarray, names: np.ndarray, estimator: Any) -> None:
    """Say in one warning which labels have no held-out scores, and are cut as by `own_cut`."""
    if labels.any():
        warnings.warn(
            f"{np.count_nonzero(labels)} of {len(labels)} labels have only one value in the "
            "training part of every split, so that no threshold can be tuned for them, and are "
            f"cut as {type(estimator).__name__} cuts them, at {own_cut(estimator):g}: "
            f"{listed(names[labels])}. Folds that cover them, as of "
            "colabel.datasets.IterativeStratifiedKFold, tune them too",
            UserWarning,
            stacklevel=5,
        )


def own_cut(estimator: Any) -> float:
    """Above which of the scores that :func:`scores_of` gives a classifier predicts a label."""
    return 0.0 if hasattr(estimator, "decision_function") else 0.5


def scores_of(estimator: Any, X: Any, q: int) -> np.ndarray:
    """What a classifier says of its q labels, n×q, by `decision_function` or `predict_proba`.

    Before any cut, where it tells.
    """
    X = canonical(X)
    if is_cutting(estimator):  # who cuts here, cuts what nobody has cut
        return label_columns(estimator, uncut_scores(estimator, X), q)
    if hasattr(estimator, "decision_function"):
        return label_columns(estimator, estimator.decision_function(X), q)
    if hasattr(estimator, "predict_proba"):
        return label_columns(estimator, estimator.predict_proba(X), q)
    raise TypeError(
        f"{type(estimator).__name__} has neither decision_function nor predict_proba, so there "
        "are no scores to cut; use a classifier that has one of them"
    )


def label_columns(estimator: Any, found: Any, q: int) -> np.ndarray:
    """What `decision_function` or `predict_proba` gave, as a column for each of q labels."""
    if isinstance(found, list):  # an array a label, as forests give
        found = positive_probabilities(found, estimator.classes_)
    scores = np.asarray(found)
    scores = scores[:, None] if scores.ndim == 1 else scores
    if q == 1 and scores.shape[1] == 2:  # of the two classes of a single label
        scores = scores[:, 1:]
    if q > 2 and _compares_pairs(estimator):
        scores = class_scores_of_pairs(scores < 0, -scores, q)
    if scores.shape[1] != q:
        raise ValueError(
            f"{type(estimator).__name__} gave {scores.shape[1]} scores a row for {q} labels; "
            "wrap it in sklearn.multiclass.OneVsRestClassifier"
        )
    return scores


def _compares_pairs(estimator: Any) -> bool:
    """Whether scores are of pairs of classes, as those of ``SVC(decision_function_shape="ovo")``.

    Three classes have three pairs, so that the shape does not tell.
    """
    while isinstance(estimator, Pipeline) or hasattr(estimator, "best_estimator_"):
        is_pipeline = isinstance(estimator, Pipeline)
        estimator = estimator.steps[-1][1] if is_pipeline else estimator.best_estimator_
    return getattr(estimator, "decision_function_shape", None) == "ovo"
