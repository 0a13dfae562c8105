"""The papers' baselines as pipelines."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from colabel import LabelCCA, LabelRidge
from colabel.classifiers import cca_ridge, cca_svm, linear_svm
from colabel.tuning import make_search


def test_they_are_their_parts():
    X, Y = problems.make("tall")
    cca = LabelCCA(ridge=0.3, label_ridge=0).fit(X, Y)
    ridge = LabelRidge(0.7).fit(cca.transform(X), Y)
    assert_array_equal(cca_ridge(0.3, 0.7).fit(X, Y).predict(X), ridge.predict(cca.transform(X)))
    svm = OneVsRestClassifier(LinearSVC(C=0.5, random_state=0)).fit(cca.transform(X), Y)
    assert_array_equal(cca_svm(0.3, 0.5).fit(X, Y).predict(X), svm.predict(cca.transform(X)))
    svm = OneVsRestClassifier(LinearSVC(C=0.5, random_state=0)).fit(X, Y)
    assert_array_equal(linear_svm(0.5).fit(X, Y).predict(X), svm.predict(X))


@pytest.mark.parametrize("thresholds", ["train", "out-of-fold", None])
def test_tuning_tries_the_papers_grid(thresholds):
    X, Y = problems.make("tall")
    search = make_search(cca_ridge(), cv=2, thresholds=thresholds).fit(sp.csr_array(X), Y)
    assert len(search.cv_results_["params"]) == 8 * 7
    assert search.predict(X).shape == Y.shape
    assert np.isfinite(search.best_score_)
