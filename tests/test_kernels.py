"""Kernel methods against their dual problems, explicit features and other libraries."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import transcriptions as direct
from methods import CASES, ONE_EACH
from numpy.testing import assert_allclose
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline

import colabel
from colabel import (
    PCA,
    LabelRidge,
    LabelRidgeCV,
    RankSVM,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
)
from colabel.tuning import OutOfFoldSearch

WIDTH = 0.8


@pytest.fixture(scope="module")
def sample():
    """Rows whose kernel matrix is well conditioned, their labels, and new rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    Y = (X[:, :4] + X[:, 1:5] ** 2 - 1 + 0.5 * rng.normal(size=(60, 4)) > 0).astype(int)
    assert np.linalg.cond(rbf(X, X)) < 1e4  # to be sure
    return X, Y, rng.normal(size=(15, 6))


def rbf(X, other, gamma=WIDTH):
    return np.exp(-gamma * cdist(X, other, "sqeuclidean"))


def squares(X):
    """The features of (x·y + 1)²."""
    i, j = np.triu_indices(X.shape[1])
    mixed = X[:, i] * X[:, j] * np.where(i == j, 1.0, np.sqrt(2.0))
    return np.hstack([mixed, np.sqrt(2.0) * X, np.ones((len(X), 1))])


POLYNOMIAL = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}


class Dual:
    """max aᵀKSKa subject to aᵀ(KTK + bK)a = 1 over a ⊥ 1, K the centred kernel matrix."""

    def __init__(self, X, new, gamma=WIDTH):
        K, n = rbf(X, X, gamma), len(X)
        self.H = np.eye(n) - 1.0 / n
        self.K = self.H @ K @ self.H
        self.new = (rbf(new, X, gamma) - K.mean(axis=0)) @ self.H

    def project(self, S, T, b):
        """Projections of new rows, and eigenvalues."""
        Q = linalg.null_space(np.ones((1, len(self.K))))
        A = Q.T @ self.K @ S @ self.K @ Q
        B = Q.T @ (self.K @ T @ self.K + b * self.K) @ Q
        lam, C = linalg.eigh(A, B)
        return self.new @ Q @ C[:, ::-1], lam[::-1]


def similarities(name, Y, K):
    """S, T and b of a method with its default parameters, as n×n matrices."""
    n = len(Y)
    identity, H = np.eye(n), np.eye(n) - 1.0 / n
    labels = H @ (2 * Y - 1)
    linear, none = labels @ labels.T, np.zeros((n, n))
    if name in ("MLDA", "DMLDA"):
        return scatters(name, Y)
    inverse = linalg.inv(labels.T @ labels + 0.1 * np.eye(Y.shape[1]))
    root = direct.hypergraph_root(Y, "clique")
    return {
        "PCA": (identity, none, 1.0),
        "MDDMp": (linear, none, 1.0),
        "MDDMf": (linear, identity / 2, 0.5),
        "MVMD": ((identity + linear) / 2, none, 1.0),
        "LabelCCA": (labels @ inverse @ labels.T, identity, 0.1),
        "OPLS": (linear, identity, 0.1),
        "OCM": (Y / Y.sum(axis=0) @ Y.T, none, 1.0),
        "MLSI": (identity, linalg.inv((K + linear) / 2 + 0.1 * identity), 0.1),
        "HypergraphSpectral": (root @ root.T, identity, 0.1),
    }[name]


