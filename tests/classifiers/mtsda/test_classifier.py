"""MtSDA against its problem, a plain transcription of it, its theorem and its special cases."""

import itertools
import tracemalloc
import warnings

import checks
import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from bad_input import BAD_Y, DATA_FORMS, LABEL_FORMS
from elastic_nets import dense, direct, equicorrelation, kkt_residual
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from spans import sine

import colabel
from colabel import MtSDA, ThresholdTuner
from colabel.classifiers.mtsda.elastic_net import Penalty, elastic_net
from colabel.classifiers.mtsda.optimal_scoring import LabelRange, label_margins
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData
from colabel.metrics import f1

CONTAINERS = [np.asarray, sp.csr_array, sp.csc_array, colabel.factor]
KINDS = ["tall", "wide", "collinear", "duplicate", "more labels than rows"]


def data(kind):
    """X and Y of a kind; the labels of some are linearly dependent."""
    if kind == "collinear":
        X, Y = problems.make("tall")
        return X, np.column_stack([Y[:, :4], Y[:, 0] * (1 - Y[:, 1]), Y[:, 0] * Y[:, 1], Y[:, 4]])
    if kind == "duplicate":
        X, Y = problems.make("wide")
        return X, np.column_stack([Y, Y[:, :2], 1 - Y[:, 2]])
    if kind == "more labels than rows":
        X = problems.make("wide")[0][:12]
        rng = np.random.default_rng(0)
        Y = (X @ rng.normal(size=(50, 20)) + rng.normal(size=(12, 20)) > 0.5).astype(int)
        Y = Y[:, (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < 12)]
        assert Y.shape[1] > 12  # to be sure
        return X, Y
    return problems.make(kind)


def objective(X, Y, B, Theta, l1, l2, rho):
    Omega = equicorrelation(X.shape[1], rho)
    fit = np.sum((Y @ Theta - X @ B) ** 2) / len(X)
    return fit + l2 * np.trace(B.T @ Omega @ B) + l1 * np.abs(B).sum()


def directions(model):
    """B, the coefficients of standardised features."""
    return (model.components_ * model.scale_).T


def alternation(X, Y, start, l1, l2, rho, rounds):
    """The problem as METHODS has it: dense, one lasso a task, Θ by the pseudo-inverse of Y."""
    n = len(X)
    Q = linalg.orth(Y.astype(float))
    targets, values = start, []
    for _ in range(rounds):
        centred = targets - targets.mean(axis=0)
        B = np.column_stack([direct(X, y, l1, l2, rho) for y in centred.T])
        values.append(objective(X, Y, B, linalg.pinv(Y) @ targets, l1, l2, rho))
        U, _, Vt = linalg.svd(Q.T @ X @ B, full_matrices=False)
        targets = np.sqrt(n) * Q @ U @ Vt
    return np.array(values)


# --- the problem ------------------------------------------------------------------------------


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("rho", [-0.01, 0.0, 0.5])
@pytest.mark.parametrize("kind", KINDS)
def test_constraint_descent_and_optimal_directions(kind, rho, container):
    X, Y = data(kind)
    n, l1, l2 = len(X), 0.1, 0.05
    model = MtSDA(l1, l2, rho, tol=1e-4).fit(container(X), Y)
    Xs, Theta, B = dense(X), model.scores_, directions(model)
    rank = np.linalg.matrix_rank(Y)
    assert model.n_components_ == rank
    assert_allclose((Y @ Theta).T @ (Y @ Theta) / n, np.eye(rank), atol=1e-10)
    assert np.all(np.diff(model.objective_) <= 1e-12 * model.objective_[0])
    assert_allclose(model.objective_[-1], objective(Xs, Y, B, Theta, l1, l2, rho), rtol=1e-9)
    for y, b in zip((Y @ Theta).T, B.T, strict=True):
        assert kkt_residual(Xs, y - y.mean(), b, l1, l2, rho) < 2e-6


