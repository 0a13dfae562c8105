"""LabelledOnly around a classifier with only `predict`, on one class a row: all rows had one class.

The predicted classes themselves were taken for scores.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from colabel.semi_supervised import LabelledOnly

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
CODES = X[:, :4].argmax(axis=1)


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    """Nearest neighbours that give no scores."""

    def fit(self, X, y):
        self.model_ = KNeighborsClassifier(3).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.mark.parametrize(
    "names", [np.arange(4), np.array([-7, 0, 3, 5]), np.array([0.5, 1.5, 7.0, 8.0]).astype(str)]
)
@pytest.mark.parametrize("q", [2, 3, 4])
def test_classes_are_predicted_as_the_classifier_predicts_them(names, q):
    y = names[np.minimum(CODES, q - 1)]
    model = LabelledOnly(OnlyPredicts()).fit(X, y)
    expected = OnlyPredicts().fit(X, y).predict(X)
    assert_array_equal(model.predict(X), expected)
    assert len(np.unique(expected)) == q  # to be sure


def test_unlabelled_rows_too():
    y = np.where(np.arange(120) < 80, CODES, -1)
    model = LabelledOnly(OnlyPredicts()).fit(X, y)
    expected = OnlyPredicts().fit(X[:80], CODES[:80]).predict(X[80:])
    assert_array_equal(model.transduction_[80:], expected)
    assert_array_equal(model.transduction_[:80], CODES[:80])


def test_sets_of_labels_are_predicted_as_before():
    Y = (X > 0).astype(int)
    model = LabelledOnly(OnlyPredicts()).fit(X, Y)
    assert_array_equal(model.predict(X), OnlyPredicts().fit(X, Y).predict(X))
    one = LabelledOnly(OnlyPredicts()).fit(X, Y[:, :1])
    assert_array_equal(one.predict(X)[:, 0], OnlyPredicts().fit(X, Y[:, 0]).predict(X))


def test_classifiers_with_scores_keep_them():
    for model in (KNeighborsClassifier(3), LogisticRegression()):
        found = LabelledOnly(model).fit(X, CODES).predict(X)
        assert_array_equal(found, model.fit(X, CODES).predict(X))
