"""Generated data: the truth that is given is the truth."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles

from colabel.datasets import make_multilabel_subspace


def test_labels_are_the_highest_scores_in_the_subspace():
    data = make_multilabel_subspace(300, 40, 12, 4, cardinality=3, correlation=0.5, random_state=0)
    np.testing.assert_allclose(data.subspace @ data.subspace.T, np.eye(4), atol=1e-12)
    assert subspace_angles(data.coef.T, data.subspace.T).max() < 1e-6
    scores, Y = data.X @ data.coef.T, data.Y.toarray().astype(bool)
    for label in range(12):
        assert scores[Y[:, label], label].min() > scores[~Y[:, label], label].max()
    assert Y.sum(axis=0).tolist() == [75] * 12


def test_least_squares_finds_the_subspace():
    data = make_multilabel_subspace(4000, 20, 10, 3, noise=0.1, random_state=0)
    W = np.linalg.lstsq(data.X, data.Y.toarray() - data.Y.toarray().mean(axis=0))[0]
    found = np.linalg.svd(W, full_matrices=False)[0][:, :3]
    assert subspace_angles(found, data.subspace.T).max() < 0.15


def test_each_labels_own_part_leaves_the_subspace():
    data = make_multilabel_subspace(n_components=2, specific=0.5, random_state=0)
    own = data.coef - data.coef @ data.subspace.T @ data.subspace
    assert np.linalg.norm(own, axis=1).min() > 0.3


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_correlated_labels(correlation):
    data = make_multilabel_subspace(50, 60, 40, 50, correlation=correlation, random_state=1)
    cosines = (data.coef @ data.coef.T)[np.triu_indices(40, 1)]
    assert abs(cosines.mean() - correlation) < 0.1


def test_noise_blurs_the_labels():
    def error(noise):
        data = make_multilabel_subspace(1000, 10, 4, 2, noise=noise, random_state=0)
        clean = make_multilabel_subspace(1000, 10, 4, 2, random_state=0)
        return abs(data.Y - clean.Y).mean()

    assert 0 == error(0.0) < error(0.1) < error(1.0)


def test_sparse_features_and_unlabelled_rows():
    data = make_multilabel_subspace(400, 50, density=0.1, unlabelled=0.25, random_state=0)
    assert sp.issparse(data.X)
    assert abs(data.X.nnz / (400 * 50) - 0.1) < 0.01
    assert np.count_nonzero(~data.labelled) == 100
    assert np.all(data.known_labels[~data.labelled] == -1)
    np.testing.assert_array_equal(data.known_labels[data.labelled], data.Y.toarray()[data.labelled])
    rows = np.flatnonzero(data.labelled)
    part = data.select(rows=rows, features=[3, 4], labels=[0])
    assert part.X.shape == (300, 2)
    assert part.labelled.all()
    assert (part.subspace.shape, part.coef.shape) == ((3, 2), (1, 2))


def test_the_same_seed_gives_the_same_data():
    one, two, other = (make_multilabel_subspace(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.X, two.X)
    assert (one.Y != two.Y).nnz == 0
    assert (one.Y != other.Y).nnz > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"correlation": 1.0},
        {"density": 0.0},
        {"unlabelled": 1.0},
        {"cardinality": 10.0},
        {"n_components": 51},
    ],
)
def test_values_out_of_range_are_refused(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name} must be in .*; got {value}"):
        make_multilabel_subspace(**wrong)
