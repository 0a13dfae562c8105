"""Held-out scores: closed forms against the refits that they stand for."""

import warnings

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from colabel import (
    LabelRidge,
    LabelRidgeCV,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    factor,
)
from colabel.linalg import cost, matrix, turned
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData
from colabel.tuning import engine, leave_one_out, path
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.fold_scores import make_folds
from colabel.tuning.leave_one_out import LeaveOneOut

KINDS = ["tall", "wide", "rank-deficient tall", "rank-deficient wide"]
CONTAINERS = {"dense": np.asarray, "sparse": sp.csr_array}
CONTAINERS["factored"] = factor
RIDGES = [1e-3, 0.1, 1.0, 30.0]


def centred(X):
    return X if isinstance(X, CentredData) else CentredData(as_matrix(X))


def refits(make, X, Y):
    """What n models, each fitted without a row, say of that row."""
    scores = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        scores.append(make().fit(X[others], Y[others]).decision_function(X[[i]])[0])
    return np.array(scores)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_leaving_one_out_equals_refits_of_ridge(kind, container):
    X, Y = problems.make(kind)
    found = LeaveOneOut.of(centred(CONTAINERS[container](X)), Y > 0)
    found.prepare(RIDGES)
    for b in RIDGES:
        expected = refits(lambda b=b: LabelRidge(b), X, Y)
        size = np.abs(expected).max()
        assert_allclose(found.scores(b), expected, rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("kind", KINDS)
def test_leaving_one_out_in_float32(kind):
    X, Y = problems.make(kind)
    found = LeaveOneOut.of(centred(X.astype(np.float32)), Y > 0).scores(1.0)
    assert found.dtype == np.float32
    assert_allclose(found, refits(lambda: LabelRidge(1.0), X, Y), atol=1e-3)


def test_a_label_of_one_row_is_unknown_without_it():
    X, Y = problems.make("tall")
    Y = np.column_stack([Y, np.eye(len(Y))[:, 3], np.ones(len(Y))])
    found = LeaveOneOut.of(centred(X), Y > 0).scores(0.5)
    assert found[3, -2] == pytest.approx(-1.0)
    assert_array_equal(found[:, -1], 1.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_blocks_of_coordinates_change_nothing(monkeypatch, form):
    X, Y = problems.make("tall")
    whole = LeaveOneOut.of(centred(form(X)), Y > 0).scores(0.5)
    monkeypatch.setattr(matrix, "COORDINATES", 3 * len(X))
    monkeypatch.setattr(turned, "BLOCK", 7)
    assert_allclose(LeaveOneOut.of(centred(form(X)), Y > 0).scores(0.5), whole, atol=1e-12)


def test_leverages_of_long_data_in_float32_are_near_or_done_again(monkeypatch):
    """Two rows, opposite each other, are so large beside the penalties that float32 will not do."""
    X, Y = problems.make("tall")
    X = np.vstack([X, 1e4 * X[5:6], -1e4 * X[5:6]])
    one_out = LeaveOneOut.of(centred(X), np.vstack([Y, Y[5:7]]) > 0)
    penalties = np.array([1.0, 10.0])
    exact = one_out._find_room(penalties)
    done, plain = [], turned._weigh
    monkeypatch.setattr(turned, "SINGLE_FROM", 0)
    monkeypatch.setattr(turned, "UNIT", 10 * turned.UNIT)
    monkeypatch.setattr(turned, "_weigh", lambda *a: done.append(a[1:3]) or plain(*a))
    found = one_out._find_room(penalties)
    (first, _), (second, again) = done
    assert (first, second) == (np.float32, np.float64)
    assert_array_equal(again, [len(X) - 2, len(X) - 1])
    assert_allclose(found, exact, atol=4 * turned.TARGET)
    assert_allclose(found[again], exact[again], atol=1e-12)


def test_candidates_are_judged_in_float32_where_that_saves_seconds(monkeypatch):
    """But nothing that is kept is made so."""
    X, Y = problems.make("tall")
    model = LabelRidgeCV([0.1, 1.0, 10.0], keep_scores=True, random_state=0)
    exact = model.fit(X, Y).held_out_scores_, model.coef_, model.best_score_
    monkeypatch.setattr(turned, "SINGLE_FROM", 0)
    model.fit(X, Y)
    for found, expected in zip((model.held_out_scores_, model.coef_), exact, strict=False):
        assert found.dtype == np.float64
        assert_allclose(found, expected, atol=4 * turned.TARGET)
    assert model.best_score_ == pytest.approx(exact[-1], abs=0.02)


def test_scores_of_several_penalties_from_one_product_change_nothing(monkeypatch):
    X, Y = problems.make("tall")
    ridges = [0.1, 1.0, 2.0, 5.0]
    one_out = LeaveOneOut.of(centred(X), Y > 0)
    alone = {b: one_out.scores(b) for b in ridges}
    monkeypatch.setattr(leave_one_out, "TOGETHER_BYTES", 3 * one_out.signs.nbytes)
    one_out.expect(ridges[:-1])
    for b in [5.0, *ridges[:-1], 0.1]:
        assert_allclose(one_out.scores(b), alone[b], atol=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1e-3), (0.01, 0.1)])
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_leaving_one_out_is_nearly_that_of_refits_with_a_shared_subspace(kind, alpha, beta):
    """The shared combinations are those of all rows: far nearer than fitted scores all the same."""
    X, Y = problems.make(kind)
    model = SharedSubspaceClassifierCV([alpha], [beta], n_components=2, keep_scores=True)
    model.set_params(cv="loo", random_state=0).fit(X, Y)
    plain = SharedSubspaceClassifier(alpha, beta, 2)
    expected = refits(lambda: plain, X, Y)
    fitted = plain.fit(X, Y).decision_function(X)
    off, in_sample = (
        np.sqrt(np.mean((s - expected) ** 2)) for s in (model.held_out_scores_, fitted)
    )
    assert off < 0.3 * in_sample


