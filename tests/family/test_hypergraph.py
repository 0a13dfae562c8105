"""Hypergraphs as Sun, Ji & Ye (2008) print them: weights, and the least-squares form."""

import numpy as np
import problems
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from scipy.spatial.distance import pdist
from spans import sine

import colabel
from colabel import HypergraphSpectral

LAPLACIANS = ["clique", "star", "zhou"]
WEIGHTS = [0.5, 2.0, 1.0, 3.0, 0.25]


def root(degrees):
    return np.diag([d**-0.5 if d > 0 else 0.0 for d in degrees])


def similarity(Y, laplacian, w):
    """Eq. 3, 6 and 7 with W_H = diag(w), vertex by vertex and hyperedge by hyperedge."""
    J, W, sizes = Y.astype(float), np.diag(w), Y.sum(axis=0)
    if laplacian == "clique":
        degrees = (J @ W @ J.T).sum(axis=1)  # the sum of w_c(u, v) of Eq. 2 over v
        return root(degrees) @ J @ W @ J.T @ root(degrees)
    if laplacian == "star":
        M = np.array([[row[e] * w[e] / sizes[e] for e in range(len(w))] for row in J])  # Eq. 4
        D_v, D_e = root(M.sum(axis=1)), np.diag(1 / M.sum(axis=0))
        return D_v @ M @ D_e @ M.T @ D_v
    degrees = [sum(w[e] for e in range(len(w)) if row[e]) for row in J]
    return root(degrees) @ J @ W @ np.diag(1 / sizes) @ J.T @ root(degrees)


def exact(X, S, ridge):
    Xc = X - X.mean(axis=0)
    lam, P = linalg.eigh(Xc.T @ S @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1]))
    return lam[::-1], P[:, ::-1]


def centred(S):
    P = np.eye(len(S)) - 1 / len(S)
    return P @ S @ P


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_edge_weights_as_printed(kind, laplacian):
    X, Y = problems.make(kind)
    lam, P = exact(X, similarity(Y, laplacian, WEIGHTS), 0.1)
    for solver in ("factor", "two-stage"):
        model = HypergraphSpectral(laplacian=laplacian, edge_weights=WEIGHTS, solver=solver)
        model.fit(X, Y)
        k = model.n_components_
        assert_allclose(model.eigenvalues_, lam[:k], rtol=1e-8)
        assert lam[k] < 1e-8 * lam[0]
        assert sine(model.components_[:2].T, P[:, :2]) < 1e-7


@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_equal_edge_weights_are_none(laplacian):
    X, Y = problems.make("tall")
    plain = HypergraphSpectral(laplacian=laplacian).fit(X, Y)
    equal = HypergraphSpectral(laplacian=laplacian, edge_weights=[3.0] * 5).fit(X, Y)
    assert_allclose(equal.components_, plain.components_, atol=1e-10)


def test_edge_weights_of_labels_that_no_row_has_are_left_out():
    X, Y = problems.make("tall")
    plain = HypergraphSpectral(edge_weights=WEIGHTS).fit(X, Y)
    model = HypergraphSpectral(edge_weights=[*WEIGHTS[:2], 7.0, *WEIGHTS[2:]])
    with pytest.warns(UserWarning, match="left out: label2"):
        model.fit(X, np.insert(Y, 2, 0, axis=1))
    assert_allclose(model.components_, plain.components_)


