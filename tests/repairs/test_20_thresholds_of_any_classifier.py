"""ThresholdTuner: constant labels, labels that no split learns, sparse labels, scores of pairs.

The first spoiled the thresholds of the others, the second had NaN ones, and the last two were
handed on as they are to classifiers that misread them, or were misread.
"""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from colabel import LabelRidge, ThresholdTuner
from colabel.metrics import f1
from colabel.semi_supervised import LabelledOnly

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 6))
#: Each row has one of four labels, to be read off X but for a little noise.
ONE = (X[:, :4] + 0.1 * RNG.normal(size=(240, 4))).argmax(axis=1)
VARYING = np.eye(4, dtype=int)[ONE]
STRATEGIES = ["per-label", "global", "top-k", "cardinality"]
CLASSIFIERS = [LabelRidge(), OneVsRestClassifier(LogisticRegression())]


def fitted(model, *data):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*predicted constant.*")
        warnings.filterwarnings("ignore", ".*no threshold can be tuned.*")
        return model.fit(*data)


@pytest.mark.parametrize("cv", [KFold(3), "train"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=["margins", "probabilities"])
@pytest.mark.parametrize("constants", [(1,), (0,), (1, 0), (1, 1, 0, 0, 0)])
def test_constant_labels_do_not_change_what_is_predicted_of_others(
    classifier, strategy, cv, constants
):
    Y = np.hstack([VARYING, np.tile(constants, (240, 1))])
    alone = ThresholdTuner(classifier, strategy, cv=cv).fit(X, VARYING)
    beside = fitted(ThresholdTuner(classifier, strategy, cv=cv), X, Y)
    found = beside.predict(X)
    assert_array_equal(found[:, 4:], Y[:, 4:])
    if strategy == "top-k":
        assert beside.k_ == alone.k_ + sum(constants)
    else:
        assert_allclose(beside.thresholds_[:4], alone.thresholds_)
        assert_array_equal(beside.thresholds_[4:], 0)
    assert_array_equal(found[:, :4], alone.predict(X))


def test_labels_that_all_rows_have_are_among_the_k():
    Y = np.hstack([np.ones((240, 1), dtype=int), VARYING])
    model = fitted(ThresholdTuner(LabelRidge(), "top-k", cv=3), X, Y)
    assert model.k_ == 2
    assert f1(Y, model.predict(X), average="micro") > 0.9
    given = fitted(ThresholdTuner(LabelRidge(), "top-k", k=3, cv=3), X, Y).predict(X)
    assert_array_equal(given.sum(axis=1), 3)
    assert_array_equal(given[:, 0], 1)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_constant_labels(strategy):
    Y = np.tile([1, 0], (240, 1))
    model = fitted(ThresholdTuner(LabelRidge(), strategy, cv=3), X, Y)
    assert_array_equal(model.predict(X), Y)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("classifier", "cut"), [(LabelRidge(), 0.0), (RandomForestClassifier(5, random_state=0), 0.5)]
)
def test_labels_that_no_split_learns_are_cut_as_the_classifier_cuts_them(strategy, classifier, cut):
    # one split, whose training rows all have label 0, and none label 1
    train = (ONE == 0) | (ONE >= 2)
    Y = np.column_stack([train | (ONE == 1), ~train, VARYING[:, 2]]).astype(int)
    Y[0, 0] = 1 - Y[0, 0]
    train[0] = False
    for chosen in ([0, 1, 2], [1]):
        tuner = ThresholdTuner(classifier, strategy, cv=PredefinedSplit(np.where(train, -1, 0)))
        if strategy == "per-label" or (strategy != "top-k" and chosen == [1]):
            with pytest.warns(UserWarning, match="no threshold can be tuned for them"):
                tuner.fit(X, Y[:, chosen])
        else:
            tuner.fit(X, Y[:, chosen])
        scores = tuner.decision_function(X)
        assert np.isfinite(scores).all()
        if strategy != "top-k":
            assert np.isfinite(tuner.thresholds_).all()
            assert_array_equal(tuner.predict(X), scores > 0)
        if strategy == "per-label" or (strategy != "top-k" and chosen == [1]):
            assert tuner.thresholds_[chosen.index(1)] == cut


@pytest.mark.parametrize(
    "classifier",
    [KNeighborsClassifier(), RandomForestClassifier(5, random_state=0), *CLASSIFIERS],
    ids=["neighbours", "forest", "margins", "probabilities"],
)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_sparse_labels_give_the_model_of_dense_ones(classifier, kind):
    dense = ThresholdTuner(classifier, cv=3, random_state=0).fit(X, VARYING)
    sparse = ThresholdTuner(classifier, cv=3, random_state=0).fit(X, kind(VARYING))
    assert_allclose(sparse.thresholds_, dense.thresholds_)
    assert_array_equal(sparse.predict(X).toarray(), dense.predict(X))


def pair_classifiers():
    pairs = SVC(decision_function_shape="ovo")
    return [
        (pairs, SVC()),
        (make_pipeline(StandardScaler(), pairs), make_pipeline(StandardScaler(), SVC())),
        (GridSearchCV(pairs, {"C": [1.0]}, cv=2), GridSearchCV(SVC(), {"C": [1.0]}, cv=2)),
    ]


@pytest.mark.parametrize(
    ("pairs", "classes"), pair_classifiers(), ids=["alone", "last", "searched"]
)
@pytest.mark.parametrize("wrapper", [partial(ThresholdTuner, cv=KFold(3)), LabelledOnly])
@pytest.mark.parametrize("q", [2, 3, 4])
def test_scores_of_pairs_are_not_those_of_classes(wrapper, pairs, classes, q):
    y = np.array(["a", "b", "c", "d"])[np.minimum(ONE, q - 1)]
    found, expected = wrapper(pairs).fit(X, y), wrapper(classes).fit(X, y)
    assert_allclose(found.decision_function(X), expected.decision_function(X))
    assert_array_equal(found.predict(X), expected.predict(X))
    assert (found.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_so_they_are_on_real_data(load):
    rows, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    assert (ThresholdTuner(model).fit(rows, y).predict(rows) == y).mean() > 0.9
