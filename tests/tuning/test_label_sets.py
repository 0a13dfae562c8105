"""Sets with a promise: what is promised holds, over many draws; what is not is said."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from colabel import LabelRidge, LabelRidgeCV, LabelSets
from colabel.tuning.promise import Promise, rows_needed


def draw(rng, n, shift=0.0):
    """Scores of six labels of different difficulty, and rows some of which have no label."""
    ease = np.linspace(0.2, 2.0, 6)
    Y = rng.random((n, 6)) < np.linspace(0.05, 0.5, 6)
    return ease * Y + rng.normal(size=(n, 6)) - shift * Y, Y


def missed(scores, Y, thresholds):
    """The mean share of a row's labels that its set lacks."""
    lost = (Y & (scores < thresholds)).sum(axis=1)
    return (lost / np.maximum(Y.sum(axis=1), 1)).mean()


def within(values, level):
    """Whether a mean over draws is at most the level, but for two standard errors."""
    return np.mean(values) <= level + 2 * np.std(values) / np.sqrt(len(values))


@pytest.mark.parametrize("n", [12, 40, 300])
@pytest.mark.parametrize("level", [0.1, 0.2])
def test_the_mean_share_missed_is_at_most_the_level(n, level):
    rng, values = np.random.default_rng(0), []
    for _ in range(400):
        t = Promise.of(*draw(rng, n)).threshold(level)
        values.append(missed(*draw(rng, 200), t))
    assert (draw(rng, 500)[1].sum(axis=1) == 0).any()  # rows without labels take part
    assert within(values, level)
    assert np.mean(values) > level - 2.5 / (n + 1)  # no larger than it has to be


@pytest.mark.parametrize("level", [0.1, 0.2])
def test_each_label_keeps_its_own_promise(level):
    rng, values = np.random.default_rng(1), []
    for _ in range(200):
        promise = Promise.of(*draw(rng, 400))
        t = promise.label_thresholds(level, range(6), rare="include")
        scores, Y = draw(rng, 400)
        values.append([(scores[Y[:, j], j] < t[j]).mean() for j in range(6)])
    for of_label in np.transpose(values):
        assert within(of_label, level)


def test_the_promise_breaks_where_rows_are_not_exchangeable():
    rng, values = np.random.default_rng(2), []
    for _ in range(100):
        t = Promise.of(*draw(rng, 200)).threshold(0.1)
        values.append(missed(*draw(rng, 200, shift=1.0), t))
    assert not within(values, 0.1)


def test_the_threshold_is_the_highest_that_is_allowed():
    """Against all thresholds there are."""
    rng = np.random.default_rng(3)
    scores, Y = draw(rng, 50)
    scores = scores.round(1)  # with ties
    found = Promise.of(scores, Y).threshold(0.15)
    allowed = [
        t for t in np.unique(scores[Y]) if (50 * missed(scores, Y, t) + 1) / 51 <= 0.15 + 1e-12
    ]
    assert found == max(allowed)


def test_how_many_rows_are_needed():
    assert [rows_needed(level) for level in (0.5, 0.2, 0.1, 0.05, 0.3)] == [1, 4, 9, 19, 3]
    scores, Y = draw(np.random.default_rng(4), 8)
    with pytest.raises(ValueError, match=r"8 rows are too few .* recall of 0.9; 9 rows"):
        Promise.of(scores, Y).threshold(0.1)
    assert np.isfinite(Promise.of(*draw(np.random.default_rng(4), 9)).threshold(0.1))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 8))
    Y = (X[:, :5] + rng.normal(size=(900, 5)) > np.linspace(0, 1.5, 5)).astype(int)
    return X, Y


@pytest.mark.parametrize("model", [LabelRidge(), LabelRidgeCV(random_state=0)])
@pytest.mark.parametrize("per_label", [False, True])
def test_sets_of_a_classifier(problem, model, per_label):
    X, Y = problem
    model.fit(X[:300], Y[:300])
    sets = LabelSets(model, recall=0.8, per_label=per_label).fit(X[300:600], Y[300:600])
    found = sets.predict(X[600:])
    assert sets.level_ == 0.2
    assert sets.n_calibration_ == 300
    assert sets.expected_size_ == pytest.approx(sets.predict(X[300:600]).sum(axis=1).mean())
    lost = (Y[600:] > found).sum(axis=1) / np.maximum(Y[600:].sum(axis=1), 1)
    recalls = (found * Y[600:]).sum(axis=0) / Y[600:].sum(axis=0)
    assert lost.mean() < 0.26
    assert not per_label or np.all(recalls > 0.65)
    assert (len(np.unique(sets.thresholds_)) > 1) == per_label


def test_a_share_is_held_out(problem):
    X, Y = problem
    sets = LabelSets(LabelRidge(), recall=0.9, cv=0.3, random_state=0).fit(X, Y)
    assert sets.n_calibration_ == 270
    again = LabelSets(LabelRidge(), recall=0.9, cv=0.3, random_state=0).fit(X, Y)
    assert np.array_equal(again.predict(X), sets.predict(X))


