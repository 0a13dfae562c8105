"""The parts under the estimators."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
import transcriptions as direct
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

import colabel
from colabel.family import similarity
from colabel.family.choose import SOLVERS, follow
from colabel.family.problem import Task, TraceProblem
from colabel.linalg import cost, dense, krylov, nystrom, products, sparse
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData, FactoredMatrix
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.normal import NormalEquations, SingularError, solve_normal
from colabel.linalg.svd import svd


@pytest.fixture(params=["tall", "wide"])
def counts(request):
    return problems.sparse_counts(request.param)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("block_bytes", [products.BLOCK_BYTES, 600])
def test_products_are_those_of_the_centred_matrix(counts, container, block_bytes, monkeypatch):
    for kind in (dense, sparse):
        monkeypatch.setattr(kind, "BLOCK_BYTES", block_bytes)
    X, Y = counts
    Xc = X - X.mean(axis=0)
    M = as_matrix(container(X))
    rng = np.random.default_rng(0)
    V, U, w = rng.normal(size=(X.shape[1], 3)), rng.normal(size=(len(X), 3)), rng.random(len(X))
    assert_allclose(M.dot(V), Xc @ V, atol=1e-12)
    assert_allclose(M.uncentred_dot(V), X @ V, atol=1e-12)
    assert_allclose(M.tdot(U), Xc.T @ U, atol=1e-12)
    assert_allclose(M.tdot(sp.csr_array(Y.astype(float))), Xc.T @ Y, atol=1e-12)
    assert_allclose(M.gram(), Xc.T @ Xc, atol=1e-11)
    assert_allclose(M.gram(w), (Xc.T * w) @ Xc, atol=1e-11)
    assert_allclose(M.outer(), Xc @ Xc.T, atol=1e-11)
    for transposed, expected in ((False, Xc), (True, Xc.T)):
        assert_allclose(np.vstack(list(M.blocks(transposed=transposed))), expected, atol=1e-12)
    R = M.triangle()
    small = Xc.T @ Xc if len(X) >= X.shape[1] else Xc @ Xc.T
    assert_allclose(R.T @ R, small, atol=1e-10)
    rows = np.array([4, 1, 9])
    assert_allclose(M.rows(rows).dot(V), (X[rows] - X[rows].mean(axis=0)) @ V, atol=1e-12)


SIMILARITIES = {
    "linear": (
        lambda Y: similarity.linear(Y, 0.3, 0.7),
        lambda Y: 0.3 * Y @ Y.T + 0.7 * np.eye(len(Y)),
    ),
    "correlated": (
        lambda Y: similarity.canonical(Y, 0.2),
        lambda Y: Y @ linalg.inv(Y.T @ Y + 0.2 * np.eye(Y.shape[1])) @ Y.T,
    ),
    "noise": (
        lambda Y: similarity.label_noise_inverse(Y, 0.4, 0.1),
        lambda Y: linalg.inv(0.4 * Y @ Y.T + 0.1 * np.eye(len(Y))),
    ),
}


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_similarities_are_their_formulae_between_centred_vectors(name, container):
    _, Y = problems.make("tall")
    n = len(Y)
    H = np.eye(n) - 1 / n
    make, formula = SIMILARITIES[name]
    S = make(container(Y.astype(float)))
    expected = H @ formula(H @ (2.0 * Y - 1)) @ H
    assert_allclose(H @ S.dot(H), expected, atol=1e-9 * np.abs(expected).max())
    assert_allclose(S.scale(2.5).dot(H), 2.5 * S.dot(H), atol=1e-9)


@pytest.mark.parametrize("laplacian", ["clique", "star", "zhou"])
def test_hypergraph_similarity(laplacian):
    _, Y = problems.sparse_counts("tall")
    H0 = direct.hypergraph_root(Y, laplacian)
    for container in (np.asarray, sp.csr_array):
        S = similarity.hypergraph(container(Y.astype(float)), laplacian)
        assert_allclose(S.dot(np.eye(len(Y))), H0 @ H0.T, atol=1e-12)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_svd_is_compact_and_exact(counts, container):
    X, _ = counts
    Xc = X - X.mean(axis=0)
    s = linalg.svdvals(Xc)
    rank = np.linalg.matrix_rank(Xc)
    F = svd(as_matrix(container(X)))
    assert len(F.s) == rank
    assert_allclose(F.s, s[:rank], rtol=1e-10)
    assert_allclose(F.right_dot(F.right_transpose_dot(Xc.T)), Xc.T, atol=1e-10)
    UtX = F.left_transpose_dot(X)
    assert_allclose(F.right_dot(F.s[:, None] * UtX), Xc.T @ X, atol=1e-9)


@pytest.mark.parametrize("shape", [(60, 12), (20, 50)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_small_singular_values_survive(shape, container):
    """A Gram alone would lose everything below 1e-8 of the largest."""
    rng = np.random.default_rng(0)
    rank = min(shape) - 1
    X = problems.with_spectrum(*shape, rank, rng, condition=1e6) - 1.0
    found = svd(as_matrix(container(X))).s
    assert len(found) == rank
    # the best that rounding X allows: eps·‖X‖ in each singular value
    assert_allclose(found, np.geomspace(1e6, 1.0, rank), atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 200), (200, 60)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_only_uncertain_directions_are_found_again(shape, container, monkeypatch):
    """Most of the spectrum is certain by the Gram; what is not keeps its digits all the same."""
    rng = np.random.default_rng(0)
    s = np.append(np.geomspace(1.0, 1e-2, 45), np.geomspace(1e-5, 1e-8, 10))
    left, _ = linalg.qr(
        np.column_stack([np.ones(shape[0]), rng.normal(size=(shape[0], 55))]), mode="economic"
    )
    right, _ = linalg.qr(rng.normal(size=(shape[1], 55)), mode="economic")
    X = (left[:, 1:] * s) @ right.T
    monkeypatch.setattr(DataMatrix, "triangle", None)  # all of it again
    found = svd(as_matrix(container(X)))
    assert_allclose(found.s[:55], s, rtol=1e-12, atol=2e-16)
    assert np.all(found.s[55:] < 1e-12)
    E = found.basis
    assert_allclose(E.T @ E, np.eye(E.shape[1]), atol=1e-13)
    truth = left[:, 1:] if found.left else right
    assert linalg.norm(E[:, :55] - truth @ (truth.T @ E[:, :55])) < 1e-7  # eps over the least of s


def test_a_dense_matrix_is_not_copied_where_corrections_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) + 0.3
    assert np.shares_memory(as_matrix(X)._rows, X)
    assert not np.shares_memory(as_matrix(X + 10.0)._rows, X)
    before = X.copy()
    fm = colabel.factor(X)
    X[:] = 7.0
    assert_allclose(fm.core.dot(np.eye(4)), before - before.mean(axis=0), atol=1e-12)


def solve_problem(kind):
    X, Y = problems.make(kind)
    Z = similarity.class_weights(Y.astype(float), "correlation")
    return X, Y, {"ridge": similarity.IDENTITY, "mlda": Z.within}


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("constraint", ["ridge", "mlda"])
@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("limit", [cost.DIRECT_LIMIT, 0])
def test_normal_equations(kind, constraint, container, limit, monkeypatch):
    """The direct route, and with a limit of 0 the iterative one."""
    monkeypatch.setattr(cost, "DIRECT_LIMIT", limit)
    X, Y, constraints = solve_problem(kind)
    S = constraints[constraint]
    Xc = X - X.mean(axis=0)
    B = Xc.T @ S.dot(Xc) + 0.3 * np.eye(X.shape[1])
    equations = NormalEquations(as_matrix(container(X)), S, 0.3, tol=1e-13)
    rng = np.random.default_rng(0)
    F = rng.normal(size=(X.shape[1], 4))
    F[:, 1] = 0
    assert_allclose(equations.dot(F), B @ F, atol=1e-9)
    assert_allclose(equations.solve(F), linalg.solve(B, F), atol=1e-8)
    L = similarity.linear(Y.astype(float))
    expected = linalg.solve(B, 2 * Xc.T @ Y)
    assert_allclose(equations.solve_rows(L), expected, atol=1e-8)


def test_conjugate_gradients_say_when_they_stall(monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    monkeypatch.setattr(krylov, "MAX_ITER", 2)
    X, _, constraints = solve_problem("tall")
    equations = NormalEquations(as_matrix(X), constraints["ridge"], 1e-3)
    with pytest.warns(ConvergenceWarning, match=r"after 2 iterations.*residual.*larger ridge"):
        equations.solve(np.eye(X.shape[1]))


def test_a_singular_matrix_is_an_error_not_a_guess():
    X, _ = problems.make("rank-deficient tall")
    equations = NormalEquations(as_matrix(X), similarity.IDENTITY, 0.0)
    with pytest.raises(SingularError):
        equations.solve(np.eye(X.shape[1]))


def test_two_stage_is_exact_by_conjugate_gradients_too(monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    for kind in ("tall", "wide"):
        X, Y = problems.make(kind)
        for model in (colabel.OPLS, colabel.LabelCCA, colabel.MLDA):
            iterative = model(solver="two-stage", tol=1e-13).fit(sp.csr_array(X), Y)
            exact = model(solver="factor").fit(X, Y)
            assert_allclose(iterative.eigenvalues_, exact.eigenvalues_, rtol=1e-8)
            assert_allclose(iterative.components_, exact.components_, atol=1e-7)


def test_factored_matrix_indexing():
    X, _ = problems.make("wide")
    fm = colabel.factor(X)
    assert len(fm) == 24
    assert fm.shape == (24, 50)
    assert fm.rank == len(fm.singular_values) == 23
    assert repr(fm) == "FactoredMatrix(24 rows, 50 features, float64)"
    assert colabel.factor(fm) is fm
    assert fm[[3, 5, 7]][[2, 0]].shape == (2, 50)
    assert_allclose(fm[[3, 5, 7]][[2, 0]].uncentred_dot(np.eye(50)), X[[7, 3]], atol=1e-12)
    for bad in (3, np.int64(2), (slice(None), 0)):
        with pytest.raises(IndexError, match="rows"):
            fm[bad]


def test_rows_of_a_wide_factored_matrix_do_not_touch_the_features(monkeypatch):
    """In p ≫ n a subset lives in the row space: X itself is not factored or multiplied again."""
    X, Y = problems.make("wide")
    fm = colabel.factor(sp.csr_array(X))
    subset = fm[:12]
    for name in ("outer", "gram", "triangle", "blocks"):
        monkeypatch.setattr(sparse.SparseMatrix, name, None)
    assert subset.core.shape == (12, fm.rank)
    assert colabel.MVMD(2).fit(subset, Y[:12]).components_.shape == (2, 50)


class Stored(DataMatrix):
    """A data matrix of a size, with nothing in it."""

    dot = tdot = gram = outer = rows = astype = blocks = scatter_scale = None

    def __init__(self, n, d, nnz, dense):
        self.shape, self.nnz, self.is_dense = (n, d), nnz, dense
        self.dtype, self.mean = np.dtype(float), np.zeros(d)


def task(
    n=1000, d=1000, nnz=10**6, dense=True, factored=False, low_rank=0, plain=False, wanted=None
):
    data = CentredData(Stored(n, d, nnz, dense))
    if factored:
        data = FactoredMatrix(data.core, None)
    S = similarity.linear(np.zeros((n, low_rank))) if low_rank else similarity.IDENTITY
    T = similarity.NOTHING if plain else similarity.IDENTITY
    return Task(TraceProblem(S, T), data, wanted)


def seconds(name, **changes):
    (solver,) = (s for s in SOLVERS if s.name == name)
    return solver.seconds(task(**changes))


def applicable(**changes):
    return [solver.name for solver in SOLVERS if not solver.applies(task(**changes))]


def test_cost_model_prefers_what_is_factored_already():
    two_stage = seconds("two-stage", low_rank=10)
    assert seconds("factor", factored=True, low_rank=10) < two_stage
    assert seconds("factor", low_rank=10) > two_stage


def test_cost_model_truncates_only_for_few_directions():
    def choice(k):
        large = {"n": 20_000, "d": 5_000, "nnz": 10**7, "dense": False, "plain": True, "wanted": k}
        return min(applicable(**large), key=lambda name: seconds(name, **large))

    assert choice(5) == "truncated"
    assert choice(None) == "factor"


def test_cost_model_knows_that_a_dense_matrix_is_read_for_every_vector():
    """As many steps as directions are read for cost more than the Gram, which is read for once."""
    square = {"n": 2000, "d": 2000, "nnz": 4 * 10**6, "plain": True}
    for k in (5, 50):
        assert seconds("factor", **square, wanted=k) < seconds("truncated", **square, wanted=k)
    size = task(**square).size
    assert 10 * size.products(1) == pytest.approx(10 * size.products(2))
    assert size.products(4000) == pytest.approx(2 * size.products(2000))


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("shape", [(300, 20_000), (20_000, 300), (3000, 3000)])
@pytest.mark.parametrize(
    "changes", [{"wanted": 5}, {"low_rank": 20}, {"low_rank": 20, "wanted": 5}]
)
def test_the_choice_is_the_least_of_what_applies(shape, dense, changes, monkeypatch):
    n, d = shape
    asked = {"n": n, "d": d, "nnz": n * d // (1 if dense else 100), "dense": dense, **changes}
    for solver in SOLVERS:
        monkeypatch.setattr(type(solver), "solve", lambda self, task: (np.empty((0, 0)), self.name))
    _, chosen = follow(SOLVERS, task(**asked), "auto")
    assert chosen == min(applicable(**asked), key=lambda name: seconds(name, **asked))


def test_what_is_factored_fits_the_memory_allowed():
    for n, d in ((10**6, 5000), (5000, 10**6), (11_000, 11_000), (30_000, 30_000)):
        size = cost.Size(n, d, n * d // 1000, dense=False)
        fits = 3 * 8 * size.small**2 <= cost.FACTOR_BYTES
        assert fits or not size.can_be_factored(1, 10**6)


def test_cost_model_knows_what_applies():
    assert applicable() == ["factor"]
    assert applicable(low_rank=5) == ["factor", "two-stage", "truncated"]
    assert applicable(wanted=5) == ["factor", "truncated"]
    assert applicable(wanted=1000) == ["factor"]


def test_a_task_reads_the_problem():
    X, Y = problems.make("wide")
    data = CentredData(as_matrix(sp.csr_array(X)))
    problem = TraceProblem(similarity.linear(Y.astype(float)))
    before = Task(problem, data, 3)
    size = before.size
    assert (size.n, size.d, size.nnz, before.rank, before.wanted) == (24, 50, 1200, Y.shape[1], 3)
    assert not data.is_factored
    assert data.factorise() is data.factorise()
    assert data.is_factored
    assert Task(problem, data, 0.9).wanted is None


def test_cost_model_does_not_factor_again_what_is_diagonal():
    """PCA on factored data is a lookup; MVMD needs one more eigenproblem."""
    assert TraceProblem(similarity.IDENTITY).reduced_eighs == 0
    Y = np.eye(4)
    assert TraceProblem(similarity.linear(Y)).reduced_eighs == 0
    assert TraceProblem(similarity.linear(Y, diag=1.0)).reduced_eighs == 1
    within = similarity.class_weights(Y, "binary").within
    assert TraceProblem(similarity.IDENTITY, within).reduced_eighs == 2
    X, _ = problems.make("tall")
    assert colabel.PCA(2).fit(colabel.factor(X)).solver_ == "factor"


@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
def test_a_large_gram_is_factorised_in_its_own_place(shape, monkeypatch):
    """Beyond the limit, where iterations would take longer: made again for every ridge."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=shape), sp.csr_array(rng.integers(0, 2, size=(shape[0], 7)) * 1.0)
    targets, ridges = similarity.linear(Y), [0.5, 3.0, 0.5]
    expected = solve_normal(as_matrix(X), targets, ridges)
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 15)
    monkeypatch.setattr(nystrom, "expected_iterations", lambda *_: np.inf)
    monkeypatch.setattr(krylov, "solve", None)
    made = []
    for name in ("gram", "outer"):
        original = getattr(DenseMatrix, name)
        monkeypatch.setattr(
            DenseMatrix, name, lambda self, *a, f=original: made.append(1) or f(self, *a)
        )
    for found, W in zip(solve_normal(as_matrix(X), targets, ridges), expected, strict=True):
        assert np.allclose(found, W, rtol=1e-10, atol=1e-12)
    assert len(made) == 3
    monkeypatch.setattr(cost, "FACTOR_BYTES", 8 * 20**2 - 1)
    with pytest.raises(TypeError):  # it iterates
        solve_normal(as_matrix(X), targets, ridges)
