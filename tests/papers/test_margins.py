"""The papers' SVMs are LIBSVM's problem: the hinge, an intercept that is not penalised."""

import numpy as np
import pytest
from scipy import sparse as sp
from sklearn.svm import SVC

from colabel.papers.margins import ExactSVM, LibSVM


def data(seed=0, n=120, k=4, q=3):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, k))
    Y = (Z @ rng.normal(size=(k, q)) + rng.normal(size=(n, q)) > 0.7).astype(int)
    return Z, Y


def objective(Z, y, w, b, C):
    """As it is printed."""
    return 0.5 * w @ w + C * np.maximum(0.0, 1.0 - (2 * y - 1) * (Z @ w + b)).sum()


@pytest.mark.parametrize("C", [1e-3, 1.0, 30.0])
def test_the_exact_one_is_at_the_minimum_that_libsvm_approaches(C):
    Z, Y = data()
    model = ExactSVM(C).fit(Z, Y)
    for label, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        peer = SVC(C=C, kernel="linear", tol=1e-6).fit(Z, Y[:, label])
        ours = objective(Z, Y[:, label], w, b, C)
        theirs = objective(Z, Y[:, label], peer.coef_[0], peer.intercept_[0], C)
        assert ours <= theirs * (1 + 2e-6)
        assert ours >= theirs * (1 - 1e-4)


@pytest.mark.parametrize("C", [2.0, 1e5])
def test_no_step_from_the_exact_one_lowers_the_objective(C):
    Z, Y = data(1)
    model, rng = ExactSVM(C).fit(Z, Y), np.random.default_rng(0)
    w, b = model.coef_[0], model.intercept_[0]
    least = objective(Z, Y[:, 0], w, b, C)
    for size in (1e-4, 1e-2):
        for _ in range(50):
            step = size * rng.normal(size=len(w) + 1)
            assert objective(Z, Y[:, 0], w + step[:-1], b + step[-1], C) > least * (1 - 1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_libsvm_on_the_gram_matrix_is_libsvm_on_the_rows(kind):
    Z, Y = data(2)
    model = LibSVM(0.5).fit(kind(Z), Y)
    for label in range(Y.shape[1]):
        peer = SVC(C=0.5, kernel="linear").fit(Z, Y[:, label])
        scores = model.decision_function(kind(Z))[:, label]
        np.testing.assert_allclose(scores, peer.decision_function(Z), atol=5e-3)


@pytest.mark.parametrize("SVM", [ExactSVM, LibSVM])
def test_labels_that_do_not_vary_are_constant(SVM):
    Z, Y = data(3)
    Y[:, 0], Y[:, 1] = 1, 0
    scores = SVM().fit(Z, Y).decision_function(Z)
    assert np.all(scores[:, 0] == 1)
    assert np.all(scores[:, 1] == -1)
    assert np.std(scores[:, 2]) > 0.1
