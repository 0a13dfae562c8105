"""Thresholds tuned for the measure that counts, around any classifier with scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from colabel import _cuts
from colabel._indicator import Indicator, numbers_of
from colabel._labels import AsFrame, Labels, Observed, Predictions
from colabel._parameters import Count, Folds, FoldSeed, Positive, Share
from colabel._rows import AnyRows
from colabel._scores import own_cut
from colabel._sklearn import fit_context
from colabel._weights import SampleWeight
from colabel.linalg.containers import canonical
from colabel.tuning import averages
from colabel.tuning.averages import Entries
from colabel.tuning.cut_scores import (
    NO_FOLD,
    ONE_VALUE,
    CutScores,
    per_label_thresholds,
    warn_of_unlearned,
)
from colabel.tuning.decisions import Aim, decide_sets
from colabel.tuning.out_of_fold import HeldOutScores, Target, fit_model, is_ours, out_of_fold_scores
from colabel.tuning.routing import FitParams, rows_that_count

LabelList: TypeAlias = Annotated[Sequence[Any] | np.ndarray | None, "array-like", None]

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
        What thresholds are tuned for: an F-measure, the share of right decisions, or a function of
        labels and predictions, such as scikit-learn's `matthews_corrcoef`, that is greater where
        predictions are better. It is given a label alone (n,) for "per-label", and all of them
        (n×q), which those of :mod:`colabel.metrics` need, otherwise, with ``sample_weight=`` where
        there is one, and is asked of all cuts, or of 1,000 evenly among more.
    cv
        Folds from which out-of-fold scores are taken, shuffled and stratified by the labels if an
        int (not stratified where that takes over half a second); one split, as of scikit-learn's
        ShuffleSplit, holds out a part and costs one more fit instead of several. "train" takes the
        scores of the training rows themselves, which is optimistic, but what the papers do.
        "prefit": the classifier is fitted, on other rows than those that `fit` gets.
    beta
        β of ``metric="fbeta"``: so many times as much does recall count as precision.
    average
        Over what the metric is a mean: labels, each counting 1 or as many as it has positives; rows
        ("samples"); or nothing, of all decisions together ("micro"). None is "macro" for
        "per-label", and "micro" otherwise. Rows and a threshold a label do not go together:
        "expected-f1" is for means over rows.
    labels
        The labels that are measured, names or numbers of columns; None: all. The others are cut by
        "per-label" where the classifier cuts them itself.
    fbr
        A label whose best F-measure stays below this is predicted only above the highest score
        seen: on a rare label the best cut of bad scores is to predict it everywhere (Fan & Lin
        2007). For "per-label" and means over labels; 0 turns it off.
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
    metric: Literal["f1", "f2", "f0.5", "fbeta", "accuracy"] | Callable[..., float] = field(
        default="f1", kw_only=False
    )
    cv: Folds | Literal["train", "prefit"] = field(default=5, kw_only=False)
    beta: Positive = 1.0
    average: Literal["macro", "micro", "weighted", "samples"] | None = None
    labels: LabelList = None
    fbr: Share = 0.1
    k: Count | None = None
    miss: Positive = 1.0
    n_jobs: int | None = None
    keep_scores: bool = False
    random_state: FoldSeed = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: AnyRows,
        y: Labels,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
        **params: FitParams,
    ) -> Self:
        """Fit the classifier, and find where to cut its scores."""
        X, y, labels, passed = rows_that_count(self, X, y, sample_weight, observed, params)
        measured = self._check_settings(labels)
        target = Target(y, labels, takes_sparse=is_ours(self.estimator), passed=passed)
        X = canonical(*indexable(X))
        self._fit_inside(X, target)
        self.thresholds_ = None
        if self._is_multilabel or labels.matrix.shape[1] == 1:
            found = self._scores_to_cut(X, target)
            of_rows = target.weights_of(found.rows)
            scores, truth = found.known(target)
            self._tune(Entries(scores, truth, of_rows, measured))
            if self.cv != "train":
                self._calibrate(scores, truth, labels, of_rows)
                if self.keep_scores:
                    self.held_out_scores_ = found.of_all(labels.matrix.shape[0])
            self._check_probabilities()
        self._know_features()
        return self

    def _check_settings(self, labels: Indicator) -> np.ndarray | None:
        """Which labels are measured, once all settings go together; None: all."""
        q = labels.matrix.shape[1]
        if self.k is not None and self.k > q:
            raise ValueError(f"k={self.k} is more than the {q} labels; use a smaller k, or None")
        if self.average == "samples" and self.strategy == "per-label":
            raise ValueError(
                "average='samples' joins the labels of a row, and strategy='per-label' cuts each "
                "by itself; use strategy='global' or 'top-k', or 'expected-f1', which decides row "
                "by row"
            )
        if self.labels is None:
            return None
        measured = np.zeros(q, dtype=bool)
        measured[numbers_of(self.labels, labels.names, q)] = True
        return measured

    def _fit_inside(self, X: Any, target: Target) -> None:
        """The classifier, on the labels that vary; or the one that is fitted already."""
        if self.cv == "prefit":
            check_is_fitted(self.estimator)
            self._learn(target.labels, np.ones(target.labels.matrix.shape[1], dtype=bool))
            self.estimator_ = self.estimator
        else:
            target.labels.warn_of_constant()
            self._learn(target.labels, target.varying())
            self.estimator_ = fit_model(self.estimator, X, target, None, self._varying)
        self._tunable = self._varying & target.varying()

    def _tune(self, entries: Entries) -> None:
        """Find k or the thresholds, by the labels that vary and have scores."""
        if self.strategy == "top-k":
            placed = replace(entries, scores=self._constants_apart(entries.scores))
            self.k_ = self._best_k(placed) if self.k is None else self.k
            return
        if self.strategy in AIMS:
            return
        learned = self._tunable & ~np.isnan(entries.scores).all(axis=0)
        known = learned if entries.measured is None else learned & entries.measured
        tuned = known if self.strategy == "per-label" else self._varying & known.any()
        self.thresholds_ = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if tuned.any():
            some = Entries(entries.scores[:, known], entries.Y[:, known], entries.weights)
            self.thresholds_[tuned] = self._cuts(some)
        left = self._varying & ~(learned if self.strategy == "per-label" else tuned)
        why = ONE_VALUE if self.cv == "prefit" else NO_FOLD
        warn_of_unlearned(left, self.label_names_, self.estimator_, why)

    @property
    def _aim(self) -> _cuts.CutMetric:
        """The metric, by its name or its β."""
        return self.beta if self.metric == "fbeta" else str(self.metric)

    def _best_k(self, entries: Entries) -> int:
        if callable(self.metric):
            return averages.own_k(entries, self.metric)
        return averages.averaged_k(entries, self._aim, self.average or "micro")

    def _cuts(self, entries: Entries) -> Any:
        """A threshold for each of these labels, or one for all."""
        scores, Y, weights = entries.scores, entries.Y, entries.weights
        if self.strategy == "cardinality":
            return _cuts.cardinality_threshold(scores, Y, weights)
        if callable(self.metric):
            each = self.strategy == "per-label"
            return (averages.own_thresholds if each else averages.own_threshold)(
                entries, self.metric
            )
        if self.strategy == "global":
            return averages.averaged_threshold(entries, self._aim, self.average or "micro")
        if self.average == "micro" and self._aim != "accuracy":
            return averages.micro_thresholds(entries, _cuts.beta_of(self._aim))
        return per_label_thresholds(scores, Y, self._aim, self.fbr, weights)

    @property
    def _takes_unknown(self) -> bool:
        return self.cv == "prefit" or is_ours(self.estimator)

    def _constants_apart(self, scores: np.ndarray) -> np.ndarray:
        """Labels that all training rows have rank first, those that none has last."""
        return np.where(self._varying, scores, np.inf * self._constant)

    def _scores_to_cut(self, X: Any, target: Target) -> HeldOutScores:
        """Out-of-fold scores, NaN where a fold could not learn a label; or training scores."""
        if isinstance(self.cv, str):  # or of rows that the classifier has not seen
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
