"""RankSVM against sums over pairs, direct solvers, and the machines it becomes in special cases."""

import tracemalloc
import warnings

import checks
import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from bad_input import BAD_X, BAD_Y, DATA_FORMS, LABEL_FORMS
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import colabel
from colabel import RankSVM
from colabel.classifiers.rank_svm.loss import Pairs, hinge, smoothed_hinge, squared_hinge
from colabel.classifiers.rank_svm.problem import best_thresholds

pytest.importorskip("pandas")
pytest.importorskip("polars")

LOSSES = ["hinge", "squared_hinge"]
CONTAINERS = [np.asarray, sp.csr_array, sp.csc_array, colabel.factor]

PHI = {
    "hinge": lambda m: (max(0.0, 1 - m), -float(m < 1)),
    "squared_hinge": lambda m: (max(0.0, 1 - m) ** 2, -2 * max(0.0, 1 - m)),
}


def huber(width):
    """The hinge with its corner rounded by a parabola between the margins 1 ± width/2."""

    def phi(m):
        if m > 1 + width / 2:
            return 0.0, 0.0
        if m < 1 - width / 2:
            return 1 - m, -1.0
        return (1 + width / 2 - m) ** 2 / (2 * width), -(1 + width / 2 - m) / width

    return phi


def pairwise(F, Y, C, phi):
    """The loss and its gradient, pair by pair."""
    value, gradient = 0.0, np.zeros(F.shape)
    for i, (f, y) in enumerate(zip(F, Y, strict=True)):
        relevant, irrelevant = np.flatnonzero(y), np.flatnonzero(1 - y)
        for k in relevant:
            for other in irrelevant:
                weight = C / (len(relevant) * len(irrelevant))
                loss, slope = phi(f[k] - f[other])
                value += weight * loss
                gradient[i, k] += weight * slope
                gradient[i, other] -= weight * slope
    return value, gradient


def random_labels(rng, n, q):
    """Label sets of all sizes: also none, and all."""
    Y = (rng.uniform(size=(n, q)) < rng.uniform(size=(n, 1))).astype(int)
    Y[0], Y[1] = 0, 1
    return Y


def score_sets():
    rng = np.random.default_rng(0)
    yield "normal", rng.normal(size=(30, 8))
    yield "far from zero", rng.normal(size=(30, 8)) + 1e4 * rng.normal(size=(30, 1))
    yield "large", 100 * rng.normal(size=(30, 8))
    yield "ties", rng.integers(-2, 3, size=(30, 8)).astype(float)
    yield "zero", np.zeros((30, 8))


SCORES = dict(score_sets())


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("loss", LOSSES)
def test_loss_and_gradient_are_the_sums_over_pairs(loss, kind):
    F = SCORES[kind]
    Y = random_labels(np.random.default_rng(1), *F.shape)
    found = {"hinge": hinge, "squared_hinge": squared_hinge}[loss](Pairs.of(Y, 2.5), F)
    value, gradient = found if loss == "hinge" else (found.value, found.gradient)
    expected, slopes = pairwise(F, Y, 2.5, PHI[loss])
    assert_allclose(value, expected, rtol=1e-10, atol=1e-10)
    if loss == "squared_hinge" or kind != "ties":  # at a corner any slope in between is one
        assert_allclose(gradient, slopes, rtol=1e-10, atol=1e-10)
    assert_array_equal(gradient[:2], 0)


@pytest.mark.parametrize("width", [1.0, 0.1, 1e-3])
def test_the_smoothed_hinge_is_the_sum_over_pairs_and_close_to_the_hinge(width):
    F = SCORES["normal"]
    Y = random_labels(np.random.default_rng(1), *F.shape)
    pairs = Pairs.of(Y, 2.5)
    found = smoothed_hinge(pairs, F, width)
    value, gradient = pairwise(F, Y, 2.5, huber(width))
    assert_allclose(found.value, value, rtol=1e-10)
    assert_allclose(found.gradient, gradient, atol=1e-10)
    rows = np.count_nonzero(pairs.weights)
    above = found.value - hinge(pairs, F)[0]
    assert -1e-10 < above <= 2.5 * rows * width / 8  # digits are lost to 1/width


@pytest.mark.parametrize("loss", ["squared", "smoothed"])
def test_the_curvature_is_the_change_of_the_gradient(loss):
    rng = np.random.default_rng(0)
    F, D = SCORES["normal"], rng.normal(size=(30, 8))
    pairs = Pairs.of(random_labels(rng, 30, 8), 1.5)

    def point(F):
        return squared_hinge(pairs, F) if loss == "squared" else smoothed_hinge(pairs, F, 0.5)

    step = 1e-7
    difference = (point(F + step * D).gradient - point(F - step * D).gradient) / (2 * step)
    assert_allclose(point(F).curvature(D), difference, atol=1e-6)


