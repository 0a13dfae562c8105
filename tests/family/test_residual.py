"""The least-squares problem of Xu et al. (2016), and the dependence that MDDM maximises."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from scipy import linalg

import colabel
from colabel import MVMD, PCA, MDDMp
from colabel.metrics import hsic


def as_printed(X, Y, beta, P):
    """Eq. 30 with A = XP and B = YᵀHXP, which Eq. 32 finds; X centred, labels ±1."""
    H = np.eye(len(X)) - 1 / len(X)
    X, Y = H @ X, 2.0 * Y - 1
    variance, dependence = X - X @ P @ P.T, Y.T @ H @ X @ (np.eye(len(P)) - P @ P.T)
    return (1 - beta) * np.sum(variance**2) + beta * np.sum(dependence**2)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, colabel.factor])
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_the_residual_is_that_of_the_least_squares_problem(kind, beta, container):
    X, Y = problems.make(kind)
    model = MVMD(3, beta=beta).fit(container(X), Y)
    found = model.residual(container(X), Y)
    assert found == pytest.approx(as_printed(X, Y, beta, model.components_.T), rel=1e-8)
    every = MVMD(beta=beta).fit(X, Y).eigenvalues_
    assert found == pytest.approx(every[3:].sum(), rel=1e-8)  # Eq. 38: tr(G) − tr(Λ)
    rng = np.random.default_rng(0)
    for _ in range(10):
        other = linalg.orth(rng.normal(size=(X.shape[1], 3)))
        assert as_printed(X, Y, beta, other) > found


def test_the_residual_of_new_rows():
    X, Y = problems.make("tall")
    model = MVMD(2).fit(X[:30], Y[:30])
    expected = as_printed(X[30:], Y[30:], 0.5, model.components_.T)
    assert model.residual(X[30:], Y[30:]) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_hsic_as_printed(container):
    """Eq. 16."""
    X, Y = problems.make("tall")
    n = len(X)
    H, signs = np.eye(n) - 1 / n, 2.0 * Y - 1
    expected = np.trace(H @ X @ X.T @ H @ signs @ signs.T) / (n - 1) ** 2
    assert hsic(container(X), Y) == pytest.approx(expected, rel=1e-10)
    assert hsic(container(X), sp.csr_array(Y)) == pytest.approx(expected, rel=1e-10)
    model = MDDMp(2).fit(X, Y)
    kept = hsic(model.transform(X), Y)
    assert kept == pytest.approx(model.eigenvalues_.sum() / (n - 1) ** 2, rel=1e-8)
    assert kept > hsic(PCA(2).fit(X).transform(X), Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        hsic(X[:5], Y)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_hsic_weighs_rows_and_takes_nothing_from_unknown_labels(container):
    X, Y = problems.make("tall")
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    gaps = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    for labels in (Y, gaps, sp.csr_array(Y)):
        found = hsic(container(X), labels, sample_weight=weights)
        assert found == pytest.approx(hsic(container(X[repeated]), labels[repeated]), rel=1e-10)
        every = MDDMp().fit(X, labels, sample_weight=weights).eigenvalues_
        assert found == pytest.approx(every.sum() / (weights.sum() - 1) ** 2, rel=1e-8)
    assert hsic(X, gaps) < hsic(X, Y)
    with pytest.raises(ValueError, match="sample_weight has 3 numbers, and X has"):
        hsic(X, Y, sample_weight=np.ones(3))
