"""Parameters of a fit reach the classifier inside and the folds, routed by scikit-learn or not."""

import numpy as np
import problems
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from colabel import (
    OPLS,
    LabelRidge,
    LabelRidgeCV,
    MtSDACV,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
)
from colabel.metrics import get_scorer
from colabel.tuning import OutOfFoldSearch

X, Y = problems.make("tall")
W = np.random.default_rng(1).integers(0, 4, len(Y)).astype(float)
GROUPS = np.arange(len(Y)) // 10
ALPHAS = [0.1, 100.0]


class Listening(LabelRidge):
    """Keeps what its fit was given."""

    def fit(self, X, y, sample_weight=None, colour=None, speed=1):
        self.heard_ = {"colour": colour, "speed": speed, "rows": len(X), "weights": sample_weight}
        return super().fit(X, y, sample_weight)


def tuner(estimator, **options):
    return ThresholdTuner(estimator, cv=KFold(3), **options)


def search(estimator, grid=None, **options):
    return OutOfFoldSearch(estimator, grid or {}, cv=KFold(3), **options)


@pytest.mark.parametrize("make", [tuner, search])
def test_parameters_of_rows_are_divided_as_rows_are(make):
    colours = np.arange(len(Y))
    heard = make(Listening()).fit(X, Y, colour=colours, speed=3).estimator_.heard_
    assert_array_equal(heard["colour"], colours)
    assert heard["speed"] == 3
    heard = make(Listening()).fit(X, Y, W, colour=colours).estimator_.heard_
    assert_array_equal(heard["colour"], colours[W > 0])
    assert_array_equal(heard["weights"], W[W > 0])
    with pytest.raises(TypeError, match=r"LabelRidge.fit.*unexpected keyword argument 'colour'"):
        make(LabelRidge()).fit(X, Y, colour=colours)


@pytest.mark.parametrize("make", [tuner, search])
def test_scikit_learn_routes_to_those_who_ask(make):
    with sklearn.config_context(enable_metadata_routing=True):
        asking = Listening().set_fit_request(sample_weight=True, colour=True)
        found = make(asking).fit(X, Y, sample_weight=W, colour=np.arange(len(Y)))
        assert_array_equal(found.estimator_.heard_["weights"], W[W > 0])
        assert_array_equal(found.estimator_.heard_["colour"], np.flatnonzero(W))
        silent = Listening().set_fit_request(sample_weight=False)
        found = make(silent).fit(X, Y, sample_weight=W)
        assert found.estimator_.heard_["weights"] is None
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            make(Listening()).fit(X, Y, sample_weight=W)


@pytest.mark.parametrize("make", [tuner, search])
def test_routed_weights_are_those_that_are_passed_on_without(make):
    steps = [("scale", StandardScaler()), ("opls", OPLS(3)), ("ridge", LabelRidge())]
    plain = make(Pipeline(steps)).fit(X, Y, W)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = [(name, step.set_fit_request(sample_weight=True)) for name, step in steps]
        routed = make(Pipeline(asking)).fit(X, Y, sample_weight=W)
    assert_allclose(routed.thresholds_, plain.thresholds_, rtol=1e-12)
    assert_allclose(routed.uncut_scores(X), plain.uncut_scores(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("make", [tuner, search])
def test_a_search_of_scikit_learn_routes_through(make):
    with sklearn.config_context(enable_metadata_routing=True):
        inside = make(Listening().set_fit_request(sample_weight=True))
        outside = GridSearchCV(
            inside.set_fit_request(sample_weight=True),
            {"estimator__alpha": ALPHAS},
            scoring=get_scorer("f1_macro"),
            cv=3,
        )
        found = outside.fit(X, Y, sample_weight=W + 1).best_estimator_
    assert_array_equal(found.estimator_.heard_["weights"], W + 1)


GROUPED = [
    lambda cv: ThresholdTuner(LabelRidge(), cv=cv, keep_scores=True),
    lambda cv: OutOfFoldSearch(LabelRidge(), {"alpha": ALPHAS}, cv=cv),
    lambda cv: LabelRidgeCV(ALPHAS, cv=cv, keep_scores=True),
    lambda cv: SharedSubspaceClassifierCV([0.1], [0.01, 0.1], cv=cv, keep_scores=True),
    lambda cv: MtSDACV([0.5, 0.1], [0.1], cv=cv, max_iter=3, tol=1.0),
]


@pytest.mark.filterwarnings("ignore:the best")
@pytest.mark.parametrize("make", GROUPED)
def test_groups_reach_the_folds(make):
    folds = list(GroupKFold(3).split(X, Y, GROUPS))
    given = make(folds).fit(X, Y)
    grouped = make(GroupKFold(3)).fit(X, Y, groups=GROUPS)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make(GroupKFold(3)).fit(X, Y, groups=GROUPS)
    for model in (grouped, routed):
        assert_array_equal(model.predict(X), given.predict(X))
        assert_allclose(model.uncut_scores(X), given.uncut_scores(X))
        for name in ("held_out_scores_", "best_score_", "thresholds_"):
            if hasattr(given, name):
                assert_allclose(getattr(model, name), getattr(given, name))


def test_a_tuned_classifier_has_nobody_to_pass_other_parameters_to():
    with pytest.raises(TypeError, match=r"LabelRidgeCV.fit.*unexpected keyword argument 'colour'"):
        LabelRidgeCV().fit(X, Y, colour=1)
    with pytest.raises(TypeError, match=r"MtSDACV.fit.*unexpected keyword argument 'colour'"):
        MtSDACV().fit(X, Y, colour=1)


def repeated(weights):
    rows = np.repeat(np.arange(len(weights)), weights.astype(int))
    part = np.arange(len(weights)) % 3
    folds = [
        [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]
        for of in (part, part[rows])
    ]
    return rows, *folds


@pytest.mark.parametrize(
    "model", [LabelRidge(), Pipeline([("opls", OPLS(3)), ("ridge", LabelRidge())])]
)
def test_a_search_weighs_rows(model):
    name = "alpha" if isinstance(model, LabelRidge) else "ridge__alpha"
    rows, folds, of_repeated = repeated(W)
    weighed = OutOfFoldSearch(model, {name: ALPHAS}, cv=folds).fit(X, Y, W)
    again = OutOfFoldSearch(model, {name: ALPHAS}, cv=of_repeated).fit(X[rows], Y[rows])
    assert weighed.best_params_ == again.best_params_
    for result in ("mean_test_score",):
        assert_allclose(weighed.cv_results_[result], again.cv_results_[result], atol=1e-10)
    assert_allclose(weighed.thresholds_, again.thresholds_, atol=1e-8)
    assert_allclose(weighed.decision_function(X), again.decision_function(X), atol=1e-8)
    assert_allclose(weighed.predict_proba(X), again.predict_proba(X), atol=1e-6)


def test_a_search_leaves_out_what_is_unknown():
    gaps = Y.astype(float)
    gaps[np.random.default_rng(0).random(Y.shape) < 0.4] = np.nan
    folds = list(KFold(3).split(X))
    found = OutOfFoldSearch(LabelRidge(), {"alpha": ALPHAS}, cv=folds).fit(X, gaps)
    same = LabelRidgeCV(ALPHAS, cv=folds).fit(X, gaps)
    assert_allclose(found.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert_allclose(found.thresholds_, same.thresholds_, atol=1e-8)
    assert_array_equal(found.predict(X), same.predict(X))
    with pytest.raises(ValueError, match="OutOfFoldSearch cannot learn from rows that are known"):
        OutOfFoldSearch(Ridge(), {}).fit(X, gaps)
