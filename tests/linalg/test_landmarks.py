"""Landmarks drawn by pivoted Cholesky factorisation."""

import numpy as np
import pytest
import scipy.sparse as sp
from memory import peak_bytes
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from colabel.linalg.kernel_map import Kernel
from colabel.linalg.landmarks import choose_landmarks, landmark_rows

RBF = Kernel("rbf", 0.3)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(150, 4))


def matrix(X):
    return np.exp(-0.3 * cdist(X, X, "sqeuclidean"))


def residual(X, m, seed=0):
    F, _ = choose_landmarks(RBF, X, m, np.random.RandomState(seed))
    return np.trace(matrix(X) - F @ F.T) / len(X)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_factor_reproduces_landmarks_exactly(form, X):
    F, chosen = choose_landmarks(RBF, form(X), 40, np.random.RandomState(0))
    K = matrix(X)
    assert len(set(chosen)) == 40
    assert_allclose((F @ F.T)[:, chosen], K[:, chosen], atol=1e-12)
    assert_array_equal(np.triu(F[chosen], 1), 0.0)


def test_all_rows_give_all_of_the_kernel(X):
    F, chosen = choose_landmarks(RBF, X, len(X), np.random.RandomState(0))
    assert_allclose(F @ F.T, matrix(X), atol=1e-11)
    assert len(chosen) <= len(X)


def test_the_error_falls_as_landmarks_grow(X):
    errors = [np.mean([residual(X, m, seed) for seed in range(5)]) for m in (5, 10, 20, 40, 80)]
    assert np.all(np.diff(errors) < 0)
    # Chen et al. 2023, Theorem 5.1: with k ≥ r + r·log(1/η) landmarks the error is expected to be
    # at most twice the best of rank r, η its share of the trace
    lam, r = np.linalg.eigvalsh(matrix(X))[::-1], 10
    best = lam[r:].sum() / len(X)
    assert r + r * np.log(1 / best) <= 40  # to be sure
    assert errors[3] <= 2 * best


def test_no_more_are_drawn_than_there_is_to_gain():
    X = np.repeat(np.random.default_rng(0).normal(size=(7, 3)), 20, axis=0)
    F, chosen = choose_landmarks(RBF, X, 100, np.random.RandomState(0))
    assert len(chosen) == 7
    assert_allclose(F @ F.T, matrix(X), atol=1e-12)


def test_the_same_seed_draws_the_same(X):
    one, two = (choose_landmarks(RBF, X, 30, np.random.RandomState(5))[1] for _ in range(2))
    assert_array_equal(one, two)


def test_a_precomputed_kernel_keeps_columns(X):
    K = matrix(X)
    data = landmark_rows(Kernel("precomputed"), K, 40, np.random.RandomState(0), K.dtype)
    chosen = data.kernel_map.rows
    assert_allclose(data.space.coordinates(K) @ data.space.L.T, K[:, chosen], atol=1e-12)
    assert_allclose(data.kernel_map.values(K[:5]), K[:5, chosen])


def test_kernels_that_are_zero_on_the_diagonal_are_refused(X):
    with pytest.raises(ValueError, match=r"drawn by k\(x, x\), which is 0"):
        choose_landmarks(Kernel("additive_chi2"), np.abs(X), 10, np.random.RandomState(0))


@pytest.mark.parametrize("name", ["rbf", "laplacian", "linear", "poly", "sigmoid", "cosine"])
def test_diagonals_are_those_of_the_values(name, X):
    kernel = Kernel(name, 0.3, 2, 1.0)
    for rows in (X, sp.csr_array(X)):
        if not (name == "laplacian" and sp.issparse(rows)):
            assert_allclose(kernel.diagonal(rows), np.diag(kernel.values(rows, rows)), atol=1e-12)


def test_memory_grows_with_rows_times_landmarks():
    X = np.random.default_rng(0).normal(size=(20_000, 5))
    peak = peak_bytes(lambda: choose_landmarks(RBF, X, 200, np.random.RandomState(0)))
    assert peak < 6 * 8 * 20_000 * 200  # not 8·20,000², which is 17 times as much
