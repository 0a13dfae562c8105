"""Squares of large data overflowed, and the means of a sparse X took its digits away."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from methods import CASES, ONE_EACH
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from colabel import (
    OPLS,
    PCA,
    ASOClassifier,
    LabelRidge,
    LabelRidgeCV,
    MtSDA,
    RankSVM,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    factor,
    row_blocks,
)
from colabel.semi_supervised import CNMF, SGT


def far_from_zero(shape, rng):
    """Data with means of 1e6, no entry of which is 0."""
    n, d = {"tall": (60, 12), "wide": (24, 50)}[shape]
    X = rng.normal(size=(n, d)) * np.geomspace(1.0, 5.0, d) + 1e6 * rng.choice([-1, 1], size=d)
    return X, (rng.random((n, 4)) < 0.4).astype(int)


@pytest.mark.parametrize("shape", ["tall", "wide"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_constraints_hold_for_sparse_data_with_large_means(case, shape):
    X, Y = far_from_zero(shape, np.random.default_rng(0))
    centred = X - X.mean(axis=0)
    _, B = case.matrices(centred - centred.mean(axis=0), Y)
    S = sp.csr_array(X)
    for solver in case.solvers:
        k = None if case.low_rank or solver == "factor" else 3
        model = case.make(solver=solver, n_components=k).fit(S, Y)
        P = model.components_.T
        assert np.abs(P.T @ B @ P - np.eye(P.shape[1])).max() < 1e-8, solver
        np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-14)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_constraints_hold_for_sparse_blocks_with_large_means(case):
    X, Y = far_from_zero("tall", np.random.default_rng(0))
    centred = X - X.mean(axis=0)
    _, B = case.matrices(centred - centred.mean(axis=0), Y)
    model = case.make().fit(row_blocks([sp.csr_array(X[:30]), sp.csr_array(X[30:])]), Y)
    P = model.components_.T
    assert np.abs(P.T @ B @ P - np.eye(P.shape[1])).max() < 1e-8


def test_the_rows_given_are_not_changed():
    X, Y = far_from_zero("tall", np.random.default_rng(0))
    S = sp.csr_array(X)
    CASES[0].make().fit(S, Y)
    assert np.array_equal(S.toarray(), X)


ESTIMATORS = [
    *(case.make() for case in ONE_EACH),
    PCA(2, solver="truncated"),
    OPLS(2, solver="truncated"),
    LabelRidge(),
    SharedSubspaceClassifier(),
    RankSVM(),
    ASOClassifier(),
    MtSDA(),
    LabelRidgeCV(),
    SharedSubspaceClassifierCV(),
    RankSVM(kernel="rbf"),
    CNMF(random_state=0),
    SGT(),
]
LIMITS = {np.float64: (1e-50, 1e25), np.float32: (1e-10, 1e10)}


def problem(estimator, size, dtype):
    """Data whose rows have the given root mean square, and labels."""
    rng = np.random.default_rng(0)
    X = (
        np.abs(rng.normal(size=(40, 6)))
        if isinstance(estimator, CNMF)
        else rng.normal(size=(40, 6))
    )
    Y = (X[:, :3] + 0.3 * rng.normal(size=(40, 3)) > np.median(X[:, :3])).astype(float)
    if isinstance(estimator, CNMF | SGT):
        Y[30:] = -1
    X *= size / np.sqrt(np.sum(X**2) / 40)
    return X.astype(dtype), Y


def used(estimator, X):
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.transform(X)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_data_within_the_limits_are_fitted(estimator, dtype):
    for size in (1.01 * LIMITS[dtype][0], 0.99 * LIMITS[dtype][1]):
        X, Y = problem(estimator, size, dtype)
        with warnings.catch_warnings():
            # what is said of hard problems is meant for users; what numpy says is not
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            assert np.isfinite(used(clone(estimator).fit(X, Y), X)).all(), size


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_data_outside_of_them_are_refused_with_their_scale(estimator, dtype, container):
    for size in (1e-3 * LIMITS[dtype][0], 1e3 * LIMITS[dtype][1], 1e25 * LIMITS[dtype][1]):
        X, Y = problem(estimator, size, dtype)
        with pytest.raises(
            ValueError, match=r"rows of X are of size .*divide X by a constant"
        ) as e:
            clone(estimator).fit(container(X), Y)
        assert "\n" not in str(e.value)
        said = float(str(e.value).split("size ")[1].split(",")[0])
        assert abs(np.log10(said / size)) < 1  # roughly, where it cannot be squared


@pytest.mark.filterwarnings("error")
def test_factored_data_and_blocks_are_refused_too():
    X, Y = problem(None, 1e160, np.float64)
    with pytest.raises(ValueError, match="rows of X are of size"):
        factor(X)
    with pytest.raises(ValueError, match="rows of X are of size"):
        OPLS().fit(row_blocks([X[:20], X[20:]]), Y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("estimator", [PCA(), LabelRidge(), RankSVM(kernel="rbf")], ids=str)
def test_new_rows_that_would_overflow_are_refused(estimator):
    X, Y = problem(estimator, 1.0, np.float64)
    model = clone(estimator).fit(X, Y)
    with pytest.raises(ValueError, match="rows of X are of size"):
        used(model, 1e160 * X)
    assert np.isfinite(used(model, 1e50 * X)).all()
