"""Each solver had its own rule for what counts as zero, and kept another number of directions."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from methods import CASES
from scipy import linalg
from sklearn.datasets import load_digits, load_iris, load_wine

import colabel
from colabel import OPLS, HypergraphSpectral, LabelCCA, MDDMf, factor, row_blocks

SHAPES = {"tall": (60, 12), "wide": (24, 50)}
LOW_RANK = [case for case in CASES if case.low_rank]
FULL_RANK = [case for case in CASES if not case.low_rank]


def data(shape, offset, rng):
    n, d = SHAPES[shape]
    return rng.normal(size=(n, d)) * np.geomspace(1.0, 5.0, d) + offset * rng.normal(size=d)


def labels(kind, n, rng):
    """Labels, and how many directions they have: the rank of their centred columns."""
    classes = np.eye(4)[np.arange(n) % 4]
    free = (rng.random((n, 3)) < 0.4).astype(float)
    Y = {
        "one-hot": classes,
        "constant": np.column_stack([free, np.ones(n)]),
        "collinear": np.column_stack([free, classes[:, 0], 1 - free[:, 0], 1 - classes[:, 0]]),
        "duplicated": np.column_stack([free, free[:, :2]]),
    }[kind]
    return Y.astype(int)


def angle(P, Q):
    return float(np.max(linalg.subspace_angles(P, Q)))


@pytest.fixture(params=[0.0, 1e6])
def offset(request):
    return request.param


@pytest.fixture(params=["one-hot", "constant", "collinear", "duplicated"])
def kind(request):
    return request.param


@pytest.fixture(params=SHAPES)
def problem(request, kind, offset):
    rng = np.random.default_rng(0)
    X = data(request.param, offset, rng)
    return X, labels(kind, len(X), rng)


@pytest.mark.parametrize("case", LOW_RANK, ids=str)
def test_low_rank_problems(case, problem, offset):
    X, Y = problem
    A, _ = case.matrices(X - X.mean(axis=0), Y)
    lam = linalg.eigvalsh(A)
    rank = np.count_nonzero(lam > 1e-8 * lam[-1])  # of the transcription
    assert np.all(lam[:-rank] < 1e-12 * lam[-1])  # to be sure
    models = {solver: case.make(solver=solver).fit(X, Y) for solver in case.solvers}
    models["factored"] = case.make().fit(factor(X), Y)
    models["sparse"] = case.make().fit(sp.csr_array(X), Y)
    models["blocks"] = case.make().fit(row_blocks([X[:7], X[7:]]), Y)
    first = models["factor"].components_.T
    for name, model in models.items():
        assert model.n_components_ == rank, name
        # rounding of the data themselves, where means are far from 0
        assert angle(first, model.components_.T) < 1e-8 + 1e-13 * offset, name


@pytest.mark.parametrize("case", FULL_RANK, ids=str)
def test_full_rank_problems(case, problem, offset):
    X, Y = problem
    whole = case.make(solver="factor").fit(X, Y)
    assert whole.n_components_ == case.make().fit(factor(X), Y).n_components_
    assert whole.n_components_ == case.make().fit(sp.csr_array(X), Y).n_components_
    gaps = whole.eigenvalues_[:-1] / whole.eigenvalues_[1:]
    k = int(np.argmax(gaps[:6])) + 1  # where the span is well defined
    some = [case.make(n_components=k, solver=s).fit(X, Y) for s in ("factor", "truncated")]
    assert [model.n_components_ for model in some] == [k, k]
    bound = (1e-8 + 1e-13 * offset) / (1 - 1 / gaps[k - 1])
    assert angle(some[0].components_.T, some[1].components_.T) < bound


@pytest.mark.parametrize("method", [OPLS, LabelCCA, MDDMf, HypergraphSpectral])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_one_direction_less_than_classes(method, load):
    X, y = load(return_X_y=True)
    expected = len(np.unique(y)) - 1
    assert method().fit(factor(X), y).n_components_ == expected
    for solver in ("factor", "two-stage", "truncated"):
        assert method(solver=solver).fit(X, y).n_components_ == expected


@pytest.mark.parametrize("solver", ["auto", "factor", "two-stage", "truncated"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_labels_that_all_rows_have_give_no_direction(solver, offset):
    X = np.random.default_rng(0).normal(size=(20, 6)) + offset
    with pytest.raises(ValueError, match="nothing in X varies with the labels"):
        OPLS(solver=solver).fit(X, np.ones((20, 2)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows_of_either_precision(dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, size=20_000)
    X = (rng.normal(size=(20_000, 12)) + np.eye(5, 12)[y] + 10).astype(dtype)
    for kind in (X, sp.csr_array(X), factor(X)):
        assert OPLS().fit(kind, y).n_components_ == 4


def test_directions_that_lanczos_iteration_cannot_tell_from_zero_are_said():
    rng = np.random.default_rng(0)
    U, _ = linalg.qr(rng.normal(size=(40, 6)) - 0.0, mode="economic")
    X = (U - U.mean(axis=0)) * [1.0, 1.0, 1.0, 1e-7, 1e-7, 1e-7]
    with pytest.warns(UserWarning, match=r"only 3 of 5 directions.*solver='factor'"):
        assert colabel.PCA(5, solver="truncated").fit(X).n_components_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert colabel.PCA(5, solver="factor").fit(X).n_components_ == 5
