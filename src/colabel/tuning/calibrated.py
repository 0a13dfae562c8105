"""Classifiers whose scores become probabilities by what held-out rows say."""

from typing import Annotated, Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from colabel._bases import LabelClassifier
from colabel._documents import Says
from colabel._rows import Rows

Probabilities: TypeAlias = Annotated[
    np.ndarray, Says(kind="ndarray of shape (n, q), or (n, number of classes) for a 1-D y")
]


class CalibratedLabels(LabelClassifier):
    """Scores of labels, and their probabilities by a `Calibration`.

    Attributes
    ----------
    calibration_ : Calibration
        How scores become probabilities, with a sigmoid for each label: its `kinds` say for which
        labels held-out scores tell nothing, which have their share of the rows then.
    """

    def predict_proba(self, X: Rows) -> Probabilities:
        """Probabilities of the labels, each by itself; of the classes of a 1-D y, which sum to 1.

        A sigmoid of the scores (`uncut_scores`) that fits those of held-out rows best.
        """
        check_is_fitted(self)
        return self._shape_probabilities(self.calibration_.apply(self._uncut(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # else scikit-learn's checks take a label for predicted where its probability is above ½:
        # cut where F1 is best, it is predicted from a lower one on
        tags.classifier_tags.poor_score = True
        return tags

    def _shape_probabilities(self, P: np.ndarray) -> np.ndarray:
        """As scikit-learn has them: two columns for the classes of a 1-D y of two."""
        if self._is_multilabel or P.shape[1] > 1:
            return P
        return np.hstack([1.0 - P, P]) if len(self.classes_) > 1 else np.ones_like(P)
