"""Scores of any classifier, cut where it pays: what the tuners of thresholds share."""

import warnings
from dataclasses import field
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from colabel import _cuts
from colabel._indicator import Indicator
from colabel._labels import AsFrame, Predictions, Scores
from colabel._parameters import Fittable
from colabel._rows import AnyRows
from colabel._scores import label_columns, own_cut, scores_of
from colabel._sklearn import count_rows
from colabel._terminal import brief
from colabel._weights import weights_for
from colabel.tuning.calibrated import CalibratedLabels, Probabilities
from colabel.tuning.calibration import calibrate_labels
from colabel.tuning.routing import PassesOn
from colabel.tuning.sigmoids import smoothed_shares


def _has_probabilities(tuner: Any) -> bool:
    return tuner.calibration_ is not None or hasattr(
        getattr(tuner, "estimator_", None), "predict_proba"
    )


def _is_behind_others(estimator: Any) -> bool:
    """Whether probabilities are of a classifier that calibrates itself, behind other steps.

    These may have seen the labels of the rows that it leaves out: its scores are too good then.
    """
    return isinstance(estimator, Pipeline) and isinstance(estimator.steps[-1][1], CalibratedLabels)


class CutScores(MetaEstimatorMixin, PassesOn, CalibratedLabels):
    """A classifier behind thresholds, fitted on the labels that vary.

    Parameters
    ----------
    estimator
        A classifier with `decision_function` or `predict_proba`: of this library, of scikit-learn,
        or any other that fits several labels.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows, and on the labels that vary.
    thresholds_ : ndarray of shape (q,) or None
        A label is predicted where its score, of `uncut_scores`, is above: that of the classifier
        itself for a label that no fold could learn, 0 for a constant label, which is predicted as
        it is.
    calibration_ : Calibration or None
        How held-out scores become probabilities; None where there are none, or where the classifier
        has probabilities of its own.
    """

    estimator: Fittable = field(kw_only=False)

    thresholds_ = None  # type: np.ndarray | None
    calibration_ = None  # type: Any

    def _learn(self, labels: Indicator, varying: np.ndarray) -> None:
        """Remember what the labels are, and which of them are learned."""
        self.calibration_ = None
        self._constant_share = smoothed_shares(labels.totals, float(labels.total))
        self._know(labels)
        self._constant = np.where(labels.counts > 0, 1.0, -1.0)
        self._varying = varying

    def _know_features(self) -> None:
        """The features are those that the classifier has seen."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _uncut(self, X: Any) -> np.ndarray:
        """Scores of all labels, n×q, those of constant labels being ±1."""
        learned = int(self._varying.sum())
        if learned == len(self._varying):
            return scores_of(self.estimator_, X, learned)
        scores = np.tile(self._constant, (count_rows(X), 1))
        if learned:
            scores[:, self._varying] = scores_of(self.estimator_, X, learned)
        return scores

    def _cut(self, scores: np.ndarray) -> np.ndarray:
        return scores if self.thresholds_ is None else scores - self.thresholds_

    def _calibrate(
        self, scores: np.ndarray, Y: Any, labels: Indicator, weights: np.ndarray | None = None
    ) -> None:
        """Find probabilities from held-out scores, where the classifier has none of its own."""
        if hasattr(self.estimator_, "predict_proba") and not _is_behind_others(self.estimator_):
            return
        known = self._varying
        cuts = np.zeros(1) if self.thresholds_ is None else self.thresholds_
        self.calibration_ = calibrate_labels(scores[:, known], Y[:, known], labels, cuts, weights)

    @available_if(_has_probabilities)
    def predict_proba(self, X: AnyRows) -> Probabilities:
        """Probabilities of the labels: the classifier's own, or a sigmoid of its held-out scores.

        See `calibration_`.
        """
        check_is_fitted(self)
        if self.calibration_ is not None:
            return self._shape_probabilities(self.calibration_.apply(self._uncut(X)))
        learned = int(self._varying.sum())
        found = self.estimator_.predict_proba(X)
        if learned == len(self._varying) and not self._is_multilabel:
            return np.asarray(found)
        P = np.tile(self._constant_share, (count_rows(X), 1))
        P[:, self._varying] = label_columns(self.estimator_, found, learned)
        return P

    def uncut_scores(self, X: AnyRows) -> Scores:
        """Scores of the labels before thresholds are taken off: what rankings are by."""
        return super().uncut_scores(X)

    def decision_function(self, X: AnyRows) -> Scores:
        """Scores of the labels less their thresholds, so that a label is predicted above 0.

        Where there are no thresholds, these are the scores of the classifier. Labels that do not
        vary score ±1.
        """
        return super().decision_function(X)

    def predict(self, X: AnyRows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels with a score above their threshold."""
        return super().predict(X, as_frame=as_frame)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def fit_quietly(
    model: Any, X: Any, Y: Any, weights: np.ndarray | None = None, **params: Any
) -> Any:
    """Fit; a single label is a column here, whatever scikit-learn thinks of columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        return model.fit(X, Y, **weights_for(model, weights), **params)


def per_label_thresholds(
    scores: np.ndarray,
    Y: Any,
    metric: _cuts.CutMetric,
    fbr: float,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """The best threshold of each label, or its highest score where even the best is below `fbr`.

    The columns of Y repeat where scores have more.
    """
    thresholds, best = _cuts.best_cuts(scores, Y, metric, weights)
    highest = np.fmax.reduce(scores, axis=0)
    if metric != "accuracy":
        thresholds = np.where(best < fbr, highest, thresholds)
    return thresholds


#: Why a label has no threshold of its own, and what to do.
NO_FOLD = (
    "have only one value in the training part of every split",
    "Folds that cover them, as of colabel.datasets.IterativeStratifiedKFold, tune them too",
)
ONE_VALUE = "have only one value in y", "Rows with the label and rows without it tune them too"


def warn_of_unlearned(
    labels: np.ndarray, names: np.ndarray, estimator: Any, why: tuple[str, str] = NO_FOLD
) -> None:
    """Say in one warning which labels have no scores to tune by, and are cut as by `own_cut`."""
    if labels.any():
        warnings.warn(
            f"{np.count_nonzero(labels)} of {len(labels)} labels {why[0]}, so that no threshold "
            f"can be tuned for them, and are cut as {type(estimator).__name__} cuts them, at "
            f"{own_cut(estimator):g}: {brief(names[labels])}. {why[1]}",
            UserWarning,
            stacklevel=5,
        )
