"""MtSDACV(decode="exact") refused a 1-D y of more than 20 classes, which MtSDA takes.

Its folds were fitted as sets of labels, of which there would be 2^22.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from colabel import MtSDA, MtSDACV

RNG = np.random.default_rng(0)
MEANS = RNG.normal(size=(22, 6))
CODES = np.arange(132) % 22
X = MEANS[CODES] + 0.3 * RNG.normal(size=(132, 6))


@pytest.mark.parametrize("y", [CODES, np.array([f"class{i:02}" for i in CODES])])
def test_many_classes_are_searched(y):
    model = MtSDACV([0.05], (0.01, 0.1), decode="exact", cv=3, random_state=0).fit(X, y)
    alone = MtSDA(model.l1_, model.l2_, decode="exact").fit(X, y)
    assert_array_equal(model.predict(X), alone.predict(X))
    assert np.mean(model.predict(X) == y) > 0.5


def test_classes_are_decoded_alike_either_way():
    found = [
        MtSDACV([0.05], (0.01, 0.1), decode=decode, cv=3, random_state=0).fit(X, CODES)
        for decode in ("exact", "linear")
    ]
    first, second = (model.cv_results_["mean_test_score"] for model in found)
    assert_allclose(first, second)
    assert_array_equal(found[0].predict(X), found[1].predict(X))


def test_sets_of_so_many_labels_are_refused_still():
    with pytest.raises(ValueError, match=r"decode='exact' tries all sets of labels, 2\^22 here"):
        MtSDACV([0.05], decode="exact", cv=3).fit(X, np.eye(22, dtype=int)[CODES])