@pytest.mark.parametrize("kind", ["tall", "duplicate"])
@pytest.mark.parametrize("rho", [0.0, 0.4])
def test_rounds_are_those_of_the_transcription(kind, rho):
    X, Y = data(kind)
    Xs, l1, l2 = dense(X), 0.2, 0.1
    space = LabelRange.of(Y.astype(float))
    start = space.targets(space.find_leading(standardise(CentredData(as_matrix(X))).X, space.rank))
    expected = alternation(Xs, Y, start, l1, l2, rho, rounds=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MtSDA(l1, l2, rho, max_iter=6, tol=0).fit(X, Y)
    assert_allclose(model.objective_, expected, rtol=1e-7)


def test_the_step_that_the_paper_prints_breaks_both():
    """Eq. 9 takes the singular vectors of XB, which are not in the range of Y, back by Y⁺."""
    X, Y = data("collinear")
    Xs, n = dense(X), len(X)
    Q = linalg.orth(Y.astype(float))
    Theta = np.sqrt(n) * linalg.pinv(Y) @ Q
    worst, values = 0.0, []
    for _ in range(10):
        B = np.column_stack([direct(Xs, y - y.mean(), 0.1, 0.05, 0.0) for y in (Y @ Theta).T])
        values.append(objective(Xs, Y, B, Theta, 0.1, 0.05, 0.0))
        U, _, Vt = linalg.svd(Xs @ B / np.sqrt(n), full_matrices=False)
        Theta = np.sqrt(n) * linalg.pinv(Y) @ U @ Vt
        values.append(objective(Xs, Y, B, Theta, 0.1, 0.05, 0.0))
        worst = max(worst, np.abs((Y @ Theta).T @ (Y @ Theta) / n - np.eye(Q.shape[1])).max())
    assert worst > 0.1
    assert np.diff(values).max() > 0.01


@pytest.mark.parametrize("k", [1, 2, 4])
def test_without_l1_it_finds_the_closed_form(k):
    """Σ(1 − λᵢ) over the k largest eigenvalues of QᵀX(XᵀX/n + λ₂Ω)⁻¹XᵀQ/n."""
    for kind, rho in itertools.product(["tall", "wide", "duplicate"], [-0.01, 0.0, 0.6]):
        X, Y = data(kind)
        Xs, n = dense(X), len(X)
        Q = linalg.orth(Y.astype(float))
        H = Xs.T @ Xs / n + 0.2 * equicorrelation(Xs.shape[1], rho)
        explained = linalg.eigvalsh(Q.T @ Xs @ linalg.solve(H, Xs.T @ Q) / n)[::-1]
        model = MtSDA(0.0, 0.2, rho, n_components=k, tol=1e-13, max_iter=5000).fit(X, Y)
        assert model.objective_[-1] == pytest.approx(k - explained[:k].sum(), rel=1e-8)


@pytest.mark.parametrize("rho", [-0.015, 0.0, 0.5, 0.9])
def test_grouping(rho):
    """Theorem 1: equal signs mean a distance of at most √(2n(1 − r))/(λ₂(1 − ρ)), over ‖Yθ‖.

    The paper's λ₂ stands beside a loss that is not divided by n, and is n times ours. It prints the
    bound without √n, though ‖X₁ − X₂‖² is n(2 − 2r) for predictors of variance 1: so it is broken.
    """
    checked, worst = 0, 0.0
    for seed in range(12):
        X, Y = problems.make("tall", seed=seed) if seed % 2 else problems.make("wide", seed=seed)
        X = np.column_stack(
            [X, X[:, :5] + 0.1 * np.random.default_rng(seed).normal(size=(len(X), 5))]
        )
        Xs, l2 = dense(X), 0.05
        model = MtSDA(0.05, l2, rho, tol=1e-4).fit(X, Y)
        B, norms = directions(model), np.linalg.norm(Y @ model.scores_, axis=0)
        n = len(X)
        printed = np.sqrt(np.maximum(2 - 2 * Xs.T @ Xs / n, 0)) / (n * l2 * (1 - rho))
        bound = np.sqrt(n) * printed
        for b, norm in zip(B.T, norms, strict=True):
            same = (np.sign(b)[:, None] == np.sign(b)) & (b != 0)[:, None]
            distance = np.abs(b[:, None] - b) / norm
            assert np.all(distance[same] <= bound[same] + 1e-7)
            np.fill_diagonal(same, False)
            worst = max(worst, np.max(distance[same] / printed[same], initial=0.0))
            checked += same.sum()
    assert checked > 1000  # to be sure
    assert worst > 1.0 or rho == 0.9  # near 1 no coefficients come near the bound


def test_on_one_hot_labels_the_span_is_that_of_lda():
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    for l1 in (0.0, 1e-8):
        model = MtSDA(l1, 1e-9, tol=1e-12).fit(X, np.eye(3, dtype=int)[y])
        assert np.abs(model.components_[2]).max() < 1e-6  # the constant combination of labels
        assert sine(model.components_[:2].T, lda.scalings_[:, :2]) < 1e-5


def test_iris_as_in_r():
    """R's sparseLDA on iris with λ₂ = 1e-6 stops its path where three features are in a direction.

    Its first direction is that of MtSDA with one component, at the λ₁ of that stop. The others it
    finds one by one, each with scores orthogonal to those before and with a λ₁ of its own; so with
    Θ held there, ours is its second direction as well. MtSDA itself finds all directions together
    with one λ₁. B and Θ may then be rotated into directions with fewer features, and the joint
    objective is lower than with those found one by one.
    """
    first, second = (0, 1.79979, -6.01519, -5.16260), (1.05406, -5.44321, 0, -3.87079)
    X, y = load_iris(return_X_y=True)
    X, Y = StandardScaler().fit_transform(X), np.eye(3, dtype=int)[y]
    design = standardise(CentredData(as_matrix(X))).X
    exact = {"l2": 1e-6, "tol": 1e-13, "max_iter": 5000}
    unit = np.sqrt(150)  # columns have this length here and 1 there

    model = MtSDA(l1=0.246994 / unit, n_components=1, **exact).fit(X, Y)
    B = model.components_[0]
    assert_array_equal(np.flatnonzero(B), [1, 2, 3])
    assert_allclose(B / np.linalg.norm(B), -np.array(first) / np.linalg.norm(first), atol=2e-6)

    counts = Y.mean(axis=0)
    before = np.column_stack([np.ones(3), model.scores_[:, 0]])
    theta = linalg.null_space(before.T * counts)
    theta /= np.sqrt(counts @ theta**2)
    b, _ = elastic_net(design, Y @ theta, Penalty(0.481399 / unit, 1e-6))
    assert_array_equal(np.flatnonzero(b), [0, 1, 3])
    b *= np.sign(b[0])
    assert_allclose(b[:, 0] / np.linalg.norm(b), second / np.linalg.norm(second), atol=2e-6)

    l1 = 0.481399 / unit
    one_by_one = np.column_stack([model.scores_[:, 0], theta[:, 0]])
    B, _ = elastic_net(design, Y @ one_by_one, Penalty(l1, 1e-6))
    joint = MtSDA(l1=l1, n_components=2, **exact).fit(X, Y)
    assert joint.objective_[-1] < objective(X, Y, B, one_by_one, l1, 1e-6, 0.0) - 0.01
    assert joint.n_nonzero_.sum() < np.count_nonzero(B)


# --- invariances ------------------------------------------------------------------------------


def test_units_and_orders_do_not_matter():
    X, Y = data("tall")
    rng = np.random.default_rng(0)
    expected = MtSDA().fit(X, Y)
    scores = expected.decision_function(X)
    scaled = X * np.geomspace(1e-3, 1e5, X.shape[1]) - 7.0
    assert_allclose(MtSDA().fit(scaled, Y).decision_function(scaled), scores, atol=1e-6)
    rows, columns, labels = (rng.permutation(size) for size in (*X.shape, Y.shape[1]))
    model = MtSDA().fit(X[rows][:, columns], Y[rows][:, labels])
    assert_allclose(model.objective_, expected.objective_, rtol=1e-6)
    assert_allclose(model.decision_function(X[:, columns]), scores[:, labels], atol=1e-4)


@pytest.mark.parametrize("kind", ["tall", "wide", "duplicate"])
def test_dense_is_sparse_is_factored(kind):
    X, Y = data(kind)
    expected = MtSDA(rho=0.2).fit(X, Y)
    for container in CONTAINERS[1:]:
        for labels in (Y, sp.csr_array(Y)):
            model = MtSDA(rho=0.2).fit(container(X), labels)
            assert_allclose(model.components_, expected.components_, atol=1e-6)
            assert_allclose(model.intercept_, expected.intercept_, atol=1e-6)


def test_features_that_are_constant_or_repeated():
    X, Y = data("tall")
    more = np.column_stack([X, np.full(len(X), 3.0), X[:, 0], np.zeros(len(X))])
    for container in (np.asarray, sp.csr_array):
        model = MtSDA(rho=0.5).fit(container(more), Y)
        assert not model.components_[:, [-3, -1]].any()
        assert_allclose(model.components_[:, 0], model.components_[:, -2], atol=1e-6)


def test_no_feature_varies():
    _, Y = data("tall")
    model = MtSDA().fit(np.ones((60, 4)), Y)
    assert not model.coef_.any()
    assert len(model.selected_features_) == 0
    assert_array_equal(model.predict(np.ones((2, 4)))[0], model.predict(np.zeros((2, 4)))[1])


# --- attributes and prediction ----------------------------------------------------------------


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_the_formula(kind, standardize):
    X, Y = data(kind)
    model = MtSDA(0.05, 0.1, standardize=standardize, tol=1e-4).fit(X, Y)
    Xs = X - X.mean(axis=0)
    if standardize:
        Xs = Xs / X.std(axis=0)
    B = directions(model)
    expected = Xs @ B @ linalg.pinv(model.scores_) + Y.mean(axis=0)
    assert_allclose(model.decision_function(X) + model.threshold_, expected, atol=1e-8)
    assert_allclose(model.transform(X), Xs @ B, atol=1e-9)
    assert_allclose(model.transform(X), (X - model.mean_) @ model.components_.T, atol=1e-9)
    assert_array_equal(model.predict(X), expected > model.threshold_)
    assert_array_equal(model.n_nonzero_, np.count_nonzero(B, axis=0))
    assert_array_equal(model.selected_features_, np.flatnonzero(B.any(axis=1)))
    assert model.n_iter_ == len(model.objective_)


def test_the_threshold_has_the_best_micro_f1_on_training_rows():
    X, Y = data("tall")
    model = MtSDA().fit(X, Y)
    scores = model.decision_function(X) + model.threshold_
    best = max(f1(Y, scores > cut, average="micro") for cut in np.unique(scores))
    assert f1(Y, model.predict(X), average="micro") >= best


def test_directions_come_in_order_of_what_they_explain_and_largest_positive():
    X, Y = data("wide")
    model = MtSDA().fit(X, Y)
    explained = np.sum((Y @ model.scores_) * model.transform(X), axis=0)
    assert np.all(np.diff(explained) <= 0)
    B = directions(model)
    assert np.all(B.max(axis=0) >= -B.min(axis=0))


@pytest.mark.parametrize("q", [1, 2, 5, 8])
def test_exact_decoding_is_the_closest_of_all_sets(q):
    rng = np.random.default_rng(q)
    Theta, Z = rng.normal(size=(q, 3)), 2 * rng.normal(size=(40, 3))
    sets = np.array(list(itertools.product([0, 1], repeat=q)))
    distances = ((sets @ Theta - Z[:, None]) ** 2).sum(axis=2)
    margins = label_margins(Z, Theta)
    assert_array_equal(margins > 0, sets[distances.argmin(axis=1)])
    for label in range(q):
        with_it = sets[:, label] == 1
        expected = distances[:, ~with_it].min(axis=1) - distances[:, with_it].min(axis=1)
        assert_allclose(margins[:, label], expected, atol=1e-10)


@pytest.mark.parametrize("kind", ["tall", "duplicate"])
def test_exact_decoding_of_rows(kind):
    X, Y = data(kind)
    model = MtSDA(decode="exact").fit(X, Y)
    sets = np.array(list(itertools.product([0, 1], repeat=Y.shape[1])))
    Z = model.transform(X) + (Y @ model.scores_).mean(axis=0)
    distances = ((sets @ model.scores_ - Z[:, None]) ** 2).sum(axis=2)
    found = np.sum((model.predict(X) @ model.scores_ - Z) ** 2, axis=1)
    assert_allclose(found, distances.min(axis=1), atol=1e-10)  # equal labels make ties
    assert f1(Y, model.predict(X), average="micro") > 0.7


def test_exact_decoding_is_for_few_labels():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 5)), rng.integers(0, 2, size=(60, 21))
    with pytest.raises(ValueError, match=r"decode='exact'.*2\^21.*at most 20.*decode='linear'"):
        MtSDA(decode="exact").fit(X, Y)
    MtSDA(decode="exact", max_iter=5, tol=1).fit(X, Y[:, :20]).predict(X)


