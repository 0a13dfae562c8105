"""Compiled products equal scipy's to rounding, for every container, and share rows out safely."""

import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import colabel.linalg
from colabel import LabelRidge
from colabel.linalg import cost, krylov, products, tiles
from colabel.linalg.containers import as_matrix

needs_numba = pytest.mark.skipif(products._compiled() is None, reason="numba is not installed")
KINDS = ["plain", "empty rows and columns", "unsorted", "duplicates", "one row", "no entries"]


@pytest.fixture(params=[pytest.param("compiled", marks=needs_numba), "scipy"])
def route(request, monkeypatch):
    """Everything compiled, however small; or nothing."""
    if request.param == "compiled":
        monkeypatch.setattr(products, "COMPILED_FROM", 0)
    else:
        monkeypatch.setattr(products, "_compiled", lambda: None)
    return request.param


@pytest.fixture(params=[1, 3], ids="{} threads".format)
def threads(request, monkeypatch):
    monkeypatch.setattr(products, "thread_count", lambda: request.param)
    return request.param


def matrix(kind, dtype=np.float64, index=np.int32, n=70, d=9):
    """A CSR array of the kind, and its dense twin in float64."""
    rng = np.random.default_rng(0)
    n = 1 if kind == "one row" else n
    dense = np.where(rng.random((n, d)) < 0.4, rng.normal(size=(n, d)), 0.0)
    if kind == "empty rows and columns":
        dense[: n // 2], dense[:, [0, 4, d - 1]] = 0.0, 0.0
    if kind == "no entries":
        dense[:] = 0.0
    X = sp.csr_array(dense.astype(dtype))
    if kind == "unsorted":
        X = X[:, ::-1]
        assert not X.has_sorted_indices  # to be sure
    if kind == "duplicates":
        parts = (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr)
        X = sp.csr_array(parts, shape=X.shape)
        assert not X.has_canonical_format
    X = sp.csr_array((X.data, X.indices.astype(index), X.indptr.astype(index)), shape=X.shape)
    return X, X.toarray().astype(np.float64)


def assert_to_rounding(found, exact, size, terms, dtype):
    """|found − exact| ≤ γ·size: the bound for a sum of so many products, whatever the order."""
    assert found.dtype == dtype
    assert found.shape == exact.shape
    assert np.all(np.abs(found - exact) <= (terms + 4) * np.finfo(dtype).eps * size)


precisions = pytest.mark.parametrize(
    ("dtype", "block", "index"),
    [
        (np.float64, np.float64, np.int32),
        (np.float64, np.float64, np.int64),
        (np.float32, np.float64, np.int32),
        (np.float64, np.float32, np.int32),
        (np.float32, np.float32, np.int64),
    ],
)


@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("kind", KINDS)
@precisions
def test_dot_and_transpose_dot(route, threads, kind, dtype, block, index, k):
    X, dense = matrix(kind, dtype, index)
    rng = np.random.default_rng(1)
    for product, M in ((products.dot, dense), (products.transpose_dot, dense.T)):
        V = rng.normal(size=(M.shape[1], k)).astype(block)
        for given_as in (V, np.asfortranarray(V), np.hstack([V, V])[:, :k]):
            size = np.abs(M) @ np.abs(V.astype(np.float64))
            assert_to_rounding(product(X, given_as), M @ V, size, 2 * M.shape[1], block)


@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("kind", KINDS)
@precisions
def test_normal_dot(route, threads, kind, dtype, block, index, k):
    X, dense = matrix(kind, dtype, index)
    rng = np.random.default_rng(2)
    V, offset = rng.normal(size=(X.shape[1], k)).astype(block), rng.normal(size=k)
    weights = rng.normal(size=X.shape[0])
    T = weights[:, None] * (dense @ V.astype(np.float64) - offset)
    size = np.abs(weights)[:, None] * (np.abs(dense) @ np.abs(V) + np.abs(offset))
    found, totals = products.normal_dot(X, V, offset, weights)
    terms = 2 * sum(X.shape)
    assert_to_rounding(found, dense.T @ T, np.abs(dense).T @ size, terms, np.float64)
    assert_to_rounding(totals, T.sum(axis=0), size.sum(axis=0), terms, np.float64)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_outer_is_exact_in_float64(route, threads, kind, dtype, index, weighted):
    X, dense = matrix(kind, dtype, index)
    for left, columns, M in ((X, X.T.tocsr(), dense), (X.T.tocsr(), X, dense.T)):
        weights = np.random.default_rng(3).normal(size=M.shape[1]) if weighted else None
        scale = np.ones(M.shape[1]) if weights is None else weights
        found = products.outer(left, columns, weights)
        size = (np.abs(M) * np.abs(scale)) @ np.abs(M).T
        assert_to_rounding(found, (M * scale) @ M.T, size, 2 * M.shape[1], np.float64)
        if route == "compiled":  # one half is computed, and copied
            np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_outer_squares(route, threads, kind, index):
    X, dense = matrix(kind, np.float64, index)
    expected = np.sum((dense @ dense.T) ** 2)
    for left, columns in ((X, X.T.tocsr()), (X.T.tocsr(), X)):
        np.testing.assert_allclose(products.outer_squares(left, columns), expected, rtol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_column_sums(kind, dtype):
    X, dense = matrix(kind, dtype)
    size = np.abs(dense).sum(axis=0)
    found = products.column_sums(X)
    assert_to_rounding(found, dense.sum(axis=0), size, 2 * len(dense), np.float64)


def test_dot_into_an_array(route, threads):
    X, dense = matrix("empty rows and columns")
    V, out = np.random.default_rng(9).normal(size=(X.shape[1], 3)), np.full((70, 3), np.nan)
    found = products.dot(X, V, out=out)
    np.testing.assert_allclose(found, dense @ V, rtol=0, atol=1e-14)
    assert route == "scipy" or found is out


def test_centre(route, threads):
    rng = np.random.default_rng(10)
    A, a, b = rng.normal(size=(50, 4)), rng.normal(size=50), rng.normal(size=4)
    expected = A - np.outer(a, b)
    expected = expected - expected.mean(axis=0)
    products.centre(A, a, b)
    np.testing.assert_allclose(A, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_with_a_changing_number_of_columns(route, threads, dtype):
    """As columns retire: an array that is kept between products fits only some of them."""
    X, dense = matrix("plain", dtype, n=9, d=40)
    data, rng = as_matrix(X), np.random.default_rng(11)
    centred = dense - dense.mean(axis=0)
    for k in (4, 4, 2, 4, 1):
        U = rng.normal(size=(9, k))
        expected = centred @ (centred.T @ U)
        np.testing.assert_allclose(data.outer_dot(U), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_of_the_caller_stays_as_it_is(route, threads, kind):
    X, _ = matrix(kind)
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    data = as_matrix(X)
    data.gram(np.ones(X.shape[0]))
    data.outer()
    data.normal_dot(np.ones((X.shape[1], 2)))
    data.outer_dot(np.ones((X.shape[0], 2)))
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


@needs_numba
def test_vector_loops_equal_numpy(threads, monkeypatch):
    rng = np.random.default_rng(4)
    D, AD, R, W = rng.normal(size=(4, 50, 3))
    length, keep, add = rng.normal(size=(3, 3))

    def run():
        d, ad, r, w = (part.copy() for part in (D, AD, R, W))
        curvature, rho = krylov._curvature(d, ad, 0.7), krylov._reduce(r, ad, length)
        krylov._follow(w, d, r, length, keep, add)
        return curvature, rho, d, ad, r, w

    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    compiled = run()
    monkeypatch.setattr(products, "_compiled", lambda: None)
    for fast, plain in zip(compiled, run(), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-13, atol=1e-13)


@needs_numba
@pytest.mark.parametrize("shape", [(300, 40), (40, 300)])
def test_estimators_need_no_numba(shape, monkeypatch):
    rng = np.random.default_rng(5)
    X = sp.csr_array(sp.random(*shape, density=0.2, random_state=rng))
    Y = rng.integers(0, 2, size=(shape[0], 4))
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    for limit in (0, cost.DIRECT_LIMIT):
        monkeypatch.setattr(cost, "DIRECT_LIMIT", limit)
        with monkeypatch.context() as without:
            fast = LabelRidge(alpha=2.0, solver="two-stage", tol=1e-12).fit(X, Y)
            without.setattr(products, "_compiled", lambda: None)
            plain = LabelRidge(alpha=2.0, solver="two-stage", tol=1e-12).fit(X, Y)
        np.testing.assert_allclose(fast.coef_, plain.coef_, rtol=0, atol=1e-10)


@pytest.mark.parametrize("failure", [ImportError, RuntimeError])
def test_a_numba_that_does_not_work_is_none(failure, monkeypatch):
    """One that was built for another numpy, or that finds no folder for what it compiles."""

    class Refuses:
        def find_spec(self, name, path=None, target=None):
            if name == "colabel.linalg.compiled":
                raise failure("not here")

    monkeypatch.delitem(sys.modules, "colabel.linalg.compiled", raising=False)
    monkeypatch.delattr(colabel.linalg, "compiled", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refuses(), *sys.meta_path])
    assert products._compiled.__wrapped__() is None


def in_python(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@needs_numba
def test_a_second_process_compiles_nothing(tmp_path):
    code = """
import numpy as np, scipy.sparse as sp
from colabel.linalg import products
products.COMPILED_FROM = 0
products.dot(sp.eye_array(3, format="csr"), np.ones((3, 2)))
stats = products._compiled().dot.stats
print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()))
"""
    runs, files = [], []
    for _ in range(2):
        runs.append(in_python(code, NUMBA_CACHE_DIR=str(tmp_path)))
        kept = sorted(path for path in tmp_path.rglob("*") if path.is_file())
        files.append([(path, path.stat().st_mtime_ns) for path in kept])
    assert runs == ["1 0", "0 1"]
    assert files[0]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [(None, 8), ("1", 1), ("3", 3), ("64", 8), ("0", 1), ("4,2", 8), ("many", 8)],
)
def test_thread_count_obeys_the_environment(setting, expected, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if setting is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert products.thread_count() == expected


@pytest.mark.parametrize("number", ["1", "2"])
def test_results_do_not_depend_on_the_number_of_threads(route, number, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", number)
    X, dense = matrix("plain", n=3000)
    V = np.random.default_rng(6).normal(size=(X.shape[1], 4))
    expected = dense.T @ (dense @ V)
    found, _ = products.normal_dot(X, V, np.zeros(4), np.ones(len(dense)))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


rows_of_entries = st.lists(st.integers(0, 50), max_size=60)


@given(rows_of_entries, st.integers(1, 9))
def test_cuts_cover_all_rows_once(per_row, parts):
    indptr = np.concatenate([[0], np.cumsum(per_row, dtype=np.int64)]).astype(np.int32)
    for cuts in (
        products.cuts_by_entries(indptr, parts),
        products.cuts_by_entries(indptr),
        products.even_cuts(len(per_row), parts),
    ):
        assert cuts[0] == 0
        assert cuts[-1] == len(per_row)
        assert np.all(np.diff(cuts) > 0)


@given(rows_of_entries, st.integers(1, 9))
def test_no_part_has_much_more_than_its_share_of_entries(per_row, parts):
    indptr = np.concatenate([[0], np.cumsum(per_row, dtype=np.int64)])
    cuts = products.cuts_by_entries(indptr, parts)
    share = indptr[-1] / parts
    assert np.all(np.diff(indptr[cuts]) <= share + max(per_row, default=0))


def test_products_within_threads_and_threads_within_products(route, threads):
    """Work that is given out from within the pool is done there, so that none waits for itself."""
    X, dense = matrix("plain", n=500)
    V = np.random.default_rng(7).normal(size=(X.shape[1], 3))

    def work(start, stop):
        return products.dot(X[start:stop], V)

    def outer_work(_):
        return np.vstack(products.in_threads(work, products.even_cuts(500, 7)))

    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(outer_work, i) for i in range(30)]
        for job in jobs:
            np.testing.assert_allclose(job.result(timeout=60), dense @ V, rtol=0, atol=1e-13)


def test_an_error_in_a_thread_is_raised(threads):
    def work(start, stop):
        if start:
            raise ValueError(f"rows from {start}")

    with pytest.raises(ValueError, match="rows from 5"):
        products.in_threads(work, np.array([0, 5, 9]))
    assert products.in_threads(lambda a, b: b - a, np.array([0, 5, 9])) == [5, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own():
    code = """
import multiprocessing, numpy as np, scipy.sparse as sp
from colabel.linalg import products
products.COMPILED_FROM, products.thread_count = 0, lambda: 2
X, V = sp.eye_array(2000, format="csr"), np.arange(4000.0).reshape(2000, 2)
products.dot(X, V)  # the parent's pool is running
def child():
    assert np.array_equal(products.dot(X, V), V)
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join(60)
print(process.exitcode)
process.kill()
"""
    assert in_python(code, PYTHONWARNINGS="ignore") == "0"


def test_normal_dot_holds_nothing_with_as_many_rows_as_the_result_of_dot(route, monkeypatch):
    monkeypatch.setattr(products, "BLOCK_BYTES", 2**18)
    n, k = 200_000, 16
    rng = np.random.default_rng(8)
    X = sp.csr_array((rng.random(n), rng.integers(0, 20, n), np.arange(n + 1)), shape=(n, 20))
    V, weights = rng.normal(size=(20, k)), np.ones(n)
    products.normal_dot(X, V, np.zeros(k), weights)  # compiled before it is watched
    tracemalloc.start()
    try:
        products.normal_dot(X, V, np.zeros(k), weights)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * k / 4


@needs_numba
@pytest.mark.parametrize("rows", [1, 7, 1000])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_tiles_of_any_size_give_the_same_product(rows, threads, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(products, "COMPILED_FROM", 0)
    monkeypatch.setattr(tiles, "TILE_BYTES", 4 * 5 * rows)
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    X = sp.random_array((60, 40), density=0.1, format="csr", rng=rng)
    X.data[:3] = 0.0
    V, centred = rng.normal(size=(40, 5)), X.toarray() - X.toarray().mean(axis=0)
    matrix, work = as_matrix(X), {}
    for _ in range(2):  # the second time in the arrays of the first
        found = matrix.normal_dot_in(np.float32, V, work)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, centred.T @ (centred @ V), atol=1e-5)
