"""scikit-learn's "roc_auc" was inverted for a single label, so that searches chose the worst.

A column y had classes_ = [0], and scikit-learn negates the scores of the class 0.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_score

from colabel import (
    ASOClassifier,
    LabelRidge,
    LabelRidgeCV,
    MtSDA,
    MtSDACV,
    RankSVM,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
)
from colabel.metrics import get_scorer
from colabel.tuning import OutOfFoldSearch

FOLDS = KFold(5)


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 40))
    y = (X[:, :3].sum(axis=1) + 2.0 * rng.normal(size=90) > 0).astype(int)
    return X, y


X, LABEL = problem()
SEARCHES = {
    "ridge": LabelRidgeCV([1e-3, 1.0, 100.0, 1e4], thresholds=None, cv=FOLDS),
    "ridge with thresholds": LabelRidgeCV([1e-3, 1.0, 100.0, 1e4], cv=FOLDS),
    "shared subspace": SharedSubspaceClassifierCV([0.0, 0.1], [1e-3, 0.1, 10.0], cv=FOLDS),
    "mtsda": MtSDACV(l1s=4, l2s=[0.1, 1.0], cv=FOLDS),
    "search": OutOfFoldSearch(LabelRidge(), {"alpha": [1e-3, 1.0, 100.0, 1e4]}, cv=FOLDS),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("y", [LABEL[:, None], LABEL], ids=["column", "classes"])
def test_both_names_of_the_auc_judge_alike(name, y):
    theirs, ours = (
        SEARCHES[name].set_params(scoring=scoring).fit(X, y).cv_results_["mean_test_score"].copy()
        for scoring in ("roc_auc", "auc_macro")
    )
    assert_allclose(theirs, ours, rtol=0, atol=1e-12)
    assert theirs.max() > 0.6


@pytest.mark.parametrize(
    "model",
    [
        LabelRidge(),
        SharedSubspaceClassifier(),
        MtSDA(),
        RankSVM(),
        ASOClassifier(max_iter=300),
        ThresholdTuner(LabelRidge(), random_state=0),
        OutOfFoldSearch(LabelRidge(), {}, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_cross_validation_of_a_column_is_that_of_its_scores(model):
    y = LABEL[:, None]
    expected = [
        roc_auc_score(y[test], model.fit(X[train], y[train]).decision_function(X[test]))
        for train, test in FOLDS.split(X)
    ]
    for scoring in ("roc_auc", get_scorer("auc_macro")):
        assert_allclose(cross_val_score(model, X, y, scoring=scoring, cv=FOLDS), expected)


def test_a_single_column_has_the_classes_0_and_1():
    assert_array_equal(LabelRidge().fit(X, LABEL[:, None]).classes_, [0, 1])
    both = np.column_stack([LABEL, 1 - LABEL, LABEL])
    for q in (2, 3):
        assert_array_equal(LabelRidge().fit(X, both[:, :q]).classes_, np.arange(q))
