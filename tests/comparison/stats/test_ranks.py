"""Ranks and tests against scipy, scikit-posthocs and worked examples in print."""

import numpy as np
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from colabel.comparison.stats.ranks import (
    average_ranks,
    cliques,
    corrected_t_test,
    critical_difference,
    friedman,
    holm,
    nemenyi,
)

#: The ranks of four methods on 14 data sets in Demšar (2006), table 6.
DEMSAR = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)


def tables(least_sets=2, ties=True):
    values = st.integers(0, 6) if ties else st.floats(0, 1, width=32)
    shapes = st.tuples(st.integers(least_sets, 9), st.integers(3, 8))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=values))


def test_demsars_worked_example():
    ranks = average_ranks(DEMSAR, greater_is_better=False)
    np.testing.assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    test = friedman(DEMSAR, greater_is_better=False, correct_ties=False)
    assert round(test.chi_square, 2) == 9.28
    assert round(test.f, 2) == 3.69
    assert round(critical_difference(4, 14), 2) == 1.25
    assert round(critical_difference(4, 14, 0.1), 2) == 1.12
    # the critical value of F(3, 39) is 2.85 there
    assert (test.f_p < 0.05) == (test.f > 2.85)


def test_the_critical_difference_of_nine_methods_on_eight_sets():
    assert round(critical_difference(9, 8), 2) == 4.25
    # q of Demšar's table 5, in units of √(k(k+1)/6N); of 2.3437 he prints 2.343: cut, not rounded
    for k, q in ((2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)):
        assert abs(critical_difference(k, 6 * k * (k + 1)) * 6 - q) < 1e-3


@given(tables())
def test_friedman_is_scipys(table):
    ours = friedman(table)
    if np.all(table == table[:, :1]):
        assert (ours.chi_square, ours.chi_square_p) == (0, 1)
        return
    theirs = stats.friedmanchisquare(*table.T)
    np.testing.assert_allclose(ours.chi_square, theirs.statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.chi_square_p, theirs.pvalue, rtol=1e-7, atol=1e-12)


def test_nemenyi_is_that_of_scikit_posthocs():
    rng = np.random.default_rng(0)
    for n, k in ((4, 3), (8, 9), (14, 5)):
        table = rng.integers(0, 9, (n, k)).astype(float)
        theirs = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
        np.testing.assert_allclose(nemenyi(table), theirs, atol=1e-9)


def test_nemenyi_and_the_critical_difference_agree():
    table = np.random.default_rng(1).random((8, 6))
    ranks = average_ranks(table)
    gaps = np.abs(ranks[:, None] - ranks)
    for alpha in (0.01, 0.05, 0.3):
        apart = gaps >= critical_difference(6, 8, alpha)
        np.testing.assert_array_equal(nemenyi(table) <= alpha, apart)


@given(tables(least_sets=1))
def test_ranks_sum_to_what_ranks_sum_to(table):
    k = table.shape[1]
    np.testing.assert_allclose(average_ranks(table).sum(), k * (k + 1) / 2)
    np.testing.assert_allclose(
        average_ranks(table) + average_ranks(table, greater_is_better=False), k + 1
    )


@given(tables(), st.integers(-3, 3), st.integers(1, 5))
def test_monotone_transformations_change_nothing(table, shift, factor):
    row = np.arange(len(table))[:, None]
    other = np.exp(factor * table / 6 + shift + row)
    np.testing.assert_array_equal(average_ranks(other), average_ranks(table))
    assert friedman(other) == friedman(table)


def test_failures_take_the_worst_ranks():
    table = [[0.9, 0.1, None], [0.5, None, None], [0.2, 0.3, 0.4]]
    assert average_ranks(table).tolist() == [5 / 3, 6.5 / 3, 6.5 / 3]
    # and they do so whichever way is better
    assert average_ranks(table, greater_is_better=False)[2] == (3 + 2.5 + 3) / 3


def test_those_without_any_score_are_left_out():
    full = np.random.default_rng(0).random((5, 4))
    wider = np.insert(np.insert(full, 2, np.nan, axis=1), 3, np.nan, axis=0)
    ranks = average_ranks(wider)
    assert np.isnan(ranks[2])
    np.testing.assert_array_equal(np.delete(ranks, 2), average_ranks(full))
    assert friedman(wider) == friedman(full)
    p = nemenyi(wider)
    assert np.isnan(p[2]).all()
    np.testing.assert_array_equal(np.delete(np.delete(p, 2, 0), 2, 1), nemenyi(full))


