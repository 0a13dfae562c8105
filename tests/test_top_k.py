"""The highest scores by partition are those by a sort, whatever ties."""

import numpy as np
import pytest
from plain_measures import ranks

from colabel._top_k import top_places
from colabel.metrics import precision_at


def scores_of(kind, n, q):
    rng = np.random.default_rng(7)
    return {
        "distinct": rng.random((n, q)),
        "tied": rng.integers(0, 4, size=(n, q)).astype(float),
        "all equal": np.zeros((n, q)),
        "infinite": rng.choice([-np.inf, 0.0, 1.0, np.inf], size=(n, q)),
        "float32": rng.random((n, q)).round(1).astype(np.float32),
        "missing": np.where(rng.random((n, q)) < 0.3, np.nan, rng.random((n, q)).round(1)),
    }[kind]


@pytest.mark.parametrize("ties", ["first", "last"])
@pytest.mark.parametrize("kind", ["distinct", "tied", "all equal", "infinite", "float32"])
@pytest.mark.parametrize("k", [1, 3, 9, 20])
def test_top_places_are_the_first_ranks(kind, ties, k):
    scores = scores_of(kind, 30, 20)
    found = top_places(scores, k, ties)
    for row, places in zip(scores, found, strict=True):
        rank = ranks(row.tolist(), ties)
        assert [rank[j] for j in places] == list(range(1, k + 1))


@pytest.mark.parametrize("k", [1, 3, 9, 20])
def test_scores_that_are_missing_are_placed_as_by_a_sort(k):
    scores = scores_of("missing", 30, 20)
    assert np.array_equal(top_places(scores, k), np.argsort(-scores, axis=1, kind="stable")[:, :k])


@pytest.mark.parametrize("kind", ["distinct", "tied"])
def test_precision_of_sparse_labels_is_that_of_dense_ones(kind):
    import scipy.sparse as sp

    Y = np.random.default_rng(3).integers(0, 2, size=(40, 25))
    scores = scores_of(kind, 40, 25)
    for k in (1, 4, 25, [2, 5], None):
        dense = precision_at(Y, scores, k)
        assert np.array_equal(precision_at(sp.csr_array(Y), scores, k), dense)
    sorted_labels = np.take_along_axis(Y, np.argsort(scores, axis=1, kind="stable"), axis=1)
    assert precision_at(Y, scores, 4) == pytest.approx(sorted_labels[:, -4:].mean(), rel=1e-14)
