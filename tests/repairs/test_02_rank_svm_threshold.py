"""RankSVM fitted its threshold on a singular system, and kept the direction that means nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from colabel import RankSVM, row_blocks
from colabel.classifiers.rank_svm.problem import best_thresholds, regressed_threshold


def problem(seed):
    rng = np.random.default_rng(seed)
    n, d, q = rng.integers(12, 60), rng.integers(2, 12), rng.integers(2, 7)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0).astype(int)
    Y[0], Y[1] = 1, 0
    return X, Y


@pytest.mark.parametrize("seed", range(60))
def test_the_threshold_is_the_smallest_least_squares_solution(seed):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(40, 5))
    F -= F.mean(axis=1, keepdims=True)
    relevant = rng.random((40, 5)) < 0.4
    a, a0 = regressed_threshold(F, relevant)
    t = best_thresholds(F, relevant)
    # any four of the five columns span the same, without a null direction
    some = np.column_stack([F[:, :4], np.ones(40)])
    expected = some @ np.linalg.solve(some.T @ some, some.T @ t)
    assert_allclose(F @ a + a0, expected, atol=1e-10)
    assert abs(a.sum()) < 1e-12  # of the solutions, that without a part along the null direction


@pytest.mark.parametrize("seed", range(30))
def test_the_order_of_rows_does_not_matter(seed):
    X, Y = problem(seed)
    model = RankSVM(tol=1e-9).fit(X, Y)
    reversed_ = RankSVM(tol=1e-9).fit(X[::-1], Y[::-1])
    assert np.abs(model.threshold_coef_).max() < 1e3
    assert_allclose(model.threshold_coef_.sum(), 0.0, atol=1e-9)
    assert np.array_equal(model.predict(X), reversed_.predict(X))


@pytest.mark.parametrize("seed", range(5))
def test_row_blocks_give_the_model_of_memory(seed):
    X, Y = problem(seed)
    model = RankSVM(tol=1e-10).fit(X, Y)
    blocks = RankSVM(tol=1e-10).fit(row_blocks([X[:5], X[5:]]), Y)
    assert_allclose(blocks.threshold_coef_, model.threshold_coef_, atol=1e-6)
    assert_allclose(blocks.decision_function(X), model.decision_function(X), atol=1e-6)
