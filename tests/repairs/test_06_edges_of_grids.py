"""Searches ended silently at the edge of their grids; the shared subspace's ended at β = 1."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from colabel import MVMD, LabelRidge, LabelRidgeCV, MtSDACV, SharedSubspaceClassifierCV
from colabel.catalogue import comparable
from colabel.classifiers import cca_ridge
from colabel.tuning import OutOfFoldSearch, make_search
from colabel.tuning.edges import End, bounds_of, open_ends

EDGE = "the best of the search is at the edge of its grid"


def noisy(scale=1.0, seed=0, n=80, d=60, q=4):
    """Few rows, many features and much noise: large penalties are best, larger with `scale`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X[:, :q] + 2.0 * rng.normal(size=(n, q)) > 0).astype(int)
    return scale * X, Y


def flat(estimator, X, Y):
    """Better the less scores vary, and so the larger a penalty is."""
    return -np.std(estimator.decision_function(X), axis=0).mean()


def steep(estimator, X, Y):
    """Better the smaller a penalty is."""
    return -flat(estimator, X, Y)


def ends(candidates, scores, bounds=(0.0, np.inf)):
    return open_ends(candidates, np.array(scores), lambda name: bounds)


def line(values):
    return [{"alpha": value} for value in values]


# --- which ends are worth a word --------------------------------------------------------------


def test_the_next_value_beyond_either_end_is_as_far_as_the_last_step():
    tried = line([0.1, 1.0, 10.0])
    assert ends(tried, [0.1, 0.2, 0.3]) == [End("alpha", 10.0, 100.0)]
    assert ends(tried, [0.3, 0.2, 0.1]) == [End("alpha", 0.1, 0.01)]
    assert ends(line([0.0, 5.0]), [0.1, 0.2]) == [End("alpha", 5.0, 50.0)]


@pytest.mark.parametrize(
    ("values", "scores"),
    [
        ([0.1, 1.0, 10.0], [0.1, 0.3, 0.2]),  # inside
        ([0.0, 1.0, 10.0], [0.3, 0.2, 0.1]),  # no penalty at all
        ([0.1, 1.0, 10.0], [0.3, 0.3, 0.2]),  # a plateau
        ([0.1, 1.0, 10.0], [0.1, 0.3, 0.3]),
        ([0.1, 1.0], [0.2, 0.2]),
        ([1.0], [0.2]),  # nothing was searched
        ([0.1, 1.0], [np.nan, np.nan]),
    ],
)
def test_natural_ends_and_plateaus_are_not(values, scores):
    assert not ends(line(values), scores)


def test_ends_are_looked_for_parameter_by_parameter():
    cells = [{"alpha": a, "beta": b, "kind": "x"} for a in (0.0, 1.0) for b in (0.1, 1.0)]
    assert ends(cells, [0.1, 0.2, 0.3, 0.4]) == [End("alpha", 1.0, 10.0), End("beta", 1.0, 10.0)]
    assert ends(cells, [0.1, 0.4, 0.2, 0.3]) == [End("beta", 1.0, 10.0)]


def test_values_beyond_stay_where_the_parameter_can_be():
    assert ends(line([0.1, 0.5, 0.9]), [1, 2, 3], (0.0, 1.0)) == [End("alpha", 0.9, 0.95)]
    assert ends(line([0.5, 1.0]), [1, 2], (0.0, 1.0)) == []
    assert ends(line([0.2, 0.4]), [1, 2], (-0.5, 1.0)) == [End("alpha", 0.4, 0.6)]
    assert ends(line([-0.4, 0.0]), [2, 1], (-0.5, 1.0)) == [End("alpha", -0.4, -0.45)]
    assert ends(line([1, 3]), [2, 1], (1, np.inf)) == []
    assert ends(line([1, 3]), [1, 2], (1, np.inf)) == [End("alpha", 3, 9)]
    pipeline = Pipeline([("extract", MVMD()), ("ridge", LabelRidge())])
    assert bounds_of(pipeline, "extract__beta") == (0, 1)
    assert bounds_of(pipeline, "ridge__alpha") == (0, np.inf)
    assert bounds_of(OneVsRestClassifier(LogisticRegression()), "estimator__C") == (0, np.inf)
    assert bounds_of(KNeighborsClassifier(), "n_neighbors") == (1, np.inf)


# --- searches ---------------------------------------------------------------------------------


def test_the_grid_of_the_shared_subspace_goes_to_100():
    X, Y = noisy()
    results = SharedSubspaceClassifierCV(cv=3, random_state=0).fit(X, Y).cv_results_
    for name in ("param_alpha", "param_beta"):
        assert results[name].max() >= 100.0


@pytest.mark.parametrize("thresholds", ["out-of-fold", "train", None])
def test_default_grids_are_followed_beyond_their_ends(thresholds):
    X, Y = noisy(scale=300.0)
    settings = {"scoring": "auc_macro", "thresholds": thresholds, "random_state": 0}
    settings["cv"] = KFold(5, shuffle=True, random_state=0)  # by which they are followed
    ridge = LabelRidgeCV(**settings).fit(X, Y)
    alphas = ridge.cv_results_["param_alpha"]
    assert ridge.alpha_ > 1000.0
    assert 8 <= len(alphas) <= 10
    assert_array_equal(alphas, np.sort(alphas))
    wide = LabelRidgeCV(alphas, **settings).fit(X, Y)
    assert_allclose(wide.cv_results_["mean_test_score"], ridge.cv_results_["mean_test_score"])
    assert wide.alpha_ == ridge.alpha_
    shared = SharedSubspaceClassifierCV(**settings).fit(X, Y)
    assert shared.beta_ > 100.0


