"""Probabilities from held-out scores: against plain minimisers, and scikit-learn's own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import _SigmoidCalibration
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import KFold

from colabel import (
    LabelRidge,
    LabelRidgeCV,
    MtSDACV,
    ProbabilityCalibrator,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
)
from colabel.metrics import log_loss
from colabel.semi_supervised import CNMF, SGT, LabelledOnly
from colabel.tuning import OutOfFoldSearch
from colabel.tuning.calibration import calibrate
from colabel.tuning.sigmoids import fit_sigmoids, fit_temperature


@pytest.fixture(scope="module")
def scored():
    """Scores of labels from common to rare, of all scales."""
    rng = np.random.default_rng(0)
    n, q = 500, 12
    s = rng.normal(size=(n, q)) * 10.0 ** rng.uniform(-3, 3, q) + rng.normal(size=q)
    z = (s - s.mean(axis=0)) / s.std(axis=0) * rng.uniform(0.5, 4, q) + np.linspace(1, -5, q)
    return s, (rng.random((n, q)) < expit(z)).astype(float)


def loss(parameters, s, y, w):
    """Platt's loss of one label, written out."""
    positives, total = (w * y).sum(), w.sum()
    t = np.where(y > 0, (positives + 1) / (positives + 2), 1 / (total - positives + 2))
    z = parameters[0] * s + parameters[1]
    return (w * (np.logaddexp(0, z) - t * z)).sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_sigmoids_minimise_the_loss(scored, weighted):
    s, Y = scored
    w = np.random.default_rng(1).integers(0, 3, s.shape).astype(float) if weighted else None
    found = fit_sigmoids(s, Y, w)
    assert not found.flat.any()
    for j in range(s.shape[1]):
        wj = np.ones(len(s)) if w is None else w[:, j]
        unit = s[:, j].std()
        given = np.array([found.slopes[j] * unit, found.offsets[j]])
        best = minimize(loss, given, (s[:, j] / unit, Y[:, j], wj), method="BFGS", tol=1e-9)
        assert loss(given, s[:, j] / unit, Y[:, j], wj) <= best.fun + 1e-9


def test_sigmoids_are_scikit_learns(scored):
    s, Y = scored
    found = fit_sigmoids(s, Y)
    for j in range(s.shape[1]):
        other = _SigmoidCalibration().fit(s[:, j] / s[:, j].std(), Y[:, j])
        ours = expit(found.slopes[j] * s[:, j] + found.offsets[j])
        assert np.allclose(ours, other.predict(s[:, j] / s[:, j].std()), atol=1e-5)


def test_weights_repeat_rows_and_zero_leaves_out(scored):
    s, Y = scored
    w = np.random.default_rng(2).integers(0, 4, len(s))
    one, other = fit_sigmoids(s, Y, w), fit_sigmoids(np.repeat(s, w, 0), np.repeat(Y, w, 0))
    assert np.allclose(one.slopes, other.slopes, rtol=1e-9)
    holes = np.where(np.random.default_rng(3).random(s.shape) < 0.2, np.nan, s)
    entries = fit_sigmoids(s, Y, (~np.isnan(holes)).astype(float))
    assert np.allclose(fit_sigmoids(holes, Y).slopes, entries.slopes, rtol=1e-9)


def test_many_labels_are_each_as_alone(scored, monkeypatch):
    s, Y = scored
    whole = fit_sigmoids(s, Y)
    monkeypatch.setattr("colabel.tuning.sigmoids.BLOCK", 1)
    assert np.allclose(fit_sigmoids(s, Y).slopes, whole.slopes, rtol=1e-12)


def test_scores_that_tell_nothing_give_the_share():
    rng = np.random.default_rng(0)
    Y = (rng.random((400, 3)) < 0.2).astype(float)
    s = np.column_stack([-Y[:, 0] + rng.normal(size=400), np.ones(400), Y[:, 2]])
    found = calibrate(s, Y)
    assert list(found.kinds) == ["share", "share", "sigmoid"]
    P = found.apply(s)
    assert np.allclose(P[:, :2], Y[:, :2].mean(axis=0), atol=0.005)
    assert np.all(np.diff(P[np.argsort(s[:, 0]), 0]) >= 0)  # in the order of the scores


@pytest.mark.parametrize("positives", [0, 1, 2, 399, 400])
def test_few_positives_are_not_believed_too_much(positives):
    y = (np.arange(400) < positives).astype(float)[:, None]
    P = calibrate(2 * y - 1.0, y).apply(2 * y - 1.0)
    assert np.all((P > 0) & (P < 1))
    assert np.all(P[y == 1] <= (positives + 1) / (positives + 2) + 1e-9)


