"""What people really pass in: each gives one clear error, or the sensible result."""

import warnings

import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from bad_input import BAD_X, BAD_Y, DATA_FORMS, LABEL_FORMS, X0, Y0
from methods import ONE_EACH
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import DataConversionWarning, NotFittedError

import colabel

each = pytest.mark.parametrize("case", ONE_EACH, ids=str)
each_supervised = pytest.mark.parametrize(
    "case", [case for case in ONE_EACH if case.estimator is not colabel.PCA], ids=str
)


@each
@pytest.mark.parametrize("bad", BAD_X)
def test_bad_x(case, bad):
    X, message = BAD_X[bad]
    before = X.copy()
    with pytest.raises(ValueError, match=message):
        case.make().fit(X, Y0[: X.shape[0]])
    if not sp.issparse(X):
        assert_array_equal(X, before)


@each_supervised
@pytest.mark.parametrize("bad", BAD_Y)
def test_bad_y(case, bad):
    Y, message = BAD_Y[bad]
    with pytest.raises(ValueError, match=message):
        case.make().fit(X0, Y)


BAD_PARAMETERS = [
    ({"n_components": 0}, "'n_components' parameter of .* Got 0"),
    ({"n_components": -2}, "'n_components' parameter of .* Got -2"),
    ({"n_components": 1.5}, "'n_components' parameter of .* Got 1.5"),
    ({"n_components": "many"}, "'n_components' parameter of .* Got 'many'"),
    ({"n_components": 13}, r"n_components=13 is more than min\(n_samples, n_features\)=12"),
    ({"solver": "magic"}, "'solver' parameter of .* Got 'magic'"),
    ({"tol": -1.0}, "'tol' parameter of .* Got -1.0"),
    ({"beta": 2}, r"'beta' parameter of .* range \[0.0, 1.0\]. Got 2"),
    ({"ridge": -0.1}, "'ridge' parameter of .* Got -0.1"),
    ({"label_ridge": -0.1}, "'label_ridge' parameter of .* Got -0.1"),
    ({"kernel_ridge": 0.0}, "'kernel_ridge' parameter of .* Got 0.0"),
    ({"weights": "none"}, "'weights' parameter of .* Got 'none'"),
    ({"laplacian": "none"}, "'laplacian' parameter of .* Got 'none'"),
]


@each
@pytest.mark.parametrize(("params", "message"), BAD_PARAMETERS, ids=lambda p: str(p)[:30])
def test_bad_parameters(case, params, message):
    model = case.estimator()
    if not params.keys() <= model.get_params().keys():
        return
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X0, Y0)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (colabel.PCA(solver="two-stage"), "'two-stage' does not apply.*full rank"),
        (colabel.MVMD(0.9, solver="truncated"), "'truncated' does not apply.*integer"),
        (colabel.MVMD(12, solver="truncated"), "'truncated' does not apply.*below both"),
    ],
)
def test_a_solver_that_does_not_apply_says_what_to_use(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X0, Y0)


@pytest.mark.parametrize("solver", ["two-stage", "truncated"])
def test_a_singular_constraint_is_refused_by_solvers_that_need_it(solver):
    X, Y = problems.make("rank-deficient tall")
    with pytest.raises(ValueError, match=r"well-conditioned constraint.*larger ridge"):
        colabel.OPLS(2, ridge=0, solver=solver).fit(X, Y)


@each
def test_more_directions_than_there_are_gives_fewer_and_says_so(case):
    X, Y = problems.make("rank-deficient tall")
    with pytest.warns(UserWarning, match=r"n_components=14, but only \d+ directions"):
        model = case.make(n_components=14).fit(X, Y)
    assert 1 <= model.n_components_ <= 7
    assert model.transform(X).shape == (50, model.n_components_)


@each_supervised
def test_labels_without_positives_are_left_out_and_named(case):
    frame = pd.DataFrame(Y0, columns=list("abcde")).assign(never=0, nobody=0)
    with pytest.warns(UserWarning, match="2 of 7 labels .* never, nobody") as record:
        model = case.make().fit(X0, frame)
    assert len(record) == 1
    assert_allclose(model.components_, case.make().fit(X0, Y0).components_)
    assert list(model.label_names_) == [*"abcde", "never", "nobody"]


