"""Alternating structure optimisation against direct solvers and the methods it comes down to."""

import warnings

import checks
import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from bad_input import BAD_X, BAD_Y, DATA_FORMS, LABEL_FORMS
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from spans import sine

import colabel
from colabel import ASOClassifier, SharedSubspaceClassifier
from colabel.classifiers.aso import hinge
from colabel.classifiers.aso.alternation import FreeFeatures
from colabel.classifiers.aso.hinge import LOSSES as ALGEBRA_LOSSES
from colabel.classifiers.aso.hinge import SeparateFits
from colabel.linalg.containers import as_matrix

pytest.importorskip("pandas")
pytest.importorskip("polars")

KINDS = ["tall", "wide", "rank-deficient tall", "rank-deficient wide"]
LOSSES = ["hinge", "squared_hinge", "least_squares"]
CONTAINERS = [np.asarray, sp.csr_array, sp.csc_array, colabel.factor]

PHI = {
    "hinge": lambda m: np.maximum(0, 1 - m),
    "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
    "least_squares": lambda m: (1 - m) ** 2,
}
SLOPE = {
    "squared_hinge": lambda m: -2 * np.maximum(0, 1 - m),
    "least_squares": lambda m: -2 * (1 - m),
}


def own_part(U, Theta):
    return U - Theta.T @ (Theta @ U)


def objective(X, Y, loss, alpha, U, b, Theta, beta=0.0):
    """As the problem is written, V = ΘU being the best there is."""
    margins = (2 * Y - 1) * (X @ U + b)
    penalty = alpha * np.sum(own_part(U, Theta) ** 2) + beta * np.sum(U**2)
    return PHI[loss](margins).mean(axis=0).sum() + penalty


def smooth_optimum(X, y, loss, alpha, Theta, beta):
    """The least objective of one label for a given subspace, by BFGS."""
    n = len(X)

    def value_and_gradient(z):
        u, b = z[:-1], z[-1]
        margins = y * (X @ u + b)
        G = y * SLOPE[loss](margins) / n
        own = own_part(u, Theta)
        value = PHI[loss](margins).mean() + alpha * np.sum(own**2) + beta * np.sum(u**2)
        return value, np.append(X.T @ G + 2 * alpha * own + 2 * beta * u, G.sum())

    start = np.zeros(X.shape[1] + 1)
    options = {"gtol": 1e-9, "maxiter": 5000}
    return minimize(value_and_gradient, start, jac=True, method="BFGS", options=options).fun


