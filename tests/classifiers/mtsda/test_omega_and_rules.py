"""Any Ω in Eq. 1 of Han et al. (2010), and the rules of their Eq. 2, 3, 4 and 11."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from elastic_nets import dense, equicorrelation
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.datasets import load_iris
from sklearn.linear_model import Lasso

from colabel import MtSDA
from colabel.classifiers.mtsda import elastic_net as module

CONTAINERS = {"dense": np.asarray, "sparse": sp.csr_array, "operator": aslinearoperator}


def second_differences(p):
    """A penalty on how coefficients bend, as Yu et al. (1999) have it, and some of I."""
    D = np.diff(np.eye(p), n=2, axis=0)
    return D.T @ D + 0.1 * np.eye(p)


def artificial(X, y, l1, l2, Omega):
    """The paper's artificial data: a root of nλ₂Ω below X, zeros below y, and then a lasso."""
    n, p = X.shape
    augmented = np.vstack([X, linalg.sqrtm(n * l2 * Omega).real])
    lasso = Lasso(l1 / 2 * n / (n + p), fit_intercept=False, tol=1e-12, max_iter=1_000_000)
    return lasso.fit(augmented, np.concatenate([y, np.zeros(p)])).coef_


@pytest.mark.parametrize("sweeps", [True, False])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_any_omega_as_printed(kind, container, sweeps, monkeypatch):
    """At the end B is the paper's lasso for Θ, and the objective that of Eq. 1."""
    if not sweeps:
        monkeypatch.setattr(module, "FEW_FEATURES", 0)
    X, Y = problems.make(kind)
    Xs, n, l1, l2 = dense(X), len(X), 0.05, 0.02
    Omega = second_differences(X.shape[1])
    model = MtSDA(l1, l2, omega=CONTAINERS[container](Omega), tol=1e-10, max_iter=3000).fit(X, Y)
    B, T = model.components_.T * model.scale_[:, None], Y @ model.scores_
    assert_allclose(T.T @ T / n, np.eye(T.shape[1]), atol=1e-9)
    for b, y in zip(B.T, T.T, strict=True):
        assert_allclose(b, artificial(Xs, y - y.mean(), l1, l2, Omega), atol=1e-5)
    loss = np.sum((T - Xs @ B) ** 2) / n
    value = loss + l2 * np.trace(B.T @ Omega @ B) + l1 * np.abs(B).sum()
    assert model.objective_[-1] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_a_given_equicorrelation_is_rho(l1, kind, container):
    X, Y = problems.make(kind)
    X = np.insert(X, 3, 1.0, axis=1)  # a constant feature, of which nothing is kept
    given = CONTAINERS[container](equicorrelation(X.shape[1], 0.3))
    plain = MtSDA(l1, 0.1, 0.3, tol=1e-9, max_iter=2000).fit(X, Y)
    model = MtSDA(l1, 0.1, omega=given, tol=1e-9, max_iter=2000).fit(X, Y)
    assert_allclose(model.components_, plain.components_, atol=1e-6)
    assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-5)


def test_an_operator_is_asked_for_products_alone():
    X, Y = problems.make("wide")
    Omega = sp.csr_array(second_differences(X.shape[1]))
    widths = []

    def products(V):
        widths.append(V.shape[1] if V.ndim == 2 else 1)
        return Omega @ V

    given = LinearOperator(Omega.shape, matvec=products, matmat=products, dtype=float)
    expected = MtSDA(0.1, 0.1, omega=Omega).fit(X, Y)
    model = MtSDA(0.1, 0.1, omega=given).fit(X, Y)
    assert widths
    assert_allclose(model.components_, expected.components_, atol=1e-7)


@pytest.mark.parametrize(
    ("omega", "said"),
    [
        (np.eye(3), r"omega has the shape \(3, 3\), and there are 10 features"),
        (np.triu(np.ones((10, 10))) + np.eye(10), "not a symmetric matrix"),
        (np.diag([1.0] * 9 + [-1e-3]), "not positive definite"),
        (-sp.eye_array(10), "not positive definite"),
        (np.full((10, 10), np.nan), "symmetric matrix of finite numbers"),
    ],
)
def test_what_omega_must_be(omega, said):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 10)), rng.integers(0, 2, size=(30, 2))
    with pytest.raises(ValueError, match=said):
        MtSDA(omega=omega).fit(X, Y)
    with pytest.raises(ValueError, match=r"rho=0.5 and omega are two choices"):
        MtSDA(rho=0.5, omega=np.eye(10)).fit(X, Y)


