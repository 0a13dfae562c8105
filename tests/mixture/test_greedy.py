"""Weights of a mixture against the minimum of its log loss, which is convex in them."""

import numpy as np
import pytest

from colabel.mixture.greedy import likelihoods, log_loss, mixing_weights, some_rows


def members(seed, count=4, entries=3000):
    """Probabilities of one truth by members of which each sees a part, and one that sees none."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(count, entries))
    truth = parts.sum(axis=0) + rng.normal(size=entries) > 0
    P = 1 / (1 + np.exp(-parts))
    P[-1] = rng.uniform(0.05, 0.95, size=entries)
    return np.array([likelihoods(p, truth) for p in P])


def gap(said, weights):
    """An upper bound of how far the loss is above its minimum, by its gradient: it is convex."""
    return np.mean(said / (weights @ said), axis=1).max() - 1.0


@pytest.mark.parametrize("seed", range(4))
def test_it_comes_near_to_the_minimum(seed):
    said = members(seed)
    weights = mixing_weights(said)
    assert weights.sum() == pytest.approx(1.0)
    even = np.full(len(said), 1 / len(said))
    assert gap(said, even) > 0.03  # to be sure
    assert 0 <= gap(said, weights) < 0.005
    assert log_loss(weights @ said) < min(map(log_loss, said))


def test_each_choice_is_the_best_one():
    """Step by step as Caruana et al. have it."""
    said = members(9)
    taken = []
    for _ in range(6):
        losses = [log_loss(np.mean(said[[*taken, m]], axis=0)) for m in range(len(said))]
        taken.append(int(np.argmin(losses)))
    expected = np.bincount(taken, minlength=len(said)) / len(taken)
    np.testing.assert_allclose(mixing_weights(said, rounds=6), expected)


def test_a_member_that_is_best_everywhere_is_alone():
    good = np.full(50, 0.9)
    assert mixing_weights(np.array([good - 0.5, good])).tolist() == [0.0, 1.0]


def test_the_mixture_of_likelihoods_is_the_likelihood_of_the_mixture():
    rng = np.random.default_rng(0)
    P, Q = rng.uniform(size=(2, 7, 3))
    truth = rng.uniform(size=(7, 3)) > 0.5
    mixed = 0.3 * likelihoods(P, truth) + 0.7 * likelihoods(Q, truth)
    np.testing.assert_allclose(mixed, likelihoods(0.3 * P + 0.7 * Q, truth))


def test_many_rows_are_chosen_from():
    rng = np.random.RandomState(0)
    assert some_rows(10, 3, rng).tolist() == list(range(10))
    some = some_rows(10**6, 100, rng)
    assert len(set(some)) == len(some) == 40_000
