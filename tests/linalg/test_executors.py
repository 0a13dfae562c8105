"""The same estimators on data that a cluster holds, with the same results as in memory."""

import os
import signal
import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from chunks import FEATURES, N_CHUNKS, ROWS, big_chunk, big_labels, mortal_chunk
from sklearn.base import clone

import colabel
from colabel import OPLS, HypergraphSpectral, LabelRidge, SharedSubspaceClassifier, row_blocks
from colabel._indicator import dense_labels
from colabel.linalg import cost

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

# The tests of other schedulers run beside a cluster, which dask warned of until 2025.
pytestmark = pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning")

#: Bytes that each of two workers may use; about 300 MB are what it imports.
MEMORY = 700_000_000
MODELS = [
    OPLS(),
    HypergraphSpectral(n_components=2),
    LabelRidge(alpha=10.0, solver="two-stage"),
    SharedSubspaceClassifier(n_components=2),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
each_kind = pytest.mark.parametrize("kind", ["tall", "wide"])


@pytest.fixture(scope="module")
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cluster itself, such as a port that is taken
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                memory_limit=MEMORY,
                dashboard_address=None,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


@pytest.fixture(params=["threads", "synchronous"])
def scheduler(request):
    with dask.config.set(scheduler=request.param):
        yield


@pytest.fixture(params=["direct", "iterative"])
def limit(request, monkeypatch):
    if request.param == "iterative":
        monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)


def in_chunks(X, container="dense", rows=(7, 1, 12)):
    chunks = (*rows, X.shape[0] - sum(rows))
    if container == "dense":
        return da.from_array(X, chunks=(chunks, -1))
    whole = da.from_array(X, chunks=(chunks, -1))
    return whole.map_blocks(sp.csr_array, meta=sp.csr_array((0, 0)))


def check_same(model, X, Y, given_x, given_y, tol=1e-8):
    parts, whole = clone(model).fit(given_x, given_y), clone(model).fit(X, Y)
    for name in ("transform", "decision_function"):
        if not hasattr(whole, name):
            continue
        expected = getattr(whole, name)(X)
        for rows in (given_x, X):
            found = getattr(parts, name)(rows)
            assert isinstance(found, np.ndarray)
            if isinstance(model, SharedSubspaceClassifier) and name == "transform":
                np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=tol)
            else:
                np.testing.assert_allclose(found, expected, atol=tol * np.abs(expected).max())
    if hasattr(whole, "predict"):
        found, expected = (
            dense_labels(m.predict(rows)) for m, rows in ((parts, given_x), (whole, X))
        )
        np.testing.assert_array_equal(found, expected)
    return parts


# iterations are many messages; those on dense chunks are as on any other scheduler, below
@each_kind
@each_model
@pytest.mark.parametrize(
    ("container", "limit"),
    [("dense", "direct"), ("sparse", "direct"), ("sparse", "iterative")],
    indirect=["limit"],
)
def test_a_cluster_gives_what_memory_gives(cluster, model, container, kind, limit):
    X, Y = problems.sparse_counts(kind)
    check_same(model, X, Y, in_chunks(X, container), da.from_array(Y, chunks=(20, -1)))


@each_kind
@each_model
@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_other_schedulers(scheduler, model, container, kind, limit):
    X, Y = problems.sparse_counts(kind)
    check_same(model, X, Y, in_chunks(X, container), Y)


@pytest.mark.parametrize(
    "labels",
    [
        lambda Y: da.from_array(Y, chunks=(20, 2)),
        lambda Y: da.from_array(Y, chunks=(20, -1)).map_blocks(sp.csr_array),
        lambda Y: da.from_array(2 * Y - 1, chunks=(9, 3)),
        lambda Y: sp.csr_array(Y),
        lambda Y: Y.astype(bool),
    ],
    ids=["chunks of labels", "sparse", "signs", "scipy", "numpy"],
)
def test_labels_of_every_kind(scheduler, labels):
    X, Y = problems.sparse_counts("tall")
    check_same(LabelRidge(), X, Y, in_chunks(X), labels(Y))
    check_same(LabelRidge(), X, Y, X, labels(Y))


def test_one_class_a_row(scheduler):
    X, Y = problems.sparse_counts("tall")
    y = np.array(["red", "green", "blue"])[Y[:, 0] + Y[:, 1]]
    check_same(LabelRidge(), X, y, in_chunks(X), da.from_array(y, chunks=13))


def test_data_frames(cluster):
    dd = pytest.importorskip("dask.dataframe")
    X, Y = problems.sparse_counts("tall")
    X = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    Y = pd.DataFrame(Y, columns=list("abcde"))
    many = dd.from_pandas(X, npartitions=4)
    model = check_same(LabelRidge(), X, Y, many, dd.from_pandas(Y, npartitions=3))
    assert model.label_names_.tolist() == list("abcde")
    assert model.feature_names_in_.tolist() == list(X.columns)
    swapped = many[[*X.columns[1:], X.columns[0]]]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(swapped)
    with pytest.raises(ValueError, match="must hold numbers; got dtype object"):
        LabelRidge().fit(many.assign(name="a"), Y)