@pytest.mark.parametrize("strategy", ["per-label", "global", "top-k", "cardinality"])
def test_other_thresholds(strategy):
    X, Y = data("tall")
    tuner = ThresholdTuner(MtSDA(), strategy=strategy, cv=3, random_state=0).fit(X, Y)
    assert f1(Y, tuner.predict(X), average="micro") > 0.7


def test_training_thresholds_of_the_tuner_are_its_own():
    X, Y = data("tall")
    tuner = ThresholdTuner(MtSDA(), strategy="global", cv="train").fit(X, Y)
    assert_array_equal(tuner.predict(X), MtSDA().fit(X, Y).predict(X))


# --- starts -----------------------------------------------------------------------------------


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    X, Y = data("wide")
    model = MtSDA(0.05, warm_start=True, tol=1e-9, max_iter=3000).fit(X, Y)
    components, objective = model.components_, model.objective_[-1]
    model.fit(X, Y)
    assert model.n_iter_ == 2
    assert model.objective_[0] <= objective * (1 + 1e-12)
    assert_allclose(model.components_, components, atol=1e-4)
    model.set_params(l1=0.04).fit(X, Y)
    cold = MtSDA(0.04, tol=1e-9, max_iter=3000).fit(X, Y)
    assert model.n_iter_ < cold.n_iter_
    model.fit(X[:, :30], Y[:, :3])  # another problem: from scratch
    assert model.components_.shape == (3, 30)
    assert_allclose(
        model.components_,
        MtSDA(0.04, tol=1e-9, max_iter=3000).fit(X[:, :30], Y[:, :3]).components_,
        atol=1e-6,
    )