@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_rows_are_ranked_by_models_of_one_intercept(kind):
    """Leaving out a row with a label lowers the intercept, and tells of the label by that."""
    X, Y = problems.make(kind)
    one_out = LeaveOneOut.of(centred(X), Y > 0)
    shrunk = one_out.scores(1e12)
    assert all(shrunk[Y[:, j] == 1, j].max() < shrunk[Y[:, j] == 0, j].min() for j in range(5))
    one_out.put_on_level(shrunk)
    assert_allclose(shrunk, np.broadcast_to(one_out.targets.base, Y.shape))
    expected = refits(lambda: LabelRidge(0.5), X, Y)
    bases = np.array([2 * np.delete(Y, i, 0).mean(axis=0) - 1 for i in range(len(Y))])
    found = one_out.scores(0.5)
    one_out.put_on_level(found)
    assert_allclose(found, expected - bases + one_out.targets.base, atol=1e-9)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("complementary", [True, False])
@pytest.mark.parametrize("factored", [True, False])
def test_folds_equal_refits(kind, container, complementary, factored):
    X, Y = problems.make(kind)
    rows = np.random.default_rng(0).permutation(len(X))
    parts = np.array_split(rows, 3) if complementary else [rows[:5], rows[3:9]]
    splits = [(np.setdiff1d(rows, part), part) for part in parts]
    core = centred(CONTAINERS[container](X)).core
    for fold in make_folds(core, Y > 0, splits, factor=factored, jobs=None):
        fold.prepare(RIDGES)
        for b in RIDGES[1:]:
            model = LabelRidge(b).fit(X[fold.train], Y[fold.train])
            expected = model.decision_function(X[fold.rows])
            assert_allclose(fold.scores(b), expected, atol=1e-9 if factored else 1e-6)
            own = model.decision_function(X[fold.train])
            assert_allclose(fold.own_scores(b), own, atol=1e-9 if factored else 1e-6)
            varying = Y[fold.train].std(axis=0) > 0
            W, V = (LabelRidge(c).fit(X[fold.train], Y[fold.train]).coef_ for c in (b, 2 * b))
            expected = np.where(varying, V @ W.T, 0.0)
            assert_allclose(fold.overlap(b, 2 * b), expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("cv", ["loo", 3])
def test_scores_are_kept_on_request(cv):
    X, Y = problems.make("tall")
    Y = np.column_stack([Y, np.ones(len(Y), int)])
    settings = {"cv": cv, "random_state": 0, "thresholds": None}
    with pytest.warns(UserWarning, match="1 of 6 labels"):
        model = LabelRidgeCV([0.7], keep_scores=True, **settings).fit(X, Y)
    assert model.held_out_scores_.shape == Y.shape
    assert_array_equal(model.held_out_scores_[:, -1], 1.0)
    if cv == "loo":
        expected = refits(lambda: LabelRidge(0.7), X, Y[:, :-1])
        assert_allclose(model.held_out_scores_[:, :-1], expected, atol=1e-9)
    with pytest.warns(UserWarning, match="1 of 6 labels"):
        assert not hasattr(LabelRidgeCV([0.7], **settings).fit(X, Y), "held_out_scores_")


def test_rows_never_held_out_have_no_scores():
    X, Y = problems.make("tall")
    splits = [(np.arange(20, 60), np.arange(5)), (np.arange(20), np.arange(20, 30))]
    model = LabelRidgeCV([0.7], cv=splits, keep_scores=True).fit(X, Y)
    known = ~np.isnan(model.held_out_scores_).any(axis=1)
    assert_array_equal(np.flatnonzero(known), [*range(5), *range(20, 30)])


LARGE = {"scoring": "auc_macro", "random_state": 0}


@pytest.fixture
def _too_large(monkeypatch):
    """Data are too large to factor, and solved for exactly."""
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 5)
    monkeypatch.setattr(engine, "MOST", 10)
    monkeypatch.setattr(path, "ROUGH", 1e-12)
    monkeypatch.setattr(path, "TOLERANCE", 1e-12)
    monkeypatch.setattr(path, "MOST", 30)


