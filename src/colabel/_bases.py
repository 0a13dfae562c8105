"""What estimators share: rows projected on directions, and one linear score a label."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from colabel import _tags
from colabel._accuracy import is_of_labels, share_right
from colabel._indicator import Indicator
from colabel._labels import (
    AsFrame,
    Labels,
    Observed,
    Predictions,
    Scores,
    as_labels,
    decide,
    weigh_rows,
)
from colabel._parameters import Estimator
from colabel._rows import Rows, as_data, row_parts, rows_dot
from colabel._sklearn import fit_context
from colabel._terminal import watch_iterations
from colabel._weights import RowWeights, SampleWeight
from colabel.linalg.data import CentredData

#: Of predictions that are kept sparse.
SCORES_AT_A_TIME = 2**25


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Rows projected on the directions of a fitted estimator, which `_projects_on` names."""

    _projects_on = "components_"

    def transform(self, X: Rows) -> np.ndarray:
        """Project rows on the directions: (X − mean_) @ directions.T.

        Returns
        -------
        ndarray of shape (n, n_components_)
        """
        check_is_fitted(self)
        return rows_dot(self, X, getattr(self, self._projects_on).T, self.mean_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class LabelClassifier(ClassifierMixin, Estimator, ABC):
    """Scores of the labels, and a label where its score, less its cut, is above 0.

    A subclass says what the scores are, in :meth:`_uncut`, and what is taken off, in :meth:`_cut`.

    Attributes
    ----------
    classes_ : ndarray
        Column numbers of the labels (0 and 1 for a single column), or the classes of a 1-D y.
    label_names_ : ndarray of shape (q,)
    """

    # of models that older versions saved (a comment, as an annotation would declare a parameter)
    _gives_sparse = False

    @abstractmethod
    def _uncut(self, X: Any) -> np.ndarray:
        """Scores before they are cut, n×q."""

    def _cut(self, scores: np.ndarray) -> np.ndarray:
        """The scores less what is taken off them to decide."""
        return scores

    def _know(self, labels: Indicator) -> None:
        """Remember what the labels are."""
        self.label_names_, self.classes_ = labels.names, labels.class_list
        self._is_multilabel = labels.classes is None
        self._gives_sparse = sparse.issparse(labels.matrix)

    def _shape(self, scores: np.ndarray) -> np.ndarray:
        return scores if self._is_multilabel or scores.shape[1] > 1 else scores[:, 0]

    def uncut_scores(self, X: Rows) -> Scores:
        """Scores of the labels before anything is taken off to decide: what rankings are by."""
        check_is_fitted(self)
        return self._shape(self._uncut(X))

    def decision_function(self, X: Rows) -> Scores:
        """Scores of the labels, less their thresholds where these are tuned."""
        check_is_fitted(self)
        return self._shape(self._cut(self._uncut(X)))

    def predict(self, X: Rows, *, as_frame: AsFrame = False) -> Predictions:
        """Labels with a positive score; for a 1-D y, the class with the largest.

        Where y was sparse, or lists of tags, so are they, and scores are made some rows at a time.
        """
        check_is_fitted(self)
        found = self._predict_all(X)
        return _tags.as_frame(found, self.label_names_, X) if as_frame else found

    def predict_labels(self, X: Rows) -> list[list[Any]]:
        """The names of the labels that are predicted, a list for each row.

        Returns
        -------
        list of list
            Of `label_names_`: tags, names of columns, or the one class of a 1-D y.
        """
        check_is_fitted(self)
        return _tags.names_of(self._predict_all(X), self.label_names_)

    def score(self, X: Rows, y: Labels, sample_weight: RowWeights = None) -> float:
        """The share of rows that are predicted right, with all labels that are known of them.

        Labels come in every form that `fit` takes. A row with a tag that was never fitted is wrong.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if not (self._is_multilabel and is_of_labels(y)):
            return float(super().score(X, y, sample_weight))
        return share_right(self._predict_all(X), y, self.label_names_, sample_weight)

    def _predict_all(self, X: Any) -> Any:
        if not self._gives_sparse:
            return self._predict_rows(X)
        step = max(1, SCORES_AT_A_TIME // len(self.label_names_))
        parts = [sparse.csr_array(self._predict_rows(rows)) for rows in row_parts(X, step)]
        return sparse.vstack(parts, format="csr")

    def _predict_rows(self, X: Any) -> np.ndarray:
        """Labels of rows, dense."""
        return decide(self.decision_function(X), self.classes_, self._is_multilabel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


class LinearScorer(LabelClassifier):
    """One linear score a label, f(x) = coef_ x + intercept_; a label is predicted where f(x) > 0.

    A subclass says what the coefficients are, in :meth:`coefficients`. Scores are fitted to ±1, so
    that a label which every row has, or none, gets a constant score of its sign. One that tunes
    where its scores are cut says so by :meth:`_cut_at`.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
    intercept_ : ndarray of shape (q,)
    """

    # what is taken off the scores, and the intercepts before it was; None where nothing is
    # (comments, as an annotation would declare parameters)
    _takes_unknown = True
    _cuts = None  # type: np.ndarray | None
    _uncut_intercept = None  # type: np.ndarray | None

    @property
    def _takes_factored(self) -> bool:
        """Whether X may be a FactoredMatrix, which holds no rows: a kernel needs them."""
        return getattr(self, "kernel", None) is None

    @abstractmethod
    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        """Coefficients U (d×q) of the centred data."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Rows, y: Labels, sample_weight: SampleWeight = None, *, observed: Observed = None
    ) -> Self:
        """Fit one score a label."""
        weights = weigh_rows(self, y, sample_weight)
        data = as_data(self, X, weights)
        labels = as_labels(self, y, data, weights, observed)
        labels.warn_of_constant()
        with watch_iterations(f"fitting {type(self).__name__}"):
            U = self.coefficients(data, labels)
        return self._keep(U, data, labels)

    def _fit_moments(self, data: CentredData, labels: Indicator) -> None:
        labels.warn_of_constant()
        self._keep(self.coefficients(data, labels), data, labels)

    def _keep(self, U: np.ndarray, data: CentredData, labels: Indicator) -> Self:
        for name in ("moments_", "_cuts", "_uncut_intercept"):  # of other rows
            self.__dict__.pop(name, None)
        self._know(labels)
        self.coef_ = U.T.astype(data.dtype, copy=False)
        base = 2.0 * labels.shares - 1.0
        if labels.counts_entries:  # the rows of a label have a mean of their own
            base -= _means_of_known(data, labels, U)
        self.intercept_ = (base - data.mean @ U).astype(data.dtype)
        return self

    def _cut_at(self, cuts: np.ndarray) -> None:
        """Predict a label where its score is above its cut.

        The cuts are taken off the scores, not only off the intercepts, as that would round: a score
        that is equal to its cut is not above it.
        """
        self._cuts, self._uncut_intercept = cuts, self.intercept_
        self.intercept_ = self.intercept_ - cuts

    def _uncut(self, X: Any) -> np.ndarray:
        uncut = self.intercept_ if self._uncut_intercept is None else self._uncut_intercept
        return rows_dot(self, X, self.coef_.T) + uncut

    def _cut(self, scores: np.ndarray) -> np.ndarray:
        return scores if self._cuts is None else scores - self._cuts


def _means_of_known(data: CentredData, labels: Indicator, U: np.ndarray) -> np.ndarray:
    """Of each label, the mean of what X̄U says of the entries that count, as they count."""
    means = np.zeros(U.shape[1])
    for part in labels.parts():
        counts = np.asarray(labels.columns(part).known_weights)
        scores, total = data.uncentred_dot(U[:, part]) - data.mean @ U[:, part], counts.sum(axis=0)
        means[part] = np.einsum("ij,ij->j", counts, scores) / np.where(total > 0, total, 1.0)
    return means