def test_more_starts_are_never_worse_and_repeatable():
    X, Y = data("wide")
    one = MtSDA(0.2, tol=1e-5).fit(X, Y)
    several = MtSDA(0.2, tol=1e-5, n_init=5, random_state=0).fit(X, Y)
    assert several.objective_[-1] <= one.objective_[-1]
    again = MtSDA(0.2, tol=1e-5, n_init=5, random_state=0).fit(X, Y)
    assert_array_equal(several.components_, again.components_)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_fewer_components(k):
    X, Y = data("tall")
    model = MtSDA(n_components=k).fit(X, Y)
    assert model.components_.shape == (k, X.shape[1])
    assert model.scores_.shape == (5, k)
    assert model.decision_function(X).shape == Y.shape
    assert list(model.get_feature_names_out()) == [f"mtsda{i}" for i in range(k)]


# --- what people pass in ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"l1": -1.0}, "'l1' parameter of MtSDA must be a float in the range"),
        ({"l2": -1.0}, "'l2' parameter"),
        ({"rho": 1.0}, "'rho' parameter of MtSDA must be a float in the range"),
        ({"rho": -0.1}, r"rho=-0.1 is not between 1/\(1 − p\) = -0.0909091 and 1 .*p=12"),
        ({"n_components": 6}, "n_components=6 is more than the 5 labels"),
        ({"decode": "best"}, "'decode' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
    ],
)
def test_parameters_out_of_range(params, message):
    X, Y = data("tall")
    with pytest.raises(ValueError, match=message):
        MtSDA(**params).fit(X, Y)


