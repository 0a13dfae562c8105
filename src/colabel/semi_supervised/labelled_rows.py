"""Any classifier, fitted on the labelled rows alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from colabel._scores import is_cutting, uncut_scores


@dataclass(frozen=True)
class LabelModel:
    """A classifier fitted for the labels that vary, and the value of those that do not.

    Attributes
    ----------
    model : estimator or None
        None where no label varies.
    varying : ndarray of bool, of shape (q,)
    values : ndarray of shape (q,)
        0 or 1 for a label that does not vary.
    """

    model: Any
    varying: np.ndarray
    values: np.ndarray

    def scores(self, X: Any, *, uncut: bool = False) -> tuple[np.ndarray, float]:
        """Scores (m×q) of the labels, and the threshold above which they are predicted.

        With `uncut`, before a model that has thresholds of its own takes them off.
        """
        if self.model is None:
            return np.tile(self.values, (X.shape[0], 1)), 0.5
        found, threshold = _scores_of(self.model, X, int(self.varying.sum()), uncut)
        constant = self.values if threshold else 2.0 * self.values - 1.0
        scores = np.tile(constant.astype(found.dtype), (X.shape[0], 1))
        scores[:, self.varying] = found
        return scores, threshold

    def confidences(self, X: Any) -> np.ndarray:
        """Scores in [0, 1]: probabilities as they are, margins with −1 at 0 and 1 at 1."""
        scores, threshold = self.scores(X)
        return np.clip(scores if threshold else (1.0 + scores) / 2.0, 0.0, 1.0)


def fit_indicator(estimator: Any, X: Any, Y: np.ndarray) -> LabelModel:
    """Fit a multi-label classifier to the columns of Y that hold both 0 and 1."""
    share = Y.mean(axis=0)
    varying = (share > 0) & (share < 1)
    if not varying.any():
        return LabelModel(None, varying, share)
    target = Y[:, varying].astype(int)
    one = target.shape[1] == 1  # scikit-learn takes a single label only as a vector
    model = clone(estimator).fit(X, target.ravel() if one else target)
    return LabelModel(model, varying, share)


def fit_classes(estimator: Any, X: Any, y: np.ndarray, q: int) -> LabelModel:
    """Fit a classifier to a vector of classes that is scored in q columns."""
    return LabelModel(clone(estimator).fit(X, y), np.ones(q, dtype=bool), np.ones(q))


def _scores_of(model: Any, X: Any, q: int, uncut: bool) -> tuple[np.ndarray, float]:
    """What a fitted classifier says of its q labels, as columns, and the threshold of that."""
    threshold = 0.5
    if uncut and is_cutting(model):
        scores, threshold = uncut_scores(model, X), 0.0
    elif hasattr(model, "decision_function"):
        scores, threshold = model.decision_function(X), 0.0
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)
        if isinstance(scores, list):  # one array a label, of the two classes of each
            scores = np.column_stack([part[:, 1] for part in scores])
        elif scores.shape[1] == q + 1:  # of the two classes of a single label
            scores = scores[:, 1:]
    else:
        scores = model.predict(X).astype(float)
    return np.reshape(scores, (X.shape[0], -1)), threshold
