"""The sparse regression of MtSDA against the paper's own construction, closed forms and limits."""

import tracemalloc

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from elastic_nets import dense, direct, equicorrelation, kkt_residual
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.preprocessing import StandardScaler

import colabel
from colabel.classifiers.mtsda import elastic_net as module
from colabel.classifiers.mtsda.elastic_net import Penalty, elastic_net
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg import products
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData

CONTAINERS = [np.asarray, sp.csr_array]
RHOS = [-0.01, 0.0, 0.3, 0.9]
PENALTIES = [(0.3, 0.01), (0.05, 0.1), (0.1, 1.0), (0.02, 1e-3)]


def data(kind):
    if kind.startswith("counts"):
        return problems.sparse_counts(kind.split()[1])
    return problems.make(kind)


def design_of(X, **kwargs):
    return standardise(CentredData(as_matrix(X)), **kwargs)


def targets_of(Y):
    """Orthogonal combinations of labels with mean square 1, as the scores make them."""
    return np.sqrt(len(Y)) * linalg.qr(Y.astype(float), mode="economic")[0]


def objective(X, y, b, l1, l2, rho):
    loss = np.sum((y - X @ b) ** 2) / len(y)
    return loss + l2 * b @ equicorrelation(len(b), rho) @ b + l1 * np.abs(b).sum()


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@pytest.mark.parametrize("kind", ["tall", "wide", "counts tall", "counts wide"])
def test_it_is_the_direct_solution(kind, l1, l2, rho):
    X, Y = data(kind)
    Xs, T = dense(X), targets_of(Y)
    centred = T - T.mean(axis=0)
    solutions = [direct(Xs, y, l1, l2, rho) for y in centred.T]
    for container in CONTAINERS:
        B, residual = elastic_net(design_of(container(X)).X, T, Penalty(l1, l2, rho))
        assert residual <= 1e-8
        for y, b, expected in zip(centred.T, B.T, solutions, strict=True):
            value = objective(Xs, y, expected, l1, l2, rho)
            assert objective(Xs, y, b, l1, l2, rho) <= value * (1 + 1e-10)
            assert kkt_residual(Xs, y, b, l1, l2, rho) < 2e-8
            assert_allclose(b, expected, atol=1e-5)


@pytest.mark.parametrize("container", CONTAINERS)
def test_without_rho_it_is_scikit_learns_elastic_net(container):
    X, Y = data("wide")
    Xs, T = dense(X), targets_of(Y)
    for l1, l2 in PENALTIES:
        B, _ = elastic_net(design_of(container(X)).X, T, Penalty(l1, l2))
        alpha = l1 / 2 + l2
        model = ElasticNet(alpha=alpha, l1_ratio=l1 / 2 / alpha, tol=1e-12, max_iter=1_000_000)
        for y, b in zip(T.T, B.T, strict=True):
            assert_allclose(b, model.fit(Xs, y).coef_, atol=1e-6)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("kind", ["tall", "wide", "counts wide", "rank-deficient tall"])
def test_without_l1_it_is_the_closed_form(kind, rho, container):
    X, Y = data(kind)
    Xs, T = dense(X), targets_of(Y)
    n, p = Xs.shape
    for l2 in (1e-3, 0.5):
        H = Xs.T @ Xs / n + l2 * equicorrelation(p, rho)
        B, _ = elastic_net(design_of(container(X)).X, T, Penalty(0.0, l2, rho))
        assert_allclose(B, linalg.solve(H, Xs.T @ T / n), atol=1e-9)


@pytest.mark.parametrize("kind", ["tall", "wide", "rank-deficient wide"])
def test_without_penalties_it_is_the_minimum_norm_solution(kind):
    X, Y = data(kind)
    Xs, T = dense(X), targets_of(Y)
    for container in CONTAINERS:
        B, _ = elastic_net(design_of(container(X)).X, T, Penalty(0.0, 0.0))
        expected = linalg.pinv(Xs, rtol=1e-10) @ (T - T.mean(axis=0))
        assert_allclose(B, expected, atol=1e-7)


@pytest.mark.parametrize("rho", RHOS)
def test_a_small_l1_approaches_the_closed_form(rho):
    X, Y = data("tall")
    design, T = design_of(X).X, targets_of(Y)
    B, _ = elastic_net(design, T, Penalty(1e-9, 0.1, rho))
    ridge, _ = elastic_net(design, T, Penalty(0.0, 0.1, rho))
    assert_allclose(B, ridge, atol=1e-7)


