"""Thresholds: the true optimum, found around any classifier, whatever the folds contain."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, fbeta_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import colabel
from colabel import LabelRidge, ThresholdTuner
from colabel import _cuts as cutting

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
    k = cutting.best_k(scores, Y)
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