def test_rare_labels(problem):
    X, Y = problem
    Y = Y.copy()
    Y[300:, 4] = 0
    Y[300:303, 4] = 1
    model = LabelRidge().fit(X[:300], Y[:300])
    sets = LabelSets(model, recall=0.9, per_label=True)
    with pytest.raises(ValueError, match=r"1 of 5 labels .* the 9 rows .*label4 \(3\).*include"):
        sets.fit(X[300:600], Y[300:600])
    sets.set_params(rare="include").fit(X[300:600], Y[300:600])
    assert np.all(sets.predict(X)[:, 4] == 1)


def test_an_unfitted_classifier(problem):
    with pytest.raises(NotFittedError):
        LabelSets(LabelRidge()).fit(*problem)


def test_sparse_labels(problem):
    import scipy.sparse as sp

    X, Y = problem
    one, other = (LabelSets(LabelRidge(), cv=0.5, random_state=0).fit(X, y)
                  for y in (Y, sp.csr_array(Y)))  # fmt: skip
    assert np.array_equal(one.thresholds_, other.thresholds_)


def kinds(rng, n, share):
    """Rows of two kinds, of which the second is harder; so many of them are of the second."""
    hard = rng.random(n) < share
    scores, Y = draw(rng, n)
    return scores - 1.5 * (hard[:, None] & Y), Y, hard


@pytest.mark.parametrize("level", [0.1, 0.2])
def test_with_ratios_the_promise_is_kept_for_rows_drawn_otherwise(level):
    rng, plain, weighted, each = np.random.default_rng(3), [], [], []
    for _ in range(300):
        scores, Y, hard = kinds(rng, 150, 0.2)
        ratios = 7.0 * np.where(hard, 0.6 / 0.2, 0.4 / 0.8)  # but for a factor
        new = kinds(rng, 200, 0.6)[:2]
        plain.append(missed(*new, Promise.of(scores, Y).threshold(level)))
        promise = Promise.of(scores, Y, ratios)
        weighted.append(missed(*new, promise.threshold(level)))
        t = promise.label_thresholds(level, range(6), rare="include")
        each.append([np.mean(new[0][new[1][:, j], j] < t[j]) for j in range(6)])
    assert not within(plain, level)
    assert within(weighted, level)
    assert all(within(of_label, level) for of_label in np.transpose(each))


def brute_force(scores, Y, ratios, level):
    """The highest score of a true label that keeps the weighted mean, a new row missing all."""
    w, best = ratios / ratios.max(), -np.inf
    for t in scores[Y]:
        lost = (Y & (scores < t)).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)
        if (w @ lost + 1) / (w.sum() + 1) <= level:
            best = max(best, t)
    return best


def test_ratios_against_a_search():
    rng = np.random.default_rng(4)
    for _ in range(20):
        (scores, Y), ratios = draw(rng, 60), rng.uniform(0.0, 3.0, 60)
        t = Promise.of(scores, Y, ratios).threshold(0.2)
        assert t == brute_force(scores, Y, ratios, 0.2)
        alike = Promise.of(scores, Y, np.full(60, 5.0)).threshold(0.2)
        assert alike == Promise.of(scores, Y).threshold(0.2)


def test_few_rows_that_count_are_too_few():
    scores, Y = draw(np.random.default_rng(5), 50)
    ratios = np.r_[1.0, np.full(49, 0.01)]
    with pytest.raises(
        ValueError, match=r"50 rows, by their ratios worth 1\.5 of the most, are too"
    ):
        Promise.of(scores, Y, ratios).threshold(0.1)


def test_ratios_in_a_fit():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4))
    Y = (X + rng.normal(size=(300, 4)) > 0).astype(int)
    model = LabelRidge().fit(X[:100], Y[:100])
    plain = LabelSets(model, 0.8).fit(X[100:], Y[100:])
    alike = LabelSets(model, 0.8).fit(X[100:], Y[100:], ratios=np.full(200, 3.0))
    np.testing.assert_array_equal(plain.thresholds_, alike.thresholds_)
    some = LabelSets(model, 0.8).fit(X[100:], Y[100:], ratios=np.exp(X[100:, 0]))
    assert some.thresholds_[0] != plain.thresholds_[0]
    with pytest.raises(ValueError, match="ratios has 3 numbers, and X has 200 rows"):
        LabelSets(model).fit(X[100:], Y[100:], ratios=[1, 2, 3])
    with pytest.raises(ValueError, match="ratios holds -1 for row 0"):
        LabelSets(model).fit(X[100:], Y[100:], ratios=np.full(200, -1.0))


def test_pairs_of_rows_are_not_held_out():
    X, Y = np.random.default_rng(7).normal(size=(30, 3)), np.eye(3, dtype=int)[np.arange(30) % 3]
    model = LabelRidge(kernel="precomputed")
    with pytest.raises(ValueError, match=r"matrix of all pairs of rows.*cv='prefit'"):
        LabelSets(model, 0.5, cv=0.5).fit(X @ X.T, Y)
