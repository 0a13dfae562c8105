"""Sets chosen by probabilities, against all sets there are."""

from itertools import product

import numpy as np
import pytest

from colabel import LabelRidge, ThresholdTuner
from colabel.tuning import decide_sets


def gain(aim, chosen, truth):
    both, either = (chosen & truth).sum(), (chosen | truth).sum()
    if aim == "f1":
        return 2 * both / (chosen.sum() + truth.sum()) if either else 0.0
    if aim == "jaccard":
        return both / either if either else 0.0
    return -(truth & ~chosen).sum() * 3.0 - (chosen & ~truth).sum()


def expected(aim, chosen, p):
    """The gain over all 2^q true sets, one after the other."""
    total = 0.0
    for bits in product([False, True], repeat=len(p)):
        truth = np.array(bits)
        total += np.prod(np.where(truth, p, 1 - p)) * gain(aim, chosen, truth)
    return total


@pytest.mark.parametrize("aim", ["f1", "jaccard", "cost"])
@pytest.mark.parametrize("power", [0.3, 1, 4])
def test_no_other_set_is_better(aim, power):
    rng = np.random.default_rng(0)
    P = rng.random((8, 5)) ** power
    for p, chosen in zip(P, decide_sets(P, aim, miss=3.0), strict=True):
        of_all = [expected(aim, np.array(bits), p) for bits in product([False, True], repeat=5)]
        assert expected(aim, chosen > 0, p) >= max(of_all) - 1e-12


def test_certain_labels_are_the_set():
    P = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    for aim in ("f1", "jaccard", "hamming", "cost"):
        assert np.array_equal(decide_sets(P, aim), P)


def test_rows_in_blocks_are_the_same(monkeypatch):
    P = np.random.default_rng(1).random((20, 6))
    whole = decide_sets(P, "f1")
    monkeypatch.setattr("colabel.tuning.decisions.BLOCK", 50)
    assert np.array_equal(decide_sets(P, "f1"), whole)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    Y = (X[:, :4] + rng.normal(size=(300, 4)) > 0.7).astype(int)
    return X, Y


@pytest.mark.parametrize(
    ("strategy", "aim"),
    [("expected-f1", "f1"), ("expected-jaccard", "jaccard"), ("hamming", "hamming")],
)
def test_the_tuner_decides_by_its_probabilities(problem, strategy, aim):
    X, Y = problem
    model = ThresholdTuner(LabelRidge(), strategy, random_state=0).fit(X, Y)
    assert model.thresholds_ is None
    assert np.array_equal(model.predict(X), decide_sets(model.predict_proba(X), aim))


def test_dear_misses_give_larger_sets(problem):
    X, Y = problem
    sizes = [
        ThresholdTuner(LabelRidge(), "cost", miss=miss, random_state=0).fit(X, Y).predict(X).sum()
        for miss in (0.2, 1.0, 5.0)
    ]
    assert sizes[0] < sizes[1] < sizes[2]


def test_expected_f1_beats_the_fewest_mistakes(problem):
    from colabel.metrics import f1

    X, Y = problem
    of = {
        name: f1(Y[200:], ThresholdTuner(LabelRidge(), name, random_state=0)
                 .fit(X[:200], Y[:200]).predict(X[200:]))
        for name in ("expected-f1", "hamming")
    }  # fmt: skip
    assert of["expected-f1"] > of["hamming"]


def test_without_probabilities(problem):
    with pytest.raises(ValueError, match=r"cv='train' has no held-out scores.*set cv=5"):
        ThresholdTuner(LabelRidge(), "expected-f1", cv="train").fit(*problem)
