"""Thresholds: the true optimum, found around any classifier, whatever the folds contain."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, fbeta_score, jaccard_score, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import colabel
from colabel import LabelRidge, ThresholdTuner, metrics
from colabel import _cuts as cutting
from colabel._labels import as_indicator
from colabel.tuning import averages
from colabel.tuning import folds as folding
from colabel.tuning.folds import as_folds

METRICS = {
    "f1": lambda y, p: f1_score(y, p, zero_division=1.0 if not (y.any() or p.any()) else 0.0),
    "f2": lambda y, p: fbeta_score(y, p, beta=2, zero_division=0.0),
    "f0.5": lambda y, p: fbeta_score(y, p, beta=0.5, zero_division=0.0),
    "accuracy": accuracy_score,
}


class Fixed(LabelRidge):
    """Scores that are the features themselves."""

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, : len(self.label_names_)]


def random_scores(seed, n=40, q=3, decimals=1):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=(n, q)), decimals)  # many ties
    Y = (scores + rng.normal(size=(n, q)) > 0.8).astype(int)
    Y[0] = 1 - Y[1]
    return scores, Y


def brute_force(metric, y, scores):
    cuts = np.concatenate([[-np.inf], np.unique(scores)])
    return max(METRICS[metric](y, (scores > cut).astype(int)) for cut in cuts)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(8))
def test_per_label_cut_is_the_best_of_all(metric, seed):
    scores, Y = random_scores(seed, decimals=seed % 3)
    thresholds, values = cutting.best_cuts(scores, Y, metric)
    for k, (t, value) in enumerate(zip(thresholds, values, strict=True)):
        best = brute_force(metric, Y[:, k], scores[:, k])
        assert value == pytest.approx(best, abs=1e-12)
        assert METRICS[metric](Y[:, k], (scores[:, k] > t).astype(int)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(4))
def test_global_cut_is_the_best_of_all(seed):
    scores, Y = random_scores(seed)
    t = cutting.best_global_threshold(scores, sp.csr_array(Y))
    best = brute_force("f1", Y.ravel(), scores.ravel())
    assert f1_score(Y, scores > t, average="micro") == pytest.approx(best)


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    t, _ = cutting.best_cuts(np.array([[high], [low]]), np.array([[1], [0]]))
    assert low <= t[0] < high


def test_unknown_scores_are_left_out():
    scores, Y = random_scores(3)
    with_gaps = np.vstack([scores, np.full((5, 3), np.nan)])
    Y_gaps = np.vstack([Y, np.ones((5, 3), dtype=int)])
    for a, b in zip(
        cutting.best_cuts(scores, Y), cutting.best_cuts(with_gaps, Y_gaps), strict=True
    ):
        assert_allclose(a, b)


def test_cardinality_is_matched():
    scores, Y = random_scores(0, decimals=6)
    t = cutting.cardinality_threshold(scores, Y)
    assert np.sum(scores > t) == Y.sum()


@pytest.mark.parametrize("seed", range(4))
def test_k_is_the_best_of_all(seed):
    scores, Y = random_scores(seed, q=6)
    k = averages.averaged_k(averages.Entries(scores, Y), "f1", "micro")
    values = [f1_score(Y, cutting.top_k(scores, j), average="micro") for j in range(1, 7)]
    assert values[k - 1] == pytest.approx(max(values))
    assert_array_equal(cutting.top_k(scores, k).sum(axis=1), k)


def test_training_scores_as_the_papers_do():
    scores, Y = random_scores(1)
    tuner = ThresholdTuner(Fixed(), cv="train", fbr=0).fit(scores, Y)
    assert_allclose(tuner.thresholds_, cutting.best_cuts(scores, Y)[0])
    assert_array_equal(tuner.predict(scores), scores > tuner.thresholds_)


def test_scores_are_out_of_fold():
    X, Y = problems.make("tall")
    folds = KFold(4)
    tuner = ThresholdTuner(LabelRidge(), cv=folds, fbr=0).fit(X, Y)
    scores = cross_val_predict(LabelRidge(), X, Y, cv=folds, method="decision_function")
    assert_allclose(tuner.thresholds_, cutting.best_cuts(scores, Y)[0])
    plain = LabelRidge().fit(X, Y).decision_function(X)
    assert_allclose(tuner.decision_function(X), plain - tuner.thresholds_)


def test_a_rare_label_with_bad_scores_is_not_predicted_everywhere():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 1))
    Y = np.zeros((400, 1), dtype=int)
    Y[np.argsort(scores[:, 0])[:3]] = 1  # the worst possible scores
    everywhere = ThresholdTuner(Fixed(), cv="train", fbr=0).fit(scores, Y)
    guarded = ThresholdTuner(Fixed(), cv="train", fbr=0.1).fit(scores, Y)
    assert everywhere.predict(scores).mean() > 0.99
    assert guarded.predict(scores).sum() == 0
    assert guarded.thresholds_[0] == scores.max()


ANY_CLASSIFIER = [
    LabelRidge(),
    colabel.SharedSubspaceClassifier(),
    OneVsRestClassifier(LinearSVC()),
    OneVsRestClassifier(LogisticRegression()),
    MultiOutputClassifier(LogisticRegression()),
    ClassifierChain(LogisticRegression()),
    RandomForestClassifier(20, random_state=0),
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), OneVsRestClassifier(LinearSVC())),
]


@pytest.mark.parametrize("strategy", ["per-label", "global", "top-k", "cardinality"])
@pytest.mark.parametrize("classifier", ANY_CLASSIFIER, ids=lambda c: type(c).__name__)
def test_any_classifier_with_scores(classifier, strategy):
    X, Y = problems.make("tall")
    tuner = ThresholdTuner(classifier, strategy, cv=3, random_state=0).fit(X, Y)
    assert tuner.predict(X).shape == Y.shape
    assert set(np.unique(tuner.predict(X))) <= {0, 1}
    if strategy == "top-k":
        assert_array_equal(tuner.predict(X).sum(axis=1), tuner.k_)
    else:
        assert_array_equal(tuner.predict(X), tuner.decision_function(X) > 0)
        assert np.all(np.isfinite(tuner.thresholds_))


@pytest.mark.parametrize("q", [1, 2])
def test_few_labels_are_not_mistaken_for_classes(q):
    X, Y = problems.make("tall")
    for classifier in ANY_CLASSIFIER[:4] + ANY_CLASSIFIER[6:]:
        tuner = ThresholdTuner(classifier, cv=3, random_state=0).fit(X, Y[:, :q])
        assert tuner.predict(X).shape == (60, q)
        assert f1_score(Y[:, :q], tuner.predict(X), average="macro") > 0.6


@pytest.mark.parametrize("classifier", ANY_CLASSIFIER, ids=lambda c: type(c).__name__)
def test_labels_missing_from_a_fold_or_from_all(classifier):
    X, Y = problems.make("tall")
    Y = np.column_stack([Y, np.zeros((60, 3), dtype=int)])
    Y[7, 5] = 1  # one positive: some fold trains without it
    Y[:, 7] = 1  # never absent
    with pytest.warns(UserWarning, match="2 of 8 labels.*label6, label7"):
        tuner = ThresholdTuner(classifier, cv=5, random_state=0).fit(X, Y)
    predicted = tuner.predict(X)
    assert np.all(predicted[:, 6] == 0)
    assert np.all(predicted[:, 7] == 1)
    assert predicted[:, 5].sum() <= 2


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_matrix])
def test_sparse_labels(container):
    X, Y = problems.make("tall")
    for classifier in (LabelRidge(), OneVsRestClassifier(LinearSVC())):
        dense = ThresholdTuner(classifier, cv=3, random_state=0).fit(X, Y)
        sparse = ThresholdTuner(classifier, cv=3, random_state=0).fit(X, container(Y))
        assert_allclose(sparse.thresholds_, dense.thresholds_, atol=1e-3)


def test_one_class_a_row():
    X, _ = problems.make("tall")
    y = np.array(["ant", "bee", "cow"])[np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))]
    three = ThresholdTuner(LabelRidge(), cv=3, random_state=0).fit(X, y)
    assert set(three.predict(X)) <= {"ant", "bee", "cow"}
    assert three.thresholds_ is None
    two = ThresholdTuner(LabelRidge(), cv=3, random_state=0).fit(X, y == "ant")
    assert two.predict(X).shape == (60,)
    assert two.thresholds_.shape == (1,)


def test_clone_pipeline_and_grid_search():
    X, Y = problems.make("tall")
    tuner = ThresholdTuner(LabelRidge(), cv=3, random_state=0)
    fitted = clone(tuner).fit(X, Y)
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), tuner),
        {
            "thresholdtuner__estimator__alpha": [0.1, 10.0],
            "thresholdtuner__strategy": ["per-label", "global"],
        },
        scoring=colabel.metrics.get_scorer("f1_macro"),
        cv=3,
    ).fit(X, Y)
    assert grid.best_estimator_[-1].thresholds_.shape == fitted.thresholds_.shape
    assert grid.best_score_ > 0.5


def test_folds_in_parallel_are_the_same():
    X, Y = problems.make("tall")
    one, two = (
        ThresholdTuner(LabelRidge(), cv=3, n_jobs=n, random_state=0).fit(X, Y) for n in (1, 2)
    )
    assert_allclose(one.thresholds_, two.thresholds_)


def test_factored_data():
    X, Y = problems.make("wide")
    plain = ThresholdTuner(LabelRidge(), cv=3, random_state=0).fit(X, Y)
    factored = ThresholdTuner(LabelRidge(), cv=3, random_state=0).fit(colabel.factor(X), Y)
    assert_allclose(factored.thresholds_, plain.thresholds_, atol=1e-8)


@pytest.mark.parametrize(
    ("tuner", "error", "message"),
    [
        (ThresholdTuner(StandardScaler()), TypeError, "StandardScaler has neither"),
        (ThresholdTuner(LabelRidge(), k=9), ValueError, "k=9 is more than the 5 labels"),
        (ThresholdTuner(LabelRidge(), "best"), ValueError, "'strategy' parameter of Threshold"),
        (ThresholdTuner(LabelRidge(), metric="auc"), ValueError, "'metric' parameter of Threshold"),
        (ThresholdTuner(LabelRidge(), fbr=2.0), ValueError, "'fbr' parameter of ThresholdTuner"),
        (ThresholdTuner(LabelRidge(), cv=100), ValueError, "n_splits=100"),
    ],
)
def test_bad_settings(tuner, error, message):
    X, Y = problems.make("tall")
    with pytest.raises(error, match=message):
        tuner.fit(X, Y)


def every_cut(scores):
    return np.concatenate([[-np.inf], np.unique(scores)])


AVERAGES = ["macro", "micro", "weighted", "samples"]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("beta", [0.7, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_threshold_is_the_best_of_all_for_every_mean(average, beta, weighted):
    scores, Y = random_scores(5)
    w = np.random.default_rng(0).integers(1, 4, len(Y)) if weighted else None

    def value(cut):
        predicted = scores > cut
        return metrics.fbeta(Y, predicted, beta=beta, average=average, sample_weight=w)

    tuner = ThresholdTuner(Fixed(), "global", "fbeta", "train", beta=beta, average=average)
    found = tuner.fit(scores, Y, w).thresholds_
    assert np.ptp(found) == 0
    assert value(found[0]) == pytest.approx(max(map(value, every_cut(scores))), abs=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("metric", ["f2", "accuracy"])
def test_a_number_of_labels_is_the_best_of_all_for_every_mean(average, metric):
    scores, Y = random_scores(7, q=6)
    measure = (
        (lambda P: metrics.fbeta(Y, P, beta=2, average=average))
        if metric == "f2"
        else (lambda P: 1 - metrics.hamming_loss(Y, P))  # every label has as many decisions
    )
    tuner = ThresholdTuner(Fixed(), "top-k", metric, "train", average=average).fit(scores, Y)
    if metric == "f2" or average != "weighted":
        values = [measure(cutting.top_k(scores, k)) for k in range(1, 7)]
        assert values[tuner.k_ - 1] == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_of_labels_are_the_best_of_all_together(beta, weighted):
    scores, Y = random_scores(11, n=12, q=3)
    w = np.random.default_rng(0).integers(1, 4, len(Y)) if weighted else None

    def value(cuts):
        return metrics.fbeta(Y, scores > cuts, beta=beta, average="micro", sample_weight=w)

    tuner = ThresholdTuner(Fixed(), metric="fbeta", cv="train", beta=beta, average="micro")
    found = tuner.fit(scores, Y, w).thresholds_
    best = max(value(np.array(cuts)) for cuts in product(*map(every_cut, scores.T)))
    assert value(found) == pytest.approx(best, abs=1e-12)
    apart = ThresholdTuner(Fixed(), metric="fbeta", cv="train", beta=beta, fbr=0).fit(scores, Y, w)
    assert value(apart.thresholds_) <= value(found)


@pytest.mark.parametrize("average", [None, "weighted"])
def test_means_over_labels_are_those_of_the_best_cut_of_each(average):
    scores, Y = random_scores(3)
    plain = ThresholdTuner(Fixed(), metric="f2", cv="train").fit(scores, Y)
    same = ThresholdTuner(Fixed(), metric="fbeta", cv="train", beta=2.0, average=average)
    assert_array_equal(same.fit(scores, Y).thresholds_, plain.thresholds_)


def test_only_some_labels_are_measured():
    scores, Y = random_scores(2, q=5)
    frame = pd.DataFrame(Y, columns=list("abcde"))
    some, columns = ["b", "e"], [1, 4]
    each = ThresholdTuner(Fixed(), cv="train", labels=some, fbr=0).fit(scores, frame)
    assert_array_equal(each.thresholds_[[0, 2, 3]], 0)
    best = cutting.best_cuts(scores[:, columns], Y[:, columns])[0]
    assert_array_equal(each.thresholds_[columns], best)
    together = ThresholdTuner(Fixed(), "global", cv="train", labels=columns).fit(scores, Y)
    alone = ThresholdTuner(Fixed(), "global", cv="train").fit(scores[:, columns], Y[:, columns])
    assert_array_equal(together.thresholds_, alone.thresholds_[0])
    k = ThresholdTuner(Fixed(), "top-k", cv="train", labels=columns).fit(scores, Y).k_
    values = [
        f1_score(Y[:, columns], cutting.top_k(scores, j)[:, columns], average="micro")
        for j in range(1, 6)
    ]
    assert values[k - 1] == pytest.approx(max(values))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_measure_of_ones_own_is_asked_of_every_cut(weighted):
    scores, Y = random_scores(1)
    given = {"sample_weight": np.arange(1, len(Y) + 1)} if weighted else {}
    each = ThresholdTuner(Fixed(), metric=matthews_corrcoef, cv="train").fit(scores, Y, **given)
    for t, s, y in zip(each.thresholds_, scores.T, Y.T, strict=True):
        values = [matthews_corrcoef(y, s > cut, **given) for cut in every_cut(s)]
        assert matthews_corrcoef(y, s > t, **given) == pytest.approx(max(values))
    for strategy in ("global", "top-k"):
        measure = partial(jaccard_score, average="samples", zero_division=0)
        tuner = ThresholdTuner(Fixed(), strategy, measure, "train").fit(scores, Y, **given)
        found = (
            [scores > cut for cut in every_cut(scores)]
            if strategy == "global"
            else [cutting.top_k(scores, k) for k in (1, 2, 3)]
        )
        best = max(measure(Y, P, **given) for P in found)
        assert measure(Y, tuner.predict(scores), **given) == pytest.approx(best)


def test_a_measure_of_many_labels_is_refused_for_one_alone():
    scores, Y = random_scores(1)
    with pytest.raises(ValueError, match=r"metric=f1 failed on one label alone.*strategy='global'"):
        ThresholdTuner(Fixed(), metric=metrics.f1, cv="train").fit(scores, Y)
    tuner = ThresholdTuner(Fixed(), "global", metrics.f1, "train").fit(scores, Y)
    best = max(metrics.f1(Y, scores > cut) for cut in every_cut(scores))
    assert metrics.f1(Y, tuner.predict(scores)) == pytest.approx(best)


def test_a_measure_of_ones_own_of_many_rows_is_asked_of_a_thousand_cuts():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3000, 1))
    asked = []

    def measure(y, p):
        asked.append(p.sum())
        return -abs(p.sum() - 1234)

    ThresholdTuner(Fixed(), metric=measure, cv="train").fit(scores, (scores > 0).astype(int))
    assert len(asked) == len(set(asked)) == 1000
    assert min(asked) == 0
    assert max(asked) == 3000


def test_a_fitted_classifier_is_cut_by_rows_it_has_not_seen():
    X, Y = problems.make("tall")
    model = LabelRidge().fit(X[:40], Y[:40])
    tuner = ThresholdTuner(model, cv="prefit", fbr=0, keep_scores=True).fit(X[40:], Y[40:])
    assert tuner.estimator_ is model
    scores = model.decision_function(X[40:])
    assert_array_equal(tuner.thresholds_, cutting.best_cuts(scores, Y[40:])[0])
    assert_array_equal(tuner.held_out_scores_, scores)
    assert tuner.predict_proba(X).shape == Y.shape
    with pytest.raises(NotFittedError):
        ThresholdTuner(LabelRidge(), cv="prefit").fit(X, Y)


def test_a_label_that_does_not_vary_leaves_a_fitted_classifier_as_it_is():
    X, Y = problems.make("tall")
    model = LabelRidge().fit(X[:40], Y[:40])
    some = Y[40:].copy()
    some[:, 2] = 0
    with pytest.warns(UserWarning, match="1 of 5 labels have only one value in y.*label2"):
        tuner = ThresholdTuner(model, cv="prefit").fit(X[40:], some)
    assert_array_equal(tuner.predict(X)[:, 2], model.predict(X)[:, 2])


def test_a_mean_over_rows_has_no_threshold_a_label():
    scores, Y = random_scores(0)
    with pytest.raises(ValueError, match="average='samples' joins the labels of a row"):
        ThresholdTuner(Fixed(), cv="train", average="samples").fit(scores, Y)
    with pytest.raises(ValueError, match="labels holds 'z', which is neither a number from 0 to 2"):
        ThresholdTuner(Fixed(), cv="train", labels=["z"]).fit(scores, Y)


def test_folds_of_a_number_are_stratified_by_what_is_known():
    _, Y = problems.make("tall")
    rare = np.zeros((60, 1))
    rare[[3, 11, 42, 55]] = 1
    labels = as_indicator(np.hstack([Y, rare]))
    for _, test in as_folds(4, None, labels, 0):
        assert labels.matrix[test, -1].sum() == 1
    gaps = np.hstack([Y, rare]).astype(float)
    gaps[:40:2, -1] = np.nan
    labels = as_indicator(gaps)
    for _, test in as_folds(2, None, labels, 0):
        assert np.isnan(gaps[test, -1]).sum() == pytest.approx(10, abs=1)
        assert np.nansum(gaps[test, -1]) == pytest.approx(1.5, abs=0.5)


def test_so_many_rows_are_only_shuffled(monkeypatch):
    monkeypatch.setattr(folding, "LITTLE", 0.0)
    X, Y = problems.make("tall")
    found = as_folds(3, None, as_indicator(Y), 0)
    expected = KFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(X)
    for (_, test), (_, other) in zip(found, expected, strict=True):
        assert_array_equal(test, other)
