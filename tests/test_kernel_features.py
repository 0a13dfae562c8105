"""Features whose inner products are a kernel's values."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import pairwise_kernels

import colabel
from colabel import KernelFeatures, LabelRidge

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(120, 4)), RNG.normal(size=(30, 4))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "cosine"])
def test_all_rows_as_landmarks_are_exact(kernel, form):
    features = KernelFeatures(kernel, gamma=0.3, degree=2, n_landmarks=None).fit(form(X))
    settings = {"gamma": 0.3, "degree": 2, "coef0": 1.0}
    K = pairwise_kernels(NEW, X, metric=kernel, filter_params=True, **settings)
    F, new = features.transform(form(X)), features.transform(form(NEW))
    assert_allclose(new @ F.T, K, atol=1e-9)
    assert F.shape[1] == features.n_landmarks_ == len(features.get_feature_names_out())


def test_a_linear_model_of_them_is_the_kernel_model():
    Y = (X[:, :2] ** 2 > 1).astype(int)
    features = KernelFeatures(gamma=0.3, n_landmarks=40, random_state=0).fit(X)
    kernel = LabelRidge(0.5, kernel="rbf", gamma=0.3, n_landmarks=40, random_state=0).fit(X, Y)
    plain = Ridge(0.5).fit(features.transform(X), 2 * Y - 1)
    expected = plain.predict(features.transform(NEW))
    assert_allclose(kernel.decision_function(NEW), expected, atol=1e-9)


def test_float32_stays_float32():
    features = KernelFeatures(n_landmarks=20, random_state=0).fit(X.astype(np.float32))
    assert features.transform(NEW.astype(np.float32)).dtype == np.float32


def test_rows_in_blocks():
    dask = pytest.importorskip("dask.array")
    whole = KernelFeatures(gamma=0.3, n_landmarks=None, random_state=0).fit(X)
    expected = whole.transform(NEW) @ whole.transform(X).T
    for cut in (
        lambda A: colabel.row_blocks([A[:11], A[11:]]),
        lambda A: dask.from_array(A, (20, 4)),
    ):
        features = KernelFeatures(gamma=0.3, n_landmarks=None, random_state=0).fit(cut(X))
        F, new = features.transform(cut(X)), features.transform(cut(NEW))
        assert_allclose(new @ F.T, expected, atol=1e-9)


def test_models_of_rows_in_dask_take_rows_in_dask():
    dask = pytest.importorskip("dask.array")
    Y = (X[:, :2] ** 2 > 1).astype(int)
    settings = {"kernel": "rbf", "gamma": 0.3, "n_landmarks": 30, "random_state": 0}
    model = LabelRidge(**settings).fit(dask.from_array(X, (25, 4)), Y)
    assert model.n_landmarks_ == 30
    found = model.decision_function(dask.from_array(NEW, (10, 4)))
    assert_allclose(found, model.decision_function(NEW), atol=1e-10)
    blocks = LabelRidge(**settings).fit(colabel.row_blocks([X[:70], X[70:]]), Y)
    assert_allclose(blocks.decision_function(NEW), model.decision_function(NEW), atol=1e-8)
