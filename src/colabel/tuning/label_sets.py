"""Sets of labels that are complete as often as they say."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import ClassifierTags, check_random_state, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from colabel import _tags
from colabel._indicator import Indicator
from colabel._labels import AsFrame, Labels, as_labels
from colabel._parameters import Estimator, Fittable, Fraction, Seed
from colabel._rows import AnyRows
from colabel._scores import label_columns, scores_of
from colabel._sklearn import count_rows, fit_context, take_rows
from colabel._weights import as_weights
from colabel.linalg.containers import canonical
from colabel.tuning.out_of_fold import Target, fit_model, is_ours
from colabel.tuning.promise import Promise


class LabelSets(MetaEstimatorMixin, Estimator):
    """max t subject to E[share of true labels with scores below t] ≤ 1 − recall: complete sets.

    Sets of labels that miss a share of at most 1 − `recall` of a row's true labels, on average over
    new rows: guaranteed, at any number of rows and for any classifier, by conformal risk control
    (Angelopoulos et al. 2024). Bad scores make large sets, not broken promises.

    - What it assumes: the rows of calibration, which the classifier must not have seen, and the new
      ones are exchangeable, as draws from one source are. Where data drift, the promise breaks;
      where it is known how much likelier rows of each kind have become (`ratios` of `fit`), it is
      kept for new rows that are drawn so, none of them likelier than the likeliest here. Rows that
      are repeated are not so many draws, and so there is no `sample_weight`.
    - What it promises is an average over rows of calibration and new rows. It is no promise for one
      row, nor for a kind of rows; nor, unless ``per_label=True``, for one label; nor that sets are
      small.
    - Rows without labels miss nothing, and count.

    Parameters
    ----------
    estimator
        A classifier with `predict_proba`, which sets are made of then, or `decision_function`.
    recall
        The share of true labels that sets hold at least, on average.
    per_label
        Whether each label by itself is to be in the sets of that share of the rows which have it;
        each gets a threshold of its own then.
    cv
        "prefit": the classifier is fitted, and X and y of `fit` are rows that it has not seen. A
        share: so many of the rows are held out, and the classifier is fitted on the others.
    rare
        With ``per_label=True``, what becomes of labels that too few rows have: an error, or they
        are put into every set, which keeps the promise.
    random_state
        Chooses the rows that are held out.

    Attributes
    ----------
    level_ : float
        1 − recall, the share of labels that may be missed.
    thresholds_ : ndarray of shape (q,)
        A label is in the set where its probability or score is at least this.
    expected_size_ : float
        Labels in a set, the mean over the rows of calibration.
    n_calibration_ : int
        How many these are.
    promise_ : Promise
        From which thresholds for other levels follow.
    estimator_ : classifier
    label_names_ : ndarray of shape (q,)

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import LabelRidgeCV, LabelSets
    >>> from colabel.metrics import recall
    >>> X, Y = make_multilabel_classification(n_samples=900, n_classes=8, random_state=0)
    >>> model = LabelRidgeCV(random_state=0).fit(X[:300], Y[:300])
    >>> sets = LabelSets(model, recall=0.9).fit(X[300:600], Y[300:600])
    >>> bool(recall(Y[600:], sets.predict(X[600:]), empty=1) > 0.87)
    True
    >>> bool(sets.expected_size_ < 8)
    True
    """

    # of sets that older versions saved (a comment, as an annotation would declare a parameter)
    _gives_sparse = False

    _refuses_weights = (
        "rows that count more are not so many draws, and would break the promise; give ratios=, "
        "how much likelier rows are among new ones, and weights to the classifier, with "
        "cv='prefit'"
    )

    estimator: Fittable = field(kw_only=False)
    recall: Fraction = field(default=0.9, kw_only=False)
    per_label: bool = False
    cv: Literal["prefit"] | Fraction = "prefit"
    rare: Literal["error", "include"] = "error"
    random_state: Seed = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: AnyRows, y: Labels, *, ratios: ArrayLike | None = None) -> Self:
        """Find from which score on a label belongs into the sets.

        Parameters
        ----------
        ratios : array of shape (n,), optional
            How much likelier each row is among new rows than among these, but for a factor. They
            decide what rows of calibration count, not what the classifier is fitted on.
        """
        labels = as_labels(self, y, X)
        counts = as_weights(ratios, "ratios")
        if counts is not None:
            counts.check(labels.matrix.shape[0])
        X = canonical(*indexable(X))
        self.label_names_, self._gives_sparse = labels.names, sp.issparse(labels.matrix)
        self._is_of_two = labels.classes is not None and labels.matrix.shape[1] == 1
        rows = self._fit_model(X, y, labels)
        scores = self._scores(take_rows(X, rows))
        self.level_ = float(f"{1.0 - self.recall:.12g}")
        given = None if counts is None else counts.given[rows]
        self.promise_ = Promise.of(scores, labels.matrix[rows], given)
        self.n_calibration_ = len(rows)
        if self.per_label:
            self.thresholds_ = self.promise_.label_thresholds(
                self.level_, self.label_names_, rare=self.rare
            )
        else:
            self.thresholds_ = np.full(scores.shape[1], self.promise_.threshold(self.level_))
        self.expected_size_ = float((scores >= self.thresholds_).sum(axis=1).mean())
        return self

    def _fit_model(self, X: Any, y: Any, labels: Indicator) -> np.ndarray:
        """The classifier, and the numbers of the rows that it has not seen."""
        n, q = labels.matrix.shape
        self._varying = np.ones(q, dtype=bool)
        if isinstance(self.cv, str):
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            rows = np.arange(n)
        else:
            if get_tags(self.estimator).input_tags.pairwise:
                raise ValueError(
                    f"cv={self.cv} would hold out rows of {type(self.estimator).__name__}, whose X "
                    "is a matrix of all pairs of rows: fit it on some of them, and set cv='prefit'"
                )
            order = check_random_state(self.random_state).permutation(n)
            held_out = min(max(1, round(self.cv * n)), n - 1)
            rows, seen = np.sort(order[:held_out]), np.sort(order[held_out:])
            target = Target(y, labels, takes_sparse=is_ours(self.estimator))
            self._varying = target.varying(seen)
            self.estimator_ = fit_model(self.estimator, X, target, seen, self._varying)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return rows

    def _scores(self, X: Any) -> np.ndarray:
        """What sets are made by, n×q; −∞ of a label that the classifier has not learned."""
        learned = int(self._varying.sum())
        scores = np.full((count_rows(X), len(self._varying)), -np.inf)
        if learned:
            scores[:, self._varying] = set_scores(self.estimator_, X, learned)
        return scores

    def predict(self, X: AnyRows, *, as_frame: AsFrame = False) -> Any:
        """The sets.

        Returns
        -------
        ndarray of shape (n, q) of 0 and 1, or a csr_array where y was sparse
            For a 1-D y, a column for each class; of two classes, shape (n,), for the second.
        """
        found = self._sets(X)
        if as_frame:
            return _tags.as_frame(found, self.label_names_, X)
        return found[:, 0] if self._is_of_two else found

    def predict_labels(self, X: AnyRows) -> list[list[Any]]:
        """The names of the labels in the sets, a list for each row.

        Returns
        -------
        list of list
            Of `label_names_`.
        """
        return _tags.names_of(self._sets(X), self.label_names_)

    def _sets(self, X: Any) -> Any:
        check_is_fitted(self)
        found = (self._scores(X) >= self.thresholds_).astype(int)
        return sp.csr_array(found) if self._gives_sparse else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        # sets of more than two classes are a matrix, whatever y is
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        return tags


def set_scores(estimator: Any, X: Any, q: int) -> np.ndarray:
    """Probabilities, which compare between labels, where there are any; else scores."""
    if hasattr(estimator, "predict_proba"):
        return label_columns(estimator, estimator.predict_proba(X), q)
    return scores_of(estimator, X, q)
