"""Splits: parts that do not overlap, cover the rows, and share out the labels."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score

from colabel.datasets import (
    CoveringShuffleSplit,
    GivenSplit,
    IterativeStratifiedKFold,
    IterativeStratifiedShuffleSplit,
    load_debtags,
)


@pytest.fixture(scope="module")
def Y():
    """Forty labels that become rarer and rarer; the last three of 3, 2 and 1 rows."""
    rng = np.random.default_rng(0)
    Y = (rng.random((600, 40)) < np.geomspace(0.3, 0.01, 40)).astype(int)
    Y[:, -3:] = 0
    Y[[5, 70, 300], -3] = Y[[6, 200], -2] = Y[9, -1] = 1
    return Y


def splitters(seed=0):
    return [
        IterativeStratifiedKFold(4, random_state=seed),
        IterativeStratifiedShuffleSplit(3, test_size=0.2, random_state=seed),
        CoveringShuffleSplit(3, train_size=0.3, random_state=seed),
        GivenSplit(400),
    ]


@pytest.mark.parametrize("splitter", splitters(), ids=lambda splitter: type(splitter).__name__)
def test_parts_are_disjoint_and_cover_the_rows(Y, splitter):
    splits = list(splitter.split(Y, Y))
    assert len(splits) == splitter.get_n_splits(Y, Y)
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(600))
    if isinstance(splitter, IterativeStratifiedKFold):
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(600))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, pd.DataFrame, list])
def test_every_form_of_labels_gives_the_same_split(Y, kind):
    given = Y.tolist() if kind is list else kind(Y)
    for one, two in zip(splitters(), splitters(), strict=True):
        for (a, b), (c, d) in zip(one.split(Y, Y), two.split(Y, given), strict=True):
            np.testing.assert_array_equal(a, c)
            np.testing.assert_array_equal(b, d)


def test_seeds_decide(Y):
    for same, again, other in zip(splitters(0), splitters(0), splitters(1), strict=True):
        first, second, third = (next(s.split(Y, Y))[1] for s in (same, again, other))
        np.testing.assert_array_equal(first, second)
        if not isinstance(same, GivenSplit):
            assert not np.array_equal(first, third)


def unevenness(splitter, Y):
    """How far the shares of labels in test parts are from their shares in all rows."""
    return np.mean([
        abs(Y[test].mean(axis=0) / Y.mean(axis=0) - 1).mean() for _, test in splitter.split(Y, Y)
    ])  # fmt: skip


def test_stratified_parts_are_more_even_than_plain_ones(Y):
    plain = unevenness(KFold(4, shuffle=True, random_state=0), Y)
    assert unevenness(IterativeStratifiedKFold(4, random_state=0), Y) < 0.6 * plain
    plain = unevenness(ShuffleSplit(5, test_size=0.2, random_state=0), Y)
    assert unevenness(IterativeStratifiedShuffleSplit(5, test_size=0.2, random_state=0), Y) < (
        0.6 * plain
    )


def test_test_parts_have_the_size_asked_for(Y):
    for train, test in IterativeStratifiedShuffleSplit(3, test_size=0.2, random_state=0).split(
        Y, Y
    ):
        assert abs(len(test) - 120) < 12
        assert len(train) + len(test) == 600


@pytest.mark.parametrize("train_size", [40, 60, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_every_label_is_in_training(Y, train_size, seed):
    splitter = CoveringShuffleSplit(3, train_size=train_size, random_state=seed)
    for train, _ in splitter.split(Y, Y):
        assert len(train) == (train_size if train_size > 1 else 120)
        assert np.all(Y[train].sum(axis=0) > 0)


def test_covering_with_unused_rows_and_unused_labels(Y):
    Y = np.hstack([Y, np.zeros((600, 1), dtype=int)])
    splitter = CoveringShuffleSplit(5, train_size=60, test_size=100, random_state=0)
    for train, test in splitter.split(Y, Y):
        assert (len(set(train)), len(set(test)), len({*train, *test})) == (60, 100, 160)
        assert np.all(Y[train].sum(axis=0)[:-1] > 0)


def test_covering_hardly_changes_a_split_that_needs_little(Y):
    plain = next(ShuffleSplit(1, train_size=300, random_state=0).split(Y))[0]
    mended = next(CoveringShuffleSplit(1, train_size=300, random_state=0).split(Y, Y))[0]
    assert 0 < len(np.setdiff1d(mended, plain)) <= 3


def test_too_few_rows_to_cover_the_labels():
    with pytest.raises(ValueError, match="3 training rows are too few to have each of the 6 lab"):
        next(CoveringShuffleSplit(1, train_size=3, random_state=0).split(np.eye(6), np.eye(6)))


@pytest.mark.parametrize("wrong", [{"train": 0}, {"train": [1, 9]}, {"train": [1], "test": [1, 2]}])
def test_given_splits_that_cannot_be(wrong):
    with pytest.raises(ValueError, match="rows"):
        next(GivenSplit(**wrong).split(np.zeros((5, 1))))


def test_they_are_scikit_learns_splitters():
    data = load_debtags().select(rows=np.arange(300), features=np.arange(50))
    for splitter in (*splitters()[:3], GivenSplit(200)):
        scores = cross_val_score(Ridge(), data.X, data.Y.toarray(), cv=splitter)
        assert len(scores) == splitter.get_n_splits()
        assert "Split" in repr(splitter) or "Fold" in repr(splitter)


def test_rows_of_x_and_y_must_agree(Y):
    for splitter in splitters()[:3]:
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            next(splitter.split(np.zeros((5, 1)), Y))
