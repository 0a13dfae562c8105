"""Quality of labels by held-out scores: written out, and never by thresholds of the same rows."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from colabel.tuning.quality import held_out_quality


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    Y = (rng.random((400, 4)) < [0.5, 0.2, 0.05, 0.0]).astype(int)
    return Y * [2.0, 1.0, 1.0, 0.0] + rng.normal(size=(400, 4)), Y


def test_measures_of_labels(scored):
    scores, Y = scored
    found = held_out_quality(scores, Y)
    assert found.rows == 400
    assert np.array_equal(found.positives, Y.sum(axis=0))
    for j in range(3):
        assert found.auc[j] == pytest.approx(roc_auc_score(Y[:, j], scores[:, j]))
        p, r = found.precision[j], found.recall[j]
        assert found.f1[j] == pytest.approx(2 * p * r / (p + r))
    assert np.isnan(found.auc[3])
    assert found.to_dict()["auc"][3] is None


def test_f1_is_not_that_of_thresholds_tuned_on_the_same_rows():
    rng, judged, tuned = np.random.default_rng(1), [], []
    for _ in range(20):
        scores, y = rng.normal(size=(60, 1)), (rng.random((60, 1)) < 0.3).astype(int)
        judged.append(held_out_quality(scores, y).f1[0])
        cuts = [2 * y[scores > t].sum() / ((scores > t).sum() + y.sum()) for t in scores]
        tuned.append(max(cuts))
    assert np.mean(judged) < np.mean(tuned) - 0.02


def test_rows_that_are_not_held_out_do_not_count(scored):
    scores, Y = scored
    some = np.where((np.arange(400) < 100)[:, None], scores, np.nan)
    found, alone = held_out_quality(some, Y), held_out_quality(scores[:100], Y[:100])
    assert found.rows == 100
    assert np.array_equal(found.f1, alone.f1, equal_nan=True)


def test_nothing_to_judge():
    found = held_out_quality(np.zeros((10, 2)), np.zeros((10, 2)))
    assert found.to_dict()["log_loss"] is None
    assert found.to_dict()["f1"] == [None, None]
