"""What figures 5 to 7 of Sun et al. time is what the paper solves."""

import numpy as np
import pytest
import scipy.sparse as sp
from transcriptions import hypergraph_root

from colabel.hypergraph import HypergraphSpectral
from colabel.papers.sun2008_methods import LAPLACIANS
from colabel.papers.sun2008_times import ITERATIONS, solve_by_lsqr, targets


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20))
    return X, (X[:, :4] + rng.normal(size=(60, 4)) > 0).astype(int)


@pytest.mark.parametrize("laplacian", LAPLACIANS.values())
def test_targets_are_the_left_singular_vectors_of_the_centred_root(laplacian):
    """Theorem 4.2 of Sun et al."""
    _, Y = problem()
    root = hypergraph_root(Y, laplacian)
    U, s, _ = np.linalg.svd(root - root.mean(axis=0), full_matrices=False)
    U = U[:, s > 1e-9]
    H = targets(Y, laplacian)
    np.testing.assert_allclose(H @ H.T, U @ U.T, atol=1e-10)
    np.testing.assert_allclose(H.sum(axis=0), 0.0, atol=1e-10)


@pytest.mark.parametrize("laplacian", LAPLACIANS.values())
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_lsqr_with_a_bias_finds_the_directions_of_the_least_squares_form(laplacian, container):
    """Eq. 30 of Sun et al., without a ridge."""
    X, Y = problem()
    W, done = solve_by_lsqr(container(X), targets(Y, laplacian), 0.0)
    assert done == 1.0
    fitted = HypergraphSpectral(laplacian=laplacian, ridge=0.0, approximate=True).fit(X, Y)
    P = fitted.components_.T
    # LSQR stops at residuals of 1e-6, which the condition of X makes larger errors of
    np.testing.assert_allclose(W[1:] @ W[1:].T, P @ P.T, atol=2e-5 * np.abs(P @ P.T).max())


def test_what_is_not_found_in_time_is_counted():
    rng = np.random.default_rng(0)
    n = 2 * ITERATIONS
    U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    hard = U * np.geomspace(1, 1e-4, n) @ V
    H = np.column_stack([U[:, :1] - U[:, :1].mean(), rng.normal(size=n)])
    assert solve_by_lsqr(hard, H, 0.0)[1] < 1.0
    assert solve_by_lsqr(hard, H, 1.0)[1] == 1.0
