"""With thresholds="train" a score that equals its threshold was predicted, or not, by rounding.

The threshold had been taken off the intercept, which rounds before the score is added.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from colabel import LabelRidge, LabelRidgeCV, MtSDA, SharedSubspaceClassifierCV, ThresholdTuner


def binary(seed, n=60, d=5, q=6):
    """Few features of 0 and 1, so that many rows are equal."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, d)).astype(float)
    Y = (rng.random(size=(n, q)) < rng.uniform(0.02, 0.5, size=q)).astype(int)
    Y[0], Y[1] = 0, 1
    return X, Y


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_labels_are_those_whose_scores_are_above_the_thresholds(seed, container, dtype):
    X, Y = binary(seed)
    X = container(X.astype(dtype))
    for model in (
        LabelRidgeCV([0.1, 10.0], thresholds="train", random_state=0),
        LabelRidgeCV([0.1, 10.0], random_state=0),
        SharedSubspaceClassifierCV([0.1], [0.01, 1.0], thresholds="train", random_state=0),
    ):
        scores = model.fit(X, Y).uncut_scores(X)
        assert_array_equal(model.predict(X), scores > model.thresholds_)
        assert model.decision_function(X).dtype == dtype
        at_it = scores == model.thresholds_
        assert not model.predict(X)[at_it].any()


def test_the_tuner_of_training_rows_predicts_the_same():
    for seed in range(5):
        X, Y = binary(seed)
        tuned = LabelRidgeCV([1.0], thresholds="train", cv=5).fit(X, Y)
        tuner = ThresholdTuner(LabelRidge(1.0), cv="train").fit(X, Y)
        assert_array_equal(tuned.predict(X), tuner.predict(X))
        assert_array_equal(tuned.thresholds_, tuner.thresholds_)


def test_the_intercept_agrees_with_the_decision_function_to_rounding():
    X, Y = binary(0)
    for model in (LabelRidgeCV([1.0], thresholds="train"), MtSDA()):
        model.fit(X, Y)
        scores = X @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(scores, model.decision_function(X), rtol=0, atol=1e-14)


def test_one_threshold_for_all_labels_is_taken_off_the_scores():
    X, Y = binary(0)
    model = MtSDA(l1=0.01).fit(X, Y)
    assert_array_equal(model.predict(X), model.uncut_scores(X) > model.threshold_)
