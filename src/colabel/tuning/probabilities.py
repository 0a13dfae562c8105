"""Probabilities of labels, for any classifier with scores."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from colabel._indicator import Indicator
from colabel._labels import AsFrame, Labels, Observed, Predictions, Scores
from colabel._parameters import Folds, FoldSeed
from colabel._rows import AnyRows
from colabel._sklearn import fit_context
from colabel._weights import SampleWeight
from colabel.linalg.containers import canonical
from colabel.tuning.calibrated import Probabilities
from colabel.tuning.calibration import calibrate, warn_of_fallbacks, with_constants
from colabel.tuning.cut_scores import CutScores
from colabel.tuning.out_of_fold import HeldOutScores, Target, fit_and_hold_out, is_ours
from colabel.tuning.routing import FitParams, rows_that_count


class ProbabilityCalibrator(CutScores):
    """min −Σ (y ln p + (1 − y) ln(1 − p)) over monotone p of held-out scores, for each label.

    Any classifier with scores gets probabilities of its labels, each by itself, from the scores of
    rows that it has not seen. scikit-learn's CalibratedClassifierCV is for one class a row.

    A label is predicted where its probability is above ½, which makes the fewest mistakes; wrapped
    in a :class:`ThresholdTuner` it is decided by other measures.

    Parameters
    ----------
    method
        "sigmoid": 1/(1 + exp(−(a s + b))) of the score s, labels counting as Platt (2000) has it,
        so that few positives are not believed too much. "isotonic": any rising curve, for labels
        that at least 50 rows have, and 50 have not; a warning names the others, which get a
        sigmoid. Where higher scores do not speak for a label, its probability is the share of rows
        with it. For the classes of a 1-D y, if more than two, softmax(a s) either way.
    cv
        Folds from which scores of rows come that the classifier has not seen, shuffled if an int;
        classifiers that find their own penalties, such as :class:`LabelRidgeCV`, have such scores
        without more fits: by their own `cv` where this is an int, and by these folds where it is
        not. "prefit" takes the classifier as it is: X and y of `fit` are rows that
        it has not seen then.
    n_jobs
        Folds fitted at a time.

    Attributes
    ----------
    calibration_ : Calibration
        Its `kinds` say what each label got.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import ProbabilityCalibrator, RankSVM
    >>> from colabel.metrics import calibration_error
    >>> X, Y = make_multilabel_classification(n_samples=600, random_state=0)
    >>> model = ProbabilityCalibrator(RankSVM(), random_state=0).fit(X[:400], Y[:400])
    >>> bool(calibration_error(Y[400:], model.predict_proba(X[400:])) < 0.1)
    True
    """

    method: Literal["sigmoid", "isotonic"] = field(default="sigmoid", kw_only=False)
    cv: Folds | Literal["prefit"] = field(default=5, kw_only=False)
    n_jobs: int | None = None
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
        """Fit the classifier, and find what its scores are worth."""
        X, y, labels, passed = rows_that_count(self, X, y, sample_weight, observed, params)
        labels.warn_of_constant()
        target = Target(y, labels, takes_sparse=is_ours(self.estimator), passed=passed)
        X = canonical(*indexable(X))
        held_out = self._held_out(X, target, labels)
        scores, truth = held_out.known(target)
        excludes, known = not self._is_multilabel and scores.shape[1] > 1, self._varying
        found = calibrate(
            scores[:, known],
            truth[:, known],
            self.method,
            target.weights_of(held_out.rows),
            excludes=excludes,
        )
        if self.method == "isotonic" and not excludes:
            warn_of_fallbacks(found, self.label_names_[known])
        self.calibration_ = found if known.all() else with_constants(found, labels)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    @property
    def _takes_unknown(self) -> bool:
        return self.cv == "prefit" or is_ours(self.estimator)

    def _held_out(self, X: Any, target: Target, labels: Indicator) -> HeldOutScores:
        """Scores of rows that the classifier has not seen."""
        if isinstance(self.cv, str):
            self._learn(labels, np.ones(labels.matrix.shape[1], dtype=bool))
            self.estimator_ = self.estimator
            return HeldOutScores(self._uncut(X), None)
        self._learn(labels, target.varying())
        self.estimator_, found = fit_and_hold_out(
            self.estimator, X, target, self.cv, self.random_state, self.n_jobs
        )
        return found

    def predict_proba(self, X: AnyRows) -> Probabilities:
        """Probabilities of the labels, each by itself; of the classes of a 1-D y they sum to 1."""
        check_is_fitted(self)
        return super().predict_proba(X)

    def _cut(self, scores: np.ndarray) -> np.ndarray:
        assert self.calibration_ is not None  # of a fitted calibrator
        return self.calibration_.logits(scores)

    def decision_function(self, X: AnyRows) -> Scores:
        """ln(p/(1 − p)), above 0 where a label is likelier than not."""
        return super().decision_function(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False  # as it decides by probabilities
        return tags

    def predict(self, X: AnyRows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels that are likelier than not; for a 1-D y, the likeliest class."""
        return super().predict(X, as_frame=as_frame)
