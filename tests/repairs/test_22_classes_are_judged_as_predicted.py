"""Of a 1-D y of three or more classes, searches judged scores above thresholds.

What is predicted is the class with the highest score.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from colabel import (
    LabelRidge,
    LabelRidgeCV,
    MtSDA,
    MtSDACV,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
)

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def problem(seed, n=120, d=20, classes=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, classes)) + 3.0 * rng.normal(size=(n, classes)), axis=1)
    return X, np.array(["a", "b", "c", "d"])[y]


@pytest.mark.parametrize("thresholds", ["out-of-fold", "train", None])
@pytest.mark.parametrize(
    ("scoring", "theirs"),
    [
        ("accuracy", "accuracy"),
        ("subset_accuracy", "accuracy"),
        ("f1_macro", "f1_macro"),
        (make_scorer(accuracy_score), "accuracy"),
        (make_scorer(f1_score, average="macro"), "f1_macro"),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_the_search_is_that_of_scikit_learn(seed, scoring, theirs, thresholds):
    X, y = problem(seed)
    settings = {"cv": FOLDS, "scoring": scoring, "thresholds": thresholds}
    for tuned, plain, grid in (
        (LabelRidgeCV, LabelRidge, {"alpha": [0.1, 10.0, 1000.0]}),
        (
            SharedSubspaceClassifierCV,
            SharedSubspaceClassifier,
            {"alpha": [0.0, 0.1], "beta": [0.01, 1.0]},
        ),
    ):
        ours = tuned(*grid.values(), **settings).fit(X, y)
        search = GridSearchCV(plain(), grid, cv=FOLDS, scoring=theirs).fit(X, y)
        expected = search.cv_results_["mean_test_score"]
        assert_allclose(ours.cv_results_["mean_test_score"], expected, rtol=0, atol=1e-12)
        assert {name: getattr(ours, f"{name}_") for name in grid} == search.best_params_
        assert ours.best_score_ == pytest.approx(search.best_score_)


@pytest.mark.parametrize("decode", ["linear", "exact"])
def test_mtsda_is_judged_by_the_class_it_predicts(decode):
    X, y = load_iris(return_X_y=True)
    settings = {"decode": decode, "tol": 1e-7}
    search = MtSDACV([0.3], [0.1], cv=FOLDS, scoring="accuracy", **settings).fit(X, y)
    expected = [
        accuracy_score(
            y[test], MtSDA(0.3, 0.1, **settings).fit(X[train], y[train]).predict(X[test])
        )
        for train, test in FOLDS.split(X, y)
    ]
    assert search.best_score_ == pytest.approx(np.mean(expected))
