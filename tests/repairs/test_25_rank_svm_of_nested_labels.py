"""RankSVM where biases alone rank all rows, so that the minimum is 0: coefficients were NaN.

No accuracy is a share of 0, and steps went on until they underflowed.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from colabel import RankSVM
from colabel.classifiers.rank_svm.loss import Pairs, hinge
from colabel.classifiers.rank_svm.problem import separating_biases

LOSSES = ["squared_hinge", "hinge"]


def nested(seed, q, sets, n=9):
    """Rows with all labels, with none, and with the sets of a chain."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(q)
    sizes = np.sort(rng.choice(np.arange(1, q), size=min(sets, q - 1), replace=False))
    Y = np.zeros((n, q), dtype=int)
    for row in range(n - 4):
        Y[row, order[: sizes[row % len(sizes)]]] = 1
    Y[-2:] = 1
    return rng.normal(size=(n, 3)), Y


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize(("q", "sets"), [(2, 1), (3, 1), (3, 2), (6, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_optimum_of_nested_label_sets_is_found(loss, C, q, sets, dtype):
    for seed in range(5):
        X, Y = nested(seed, q, sets)
        model = RankSVM(C, loss=loss, threshold="zero").fit(X.astype(dtype), Y)
        assert_array_equal(model.coef_, 0)
        assert model.objective_ == 0
        scores = model.decision_function(X)
        assert hinge(Pairs.of(Y, C), scores.astype(float))[0] == pytest.approx(0, abs=1e-5 * C)
        cut = RankSVM(C, loss=loss).fit(X.astype(dtype), Y)
        assert np.isfinite(cut.coef_).all()
        assert np.isfinite(cut.intercept_).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_so_it_is_with_kernels_and_sparse_rows(loss):
    X, Y = nested(0, 4, 1)
    for model, rows in [
        (RankSVM(loss=loss, kernel="rbf"), X),
        (RankSVM(loss=loss), sp.csr_array(X)),
    ]:
        model.fit(rows, Y)
        assert np.isfinite(model.decision_function(rows)).all()
        assert_array_equal(
            model.predict_ranking(rows), np.tile(model.predict_ranking(rows)[:1], (9, 1))
        )


def test_there_are_such_biases_only_for_nested_sets():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, q = rng.integers(1, 5), rng.integers(2, 5)
        Y = rng.integers(0, 2, size=(n, q))
        pairs = Pairs.of(Y, 1.0)
        ranked = Y[(Y.any(axis=1)) & (~Y.all(axis=1))]
        opposed = any(((a > b).any() and (a < b).any()) for a in ranked for b in ranked)
        found = separating_biases(pairs)
        assert (found is None) == opposed
        if found is not None:
            assert hinge(pairs, np.tile(found, (n, 1)))[0] == pytest.approx(0, abs=1e-14)