def objective(X, Y, C, loss, W, b):
    return 0.5 * np.sum(W**2) + pairwise(X @ W + b, Y, C, PHI[loss])[0]


def smooth_optimum(X, Y, C):
    """The least objective for the squared hinge, by BFGS on sums over pairs."""
    d, q = X.shape[1], Y.shape[1]

    def value_and_gradient(flat):
        W, b = flat[: d * q].reshape(d, q), flat[d * q :]
        value, G = pairwise(X @ W + b, Y, C, PHI["squared_hinge"])
        return value + 0.5 * np.sum(W**2), np.concatenate([(X.T @ G + W).ravel(), G.sum(axis=0)])

    start = np.zeros((d + 1) * q)
    return minimize(value_and_gradient, start, jac=True, method="BFGS", options={"gtol": 1e-8}).fun


def quadratic_program_optimum(X, Y, C):
    """The least objective for the hinge: a quadratic program with one slack a pair."""
    d, q = X.shape[1], Y.shape[1]
    rows, weights = [], []
    for x, y in zip(X, Y, strict=True):
        relevant, irrelevant = np.flatnonzero(y), np.flatnonzero(1 - y)
        for k in relevant:
            for other in irrelevant:
                margin = np.zeros((d + 1, q))
                margin[:, k] += np.append(x, 1)
                margin[:, other] -= np.append(x, 1)
                rows.append(margin.ravel())
                weights.append(C / (len(relevant) * len(irrelevant)))
    weights, size = np.array(weights), (d + 1) * q
    margins = np.hstack([np.array(rows), np.eye(len(rows))])
    penalised = np.append(np.repeat(np.arange(d + 1) < d, q), np.zeros(len(rows), bool))

    def value(z):
        return 0.5 * np.sum(z[penalised] ** 2) + weights @ z[size:]

    def gradient(z):
        return np.where(penalised, z, 0) + np.append(np.zeros(size), weights)

    found = minimize(
        value,
        np.append(np.zeros(size), np.ones(len(rows))),
        jac=gradient,
        method="SLSQP",
        bounds=[(None, None)] * size + [(0, None)] * len(rows),
        constraints={"type": "ineq", "fun": lambda z: margins @ z - 1, "jac": lambda z: margins},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert np.all(margins @ found.x >= 1 - 1e-8)
    return found.fun


def small_problem(seed, n=14, d=3, q=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 1.0
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0.5).astype(int)
    Y[0], Y[1] = 0, 1
    return X, Y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_the_direct_solvers(loss, C, seed):
    X, Y = small_problem(seed)
    optimum = (quadratic_program_optimum if loss == "hinge" else smooth_optimum)(X, Y, C)
    model = RankSVM(C, loss=loss, threshold="zero", tol=1e-7, max_iter=2000).fit(X, Y)
    found = objective(X, Y, C, loss, model.coef_.T, model.intercept_)
    assert_allclose(found, optimum, rtol=1e-6)
    assert_allclose(model.objective_, found, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_tol_bounds_the_error_of_the_objective(loss):
    X, Y = problems.make("tall")
    best = RankSVM(5.0, loss=loss, tol=1e-7).fit(X, Y).objective_ * (1 - 1e-7)
    for tol in (1e-2, 1e-3, 1e-5):
        assert best <= RankSVM(5.0, loss=loss, tol=tol).fit(X, Y).objective_ <= best * (1 + tol)


@pytest.mark.parametrize("kind", ["tall", "wide", "rank-deficient tall", "rank-deficient wide"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_linear_kernel_is_the_primal(loss, kind):
    X, Y = problems.make(kind, condition=4.0)
    exact = {"tol": 1e-7 if loss == "hinge" else 1e-12, "max_iter": 2000}
    limit = 1e-2 if loss == "hinge" else 1e-5
    primal = RankSVM(loss=loss, **exact).fit(X, Y)
    for settings in ({"kernel": "linear"}, {"kernel": "poly", "degree": 1, "gamma": 1, "coef0": 3}):
        dual = RankSVM(loss=loss, **settings, **exact).fit(X, Y)
        assert_allclose(dual.objective_, primal.objective_, rtol=1e-6)
        assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=limit)
    given = RankSVM(loss=loss, kernel="precomputed", **exact).fit(X @ X.T, Y)
    assert_allclose(given.decision_function(X @ X.T), primal.decision_function(X), atol=limit)


def test_a_polynomial_kernel_is_its_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = np.column_stack([X[:, 0] * X[:, 1] > 0, X[:, 0] > 0, np.sum(X**2, axis=1) > 1]).astype(int)
    a, b = X.T
    features = np.column_stack([a * a, b * b, np.sqrt(2) * a * b, np.sqrt(2) * a, np.sqrt(2) * b])
    primal = RankSVM(3.0, tol=1e-12).fit(features, Y)
    kernel = RankSVM(3.0, kernel="poly", degree=2, gamma=1.0, coef0=1.0, tol=1e-12)
    for given in (X, sp.csr_array(X)):
        assert_allclose(
            kernel.fit(given, Y).decision_function(given),
            primal.decision_function(features),
            atol=1e-5,
        )
    assert_array_equal(kernel.predict(X), primal.predict(features))


def test_a_kernel_may_be_a_function():
    X, Y = small_problem(0)
    named = RankSVM(kernel="rbf", gamma=0.5, tol=1e-10).fit(X, Y)
    own = RankSVM(kernel=lambda a, b: np.exp(-0.5 * np.sum((a - b) ** 2)), tol=1e-10).fit(X, Y)
    assert_allclose(own.decision_function(X + 0.1), named.decision_function(X + 0.1), atol=1e-6)


def test_kernels_that_cannot_be_used_say_so():
    X, Y = small_problem(0)
    with pytest.warns(UserWarning, match=r"not positive semi-definite.*smallest eigenvalue is -"):
        RankSVM(kernel="precomputed").fit(X @ X.T - np.eye(len(X)), Y)
    with pytest.raises(ValueError, match=r"needs the rows themselves.*FactoredMatrix"):
        RankSVM(kernel="rbf").fit(colabel.factor(X), Y)
    with pytest.raises(ValueError, match="recomputed"):
        RankSVM(kernel="precomputed").fit(X, Y)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_two_classes_are_a_support_vector_machine(C):
    """With w₁ = −w₀ = w/2 the penalty is ¼‖w‖²."""
    X, Y = problems.make("tall", condition=4.0)
    svm = SVC(kernel="linear", C=2 * C, tol=1e-10).fit(X, Y[:, 0])
    for y in (Y[:, 0], Y[:, :1]):
        model = RankSVM(C, loss="hinge", tol=1e-8, max_iter=2000).fit(X, y)
        assert_allclose(model.coef_, svm.coef_, atol=1e-3)
        assert_allclose(model.decision_function(X).ravel(), svm.decision_function(X), atol=1e-2)
        assert_array_equal(model.predict(X).ravel(), svm.predict(X))


def test_instances_with_all_labels_or_none_do_not_count():
    X, Y = problems.make("tall")
    rng = np.random.default_rng(0)
    more = np.vstack([X, 3 * rng.normal(size=(20, X.shape[1]))])
    labels = np.vstack([Y, np.zeros((10, 5), int), np.ones((10, 5), int)])
    for loss in LOSSES:
        params = {"loss": loss, "threshold": "zero", "tol": 1e-7, "max_iter": 1000}
        plain = RankSVM(**params).fit(X[Y.any(axis=1) & ~Y.all(axis=1)], Y[Y.any(1) & ~Y.all(1)])
        model = RankSVM(**params).fit(more, labels)
        assert_allclose(model.objective_, plain.objective_, rtol=1e-6)
        assert_allclose(model.coef_, plain.coef_, atol=1e-2 if loss == "hinge" else 1e-3)


def test_ranking_scores_sum_to_zero():
    X, Y = problems.make("tall")
    model = RankSVM(threshold="zero").fit(X, Y)
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    assert_allclose(model.intercept_.sum(), 0, atol=1e-10)
    cut = RankSVM().fit(X, Y).decision_function(X)
    assert_allclose(cut - cut.mean(axis=1, keepdims=True), model.decision_function(X), atol=1e-10)


def best_cut(f, y):
    """The middle of the best interval, trying all."""
    ranked = np.sort(f)[::-1]
    edges = [ranked[0] + 1, *ranked, ranked[-1] - 1]
    cuts = [(edges[j] + edges[j + 1]) / 2 for j in range(len(f) + 1)]
    errors = [np.sum(y & (f <= t)) + np.sum(~y & (f >= t)) for t in cuts]
    best = [j for j, e in enumerate(errors) if e == min(errors)]
    return min(errors), cuts[min(best, key=lambda j: (abs(j - y.sum()), j))]


def test_thresholds_are_the_best_cuts():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(200, 6))
    Y = random_labels(rng, 200, 6) > 0
    found = best_thresholds(F, Y)
    for f, y, t in zip(F, Y, found, strict=True):
        errors, expected = best_cut(f, y)
        assert t == pytest.approx(expected)
        assert np.sum((f > t) != y) == errors


def test_the_threshold_is_regressed_on_the_scores():
    X, Y = problems.make("tall")
    scores = RankSVM(threshold="zero").fit(X, Y).decision_function(X)
    design = np.column_stack([scores, np.ones(len(X))])
    fitted = design @ np.linalg.pinv(design) @ best_thresholds(scores, Y > 0)
    model = RankSVM().fit(X, Y)
    assert_allclose(model.decision_function(X), scores - fitted[:, None], atol=1e-8)
    assert_allclose(scores @ model.threshold_coef_ + model.threshold_intercept_, fitted, atol=1e-8)
    assert_array_equal(model.predict(X), scores > fitted[:, None])


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_ranks_follow_the_scores(kernel):
    X, Y = problems.make("tall")
    model = RankSVM(kernel=kernel).fit(X, Y)
    ranks = model.predict_ranking(X)
    assert_array_equal(np.sort(ranks, axis=1), np.tile(np.arange(1, 6), (len(X), 1)))
    scores = model.decision_function(X)
    assert np.all(np.diff(np.take_along_axis(scores, np.argsort(ranks, axis=1), axis=1)) <= 0)
    classes = RankSVM(kernel=kernel).fit(X, Y[:, 0]).predict_ranking(X)
    assert_array_equal(classes[:, 1] == 1, RankSVM(kernel=kernel).fit(X, Y[:, 0]).predict(X) == 1)


def test_more_classes_than_two_are_told_apart_by_the_highest_score():
    X, _ = problems.make("tall")
    y = np.array(["cat", "dog", "emu"])[np.argmax((X @ X.T)[:, :3], axis=1)]
    model = RankSVM(C=10).fit(X, y)
    assert list(model.classes_) == sorted(set(y))
    assert_array_equal(model.predict(X), model.classes_[np.argmin(model.predict_ranking(X), 1)])
    assert np.mean(model.predict(X) == y) > 0.9


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_containers(kind, container):
    X, Y = problems.sparse_counts(kind)
    dense = RankSVM(tol=1e-10).fit(X, Y)
    given = container(X)
    model = RankSVM(tol=1e-10).fit(given, Y)
    assert_allclose(model.decision_function(given), dense.decision_function(X), atol=1e-4)
    rows = np.arange(len(X)) % 3 != 0
    if container is colabel.factor:
        part = RankSVM(tol=1e-10).fit(given[rows], Y[rows]).decision_function(given[~rows])
        plain = RankSVM(tol=1e-10).fit(X[rows], Y[rows]).decision_function(X[~rows])
        assert_allclose(part, plain, atol=1e-4)


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("form", DATA_FORMS)
def test_forms_of_data(form, kernel):
    X, Y = problems.make("tall", condition=4.0)
    given = DATA_FORMS[form](X)
    model = RankSVM(kernel=kernel, tol=1e-8).fit(given, Y)
    expected = RankSVM(kernel=kernel, tol=1e-8).fit(X, Y).decision_function(X)
    assert_allclose(model.decision_function(given), expected, atol=1e-3)


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_forms_of_labels(form):
    X, Y = problems.make("tall")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RankSVM().fit(X, LABEL_FORMS[form](Y))
    assert_allclose(model.coef_, RankSVM().fit(X, Y).coef_)


@pytest.mark.parametrize("bad", [bad for bad in BAD_X if bad != "constant"])
def test_bad_x(bad):
    X, message = BAD_X[bad]
    with pytest.raises(ValueError, match=message):
        RankSVM().fit(X, problems.make("tall")[1][: X.shape[0]])


@pytest.mark.parametrize("bad", [bad for bad in BAD_Y if bad != "all labels empty"])
def test_bad_y(bad):
    Y, message = BAD_Y[bad]
    with pytest.raises(ValueError, match=message):
        RankSVM().fit(problems.make("tall")[0], Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0.0}, "'C' parameter of .* Got 0.0"),
        ({"C": -1}, "'C' parameter of .* Got -1"),
        ({"loss": "log"}, "'loss' parameter of .* Got 'log'"),
        ({"threshold": "best"}, "'threshold' parameter of .* Got 'best'"),
        ({"kernel": "magic"}, "'kernel' parameter of .* Got 'magic'"),
        ({"gamma": -1.0}, "'gamma' parameter of .* Got -1.0"),
        ({"tol": -1.0}, "'tol' parameter of .* Got -1.0"),
        ({"max_iter": 0}, "'max_iter' parameter of .* Got 0"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        RankSVM(**params).fit(*problems.make("tall"))


def test_constant_features_give_constant_scores():
    X, Y = problems.make("tall")
    scores = RankSVM().fit(np.ones_like(X), Y).decision_function(X)
    assert_allclose(scores, scores[:1].repeat(len(X), axis=0), atol=1e-10)


def test_constant_labels_are_predicted_constant_and_named_and_ranked_last_and_first():
    X, Y = problems.make("tall")
    more = pd.DataFrame(Y, columns=list("abcde")).assign(never=0, always=1)
    with pytest.warns(UserWarning, match="2 of 7 labels.*constant: never, always") as record:
        model = RankSVM().fit(X, more)
    assert len(record) == 1
    predicted = model.predict(X)
    assert not predicted[:, 5].any()
    assert predicted[:, 6].all()
    assert_allclose(model.decision_function(X)[:, :5], RankSVM().fit(X, Y).decision_function(X))
    ranks = model.predict_ranking(X)
    assert np.all(ranks[:, 5] == 7)
    assert np.all(ranks[:, 6] == 1)


def test_one_label_is_learnt_and_none_is_predicted_constant():
    X, Y = problems.make("tall")
    model = RankSVM(10.0).fit(X, Y[:, :1])
    assert model.predict(X).shape == (60, 1)
    assert np.mean(model.predict(X) == Y[:, :1]) > 0.8
    with pytest.warns(UserWarning, match="5 of 5 labels"):
        assert not RankSVM().fit(X, np.zeros_like(Y)).predict(X).any()


def test_without_any_pair_it_says_so_and_predicts_one_set():
    X, Y = problems.make("tall")
    same = np.tile(Y[:, :1], (1, 3))
    with pytest.warns(UserWarning, match="nothing to rank"):
        predicted = RankSVM().fit(X, same).predict(X)
    assert_array_equal(predicted, predicted[:1].repeat(60, axis=0))


def test_more_labels_than_rows():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 6)), rng.integers(0, 2, size=(20, 40))
    assert RankSVM().fit(X, Y).predict(X).shape == (20, 40)


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("loss", LOSSES)
def test_float32_stays_float32(loss, kernel):
    X, Y = problems.make("tall", condition=4.0)
    exact = RankSVM(loss=loss, kernel=kernel, tol=1e-5).fit(X, Y)
    model = RankSVM(loss=loss, kernel=kernel, tol=1e-5).fit(X.astype(np.float32), Y)
    scores = model.decision_function(X.astype(np.float32))
    assert scores.dtype == model.intercept_.dtype == np.float32
    assert_allclose(model.objective_, exact.objective_, rtol=1e-4)
    assert_allclose(scores, exact.decision_function(X), atol=2e-2)