def test_partitions_without_rows(cluster):
    """As a filter leaves them."""
    dd = pytest.importorskip("dask.dataframe")
    X, Y = problems.sparse_counts("tall")
    frame = pd.DataFrame(X).add_prefix("f").assign(kept=np.arange(70) >= 30)
    many = dd.from_pandas(frame, npartitions=7)
    many = many[many.kept].drop(columns="kept")
    expected = LabelRidge().fit(X[30:], Y[30:]).coef_
    np.testing.assert_allclose(LabelRidge().fit(many, Y[30:]).coef_, expected, atol=1e-10)


def test_delayed_blocks(cluster):
    X, Y = problems.sparse_counts("tall")
    cuts = [0, 9, 30, 70]
    blocks = [dask.delayed(sp.csr_array)(X[a:b]) for a, b in pairwise(cuts)]
    check_same(LabelRidge(), X, Y, row_blocks(blocks), Y)


def test_rows_and_factorisation(cluster):
    X, Y = problems.make("tall", condition=1e6)
    chunks = in_chunks(X)
    whole = colabel.factor(X).singular_values
    np.testing.assert_allclose(colabel.factor(chunks).singular_values, whole, rtol=1e-8)
    rows = np.arange(10, 50, 3)
    check_same(LabelRidge(), X[rows], Y[rows], row_blocks(chunks)[rows], Y[rows])
    model = colabel.LabelRidgeCV(cv=3, random_state=0)
    check_same(model, X, Y, chunks, Y)


def test_data_larger_than_the_memory_of_all_workers(cluster):
    """Chunks are made where they are needed, and what is computed from them is small."""
    assert 8 * N_CHUNKS * ROWS * FEATURES > 2 * MEMORY
    shape = (ROWS, FEATURES)
    make = dask.delayed(big_chunk)
    X = da.concatenate([da.from_delayed(make(i), shape, float) for i in range(N_CHUNKS)])
    Y = np.vstack([big_labels(i) for i in range(N_CHUNKS)])
    before = set(cluster.scheduler_info()["workers"])
    model = LabelRidge(alpha=10.0).fit(X, Y)
    assert set(cluster.scheduler_info()["workers"]) == before  # none was killed for its memory
    # at the minimum, X̄ᵀ(X̄W − Ȳ) + αW = 0 and the residuals sum to zero; both chunk by chunk
    n, W = N_CHUNKS * ROWS, model.coef_.T
    gradient, total = 10.0 * W, np.zeros(3)
    for i in range(N_CHUNKS):
        block, signs = big_chunk(i), 2.0 * big_labels(i) - 1.0
        residual = block @ W + model.intercept_ - signs
        gradient = gradient + (block - 0.5).T @ residual
        total += residual.sum(axis=0)
    assert np.all(np.abs(total) < 1e-10 * n)
    assert np.all(np.abs(gradient) < 1e-10 * n)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_worker_that_dies_in_the_middle_changes_nothing(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    X, Y = problems.make("tall")
    diary, cuts = tmp_path / "diary", [0, 15, 30, 45, 60]
    pids = set(cluster.run(os.getpid).values())
    blocks = [
        dask.delayed(mortal_chunk)(X[a:b], i, str(diary)) for i, (a, b) in enumerate(pairwise(cuts))
    ]
    model = LabelRidge(alpha=0.5, solver="two-stage").fit(row_blocks(blocks), Y)
    assert diary.stat().st_size > 8  # readings before, the one that killed, and those after
    expected = LabelRidge(alpha=0.5, solver="two-stage").fit(X, Y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-8)
    cluster.wait_for_workers(2, timeout=60)
    assert set(cluster.run(os.getpid).values()) != pids


def test_what_cannot_be_used_is_refused(scheduler):
    X, Y = problems.sparse_counts("tall")
    with pytest.raises(ValueError, match=r"3 chunks of columns; .* X\.rechunk\(\{1: -1\}\)"):
        LabelRidge().fit(da.from_array(X, chunks=(20, 5)), Y)
    LabelRidge().fit(da.from_array(X, chunks=(20, 5)).rechunk({1: -1}), Y)  # the way out
    with pytest.raises(ValueError, match=r"shape \(rows, features\); got 1 dimensions"):
        LabelRidge().fit(da.from_array(X[:, 0], chunks=20), Y)
    missing = X.copy()
    missing[50, 2] = np.nan
    with pytest.raises(ValueError, match="block 3 of X contains NaN or infinity"):
        LabelRidge().fit(in_chunks(missing), Y)
    model = LabelRidge().fit(X, Y)
    with pytest.raises(ValueError, match="15 features"):
        model.predict(in_chunks(X[:, :4]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LabelRidge().fit(in_chunks(X), Y[:-1])
    with pytest.raises(TypeError, match="features cannot be selected from RowBlocks"):
        colabel.MtSDA().fit(in_chunks(X), Y)


@pytest.mark.parametrize("installed", [True, False])
def test_without_dask_data_nothing_imports_dask(installed):
    code = f"""
import sys
if not {installed}:
    sys.modules["dask"] = sys.modules["distributed"] = None
import numpy as np
import colabel
X, Y = np.random.default_rng(0).normal(size=(30, 4)), np.eye(30, 3, dtype=int)
Y[20:] = 1
for data in (X, colabel.row_blocks([X[:10], X[10:]])):
    model = colabel.LabelRidge().fit(data, Y)
    model.predict(data)
    colabel.OPLS().fit(data, Y).transform(data)
assert {installed} is False or not any(name.split(".")[0] == "dask" for name in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