@pytest.mark.parametrize("case", [case for case in BAD_Y if case != "all labels empty"])
def test_bad_labels(case):
    X, _ = data("tall")
    Y, message = BAD_Y[case]
    with pytest.raises(ValueError, match=message):
        MtSDA().fit(X, Y)


def test_bad_data():
    X, Y = data("tall")
    for value, message in ((np.nan, "NaN"), (np.inf, "infinity")):
        broken = X.copy()
        broken[3, 2] = value
        for container in (np.asarray, sp.csr_array):
            with pytest.raises(ValueError, match=message):
                MtSDA().fit(container(broken), Y)
    with pytest.raises(ValueError, match="1 sample"):
        MtSDA().fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="12 features"):
        MtSDA().fit(X, Y).predict(X[:, :4])


@pytest.fixture(scope="module")
def usual():
    """Fitted to arrays, with which other forms are compared."""
    return MtSDA().fit(*data("tall"))


@pytest.mark.parametrize("form", DATA_FORMS)
def test_forms_of_data(form, usual):
    X, Y = data("tall")
    given = DATA_FORMS[form](X)
    model = MtSDA().fit(given, Y)
    assert_allclose(model.components_, usual.components_, atol=1e-6)
    assert_allclose(model.decision_function(given), usual.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_forms_of_labels(form, usual):
    X, Y = data("tall")
    model = MtSDA().fit(X, LABEL_FORMS[form](Y))
    assert_allclose(model.components_, usual.components_, atol=1e-6)


@pytest.mark.parametrize("decode", ["linear", "exact"])
def test_constant_labels_are_predicted_constant_and_named(decode):
    X, Y = data("tall")
    frame = pd.DataFrame(Y, columns=list("abcde"))
    frame.insert(2, "always", 1)
    frame["never"] = 0
    with pytest.warns(UserWarning, match="2 of 7 labels.*constant: always, never") as record:
        model = MtSDA(decode=decode).fit(X, frame)
    assert len(record) == 1
    predicted = model.predict(X)
    assert np.all(predicted[:, 2] == 1)
    assert np.all(predicted[:, 6] == 0)
    others = [0, 1, 3, 4, 5]
    plain = MtSDA(decode=decode).fit(X, Y)
    assert_allclose(model.components_, plain.components_)
    assert_array_equal(predicted[:, others], plain.predict(X))
    assert not model.scores_[[2, 6]].any()
    assert list(model.label_names_) == ["a", "b", "always", "c", "d", "e", "never"]


@pytest.mark.parametrize("decode", ["linear", "exact"])
def test_no_label_varies(decode):
    X, Y = data("tall")
    for value in (0, 1):
        with pytest.warns(UserWarning, match="5 of 5 labels"):
            model = MtSDA(decode=decode).fit(X, np.full_like(Y, value))
        assert np.all(model.predict(X) == value)
        assert model.transform(X).shape == (60, 0)


def test_rows_without_labels_and_a_single_label():
    X, Y = data("tall")
    Y = Y.copy()
    Y[:20] = 0
    assert np.all(np.isfinite(MtSDA().fit(X, Y).coef_))
    model = MtSDA().fit(X, Y[:, :1])
    assert model.components_.shape == (1, 12)
    assert model.predict(X).shape == (60, 1)


def test_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for decode in ("linear", "exact"):
        model = MtSDA(0.01, 0.01, decode=decode).fit(X, names)
        assert list(model.label_names_) == ["setosa", "versicolor", "virginica"]
        assert np.mean(model.predict(X) == names) > 0.8
        two = MtSDA(0.01, 0.01, decode=decode).fit(X[y > 0], names[y > 0])
        assert two.decision_function(X[y > 0]).shape == (100,)
        assert np.mean(two.predict(X[y > 0]) == names[y > 0]) > 0.9


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_float32_stays_float32(container):
    X, Y = problems.make("tall", condition=4.0)
    exact = MtSDA().fit(X, Y)
    given = container(X.astype(np.float32))
    model = MtSDA().fit(given, Y)
    for name in ("coef_", "intercept_", "components_", "scores_", "mean_", "scale_"):
        assert getattr(model, name).dtype == np.float32
    assert model.decision_function(given).dtype == np.float32
    assert model.transform(given).dtype == np.float32
    assert_allclose(model.coef_, exact.coef_, atol=1e-4)


def test_arguments_are_not_changed():
    X, Y = data("tall")
    S, before, labels = sp.csr_array(X), X.copy(), Y.copy()
    parts = S.data.copy(), S.indices.copy(), S.indptr.copy()
    MtSDA().fit(X, Y).predict(X)
    MtSDA().fit(S, Y).predict(S)
    assert_array_equal(X, before)
    assert_array_equal(Y, labels)
    for part, expected in zip((S.data, S.indices, S.indptr), parts, strict=True):
        assert_array_equal(part, expected)


def test_rows_of_a_factored_matrix():
    X, Y = data("wide")
    rows = np.arange(len(X)) % 3 != 0
    expected = MtSDA().fit(X[rows], Y[rows]).decision_function(X[~rows])
    fm = colabel.factor(X)
    found = MtSDA().fit(fm[rows], Y[rows]).decision_function(fm[~rows])
    assert_allclose(found, expected, atol=1e-5)
    with pytest.raises(ValueError, match="pass the rows of X itself"):
        MtSDA().fit(colabel.factor(sp.csr_array(X))[rows], Y[rows])


def test_no_convergence_is_one_warning_that_names_the_knob():
    X, Y = data("wide")
    with pytest.warns(
        ConvergenceWarning, match=r"max_iter=3 rounds.*share of .*tol=1e-06"
    ) as found:
        MtSDA(0.05, max_iter=3, n_init=3, random_state=0).fit(X, Y)
    assert len(found) == 1
    assert found[0].filename == __file__


def test_memory_on_a_sparse_problem():
    """Five times the input and the coefficients, at 1% of the features."""
    rng = np.random.default_rng(0)
    n, d, q = 800, 12_000, 10
    X = sp.random_array((n, d), density=100 / d, rng=rng, format="csr")
    Y = (X[:, : 3 * q].toarray().reshape(n, q, 3).sum(axis=2) > 0).astype(int)
    tracemalloc.start()
    model = MtSDA(0.25, 0.1).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    given = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    assert 10 < model.n_nonzero_.mean() < 0.01 * d
    assert peak < 5 * given + model.coef_.nbytes + model.components_.nbytes


@parametrize_with_checks([MtSDA(), MtSDA(rho=0.3, warm_start=True), MtSDA(decode="exact")])
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
