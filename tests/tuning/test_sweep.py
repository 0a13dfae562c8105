"""Cuts of all parts from one sort, against a search for each by itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from colabel.tuning import sweep
from colabel.tuning.cut_scores import per_label_thresholds


def one_by_one(scores, truth, part, count):
    """Cuts, rows above them, and those with the label; labels × parts."""
    found = []
    for k in range(count):
        own = part == k
        cuts = per_label_thresholds(scores[:, ~own].T.astype(float), truth[:, ~own].T, "f1", 0.1)
        above = scores[:, own] > cuts[:, None]
        found.append((cuts, above.sum(axis=1), (above & truth[:, own]).sum(axis=1)))
    return [np.stack(columns, axis=1) for columns in zip(*found, strict=True)]


@pytest.fixture(params=["plain", "compiled"])
def kind(request, monkeypatch):
    monkeypatch.setattr(sweep, "COMPILED_FROM", 0 if request.param == "compiled" else np.inf)
    if request.param == "compiled":
        assert sweep._compiled() is not None


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.usefixtures("kind")
def test_cuts_are_those_of_a_search_for_each_part(dtype, digits):
    rng = np.random.default_rng(0)
    for _ in range(100):
        n, count = rng.integers(6, 60), int(rng.integers(2, 6))
        scores = rng.normal(size=(4, n)).astype(dtype)
        if digits is not None:
            # binary fractions: what is halfway between two of them is the same in all arithmetic
            scores = np.round(scores * 2**digits) / dtype(2**digits)
        truth = scores + rng.normal(size=(4, n)) > 1.2 * rng.normal()
        part = rng.permutation(np.arange(n) % count)
        found = sweep.Parts(truth, part, count).cut(scores, 0.1)
        cuts, kept, hits = one_by_one(scores, truth, part, count)
        assert_allclose(found.cuts, cuts, rtol=1e-14, atol=1e-14)
        assert_array_equal(found.kept, kept)
        assert_array_equal(found.hits, hits)


@pytest.mark.usefixtures("kind")
def test_equal_scores_are_not_parted():
    truth = np.array([[True, True, False, False, True, True]])
    found = sweep.Parts(truth, np.arange(6) % 2, 2).cut(np.zeros((1, 6)), 0.1)
    assert_array_equal(found.kept, [[3, 3]])
    found = sweep.Parts(truth, np.arange(6) % 2, 2).cut(np.array([[0.0, -0.0] * 3]), 0.1)
    assert_array_equal(found.kept, [[3, 3]])


@pytest.mark.usefixtures("kind")
def test_many_parts():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 300))
    truth, part = scores + rng.normal(size=(3, 300)) > 1, np.arange(300)
    found = sweep.Parts(truth, part, 300).cut(scores, 0.1)
    cuts, kept, hits = one_by_one(scores, truth, part, 300)
    assert_allclose(found.cuts, cuts, rtol=1e-9)
    assert_array_equal(found.kept, kept)
    assert_array_equal(found.hits, hits)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(7, 50))
    parts = sweep.Parts(scores + rng.normal(size=(7, 50)) > 1, np.arange(50) % 5, 5)
    whole = parts.cut(scores, 0.1)
    monkeypatch.setattr(sweep, "BLOCK", 100)
    monkeypatch.setattr(sweep, "TILE", 8)
    again = parts.cut(scores, 0.1)
    assert_array_equal(again.cuts, whole.cuts)
    assert_array_equal(again.hits, whole.hits)


def test_no_argument_is_changed():
    rng = np.random.default_rng(3)
    scores, part = rng.normal(size=(2, 30)), np.arange(30) % 3
    truth, before = scores > 0, scores.copy()
    sweep.Parts(truth, part, 3).cut(scores, 0.1)
    assert_array_equal(scores, before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_compiled_sort_is_a_sort_but_for_the_bits_left_out(dtype):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(6, 5000)).astype(dtype).astype(np.float64)
    scores *= np.array([1.0, 1e-300, 1e300, 1e-3, 0.0, 1.0])[:, None]
    scores[5] = np.round(scores[5])
    mask, codes = 15, rng.integers(0, 16, size=scores.shape)
    bits = (scores + 0.0).view(np.int64) & ~mask | codes
    expected = np.sort((bits & ~mask).view(np.float64), axis=1)
    pairs = [sorted(zip(*one, strict=True)) for one in zip(bits & ~mask, codes, strict=True)]
    sweep._compiled().sort(bits, np.uint64(mask))
    assert_array_equal((bits & ~mask).view(np.float64), expected)
    found = zip(bits & ~mask, bits & mask, strict=True)
    assert [sorted(zip(*one, strict=True)) for one in found] == pairs  # codes stay with scores
