"""The spectral graph transducer against its problem and a direct transcription."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from partly_labelled import hidden, sgt_weights, topics
from scipy import linalg
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import rbf_kernel

from colabel.semi_supervised import SGT
from colabel.semi_supervised.sgt import spectral


def graph(X, k):
    """The weights of the graph of k nearest rows by cosine, from the definition."""
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    S = units @ units.T
    np.fill_diagonal(S, -1.0)
    W = np.zeros_like(S)
    for i, row in enumerate(S):
        nearest = np.argsort(-row)[:k]
        W[i, nearest] = row[nearest] / row[nearest].sum()
    return (W + W.T) / 2


@pytest.mark.parametrize("spectrum", ["squares", "eigenvalues"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_it_is_the_direct_solution(container, spectrum):
    X, Y, mask = topics()
    model = SGT(8, 12, spectrum=spectrum).fit(container(X), hidden(Y, mask))
    W = graph(X, 8)
    L = np.diag(W.sum(axis=1)) - W
    lam, V = linalg.eigh(L)
    assert abs(lam[0]) < 1e-12 < lam[1]  # connected
    assert np.ptp(V[:, 0]) < 1e-10
    lam, V = lam[1:13], V[:, 1:13]
    assert_allclose(model.eigenvalues_, lam, atol=1e-10)
    D = lam if spectrum == "eigenvalues" else np.arange(1, 13) ** 2
    rows = np.flatnonzero(mask)
    for k, (w, least, _, _) in enumerate(sgt_weights(V, D, Y, rows, 3200.0)):
        p = Y[mask, k].mean()
        expected = p + np.sqrt(p * (1 - p)) * (V @ w)
        assert_allclose(model.label_scores_[:, k], expected, atol=1e-6)
        assert model.multipliers_[k] == pytest.approx(least, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("c", [1e-2, 1.0, 3200.0, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_constraints_and_secular_equation(seed, c):
    X, Y, mask = topics(seed=seed)
    model = SGT(8, 15, c).fit(X, hidden(Y, mask))
    n, V = len(X), model.eigenvectors_
    D = np.arange(1, 16) ** 2
    Z = V @ model.weights_.T
    assert_allclose(V.T @ V, np.eye(15), atol=1e-9)
    assert_allclose(np.sum(model.weights_**2, axis=1), n, rtol=1e-6)
    assert_allclose(np.sum(Z**2, axis=0), n, rtol=1e-6)
    assert_allclose(Z.sum(axis=0), 0.0, atol=1e-6)
    for k, (_, _, G, b) in enumerate(sgt_weights(V, D, Y, np.flatnonzero(mask), c)):
        least, w = model.multipliers_[k], model.weights_[k]
        assert least < linalg.eigvalsh(G)[0]
        assert_allclose(G @ w - least * w, b, atol=1e-6 * np.abs(b).max())


def test_nothing_on_the_sphere_is_lower():
    X, Y, mask = topics()
    model = SGT(8, 10, 5.0).fit(X, hidden(Y, mask))
    V, D = model.eigenvectors_, np.arange(1, 11) ** 2
    rng = np.random.default_rng(0)
    for k, (_, _, G, b) in enumerate(sgt_weights(V, D, Y, np.flatnonzero(mask), 5.0)):
        w = model.weights_[k]
        best = w @ G @ w - 2 * b @ w
        for size in (1e-3, 1e-1, 10.0):
            other = w + size * rng.normal(size=(200, 10))
            other *= np.sqrt(len(X)) / np.linalg.norm(other, axis=1, keepdims=True)
            values = np.einsum("ij,jk,ik->i", other, G, other) - 2 * other @ b
            assert values.min() >= best - 1e-9 * abs(best)


def test_where_the_labels_miss_the_lowest_eigenvectors():
    """The hard case: b has no part along the lowest, so that λ is its eigenvalue."""
    G = np.diag([1.0, 5.0, 9.0])[None]
    w, least = spectral.secular(G, np.array([[0.0, 1.0, 1.0]]), 100)
    assert np.sum(w**2) == pytest.approx(100)
    assert least[0] == pytest.approx(1.0)
    assert_allclose(w[0, 1:], [1 / 4, 1 / 8])
    w, least = spectral.secular(G, np.zeros((1, 3)), 4)
    assert_allclose(np.abs(w), [[2.0, 0.0, 0.0]])


@pytest.mark.parametrize("seed", range(5))
def test_two_moons_from_two_labels(seed):
    X, y = make_moons(300, noise=0.06, random_state=seed)
    given = np.full(len(X), -1)
    rng = np.random.default_rng(seed)
    for value in (0, 1):
        given[rng.choice(np.flatnonzero(y == value))] = value
    model = SGT(10, 20, similarity="rbf-knn").fit(X, given)
    assert np.mean(model.transduction_ == y) > 0.99
    new, truth = make_moons(200, noise=0.06, random_state=seed + 100)
    assert model.score(new, truth) > 0.98


def test_a_graph_in_several_parts():
    X, y = make_blobs(120, centers=[[0, 0], [50, 0], [0, 50], [50, 50]], random_state=0)
    Y = np.eye(4, dtype=int)[y]
    mask = np.zeros(120, dtype=bool)
    mask[[np.flatnonzero(y == c)[i] for c in range(4) for i in range(2)]] = True
    model = SGT(5, 10, similarity="rbf-knn").fit(X, Y, labelled=mask)
    assert_allclose(model.eigenvalues_[:3], 0.0, atol=1e-10)
    assert model.eigenvalues_[3] > 1e-6
    assert_array_equal(model.transduction_, Y)
    assert_allclose((model.eigenvectors_ @ model.weights_.T).sum(axis=0), 0.0, atol=1e-6)


def test_permuted_rows_and_labels_permute_the_result():
    X, Y, mask = topics()
    labels = hidden(Y, mask)
    blobs, _ = make_blobs(60, centers=[[0, 0], [50, 0], [0, 50]], random_state=0)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(60), rng.permutation(5)
    for data, kind in ((X, "knn"), (blobs, "rbf-knn")):  # the second has equal eigenvalues
        model = SGT(6, 10, similarity=kind)
        expected = model.fit(data, labels).label_scores_
        assert_allclose(
            model.fit(data[rows], labels[rows]).label_scores_, expected[rows], atol=1e-8
        )
        permuted = model.fit(data, labels[:, columns]).label_scores_
        assert_allclose(permuted, expected[:, columns], atol=1e-8)


def test_lanczos_is_the_direct_decomposition(monkeypatch):
    X, Y, mask = topics(n=150)
    direct = SGT(10, 8).fit(X, hidden(Y, mask))
    monkeypatch.setattr(spectral, "DIRECT_LIMIT", 10)
    lanczos = SGT(10, 8, random_state=0).fit(X, hidden(Y, mask))
    assert_allclose(lanczos.eigenvalues_, direct.eigenvalues_, rtol=1e-8)
    assert_allclose(lanczos.label_scores_, direct.label_scores_, atol=1e-5)
    blobs, _ = make_blobs(150, centers=[[0, 0], [50, 0], [0, 50]], random_state=0)
    parts = SGT(6, 8, similarity="rbf-knn", random_state=0).fit(blobs, hidden(Y, mask))
    assert_allclose(parts.eigenvalues_[:2], 0.0, atol=1e-8)
    assert parts.eigenvalues_[2] > 1e-6


def test_rows_without_neighbours_have_the_label_frequencies():
    X, Y, mask = topics()
    rows = np.flatnonzero(~mask)[:2]
    X[rows] = 0.0
    for container in (np.asarray, sp.csr_array):
        model = SGT(8, 10).fit(container(X), hidden(Y, mask))
        assert_allclose(model.label_scores_[rows], np.tile(Y[mask].mean(axis=0), (2, 1)))
        new = model.decision_function(container(np.zeros((1, X.shape[1]))))
        assert_allclose(new + 0.5, [Y[mask].mean(axis=0)])
    nothing = SGT(8, 10).fit(np.zeros_like(X), hidden(Y, mask))
    assert_allclose(nothing.label_scores_, np.tile(Y[mask].mean(axis=0), (len(X), 1)))


def test_labels_of_one_class_are_predicted_constant():
    X, Y, mask = topics()
    Y = np.column_stack([Y, np.zeros(len(Y), int), np.ones(len(Y), int)])
    with pytest.warns(UserWarning, match="2 of 7 labels.*constant: label5, label6") as record:
        model = SGT(8, 10).fit(X, hidden(Y, mask))
    assert len(record) == 1
    for predicted in (model.transduction_, model.predict(X)):
        assert not predicted[:, 5].any()
        assert predicted[:, 6].all()
    assert not model.weights_[5:].any()
    assert_allclose(model.weights_[:5], SGT(8, 10).fit(X, hidden(Y[:, :5], mask)).weights_)


def test_a_callable_and_a_precomputed_similarity_are_the_same():
    X, Y, mask = topics()
    one = SGT(60, 10, similarity=rbf_kernel).fit(X, hidden(Y, mask))
    given = SGT(60, 10, similarity="precomputed").fit(rbf_kernel(X), hidden(Y, mask))
    assert_allclose(one.label_scores_, given.label_scores_, atol=1e-8)
    new = X[:5] + 1.0
    assert_allclose(
        one.decision_function(new), given.decision_function(rbf_kernel(new, X)), atol=1e-8
    )


def test_one_label_and_more_labels_than_rows():
    X, Y, mask = topics()
    assert SGT(8, 10).fit(X, hidden(Y[:, :1], mask)).label_scores_.shape == (60, 1)
    many = np.random.default_rng(0).integers(0, 2, size=(60, 100))
    assert SGT(8, 10).fit(X, many, labelled=mask).transduction_.shape == (60, 100)


def test_float32_stays_float32():
    X, Y, mask = topics()
    exact = SGT(8, 10).fit(X, hidden(Y, mask)).label_scores_
    model = SGT(8, 10).fit(X.astype(np.float32), hidden(Y, mask))
    assert model.label_scores_.dtype == np.float32
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.label_scores_, exact, atol=1e-3)
