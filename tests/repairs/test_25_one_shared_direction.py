"""make_multilabel_subspace with one component and correlation=0.5: coefficients were NaN.

In one dimension the common direction and a label's own may cancel.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from colabel.datasets import make_multilabel_subspace


@pytest.mark.parametrize("correlation", [0.0, 0.25, 0.5, 0.81, 0.999])
def test_coefficients_are_of_length_one_and_as_alike_as_asked(correlation):
    q = 2000
    data = make_multilabel_subspace(
        30, 4, q, n_components=1, correlation=correlation, cardinality=50.0, random_state=0
    )
    assert_allclose(np.linalg.norm(data.coef, axis=1), 1.0)
    cosines = data.coef @ data.coef.T
    mean = (cosines.sum() - q) / (q * (q - 1))
    # the mean sign of q labels, squared, is off by about 2√c/√q
    assert mean == pytest.approx(correlation, abs=5 * 2 / np.sqrt(q))


def test_labels_follow_the_scores():
    data = make_multilabel_subspace(
        40, 5, 6, n_components=1, correlation=0.5, cardinality=2.0, random_state=1
    )
    scores = data.X @ data.coef.T
    given = data.Y.toarray() > 0
    for label in range(6):
        assert scores[given[:, label], label].min() >= scores[~given[:, label], label].max()


def test_without_correlation_the_data_are_as_before():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 4))
    subspace = np.linalg.qr(rng.normal(size=(4, 1)))[0].T
    rng.normal(size=(1, 1))
    signs = np.sign(rng.normal(size=(5, 1)))
    data = make_multilabel_subspace(20, 4, 5, n_components=1, random_state=3)
    assert_array_equal(data.X, X)
    assert_allclose(data.coef, signs @ subspace)