def test_edge_weights_that_do_not_fit():
    X, Y = problems.make("tall")
    with pytest.raises(ValueError, match="edge_weights has 2 values for 5 labels"):
        HypergraphSpectral(edge_weights=[1, 2]).fit(X, Y)
    with pytest.raises(ValueError, match=r"edge_weights must be .* ≥ 0"):
        HypergraphSpectral(edge_weights=[1, 2, 3, 4, -1]).fit(X, Y)
    with pytest.raises(ValueError, match=r"laplacian='cca' .* no hyperedges to weigh"):
        HypergraphSpectral(laplacian="cca", edge_weights=WEIGHTS).fit(X, Y)


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("laplacian", [*LAPLACIANS, "cca"])
@pytest.mark.parametrize("container", [np.asarray, colabel.factor])
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_how_far_the_least_squares_form_is(kind, container, laplacian, k):
    """Eq. 29, and the angle of the two spans."""
    X, Y = problems.make(kind)
    if laplacian == "cca":
        Yc = Y - Y.mean(axis=0)
        S = Yc @ linalg.pinv(Yc.T @ Yc) @ Yc.T
    else:
        S = centred(similarity(Y, laplacian, np.ones(5)))
    model = HypergraphSpectral(k, laplacian=laplacian, approximate=True).fit(container(X), Y)
    H = linalg.eigh(S)[1]
    H = H[:, ::-1][:, : model.n_components_]
    if laplacian == "cca" and k is not None:
        assert model.similarity_gap_ == pytest.approx(np.sqrt(5 - k), rel=1e-8)
        return  # of equal eigenvalues any directions are leading
    expected = np.linalg.norm(S - H @ H.T)
    assert model.similarity_gap_ == pytest.approx(expected, rel=1e-8, abs=1e-9)
    P = exact(X, S, 0.1)[1][:, : model.n_components_]
    angle = linalg.subspace_angles(model.components_.T, P)[0]
    assert model.span_angle_ == pytest.approx(angle, abs=1e-6)
    assert (angle < 1e-6) == (k is None)
    rng = np.random.default_rng(0)  # theorem 4.2: no other H with Hᵀ1 = 0 is closer
    for _ in range(20):
        other = rng.normal(size=H.shape)
        other = linalg.orth(other - other.mean(axis=0))
        assert np.linalg.norm(S - other @ other.T) > expected


def independent_rows():
    """Rank n − 1 after centring, the premise of theorem 4.1, and new rows."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(30, 60)), rng.normal(size=(10, 60))
    Y = (X[:, :4] + rng.normal(size=(30, 4)) > 0.5).astype(int)
    assert np.linalg.matrix_rank(X - X.mean(axis=0)) == 29
    assert Y.any(axis=0).all()
    return X, Y, new


@pytest.mark.parametrize("laplacian", [*LAPLACIANS, "cca"])
def test_theorem_4_1_singular_values_are_ones(laplacian):
    X, Y, _ = independent_rows()
    Xc = X - X.mean(axis=0)
    right = linalg.svd(Xc, full_matrices=False)[0][:, :29]  # V₁: the paper has instances by columns
    model = HypergraphSpectral(laplacian=laplacian, ridge=0.0, approximate=True).fit(X, Y)
    H = model.transform(X)  # X̄W = H: with independent rows the fit is perfect
    assert_allclose(H.T @ H, np.eye(H.shape[1]), atol=1e-9)
    assert_allclose(linalg.svdvals(right.T @ H), 1.0, atol=1e-9)


@pytest.mark.parametrize("laplacian", [*LAPLACIANS, "cca"])
def test_theorem_4_1_distances_are_the_same(laplacian):
    """Of new rows too; for all hypergraphs, as both spans are the same and PᵀX̄ᵀX̄P = I for both.

    With a ridge that is so where S = HHᵀ no more than elsewhere: there directions have lengths.
    """
    X, Y, new = independent_rows()

    def distances(rows, ridge):
        forms = (
            HypergraphSpectral(laplacian=laplacian, ridge=ridge, approximate=approximate)
            for approximate in (False, True)
        )
        return [pdist(form.fit(X, Y).transform(rows)) for form in forms]

    for rows in (X, new):
        assert_allclose(*distances(rows, 0.0), rtol=1e-7, atol=1e-12)
    one, other = distances(X, 10.0)
    assert np.abs(one / other - np.mean(one / other)).max() > 0.01
