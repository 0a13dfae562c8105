"""Any classifier, fitted on the labelled rows alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from colabel._indicator import dense_labels
from colabel._public import public
from colabel._scores import is_cutting, label_columns, uncut_scores
from colabel.tuning.cut_scores import fit_quietly
from colabel.tuning.out_of_fold import is_ours


@public
@dataclass(frozen=True)
class LabelModel:
    """A classifier fitted for the labels that vary, and the value of those that do not."""

    #: None where no label varies.
    model: Any
    varying: np.ndarray
    #: 0 or 1 for a label that does not vary.
    values: np.ndarray
    #: What a classifier of a vector of classes predicts, the last q of them being the labels.
    classes: np.ndarray | None = None

    def scores(self, X: Any, *, uncut: bool = False) -> tuple[np.ndarray, float]:
        """Scores (m×q) of the labels, and the threshold above which they are predicted.

        With `uncut`, before a model that has thresholds of its own takes them off.
        """
        if self.model is None:
            return np.tile(self.values, (X.shape[0], 1)), 0.5
        found, threshold = self._learned(X, int(self.varying.sum()), uncut)
        constant = self.values if threshold else 2.0 * self.values - 1.0
        scores = np.tile(constant.astype(found.dtype), (X.shape[0], 1))
        scores[:, self.varying] = found
        return scores, threshold

    def probabilities(self, X: Any) -> np.ndarray:
        """Probabilities (m×q) of the labels, of a classifier that has them."""
        found = np.tile(self.values, (X.shape[0], 1))
        q = int(self.varying.sum())
        found[:, self.varying] = label_columns(self.model, self.model.predict_proba(X), q)
        return found

    def _learned(self, X: Any, q: int, uncut: bool) -> tuple[np.ndarray, float]:
        """What the classifier says of its q labels, as columns, and the threshold of that."""
        if uncut and is_cutting(self.model):
            return label_columns(self.model, uncut_scores(self.model, X), q), 0.0
        if hasattr(self.model, "decision_function"):
            return label_columns(self.model, self.model.decision_function(X), q), 0.0
        if hasattr(self.model, "predict_proba"):
            return label_columns(self.model, self.model.predict_proba(X), q), 0.5
        predicted = np.reshape(dense_labels(self.model.predict(X)), (X.shape[0], -1))
        if self.classes is not None:
            predicted = predicted == self.classes[-q:]
        return predicted.astype(float), 0.5

    def confidences(self, X: Any) -> np.ndarray:
        """Scores in [0, 1]: probabilities as they are, margins with −1 at 0 and 1 at 1."""
        scores, threshold = self.scores(X)
        return np.clip(scores if threshold else (1.0 + scores) / 2.0, 0.0, 1.0)


def fit_indicator(
    estimator: Any, X: Any, Y: np.ndarray, weights: np.ndarray | None = None
) -> LabelModel:
    """Fit a multi-label classifier to the columns of Y that hold both 0 and 1.

    NaN, where a label is unknown, is for classifiers of this library.
    """
    unknown = np.isnan(Y)
    share = np.sum(Y == 1, axis=0) / np.maximum(np.sum(~unknown, axis=0), 1)
    varying = (share > 0) & (share < 1)
    if not varying.any():
        return LabelModel(None, varying, share)
    if unknown.any() and not is_ours(estimator):
        raise ValueError(
            f"y has {int(unknown.sum())} labels that are unknown (NaN) in labelled rows, and "
            f"{type(estimator).__name__} takes none; use a classifier of this library, such as "
            "LabelRidge, or leave such rows unlabelled"
        )
    target = Y[:, varying] if unknown.any() else Y[:, varying].astype(int)
    one = target.shape[1] == 1  # scikit-learn takes a single label only as a vector
    model = fit_quietly(clone(estimator), X, target.ravel() if one else target, weights)
    return LabelModel(model, varying, share)


def fit_classes(
    estimator: Any, X: Any, y: np.ndarray, classes: np.ndarray, weights: np.ndarray | None = None
) -> LabelModel:
    """Fit a classifier to a vector of classes, which is scored in a column for two of them."""
    q = len(classes) if len(classes) > 2 else 1
    model = fit_quietly(clone(estimator), X, y, weights)
    return LabelModel(model, np.ones(q, dtype=bool), np.ones(q), classes)
