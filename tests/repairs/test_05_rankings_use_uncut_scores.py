"""Rankings, AUC and top-k were made of scores with the thresholds taken off.

Less thresholds of their own, the scores of two labels do not compare.
"""

import csv

import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import label_ranking_average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import colabel
from colabel import LabelRidge, LabelRidgeCV, MtSDA, RankSVM, ThresholdTuner
from colabel.cli.app import run
from colabel.comparison.run.trial import SplitData, Trial, _measure
from colabel.metrics import METRICS, get_scorer
from colabel.persistence import to_onnx
from colabel.semi_supervised import LabelledOnly, evaluate_ranking
from colabel.tuning import OutOfFoldSearch, uncut_scores

RANKS = [name for name, metric in METRICS.items() if metric.needs == "scores"]


def skewed(n=300, d=8, seed=0):
    """Labels of very different frequencies, whose thresholds differ therefore."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, 5)) + 2.0 * rng.normal(size=(n, 5))
    shares = np.array([0.9, 0.5, 0.3, 0.1, 0.05])
    return X, (scores > np.quantile(scores, 1 - shares, axis=0).diagonal()).astype(int)


X, Y = skewed()
CUTTING = {
    "ridge": LabelRidgeCV(random_state=0),
    "ridge, training rows": LabelRidgeCV(random_state=0, thresholds="train"),
    "shared subspace": colabel.SharedSubspaceClassifierCV([0.1, 1.0], [0.01, 0.1], random_state=0),
    "per label": ThresholdTuner(LabelRidge(), random_state=0),
    "global": ThresholdTuner(OneVsRestClassifier(LogisticRegression()), "global"),
    "search": OutOfFoldSearch(LabelRidge(), {"alpha": [1.0, 10.0]}, random_state=0),
    "mtsda": MtSDA(),
    "mtsda cv": colabel.MtSDACV(l1s=3, l2s=[0.1], random_state=0),
    "mtsda, exact": MtSDA(decode="exact"),
    "rank svm": RankSVM(),
    "rank svm of a kernel": RankSVM(kernel="rbf"),
    "cnmf": colabel.CNMF(similarity="knn"),
}


@pytest.fixture(params=CUTTING)
def fitted(request):
    return CUTTING[request.param].fit(X, Y)


def test_the_decision_function_decides_and_uncut_scores_are_offered(fitted):
    decision = fitted.decision_function(X)
    assert_array_equal(decision > 0, fitted.predict(X) > 0)
    uncut = fitted.uncut_scores(X)
    assert uncut.shape == decision.shape
    thresholds = getattr(fitted, "thresholds_", None)
    if thresholds is not None:
        assert_array_equal(uncut - thresholds, decision)


def test_uncut_scores_are_those_of_the_model_without_thresholds():
    for tuned in (
        LabelRidgeCV(random_state=0).fit(X, Y),
        ThresholdTuner(LabelRidge(1.0), random_state=0).fit(X, Y),
    ):
        plain = LabelRidge(getattr(tuned, "alpha_", 1.0)).fit(X, Y)
        assert_allclose(tuned.uncut_scores(X), plain.decision_function(X), rtol=0, atol=1e-12)
        assert np.ptp(tuned.thresholds_) > 0.5
    mtsda = MtSDA().fit(X, Y)
    assert_allclose(mtsda.uncut_scores(X) - mtsda.threshold_, mtsda.decision_function(X))


def test_ranking_scores_are_those_of_a_rank_svm_without_a_threshold():
    for kernel in (None, "rbf"):
        with_threshold = RankSVM(kernel=kernel).fit(X, Y)
        without = RankSVM(kernel=kernel, threshold="zero").fit(X, Y)
        scores = with_threshold.uncut_scores(X)
        assert_allclose(scores, without.decision_function(X), rtol=0, atol=1e-8)
        assert_allclose(without.uncut_scores(X), without.decision_function(X))
        assert not np.allclose(scores, with_threshold.decision_function(X), atol=1e-3)


def test_pipelines_and_searches_are_looked_into():
    folds = KFold(3)
    scaled = StandardScaler().fit_transform(X)
    expected = LabelRidgeCV([10.0], cv=folds).fit(scaled, Y).uncut_scores(scaled)
    inner = make_pipeline(StandardScaler(), "passthrough", LabelRidgeCV([10.0], cv=folds))
    for model in (
        inner.fit(X, Y),
        make_pipeline(inner).fit(X, Y),
        GridSearchCV(inner, {"labelridgecv__thresholds": ["train"]}, cv=folds).fit(X, Y),
        ThresholdTuner(inner, "top-k").fit(X, Y),
    ):
        assert_allclose(uncut_scores(model, X), expected, rtol=0, atol=1e-8)
    other = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    assert_array_equal(uncut_scores(other, X), other.decision_function(X))


def test_the_measures_of_scores_judge_uncut_scores(fitted):
    for name in RANKS:
        metric = METRICS[name]
        sign = 1 if metric.greater_is_better else -1
        expected = sign * metric(Y, fitted.uncut_scores(X))
        assert get_scorer(name)(fitted, X, Y) == pytest.approx(expected)


def test_a_scorer_looks_into_a_pipeline():
    model = make_pipeline(StandardScaler(), LabelRidgeCV(random_state=0)).fit(X, Y)
    expected = label_ranking_average_precision_score(Y, uncut_scores(model, X))
    assert get_scorer("average_precision")(model, X, Y) == pytest.approx(expected)
    assert expected != label_ranking_average_precision_score(Y, model.decision_function(X))


@pytest.mark.parametrize("name", ["average_precision", "one_error", "auc_micro", "precision_at_1"])
def test_a_search_judges_rankings_as_if_nothing_were_cut(name):
    options = {"scoring": name, "random_state": 0, "cv": 5}
    with_cuts, without = (
        LabelRidgeCV([0.1, 10.0, 1000.0], thresholds=t, **options).fit(X, Y).cv_results_
        for t in ("out-of-fold", None)
    )
    assert_array_equal(with_cuts["mean_test_score"], without["mean_test_score"])
    search = OutOfFoldSearch(LabelRidge(), {"alpha": [0.1, 10.0, 1000.0]}, **options).fit(X, Y)
    found = search.cv_results_["mean_test_score"]
    assert_allclose(found, without["mean_test_score"], rtol=0, atol=1e-12)


def test_a_comparison_measures_rankings_by_uncut_scores():
    rows = np.arange(200), np.arange(200, 300)
    names = ("average_precision", "one_error", "auc_micro")
    for model in (LabelRidgeCV(random_state=0), ThresholdTuner(LabelRidge(), random_state=0)):
        trial = Trial("set", "method", 0, model, False, names)
        found = _measure(trial, SplitData(X, Y, rows, "none")).scores
        scores = model.fit(X[rows[0]], Y[rows[0]]).uncut_scores(X[rows[1]])
        truth = Y[rows[1]]
        expected = label_ranking_average_precision_score(truth, scores)
        assert found["average_precision"] == pytest.approx(expected)
        assert found["auc_micro"] == pytest.approx(roc_auc_score(truth, scores, average="micro"))
        top = truth[np.arange(len(truth)), scores.argmax(axis=1)]
        assert found["one_error"] == pytest.approx(1 - top.mean())


def test_top_k_of_a_tuned_model_ranks_by_uncut_scores():
    tuned = LabelRidgeCV(random_state=0)
    top = ThresholdTuner(tuned, "top-k", k=1).fit(X, Y).predict(X)
    assert_array_equal(top.argmax(axis=1), tuned.fit(X, Y).uncut_scores(X).argmax(axis=1))


def test_labels_of_labelled_rows_are_ranked_by_uncut_scores():
    tuned = LabelRidgeCV(random_state=0)
    expected = tuned.fit(X, Y).uncut_scores(X)
    model = LabelledOnly(tuned).fit(X, Y)
    assert_allclose(model.uncut_scores(X), expected)
    assert_array_equal(model.predict(X), tuned.predict(X))
    assert_array_equal(model.decision_function(X) > 0, tuned.predict(X) > 0)
    for rows in (None, X):
        assert_array_equal(model.rank_labels(rows)[:, 0], expected.argmax(axis=1))


def test_rankings_of_unlabelled_rows_are_by_uncut_scores():
    plain, tuned = LabelRidgeCV([10.0], thresholds=None), LabelRidgeCV([10.0])
    models = {"plain": LabelledOnly(plain), "tuned": LabelledOnly(tuned)}
    curves = evaluate_ranking(models, X, Y, n_labelled=200, n_splits=2, max_rank=3, random_state=0)
    for values in curves.values.values():
        assert_array_equal(values["plain"], values["tuned"])


ALL_DIGITS = ["--scores", "--digits", "17"]


def test_predict_top_k_names_the_labels_with_the_highest_uncut_scores(tmp_path):
    names = [f"x{i}" for i in range(X.shape[1])] + list("abcde")
    data, model, out = (str(tmp_path / name) for name in ("d.csv", "m.skops", "out.csv"))
    with open(data, "w", newline="") as file:
        csv.writer(file).writerows([names, *np.hstack([X, Y]).tolist()])
    assert run(["fit", data, "--labels", "a,b,c,d,e", "-o", model]) == 0
    assert run(["predict", model, data, "-o", out, "--top-k", "1", "--as", "tags"]) == 0
    with open(out, newline="") as file:
        first = np.array([row[0] for row in list(csv.reader(file))[1:]])
    truth = np.array(list("abcde"))[:, None] == first
    right = Y.T[truth].mean()
    assert right >= Y[:, 0].mean()  # the commonest label, always
    bundle = colabel.load(model)
    assert_array_equal(first, np.array(list("abcde"))[bundle.uncut_scores(X).argmax(axis=1)])
    assert run(["predict", model, data, "-o", out, "--top-k", "5", *ALL_DIGITS]) == 0
    with open(out, newline="") as file:
        rows = np.array([row[1::2] for row in list(csv.reader(file))[1:]], dtype=float)
    assert_array_equal(rows, np.sort(bundle.uncut_scores(X), axis=1)[:, ::-1])


@pytest.mark.parametrize(
    "model",
    [
        LabelRidgeCV(random_state=0),
        MtSDA(),
        RankSVM(),
        ThresholdTuner(RankSVM()),
        ThresholdTuner(LabelRidgeCV(random_state=0), random_state=0),
        LabelRidge(),
    ],
    ids=str,
)
def test_a_graph_has_uncut_scores_too(model, tmp_path):
    model.fit(X, Y)
    to_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    scores, labels, uncut = session.run(["scores", "labels", "uncut_scores"], {"X": X})
    assert_allclose(uncut, model.uncut_scores(X), rtol=0, atol=1e-12)
    assert_allclose(scores, model.decision_function(X), rtol=0, atol=1e-12)
    assert_array_equal(labels, model.predict(X))


def test_classes_have_uncut_scores_in_the_shape_of_decisions():
    for y in (Y[:, 1], Y[:, 1] + Y[:, 2]):
        for model in (LabelRidgeCV(random_state=0), ThresholdTuner(LabelRidge()), MtSDA()):
            model.fit(X, y)
            assert model.uncut_scores(X).shape == model.decision_function(X).shape
