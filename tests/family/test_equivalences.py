"""The web of equivalences: what each method must be when it is another in disguise."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from methods import CASES
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn import decomposition
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from spans import sine

import colabel


def assert_same(a, b, scale=1.0):
    """The same directions with eigenvalues a = scale·b."""
    assert a.n_components_ == b.n_components_
    assert_allclose(a.eigenvalues_, scale * b.eigenvalues_, rtol=1e-8)
    assert_allclose(a.components_, b.components_, rtol=1e-6, atol=1e-8)


@pytest.fixture(params=["tall", "wide"])
def data(request):
    return problems.make(request.param)


def test_mvmd_without_dependence_is_pca(data):
    assert_same(colabel.MVMD(beta=0).fit(*data), colabel.PCA().fit(*data))


def test_pca_is_scikit_learns(data):
    X, _ = data
    ours, theirs = colabel.PCA(n_components=5).fit(X), decomposition.PCA(5).fit(X)
    assert_allclose(ours.eigenvalues_, theirs.explained_variance_ * (len(X) - 1), rtol=1e-10)
    assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-8)


def test_mvmd_without_variance_is_mddmp(data):
    assert_same(colabel.MVMD(beta=1).fit(*data), colabel.MDDMp().fit(*data))


def test_mddmf_without_correlation_is_mddmp(data):
    assert_same(colabel.MDDMf(beta=0).fit(*data), colabel.MDDMp().fit(*data))


@pytest.mark.parametrize("beta", [0.2, 0.5, 0.9])
def test_mddmf_is_opls_rescaled(data, beta):
    mddmf = colabel.MDDMf(beta=beta).fit(*data)
    opls = colabel.OPLS(ridge=(1 - beta) / beta).fit(*data)
    assert_allclose(mddmf.eigenvalues_, opls.eigenvalues_ / beta, rtol=1e-8)
    assert_allclose(mddmf.components_, opls.components_ / np.sqrt(beta), atol=1e-8)


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_cca_hypergraph_is_label_cca(ridge):
    X, Y = problems.make("tall")
    hypergraph = colabel.HypergraphSpectral(laplacian="cca", ridge=ridge).fit(X, Y)
    assert_same(hypergraph, colabel.LabelCCA(ridge=ridge, label_ridge=0).fit(X, Y))


def test_large_ridge_turns_opls_into_mddmp(data):
    opls = colabel.OPLS(ridge=1e9).fit(*data)
    assert sine(opls.components_.T, colabel.MDDMp().fit(*data).components_.T) < 1e-6


def test_label_cca_finds_canonical_correlations():
    X, Y = problems.make("tall")
    Qx, _ = linalg.qr(X - X.mean(axis=0), mode="economic")
    Qy, _ = linalg.qr(Y - Y.mean(axis=0), mode="economic")
    correlations = linalg.svdvals(Qx.T @ Qy)
    model = colabel.LabelCCA(ridge=0, label_ridge=0).fit(X, Y)
    assert_allclose(np.sqrt(model.eigenvalues_), correlations, rtol=1e-10)


@pytest.mark.parametrize("weights", ["binary", "correlation"])
def test_mlda_on_one_hot_labels_is_lda(weights):
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    mlda = colabel.MLDA(weights=weights, ridge=0).fit(X, y)
    assert mlda.n_components_ == 2
    assert sine(mlda.components_.T, lda.scalings_[:, :2]) < 1e-8
    share = mlda.eigenvalues_ / mlda.eigenvalues_.sum()
    assert_allclose(share, lda.explained_variance_ratio_[:2], rtol=1e-8)


def test_cca_on_one_hot_labels_spans_lda():
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    cca = colabel.LabelCCA(ridge=0, label_ridge=0).fit(X, y)
    assert cca.n_components_ == 2
    assert sine(cca.components_.T, lda.scalings_[:, :2]) < 1e-8


@pytest.mark.parametrize("laplacian", ["clique", "star", "zhou"])
def test_least_squares_form_is_not_the_exact_one(data, laplacian):
    """Sun et al. replace singular values by ones: the same span, other directions."""
    exact = colabel.HypergraphSpectral(laplacian=laplacian).fit(*data)
    approximate = colabel.HypergraphSpectral(laplacian=laplacian, approximate=True).fit(*data)
    assert sine(exact.components_.T, approximate.components_.T) < 1e-6
    assert sine(exact.components_[:1].T, approximate.components_[:1].T) > 1e-3


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_of_a_factored_matrix_are_the_rows(case):
    for kind in ("tall", "wide", "rank-deficient tall", "rank-deficient wide"):
        X, Y = problems.make(kind)
        rows = np.arange(len(X)) % 4 != 0
        for container in (np.asarray, sp.csr_array):
            fm = colabel.factor(container(X))
            plain = case.make().fit(container(X)[rows], Y[rows])
            factored = case.make().fit(fm[rows], Y[rows])
            assert_same(factored, plain)
            assert_allclose(factored.mean_, plain.mean_, atol=1e-12)
            assert_allclose(
                factored.transform(fm[~rows]), plain.transform(X[~rows]), rtol=1e-6, atol=1e-7
            )


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        (colabel.PCA(2), colabel.PCA(2)),
        (colabel.MDDMp(2), colabel.MDDMp(2)),
        (colabel.OCM(2), colabel.OCM(2)),
        (colabel.OPLS(2, ridge=0.1), colabel.OPLS(2, ridge=0.2)),
        (colabel.MLDA(2, ridge=0.1), colabel.MLDA(2, ridge=0.2)),
        (colabel.HypergraphSpectral(2, ridge=0.1), colabel.HypergraphSpectral(2, ridge=0.2)),
    ],
)
def test_each_row_twice_is_twice_the_ridge(data, once, twice):
    X, Y = data
    once.fit(X, Y)
    twice.fit(np.vstack([X, X]), np.vstack([Y, Y]))
    assert sine(once.components_.T, twice.components_.T) < 1e-6


def test_mlda_on_one_label_is_two_class_lda():
    X, y = load_iris(return_X_y=True)
    y = (y == 1).astype(int)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    for labels in (y, y[:, None], sp.csr_array(y[:, None])):
        mlda = colabel.MLDA(ridge=0).fit(X, labels)
        assert mlda.n_components_ == 1
        assert sine(mlda.components_.T, lda.scalings_[:, :1]) < 1e-8


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shifting_the_data_changes_nothing(case):
    X, Y = problems.make("wide")
    offset = np.random.default_rng(2).normal(size=X.shape[1]) * 10
    assert_same(case.make().fit(X + offset, Y), case.make().fit(X, Y))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rotating_the_features_rotates_the_directions(case):
    X, Y = problems.make("tall")
    Q, _ = linalg.qr(np.random.default_rng(3).normal(size=(X.shape[1], X.shape[1])))
    plain, rotated = case.make().fit(X, Y), case.make().fit(X @ Q, Y)
    assert_allclose(rotated.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    assert_allclose(
        np.abs(rotated.transform(X @ Q)), np.abs(plain.transform(X)), rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_permuting_rows_and_labels_changes_nothing(case):
    X, Y = problems.make("tall")
    rng = np.random.default_rng(4)
    rows, labels = rng.permutation(len(X)), rng.permutation(Y.shape[1])
    assert_same(case.make().fit(X[rows], Y[rows][:, labels]), case.make().fit(X, Y))