def test_isotonic_is_scikit_learns_where_rows_suffice(scored):
    s, Y = scored
    found = calibrate(s, Y, "isotonic")
    enough = np.minimum(Y.sum(axis=0), len(Y) - Y.sum(axis=0)) >= 50
    assert enough.any()
    assert not enough.all()
    assert np.array_equal(found.kinds == "isotonic", enough)
    j = int(np.flatnonzero(enough)[0])
    n1 = Y[:, j].sum()
    t = np.where(Y[:, j] > 0, (n1 + 1) / (n1 + 2), 1 / (len(Y) - n1 + 2))
    expected = IsotonicRegression(out_of_bounds="clip").fit(s[:, j], t).predict(s[:, j])
    assert np.allclose(found.apply(s)[:, j], expected, atol=1e-12)


def test_temperature_minimises_the_loss():
    rng = np.random.default_rng(0)
    s = 0.1 * rng.normal(size=(300, 4))
    P = np.exp(20 * s) / np.exp(20 * s).sum(axis=1, keepdims=True)
    Y = np.eye(4)[[rng.choice(4, p=p) for p in P]]
    a, sure = fit_temperature(s, Y), 301 / 304

    def surprise(a):
        logs = a * s - np.log(np.exp(a * s).sum(axis=1, keepdims=True))
        return -((sure * Y + (1 - sure) / 3 * (1 - Y)) * logs).sum()

    assert surprise(a) < min(surprise(a * 1.001), surprise(a / 1.001))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 20))
    Y = (X[:, :5] + X[:, 5:10] + 1.5 * rng.normal(size=(700, 5)) > np.linspace(0, 3, 5)).astype(int)
    return X, Y


MODELS = [
    LabelRidgeCV(random_state=0),
    LabelRidgeCV(cv=3, random_state=0),
    SharedSubspaceClassifierCV([0.0, 0.1], [0.0, 0.01], random_state=0),
    MtSDACV(l1s=3, l2s=(0.1,), random_state=0),
    ProbabilityCalibrator(LabelRidge(), random_state=0),
    ProbabilityCalibrator(LabelRidgeCV(), random_state=0),
    ThresholdTuner(LabelRidge(), random_state=0),
    SGT(n_neighbors=20, similarity="rbf-knn"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_probabilities_are_better_than_shares_and_rank_as_scores(problem, model):
    X, Y = problem
    P = model.fit(X[:500], Y[:500]).predict_proba(X[500:])
    share = np.tile(Y[:500].mean(axis=0), (200, 1))
    assert P.shape == (200, 5)
    assert np.all((P > 0) & (P < 1))
    assert log_loss(Y[500:], P) < 0.95 * log_loss(Y[500:], share)
    scores = model.uncut_scores(X[500:])
    for p, s in zip(P.T, scores.T, strict=True):
        assert np.all(np.diff(p[np.argsort(s)]) >= 0)


def test_cnmf_has_probabilities_where_it_hides_rows():
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 3)) < 0.4).astype(int)
    X = Y @ rng.random((3, 15)) + 0.3 * rng.random((200, 15))
    some = np.where(np.arange(200)[:, None] < 80, Y, -1)
    P = CNMF(random_state=0).fit(X, some).predict_proba(X[80:])
    assert P.shape == (120, 3)
    assert np.all((P > 0) & (P < 1))
    assert not hasattr(CNMF(early_stopping=False, tol=0.5).fit(X, some), "predict_proba")


def test_labelled_only_passes_on_probabilities(problem):
    X, Y = problem
    some = np.where(np.arange(700)[:, None] < 300, Y, -1)
    model = LabelledOnly(LabelRidgeCV(random_state=0)).fit(X, some)
    alone = LabelRidgeCV(random_state=0).fit(X[:300], Y[:300])
    assert np.allclose(model.predict_proba(X), alone.predict_proba(X))
    assert not hasattr(LabelledOnly().fit(X, some), "predict_proba")


def test_the_tuner_passes_on_its_estimators_probabilities(problem):
    X, Y = problem
    Y = np.column_stack([Y, np.zeros(len(Y))])
    forest = RandomForestClassifier(10, random_state=0)
    with pytest.warns(UserWarning, match="predicted constant"):
        model = ThresholdTuner(forest, cv=2, random_state=0).fit(X, Y)
    own = forest.fit(X, Y[:, :5]).predict_proba(X)
    assert np.allclose(model.predict_proba(X)[:, :5], np.column_stack([p[:, 1] for p in own]))
    assert np.allclose(model.predict_proba(X)[:, 5], 1 / 702)


def test_a_tuner_without_held_out_scores_has_none(problem):
    assert not hasattr(ThresholdTuner(LabelRidge(), cv="train").fit(*problem), "predict_proba")


