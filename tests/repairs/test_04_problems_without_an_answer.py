"""Labels or data that leave nothing to find ended in errors of other libraries, or wrong ones."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics.pairwise import chi2_kernel

from colabel import DMLDA, MLDA, MVMD, OCM, OPLS, PCA, HypergraphSpectral, LabelCCA, RankSVM
from colabel.classifiers import cca_ridge, cca_svm, hsml, lda_svm, linear_svm
from colabel.tuning import make_search

SOLVERS = ["auto", "factor", "two-stage", "truncated"]
NOTHING = "no direction has a positive eigenvalue: nothing in X varies with the labels"


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(20, 6))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "method",
    [
        LabelCCA(label_ridge=0),
        LabelCCA(),
        HypergraphSpectral(laplacian="cca"),
        HypergraphSpectral(),
        MLDA(),
        OPLS(),
        OCM(),
    ],
    ids=str,
)
@pytest.mark.parametrize("q", [1, 2])
def test_labels_that_all_rows_have(method, solver, q, X):
    with pytest.raises(ValueError, match=NOTHING):
        method.set_params(solver=solver).fit(X, np.ones((20, q)))


def test_least_squares_directions_of_labels_that_all_rows_have(X):
    with pytest.raises(ValueError, match=NOTHING):
        HypergraphSpectral(laplacian="cca", approximate=True).fit(X, np.ones((20, 1)))


@pytest.mark.parametrize("solver", ["auto", "factor", "truncated"])
@pytest.mark.parametrize("weights", ["binary", "correlation"])
def test_dmlda_of_labels_that_all_rows_have(solver, weights, X):
    with pytest.raises(ValueError, match=NOTHING):
        DMLDA(1, solver=solver, weights=weights).fit(X, np.ones((20, 3)))


@pytest.mark.parametrize("solver", ["auto", "factor"])
@pytest.mark.parametrize("method", [MLDA, DMLDA])
def test_one_row_a_class_has_no_scatter_within(method, solver, X):
    with pytest.raises(ValueError, match=r"the constraint B is zero.*set a ridge above 0"):
        method(ridge=0, weights="binary", solver=solver).fit(X, np.eye(20))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_share_of_the_eigenvalues_by_every_solver(solver, X):
    Y = (X[:, :4] + X[:, 1:5] > 0).astype(int)
    whole = OPLS(solver="factor").fit(X, Y)
    assert whole.n_components_ == 4
    k = int(np.argmax(np.cumsum(whole.eigenvalues_) >= 0.5 * whole.eigenvalues_.sum())) + 1
    assert OPLS(0.5, solver=solver).fit(X, Y).n_components_ == k


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
@pytest.mark.parametrize("method", [OCM(1), MVMD(1), PCA(1)], ids=str)
def test_constant_data(method, value, X):
    Y = (X[:, :3] > 0).astype(int)
    with pytest.raises(ValueError, match=NOTHING):
        method.set_params(solver="truncated").fit(np.full((20, 6), value), Y)


def test_kernels_keep_their_own_default_of_gamma(X):
    X, Y = np.abs(X), (X[:, :3] > 0).astype(int)
    model = RankSVM(kernel="chi2").fit(X, Y)
    given = RankSVM(kernel="precomputed").fit(chi2_kernel(X), Y)
    np.testing.assert_allclose(model.decision_function(X), given.decision_function(chi2_kernel(X)))


@pytest.mark.parametrize("baseline", [cca_ridge, cca_svm, linear_svm, lda_svm, hsml])
def test_every_baseline_can_be_tuned(baseline):
    X, Y = make_multilabel_classification(60, 8, n_classes=3, random_state=0)
    search = make_search(baseline(), cv=2)
    # every other value, to be quick; all names must be parameters of the model
    some = {name: values[::5] for name, values in search.param_grid.items()}
    search.set_params(param_grid=some).fit(X, Y)
    assert set(search.best_params_) == set(some)
    assert search.predict(X).shape == Y.shape