@pytest.mark.usefixtures("_too_large")
@pytest.mark.parametrize("rows", [sp.csr_array, np.asarray], ids=["sparse", "dense"])
@pytest.mark.parametrize("thresholds", ["out-of-fold", "train", None])
def test_rows_too_many_to_factor_have_a_held_out_part(thresholds, rows):
    X, Y = problems.make("tall")
    model = LabelRidgeCV([0.1, 10.0], thresholds=thresholds, keep_scores=True, **LARGE)
    model.fit(rows(X), Y)
    held_out = ~np.isnan(model.held_out_scores_).any(axis=1)
    size = min(10, len(X) // 5)
    assert held_out.sum() == size
    said = f"{size} held-out rows of {len(X)}, for penalties and thresholds"
    assert model.tuned_on_ == f"{said}; penalties by models of 30 others"
    others = LabelRidge(model.alpha_).fit(X[~held_out], Y[~held_out])
    expected = others.decision_function(X[held_out])
    assert_allclose(model.held_out_scores_[held_out], expected, atol=1e-9)
    assert_allclose(model.coef_, LabelRidge(model.alpha_).fit(X, Y).coef_, atol=1e-9)
    assert np.any(model.thresholds_) == (thresholds is not None)
    if thresholds == "out-of-fold":
        cuts = per_label_thresholds(expected, Y[held_out], "f1", 0.1)
        assert_allclose(model.thresholds_, cuts, atol=1e-9)


@pytest.mark.usefixtures("_too_large")
@pytest.mark.parametrize("penalties", [{}, {"alphas": [0.1, 0.3], "betas": [0.01, 1.0]}])
def test_shared_subspace_of_rows_too_many_to_factor(penalties):
    X, Y = problems.make("tall")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the best is the last of a grid
        model = SharedSubspaceClassifierCV(
            **penalties, n_components=2, thresholds=None, keep_scores=True, **LARGE
        ).fit(sp.csr_array(X), Y)
    held_out = ~np.isnan(model.held_out_scores_).any(axis=1)

    def plain(rows):
        return SharedSubspaceClassifier(model.alpha_, model.beta_, 2).fit(X[rows], Y[rows])

    expected = plain(~held_out).decision_function(X[held_out])
    assert_allclose(model.held_out_scores_[held_out], expected, atol=1e-7)
    assert_allclose(model.coef_, plain(slice(None)).coef_, atol=1e-8)
    share = 30 / np.count_nonzero(~held_out)
    for name, tried in penalties.items():
        assert any(getattr(model, f"{name[:-1]}_") == pytest.approx(share * v) for v in tried)


@pytest.mark.usefixtures("_too_large")
def test_penalties_are_tried_from_the_strongest_until_the_next_is_worse():
    X, Y = problems.make("tall")
    alphas = np.geomspace(1e-6, 1e6, 13)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LabelRidgeCV(alphas, **LARGE).fit(sp.csr_array(X), Y)
    tried, scores = model.cv_results_["param_alpha"], model.cv_results_["mean_test_score"]
    assert np.all(np.diff(tried) < 0)
    centred = X - X.mean(axis=0)
    assert np.count_nonzero(tried > np.linalg.norm(centred, 2) ** 2) <= 1
    assert len(tried) == np.count_nonzero(alphas <= tried[0]) or scores[-1] < scores.max()
    assert np.all(scores[:-1] == np.maximum.accumulate(scores[:-1]))
    assert model.alpha_ == tried[np.argmax(scores)]


def test_solutions_by_iteration_are_as_near_as_they_say(monkeypatch):
    X, Y = problems.make("tall")
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 5)
    model = LabelRidgeCV([1.0], thresholds=None, **LARGE).fit(sp.csr_array(X), Y)
    centred = X - X.mean(axis=0)
    F = centred.T @ (2.0 * Y - 1.0)
    residual = F - centred.T @ (centred @ model.coef_.T) - model.coef_.T
    norms = np.linalg.norm(F, axis=0)
    assert np.all(np.linalg.norm(residual, axis=0) <= 1.1 * path.TOLERANCE * norms)
    error = np.linalg.norm(model.coef_ - LabelRidge(1.0).fit(X, Y).coef_, axis=1)
    least = np.linalg.eigvalsh(centred.T @ centred)[0] + 1.0
    assert np.all(error <= 1.1 * path.TOLERANCE * norms / least)


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("together", [1, 2, 100])
def test_penalties_tried_together_give_what_each_gives_alone(kind, together, monkeypatch):
    X, Y = problems.make(kind)
    ridges = [0.1, 1.0, 10.0, 100.0]
    alone = LeaveOneOut.of(centred(X), Y > 0)
    several = LeaveOneOut.of(centred(X), Y > 0)
    monkeypatch.setattr(leave_one_out, "TOGETHER_BYTES", together * several.signs.nbytes)
    several.expect(ridges)
    for b in ridges:
        assert_allclose(several.scores(b), alone.scores(b), atol=1e-12)
    assert_allclose(several.scores(1.0), alone.scores(1.0), atol=1e-12)