def test_prefit_takes_the_classifier_as_it_is(problem):
    X, Y = problem
    ridge = LabelRidge().fit(X[:300], Y[:300])
    model = ProbabilityCalibrator(ridge, cv="prefit").fit(X[300:], Y[300:])
    assert model.estimator_ is ridge
    expected = calibrate(ridge.decision_function(X[300:]), Y[300:]).apply(
        ridge.decision_function(X)
    )
    assert np.allclose(model.predict_proba(X), expected)
    assert np.array_equal(model.predict(X), expected > 0.5)


def test_few_rows_for_isotonic_are_named(problem):
    X, Y = problem
    Y = np.where((np.arange(700) > 300)[:, None] & (np.arange(5) == 4), 0, Y)
    with pytest.warns(UserWarning, match="too few for method='isotonic'.*label4"):
        model = ProbabilityCalibrator(LabelRidge(), "isotonic", random_state=0).fit(X, Y)
    assert model.calibration_.kinds[4] == "sigmoid"
    assert model.calibration_.kinds[0] == "isotonic"


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_of_a_vector_sum_to_one_and_the_likeliest_is_predicted(problem, classes):
    X, _ = problem
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.3, 1.0][: classes - 1])]
    for model in (LabelRidgeCV(random_state=0), MtSDACV(l1s=2, l2s=(0.1,), random_state=0)):
        P = model.fit(X, y).predict_proba(X)
        assert P.shape == (700, classes)
        assert np.allclose(P.sum(axis=1), 1)
        assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


def test_float32_stays(problem):
    X, Y = problem
    model = LabelRidgeCV(random_state=0).fit(X.astype(np.float32), Y)
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32


def test_penalties_for_probabilities_are_judged_by_sigmoids_of_other_folds(problem):
    X, Y = problem
    folds = KFold(3)
    model = LabelRidgeCV([10.0], cv=folds, scoring="log_loss", keep_scores=True).fit(X, Y)
    S, losses = model.held_out_scores_, []
    for train, test in folds.split(X):
        losses.append(log_loss(Y[test], calibrate(S[train], Y[train]).apply(S[test])))
    assert model.best_score_ == pytest.approx(-np.mean(losses), rel=1e-9)


@pytest.mark.parametrize("scoring", ["log_loss", "brier_loss"])
def test_every_tuned_classifier_takes_measures_of_probabilities(problem, scoring):
    X, Y = problem
    for model in (
        SharedSubspaceClassifierCV([0.0, 0.1], [0.01, 1.0], scoring=scoring, random_state=0),
        MtSDACV(l1s=2, l2s=(0.1,), scoring=scoring, random_state=0),
        OutOfFoldSearch(LabelRidge(), {"alpha": [1.0, 100.0]}, scoring=scoring, random_state=0),
    ):
        assert model.fit(X[:200], Y[:200]).best_score_ < 0


@pytest.mark.parametrize(
    "model",
    [
        LabelRidgeCV([1.0, 100.0], cv=[], scoring="log_loss"),
        MtSDACV(l1s=[0.1], l2s=[0.1], cv=[], tol=1e-9),
    ],
    ids=lambda model: type(model).__name__,
)
def test_weights_give_the_probabilities_of_repeated_rows(problem, model):
    X, Y = (part[:150] for part in problem)
    w = np.random.default_rng(0).integers(1, 3, 150)
    where = np.repeat(np.arange(150), w)
    fold = np.arange(150) % 3
    once, often = (
        [(np.flatnonzero(f != k), np.flatnonzero(f == k)) for k in range(3)]
        for f in (fold, fold[where])
    )
    one = clone(model).set_params(cv=once).fit(X, Y, sample_weight=w)
    other = clone(model).set_params(cv=often).fit(X[where], Y[where])
    assert np.allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("wrap", [ProbabilityCalibrator, ThresholdTuner])
def test_folds_of_a_kernel_matrix_are_of_both_its_sides(wrap):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X[:, :3] + rng.normal(size=(60, 3)) > 0).astype(int)
    made = wrap(LabelRidge(kernel="precomputed"), cv=3, random_state=0).fit(X @ X.T, Y)
    plain = wrap(LabelRidge(kernel="linear"), cv=3, random_state=0).fit(X, Y)
    assert_allclose(made.predict_proba(X @ X.T), plain.predict_proba(X), atol=1e-10)


def test_rows_without_labels_count_in_the_probabilities_of_cnmf():
    """Were they never hidden, what is likely among the others would be said of all."""
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(300, 6)))
    Y = np.eye(4, dtype=int)[np.argmax(X[:, :4], axis=1)]
    Y[X[:, 4:].sum(axis=1) > 1.6] = 0
    assert 0.3 < (Y.sum(axis=1) == 0).mean() < 0.7
    model = CNMF(random_state=0, verbose=False).fit(X[:200], Y[:200])
    P = model.predict_proba(X[200:])
    assert_allclose(P.sum(axis=1).mean(), Y[:200].sum(axis=1).mean(), atol=0.1)
