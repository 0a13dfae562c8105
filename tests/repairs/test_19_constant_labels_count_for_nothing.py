"""A label that every training row has scored 1 ± 1e-16, and was cut within that rounding.

Adding such a label changed what a search found best.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import KFold

from colabel import (
    LabelRidge,
    LabelRidgeCV,
    MtSDACV,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    factor,
)
from colabel.linalg import cost
from colabel.tuning import OutOfFoldSearch

pytestmark = pytest.mark.filterwarnings("ignore:.*predicted constant")
FOLDS = KFold(4)


def problem(seed=0, n=60, d=12, q=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    Y = (X @ rng.normal(size=(d, q)) + 3.0 * rng.normal(size=(n, q)) > 0).astype(int)
    return X, Y


def with_constants(Y):
    """The same labels, one that every row has and one that none has."""
    return np.column_stack([np.ones(len(Y), int), Y, np.zeros(len(Y), int)])


SEARCHES = {
    f"{kind.__name__}, {thresholds}": kind(*grid, thresholds=thresholds, cv=FOLDS)
    for kind, grid in (
        (LabelRidgeCV, ([0.01, 1.0, 100.0],)),
        (SharedSubspaceClassifierCV, ([0.0, 0.1, 1.0], [1e-3, 0.1])),
    )
    for thresholds in ("train", "out-of-fold", None)
} | {
    "MtSDACV": MtSDACV(l1s=3, l2s=[0.1], cv=FOLDS, tol=1e-4),
    "OutOfFoldSearch": OutOfFoldSearch(LabelRidge(), {"alpha": [0.01, 1.0, 100.0]}, cv=FOLDS),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("scoring", ["f1_macro", "f1_micro", "auc_micro", "hamming_loss"])
def test_a_constant_label_changes_nothing_in_a_search(name, scoring):
    X, Y = problem()
    search = SEARCHES[name].set_params(scoring=scoring)
    alone = search.fit(X, Y).cv_results_["mean_test_score"].copy()
    predicted = search.predict(X)
    together = search.fit(X, with_constants(Y))
    assert_allclose(together.cv_results_["mean_test_score"], alone, rtol=0, atol=1e-12)
    assert_array_equal(together.predict(X)[:, 1:-1], predicted)
    assert together.predict(X)[:, 0].all()
    assert not together.predict(X)[:, -1].any()


@pytest.mark.parametrize("seed", range(10))
def test_the_same_penalty_is_chosen_whatever_the_problem(seed):
    X, Y = problem(seed)
    search = LabelRidgeCV(cv=FOLDS, thresholds="train")
    alone = search.fit(X, Y).cv_results_["mean_test_score"].copy()
    assert_array_equal(search.fit(X, with_constants(Y)).cv_results_["mean_test_score"], alone)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, factor], ids=["dense", "sparse", "svd"])
@pytest.mark.parametrize("solver", ["auto", "factor", "two-stage"])
def test_constant_labels_have_constant_scores_to_the_last_bit(kind, solver):
    X, Y = problem()
    for model in (LabelRidge(solver=solver), SharedSubspaceClassifier(solver=solver)):
        model.fit(kind(X), with_constants(Y))
        scores = model.decision_function(X)
        assert_array_equal(scores[:, 0], 1.0)
        assert_array_equal(scores[:, -1], -1.0)
        assert_allclose(scores[:, 1:-1], model.fit(kind(X), Y).decision_function(X), atol=1e-10)


def test_constant_labels_of_sums_over_rows_have_constant_scores():
    X, Y = problem()
    for model in (LabelRidge(), SharedSubspaceClassifier()):
        model.partial_fit(X[:30], with_constants(Y[:30]))
        scores = model.partial_fit(X[30:], with_constants(Y[30:])).decision_function(X)
        assert_array_equal(scores[:, [0, -1]], np.tile([1.0, -1.0], (60, 1)))


def test_the_shared_subspace_is_that_of_the_labels_that_vary():
    X, Y = problem(d=12, q=5)
    alone = SharedSubspaceClassifier().fit(X, Y)
    together = SharedSubspaceClassifier().fit(X, with_constants(Y))
    assert together.n_components_ == alone.n_components_ == 1
    assert_allclose(together.subspace_, alone.subspace_, atol=1e-10)


def test_a_label_that_does_not_vary_in_a_fold_is_constant_there(monkeypatch):
    X, Y = problem()
    Y = np.column_stack([Y, np.r_[np.zeros(45, int), np.tile([0, 1, 1], 5)]])  # in the last fold
    for make in (
        lambda: LabelRidgeCV([0.01, 1.0, 100.0], cv=FOLDS),
        lambda: SharedSubspaceClassifierCV([0.0, 0.1], [1e-3, 0.1], cv=FOLDS),
    ):
        direct = make().fit(X, Y)
        with monkeypatch.context() as patch:
            patch.setattr(cost, "DIRECT_LIMIT", 0)
            iterated = make().fit(X, Y)
        found, expected = (m.cv_results_["mean_test_score"] for m in (iterated, direct))
        assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("constant", [0, 1])
def test_labels_that_are_all_constant_can_be_searched(constant):
    X, Y = problem()
    Y = np.full_like(Y, constant)
    for search in (LabelRidgeCV(cv=3), SharedSubspaceClassifierCV(cv=3), SEARCHES["MtSDACV"]):
        search.set_params(scoring="f1_macro").fit(X, Y)
        assert_array_equal(search.predict(X), Y)
    search = OutOfFoldSearch(LabelRidge(), {"alpha": [1.0, 10.0]}, cv=3).fit(X, Y)
    assert_array_equal(search.predict(X), Y)


def test_a_label_that_all_training_rows_have_is_held_to_be_there():
    X, Y = problem()
    Y[:, 0] = 1
    Y[59, 0] = 0  # the training rows of the last fold all have it
    search = OutOfFoldSearch(LabelRidge(), {"alpha": [1.0]}, cv=FOLDS, scoring="hamming_loss")
    right = LabelRidgeCV([1.0], cv=FOLDS, scoring="hamming_loss")
    assert search.fit(X, Y).best_score_ >= right.fit(X, Y).best_score_ - 1e-12
