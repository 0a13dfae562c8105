"""What the directions of largest variance explain, against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA as Theirs  # noqa: N811

import colabel
from colabel import PCA

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(60, 8)) @ RNG.normal(size=(8, 8)) + 3.0
WIDE = RNG.normal(size=(12, 30))
FORMS = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "factored": colabel.factor,
    "blocks": lambda X: colabel.row_blocks([X[:5], X[5:]]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("whiten", [False, True])
def test_equals_sklearn(X, form, whiten):
    ours, theirs = PCA(3, whiten=whiten).fit(FORMS[form](X)), Theirs(3, whiten=whiten).fit(X)
    for name in ("explained_variance_", "explained_variance_ratio_", "noise_variance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    Z, expected = ours.transform(X), theirs.transform(X)
    signs = np.sign(Z[0] * expected[0])
    np.testing.assert_allclose(Z, expected * signs, atol=1e-10)
    np.testing.assert_allclose(
        ours.inverse_transform(Z), theirs.inverse_transform(expected), atol=1e-10
    )


@pytest.mark.parametrize("new", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("whiten", [False, True])
def test_score_is_sklearns(whiten, new):
    test = TALL[:7] + 0.5
    for k in (1, 3, None):
        # scikit-learn's own with whiten=True is of another covariance
        expected = Theirs(k).fit(TALL).score_samples(test)
        found = PCA(k, whiten=whiten).fit(TALL)
        np.testing.assert_allclose(found.score_samples(new(test)), expected, rtol=1e-9)
        assert found.score(new(test)) == pytest.approx(expected.mean(), rel=1e-9)


def test_moments_know_the_shares():
    whole, parts = PCA(3).fit(TALL), PCA(3).partial_fit(TALL[:20]).partial_fit(TALL[20:])
    np.testing.assert_allclose(
        parts.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-9
    )


def test_no_density_where_there_is_none():
    model = PCA().fit(WIDE)  # whose directions leave nothing to others
    Z, lam = model.transform(WIDE), model.explained_variance_
    within = -0.5 * (np.log(2 * np.pi * lam).sum() + (Z**2 / lam).sum(axis=1))
    np.testing.assert_allclose(model.score_samples(WIDE), within)
    off = WIDE + np.random.default_rng(0).normal(size=WIDE.shape)
    assert np.all(model.score_samples(off) == -np.inf)
    assert not hasattr(PCA(kernel="rbf"), "score")
    with pytest.raises(TypeError, match="needs the rows themselves"):
        PCA(2).fit(TALL).score(colabel.factor(TALL))


def test_single_precision_stays():
    model = PCA(2, whiten=True).fit(TALL.astype(np.float32))
    for name in ("components_", "explained_variance_", "explained_variance_ratio_"):
        assert getattr(model, name).dtype == np.float32
    assert model.transform(TALL.astype(np.float32)).dtype == np.float32
