import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from label_problems import problem
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier

from colabel import metrics as m

X, Y = make_multilabel_classification(n_samples=80, n_classes=6, random_state=0)
CV = KFold(3)
LINEAR = OneVsRestClassifier(LogisticRegression())
LOSSES = {
    "hamming_loss",
    "ranking_loss",
    "one_error",
    "is_error",
    "error_set_size",
    "coverage",
    "log_loss",
    "brier_loss",
    "calibration_error",
}


def test_the_registry():
    assert {name for name, metric in m.METRICS.items() if not metric.greater_is_better} == LOSSES
    for name, metric in m.METRICS.items():
        assert metric.name == name
        assert metric.function is getattr(m, metric.function.__name__)
        assert metric.description
        assert pickle.loads(pickle.dumps(metric)) == metric
        assert hash(metric) == hash(m.METRICS[name])


def test_every_measure_has_a_name():
    others = {"METRICS", "LabelScorer", "Metric", "get_scorer", "score", "scorable_labels"}
    others |= {"Reliability", "reliability"}  # of which a diagram is made
    others |= {"hsic"}  # of features, not of predictions
    registered = {metric.function.__name__ for metric in m.METRICS.values()}
    assert registered == set(m.__all__) - others
    for name in registered:
        first, second = list(inspect.signature(getattr(m, name)).parameters)[:2]
        assert (first, second) in {("y_true", "y_pred"), ("y_true", "y_score")}


@pytest.mark.parametrize("name", m.METRICS)
def test_better_predictions_have_better_values(name):
    metric = m.METRICS[name]
    scores = Y + 0.1 * np.random.default_rng(0).random(Y.shape)
    good = Y if metric.needs == "labels" else scores / 1.1
    bad = 1 - good
    assert (metric(Y, good) > metric(Y, bad)) == metric.greater_is_better


def test_scorers_in_cross_validation():
    scoring = {name: m.get_scorer(name) for name in m.METRICS}
    values = cross_validate(LINEAR, X, Y, scoring=scoring, cv=CV)
    # cross_validate refuses a sparse Y; GridSearchCV takes it
    search = GridSearchCV(LINEAR, {}, scoring=scoring, cv=CV, refit=False).fit(X, sp.csr_array(Y))
    for fold, (train, test) in enumerate(CV.split(X)):
        model = LINEAR.fit(X[train], Y[train])
        responses = {
            "labels": model.predict(X[test]),
            "scores": model.decision_function(X[test]),
            "probabilities": model.predict_proba(X[test]),
        }
        for name, metric in m.METRICS.items():
            sign = -1 if name in LOSSES else 1
            value = metric.function(Y[test], responses[metric.needs], **metric.options)
            assert values[f"test_{name}"][fold] == pytest.approx(sign * value, rel=1e-10)
            sparse = search.cv_results_[f"split{fold}_test_{name}"][0]
            assert sparse == pytest.approx(sign * value, rel=1e-10)


def test_scorers_of_class_probabilities_in_a_list():
    model = KNeighborsClassifier(5).fit(X, Y)
    stacked = np.stack([p[:, 1] for p in model.predict_proba(X)], axis=1)
    assert m.get_scorer("auc_macro")(model, X, Y) == m.roc_auc(Y, stacked)
    assert m.get_scorer("log_loss")(model, X, Y) == -m.log_loss(Y, stacked)


def test_names_shared_with_sklearn_agree():
    for name in ("f1_macro", "f1_micro", "precision_macro", "recall_micro"):
        ours = cross_val_score(LINEAR, X, Y, scoring=m.get_scorer(name), cv=CV)
        theirs = cross_val_score(LINEAR, X, Y, scoring=name, cv=CV)
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_scorers_in_a_grid_search():
    scoring = {name: m.get_scorer(name) for name in ("f1_macro", "ranking_loss")}
    grid = {"estimator__C": [1e-6, 1.0]}
    search = GridSearchCV(LINEAR, grid, scoring=scoring, refit="ranking_loss", cv=CV).fit(X, Y)
    assert search.best_params_ == {"estimator__C": 1.0}
    assert (search.cv_results_["mean_test_ranking_loss"] <= 0).all()
    table = cross_validate(LINEAR, X, Y, scoring=scoring, cv=CV)
    assert search.best_score_ == pytest.approx(table["test_ranking_loss"].mean())


def test_make_scorer_takes_every_option():
    scorer = sk.make_scorer(m.f1, average="macro", empty="skip")
    model = LINEAR.fit(X, Y)
    assert scorer(model, X, Y) == m.f1(Y, model.predict(X), average="macro", empty="skip")


def test_names_of_sklearn_and_callables():
    model = LINEAR.fit(X, Y)
    expected = sk.jaccard_score(Y, model.predict(X), average="macro")
    assert m.get_scorer("jaccard_macro")(model, X, Y) == expected
    assert m.get_scorer(problem) is problem


@pytest.mark.parametrize("name", ["f1_marco", "macro_f1", "aucmacro", "ranking_los", "roc_acu"])
def test_unknown_names_have_candidates(name):
    near = {"f1_marco": "f1_macro", "macro_f1": "", "aucmacro": "auc_macro"}
    near |= {"ranking_los": "ranking_loss", "roc_acu": "roc_auc"}
    with pytest.raises(ValueError, match=rf"unknown metric '{name}'; .*'{near[name]}"):
        m.get_scorer(name)


def test_unknown_names_that_resemble_nothing_list_all():
    with pytest.raises(ValueError, match=r"unknown metric 'zzz'; use one of .*'f1_macro'"):
        m.score("zzz", Y)


def test_score_takes_what_the_metric_needs():
    truth, sets, scores = problem()
    for name, metric in m.METRICS.items():
        prediction = sets if metric.needs == "labels" else scores / 2
        assert m.score(name, truth, scores / 2, sets) == metric(truth, prediction)
    with pytest.raises(ValueError, match=r"f1_macro needs labels, and y_pred is None"):
        m.score("f1_macro", truth, scores)
    with pytest.raises(ValueError, match=r"log_loss needs probabilities, and y_score is None"):
        m.score("log_loss", truth, y_pred=sets)
