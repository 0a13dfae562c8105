"""Thresholds tuned for the measure that counts, around any classifier with scores."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import indexable

from colabel import _cuts
from colabel._labels import AsFrame, Labels, Predictions, as_labels
from colabel._parameters import Count, Folds, FoldSeed, Positive, Share
from colabel._rows import AnyRows
from colabel._scores import own_cut
from colabel._sklearn import count_rows, fit_context
from colabel._weights import SampleWeight, as_weights
from colabel.linalg.containers import canonical
from colabel.tuning.cut_scores import CutScores, per_label_thresholds, warn_of_unlearned
from colabel.tuning.decisions import Aim, decide_sets
from colabel.tuning.out_of_fold import HeldOutScores, Target, fit_model, is_ours, out_of_fold_scores

#: Strategies that decide by probabilities.
AIMS: dict[str, Aim] = {
    "expected-f1": "f1",
    "expected-jaccard": "jaccard",
    "hamming": "hamming",
    "cost": "cost",
}


class ThresholdTuner(CutScores):
    """max metric(Y, scores > t) over thresholds t: cut the scores of any classifier where it pays.

    F1 and its kin depend on where scores are cut as much as on the scores. The optimum over all
    cuts is found exactly, by sorting.

    Parameters
    ----------
    strategy
        One threshold a label, with the best metric of that label; one for all labels, with the best
        micro-averaged metric; the same number of labels for every row, with the best micro-averaged
        metric; or one for all labels that gives as many labels a row as the training data have. Or
        the set of labels of which most is expected by their probabilities, labels of a row taken
        as independent: "expected-f1" and "expected-jaccard" for the mean F1 and Jaccard index of
        rows, "hamming" for the fewest mistakes, "cost" for the least cost of mistakes. These need
        no thresholds; probabilities are the classifier's own, or sigmoids of out-of-fold scores.
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
    miss
        For "cost", what a label that is missed costs, where one too many costs 1.
    n_jobs
        Folds fitted at a time.
    keep_scores
        Whether to keep `held_out_scores_`.

    Attributes
    ----------
    thresholds_ : ndarray of shape (q,) or None
        A label is predicted where its score, of `uncut_scores`, is above: that of the classifier
        itself for a label that no fold could learn, 0 for a constant label, which is predicted as
        it is. None for "top-k", for decisions by probabilities, and for a 1-D y of more than two
        classes, where the highest score decides.
    k_ : int
        Only for "top-k".
    held_out_scores_ : ndarray of shape (n, q)
        Only with ``keep_scores=True`` and folds: NaN for rows that are never held out.

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

    strategy: Literal[
        "per-label",
        "global",
        "top-k",
        "cardinality",
        "expected-f1",
        "expected-jaccard",
        "hamming",
        "cost",
    ] = field(default="per-label", kw_only=False)
    metric: Literal["f1", "f2", "f0.5", "accuracy"] = field(default="f1", kw_only=False)
    cv: Folds | Literal["train"] = field(default=5, kw_only=False)
    fbr: Share = 0.1
    k: Count | None = None
    miss: Positive = 1.0
    n_jobs: int | None = None
    keep_scores: bool = False
    random_state: FoldSeed = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: AnyRows, y: Labels, sample_weight: SampleWeight = None) -> Self:
        """Fit the classifier, and find where to cut its scores."""
        weights = as_weights(sample_weight)
        labels = as_labels(self, y, X, weights)
        if weights is not None:
            weights.check(count_rows(X))
            X, y = weights.take(X), weights.take(y)
        labels.warn_of_constant()
        q = labels.matrix.shape[1]
        if self.k is not None and self.k > q:
            raise ValueError(f"k={self.k} is more than the {q} labels; use a smaller k, or None")
        target = Target(y, labels, takes_sparse=is_ours(self.estimator))
        self._learn(labels, target.varying())
        X = canonical(*indexable(X))
        self.estimator_ = fit_model(self.estimator, X, target, None, self._varying)
        self.thresholds_ = None
        if self._is_multilabel or q == 1:
            found = self._scores_to_cut(X, target)
            of_rows = target.weights_of(found.rows)
            scores, truth = found.known(target)
            self._tune(scores, truth, of_rows)
            if not isinstance(self.cv, str):
                self._calibrate(scores, truth, labels, of_rows)
                if self.keep_scores:
                    self.held_out_scores_ = found.of_all(labels.matrix.shape[0])
            self._check_probabilities()
        self._know_features()
        return self

    def _tune(self, scores: np.ndarray, Y: np.ndarray, weights: np.ndarray | None) -> None:
        """Find k or the thresholds, by the labels that vary and have scores."""
        if self.strategy == "top-k":
            placed = self._constants_apart(scores)
            best = _cuts.best_k(placed, Y, self.metric, weights) if self.k is None else self.k
            self.k_ = best
            return
        if self.strategy in AIMS:
            return
        known = self._varying & ~np.isnan(scores).all(axis=0)
        tuned = known if self.strategy == "per-label" else self._varying & known.any()
        self.thresholds_ = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if tuned.any():
            self.thresholds_[tuned] = self._cuts(scores[:, known], Y[:, known], weights)
        warn_of_unlearned(self._varying & ~tuned, self.label_names_, self.estimator_)

    def _cuts(self, scores: np.ndarray, Y: np.ndarray, weights: np.ndarray | None) -> Any:
        """A threshold for each of these labels, or one for all."""
        if self.strategy == "per-label":
            return per_label_thresholds(scores, Y, self.metric, self.fbr, weights)
        if self.strategy == "global":
            return _cuts.best_global_threshold(scores, Y, self.metric, weights)
        return _cuts.cardinality_threshold(scores, Y, weights)

    @property
    def _takes_unknown(self) -> bool:
        return is_ours(self.estimator)

    def _constants_apart(self, scores: np.ndarray) -> np.ndarray:
        """Labels that all training rows have rank first, those that none has last."""
        return np.where(self._varying, scores, np.inf * self._constant)

    def _scores_to_cut(self, X: Any, target: Target) -> HeldOutScores:
        """Out-of-fold scores, NaN where a fold could not learn a label; or training scores."""
        if isinstance(self.cv, str):
            return HeldOutScores(self._uncut(X), None)
        return out_of_fold_scores(
            self.estimator, X, target, self.cv, self.random_state, self.n_jobs
        )

    def predict(self, X: AnyRows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels with a score above their threshold, or the k highest."""
        return super().predict(X, as_frame=as_frame)

    def _check_probabilities(self) -> None:
        if self.strategy in AIMS and self._varying.any() and not hasattr(self, "predict_proba"):
            raise ValueError(
                f"strategy={self.strategy!r} decides by probabilities, which "
                f"{type(self.estimator).__name__} has not, and cv='train' has no held-out scores "
                "to make them of; set cv=5"
            )

    def _predict_rows(self, X: Any) -> np.ndarray:
        if self.strategy in AIMS and self._is_multilabel and self._varying.any():
            P = np.where(self._varying, self.predict_proba(X), self._constant > 0)
            return decide_sets(P, AIMS[self.strategy], self.miss)
        if self.strategy != "top-k" or not self._is_multilabel:
            return super()._predict_rows(X)
        chosen = _cuts.top_k(self._constants_apart(self.decision_function(X)), self.k_)
        return np.where(self._varying, chosen, (self._constant > 0).astype(int))