def test_small_penalties_are_followed_too():
    X, Y = noisy(scale=1e-4)
    model = LabelRidgeCV(scoring=steep, random_state=0).fit(X, Y)
    assert model.alpha_ == 1e-6
    assert_array_equal(model.cv_results_["param_alpha"][:4], [1e-6, 1e-5, 1e-4, 1e-3])
    shared = SharedSubspaceClassifierCV(scoring=steep, random_state=0).fit(X, Y)
    assert shared.beta_ == 0.0


def test_following_ends_after_some_steps_and_says_so():
    X, Y = noisy()
    with pytest.warns(
        UserWarning, match=f"{EDGE}: alpha=1e.06, where a grid .* on to 1e.07"
    ) as seen:
        model = LabelRidgeCV(scoring=flat, random_state=0).fit(X, Y)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert model.alpha_ == 1e6


def test_a_grid_of_ones_own_is_kept_and_its_end_said_once():
    X, Y = noisy()
    with pytest.warns(UserWarning, match=rf"{EDGE}: alpha=1, where a grid .* on to 10 may") as seen:
        model = LabelRidgeCV([0.01, 0.1, 1.0], scoring=flat, random_state=0).fit(X, Y)
    assert len(seen) == 1
    assert_array_equal(model.cv_results_["param_alpha"], [0.01, 0.1, 1.0])
    with pytest.warns(UserWarning, match="beta=0.1, where a grid .* on to 1 may"):
        SharedSubspaceClassifierCV([0.0], [0.01, 0.1], scoring=flat, random_state=0).fit(X, Y)
    search = OutOfFoldSearch(LabelRidge(), {"alpha": [0.1, 1.0]}, scoring=flat)
    with pytest.warns(UserWarning, match="alpha=1, where a grid .* on to 10 may"):
        search.set_params(random_state=0).fit(X, Y)


def test_an_end_in_the_middle_is_not_said():
    X, Y = noisy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LabelRidgeCV(scoring="auc_macro", random_state=0).fit(X, Y)
        LabelRidgeCV([50.0], scoring="auc_macro", random_state=0).fit(X, Y)


def test_mtsda_says_where_its_penalties_end():
    X, Y = noisy()
    search = MtSDACV([0.05, 0.1], [0.1], cv=3, random_state=0, tol=1e-4)
    with pytest.warns(UserWarning, match=f"{EDGE}: l1=0.1, where a grid .* on to 0.2") as seen:
        search.fit(X, Y)
    assert seen[0].filename == __file__


def test_a_search_over_any_classifier_follows_as_far_as_it_is_told():
    X, Y = noisy()
    grid = {"alpha": [0.1, 1.0]}
    search = OutOfFoldSearch(LabelRidge(), grid, scoring=flat, random_state=0, follow=3).fit(X, Y)
    tried = [params["alpha"] for params in search.cv_results_["params"]]
    assert tried == [0.1, 1.0, 10.0, 100.0, 1000.0]
    assert search.best_params_ == {"alpha": 1000.0}
    wide = OutOfFoldSearch(LabelRidge(), {"alpha": tried}, scoring=flat, random_state=0)
    wide.fit(X, Y)
    for key in ("best_params_", "best_score_"):
        assert getattr(wide, key) == getattr(search, key)
    assert_array_equal(wide.thresholds_, search.thresholds_)
    assert_allclose(wide.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


def test_methods_of_a_comparison_follow_the_ends_of_their_grids():
    for method in comparable().values():
        for quick in (True, False):
            model = method.candidate(folds=3, scoring="f1_macro", seed=0, quick=quick)
            if isinstance(model, OutOfFoldSearch):
                assert model.follow >= 1


def test_the_picture_of_a_grid_shows_what_was_tried_beyond_it():
    import matplotlib as mpl

    mpl.use("agg")
    X, Y = noisy(scale=300.0)
    folds = KFold(3, shuffle=True, random_state=0)
    model = SharedSubspaceClassifierCV(cv=folds, scoring="auc_macro", random_state=0).fit(X, Y)
    alphas, betas, scores = model.grid_scores()
    assert scores.shape == (len(alphas), len(betas))
    assert max(betas) > 100.0
    assert scores[alphas.index(model.alpha_), betas.index(model.beta_)] == model.best_score_
    assert model.plot_grid().images[0].get_array().shape == scores.shape


@pytest.mark.filterwarnings("default")
def test_a_tuned_baseline_says_where_its_grid_ends():
    search = make_search(cca_ridge(), cv=2, scoring=flat, thresholds=None)
    search.set_params(param_grid={"ridge__alpha": [1.0, 10.0, 100.0]})
    with pytest.warns(UserWarning, match=rf"{EDGE}: ridge__alpha=100, .* goes on to 1000"):
        search.fit(*noisy())
    assert search.best_params_ == {"ridge__alpha": 100.0}
