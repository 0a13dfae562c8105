"""CNMF against its problem: the update, the objective, the similarities, and what permutes."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from partly_labelled import (
    cnmf_objective,
    cnmf_step,
    cosines,
    hidden,
    label_rbf,
    normalised,
    topics,
)
from real_data import load
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from colabel import LabelRidge
from colabel.metrics import average_precision
from colabel.semi_supervised import CNMF, LabelledOnly
from colabel.semi_supervised.cnmf.factorisation import Factorisation, class_similarity
from colabel.semi_supervised.graphs import CosineSimilarity, ExplicitSimilarity, NeighbourGraph

LONG = {"early_stopping": False, "tol": 0.0, "max_iter": 30}
pytestmark = pytest.mark.filterwarnings("ignore:CNMF stopped after max_iter")


def random_problem(seed, C=100.0):
    """A random similarity of rows and of labels, a random T, and the labels of some rows."""
    rng = np.random.default_rng(seed)
    n, q = 20, 4
    A = rng.uniform(size=(n, n)) ** 3
    A = A + A.T
    B = rng.uniform(size=(q, q))
    B = B + B.T + q * np.eye(q)
    T = rng.uniform(0.01, 1.0, size=(n, q))
    mask = np.arange(n) % 3 == 0
    known = (rng.uniform(size=(mask.sum(), q)) < 0.5).astype(float)
    known[np.arange(len(known)), rng.integers(q, size=len(known))] = 1.0
    known /= known.sum(axis=1, keepdims=True)
    norm = np.sum(A**2)
    problem = Factorisation(ExplicitSimilarity(A), B, C, np.flatnonzero(mask), known, norm)
    return problem, A, B, T, known, mask


def take(iterator, count):
    return [next(iterator) for _ in range(count)]


@pytest.mark.parametrize("C", [0.0, 0.1, 100.0, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_rounds_are_the_direct_updates(seed, C):
    problem, A, B, T, known, mask = random_problem(seed, C)
    for after, objective in take(problem.rounds(T), 6):
        assert_allclose(after, T, rtol=1e-10)
        That, a = normalised(T, known, mask)
        assert_allclose(objective, cnmf_objective(A, B, C, T, That, a), rtol=1e-10)
        assert_allclose(problem.consistent(after), a[:, None] * That, rtol=1e-10)
        T = cnmf_step(A, B, C, T, That, a)


@pytest.mark.parametrize("C", [0.0, 0.1, 100.0, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_rises(seed, C):
    problem, *_, T, _, _ = random_problem(seed, C)
    objectives = np.array([value for _, value in take(problem.rounds(T), 200)])
    assert np.all(np.diff(objectives) <= 1e-12 * objectives[0])
    assert objectives[-1] < 0.9 * objectives[0]


@pytest.mark.parametrize("seed", range(5))
def test_the_printed_update_makes_it_rise(seed):
    """From where 500 rounds of the right one have come, which goes on down."""
    problem, A, B, T, known, mask = random_problem(seed)
    T, best = take(problem.rounds(T), 500)[-1]

    def change(*, printed):
        after = cnmf_step(A, B, 100.0, T, *normalised(T, known, mask), printed=printed)
        return cnmf_objective(A, B, 100.0, after, *normalised(after, known, mask)) - best

    assert change(printed=False) <= 1e-12 * best
    assert change(printed=True) > 0.1 * best


def test_the_update_is_where_the_bound_is_least():
    """4UT⁴/T⁰³ + 2CT² = 2(2V + C diag(a)T̂)T⁰, elementwise: the derivative of the paper's bound."""
    problem, A, B, T, known, mask = random_problem(0)
    (_, _), (after, _) = take(problem.rounds(T), 2)
    That, a = normalised(T, known, mask)
    U, V = T @ B @ T.T @ T @ B, A @ T @ B
    left = 4 * U * after**4 / T**3 + 200.0 * after**2
    assert_allclose(left, 2 * (2 * V + 100.0 * a[:, None] * That) * T, rtol=1e-10)


