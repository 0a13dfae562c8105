"""Splitters: a single label and two classes were refused, parts could be empty, covers were missed.

And a mask was taken for row numbers, 0 and 1, so that rows were in both parts.
"""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from colabel.datasets import (
    CoveringShuffleSplit,
    GivenSplit,
    IterativeStratifiedKFold,
    IterativeStratifiedShuffleSplit,
    covers,
)

STRATIFIED = [
    IterativeStratifiedKFold(3, random_state=0),
    IterativeStratifiedShuffleSplit(4, test_size=1 / 3, random_state=0),
]
ONE = (np.random.default_rng(0).random((60, 1)) < 0.3).astype(int)


@pytest.mark.parametrize("splitter", STRATIFIED, ids=["folds", "shuffled"])
@pytest.mark.parametrize(
    "given",
    [
        ONE,
        sp.csr_array(ONE),
        ONE.ravel(),
        np.array(["no", "yes"])[ONE.ravel()],
        np.arange(60) % 3,
        1 - ONE,
    ],
    ids=["column", "sparse", "classes", "names", "three classes", "absence"],
)
def test_single_labels_and_classes_are_stratified(splitter, given):
    splits = list(splitter.split(np.zeros((60, 1)), given))
    assert len(splits) == splitter.get_n_splits()
    classes = np.asarray(given.toarray() if sp.issparse(given) else given).ravel()
    for train, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(60))
        for value in np.unique(classes):
            share = np.count_nonzero(classes[test] == value) / np.count_nonzero(classes == value)
            assert abs(share - 1 / 3) * np.count_nonzero(classes == value) <= 1.5


@pytest.mark.parametrize("value", [0, 1])
def test_so_is_a_label_that_all_rows_have_or_none(value):
    for splitter in STRATIFIED:
        for train, test in splitter.split(None, np.full((9, 1), value)):
            assert (len(train), len(test)) == (6, 3)


@pytest.mark.parametrize("seed", range(20))
def test_no_part_is_empty(seed):
    rng = np.random.default_rng(seed)
    n, q = rng.integers(2, 12), rng.integers(1, 5)
    Y = (rng.random((n, q)) < rng.random()).astype(int)
    folds = list(IterativeStratifiedKFold(n, random_state=seed).split(Y, Y))
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(n))
    assert all(len(train) == n - 1 and len(test) == 1 for train, test in folds)
    for size in (1, n - 1):
        splitter = IterativeStratifiedShuffleSplit(3, test_size=int(size), random_state=seed)
        for train, test in splitter.split(Y, Y):
            assert len(train) > 0
            assert len(test) > 0
            assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))


def has_cover(Y, size):
    return any(Y[list(rows)].any(axis=0).all() for rows in combinations(range(len(Y)), size))


@pytest.mark.parametrize("seed", range(40))
def test_a_cover_is_found_where_there_is_one(seed):
    rng = np.random.default_rng(seed)
    n, q, size = rng.integers(5, 9), rng.integers(3, 8), rng.integers(2, 4)
    Y = (rng.random((n, q)) < 0.5).astype(int)
    Y[rng.integers(n), Y.sum(axis=0) == 0] = 1
    splitter = CoveringShuffleSplit(3, train_size=int(size), random_state=seed)
    if has_cover(Y, size):
        for train, test in splitter.split(Y, Y):
            assert Y[train].any(axis=0).all()
            assert len(train) == size
            assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    else:
        with pytest.raises(ValueError, match=f"{size} training rows are too few to have each of"):
            list(splitter.split(Y, Y))


def tempting():
    """Two rows that cover six labels, and one with four of them, which greed takes first."""
    few = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 0]]
    return np.array([*few, *[[1, 0, 0, 0, 0, 0]] * 9])


def test_the_search_finds_what_greed_misses():
    Y = tempting()
    for train, test in CoveringShuffleSplit(5, train_size=2, random_state=0).split(Y, Y):
        assert_array_equal(np.sort(train), [0, 1])
        assert len(test) == 10


def test_parts_keep_their_sizes_where_rows_are_unused():
    Y = tempting()
    splitter = CoveringShuffleSplit(5, train_size=3, test_size=4, random_state=0)
    for train, test in splitter.split(Y, Y):
        assert Y[train].any(axis=0).all()
        assert (len(set(train)), len(set(test)), len({*train, *test})) == (3, 4, 7)


def test_what_is_too_large_to_search_is_not_called_impossible(monkeypatch):
    monkeypatch.setattr(covers, "EXACT_LIMIT", 0)
    Y = np.eye(6, dtype=int)
    with pytest.raises(ValueError, match="2 training rows were not found that have each of the 6"):
        list(CoveringShuffleSplit(1, train_size=2, random_state=0).split(Y, Y))


@pytest.mark.parametrize("kind", [np.asarray, list])
def test_masks_are_masks(kind):
    mask = np.array([True, False, True, True, False])
    for given in [(kind(mask),), (kind(mask), kind(~mask)), (np.flatnonzero(mask), kind(~mask))]:
        [(train, test)] = GivenSplit(*given).split(np.zeros((5, 1)))
        assert_array_equal(train, [0, 2, 3])
        assert_array_equal(test, [1, 4])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([True, False],), r"train is a mask of shape \(2,\), and there are 5 rows"),
        (([0], [True] * 4), r"test is a mask of shape \(4,\), and there are 5 rows"),
        (([True] * 5, [True] * 5), "rows in common"),
        (([False] * 5,), "train must hold rows from 0 to 4, at least one"),
    ],
)
def test_masks_that_cannot_be(given, message):
    with pytest.raises(ValueError, match=message):
        next(GivenSplit(*given).split(np.zeros((5, 1))))