@pytest.mark.parametrize("rho", RHOS)
def test_without_l2_equal_columns_do_no_harm(rho):
    """The optimum is not unique then, but its value is."""
    X, Y = data("counts wide")
    X = np.column_stack([X, X[:, :20], -X[:, 10:15]])
    Xs, T = dense(X), targets_of(Y)
    for l1 in (0.4, 0.1, 0.02):
        B, residual = elastic_net(design_of(X).X, T, Penalty(l1, 0.0, rho))
        assert residual <= 1e-8
        for y, b in zip(T.T, B.T, strict=True):
            y = y - y.mean()
            lasso = Lasso(l1 / 2, fit_intercept=False, tol=1e-13, max_iter=1_000_000).fit(Xs, y)
            expected = objective(Xs, y, lasso.coef_, l1, 0, 0)
            assert objective(Xs, y, b, l1, 0, 0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rho", [-0.005, 0.5])
@pytest.mark.parametrize("largest", [3, 10])
def test_working_sets_smaller_than_the_support(monkeypatch, largest, rho):
    X, Y = data("wide")
    design, T = design_of(X).X, targets_of(Y)
    penalty = Penalty(0.02, 0.5, rho)
    expected, _ = elastic_net(design, T, penalty)
    assert np.count_nonzero(expected, axis=0).max() > 2 * largest  # to be sure
    monkeypatch.setattr(module, "LARGEST_SET", largest)
    B, residual = elastic_net(design, T, penalty, max_iter=5000)
    assert residual <= 1e-8
    assert_allclose(B, expected, atol=1e-6)


@pytest.mark.parametrize("most", [0, 1, 100])
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("kind", ["tall", "wide", "counts wide"])
def test_it_is_the_same_after_compiled_sweeps(monkeypatch, kind, rho, most):
    pytest.importorskip("numba")
    X, Y = data(kind)
    design, T = design_of(X).X, targets_of(Y)
    penalty = Penalty(0.05, 0.1, rho)
    expected, _ = elastic_net(design, T, penalty)
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(module, "FIRST_SWEEPS", most)
    B, residual = elastic_net(design, T, penalty)
    assert residual <= 1e-8
    assert_allclose(B, expected, atol=1e-6)


def test_enough_compiled_sweeps_leave_nothing_to_do(monkeypatch):
    pytest.importorskip("numba")
    X, Y = data("tall")
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    _, residual = elastic_net(
        design_of(X).X, targets_of(Y), Penalty(0.05, 0.5), tol=1e-6, max_iter=1
    )
    assert residual <= 1e-6


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("l2", [0.0, 0.2])
def test_from_any_start_the_objective_never_rises(l2, rho):
    X, Y = data("wide")
    design, T = design_of(X).X, targets_of(Y)
    T -= T.mean(axis=0)
    rng = np.random.default_rng(0)
    penalty = Penalty(0.1, l2, rho)
    Xs = dense(X)
    for sparsity in (0.0, 0.5, 0.95):
        start = rng.normal(size=(X.shape[1], 5)) * (rng.random((X.shape[1], 5)) > sparsity)
        values = [objective(Xs, y, b, 0.1, l2, rho) for y, b in zip(T.T, start.T, strict=True)]
        for max_iter in (1, 2, 3, 200):
            B, residual = elastic_net(design, T, penalty, start.copy(), max_iter=max_iter)
            found = [objective(Xs, y, b, 0.1, l2, rho) for y, b in zip(T.T, B.T, strict=True)]
            assert np.all(found <= np.array(values) * (1 + 1e-12))
            values = found
        assert residual <= 1e-8


def test_from_the_solution_it_stays():
    X, Y = data("wide")
    design, T = design_of(X).X, targets_of(Y)
    penalty = Penalty(0.1, 0.1, 0.3)
    expected, _ = elastic_net(design, T, penalty)
    again, _ = elastic_net(design, T, penalty, expected.copy(), max_iter=1)
    assert_array_equal(again, expected)


def test_above_the_largest_gradient_nothing_is_selected():
    X, Y = data("wide")
    design, T = design_of(X).X, targets_of(Y)
    highest = 2 * np.abs(dense(X).T @ (T - T.mean(axis=0))).max() / len(X)
    none, residual = elastic_net(design, T, Penalty(highest * 1.0001, 0.1))
    assert not none.any()
    assert residual == 0
    some, _ = elastic_net(design, T, Penalty(highest * 0.999, 0.1))
    assert np.count_nonzero(some) == 1


def test_the_value_of_a_penalty():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(7, 3)) * (rng.random((7, 3)) > 0.3)
    for rho in (-0.1, 0.0, 0.4):
        Delta = equicorrelation(7, rho)
        expected = 0.3 * np.trace(B.T @ Delta @ B) + 0.7 * np.abs(B).sum()
        assert Penalty(0.7, 0.3, rho)(B) == pytest.approx(expected)
        assert_allclose(Penalty(0.7, 0.3, rho).half_gradient(B), 0.3 * Delta @ B)
        assert_allclose(Penalty(0.7, 0.3, rho).add_to(np.zeros((7, 7))), 0.3 * Delta)