def test_zero_confidences_stay_near_zero_and_nothing_breaks():
    problem, *_, T, _, _ = random_problem(0)
    T[:, 1] = 0.0
    T[5] = 0.0
    for after, objective in take(problem.rounds(T), 20):
        assert np.all(np.isfinite(after))
        assert np.isfinite(objective)
    assert np.all(after[5] == 0)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_implicit_cosines_are_the_explicit_ones(container):
    X, Y, mask = topics()
    X[7] = 0.0
    A = cosines(X)
    implicit = CosineSimilarity(container(X))
    M = np.random.default_rng(0).normal(size=(len(X), 3))
    assert_allclose(implicit.dot(M), A @ M, atol=1e-12)
    assert_allclose(implicit.squared_norm(), np.sum(A**2), rtol=1e-12)
    assert_allclose(implicit.degrees, A.sum(axis=1), atol=1e-12)
    init = np.random.default_rng(1).uniform(size=Y.shape)
    for start in (init, LabelRidge()):
        one = CNMF(init=start, **LONG).fit(container(X), hidden(Y, mask))
        if start is init:
            other = CNMF(init=start, similarity="precomputed", **LONG).fit(A, hidden(Y, mask))
            assert_allclose(one.label_scores_, other.label_scores_, atol=1e-8)
            assert_allclose(one.objective_, other.objective_, rtol=1e-8)
        other = CNMF(init=start, similarity=cosine_similarity, **LONG).fit(X, hidden(Y, mask))
        assert_allclose(one.label_scores_, other.label_scores_, atol=1e-8)
        assert_allclose(one.objective_, other.objective_, rtol=1e-8)
        new = np.random.default_rng(2).poisson(1.0, size=(9, X.shape[1])).astype(float)
        assert_allclose(
            one.decision_function(container(new)), other.decision_function(new), atol=1e-8
        )


@pytest.mark.parametrize(("n", "d"), [(300, 20), (20, 300), (50, 50)])
def test_the_norm_of_the_cosines_by_blocks(n, d, monkeypatch):
    monkeypatch.setattr("colabel.semi_supervised.graphs.BLOCK_BYTES", 1000)
    X = np.random.default_rng(0).poisson(0.2, size=(n, d)).astype(float)
    expected = np.sum(cosines(X) ** 2)
    for container in (np.asarray, sp.csr_array):
        assert_allclose(CosineSimilarity(container(X)).squared_norm(), expected, rtol=1e-12)


def test_the_whole_fit_is_the_direct_one():
    """Start, scale, 30 rounds and the scores, from the definitions alone."""
    X, Y, mask = topics()
    init = np.random.default_rng(0).uniform(size=Y.shape)
    model = CNMF(init=init, **LONG).fit(X, hidden(Y, mask))
    A, B = cosines(X), label_rbf(Y[mask])
    known = Y[mask] / Y[mask].sum(axis=1, keepdims=True)
    prior = Y[mask].sum(axis=0) / Y[mask].sum()
    T = init / init.sum(axis=1, keepdims=True)
    T[mask] = known
    T = 0.99 * T + 0.01 * prior
    K = T @ B @ T.T
    T = T * np.sqrt(np.sum(A * K) / np.sum(K * K))
    objectives = []
    for _ in range(31):
        That, a = normalised(T, known, mask)
        objectives.append(cnmf_objective(A, B, 100.0, T, That, a))
        last, T = That, cnmf_step(A, B, 100.0, T, That, a)
    assert_allclose(model.objective_, objectives, rtol=1e-10)
    assert_allclose(model.label_scores_, last, atol=1e-10)
    assert_allclose(model.class_similarity_, B, atol=1e-12)


@pytest.mark.parametrize("init", ["propagation", "knn-propagation", "random", LabelRidge()])
@pytest.mark.parametrize("similarity", ["cosine", "knn", "rbf-knn", rbf_kernel])
def test_labelled_rows_stay_what_their_labels_say(similarity, init):
    X, Y, mask = topics()
    Y[np.flatnonzero(mask)[0]] = 0
    model = CNMF(similarity=similarity, init=init, random_state=0).fit(X, hidden(Y, mask))
    sizes = np.maximum(Y[mask].sum(axis=1, keepdims=True), 1)
    assert_allclose(model.label_scores_[mask], Y[mask] / sizes)
    assert_allclose(model.label_scores_[~mask].sum(axis=1), 1.0)
    assert_array_equal(model.transduction_[mask], Y[mask])
    assert np.all(np.diff(model.objective_) <= 1e-12 * model.objective_[0])


