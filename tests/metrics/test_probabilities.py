"""Measures of probabilities against their definitions."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from colabel.metrics import brier_loss, calibration_error, log_loss, reliability


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    P = rng.random((500, 4)).round(2)
    return (rng.random((500, 4)) < P).astype(int), P, rng.integers(0, 3, 500)


def test_brier_loss_is_scikit_learns(case):
    Y, P, w = case
    each = [brier_score_loss(y, p, sample_weight=w) for y, p in zip(Y.T, P.T, strict=True)]
    assert np.allclose(brier_loss(Y, P, average=None, sample_weight=w), each)
    assert brier_loss(Y, P, sample_weight=w) == pytest.approx(np.mean(each))


def test_log_loss_of_labels(case):
    Y, P, _ = case
    P = np.clip(P, 0.01, 0.99)
    each = [sklearn_log_loss(y, p) for y, p in zip(Y.T, P.T, strict=True)]
    assert np.allclose(log_loss(Y, P, average=None), each)
    assert log_loss(Y, P, average="macro") == pytest.approx(np.mean(each))
    assert log_loss(Y, P) == pytest.approx(np.sum(each))


def test_calibration_error_written_out(case):
    Y, _P, _ = case
    y, p = Y[:, :1], np.random.default_rng(1).permutation(500)[:, None] / 500  # no ties
    order = np.argsort(p[:, 0])
    parts = np.array_split(order, 5)
    expected = np.mean([abs(y[part].mean() - p[part].mean()) for part in parts])
    assert calibration_error(y, p, bins=5) == pytest.approx(expected)


def test_weights_repeat_rows(case):
    Y, P, w = case
    for average in ("pooled", "macro"):
        one = calibration_error(Y, P, average=average, sample_weight=w)
        other = calibration_error(np.repeat(Y, w, 0), np.repeat(P, w, 0), average=average)
        assert one == pytest.approx(other, abs=0.01)  # a bin may end within what is repeated


def test_equal_probabilities_share_a_bin():
    P = np.full((50, 2), 0.3)
    Y = (np.arange(100).reshape(50, 2) % 10 < 3).astype(int)
    found = reliability(Y, P)
    assert len(found.predicted) == 1
    assert found.observed[0] == 0.3
    assert found.error < 1e-12


def test_overconfidence_is_seen(case):
    Y, P, _ = case
    sure = np.where(P > 0.5, 0.99, 0.01)
    assert calibration_error(Y, P) < 0.05 < 0.2 < calibration_error(Y, sure)


def test_what_is_no_probability(case):
    Y, P, _ = case
    for measure in (brier_loss, calibration_error, log_loss):
        with pytest.raises(ValueError, match=r"from 1 to 2.*ProbabilityCalibrator"):
            measure(Y, 0 * P + [1, 1, 1, 2])
    with pytest.raises(ValueError, match="bins=0"):
        calibration_error(Y, P, bins=0)
    with pytest.raises(ValueError, match="500 rows"):
        brier_loss(Y, P, sample_weight=[1, 2])


def test_the_diagram_is_drawn(case):
    pytest.importorskip("matplotlib")
    Y, P, _ = case
    ax = reliability(Y, P).plot()
    assert "calibration error" in ax.get_title()
    assert len(ax.lines) == 2