def scatters(name, Y):
    """Of instances around the means of classes: as sums over classes, not by their closed form."""
    Z = direct.class_weights(Y, "correlation" if name == "MLDA" else "binary")
    n, totals = len(Y), Z.sum(axis=0)

    def around(k, weights):
        centred = np.eye(n) - np.outer(np.ones(n), Z[:, k] / totals[k])
        return centred.T @ np.diag(weights) @ centred

    within = sum(around(k, Z[:, k]) for k in range(Y.shape[1]))
    if name == "DMLDA":
        return sum(around(k, 1 - Z[:, k]) for k in range(Y.shape[1])), within, 0.1
    means = Z / totals - (Z.sum(axis=1) / totals.sum())[:, None]
    return (means * totals) @ means.T, within, 0.1


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.estimator.__name__)
def test_extractors_solve_the_dual_problem(case, sample):
    X, Y, new = sample
    dual = Dual(X, new)
    model = case.estimator(kernel="rbf", gamma=WIDTH).fit(X, Y)
    Z, lam = dual.project(*similarities(case.estimator.__name__, Y, dual.K))
    k = min(model.n_components_, 10)
    assert_allclose(model.eigenvalues_[:k], lam[:k], rtol=1e-8)
    assert np.all(np.diff(lam[: k + 1]) < -1e-6 * lam[0])  # so that directions are unique
    signs = np.sign(np.sum(Z[:, :k] * model.transform(new)[:, :k], axis=0))
    assert_allclose(model.transform(new)[:, :k], signs * Z[:, :k], atol=1e-8 * np.abs(Z).max())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_polynomial_kernel_is_its_features(case, sample):
    X, Y, new = sample
    kernel, explicit = case.make(**POLYNOMIAL).fit(X, Y), case.make().fit(squares(X), Y)
    assert kernel.n_components_ == explicit.n_components_
    assert_allclose(kernel.eigenvalues_, explicit.eigenvalues_, rtol=1e-7, atol=1e-9)
    Z, expected = kernel.transform(new), explicit.transform(squares(new))
    assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-7 * np.abs(expected @ expected.T).max())


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.estimator.__name__)
def test_a_linear_kernel_is_none(case, sample):
    X, Y, new = sample
    kernel, plain = case.make(kernel="linear").fit(X, Y), case.make().fit(X, Y)
    assert_allclose(kernel.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    Z, expected = kernel.transform(new), plain.transform(new)
    assert_allclose(np.abs(Z), np.abs(expected), atol=1e-8 * np.abs(expected).max())


def test_principal_components_are_those_of_scikit_learn(sample):
    X, _, new = sample
    ours = PCA(8, kernel="rbf", gamma=WIDTH).fit(X)
    theirs = KernelPCA(8, kernel="rbf", gamma=WIDTH).fit(X)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    assert_allclose(np.abs(ours.transform(new)), np.abs(theirs.transform(new)), atol=1e-10)


def test_ridge_is_that_of_scikit_learn_on_the_centred_kernel(sample):
    X, Y, new = sample
    dual = Dual(X, new)
    signs = 2 * Y - 1
    theirs = KernelRidge(2.0, kernel="precomputed").fit(dual.K, signs - signs.mean(axis=0))
    ours = LabelRidge(2.0, kernel="rbf", gamma=WIDTH).fit(X, Y)
    expected = theirs.predict(dual.new) + signs.mean(axis=0)
    assert_allclose(ours.decision_function(new), expected, atol=1e-10)


@pytest.mark.parametrize("shrinkage", [0.1, 0.5])
def test_canonical_directions_are_those_of_cca_zoo(shrinkage, sample):
    """Of two views, the labels seen linearly: (1 − c)K² / (n − 1) + cK is K² + γK but for a scale.

    Directions have a scale and a sign of their own there.
    """
    theirs = pytest.importorskip("cca_zoo.nonparametric", reason="cca-zoo is not installed")
    X, Y, new = sample
    signs, ridge = 2.0 * Y - 1, shrinkage * (len(X) - 1) / (1 - shrinkage)
    ours = colabel.LabelCCA(ridge=ridge, label_ridge=ridge, kernel="rbf", gamma=WIDTH).fit(X, Y)
    assert np.all(np.diff(ours.eigenvalues_) < -1e-3 * ours.eigenvalues_[0])  # unique directions
    k = ours.n_components_
    peer = theirs.KCCA(k, shrinkage=shrinkage, kernel=["rbf", "linear"], gamma=[WIDTH, None])
    Z = peer.fit([X, signs]).transform([new, signs[: len(new)]])[0]
    expected = Z / np.linalg.norm(Z, axis=0)
    found = ours.transform(new) / np.linalg.norm(ours.transform(new), axis=0)
    assert_allclose(np.abs(np.sum(found * expected, axis=0)), np.ones(k), atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_ridge_without_axes_is_that_with_them(alpha, sample):
    """A Cholesky factorisation finds what the eigenvectors find."""
    X, Y, new = sample
    settings = {"kernel": "rbf", "gamma": WIDTH}
    found = LabelRidge(alpha, **settings).fit(X, Y)
    by_axes = LabelRidge(alpha, solver="factor", **settings).fit(X, Y)
    assert (found.solver_, by_axes.solver_) == ("two-stage", "factor")
    expected = by_axes.decision_function(new)
    assert_allclose(found.decision_function(new), expected, atol=1e-10)
    fm = colabel.factor(X, **settings)
    assert_allclose(LabelRidge(alpha).fit(fm, Y).decision_function(new), expected, atol=1e-10)


def test_axes_are_found_where_a_ridge_needs_them(sample):
    """Without a penalty for the least norm; and where the negative part of a kernel is left out."""
    X, Y, _ = sample
    doubled = np.vstack([X, X[:20]])
    found = LabelRidge(0.0, kernel="rbf", gamma=WIDTH).fit(doubled, np.vstack([Y, Y[:20]]))
    assert found.solver_ == "factor"
    assert_allclose(found.decision_function(X), 2 * Y - 1, atol=1e-6)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        bent = LabelRidge(kernel="sigmoid", gamma=1.0).fit(X, Y)
    assert bent.solver_ == "factor"


@pytest.mark.parametrize(
    "model", [LabelRidge(0.7), SharedSubspaceClassifier(0.05, 0.01, 2)], ids=str
)
@pytest.mark.parametrize("n_landmarks", [None, 60])
def test_classifiers_with_a_polynomial_kernel_are_those_of_its_features(model, n_landmarks, sample):
    X, Y, new = sample
    expected = model.fit(squares(X), Y).decision_function(squares(new))
    kernel = type(model)(**model.get_params()).set_params(n_landmarks=n_landmarks, **POLYNOMIAL)
    assert_allclose(kernel.fit(X, Y).decision_function(new), expected, atol=1e-8)


def test_the_shared_subspace_solves_its_problem_over_the_images(sample):
    """(1/n)‖KA − Ȳ‖² + α(tr AᵀKA − tr VᵀV) + β tr AᵀKA, by the formulae of METHODS in the dual."""
    X, Y, new = sample
    alpha, beta, r, n = 0.05, 0.01, 2, len(X)
    dual = Dual(X, new)
    targets = dual.H @ (2 * Y - 1)
    inverse = lambda b: linalg.inv(dual.K / n + b * np.eye(n))  # noqa: E731
    A1, A2 = inverse(beta) @ targets, inverse(alpha + beta) @ targets
    _, C = linalg.eigh((A2.T @ dual.K @ A1 + A1.T @ dual.K @ A2) / 2)
    shared = C[:, ::-1][:, :r] @ C[:, ::-1][:, :r].T
    A = (A1 @ shared + A2 @ (np.eye(Y.shape[1]) - shared)) / n
    model = SharedSubspaceClassifier(alpha, beta, r, kernel="rbf", gamma=WIDTH).fit(X, Y)
    expected = dual.new @ A + (2 * Y - 1).mean(axis=0)
    assert_allclose(model.decision_function(new), expected, atol=1e-8)


@pytest.mark.parametrize("given", [False, True])
def test_ranking_keeps_the_rows_that_it_needs(given):
    """Of rows without a pair to lose on none is kept; predictions are those of all rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)) + 6 * rng.integers(0, 2, size=(150, 2))
    Y = np.column_stack([X[:, 0] > 3, X[:, 0] <= 3, X[:, 1] > 3]).astype(int)
    Y[::10] = 1  # no pair
    kernel, rows = ("precomputed", rbf(X, X, 0.1)) if given else ("rbf", X)
    model = RankSVM(10.0, kernel=kernel, gamma=0.1, tol=1e-6).fit(rows, Y)
    assert 0 < model.n_landmarks_ < 100
    assert model.coef_.shape == (3, model.n_landmarks_)
    assert np.all(model.coef_.any(axis=0))
    whole = RankSVM(10.0, tol=1e-6).fit(colabel.factor(X, kernel="rbf", gamma=0.1), Y)
    assert model.objective_ <= whole.objective_ * (1 + 1e-6)
    expected = whole.decision_function(X)
    assert_allclose(model.decision_function(rows), expected, atol=1e-2 * np.abs(expected).max())


@pytest.mark.parametrize("make", [LabelRidge, SharedSubspaceClassifier, RankSVM, colabel.MVMD])
def test_a_precomputed_kernel_is_the_same(make, sample):
    X, Y, new = sample
    named = make(kernel="rbf", gamma=WIDTH).fit(X, Y)
    given = make(kernel="precomputed").fit(rbf(X, X), Y)
    see = "transform" if make is colabel.MVMD else "decision_function"
    K = rbf(new, X)
    assert_allclose(getattr(given, see)(K), getattr(named, see)(new), atol=1e-8)
    assert_allclose(getattr(given, see)(sp.csr_array(K)), getattr(named, see)(new), atol=1e-8)


@pytest.mark.parametrize("make", [LabelRidge, SharedSubspaceClassifier, RankSVM, colabel.OPLS])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("n_landmarks", [None, 20])
def test_forms_of_rows(make, form, n_landmarks, sample):
    X, Y, new = sample
    settings = {"kernel": "rbf", "gamma": WIDTH, "n_landmarks": n_landmarks, "random_state": 0}
    see = "transform" if make is colabel.OPLS else "decision_function"
    expected = getattr(make(**settings).fit(X, Y), see)(new)
    found = getattr(make(**settings).fit(form(X), Y), see)(form(new))
    single = found.dtype == np.float32
    assert single == (form(X).dtype == np.float32)
    if not (single and n_landmarks):  # other landmarks may be drawn where rounding differs
        scale = np.abs(expected).max()
        assert_allclose(found, expected, atol=(1e-3 if single else 1e-9) * scale)


def test_rows_in_blocks_are_seen_by_all_of_them(sample):
    X, Y, new = sample
    blocks, more = colabel.row_blocks([X[:25], X[25:]]), colabel.row_blocks([new[:9], new[9:]])
    exact = LabelRidge(kernel="rbf", gamma=WIDTH).fit(X, Y)
    found = LabelRidge(kernel="rbf", gamma=WIDTH, random_state=0).fit(blocks, Y)
    assert found.n_landmarks_ == len(X)
    assert_allclose(found.decision_function(new), exact.decision_function(new), atol=1e-8)
    assert_allclose(found.decision_function(more), exact.decision_function(new), atol=1e-8)


class TestFactored:
    def test_rows_of_a_factorisation_are_fitted_as_they_are_alone(self, sample):
        X, Y, new = sample
        fm = colabel.factor(X, kernel="rbf", gamma=WIDTH)
        for make in (colabel.OPLS, colabel.MVMD, colabel.MLDA):
            alone = make(kernel="rbf", gamma=WIDTH).fit(X[:40], Y[:40])
            some = make().fit(fm[:40], Y[:40])
            assert_allclose(some.eigenvalues_, alone.eigenvalues_, rtol=1e-8)
            expected = np.abs(alone.transform(new))
            assert_allclose(np.abs(some.transform(new)), expected, atol=1e-8 * expected.max())
            assert_allclose(some.transform(fm[40:]), some.transform(X[40:]), atol=1e-9)

    def test_classifiers_take_it_too(self, sample):
        X, Y, new = sample
        fm = colabel.factor(X, kernel="rbf", gamma=WIDTH)
        for make in (LabelRidge, SharedSubspaceClassifier, RankSVM):
            alone = make(kernel="rbf", gamma=WIDTH).fit(X, Y).decision_function(new)
            assert_allclose(make().fit(fm, Y).decision_function(new), alone, atol=1e-8)

    def test_landmarks_are_factored_as_they_are(self, sample):
        X, Y, new = sample
        fm = colabel.factor(X, "rbf", gamma=WIDTH, n_landmarks=30, random_state=3)
        alone = LabelRidge(kernel="rbf", gamma=WIDTH, n_landmarks=30, random_state=3).fit(X, Y)
        assert_allclose(
            LabelRidge().fit(fm, Y).decision_function(new), alone.decision_function(new), atol=1e-8
        )

    def test_what_does_not_go_together_says_so(self, sample):
        X, Y, _ = sample
        fm = colabel.factor(X, kernel="rbf")
        with pytest.raises(ValueError, match="needs the rows themselves"):
            LabelRidge(kernel="rbf").fit(colabel.factor(X), Y)
        with pytest.raises(ValueError, match="needs the rows themselves"):
            LabelRidge(kernel="poly").fit(fm, Y)
        with pytest.raises(ValueError, match="X is factored with a kernel of its own"):
            LabelRidge(kernel="rbf").fit(X, Y).predict(fm)
        with pytest.raises(ValueError, match="X is factored without a kernel"):
            LabelRidge().fit(fm, Y).predict(colabel.factor(X))
        with pytest.raises(ValueError, match=r"'kernel' parameter of .* Got 'magic'"):
            colabel.factor(X, kernel="magic")


class TestWidth:
    def test_it_is_one_over_the_median_squared_distance(self, sample):
        X, Y, _ = sample
        apart = cdist(X, X, "sqeuclidean")[np.triu_indices(len(X), 1)]
        found = LabelRidge(kernel="rbf").fit(X, Y).gamma_
        assert_allclose(found, 1.0 / np.median(apart))
        assert_allclose(LabelRidge(kernel="rbf").fit(sp.csr_array(X), Y).gamma_, found)

    def test_manhattan_distances_serve_the_laplacian_kernel(self, sample):
        X, Y, _ = sample
        apart = cdist(X, X, "cityblock")[np.triu_indices(len(X), 1)]
        assert_allclose(LabelRidge(kernel="laplacian").fit(X, Y).gamma_, 1.0 / np.median(apart))

    def test_results_do_not_depend_on_the_scale_of_rows(self, sample):
        X, Y, new = sample
        for kernel in ("rbf", "laplacian"):
            found = LabelRidge(kernel=kernel).fit(X, Y).decision_function(new)
            scaled = LabelRidge(kernel=kernel).fit(1000 * X, Y).decision_function(1000 * new)
            assert_allclose(found, scaled, atol=1e-9)

    def test_kernels_without_one_have_none(self, sample):
        X, Y, _ = sample
        assert LabelRidge(kernel="cosine").fit(X, Y).gamma_ is None
        assert LabelRidge().fit(X, Y).gamma_ is None


class TestTuned:
    @pytest.mark.parametrize("make", [LabelRidgeCV, SharedSubspaceClassifierCV])
    def test_each_width_is_tried_as_it_would_be_alone(self, make, sample):
        X, Y, _ = sample
        gammas = [0.05, 0.4]
        both = make(kernel="rbf", gammas=gammas, random_state=0).fit(X, Y)
        alone = [make(kernel="rbf", gamma=gamma, random_state=0).fit(X, Y) for gamma in gammas]
        best = max(alone, key=lambda model: model.best_score_)
        assert both.gamma_ == best.gamma_
        assert both.best_score_ == best.best_score_
        assert_allclose(both.coef_, best.coef_)
        assert_allclose(both.thresholds_, best.thresholds_)
        assert set(both.cv_results_["param_gamma"]) == set(gammas)

    def test_held_out_scores_are_those_of_refits(self, sample):
        X, Y, _ = sample
        model = LabelRidgeCV([0.5], kernel="rbf", gamma=WIDTH, keep_scores=True).fit(X, Y)
        for i in (0, 17, 59):
            rest = np.delete(np.arange(len(X)), i)
            refit = LabelRidge(0.5, kernel="rbf", gamma=WIDTH).fit(X[rest], Y[rest])
            expected = refit.decision_function(X[i : i + 1])
            assert_allclose(model.held_out_scores_[i : i + 1], expected, atol=1e-9)

    def test_folds_are_scored_as_by_refits(self, sample):
        X, Y, _ = sample
        folds = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
        model = LabelRidgeCV([0.5], kernel="rbf", gamma=WIDTH, cv=folds, keep_scores=True).fit(X, Y)
        for train, test in folds:
            refit = LabelRidge(0.5, kernel="rbf", gamma=WIDTH).fit(X[train], Y[train])
            expected = refit.decision_function(X[test])
            assert_allclose(model.held_out_scores_[test], expected, atol=1e-9)

    def test_widths_by_themselves_lie_around_the_default(self, sample):
        X, Y, _ = sample
        default = LabelRidge(kernel="rbf").fit(X, Y).gamma_
        model = LabelRidgeCV(kernel="rbf", random_state=0).fit(X, Y)
        tried = np.unique(model.cv_results_["param_gamma"])
        assert_allclose(np.log2(tried / default), np.round(np.log2(tried / default)), atol=1e-6)
        assert {-2, -1, 0, 1, 2} <= set(np.round(np.log2(tried / default)))
        assert model.gamma_ in tried

    def test_with_landmarks_the_final_model_has_all_of_them(self, sample):
        X, Y, new = sample
        model = LabelRidgeCV(kernel="rbf", n_landmarks=40, random_state=0).fit(X, Y)
        assert model.n_landmarks_ == 40
        alone = LabelRidge(
            model.alpha_, kernel="rbf", gamma=model.gamma_, n_landmarks=40, random_state=0
        ).fit(X, Y)
        assert_allclose(model.uncut_scores(new), alone.decision_function(new), atol=1e-8)

    def test_widths_without_a_kernel_are_refused(self, sample):
        X, Y, _ = sample
        with pytest.raises(ValueError, match=r"gammas=.* but kernel=None; set kernel='rbf'"):
            LabelRidgeCV(gammas=[1.0]).fit(X, Y)


class TestManners:
    def test_a_kernel_behind_an_extractor_is_searched_as_any_classifier(self, sample):
        X, Y, new = sample
        steps = make_pipeline(PCA(3), LabelRidge(kernel="rbf", gamma=WIDTH))
        search = OutOfFoldSearch(steps, {"labelridge__alpha": [0.1, 1.0]}, cv=3, random_state=0)
        assert search.fit(X, Y).predict(new).shape == (len(new), Y.shape[1])

    def test_a_fit_without_a_kernel_forgets_the_one_before(self, sample):
        X, Y, new = sample
        model = LabelRidge(kernel="rbf").fit(X, Y)
        assert model.n_landmarks_ == len(X)
        model.set_params(kernel=None).fit(X, Y)
        assert model.n_landmarks_ == 0
        assert_allclose(model.decision_function(new), LabelRidge().fit(X, Y).decision_function(new))

    def test_a_model_keeps_its_kernel_whatever_its_parameters_become(self, sample):
        X, Y, new = sample
        model = LabelRidge(kernel="rbf", gamma=WIDTH).fit(X, Y)
        before = model.decision_function(new)
        model.set_params(gamma=5.0, kernel="linear")
        assert_allclose(model.decision_function(new), before)

    def test_rows_do_not_come_back(self, sample):
        X, Y, _ = sample
        model = colabel.OPLS(kernel="rbf").fit(X, Y)
        with pytest.raises(AttributeError) as raised:
            model.inverse_transform(model.transform(X))
        assert "rows cannot be had back" in str(raised.value.__cause__)
        assert not hasattr(
            colabel.OPLS().fit(colabel.factor(X, kernel="rbf"), Y), "inverse_transform"
        )

    def test_rows_cannot_come_in_parts(self, sample):
        X, Y, _ = sample
        with pytest.raises(AttributeError) as raised:
            colabel.OPLS(kernel="rbf").partial_fit(X, Y)
        assert "kernel='rbf' compares the rows themselves" in str(raised.value.__cause__)

    def test_no_argument_is_changed(self, sample):
        X, Y, _ = sample
        K = rbf(X, X)
        before = K.copy(), X.copy()
        LabelRidge(kernel="precomputed").fit(K, Y)
        LabelRidgeCV(kernel="rbf", n_landmarks=20).fit(X, Y)
        colabel.factor(K, kernel="precomputed")
        assert_allclose((K, X)[0], before[0], rtol=0)
        assert_allclose(X, before[1], rtol=0)

    def test_models_are_saved_with_the_rows_they_need(self, sample, tmp_path):
        X, Y, new = sample
        for n_landmarks in (None, 10):
            model = LabelRidgeCV(kernel="rbf", n_landmarks=n_landmarks, random_state=0).fit(X, Y)
            colabel.save(model, tmp_path / "model.skops")
            again = colabel.load(tmp_path / "model.skops")
            assert_allclose(again.decision_function(new), model.decision_function(new))
            assert again.kernel_map_.rows.shape == (n_landmarks or len(X), X.shape[1])

    def test_many_rows_are_seen_by_some_and_it_is_said(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(4100, 2))
        Y = X**2 > 1
        with pytest.warns(UserWarning, match="on 4100 rows, of which at most 2000 stand for all"):
            model = LabelRidge(kernel="rbf", random_state=0).fit(X, Y)
        assert model.n_landmarks_ < 500  # smooth functions of two numbers need no more
        assert (model.predict(X) == Y).mean() > 0.95
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LabelRidge(kernel="rbf", n_landmarks=100, random_state=0).fit(X, Y)
