"""The search on held-out scores: equal to the library's own, and to a plain transcription."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from odd_methods import Constant, problem
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ParameterGrid
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from colabel import OPLS, LabelRidge, LabelRidgeCV, ThresholdTuner, factor
from colabel.datasets import IterativeStratifiedKFold
from colabel.metrics import f1
from colabel.tuning import OutOfFoldSearch
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.judge import Judge
from colabel.tuning.routing import Passed
from colabel.tuning.search import _Rows

ALPHAS = [0.01, 1.0, 100.0]


def test_it_is_the_librarys_search_for_ridge_regression():
    X, Y = problem(150)
    ours = OutOfFoldSearch(LabelRidge(), {"alpha": ALPHAS}, cv=4, random_state=3).fit(X, Y)
    theirs = LabelRidgeCV(ALPHAS, cv=4, random_state=3).fit(X, Y)
    assert ours.best_params_ == {"alpha": theirs.alpha_}
    expected = theirs.cv_results_["mean_test_score"]
    assert_allclose(ours.cv_results_["mean_test_score"], expected, rtol=0, atol=1e-12)
    assert_allclose(ours.thresholds_, theirs.thresholds_, rtol=0, atol=1e-8)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-8)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_without_a_grid_it_is_the_threshold_tuner():
    X, Y = problem(150)
    model = OneVsRestClassifier(LogisticRegression())
    ours = OutOfFoldSearch(model, {}, cv=5, random_state=0).fit(X, Y)
    theirs = ThresholdTuner(model, cv=5, random_state=0).fit(X, Y)
    assert_array_equal(ours.thresholds_, theirs.thresholds_)
    assert_array_equal(ours.decision_function(X), theirs.decision_function(X))


def test_a_pipeline_is_searched_as_if_every_candidate_were_fitted_by_itself():
    X, Y = problem(120)
    model = Pipeline([("opls", OPLS()), ("ridge", LabelRidge())])
    grid = {"opls__ridge": [0.1, 50.0], "ridge__alpha": ALPHAS}
    search = OutOfFoldSearch(model, grid, cv=3, random_state=1).fit(X, Y)
    folds = list(IterativeStratifiedKFold(3, random_state=np.random.RandomState(1)).split(X, Y))
    expected = {}
    for candidate in ParameterGrid(grid):
        scores = np.empty(Y.shape)
        for train, test in folds:
            fitted = model.set_params(**candidate).fit(X[train], Y[train])
            scores[test] = fitted.decision_function(X[test])
        values = []
        for train, test in folds:
            t = per_label_thresholds(scores[train], Y[train], "f1", 0.1)
            values.append(f1(Y[test], scores[test] > t, average="macro"))
        expected[repr(sorted(candidate.items()))] = np.mean(values)
    found = {
        repr(sorted(candidate.items())): value
        for candidate, value in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
    }
    assert found.keys() == expected.keys()
    assert len(found) == 6
    for key, value in expected.items():
        assert abs(found[key] - value) < 1e-10
    assert search.best_score_ == max(found.values())


def test_factored_sparse_and_dense_rows_give_the_same():
    X, Y = problem(120)
    X[np.abs(X) < 0.8] = 0.0
    model = Pipeline([("opls", OPLS()), ("ridge", LabelRidge())])
    grid = {"opls__ridge": [0.1, 50.0], "ridge__alpha": ALPHAS}
    found = [
        OutOfFoldSearch(model, grid, cv=3, random_state=1).fit(form, Y)
        for form in (X, sp.csr_array(X), factor(X))
    ]
    for other in found[1:]:
        assert other.best_params_ == found[0].best_params_
        scores = found[0].decision_function(X)
        assert_allclose(other.decision_function(X), scores, rtol=0, atol=1e-8)


def test_labels_that_do_not_vary_are_predicted_constant():
    X, Y = problem(90)
    Y = np.column_stack([np.zeros(90, int), Y, np.ones(90, int)])
    Y[:, 1] = 0
    Y[3, 1] = 1  # in one fold only
    model = OneVsRestClassifier(LogisticRegression())
    with pytest.warns(UserWarning, match="2 of 5 labels have only one value"):
        search = OutOfFoldSearch(model, {}, cv=3, random_state=0).fit(X, Y)
    predicted = search.predict(X)
    assert not predicted[:, 0].any()
    assert predicted[:, -1].all()
    assert np.isfinite(search.decision_function(X)).all()


def test_a_single_label_is_a_column():
    X, Y = problem(90)
    search = OutOfFoldSearch(LabelRidge(), {"alpha": ALPHAS}, cv=3, random_state=0)
    assert search.fit(X, Y[:, :1]).predict(X).shape == (90, 1)


def test_a_classifier_without_scores_is_refused():
    X, Y = problem(90)
    with pytest.raises(TypeError, match="has neither decision_function nor predict_proba"):
        OutOfFoldSearch(Constant(), {}, cv=3).fit(X, Y)


def test_folds_that_divide_the_rows_are_judged_from_one_sort_as_one_by_one():
    X, Y = problem(150)
    search = OutOfFoldSearch(LabelRidge(), {}, cv=4, random_state=0).fit(X, Y)
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    scores = np.random.default_rng(0).normal(size=Y.shape).round(1)  # with ties
    rows = _Rows(X, Y, None, Passed())
    for scoring in ("f1_macro", "f1_micro", "hamming_loss", "auc_macro"):
        search.scoring = scoring
        at_once = search._judge_of(rows, folds)(scores)
        one_by_one = search._judge(Judge(scoring), scores, rows, folds)
        assert_allclose(at_once, one_by_one, rtol=0, atol=1e-12)


FOREST = RandomForestClassifier(60, random_state=0)


def test_forests_are_judged_and_cut_by_the_trees_that_have_not_seen_a_row():
    X, Y = problem(120)
    grid = {"min_samples_leaf": [1, 8]}
    search = OutOfFoldSearch(FOREST, grid, cv="oob", scoring="f1", random_state=0).fit(X, Y)
    parts = list(IterativeStratifiedKFold(5, random_state=np.random.RandomState(0)).split(X, Y))
    judged = []
    for leaf in grid["min_samples_leaf"]:
        forest = clone(FOREST).set_params(min_samples_leaf=leaf, oob_score=True).fit(X, Y)
        votes = forest.oob_decision_function_[:, 1]
        cut = [
            f1(Y[test], votes[test] > per_label_thresholds(votes[others], Y[others], "f1", 0.1))
            for others, test in parts
        ]
        judged.append(np.mean(cut))
    assert_allclose(search.cv_results_["mean_test_score"], judged, rtol=0, atol=1e-12)
    best = search.best_params_["min_samples_leaf"]
    forest = clone(FOREST).set_params(min_samples_leaf=best, oob_score=True).fit(X, Y)
    votes = forest.oob_decision_function_[:, 1]
    thresholds = per_label_thresholds(votes, Y, "f1", 0.1)
    assert_allclose(search.thresholds_, thresholds, rtol=0, atol=1e-12)
    expected = np.stack([p[:, 1] for p in forest.predict_proba(X)], axis=1) - thresholds
    assert_allclose(search.decision_function(X), expected, rtol=0, atol=1e-12)


def test_one_label_and_rows_that_every_tree_has_seen_have_votes_too():
    X, Y = problem(60)
    forest = RandomForestClassifier(3, random_state=0)  # of which some rows are in every bag
    one = OutOfFoldSearch(forest, {}, cv="oob", random_state=0).fit(X, Y[:, :1])
    several = OutOfFoldSearch(forest, {}, cv="oob", random_state=0).fit(X, Y)
    assert one.predict(X).shape == (60, 1)
    assert np.isfinite(one.thresholds_).all()
    assert np.isfinite(several.decision_function(X)).all()


def test_votes_are_asked_of_forests_only():
    X, Y = problem(60)
    with pytest.raises(ValueError, match="LabelRidge has none: use folds, cv=5"):
        OutOfFoldSearch(LabelRidge(), {}, cv="oob").fit(X, Y)
