"""Preparation as in the papers."""

import numpy as np
import pytest
import real_data
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from colabel import MVMD
from colabel.datasets import load, load_debtags
from colabel.preparation import AsinhScaler, FrequentColumns, prepare_yahoo


@parametrize_with_checks([FrequentColumns(), AsinhScaler()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


COUNTS = np.array([[1, 0, 2, 0], [3, 0, 1, 0], [0, 5, 1, 0]])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_frequent_columns(kind):
    X = kind(COUNTS)
    assert FrequentColumns().fit(X).counts_.tolist() == [2, 1, 3, 0]
    assert FrequentColumns(min_rows=2).fit(X).get_support().tolist() == [True, False, True, False]
    assert FrequentColumns(most=1).fit(X).get_support().tolist() == [False, False, True, False]
    kept = FrequentColumns(min_rows=2, most=3).fit_transform(X)
    assert sp.issparse(kept) == sp.issparse(X)
    np.testing.assert_array_equal(sp.csr_array(kept).toarray(), COUNTS[:, [0, 2]])
    names = FrequentColumns(2).fit(X).get_feature_names_out(np.array(list("abcd"), dtype=object))
    assert names.tolist() == ["a", "c"]


def test_explicit_zeros_are_zeros():
    X = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert FrequentColumns().fit(X).counts_.tolist() == [0, 1]
    assert X.nnz == 2


def test_standardising_without_means_is_enough():
    """The methods centre by themselves, so nothing has to become dense."""
    data = load_debtags().select(rows=np.arange(300), features=np.arange(100))
    sparse = StandardScaler(with_mean=False).fit_transform(data.X)
    dense = StandardScaler().fit_transform(data.X.toarray())
    assert sp.issparse(sparse)
    one = MVMD(n_components=3).fit(sp.csr_array(sparse), data.Y)
    two = MVMD(n_components=3).fit(dense, data.Y)
    np.testing.assert_allclose(one.eigenvalues_, two.eigenvalues_, rtol=1e-8)


def test_order_matters_and_is_the_papers():
    data = load_debtags()
    found = prepare_yahoo(data, min_label_rows=300, min_word_rows=20)
    labels = data.Y.sum(axis=0) >= 300
    rows = data.Y[:, np.flatnonzero(labels)].sum(axis=1) > 0
    words = (data.X[np.flatnonzero(rows)] > 0).sum(axis=0) >= 20
    assert found.X.shape == (rows.sum(), words.sum())
    assert found.label_names.tolist() == data.label_names[labels].tolist()
    assert found.feature_names.tolist() == data.feature_names[words].tolist()
    np.testing.assert_allclose(found.X.toarray(), normalize(found.X).toarray())
    assert found.split is not None


def test_the_sizes_in_the_paper():
    path = real_data.FOLDER / "yahoo_arts.svm.xz"
    if not path.exists():
        pytest.skip(f"the yahoo_arts data set is not in {real_data.FOLDER.name}/")
    data = prepare_yahoo(load(path))
    assert (*data.X.shape, data.Y.shape[1]) == (7441, 17973, 19)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_far_values_are_drawn_in(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_t(2, size=(50, 4)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0
    X[:, 3] = 7
    found = AsinhScaler().fit_transform(kind(X))
    assert sp.issparse(found) == sp.issparse(kind(X))
    assert found.dtype == dtype
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    expected = np.arcsinh(X / scale)
    np.testing.assert_allclose(sp.csr_array(found).toarray(), expected, rtol=1e-5, atol=1e-6)