@each_supervised
def test_labels_that_all_rows_have_do_no_harm(case):
    Y = np.column_stack([Y0, np.ones(len(Y0), dtype=int)])
    model = case.make().fit(X0, Y)
    assert np.all(np.isfinite(model.components_))


@each
def test_rows_without_labels_do_no_harm(case):
    Y = Y0.copy()
    Y[:10] = 0
    model = case.make().fit(X0, Y)
    assert np.all(np.isfinite(model.components_))


@each
def test_more_labels_than_rows(case):
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, size=(20, 40))
    Y[0] = 1
    model = case.make(n_components=2).fit(X0[:20], Y)
    assert model.transform(X0).shape == (60, 2)


@each
@pytest.mark.parametrize("form", DATA_FORMS)
def test_forms_of_data(case, form):
    expected = case.make().fit(X0, Y0)
    given = DATA_FORMS[form](X0)
    model = case.make().fit(given, Y0)
    assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=1e-8)
    assert_allclose(np.abs(model.transform(given)), np.abs(expected.transform(X0)), atol=1e-6)


@each_supervised
@pytest.mark.parametrize("form", LABEL_FORMS)
def test_forms_of_labels(case, form):
    expected = case.make().fit(X0, Y0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = case.make().fit(X0, LABEL_FORMS[form](Y0))
    assert_allclose(model.components_, expected.components_, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool, np.int64])
@each
def test_other_dtypes_of_data_become_float64(case, dtype):
    X, Y = problems.sparse_counts("tall")
    for container in (np.asarray, sp.csr_array):
        model = case.make(n_components=2).fit(container(X.astype(dtype)), Y)
        assert model.components_.dtype == np.float64
        expected = case.make(n_components=2).fit(X.astype(dtype).astype(float), Y)
        assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=1e-8)


def test_small_integer_counts_do_not_overflow():
    """YᵀY of int8 overflows at 128."""
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, size=(600, 3))
    X = Y @ rng.normal(size=(3, 6)) + rng.normal(size=(600, 6))
    for dtype in (np.int8, np.uint8, bool):
        for container in (np.asarray, sp.csr_array):
            small = colabel.LabelCCA().fit(X, container(Y.astype(dtype)))
            assert_allclose(small.eigenvalues_, colabel.LabelCCA().fit(X, Y).eigenvalues_)


@each_supervised
def test_one_label(case):
    model = case.make().fit(X0, Y0[:, :1])
    assert model.transform(X0).shape[0] == len(X0)


def test_a_column_of_classes_is_read_as_a_target():
    y = np.arange(len(X0)) % 3
    with pytest.warns(DataConversionWarning):
        column = colabel.OPLS().fit(X0, y[:, None])
    assert_allclose(column.components_, colabel.OPLS().fit(X0, y).components_)


def test_string_classes_become_label_names():
    y = np.array(["cat", "dog", "emu"])[np.arange(len(X0)) % 3]
    assert list(colabel.OPLS().fit(X0, y).label_names_) == ["cat", "dog", "emu"]


@each
def test_arguments_are_not_changed(case):
    X, Y = X0.copy(), Y0.copy()
    S = sp.csr_array(X)
    parts = S.data.copy(), S.indices.copy(), S.indptr.copy()
    case.make().fit(X, Y).transform(X)
    case.make().fit(S, sp.csr_array(Y)).transform(S)
    assert_array_equal(X, X0)
    assert_array_equal(Y, Y0)
    for part, before in zip((S.data, S.indices, S.indptr), parts, strict=True):
        assert_array_equal(part, before)


@each
def test_large_means_and_scales(case):
    """A constant feature of 1e8 and scales from 1e-3 to 1e5, as in real logs."""
    X = X0 * np.geomspace(1e-3, 1e5, X0.shape[1])
    X = np.column_stack([X, np.full(len(X), 1e8)])
    dense = case.make(n_components=2).fit(X, Y0)
    sparse = case.make(n_components=2).fit(sp.csr_array(X), Y0)
    assert_allclose(dense.eigenvalues_, sparse.eigenvalues_, rtol=1e-5)
    assert_allclose(dense.eigenvalues_, case.make(n_components=2).fit(X[:, :-1], Y0).eigenvalues_)


def test_not_fitted():
    for call in ("transform", "inverse_transform", "get_feature_names_out"):
        with pytest.raises(NotFittedError):
            getattr(colabel.MVMD(), call)(X0)
