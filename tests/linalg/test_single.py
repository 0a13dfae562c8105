"""Dense rows in float32: multiplied so and added up in float64, or all of it where that tells."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_info

import colabel
from colabel.linalg import single, small
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.low_rank import IDENTITY
from colabel.linalg.normal import NormalEquations


def embeddings(n=3000, d=40, q=6, decay=1.0, mean=1.0, seed=0, turned=False):
    """Rows in float32 whose columns, or directions, vary less and less, to the share `decay`;
    and labels.
    """
    rng = np.random.default_rng(seed)
    scales = np.geomspace(1.0, decay, d)
    X = rng.normal(size=(n, d)) * scales + mean * scales * rng.normal(size=d)
    scores = (X / scales) @ rng.normal(size=(d, q))
    if turned:
        X = X @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    return X.astype(np.float32), (scores > np.quantile(scores, 0.8, axis=0)).astype(int)


def ridge_solution(X, Y, alpha):
    X = X.astype(np.float64)
    X, T = X - X.mean(axis=0), 2.0 * (Y - Y.mean(axis=0))
    return np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ T)


def error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mean", [0.0, 1.0, 30.0])
def test_products_in_parts_have_the_digits_of_float32(order, mean):
    X, Y = embeddings(mean=mean)
    M = DenseMatrix(np.asarray(X, order=order))
    exact = X.astype(np.float64)
    Xc = exact - exact.mean(axis=0)
    eps = float(np.finfo(np.float32).eps)
    assert M.single_gram().dtype == np.float64
    assert_allclose(M.gram(), Xc.T @ Xc, atol=2 * eps * (1 + mean) * np.sum(Xc[:, 0] ** 2))
    # four times what the sums of one sign on the diagonal are off by, about
    off = 4 * single.UNIT * single.SUMMED / (3 * np.sqrt(len(X)))
    assert_allclose(M.single_gram(), M.gram(), atol=off * np.max(np.diag(M.gram())))
    size = np.sqrt(np.sum(exact**2, axis=0))[:, None] * np.sqrt(Y.sum(axis=0))
    assert np.all(np.abs(M.tdot(Y.astype(float)) - Xc.T @ Y) <= 2 * eps * size)
    for T in (Y.astype(float), sp.csr_array(Y.astype(float))):
        for found, alone in zip(M.single_products(T), (M.single_gram(), M.tdot(T)), strict=True):
            assert_allclose(found, alone, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cross_products_with_sparse_labels_are_those_with_dense_ones(dtype):
    X, Y = embeddings()
    M = DenseMatrix(X.astype(dtype))
    # what the terms of a sum come to, not the sum: some of these are next to nothing
    size = np.sqrt(np.sum(X.astype(float) ** 2, axis=0))[:, None] * np.sqrt(Y.sum(axis=0))
    for container in (sp.csr_array, sp.csc_array):
        found = M.tdot(container(Y.astype(float)))
        assert np.all(np.abs(found - M.tdot(Y.astype(float))) <= 4 * np.finfo(dtype).eps * size)
    exact = M.exact_tdot(Y.astype(float))
    assert_allclose(exact, (X - X.mean(axis=0, dtype=np.float64)).T @ Y, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("decay", [1.0, 1e-1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("alpha", [1.0, 1e-2])
@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix")  # says theirs
def test_ridge_in_float32_is_as_accurate_as_that_of_scikit_learn(alpha, decay, turned, seed):
    X, Y = embeddings(n=20_000, decay=decay, turned=turned, seed=seed)
    expected = ridge_solution(X, Y, alpha)
    ours = colabel.LabelRidge(alpha).fit(X, Y)
    theirs = Ridge(alpha, solver="cholesky").fit(X, (2 * Y - 1).astype(np.float32))
    assert ours.coef_.dtype == np.float32
    found = error(ours.coef_.T, expected)
    assert found <= error(theirs.coef_.T, expected)
    assert found <= single.TARGET


@pytest.mark.parametrize("n", [300, 3000, 20_000])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("decay", [1.0, 1e-2, 1e-3])
def test_what_float32_costs_is_known(n, decay, turned):
    X, Y = embeddings(n=n, decay=decay, turned=turned)
    M = DenseMatrix(X)
    G, F = M.single_gram(), M.exact_tdot(2.0 * Y)
    factor = small.Cholesky.of(G + np.eye(len(G)))
    W = factor.solve(F)
    estimate = single.error(G, n, factor, W)
    assert error(W, ridge_solution(X, Y, 1.0)) <= estimate
    assert estimate <= 100 * error(W, ridge_solution(X, Y, 1.0))


def test_a_bad_condition_is_met_in_float64(monkeypatch):
    exactly = []
    gram = DenseMatrix.gram
    monkeypatch.setattr(DenseMatrix, "gram", lambda M, *w: exactly.append(M) or gram(M, *w))
    for decay, turned, times in ((1.0, True, 0), (1e-3, False, 0), (1e-3, True, 1)):
        X, Y = embeddings(decay=decay, turned=turned)
        equations = NormalEquations(DenseMatrix(X), IDENTITY, 1e-3)
        others = [equations.with_ridge(b) for b in (1e-2, 1e-3)]
        F = DenseMatrix(X.astype(np.float64)).tdot(2.0 * Y)
        exactly.clear()
        for each in (equations, *others):
            assert error(each.solve(F), ridge_solution(X, Y, each.b)) <= 1e-5
        assert len(exactly) == times  # once for all ridges


def test_threads_of_blas_come_back():
    """Whoever is last gives them back, in whatever order holders come and go."""
    before = [each["num_threads"] for each in threadpool_info()]
    started, go = threading.Event(), threading.Event()

    def hold():
        with small.one_thread():
            started.set()
            go.wait()

    thread = threading.Thread(target=hold)
    with small.one_thread():
        thread.start()
        started.wait()
    assert all(x["num_threads"] == 1 for x in threadpool_info() if x["user_api"] == "blas")
    go.set()
    thread.join()
    assert [each["num_threads"] for each in threadpool_info()] == before


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_finite_is_found_without_another_look(bad, dtype):
    X, Y = embeddings(n=50)
    X = X.astype(dtype)
    X[7, 3], X[8, 3] = bad, -bad
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        colabel.LabelRidge().fit(X, Y)


@pytest.mark.parametrize("shape", [(1300, 1050), (1050, 1300)])
def test_few_directions_are_the_first_of_all(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * np.geomspace(1.0, 1e-3, shape[1])
    few, whole = (colabel.PCA(k, solver="factor").fit(X) for k in (5, None))
    assert_allclose(few.eigenvalues_, whole.eigenvalues_[:5], rtol=1e-10)
    assert_allclose(few.components_, whole.components_[:5], atol=1e-8)


def test_few_directions_of_fewer_are_all_there_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 3)) @ rng.normal(size=(3, 1000))
    with pytest.warns(UserWarning, match="only 3 directions"):
        model = colabel.PCA(10, solver="factor").fit(X)
    assert model.n_components_ == 3