@pytest.mark.parametrize("similarity", ["cosine", "knn", "rbf-knn"])
@pytest.mark.parametrize("init", ["propagation", "knn-propagation", LabelRidge()])
def test_permuted_rows_and_labels_permute_the_result(similarity, init):
    X, Y, mask = topics()
    Y = hidden(Y, mask)
    model = CNMF(similarity=similarity, init=init, **LONG)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(Y.shape[1])
    new = X[:7] + 1.0
    first = model.fit(X, Y)
    expected, decisions = first.label_scores_, first.decision_function(new)
    assert_allclose(model.fit(X[rows], Y[rows]).label_scores_, expected[rows], atol=1e-10)
    assert_allclose(model.decision_function(new), decisions, atol=1e-10)
    assert_allclose(model.fit(X, Y[:, columns]).label_scores_, expected[:, columns], atol=1e-10)


def test_new_rows_are_updated_with_the_rest_fixed():
    """As many direct updates of the new rows alone as the fit took rounds."""
    X, Y, mask = topics()
    new = topics(seed=5)[0][:8]
    A = cosines(np.vstack([X, new]))
    model = CNMF(init=LabelRidge(), max_iter=4, early_stopping=False, tol=0).fit(X, hidden(Y, mask))
    B, known = label_rbf(Y[mask]), Y[mask] / Y[mask].sum(axis=1, keepdims=True)
    ridge = LabelRidge().fit(X[mask], Y[mask])
    prior = Y[mask].sum(axis=0) / Y[mask].sum()

    def begin(rows):
        P = np.clip((1 + ridge.decision_function(rows)) / 2, 0, 1)
        return 0.99 * P / P.sum(axis=1, keepdims=True) + 0.01 * prior

    T, t = begin(X), begin(new)
    T[mask] = 0.99 * known + 0.01 * prior
    K = T @ B @ T.T
    scale = np.sqrt(np.sum(A[:60, :60] * K) / np.sum(K * K))
    T, t = scale * T, scale * t
    for _ in range(4):
        T = cnmf_step(A[:60, :60], B, 100.0, T, *normalised(T, known, mask))
    for _ in range(4):
        U, V = t @ B @ T.T @ T @ B, A[60:, :60] @ T @ B
        inside = 1e4 * t**6 + 8 * U * t**4 * (2 * V + 100.0 * t)
        t = np.sqrt((-100.0 * t**3 + np.sqrt(inside)) / (4 * U))
    expected = t / t.sum(axis=1, keepdims=True)
    assert_allclose(model.decision_function(new) + model.thresholds_, expected, atol=1e-10)
    assert_array_equal(model.rank_labels(new)[:, 0], expected.argmax(axis=1))


def test_the_neighbour_graph():
    X, _, _ = topics()
    S = cosines(X)
    np.fill_diagonal(S, -1.0)
    W = np.zeros_like(S)
    for i, row in enumerate(S):
        nearest = np.argsort(-row)[:6]
        W[i, nearest] = row[nearest]
    graph = NeighbourGraph(X, 6, "knn")
    assert_allclose(graph.directed.toarray(), W, atol=1e-12)
    assert_allclose(graph.A.toarray(), np.maximum(W, W.T) + np.eye(len(X)), atol=1e-12)
    assert_allclose(graph.squared_norm(), np.sum(graph.A.toarray() ** 2))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    graph = NeighbourGraph(sp.csr_array(X), 6, "rbf-knn").directed.toarray()
    edges = graph > 0
    assert np.all(edges.sum(axis=1) == 6)
    width = np.median(distances[edges])
    assert_allclose(graph[edges], np.exp(-(distances[edges] ** 2) / (2 * width**2)), rtol=1e-10)


def test_class_similarities():
    _, Y, mask = topics()
    known = Y[mask].astype(float)
    assert_allclose(class_similarity(known, "rbf"), label_rbf(known), atol=1e-12)
    assert_allclose(class_similarity(known, "cosine"), cosines(known.T), atol=1e-12)
    X, labels = topics()[0], hidden(Y, mask)
    by_name = CNMF(random_state=0).fit(X, labels)
    given = CNMF(random_state=0, class_similarity=label_rbf(known)).fit(X, labels)
    assert given.objective_[0] == pytest.approx(by_name.objective_[0], rel=1e-10)


def test_early_stopping_takes_the_round_that_ranks_hidden_rows_best():
    X, Y, mask = topics(n=120, labelled=60)
    model = CNMF(random_state=0, init=LabelRidge()).fit(X, hidden(Y, mask))
    scores = model.validation_scores_
    assert model.n_iter_ == max(1, int(np.argmax(scores)))
    assert len(scores) == int(np.argmax(scores)) + 16
    again = CNMF(init=LabelRidge(), early_stopping=False, max_iter=model.n_iter_, tol=0)
    again.fit(X, hidden(Y, mask))
    assert_allclose(again.label_scores_, model.label_scores_)
    assert not len(again.validation_scores_)


