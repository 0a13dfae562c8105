"""A fitted model with all that predicting from a new file needs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from colabel._indicator import dense_labels
from colabel._rows import AnyRows
from colabel._scores import label_columns, uncut_scores
from colabel.datasets import Columns
from colabel.datasets.frames import rows_of
from colabel.tuning.label_sets import set_scores
from colabel.tuning.promise import Promise


@dataclass(frozen=True, eq=False, kw_only=True)
class Bundle:
    """A fitted classifier, and how rows of a file become rows of its X.

    ``colabel fit`` saves one, and ``colabel predict`` reads it. Its methods take rows of X, or a
    DataFrame with the columns of the file, raw as they are.

    Parameters
    ----------
    estimator : classifier
        Fitted, thresholds included.
    columns : Columns
        How a row of X is made; :attr:`colabel.datasets.Dataset.columns` of the training data.
    label_names : ndarray of shape (q,)
    settings : dict
        What the model was made with; plain data.
    version : str
        Of the library that made it.
    card : dict
        What is known of the model: the data, penalties, held-out quality; plain data.
    promise : Promise or None
        What rows that were set aside say of recalls; see :meth:`sets`.
    subspace : ndarray or None
        Θ of a model with a shared subspace, which predictions do not need; see
        :func:`colabel.explain`.

    Examples
    --------
    >>> from colabel import LabelRidgeCV
    >>> from colabel.datasets import load_debtags
    >>> from colabel.persistence import Bundle
    >>> data = load_debtags().select(rows=range(300))
    >>> model = LabelRidgeCV(random_state=0).fit(data.X, data.Y)
    >>> bundle = Bundle(estimator=model, columns=data.columns, label_names=data.label_names)
    >>> bundle.predict(data.X[:5]).shape
    (5, 40)
    """

    estimator: Any
    columns: Columns
    label_names: np.ndarray
    settings: dict[str, Any] = field(default_factory=dict)
    version: str = ""
    card: dict[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    subspace: np.ndarray | None = None

    @property
    def thresholds(self) -> np.ndarray | None:
        """Where the scores of each label are cut; None where the model has no thresholds."""
        found = self.estimator
        while not hasattr(found, "thresholds_") and hasattr(found, "steps"):
            found = found.steps[-1][1]
        return getattr(found, "thresholds_", None)

    def uncut_scores(self, X: AnyRows) -> np.ndarray:
        """Scores of the labels before thresholds are taken off, n×q: what rankings are by."""
        X = self._rows(X)
        return uncut_scores(self.estimator, X).reshape(X.shape[0], -1)

    def scores(self, X: AnyRows) -> np.ndarray:
        """Scores of the labels less their thresholds, n×q: a label is predicted above 0."""
        X = self._rows(X)
        return np.asarray(self.estimator.decision_function(X)).reshape(X.shape[0], -1)

    def probabilities(self, X: AnyRows) -> np.ndarray:
        """Probabilities of the labels, n×q."""
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"the model ({self.settings.get('method', type(self.estimator).__name__)}) has no "
                "probabilities, as it has no held-out scores; fit it with thresholds"
            )
        q = len(self.label_names)
        return label_columns(self.estimator, self.estimator.predict_proba(self._rows(X)), q)

    def sets(self, X: AnyRows, recall: float) -> np.ndarray:
        """Sets that hold a share `recall` of a row's labels, on average over new rows, n×q."""
        if self.promise is None:
            raise ValueError(
                f"a recall of {recall:g} can be promised only by rows that the model has not seen, "
                "and none were set aside; fit it with --hold-out 0.2"
            )
        level = float(f"{1.0 - recall:.12g}")
        cut = self.promise.threshold(level)
        scores = set_scores(self.estimator, self._rows(X), len(self.label_names))
        return (scores >= cut).astype(int)

    def predict(self, X: AnyRows) -> np.ndarray:
        """Labels of rows of X, n×q."""
        X = self._rows(X)
        return dense_labels(self.estimator.predict(X)).reshape(X.shape[0], -1)

    def _rows(self, X: AnyRows) -> AnyRows:
        return rows_of(X, self.columns) if hasattr(X, "columns") else X
