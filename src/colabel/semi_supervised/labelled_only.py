"""The baselines: any classifier on the labelled rows, and latent semantics of all rows."""

from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from colabel._indicator import dense_labels
from colabel._labels import Labels, Observed
from colabel._rows import Rows, as_data, as_rows
from colabel._sklearn import fit_context
from colabel._weights import SampleWeight, as_weights
from colabel.classifiers import LabelRidge
from colabel.extractors import MLSI
from colabel.linalg.data import CentredData
from colabel.linalg.weighted_labels import WeightedLabels
from colabel.semi_supervised.labelled_rows import fit_classes, fit_indicator
from colabel.semi_supervised.partial_labels import PartialLabels, read_partial_labels
from colabel.semi_supervised.transducer import ConstantLabels, Transducer
from colabel.tuning.calibrated import Probabilities


def _has_probabilities(transducer: Any) -> bool:
    return hasattr(getattr(transducer, "estimator_", None), "predict_proba")


class LabelledOnly(Transducer):
    """Any classifier, fitted on the labelled rows alone: what unlabelled rows have to improve on.

    The classifier sees no label that all labelled rows have, or none; they are predicted constant.

    Parameters
    ----------
    estimator
        A multi-label classifier of this library or of scikit-learn, such as
        ``OneVsRestClassifier(LinearSVC())``; for a 1-D y, any classifier. None:
        :class:`~colabel.LabelRidge`.
    extractor
        Fitted first, the classifier then seeing its output: on all rows if it needs no labels, or
        takes them with ``labelled=`` as :class:`SemiSupervisedMLSI` does, else on the labelled.

    Attributes
    ----------
    estimator_ : classifier
        As fitted; None if every label is constant.
    extractor_ : transformer or None
        As fitted.
    label_scores_ : ndarray of shape (n, q)
        The classifier's decision function on all rows, its probabilities if it has none, its
        predictions if it has neither.
    thresholds_ : ndarray of shape (q,)
        0 for a decision function, ½ for probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.semi_supervised import LabelledOnly
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.9, 0.1]])
    >>> Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]])
    >>> LabelledOnly().fit(X, Y).transduction_[-1]
    array([1, 0])
    """

    estimator: object | None = field(default=None, kw_only=False)
    extractor: object | None = field(default=None, kw_only=False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Rows,
        y: Labels,
        labelled: ArrayLike | None = None,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
    ) -> Self:
        """Fit the classifier on the labelled rows, and score all.

        Parameters
        ----------
        y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1, NaN where one is unknown, with rows of NaN, or of −1,
            for unlabelled rows. A 1-D y holds one class a row, −1 for an unlabelled one.
        labelled : array of bool, of shape (n,), optional
            Which rows are labelled; what y holds in the others is not looked at.
        """
        return self._fit(X, y, labelled, observed, as_weights(sample_weight))

    def _rows(self, X: Any, *, fitting: bool) -> Any:
        if not isinstance(X, CentredData):
            return super()._rows(X, fitting=fitting)
        return as_data(self, X) if fitting else as_rows(self, X)

    def _transduce(self, X: Any, labels: PartialLabels) -> tuple[np.ndarray, np.ndarray]:
        self.extractor_ = self._fit_extractor(X, labels)
        Z = self._features(X)
        estimator = LabelRidge() if self.estimator is None else self.estimator
        Y, classes, counted = labels.matrix, labels.known.classes, labels.known.row_weights
        if classes is None:
            self._model = fit_indicator(estimator, Z[labels.rows], labels.given, counted)
        else:
            codes = np.argmax(Y, axis=1) if Y.shape[1] > 1 else Y[:, 0].astype(int)
            y = classes[np.minimum(codes, len(classes) - 1)]
            self._model = fit_classes(estimator, Z[labels.rows], y, classes, counted)
        self.estimator_ = self._model.model
        scores, threshold = self._model.scores(Z)
        self._constants = ConstantLabels.beyond(scores, threshold, labels.known.shares)
        uncut, _ = self._model.scores(Z, uncut=True)
        self._ranking = None
        if not np.array_equal(uncut, scores):
            self._uncut_constants = ConstantLabels.beyond(uncut, threshold, labels.known.shares)
            self._ranking = self._uncut_constants.place(uncut)
        return self._constants.place(scores), np.full(Y.shape[1], threshold)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Rows) -> Probabilities:
        """Probabilities of the labels, as the classifier has them."""
        check_is_fitted(self)
        found = self._model.probabilities(self._features(self._rows(X, fitting=False)))
        return found if self._is_multilabel else self._shape_probabilities(found)

    def _fit_extractor(self, X: Any, labels: PartialLabels) -> Any:
        if self.extractor is None:
            return None
        extractor = clone(self.extractor)
        if hasattr(extractor, "set_output"):
            extractor.set_output(transform="default")  # rows are taken of it
        takes = labels.weights is not None and has_fit_parameter(extractor, "sample_weight")
        if has_fit_parameter(extractor, "labelled"):
            Y = np.zeros((X.shape[0], labels.matrix.shape[1]))
            Y[labels.rows] = labels.given
            given = {"sample_weight": labels.weights} if takes else {}
            return extractor.fit(X, Y, labelled=labels.labelled, **given)
        if get_tags(extractor).target_tags.required:
            given = {"sample_weight": labels.known.row_weights} if takes else {}
            return extractor.fit(X[labels.rows], labels.given, **given)
        return extractor.fit(X, **({"sample_weight": labels.weights} if takes else {}))

    def _features(self, X: Any) -> Any:
        return X if self.extractor_ is None else self.extractor_.transform(X)

    def _score(self, X: Any) -> np.ndarray:
        return self._constants.place(self._model.scores(self._features(X))[0])

    def _rank(self, X: Any) -> np.ndarray:
        if self._ranking is None:
            return self._score(X)
        return self._uncut_constants.place(self._model.scores(self._features(X), uncut=True)[0])

    def _scores_to_rank(self, X: Any) -> np.ndarray:
        found = super()._scores_to_rank(X)
        return found if X is not None or self._ranking is None else self._ranking