@pytest.mark.parametrize("rho", [-0.0101011, -1 / 99, -0.5, 1.0, 1.5, np.nan])
def test_limits_of_rho(rho):
    with pytest.raises(ValueError, match=r"rho=.* not between 1/\(1 − p\) = -0.010101 and 1 .*100"):
        Penalty(0.1, 0.1, rho).check(100)


def test_every_admissible_rho_is_positive_definite():
    for p in (1, 2, 5, 100):
        lowest = 1 / (1 - p) if p > 1 else -100.0
        for rho in (lowest * (1 - 1e-6), 0.0, 1 - 1e-6):
            Penalty(0.1, 0.1, rho).check(p)
            assert linalg.eigvalsh(equicorrelation(p, rho))[0] > 0


# --- standardised predictors ------------------------------------------------------------------


@pytest.mark.parametrize("container", [*CONTAINERS, sp.csc_array, colabel.factor])
@pytest.mark.parametrize("kind", ["tall", "wide", "counts tall", "counts wide"])
def test_predictors_are_standardised_columns(kind, container):
    X, _ = data(kind)
    given = container(X)
    design = standardise(given if isinstance(given, CentredData) else CentredData(as_matrix(given)))
    varying = X.std(axis=0) > 0
    Xs = StandardScaler().fit_transform(X)[:, varying]
    rng = np.random.default_rng(0)
    V, U = rng.normal(size=(Xs.shape[1], 3)), rng.normal(size=(len(X), 3))
    assert_array_equal(design.features, np.flatnonzero(varying))
    assert_allclose(design.scale, X.std(axis=0)[varying])
    assert_allclose(design.X.dot(V), Xs @ V, atol=1e-10)
    assert_allclose(design.X.tdot(U), Xs.T @ U, atol=1e-10)
    assert_allclose(design.X.gram(), Xs.T @ Xs, atol=1e-9)
    assert_allclose(design.X.outer(), Xs @ Xs.T, atol=1e-9)
    some = np.array([5, 0, 3])
    assert_allclose(design.X.subset(some).gram(), Xs[:, some].T @ Xs[:, some], atol=1e-9)
    assert design.X.shape == Xs.shape


def test_predictors_without_scaling():
    X, _ = data("tall")
    for container in CONTAINERS:
        design = design_of(container(X), scale=False)
        assert_allclose(design.X.gram(), (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)), atol=1e-9)
        assert np.all(design.scale == 1)


@pytest.mark.parametrize("container", CONTAINERS)
def test_constant_features_are_left_out_whatever_their_size(container):
    X, _ = data("tall")
    for value in (0.0, 0.1, -1e8, 1 / 3):
        with_constant = np.column_stack([X[:, :4], np.full(len(X), value), X[:, 4:]])
        assert 4 not in design_of(container(with_constant)).features
        assert len(design_of(container(with_constant)).features) == X.shape[1]


def test_large_means_stay_accurate():
    X, Y = data("tall")
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 1e4
    T, penalty = targets_of(Y), Penalty(0.1, 0.1, 0.3)
    exact, _ = elastic_net(design_of(X).X, T, penalty)
    B, residual = elastic_net(design_of(sp.csr_array(X)).X, T, penalty)
    assert residual <= 1e-8
    assert_allclose(B, exact, atol=1e-6)


def test_entries_that_are_stored_twice():
    X, _ = data("counts tall")
    once = sp.coo_array(X)
    rows, columns = once.coords
    twice = sp.coo_array(
        (np.tile(once.data / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))), once.shape
    )
    pointers = np.concatenate([[0], np.cumsum(np.bincount(np.tile(rows, 2), minlength=len(X)))])
    order = np.argsort(np.tile(rows, 2), kind="stable")
    duplicated = sp.csr_array((twice.data[order], twice.coords[1][order], pointers), X.shape)
    assert not duplicated.has_canonical_format  # to be sure
    assert_allclose(design_of(duplicated).scale, design_of(X).scale)
    assert_allclose(design_of(duplicated).X.gram(), design_of(X).X.gram(), atol=1e-9)


def test_rows_of_a_factored_matrix():
    X, _ = data("wide")
    rows = np.arange(len(X)) % 3 != 0
    design = standardise(colabel.factor(X)[rows])
    assert_allclose(design.X.gram(), design_of(X[rows]).X.gram(), atol=1e-8)
    with pytest.raises(ValueError, match=r"coordinates, not features.*pass the rows of X"):
        standardise(colabel.factor(sp.csr_array(X))[rows])


def test_nothing_dense_of_the_size_of_the_data():
    rng = np.random.default_rng(0)
    n, d = 400, 30_000
    X = sp.random_array((n, d), density=20 / d, rng=rng, format="csr")
    T = rng.normal(size=(n, 4))
    tracemalloc.start()
    B, residual = elastic_net(design_of(X).X, T, Penalty(0.35, 0.1, 0.2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert residual <= 1e-8
    assert 10 < np.count_nonzero(B) < 0.05 * B.size
    assert peak < 8 * n * d / 10
