"""Leading eigenpairs by iteration: those of the direct solution, all of them, or none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from colabel.linalg import lanczos


def symmetric(lam, seed=0):
    """A matrix with these eigenvalues, and its eigenvectors."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(len(lam), len(lam))))
    return (Q * lam) @ Q.T, Q


SPECTRA = {
    "decaying": np.geomspace(1.0, 1e-6, 500),
    "slowly decaying": np.geomspace(1.0, 1e-4, 500),
    "of low rank": np.r_[np.linspace(3.0, 1.0, 12), np.zeros(488)],
    "multiple": np.r_[np.repeat([5.0, 3.0, 2.0], 4), np.geomspace(1.0, 1e-3, 488)],
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("k", [1, 6, 12])
def test_eigenpairs_are_those_of_the_direct_solution(name, k):
    lam = SPECTRA[name]
    A, Q = symmetric(lam)
    before = A.copy()
    found, V = lanczos.leading(A, k)
    assert_allclose(found[::-1], lam[:k], rtol=1e-12)
    assert_allclose(V.T @ V, np.eye(k), atol=1e-12)
    assert np.max(np.abs(A @ V - V * found)) <= 1e-9
    wanted = Q[:, np.isclose(lam, lam[k - 1]) | (lam >= lam[k - 1])]
    assert np.linalg.norm(V - wanted @ (wanted.T @ V)) <= 1e-8
    assert np.array_equal(A, before)


@pytest.mark.parametrize("copies", [9, 20, 60])
@pytest.mark.parametrize("k", [5, 10, 30])
def test_copies_of_an_eigenvalue_are_all_found_or_it_is_left_to_others(copies, k):
    """A space of `BLOCK` start vectors sees as many, and could take lesser ones for the next."""
    lam = np.r_[np.full(copies, 2.0), np.geomspace(1.0, 1e-3, 300 - copies)]
    A, _ = symmetric(lam)
    found = lanczos.leading(A, k)
    if found is not None:
        assert_allclose(found[0][::-1], lam[:k], rtol=1e-12)


def test_what_is_missing_is_seen():
    A, Q = symmetric(np.geomspace(1.0, 1e-3, 100))
    lam = np.geomspace(1.0, 1e-3, 100)
    assert lanczos._is_all(A, lam[:5][::-1], Q[:, :5][:, ::-1])
    kept = [0, 1, 2, 4, 5]
    assert not lanczos._is_all(A, lam[kept][::-1], Q[:, kept][:, ::-1])


def test_eigenvalues_that_are_all_alike_are_left_to_others():
    rng = np.random.default_rng(0)
    A, _ = symmetric(1.0 + 1e-6 * rng.uniform(size=200))
    assert lanczos.leading(A, 20) is None
