"""The tuned classifiers: the same answer as a search by scikit-learn, at a fraction of the work."""

import matplotlib as mpl
import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict

import colabel
from colabel import (
    LabelRidge,
    LabelRidgeCV,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
)
from colabel.linalg import cost, krylov, small
from colabel.metrics import f1, get_scorer, roc_auc
from colabel.tuning import cells
from colabel.tuning.cut_scores import per_label_thresholds

KINDS = ["tall", "wide", "rank-deficient wide"]
GRID = {"alphas": [0.0, 1e-3, 1.0], "betas": [1e-4, 1e-2]}
RIDGES = [0.01, 1.0, 100.0]
TUNED = [SharedSubspaceClassifierCV(**GRID, cv=3), LabelRidgeCV(cv=3)]


@pytest.mark.parametrize("scoring", ["f1_macro", "auc_macro", "one_error", "hamming_loss"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_grid_is_that_of_a_plain_search(kind, scoring):
    X, Y = problems.make(kind)
    folds = KFold(4, shuffle=True, random_state=0)
    model = SharedSubspaceClassifierCV(**GRID, cv=folds, scoring=scoring, thresholds=None)
    model.fit(sp.csr_array(X), Y)
    plain = GridSearchCV(
        SharedSubspaceClassifier(),
        {"alpha": GRID["alphas"], "beta": GRID["betas"]},
        cv=folds,
        scoring=get_scorer(scoring),
    ).fit(X, Y)
    assert [(p["alpha"], p["beta"]) for p in model.cv_results_["params"]] == [
        (p["alpha"], p["beta"]) for p in plain.cv_results_["params"]
    ]
    for key in ("mean_test_score", "std_test_score", *(f"split{i}_test_score" for i in range(4))):
        assert_allclose(model.cv_results_[key], plain.cv_results_[key], atol=1e-10)
    assert (model.alpha_, model.beta_) == tuple(plain.best_params_.values())
    assert_allclose(model.coef_, plain.best_estimator_.coef_, atol=1e-8)
    assert_allclose(model.intercept_, plain.best_estimator_.intercept_, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_are_tuned_on_the_training_rows_of_the_fold(kind):
    X, Y = problems.make(kind)
    folds = KFold(4, shuffle=True, random_state=0)
    model = SharedSubspaceClassifierCV(**GRID, cv=folds, thresholds="train").fit(X, Y)
    plain = GridSearchCV(
        ThresholdTuner(SharedSubspaceClassifier(), cv="train"),
        {"estimator__alpha": GRID["alphas"], "estimator__beta": GRID["betas"]},
        cv=folds,
        scoring=get_scorer("f1_macro"),
    ).fit(X, Y)
    assert_allclose(model.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    best = plain.best_estimator_
    assert_allclose(model.thresholds_, best.thresholds_, atol=1e-7)
    assert_array_equal(model.predict(X), best.predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_out_of_fold(kind):
    X, Y = problems.make(kind)
    splits = list(KFold(4).split(X))
    model = SharedSubspaceClassifierCV([0.1], [0.01], cv=splits).fit(X, Y)
    classifier = SharedSubspaceClassifier(0.1, 0.01)
    tuner = ThresholdTuner(classifier, cv=splits).fit(X, Y)
    assert_allclose(model.thresholds_, tuner.thresholds_, atol=1e-8)
    assert_array_equal(model.predict(X), tuner.predict(X))
    scores = cross_val_predict(classifier, X, Y, cv=splits, method="decision_function")
    for i, (train, test) in enumerate(splits):
        cuts = per_label_thresholds(scores[train], Y[train], "f1", 0.1)
        expected = f1(Y[test], (scores[test] > cuts).astype(int), average="macro")
        assert model.cv_results_[f"split{i}_test_score"][0] == pytest.approx(expected)


def test_a_single_split_tunes_thresholds_on_its_training_rows():
    X, Y = problems.make("tall")
    split = [(np.arange(40), np.arange(40, 60))]
    one, train = (
        SharedSubspaceClassifierCV(**GRID, cv=split, thresholds=t).fit(X, Y).cv_results_
        for t in ("out-of-fold", "train")
    )
    assert_allclose(one["mean_test_score"], train["mean_test_score"])


def test_blocks_of_the_grid_change_nothing(monkeypatch):
    X, Y = problems.make("tall")
    model = SharedSubspaceClassifierCV(**GRID, cv=3, random_state=0)
    whole = model.fit(X, Y).cv_results_["mean_test_score"]
    monkeypatch.setattr(cells, "KEPT_BYTES", 0)
    assert_allclose(model.fit(X, Y).cv_results_["mean_test_score"], whole)


@pytest.mark.parametrize("kind", KINDS)
def test_label_ridge_cv_is_a_plain_search(kind):
    X, Y = problems.make(kind)
    folds = KFold(4, shuffle=True, random_state=0)
    model = LabelRidgeCV(RIDGES, cv=folds, thresholds=None).fit(sp.csr_array(X), Y)
    plain = GridSearchCV(
        LabelRidge(), {"alpha": RIDGES}, cv=folds, scoring=get_scorer("f1_macro")
    ).fit(X, Y)
    assert_allclose(model.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    assert model.alpha_ == plain.best_params_["alpha"]
    assert model.best_score_ == pytest.approx(plain.best_score_)
    assert_allclose(model.coef_, plain.best_estimator_.coef_, atol=1e-8)


@pytest.fixture
def sides(monkeypatch):
    """The sides of what is factored."""
    found, original = [], small.eigh

    def eigh(A, **options):
        if len(A) > 5:  # not one of the labels
            found.append(len(A))
        return original(A, **options)

    monkeypatch.setattr(small, "eigh", eigh)
    return found


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("estimator", [SharedSubspaceClassifierCV(**GRID), LabelRidgeCV()])
def test_leaving_one_out_takes_one_factorisation(estimator, kind, sides):
    X, Y = problems.make(kind)
    clone(estimator).fit(sp.csr_array(X), Y)
    assert sides == [min(X.shape)]


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("estimator", [SharedSubspaceClassifierCV(**GRID), LabelRidgeCV()])
def test_one_factorisation_a_fold(estimator, kind, sides):
    X, Y = problems.make(kind)
    clone(estimator).set_params(cv=KFold(3)).fit(sp.csr_array(X), Y)
    assert sides == [min(2 * len(X) // 3, X.shape[1])] * 3


@pytest.mark.parametrize(
    "scoring",
    [
        "f1_micro",
        "f1_samples",
        "roc_auc",
        get_scorer("accuracy"),
        make_scorer(roc_auc, response_method="decision_function"),
    ],
)
def test_any_scorer(scoring):
    X, Y = problems.make("tall")
    model = SharedSubspaceClassifierCV(**GRID, cv=3, scoring=scoring, random_state=0).fit(X, Y)
    assert np.all(np.isfinite(model.cv_results_["mean_test_score"]))


@pytest.mark.parametrize("estimator", [SharedSubspaceClassifierCV(**GRID), LabelRidgeCV()])
def test_seeds_threads_and_factored_data_change_nothing(estimator):
    X, Y = problems.make("wide")
    first = estimator.set_params(random_state=3, cv=3).fit(X, Y)
    expected = first.cv_results_["mean_test_score"].copy(), first.predict(X)
    for data, n_jobs in ((colabel.factor(X), None), (X, 2), (sp.csc_array(X), 2)):
        again = estimator.set_params(n_jobs=n_jobs).fit(data, Y)
        assert_allclose(again.cv_results_["mean_test_score"], expected[0])
        assert_array_equal(again.predict(X), expected[1])


def test_heat_map_of_the_grid():
    mpl.use("Agg")
    X, Y = problems.make("tall")
    ax = SharedSubspaceClassifierCV(**GRID, cv=3, random_state=0).fit(X, Y).plot_grid()
    assert ax.images[0].get_array().shape == (3, 2)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0", "0.001", "1"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alphas": []}, "alphas must be a sequence of finite numbers"),
        ({"betas": [-1.0]}, r"betas must be .* got \[-1.0\]"),
        ({"betas": [np.nan]}, "betas must be"),
        ({"scoring": "f1_makro"}, "unknown metric 'f1_makro'; did you mean 'f1_macro'"),
        ({"cv": 1000}, "n_splits=1000"),
        ({"thresholds": "best"}, "'thresholds' parameter"),
    ],
)
def test_bad_settings(params, message):
    X, Y = problems.make("tall")
    with pytest.raises(ValueError, match=message):
        SharedSubspaceClassifierCV(**params).fit(X, Y)


def test_labels_missing_from_folds():
    X, Y = problems.make("tall")
    Y = np.column_stack([Y, np.zeros(60, int), np.ones(60, int), np.eye(60, dtype=int)[:, 7]])
    with pytest.warns(UserWarning, match="2 of 8 labels"):
        model = SharedSubspaceClassifierCV(**GRID, random_state=0).fit(X, Y)
    predicted = model.predict(X)
    assert np.all(predicted[:, 5] == 0)
    assert np.all(predicted[:, 6] == 1)


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("thresholds", ["out-of-fold", "train", None])
@pytest.mark.parametrize("name", ["LabelRidgeCV", "SharedSubspaceClassifierCV"])
def test_data_too_large_to_factor_are_tuned_by_iteration(name, thresholds, kind, monkeypatch):
    """One Krylov space a fold serves the whole grid, with the same scores."""
    X, Y = problems.make(kind)
    grid = ([0.1, 1.0], [0.01, 0.3]) if name.startswith("Shared") else ([0.1, 1.0, 10.0],)
    model = getattr(colabel, name)(
        *grid, cv=3, scoring="auc_macro", thresholds=thresholds, random_state=0, verbose=False
    )
    expected = clone(model).fit(X, Y)
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    solved = []
    plain = krylov.solve
    monkeypatch.setattr(
        krylov,
        "solve",
        lambda A, F, shifts, **k: (solved.append(shifts), plain(A, F, shifts, **k))[1],
    )
    found = model.fit(sp.csr_array(X), Y)
    assert_allclose(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], atol=1e-6
    )
    assert_allclose(found.coef_, expected.coef_, atol=1e-5 * np.abs(expected.coef_).max())
    assert_allclose(found.thresholds_, expected.thresholds_, atol=1e-4)
    # one solve a fold for all ridges, and one for the model
    distinct = 3 if name == "LabelRidgeCV" else 6
    assert sorted(len(shifts) for shifts in solved)[-3:] == [distinct] * 3
