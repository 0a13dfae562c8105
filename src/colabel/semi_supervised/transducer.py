"""What all semi-supervised classifiers share: fit with unlabelled rows, ranks, sets of labels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from colabel._labels import AsFrame, Labels, Observed, Predictions, Scores, decide
from colabel._public import public
from colabel._row_blocks import is_dask
from colabel._rows import SPARSE_FORMATS, Rows, as_array
from colabel._sklearn import fit_context
from colabel._weights import Weights
from colabel.linalg.data import CentredData
from colabel.semi_supervised.partial_labels import PartialLabels, read_partial_labels
from colabel.tuning.calibrated import CalibratedLabels, Probabilities
from colabel.tuning.calibration import Calibration, calibrate_labels


def read_rows(estimator: Any, X: Any, *, fitting: bool) -> Any:
    """Check the rows of X: a dense array or a csr one."""
    if isinstance(X, CentredData):
        raise TypeError(
            f"{type(estimator).__name__} compares the rows of X with each other, which a "
            "FactoredMatrix does not hold; pass the array that was factored"
        )
    if is_dask(X):
        raise TypeError(
            f"{type(estimator).__name__} compares the rows of X with each other and needs them in "
            "one place; pass X.compute(), or use a classifier that takes row blocks, such as "
            "SharedSubspaceClassifier"
        )
    smallest = {"ensure_min_samples": 2} if fitting else {}
    return as_array(estimator, X, reset=fitting, accept_sparse=SPARSE_FORMATS[0], **smallest)


@public
@dataclass(frozen=True)
class ConstantLabels:
    """Labels that no labelled row has, scored below all others, and those that all have, above."""

    #: How many of the labelled rows have each label.
    share: np.ndarray
    #: The scores of the two.
    low: float
    high: float

    @classmethod
    def beyond(cls, scores: np.ndarray, threshold: float, share: np.ndarray) -> ConstantLabels:
        """Set apart from the scores of the rows of a fit, on either side of the threshold."""
        varying = scores[:, (share > 0) & (share < 1)]
        low = float(np.min(varying, initial=threshold)) - 1.0
        return cls(share, low, float(np.max(varying, initial=threshold)) + 1.0)

    def place(self, scores: np.ndarray) -> np.ndarray:
        """The scores with those of constant labels replaced."""
        return np.where(
            self.share == 0, self.low, np.where(self.share == 1, self.high, scores)
        ).astype(scores.dtype)


def _is_calibrated(transducer: Any) -> bool:
    return getattr(transducer, "calibration_", None) is not None


class Transducer(CalibratedLabels):
    """Scores of labels for all rows from the labels of some.

    A subclass says what the scores of the rows it is fitted on are, in :meth:`_transduce`, and
    those of new rows, in :meth:`_score`. A label is predicted where its score exceeds its
    threshold.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n, q)
    transduction_ : ndarray of shape (n, q) of 0 and 1, or (n,) of classes for a 1-D y
        Labels of all rows: given, or predicted.
    thresholds_ : ndarray of shape (q,)
    calibration_ : Calibration or None
        How scores become probabilities; None where no labelled row was hidden to find out.
    """

    _takes_unknown = True
    _refuses_weights = "rows are compared with each other, and none counts more than another"

    @abstractmethod
    def _transduce(self, X: Any, labels: PartialLabels) -> tuple[np.ndarray, np.ndarray]:
        """Scores (n×q) of the rows, and the thresholds (q) of the labels."""

    @abstractmethod
    def _score(self, X: Any) -> np.ndarray:
        """Scores (m×q) of new rows, checked already."""

    def _rows(self, X: Any, *, fitting: bool) -> Any:
        return read_rows(self, X, fitting=fitting)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Rows, y: Labels, labelled: ArrayLike | None = None, *, observed: Observed = None
    ) -> Self:
        """Find the scores of all rows.

        Parameters
        ----------
        X : array, sparse array or DataFrame of shape (n, d)
            Labelled and unlabelled rows, in any order.
        y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1, with rows of NaN, or of −1, for unlabelled rows, and NaN
            for labels that are unknown in rows of which others are known. A 1-D y holds one class a
            row, −1 for an unlabelled one, and `predict` returns classes then; without two other
            classes −1 is a class.
        labelled : array of bool, of shape (n,), optional
            Which rows are labelled; what y holds in the others is not looked at. The way to say
            so with a sparse y, or one of −1 and 1.
        """
        return self._fit(X, y, labelled, observed)

    def _fit(
        self, X: Any, y: Any, labelled: Any, observed: Any, weights: Weights | None = None
    ) -> Self:
        X = self._rows(X, fitting=True)
        labels = read_partial_labels(self, X, y, labelled, observed, weights)
        labels.known.warn_of_constant()
        self._know(labels.known)
        scores, thresholds = self._transduce(X, labels)
        self.label_scores_ = scores.astype(X.dtype, copy=False)
        self.thresholds_ = thresholds.astype(X.dtype, copy=False)
        self.transduction_ = self._decide(self._decision(self.label_scores_))
        given = self._decide(self._shape(labels.matrix - 0.5))
        if labels.unknown is not None:
            given = np.where(labels.unknown, self.transduction_[labels.labelled], given)
        self.transduction_[labels.labelled] = given
        hidden = self._hide(X, labels)
        self.calibration_ = None if hidden is None else self._calibrate(hidden, labels)
        return self

    def _hide(self, X: Any, labels: PartialLabels) -> np.ndarray | None:
        """Scores of the labelled rows, had their labels been hidden, with NaN for those that were
        not; None where no row is.
        """
        return None

    def _calibrate(self, scores: np.ndarray, labels: PartialLabels) -> Calibration:
        known = labels.known
        counted = known.varying | (known.classes is not None)
        truth, scores = labels.matrix[:, counted], labels.known_alone(scores)[:, counted]
        return calibrate_labels(scores, truth, known, self.thresholds_)

    @available_if(_is_calibrated)
    def predict_proba(self, X: Rows) -> Probabilities:
        """Probabilities of the labels of new rows, each by itself; of the classes of a 1-D y.

        By the scores that labelled rows had when their labels were hidden; see `calibration_`.
        """
        return super().predict_proba(X)

    def _uncut(self, X: Any) -> np.ndarray:
        X = self._rows(X, fitting=False)
        return self._rank(X).astype(X.dtype, copy=False)

    def decision_function(self, X: Rows) -> Scores:
        """Scores of the labels of new rows, less the thresholds of the labels."""
        check_is_fitted(self)
        X = self._rows(X, fitting=False)
        return self._decision(self._score(X).astype(X.dtype, copy=False))

    def predict(self, X: Rows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels of new rows whose score exceeds its threshold; for a 1-D y, the likeliest class.

        For the rows that it was fitted on, see `transduction_`.
        """
        return super().predict(X, as_frame=as_frame)

    def _predict_all(self, X: Any) -> Any:
        found = self._decide(self.decision_function(X))
        return sp.csr_array(found) if self._gives_sparse else found

    def rank_labels(self, X: Rows | None = None) -> np.ndarray:
        """The labels in the order of their scores, highest first.

        Parameters
        ----------
        X : array, sparse array or DataFrame of shape (n, d), optional
            New rows; None for the rows that it was fitted on.

        Returns
        -------
        ndarray of shape (n, q)
            Column numbers of Y. Of labels with equal scores the last leads, as in
            :mod:`colabel.metrics`.
        """
        return np.argsort(self._scores_to_rank(X), axis=1, kind="stable")[:, ::-1]

    def predict_top_k(self, X: Rows | None = None, k: int = 3) -> np.ndarray:
        """The k labels with the highest scores.

        Parameters
        ----------
        X : array, sparse array or DataFrame of shape (n, d), optional
            New rows; None for the rows that it was fitted on.
        k : int, default=3
        """
        ranked = self.rank_labels(X)
        q = ranked.shape[1]
        if not 1 <= k <= q:
            raise ValueError(f"k={k} must be between 1 and the number of labels, {q}")
        chosen = np.zeros(ranked.shape, dtype=int)
        np.put_along_axis(chosen, ranked[:, :k], 1, axis=1)
        return chosen

    def _scores_to_rank(self, X: Rows) -> np.ndarray:
        check_is_fitted(self)
        return self.label_scores_ if X is None else self._rank(self._rows(X, fitting=False))

    def _rank(self, X: Any) -> np.ndarray:
        """Scores (m×q) of new rows as they are ranked by."""
        return self._score(X)

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        return self._shape(scores - self.thresholds_)

    def _decide(self, decision: np.ndarray) -> np.ndarray:
        return decide(decision, self.classes_, self._is_multilabel)
