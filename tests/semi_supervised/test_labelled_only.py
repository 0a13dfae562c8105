"""Any classifier on the labelled rows, and MLSI with unlabelled rows in the terms of X alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from partly_labelled import hidden, topics
from scipy import linalg
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from spans import sine
from transcriptions import solve

import colabel
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI

X, Y, MASK = topics()
LABELS = hidden(Y, MASK)


def fitted(estimator):
    return estimator.fit(X[MASK], Y[MASK])


def test_it_is_the_classifier_of_the_labelled_rows():
    svm = OneVsRestClassifier(LinearSVC(C=0.1, random_state=0))
    for estimator in (colabel.LabelRidge(2.0), colabel.SharedSubspaceClassifier(), svm):
        model = LabelledOnly(estimator).fit(X, LABELS)
        alone = fitted(estimator)
        assert_allclose(model.label_scores_, alone.decision_function(X))
        assert_allclose(model.decision_function(X[:5]), alone.decision_function(X[:5]))
        assert_array_equal(model.predict(X), alone.predict(X))
        assert_array_equal(model.transduction_[~MASK], alone.predict(X[~MASK]))
        assert_array_equal(model.transduction_[MASK], Y[MASK])
    assert_allclose(
        LabelledOnly().fit(X, LABELS).label_scores_,
        fitted(colabel.LabelRidge()).decision_function(X),
    )


def test_probabilities_where_there_is_no_decision_function():
    forest = RandomForestClassifier(5, random_state=0)
    logistic = MultiOutputClassifier(LogisticRegression(max_iter=5000))
    network = MLPClassifier((3,), random_state=0, tol=0.1, max_iter=500)
    for estimator in (forest, logistic, network, DecisionTreeClassifier(random_state=0)):
        for q in (2, 5):
            model = LabelledOnly(estimator).fit(X, LABELS[:, :q])
            alone = estimator.fit(X[MASK], Y[MASK, :q])
            found = alone.predict_proba(X)
            expected = np.stack([p[:, 1] for p in found], 1) if isinstance(found, list) else found
            assert_allclose(model.label_scores_, expected)
            assert_allclose(model.thresholds_, 0.5)
            assert_array_equal(model.transduction_[~MASK], alone.predict(X[~MASK]))


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(max_iter=5000), DecisionTreeClassifier(random_state=0), None]
)
def test_a_vector_of_classes_is_passed_as_it_is(estimator):
    for classes in (2, 3):
        y = np.array(["cat", "dog", "emu"])[np.arange(len(X)) % classes]
        model = LabelledOnly(estimator).fit(X, y, labelled=MASK)
        alone = (estimator or colabel.LabelRidge()).fit(X[MASK], y[MASK])
        assert_array_equal(model.predict(X), alone.predict(X))
        assert_array_equal(model.transduction_[MASK], y[MASK])


def test_a_single_label():
    for estimator in (
        None,
        LogisticRegression(max_iter=5000),
        LinearSVC(),
        DecisionTreeClassifier(random_state=0),
    ):
        model = LabelledOnly(estimator).fit(X, LABELS[:, :1])
        assert model.label_scores_.shape == model.predict(X).shape == (len(X), 1)


def test_constant_labels_are_kept_from_the_classifier():
    """Scikit-learn's would warn again, or fail; they rank behind and before all others."""
    wide = np.column_stack([Y, np.zeros(len(Y), int), np.ones(len(Y), int)])
    for estimator in (
        OneVsRestClassifier(LinearSVC(random_state=0)),
        MultiOutputClassifier(LogisticRegression(max_iter=5000)),
    ):
        with pytest.warns(UserWarning, match="2 of 7 labels.*label5, label6") as record:
            model = LabelledOnly(estimator).fit(X, hidden(wide, MASK))
        assert len(record) == 1
        plain = LabelledOnly(estimator).fit(X, LABELS)
        assert_allclose(model.label_scores_[:, :5], plain.label_scores_)
        ranked = model.rank_labels()
        assert np.all(ranked[:, 0] == 6)
        assert np.all(ranked[:, -1] == 5)
        assert_array_equal(model.predict(X)[:, 5:], np.tile([0, 1], (len(X), 1)))


def test_an_extractor_sees_what_it_may():
    all_rows = LabelledOnly(extractor=colabel.PCA(4)).fit(X, LABELS)
    assert_allclose(all_rows.extractor_.mean_, X.mean(axis=0))
    labelled = LabelledOnly(extractor=colabel.OPLS(4)).fit(X, LABELS)
    assert_allclose(labelled.extractor_.components_, fitted(colabel.OPLS(4)).components_)
    both = LabelledOnly(extractor=SemiSupervisedMLSI(4)).fit(X, LABELS)
    expected = SemiSupervisedMLSI(4).fit(X, LABELS)
    assert_allclose(np.abs(both.extractor_.components_), np.abs(expected.components_), atol=1e-8)
    Z = expected.transform(X)
    scores = colabel.LabelRidge().fit(Z[MASK], Y[MASK]).decision_function(Z)
    assert_allclose(both.label_scores_, scores, atol=1e-7)


def test_a_factored_matrix_is_taken_where_the_classifier_takes_it():
    fm = colabel.factor(X)
    model = LabelledOnly(extractor=SemiSupervisedMLSI(4)).fit(fm, LABELS)
    plain = LabelledOnly(extractor=SemiSupervisedMLSI(4)).fit(X, LABELS)
    assert_allclose(model.label_scores_, plain.label_scores_, atol=1e-7)
    assert_allclose(
        LabelledOnly().fit(fm, LABELS).decision_function(fm[:5]),
        LabelledOnly().fit(X, LABELS).decision_function(X[:5]),
        atol=1e-8,
    )


def direct_mlsi(X, Y, mask, beta, ridge, kernel_ridge):
    """A and B with ȲȲᵀ of the labelled rows, zero for the others."""
    n, d = X.shape
    Xc = X - X.mean(axis=0)
    signs = 2.0 * Y[mask] - 1
    S = np.zeros((n, n))
    centred = signs - signs.mean(axis=0)
    S[np.ix_(mask, mask)] = centred @ centred.T
    K = (1 - beta) * Xc @ Xc.T + beta * S + kernel_ridge * np.eye(n)
    return Xc.T @ Xc, Xc.T @ linalg.inv(K) @ Xc + ridge * np.eye(d)


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, colabel.factor])
def test_mlsi_with_unlabelled_rows_is_the_direct_one(container, beta):
    model = SemiSupervisedMLSI(3, beta=beta, solver="factor").fit(container(X), LABELS)
    A, B = direct_mlsi(X, Y, MASK, beta, 0.1, 0.1)
    lam, P = solve(A, B)
    assert_allclose(model.eigenvalues_, lam[:3], rtol=1e-8)
    assert sine(model.components_.T, P[:, :3]) < 1e-6
    found = model.components_ @ B @ model.components_.T
    assert_allclose(found, np.eye(3), atol=1e-8)


def test_mlsi_with_all_rows_labelled_is_mlsi():
    one, other = SemiSupervisedMLSI(3).fit(X, Y), colabel.MLSI(3).fit(X, Y)
    assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-8)
    assert sine(one.components_.T, other.components_.T) < 1e-6