def test_few_labelled_rows_hide_none_and_go_a_few_rounds():
    X, Y, mask = topics(labelled=25)
    few = mask & (np.cumsum(mask) <= 9)
    Y[:, 0] = 1 - Y[:, 1]  # no label is constant
    few_rows = Y[few]
    varying = few_rows.any(axis=0) & ~few_rows.all(axis=0)
    model = CNMF(n_iter_no_change=7, tol=0).fit(X, Y[:, varying], labelled=few)
    assert model.n_iter_ == 7
    assert not len(model.validation_scores_)


@pytest.mark.parametrize("cv", [2, 5])
def test_hidden_rows_do_not_reach_the_start(cv):
    """The first score is that of the starts without them, each labelled row hidden once."""
    X, Y, mask = topics(n=120, labelled=60)
    model = CNMF(random_state=0, init=LabelRidge(), cv=cv).fit(X, hidden(Y, mask))
    rows = np.flatnonzero(mask)
    P = np.empty(Y.shape)
    for unseen in np.split(rows[np.random.RandomState(0).permutation(60)], cv):
        seen = np.setdiff1d(rows, unseen)
        scores = LabelRidge().fit(X[seen], Y[seen]).decision_function(X[unseen])
        own = np.clip((1 + scores) / 2, 0, 1)
        prior = Y[seen].sum(axis=0) / Y[seen].sum()
        P[unseen] = 0.99 * own / own.sum(axis=1, keepdims=True) + 0.01 * prior
    expected = average_precision(Y[rows], P[rows])
    assert model.validation_scores_[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("default:CNMF stopped after max_iter")
def test_no_convergence_names_the_knob():
    X, Y, mask = topics()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 rounds.*tol=1e-12; raise max_iter"):
        CNMF(max_iter=3, tol=1e-12, early_stopping=False).fit(X, hidden(Y, mask))
    with pytest.warns(ConvergenceWarning, match="still better after max_iter=1 rounds.*raise"):
        CNMF(max_iter=1, random_state=2).fit(*_improving())


def _improving():
    """Data on which the first round ranks hidden rows better."""
    for seed in range(50):
        X, Y, mask = topics(n=120, labelled=60, seed=seed)
        scores = CNMF(random_state=2).fit(X, hidden(Y, mask)).validation_scores_
        if scores[1] > scores[0]:
            return X, hidden(Y, mask)
    raise AssertionError("no such data")


def test_convergence_stops_the_rounds():
    X, Y, mask = topics()
    model = CNMF(early_stopping=False, tol=1e-2).fit(X, hidden(Y, mask))
    changes = -np.diff(model.objective_) / model.objective_[:-1]
    assert changes[-1] <= 1e-2
    assert np.all(changes[:-1] > 1e-2)
    assert model.n_iter_ == len(changes) < 200


def test_empty_rows_are_given_the_label_frequencies():
    X, Y, mask = topics()
    rows = [np.flatnonzero(mask)[0], *np.flatnonzero(~mask)[:2]]
    X[rows] = 0.0
    for container in (np.asarray, sp.csr_array):
        model = CNMF(random_state=0).fit(container(X), hidden(Y, mask))
        prior = Y[mask].sum(axis=0) / Y[mask].sum()
        assert_allclose(model.label_scores_[rows[1:]], [prior, prior])
        assert_array_equal(model.transduction_[rows[0]], Y[rows[0]])
        scores = model.decision_function(container(X[rows])) + model.thresholds_
        assert_allclose(scores, [prior] * 3)
    nothing = CNMF(random_state=0).fit(np.zeros_like(X), hidden(Y, mask))
    assert_allclose(nothing.label_scores_[~mask], np.tile(prior, ((~mask).sum(), 1)))
    assert_array_equal(nothing.objective_, 0.0)


def test_sets_have_the_cardinality_of_the_labelled_rows():
    X, Y, mask = topics(n=200, labelled=60)
    model = CNMF(random_state=0).fit(X, hidden(Y, mask))
    found = model.transduction_[~mask].sum() / (~mask).sum()
    assert found == pytest.approx(Y[mask].sum(axis=1).mean(), abs=0.02)
    top = model.predict_top_k(k=2)
    assert np.all(top.sum(axis=1) == 2)
    assert np.all(np.take_along_axis(top, model.rank_labels()[:, :2], axis=1) == 1)
    assert model.predict_top_k(X[:4], k=1).shape == (4, 5)
    with pytest.raises(ValueError, match="k=6 must be between 1 and the number of labels, 5"):
        model.predict_top_k(k=6)


def test_constant_labels():
    X, Y, mask = topics()
    Y = np.column_stack([Y, np.zeros(len(Y), int), np.ones(len(Y), int)])
    with pytest.warns(UserWarning, match="2 of 7 labels.*constant: label5, label6") as record:
        model = CNMF(random_state=0).fit(X, hidden(Y, mask))
    assert len(record) == 1
    for predicted in (model.transduction_, model.predict(X)):
        assert not predicted[:, 5].any()
        assert predicted[:, 6].all()
    assert not model.label_scores_[:, 5].any()


@pytest.mark.filterwarnings("ignore:.*predicted constant")
def test_no_label_has_a_positive():
    X, Y, mask = topics()
    for estimator in (CNMF(), LabelledOnly()):
        model = estimator.fit(X, np.where(mask[:, None], 0, -1 * np.ones_like(Y)))
        assert not model.transduction_.any()
        assert not model.predict(X).any()


def test_a_single_label_is_set_beside_its_complement():
    X, Y, mask = topics(n=120, labelled=60)
    y = Y[:, :1]
    both = np.hstack([y, 1 - y])
    for init in ("propagation", LabelRidge()):
        one = CNMF(init=init, **LONG).fit(X, hidden(y, mask))
        two = CNMF(init=init, **LONG).fit(X, hidden(both, mask))
        assert_allclose(one.label_scores_[:, 0], two.label_scores_[:, 0], atol=1e-10)
        classes = CNMF(init=init, **LONG).fit(X, np.array(["no", "yes"])[y[:, 0]], labelled=mask)
        assert_array_equal(classes.transduction_ == "yes", one.transduction_[:, 0] == 1)
        assert_array_equal(classes.predict(X) == "yes", one.predict(X)[:, 0] == 1)


def test_float32_stays_float32():
    X, Y, mask = topics()
    exact = CNMF(init=LabelRidge(), **LONG).fit(X, hidden(Y, mask))
    for container in (np.asarray, sp.csr_array):
        small = container(X.astype(np.float32))
        for similarity in ("cosine", "knn", rbf_kernel):
            model = CNMF(init=LabelRidge(), similarity=similarity, **LONG)
            model.fit(small, hidden(Y, mask))
            assert model.label_scores_.dtype == model.decision_function(small).dtype == np.float32
            assert np.all(np.diff(model.objective_) <= 1e-5 * model.objective_[0])
            if similarity == "cosine":
                assert_allclose(model.label_scores_, exact.label_scores_, atol=1e-3)


def test_any_classifier_or_array_is_a_start():
    X, Y, mask = topics()
    labels = hidden(Y, mask)
    for init in (OneVsRestClassifier(LinearSVC()), LabelRidge(10.0), Y + 0.5):
        model = CNMF(init=init, random_state=0).fit(X, labels)
        assert np.all(np.isfinite(model.label_scores_))
        assert not hasattr(init, "classes_")  # a clone was fitted
    start = CNMF(init=Y + 0.0, early_stopping=False, max_iter=1).fit(X, labels)
    assert_array_equal(start.rank_labels()[~mask, 0] >= 0, True)


@pytest.mark.filterwarnings("ignore:.*predicted constant")
def test_it_improves_on_ridge_a_little_on_enron():
    """What the documentation claims, and no more."""
    X, Y, _ = load("enron")
    X = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    gains = []
    for seed in range(3):
        mask = np.zeros(len(Y), dtype=bool)
        mask[np.random.default_rng(seed).permutation(len(Y))[:300]] = True
        ridge = LabelledOnly(LabelRidge()).fit(X, Y, labelled=mask)
        model = CNMF(init=LabelRidge(), random_state=0).fit(X, Y, labelled=mask)
        of = [average_precision(Y[~mask], m.label_scores_[~mask]) for m in (ridge, model)]
        gains.append(of[1] - of[0])
        new = model.decision_function(X[~mask])
        assert average_precision(Y[~mask], new) == pytest.approx(of[1], abs=0.01)
    assert np.mean(gains) > 0.002