def hinge_optimum(X, y, alpha, Theta, beta):
    """The same for the hinge: a quadratic program with one slack a row."""
    n, d = X.shape
    P = alpha * (np.eye(d) - Theta.T @ Theta) + beta * np.eye(d)
    margins = np.hstack([y[:, None] * np.column_stack([X, np.ones(n)]), np.eye(n)])

    def value(z):
        return z[d + 1 :].mean() + z[:d] @ P @ z[:d]

    def gradient(z):
        return np.concatenate([2 * P @ z[:d], [0], np.full(n, 1 / n)])

    found = minimize(
        value,
        np.append(np.zeros(d + 1), np.ones(n)),
        jac=gradient,
        method="SLSQP",
        bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
        constraints={"type": "ineq", "fun": lambda z: margins @ z - 1, "jac": lambda z: margins},
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert found.success
    return found.fun


def optimum(X, y, loss, alpha, Theta, beta=0.0):
    if loss == "hinge":
        return hinge_optimum(X, y, alpha, Theta, beta)
    return smooth_optimum(X, y, loss, alpha, Theta, beta)


def random_subspace(d, r):
    rng = np.random.default_rng(3)
    return linalg.qr(rng.normal(size=(d, max(r, 1))), mode="economic")[0].T[:r]


def noisy(kind):
    """Labels that no hyperplane separates, where that is possible."""
    X, Y = problems.make(kind, condition=4.0)
    rng = np.random.default_rng(5)
    return X, np.where(rng.uniform(size=Y.shape) < 0.2, 1 - Y, Y)


@pytest.mark.parametrize("kind", ["tall", "wide", "rank-deficient tall"])
@pytest.mark.parametrize("r", [0, 2])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_for_a_subspace_are_the_direct_solvers(loss, alpha, r, kind):
    X, Y = noisy(kind)
    signs, data, Theta = 2.0 * Y - 1, as_matrix(X), random_subspace(X.shape[1], r)
    features = FreeFeatures(data, Theta)
    k = signs.shape[1]
    W, v = features.split(np.zeros((X.shape[1], k)), np.zeros(k))
    target = np.full(k, 1e-7)
    fits = SeparateFits(data, features.Z, signs, ALGEBRA_LOSSES[loss], alpha, target)
    fit, reached = fits.solve(W, v, np.zeros(signs.shape), 2000)
    assert reached
    U, c = features.join(fit.W, fit.v)
    b = c - X.mean(axis=0) @ U
    for j in range(k):
        found = objective(X, Y[:, [j]], loss, alpha, U[:, [j]], b[j], Theta)
        assert found == pytest.approx(optimum(X, signs[:, j], loss, alpha, Theta), abs=1e-5)


def at_a_start(loss, r):
    """Columns with a few free rows: scores of their own size around the margin, t₀ in between."""
    rng = np.random.default_rng(7)
    X, Y = noisy("tall")
    data, signs = as_matrix(X), 2.0 * Y - 1
    Z = FreeFeatures(data, random_subspace(X.shape[1], r)).Z
    k = signs.shape[1]
    fits = SeparateFits(data, Z, signs, ALGEBRA_LOSSES[loss], 0.01, np.full(k, 1e-6))
    v = rng.normal(size=(Z.shape[1], k))
    fits.solve(np.zeros((X.shape[1], k)), v, rng.uniform(size=signs.shape), 0)
    return fits


@pytest.mark.parametrize("r", [0, 2, 6])
@pytest.mark.parametrize("width", [0.5, 0.05])
@pytest.mark.parametrize("loss", LOSSES)
def test_compiled_steps_of_the_free_parts_are_the_plain_ones(loss, width, r, monkeypatch):
    if hinge._compiled() is None:
        pytest.skip("numba is not installed")
    found = []
    for least in (0, np.inf):
        monkeypatch.setattr(hinge, "COMPILED_FROM", least)
        fits = at_a_start(loss, r)
        if loss == "hinge":
            fits.width[:] = width
        before = fits._point(fits.active).left
        fits.settle()
        after = fits._point(fits.active)
        assert np.all(after.left <= 0.25 * np.maximum(1e-6, 0.1 * after.gap))
        assert np.mean(before > 1e-3) > 0.5  # there is something to do
        found.append((fits.v, fits.F))
    for fast, plain in zip(*found, strict=True):
        assert_allclose(fast, plain, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("init", ["independent", "random"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_never_rises_and_is_that_of_the_problem(loss, kind, init):
    X, Y = noisy(kind)
    alpha = 0.02
    model = ASOClassifier(alpha, 2, loss=loss, init=init, random_state=0, tol=1e-5, max_iter=300)
    model.fit(X, Y)
    assert np.all(np.diff(model.objective_) <= 1e-12)
    assert model.n_iter_ == len(model.objective_) > 1
    Theta, U = model.subspace_, model.coef_.T
    assert_allclose(Theta @ Theta.T, np.eye(2), atol=1e-10)
    found = objective(X, Y, loss, alpha, U, model.intercept_, Theta)
    assert_allclose(found, model.objective_[-1], rtol=1e-9)
    leading = linalg.svd(U, full_matrices=False)[0][:, :2]
    assert sine(Theta.T, leading) < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_at_the_end_neither_step_helps(loss):
    X, Y = noisy("tall")
    alpha = 0.02
    model = ASOClassifier(alpha, 2, loss=loss, tol=1e-6, max_iter=1000).fit(X, Y)
    best = sum(optimum(X, y, loss, alpha, model.subspace_) for y in (2.0 * Y - 1).T)
    assert_allclose(model.objective_[-1], best, atol=1e-4)


@pytest.mark.parametrize("beta", [1e-4, 0.02])
@pytest.mark.parametrize("loss", LOSSES)
def test_both_penalties_at_the_end_neither_step_helps(loss, beta):
    """Eq. 3 of Ji et al. with any loss: their future work."""
    X, Y = noisy("tall")
    alpha = 0.02
    model = ASOClassifier(alpha, 2, beta=beta, loss=loss, tol=1e-6, max_iter=1000).fit(X, Y)
    assert np.all(np.diff(model.objective_) <= 1e-12)
    Theta, U = model.subspace_, model.coef_.T
    found = objective(X, Y, loss, alpha, U, model.intercept_, Theta, beta)
    assert_allclose(found, model.objective_[-1], rtol=1e-9)
    best = sum(optimum(X, y, loss, alpha, Theta, beta) for y in (2.0 * Y - 1).T)
    assert_allclose(model.objective_[-1], best, atol=1e-4)
    assert sine(Theta.T, linalg.svd(U, full_matrices=False)[0][:, :2]) < 1e-6


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_with_least_squares_both_penalties_are_the_shared_subspace_classifiers(kind, container):
    X, Y = noisy(kind)
    alpha, beta = 0.1, 0.01
    closed = SharedSubspaceClassifier(alpha, beta, 2).fit(X, Y)
    model = ASOClassifier(alpha, 2, beta=beta, loss="least_squares", tol=1e-10, max_iter=5000)
    model.fit(container(X), Y)
    assert_allclose(model.coef_, closed.coef_, atol=1e-3 * np.abs(closed.coef_).max())
    assert sine(model.subspace_.T, closed.subspace_.T) < 0.02


def test_with_as_many_components_as_labels_beta_alone_is_paid():
    X, Y = noisy("tall")
    beta, n = 0.02, len(X)
    model = ASOClassifier(1.0, Y.shape[1], beta=beta, tol=1e-7, max_iter=1000).fit(X, Y)
    for coef, intercept, y in zip(model.coef_, model.intercept_, Y.T, strict=True):
        svm = SVC(kernel="linear", C=1 / (2 * beta * n), tol=1e-8).fit(X, y)
        assert_allclose(coef, svm.coef_[0], atol=0.01 * np.abs(coef).max())
        assert intercept == pytest.approx(svm.intercept_[0], abs=0.02)


def test_more_beta_is_smaller_weights_and_none_is_its_limit():
    X, Y = noisy("tall")

    def fit(beta):
        return ASOClassifier(0.05, 2, beta=beta, loss="least_squares", tol=1e-9, max_iter=2000).fit(
            X, Y
        )

    sizes = [np.linalg.norm(fit(beta).coef_) for beta in (1e-10, 0.01, 0.1, 1.0)]
    assert np.all(np.diff(sizes) < 0)
    assert sizes[0] == pytest.approx(np.linalg.norm(fit(0.0).coef_), rel=1e-3)


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_with_least_squares_it_is_the_shared_subspace_classifier_without_beta(alpha, kind):
    X, Y = noisy(kind)
    model = ASOClassifier(alpha, 2, loss="least_squares", tol=1e-13, max_iter=5000).fit(X, Y)
    closed = SharedSubspaceClassifier(alpha, 0.0, 2).fit(X, Y)

    def value(fitted):
        arguments = fitted.coef_.T, fitted.intercept_, fitted.subspace_
        return objective(X, Y, "least_squares", alpha, *arguments)

    assert_allclose(value(model), value(closed), rtol=1e-8)
    scores = closed.decision_function(X)
    assert_allclose(model.decision_function(X), scores, atol=1e-4)
    assert sine(model.subspace_.T, closed.subspace_.T) < 1e-3


@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_without_components_it_is_a_support_vector_machine_for_each_label(alpha):
    X, Y = noisy("tall")
    model = ASOClassifier(alpha, 0, tol=1e-8).fit(X, Y)
    assert model.subspace_.shape == (0, 12)
    for j, y in enumerate(Y.T):
        svm = SVC(kernel="linear", C=1 / (2 * alpha * len(X)), tol=1e-10).fit(X, y)
        assert_allclose(model.coef_[j], svm.coef_[0], atol=1e-3)  # the intercept need not be unique
        values = [
            objective(X, Y[:, [j]], "hinge", alpha, u[:, None], b, np.empty((0, 12)))
            for u, b in ((model.coef_[j], model.intercept_[j]), (svm.coef_[0], svm.intercept_[0]))
        ]
        assert values[1] - 1e-5 < values[0] < values[1] + 1e-8  # libsvm's is the less exact one
    alone = ASOClassifier(alpha, tol=1e-8).fit(X, Y[:, 0])
    assert_allclose(alone.coef_, model.coef_[:1], atol=1e-3)


def test_with_as_many_components_as_labels_nothing_is_penalised():
    X, Y = noisy("tall")
    model = ASOClassifier(1.0, 5, loss="least_squares", tol=1e-12, max_iter=2000).fit(X, Y)
    Xc = X - X.mean(axis=0)
    free = linalg.lstsq(Xc, 2.0 * Y - 1 - (2.0 * Y - 1).mean(axis=0))[0]
    assert_allclose(model.coef_.T, free, atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_containers(kind, loss):
    """The first rounds: in the end rounding may lead to another optimum."""
    X, Y = problems.sparse_counts(kind)
    model = ASOClassifier(0.05, 2, loss=loss, tol=1e-6, max_iter=3)
    expected = model.fit(X, Y).objective_
    scores = model.decision_function(X)
    for container in CONTAINERS:
        given = container(X)
        assert_allclose(model.fit(given, sp.csr_array(Y)).objective_, expected, rtol=1e-6)
        assert_allclose(model.decision_function(given), scores, atol=1e-3)


def test_rows_of_a_factored_matrix():
    X, Y = problems.make("wide", condition=4.0)
    rows = np.arange(len(X)) % 3 != 0
    fm = colabel.factor(sp.csr_array(X))
    # without a price for all weights, those of labels that can be told apart by what is shared have
    # no bound, and no limit either
    model = ASOClassifier(0.1, 1, beta=0.01, loss="squared_hinge", tol=1e-8, max_iter=500)
    plain = model.fit(X[rows], Y[rows]).decision_function(X[~rows])
    assert_allclose(model.fit(fm[rows], Y[rows]).decision_function(fm[~rows]), plain, atol=1e-10)


def test_threads_change_nothing():
    X, Y = noisy("tall")
    one = ASOClassifier(0.01, 2, n_jobs=1).fit(X, Y)
    two = ASOClassifier(0.01, 2, n_jobs=2).fit(X, Y)
    assert_allclose(two.coef_, one.coef_, atol=1e-8)


@pytest.mark.parametrize(("q", "r"), [(1, 0), (2, 1), (5, 1), (6, 5), (11, 10)])
def test_default_dimension(q, r):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30))
    Y = (X @ rng.normal(size=(30, q)) > 0).astype(int)
    model = ASOClassifier(loss="squared_hinge", tol=0.1).fit(X, Y)
    assert model.n_components_ == len(model.subspace_) == r


def test_more_components_than_labels_is_an_error():
    with pytest.raises(ValueError, match=r"n_components=6 is more than .*=5"):
        ASOClassifier(n_components=6).fit(*problems.make("tall"))


@pytest.mark.parametrize("loss", LOSSES)
def test_constant_labels_are_predicted_constant_and_named(loss):
    X, Y = problems.make("tall")
    more = pd.DataFrame(Y, columns=list("abcde")).assign(never=0, always=1)
    model = ASOClassifier(0.1, 2, loss=loss, max_iter=1000)
    expected = model.fit(X, Y).decision_function(X)
    with pytest.warns(UserWarning, match="2 of 7 labels.*constant: never, always") as record:
        model.fit(X, more)
    assert len(record) == 1
    assert_allclose(model.decision_function(X)[:, :5], expected)
    assert np.all(model.decision_function(X)[:, 5:] == [-1, 1])


def test_without_a_label_that_varies():
    X, Y = problems.make("tall")
    with pytest.warns(UserWarning, match="5 of 5 labels"):
        model = ASOClassifier().fit(X, np.zeros_like(Y))
    assert not model.predict(X).any()
    assert model.n_iter_ == 0


@pytest.mark.parametrize("loss", LOSSES)
def test_constant_features_give_the_best_constant_scores(loss):
    X, Y = problems.make("tall")
    scores = ASOClassifier(loss=loss).fit(np.ones_like(X), Y).decision_function(np.ones_like(X))
    share = Y.mean(axis=0)
    expected = np.where(share > 0.5, 1, -1) if loss == "hinge" else 2 * share - 1
    assert_allclose(scores, np.tile(expected, (len(X), 1)), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_float32_stays_float32(loss):
    X, Y = noisy("tall")
    model = ASOClassifier(0.1, 1, loss=loss).fit(X.astype(np.float32), Y)
    assert model.coef_.dtype == model.intercept_.dtype == model.subspace_.dtype == np.float32
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32
    exact = ASOClassifier(0.1, 1, loss=loss).fit(X, Y)
    assert_allclose(model.objective_[-1], exact.objective_[-1], rtol=1e-2)


@pytest.mark.parametrize("form", DATA_FORMS)
def test_forms_of_data(form):
    X, Y = problems.make("tall", condition=4.0)
    model = ASOClassifier(0.1, 1, loss="squared_hinge").fit(DATA_FORMS[form](X), Y)
    expected = ASOClassifier(0.1, 1, loss="squared_hinge").fit(X, Y)
    assert_allclose(model.objective_, expected.objective_, rtol=1e-6)


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_forms_of_labels(form):
    X, Y = problems.make("tall")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ASOClassifier(0.1, 1).fit(X, LABEL_FORMS[form](Y))
    assert_allclose(model.coef_, ASOClassifier(0.1, 1).fit(X, Y).coef_)


@pytest.mark.parametrize("bad", [bad for bad in BAD_X if bad != "constant"])
def test_bad_x(bad):
    X, message = BAD_X[bad]
    with pytest.raises(ValueError, match=message):
        ASOClassifier().fit(X, problems.make("tall")[1][: X.shape[0]])


@pytest.mark.parametrize("bad", [bad for bad in BAD_Y if bad != "all labels empty"])
def test_bad_y(bad):
    Y, message = BAD_Y[bad]
    with pytest.raises(ValueError, match=message):
        ASOClassifier().fit(problems.make("tall")[0], Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0.0}, "'alpha' parameter of .* Got 0.0"),
        ({"n_components": -1}, "'n_components' parameter of .* Got -1"),
        ({"n_components": 1.5}, "'n_components' parameter of .* Got 1.5"),
        ({"loss": "log"}, "'loss' parameter of .* Got 'log'"),
        ({"init": "zero"}, "'init' parameter of .* Got 'zero'"),
        ({"tol": -1.0}, "'tol' parameter of .* Got -1.0"),
        ({"max_iter": 0}, "'max_iter' parameter of .* Got 0"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        ASOClassifier(**params).fit(*problems.make("tall"))


def test_more_labels_than_rows():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 6)), rng.integers(0, 2, size=(20, 40))
    assert ASOClassifier(0.1, 3).fit(X, Y).predict(X).shape == (20, 40)


def test_duplicate_and_constant_features_do_no_harm():
    X, Y = noisy("tall")
    more = np.column_stack([X, X[:, :2], np.full(len(X), 7.0)])
    model = ASOClassifier(0.05, 2, loss="squared_hinge").fit(more, Y)
    assert np.all(np.isfinite(model.coef_))
    assert_allclose(model.coef_[:, 12:14], model.coef_[:, :2], atol=1e-8)
    assert_allclose(model.coef_[:, 14], 0, atol=1e-12)


def test_no_convergence_is_said_once():
    X, Y = noisy("tall")
    message = r"max_iter=2 rounds.*share of .*tol=1e-09; a larger max_iter"
    with pytest.warns(ConvergenceWarning, match=message) as record:
        ASOClassifier(0.05, 2, tol=1e-9, max_iter=2).fit(X, Y)
    assert len(record) == 1
    assert record[0].filename == __file__


def test_fits_repeat_and_arguments_are_not_changed():
    X, Y = noisy("tall")
    before = X.copy(), Y.copy()
    models = [
        ASOClassifier(0.05, 2, init="random", random_state=seed).fit(X, Y) for seed in (0, 0, 1)
    ]
    assert_array_equal(X, before[0])
    assert_array_equal(Y, before[1])
    assert_array_equal(models[0].coef_, models[1].coef_)
    assert models[0].objective_[0] != models[2].objective_[0]


def test_not_fitted():
    for call in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(ASOClassifier(), call)(problems.make("tall")[0])


@parametrize_with_checks([ASOClassifier(), *(ASOClassifier(loss=loss) for loss in LOSSES[1:])])
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