def test_no_convergence_is_said_once():
    X, Y = problems.make("tall")
    message = r"max_iter=2 Newton steps .*more than tol=1e-08; a larger max_iter"
    with pytest.warns(ConvergenceWarning, match=message) as record:
        RankSVM(C=100, tol=1e-8, max_iter=2).fit(X, Y)
    assert len(record) == 1
    assert record[0].filename == __file__


def test_no_array_of_all_pairs_is_made():
    rng = np.random.default_rng(0)
    X, Y = sp.random_array((100, 500), density=0.02, rng=rng), rng.integers(0, 2, size=(100, 1000))
    tracemalloc.start()
    RankSVM(tol=0.1).fit(sp.csr_array(X), Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 100 * 1000**2 / 10  # a tenth of one number for each pair


def test_arguments_are_not_changed_and_fits_repeat():
    X, Y = problems.make("tall")
    before = X.copy(), Y.copy()
    first, second = RankSVM(loss="hinge").fit(X, Y), RankSVM(loss="hinge").fit(X, Y)
    assert_array_equal(X, before[0])
    assert_array_equal(Y, before[1])
    assert_array_equal(first.coef_, second.coef_)


def test_not_fitted():
    X, _ = problems.make("tall")
    for kernel in (None, "rbf"):
        for call in ("predict", "decision_function", "predict_ranking"):
            with pytest.raises(NotFittedError):
                getattr(RankSVM(kernel=kernel), call)(X)


@parametrize_with_checks(
    [
        RankSVM(),
        RankSVM(loss="hinge"),
        RankSVM(threshold="zero"),
        RankSVM(kernel="rbf"),
        RankSVM(kernel="precomputed"),
    ]
)
# one check gives random numbers for a kernel matrix
@pytest.mark.filterwarnings("ignore:the kernel is not positive semi-definite")
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
