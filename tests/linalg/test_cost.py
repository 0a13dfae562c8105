"""When Grams are factorised, and when iterations stand in for them."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from memory import peak_bytes
from numpy.testing import assert_allclose

from colabel.family.similarity import IDENTITY, linear
from colabel.linalg import cost, krylov, nystrom
from colabel.linalg.containers import as_matrix
from colabel.linalg.normal import NormalEquations, solve_normal

TEXTS = cost.Size(6000, 47_000, 450_000, dense=False)


def never():
    raise AssertionError("asked for iterations where they cannot matter")


def make_grams_dear(monkeypatch):
    """Let iterations be the cheaper way, whatever they take."""
    monkeypatch.setattr(cost, "CHOLESKY", 1e-9)


def text_like(n, d, q, density=0.05):
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=density, format="csr", rng=rng)
    return X, (rng.random((n, q)) < 0.2).astype(float)


def test_iterations_are_counted_only_where_they_could_matter():
    assert cost.Size(100, 50, 5000, dense=True).solves_directly(10, never)
    # as dear as it is to read a dense X, ten iterations would take longer
    assert cost.Size(20_000, 300, 6_000_000, dense=True).solves_directly(10, never)
    assert not cost.Size(10**6, 10**5, 10**8, dense=False).solves_directly(10, never)


def affordable(columns, **changes):
    """How many iterations are still chosen."""
    counts = np.geomspace(10, 100_000, 500)
    chosen = [TEXTS.solves_directly(columns, lambda k=k: k, **changes) for k in counts]
    assert chosen == sorted(chosen)
    return counts[chosen.index(True)]


def test_the_fewer_iterations_the_sooner_they_are_chosen():
    assert 10 < affordable(100) < 10_000


def test_many_ridges_and_few_solves_are_for_iterations():
    """A ridge costs a factorisation, or some passes; another solve only triangles."""
    assert affordable(100, ridges=8) > 2 * affordable(100)
    assert affordable(100, solves=20) < affordable(100) / 2


def test_what_needs_less_memory_is_taken_where_it_is_about_as_fast(monkeypatch):
    few, many = affordable(10), affordable(5000)
    monkeypatch.setattr(cost, "ALIKE", 1.0)
    assert few == pytest.approx(1.5 * affordable(10), rel=0.05)
    assert many == affordable(5000)  # which are as large as a Gram themselves


@pytest.mark.parametrize("shape", [(300, 120), (120, 300)])
@pytest.mark.parametrize("ridges", [[3.0], [0.5, 20.0, 3.0]])
def test_iterations_in_the_place_of_a_direct_solve_have_its_digits(shape, ridges, monkeypatch):
    X, Y = text_like(*shape, 7)
    expected = solve_normal(as_matrix(X), linear(Y), ridges)
    make_grams_dear(monkeypatch)
    monkeypatch.setattr(NormalEquations, "_side", None)
    for W, exact in zip(solve_normal(as_matrix(X), linear(Y), ridges), expected, strict=True):
        error = np.linalg.norm(W - exact, axis=0) / np.linalg.norm(exact, axis=0)
        assert error.max() <= 1e-8


def test_what_iterations_could_not_solve_to_as_many_digits_stays_direct(monkeypatch):
    make_grams_dear(monkeypatch)
    X, _ = text_like(300, 120, 1)
    for data, b in (
        (X, 0.0),
        (X, 1e-9),  # an ill-conditioned B
        (X.toarray().astype(np.float32), 1.0),  # products that are rounded to float32
    ):
        assert NormalEquations(as_matrix(data), IDENTITY, b).is_direct
    assert not NormalEquations(as_matrix(X), IDENTITY, 1.0).is_direct


@pytest.mark.parametrize("shape", [(3000, 1500), (1500, 3000)])
def test_one_ridge_takes_one_gram(shape, monkeypatch):
    monkeypatch.setattr(cost, "SHORT", np.inf)
    X, Y = text_like(*shape, 3)
    matrix, gram = as_matrix(X), 8 * 1500**2
    solve_normal(matrix, linear(Y), [1.0])  # compiles, and transposes

    def peak(ridges):
        return peak_bytes(lambda: solve_normal(matrix, linear(Y), ridges))

    assert peak([1.0]) < peak([1.0, 2.0]) - 0.8 * gram


def test_pairs_are_counted():
    for kind in ("tall", "wide"):
        X = sp.csr_array(problems.make(kind)[0])
        X.data[np.random.default_rng(0).random(X.nnz) < 0.6] = 0
        X.eliminate_zeros()
        met = (X != 0).astype(int).toarray()
        counts = met.sum(axis=0 if X.shape[0] < X.shape[1] else 1)
        assert as_matrix(X).pairs == np.sum(counts**2)
    assert cost.Size.of(as_matrix(X)).gram == as_matrix(X).pairs / cost.SCATTERED


def test_leading_eigenvalues():
    lam = np.concatenate([[100.0, 40.0, 10.0], np.linspace(0.0, 1.0, 97)])
    found = nystrom.leading_eigenvalues(np.diag(lam).__matmul__, 100)
    assert_allclose(found[:3], lam[:3], rtol=1e-6)
    assert np.all(np.diff(found) <= 0)
    assert found[0] <= 100 * (1 + 1e-12)
    assert_allclose(nystrom.leading_eigenvalues(np.zeros((5, 5)).__matmul__, 5), 0.0)
    assert_allclose(nystrom.leading_eigenvalues(np.eye(5).__matmul__, 5)[0], 1.0)


@pytest.mark.parametrize("outliers", [[], [1e4], [1e4, 3e3, 2e3]])
@pytest.mark.parametrize("b", [1.0, 0.05])
def test_expected_iterations_are_those_made_to_a_factor_of_two(outliers, b):
    lam = np.concatenate([outliers, np.random.default_rng(0).random(400) * 30])
    A, F = np.diag(lam).__matmul__, np.random.default_rng(1).normal(size=(len(lam), 5))
    _, _, made = krylov.attempt(A, F, [b], tol=1e-10)
    expected = nystrom.expected_iterations(nystrom.leading_eigenvalues(A, len(lam)), b, 1e-10)
    assert made / 2 <= expected <= 2 * made