class SemiSupervisedMLSI(MLSI):
    """max tr(PᵀX̄ᵀX̄P) subject to Pᵀ(X̄ᵀ((1 − β)X̄X̄ᵀ + βȲȲᵀ + γ_kI)⁻¹X̄ + γI)P = I, Ȳ known in part.

    :class:`~colabel.MLSI` over all rows. X̄X̄ᵀ and X̄ᵀX̄, which need no labels, are those of labelled
    and unlabelled rows together; ȲȲᵀ is that of the labelled rows, centred by their means, and zero
    in the rows and columns of the others. So with ``beta=0`` labels play no part, and with all rows
    labelled it is :class:`~colabel.MLSI`. Liu, Jin & Yang (2006) compare with a support vector
    machine on its output: ``LabelledOnly(OneVsRestClassifier(LinearSVC()), SemiSupervisedMLSI())``.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.semi_supervised import SemiSupervisedMLSI
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> labelled = np.arange(100) < 20
    >>> SemiSupervisedMLSI(2).fit(X, Y, labelled=labelled).transform(X).shape
    (100, 2)
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Rows,
        y: Labels,
        labelled: ArrayLike | None = None,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
    ) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
            Labelled and unlabelled rows, in any order.
        y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1, with rows of −1 alone for unlabelled rows. A 1-D y holds
            one class a row, −1 for an unlabelled one.
        labelled : array of bool, of shape (n,), optional
            Which rows are labelled; what y holds in the others is not looked at.
        """
        weights = as_weights(sample_weight)
        data = as_data(self, X, weights)
        labels = read_partial_labels(self, X, y, labelled, observed, weights)
        self.label_names_ = labels.known.names
        known = labels.known.without_empty()
        # Where a row of Y is the mean, a row of Ȳ is zero.
        filled: Any = np.tile(known.shares, (len(labels.labelled), 1))
        filled[labels.rows] = dense_labels(known.filled)
        if weights is not None:
            filled = WeightedLabels(weights.take(filled), weights.values)
        return self._keep(self._directions(data, filled), data)