@given(st.lists(st.floats(1, 9), min_size=1, max_size=8), st.floats(0.1, 5))
def test_cliques_are_the_largest_groups_that_fit(ranks, difference):
    groups = cliques(ranks, difference)
    joined = {frozenset((i, j)) for group in groups for i in group for j in group}
    for i, first in enumerate(ranks):
        for j, second in enumerate(ranks):
            near = max(first, second) < min(first, second) + difference
            assert i == j or (frozenset((i, j)) in joined) == near
    assert not any(set(a) < set(b) for a in groups for b in groups)


def test_the_corrected_t_test_by_its_formula():
    rng = np.random.default_rng(0)
    a, b = rng.random(10), rng.random(10)
    d = a - b
    found = corrected_t_test(a, b, n_train=900, n_test=100)
    t = d.mean() / np.sqrt((1 / 10 + 100 / 900) * d.var(ddof=1))
    np.testing.assert_allclose([found.t, found.p], [t, 2 * stats.t.sf(abs(t), 9)])
    half = stats.t.ppf(0.975, 9) * d.mean() / t
    np.testing.assert_allclose([found.lower, found.upper], [d.mean() - half, d.mean() + half])
    # with no overlap it is the plain test
    plain = corrected_t_test(a, b, n_train=10**12, n_test=1)
    np.testing.assert_allclose(plain.p, stats.ttest_rel(a, b).pvalue, rtol=1e-9)
    assert found.p > plain.p


def test_the_corrected_t_test_keeps_its_level_where_the_plain_one_does_not():
    # two guesses that are equally good, on overlapping halves of the same 60 rows
    rng = np.random.default_rng(0)
    corrected = plain = 0
    for _ in range(300):
        right = rng.random((2, 60)) < 0.5
        splits = [rng.permutation(60)[:30] for _ in range(15)]
        a, b = ([row[split].mean() for split in splits] for row in right)
        corrected += corrected_t_test(a, b, 30, 30).p < 0.05
        plain += stats.ttest_rel(a, b).pvalue < 0.05
    assert corrected / 300 < 0.09
    assert plain / 300 > 0.3


def test_the_corrected_t_test_at_its_limits():
    one = corrected_t_test([0.7], [0.6], 10, 5)
    assert one.n_splits == 1
    assert np.isnan([one.p, one.lower, one.upper]).all()
    none = corrected_t_test([None], [0.6], 10, 5)
    assert none.n_splits == 0
    assert np.isnan(none.mean)
    same = corrected_t_test([0.7, 0.3], [0.7, 0.3], 10, 5)
    assert (same.mean, same.p) == (0, 1)
    always = corrected_t_test([0.3, 0.7, 0.4], [0.2, 0.6, 0.3], 10, 5)
    assert always.p == 0
    part = corrected_t_test([0.7, None, 0.5, 0.4], [0.6, 0.2, 0.3, 0.1], 10, 5)
    whole = corrected_t_test([0.7, 0.5, 0.4], [0.6, 0.3, 0.1], 10, 5)
    assert part == whole


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_by_its_definition(p):
    adjusted = holm(p)
    for alpha in (0.01, 0.05, 0.2):
        rejected = set()
        for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
            if p[i] * (len(p) - step) > alpha:
                break
            rejected.add(i)
        assert set(np.flatnonzero(adjusted <= alpha)) == rejected


def test_holm_does_not_count_tests_that_were_not_made():
    np.testing.assert_array_equal(holm([0.01, np.nan, 0.03]), [0.02, np.nan, 0.03])
    assert holm([]).shape == (0,)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: average_ranks([1, 2]), r"shape \(data sets, methods\); got \(2,\)"),
        (lambda: friedman([[1, np.inf], [0, 1]]), "finite"),
        (lambda: friedman([[1, 2, 3]]), "2 data sets and 2 methods"),
        (lambda: friedman([[1, None], [2, None]]), "2 data sets and 2 methods"),
        (lambda: critical_difference(1, 8), "got 1, 8"),
        (lambda: critical_difference(3, 8, 1.0), "alpha must lie between 0 and 1; got 1.0"),
        (lambda: corrected_t_test([1, 2], [1], 5, 5), "one score a split"),
        (lambda: corrected_t_test([1, 2], [1, 3], 0, 5), "rows to train"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