def classes(two=False):
    X, y = load_iris(return_X_y=True)
    return (X[50:], y[50:]) if two else (X, y)


@pytest.mark.parametrize("two", [False, True])
def test_nearest_scores_as_printed(two):
    """Eq. 4, class by class; X̃B has no mean, so that of YΘ is taken off."""
    X, y = classes(two)
    model = MtSDA(0.05, 0.1, decode="nearest-scores").fit(X, y)
    Z = (X - model.mean_) @ model.components_.T
    Theta = np.vstack([0 * model.scores_, model.scores_]) if two else model.scores_
    shares = np.array([np.mean(y == c) for c in model.classes_])
    centred = Theta - shares @ Theta
    distances = np.array([[np.linalg.norm(c - z) for c in centred] for z in Z])
    assert_array_equal(model.predict(X), model.classes_[distances.argmin(axis=1)])
    assert np.mean(model.predict(X) == y) > 0.8
    plain = MtSDA(0.05, 0.1, decode="nearest-scores", label_means=False).fit(X, y)
    distances = np.array([[np.linalg.norm(c - z) for c in Theta] for z in Z])  # as printed
    assert_array_equal(plain.predict(X), model.classes_[distances.argmin(axis=1)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("two", [False, True])
def test_nearest_mean_as_printed(two, weighted):
    """Eq. 2 with the inverse, in the space of the directions, as its sizes ask for."""
    X, y = classes(two)
    w = np.random.default_rng(0).integers(1, 3, size=len(y)) if weighted else None
    l2 = 0.3
    model = MtSDA(0.05, l2, decode="nearest-mean").fit(X, y, sample_weight=w)
    if weighted:
        X, y = np.repeat(X, w, axis=0), np.repeat(y, w)
    Xs = (X - X.mean(axis=0)) / X.std(axis=0)
    B = model.components_.T * model.scale_[:, None]
    means = np.array([Xs[y == c].mean(axis=0) for c in model.classes_])
    within = sum(
        (Xs[y == c] - m).T @ (Xs[y == c] - m) for c, m in zip(model.classes_, means, strict=True)
    )
    metric = linalg.pinvh(B.T @ (within / len(Xs) + l2 * np.eye(Xs.shape[1])) @ B)
    apart = (Xs[:, None] - means) @ B
    distances = np.einsum("ijk,kl,ijl->ij", apart, metric, apart)
    assert_array_equal(model.predict(X), model.classes_[distances.argmin(axis=1)])
    found = model.decision_function(X)
    if two:
        assert_allclose(found, distances[:, 0] - distances[:, 1], atol=1e-6)
    else:
        spread = found + distances
        assert_allclose(spread - spread[:, :1], 0.0, atol=1e-6)


def test_without_a_penalty_the_nearest_mean_is_ldas_on_equal_classes():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = classes()
    lda = LinearDiscriminantAnalysis().fit(X, y)  # classes of iris are equally large
    model = MtSDA(0.0, 1e-9, decode="nearest-mean", tol=1e-12).fit(X, y)
    assert_array_equal(model.predict(X), lda.predict(X))


def test_the_nearest_class_is_for_one_class_a_row():
    X, y = classes()
    with pytest.raises(ValueError, match="decode='nearest-mean' predicts one class a row"):
        MtSDA(decode="nearest-mean").fit(X, np.eye(3, dtype=int)[y])


@pytest.mark.parametrize("decode", ["linear", "exact"])
def test_without_the_label_means_it_is_as_printed(decode):
    """Eq. 11, Ŷ = XBΘ⁺, or Eq. 5 with no mean of YΘ."""
    X, Y = problems.make("tall")
    model = MtSDA(0.05, 0.1, label_means=False, decode=decode).fit(X, Y)
    Z = (X - model.mean_) @ model.components_.T
    if decode == "exact":
        sets = np.array(np.meshgrid(*[[0, 1]] * 5, indexing="ij")).reshape(5, -1).T
        distances = ((Z[:, None] - sets @ model.scores_) ** 2).sum(axis=2)
        assert_array_equal(model.predict(X), sets[distances.argmin(axis=1)])
        return
    expected = Z @ linalg.pinv(model.scores_)
    assert_allclose(model.uncut_scores(X), expected, atol=1e-9)
    with_means = MtSDA(0.05, 0.1).fit(X, Y).uncut_scores(X)
    assert_allclose(with_means, expected + Y.mean(axis=0), atol=1e-9)
