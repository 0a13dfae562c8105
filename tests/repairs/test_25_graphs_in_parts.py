"""SGT on a graph of separate pairs: the constant vector was lifted to another eigenvalue's height.

It was mixed with that one's vectors, which were not orthonormal without it; and Lanczos iteration
ended in an error of ARPACK.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from colabel.semi_supervised import SGT
from colabel.semi_supervised.sgt.classifier import spectral
from colabel.semi_supervised.sgt.spectral import graph_weights, laplacian_eigenvectors

PAIR = np.array([[0.0, 1.0], [1.0, 0.0]])
TRIPLE = np.ones((3, 3)) - np.eye(3)


def joined(*parts):
    n = sum(map(len, parts))
    A, start = np.zeros((n, n)), 0
    for part in parts:
        end = start + len(part)
        A[start:end, start:end] = part
        start = end
    return A


def connected(n, seed=0):
    """Rows along a line, each with a few before and after it."""
    A = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    A = A - np.triu(A, 5)
    return A + A.T


GRAPHS = {
    "pairs": joined(*[PAIR] * 20),
    "triples": joined(*[TRIPLE] * 12),
    "pairs and triples": joined(*[PAIR] * 5, *[TRIPLE] * 5),
    "one graph": connected(60),
    "three graphs": joined(connected(30), connected(20, 1), connected(25, 2)),
    "a graph, pairs and a row alone": joined(connected(40), PAIR, PAIR, np.zeros((1, 1))),
    "complete": np.ones((40, 40)) - np.eye(40),
    "two-sided": np.kron(PAIR, np.ones((10, 10))),
}


@pytest.mark.parametrize("limit", [10, 2000], ids=["iterated", "direct"])
@pytest.mark.parametrize("k", [1, 4, 12, 1000])
@pytest.mark.parametrize("name", GRAPHS)
def test_eigenvectors_are_orthonormal_and_orthogonal_to_one(name, k, limit, monkeypatch):
    monkeypatch.setattr(spectral, "DIRECT_LIMIT", limit)
    W = graph_weights(GRAPHS[name])
    lam, V = laplacian_eigenvectors(W, k, 1e-10, np.random.RandomState(0))
    degrees = np.asarray(W.sum(axis=1)).ravel()
    linked = np.flatnonzero(degrees > 0)
    L = np.diag(degrees) - W.toarray()
    expected = np.linalg.eigvalsh(L[np.ix_(linked, linked)])[1 : k + 1]
    assert_allclose(lam, expected, atol=1e-9)
    assert_allclose(V.T @ V, np.eye(len(lam)), atol=1e-9)
    assert_allclose(V.sum(axis=0), 0, atol=1e-9)
    assert_allclose(L @ V, V * lam, atol=1e-7)


def test_labels_go_to_the_other_of_a_pair():
    rng = np.random.default_rng(0)
    Y = np.repeat(rng.permutation(np.tile([[1, 0], [0, 1], [1, 1], [0, 0]], (5, 1))), 2, axis=0)
    some = Y.copy()
    some[1::2] = -1
    model = SGT(similarity="precomputed").fit(GRAPHS["pairs"], some)
    assert_array_equal(model.transduction_, Y)
    assert_allclose(model.eigenvectors_.T @ model.eigenvectors_, np.eye(39), atol=1e-10)
    assert_allclose(np.sum(model.weights_**2, axis=1), 40, rtol=1e-6)


def test_of_many_parts_the_largest_are_told_apart():
    W = graph_weights(joined(*[PAIR] * 30, connected(20), connected(25, 1)))
    lam, V = laplacian_eigenvectors(W, 2, 1e-10, np.random.RandomState(0))
    assert_array_equal(lam, 0)
    first, second = V[60], V[80]
    pair = V[0]
    assert min(np.linalg.norm(first - second), np.linalg.norm(first - pair)) > 0.1
    assert_allclose(V[:60], np.tile(pair, (60, 1)), atol=1e-12)
