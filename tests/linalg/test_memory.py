"""Nothing densifies a sparse X, copies a dense one for its Gram, or forms its larger side."""

import numpy as np
import pytest
import scipy.sparse as sp
from memory import peak_bytes
from methods import ONE_EACH
from numpy.testing import assert_allclose

import colabel
from colabel.linalg.dense import DenseMatrix

each = pytest.mark.parametrize("case", ONE_EACH, ids=str)


def sparse_problem(n, d, per_row=8, q=6):
    rng = np.random.default_rng(0)
    X = sp.csr_array(sp.random(n, d, density=per_row / d, random_state=rng))
    Y = rng.integers(0, 2, size=(n, q))
    return X, Y


@each
@pytest.mark.parametrize(("n", "d"), [(250, 20_000), (20_000, 250)])
def test_peak_memory_of_sparse_fits(case, n, d):
    X, Y = sparse_problem(n, d)
    dense_x, larger_side = 8 * n * d, 8 * max(n, d) ** 2
    for solver in case.solvers:
        model = case.make(n_components=4, solver=solver, random_state=0)
        peak = peak_bytes(lambda model=model: model.fit(X, Y).transform(X))
        assert peak < dense_x / 2, f"{solver} took {peak / 1e6:.0f} MB"
        assert peak < larger_side / 20


@pytest.mark.parametrize("rank_hostile", [False, True])
def test_factor_stays_below_the_dense_matrix(rank_hostile):
    """Also when small singular values send it through the block QR."""
    X, _ = sparse_problem(200, 60_000)
    if rank_hostile:
        X = sp.diags_array(np.geomspace(1, 1e-5, 200)) @ X
    peak = peak_bytes(lambda: colabel.factor(sp.csr_array(X)))
    assert peak < 200 * 60_000 * 8


@each
def test_no_sparse_matrix_becomes_dense_whole(case, monkeypatch):
    """`toarray` is called on blocks and on small products only."""
    X, Y = sparse_problem(100, 3_000)
    largest = []

    def watch(cls):
        original = cls.toarray

        def toarray(self, *args, **kwargs):
            largest.append(np.prod(self.shape))
            return original(self, *args, **kwargs)

        monkeypatch.setattr(cls, "toarray", toarray)

    for cls in (sp.csr_array, sp.csc_array):
        watch(cls)
    case.make(n_components=2).fit(X, sp.csr_array(Y)).transform(X)
    assert max(largest, default=0) <= 3_000 * Y.shape[1]


def test_rows_with_a_larger_mean_are_not_copied_for_their_gram():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 60)) + 4.0
    centred = X - X.mean(axis=0)
    assert peak_bytes(lambda: DenseMatrix(X).gram()) < X.nbytes / 2
    matrix = DenseMatrix(X)
    G = matrix.gram()
    assert_allclose(G, centred.T @ centred, rtol=1e-12, atol=1e-9)
    V = rng.standard_normal((60, 3))
    assert_allclose(matrix.dot(V), centred @ V, rtol=1e-12, atol=1e-12)
    assert_allclose(matrix.gram(), G, rtol=1e-12, atol=1e-9)
    assert matrix.scatter_scale == pytest.approx(np.linalg.norm(centred), rel=1e-12)
