"""Every method, every solver, every container against the formula solved directly."""

import numpy as np
import problems
import pytest
import scipy.sparse as sp
import transcriptions as direct
from methods import CASES
from numpy.testing import assert_allclose
from scipy import linalg
from spans import sine

import colabel

KINDS = ["tall", "wide", "rank-deficient tall", "rank-deficient wide"]
CONTAINERS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
    "factored": colabel.factor,
    "factored csr": lambda X: colabel.factor(sp.csr_array(X)),
    "float32": lambda X: X.astype(np.float32),
    "float32 csr": lambda X: sp.csr_array(X.astype(np.float32)),
}


def assert_solves(model, A, B, eigenvalues, P, rtol, atol_span):
    """The model's directions are the leading ones of the problem, and obey its constraint."""
    k = model.n_components_
    found = model.components_.T.astype(float)
    lam = model.eigenvalues_.astype(float)
    assert_allclose(lam, eigenvalues[:k], rtol=rtol)
    assert sine(found, P[:, :k]) < atol_span
    scale = linalg.norm(B, 2) * linalg.norm(found, 2) ** 2
    assert linalg.norm(found.T @ B @ found - np.eye(k), 2) < 10 * rtol * max(scale, 1)
    residual = A @ found - B @ found * lam
    assert linalg.norm(residual, 2) < 10 * rtol * linalg.norm(A, 2) * linalg.norm(found, 2)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_solver_gives_the_direct_solution(case, kind, container):
    single = container.startswith("float32")
    X, Y = problems.make(kind, condition=4.0 if single else 30.0)
    exact = X.astype(np.float32).astype(float) if single else X
    A, B = case.matrices(exact, Y)
    eigenvalues, P = direct.solve(A, B)
    for solver in case.solvers:
        k = 3 if solver == "truncated" else None
        if single and k is None:
            k = len(eigenvalues)  # its own precision may see a zero eigenvalue as positive
        rtol, atol_span = tolerances(exact, B, eigenvalues, k or len(eigenvalues), single)
        model = case.make(solver=solver, n_components=k, random_state=0)
        model.fit(CONTAINERS[container](X), Y)
        assert model.solver_ == solver
        assert model.n_components_ == (k or len(eigenvalues))
        assert model.components_.dtype == (np.float32 if single else np.float64)
        assert_solves(model, A, B, eigenvalues, P, rtol, atol_span)


def tolerances(X, B, eigenvalues, k, single):
    """What is promised for float64; for float32, what its rounding does to this problem.

    Implicit centring rounds relative to X, not to X̄.
    """
    gap = 1 - eigenvalues[k] / eigenvalues[k - 1] if k < len(eigenvalues) else 1.0
    assert gap > 1e-3  # the span is well defined
    if not single:
        return 1e-8, 1e-6
    condition = np.linalg.cond(B) + eigenvalues[0] / eigenvalues[k - 1]
    condition *= linalg.norm(X, 2) / linalg.norm(X - X.mean(axis=0), 2)
    rtol = 10 * np.finfo(np.float32).eps * condition
    assert rtol < 0.05
    return rtol, rtol / gap


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_awkward_counts(case, kind):
    """Constant and duplicate features, a row without labels: sparse data as it comes."""
    X, Y = problems.sparse_counts(kind)
    A, B = case.matrices(X, Y)
    eigenvalues, P = direct.solve(A, B)
    for container in (lambda X: X, sp.csr_array, sp.csc_array):
        for labels in (Y, sp.csr_array(Y), sp.csc_matrix(Y)):
            model = case.make().fit(container(X), labels)
            assert model.n_components_ == len(eigenvalues)
            assert_solves(model, A, B, eigenvalues, P, 1e-8, 1e-6)


@pytest.mark.parametrize("laplacian", ["clique", "star", "zhou", "cca"])
@pytest.mark.parametrize("ridge", [0.1, 3.0])
@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_form(kind, ridge, laplacian):
    X, Y = problems.make(kind)
    W = direct.least_squares_hypergraph(X, Y, laplacian, ridge)
    for solver in ("auto", "factor", "two-stage"):
        for container in (lambda X: X, sp.csr_array, colabel.factor):
            model = colabel.HypergraphSpectral(
                laplacian=laplacian, ridge=ridge, approximate=True, solver=solver
            ).fit(container(X), Y)
            found = model.components_.T
            if laplacian == "cca":  # all singular values are one: any basis is as good
                assert sine(found, W) < 1e-6
                assert_allclose(found @ found.T, W @ W.T, rtol=1e-8, atol=1e-10)
            else:
                signs = np.sign(np.sum(W * found, axis=0))
                assert_allclose(found, W * signs, rtol=1e-8, atol=1e-10)


def test_least_squares_form_has_no_truncated_solver():
    X, Y = problems.make("tall")
    model = colabel.HypergraphSpectral(2, approximate=True, solver="truncated")
    with pytest.raises(ValueError, match=r"truncated.*does not apply"):
        model.fit(X, Y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("estimator", "transcription", "params"),
    [
        (colabel.LabelCCA, direct.cca, {"ridge": 0.0, "label_ridge": 0.0}),
        (colabel.OPLS, direct.opls, {"ridge": 0.0}),
        (colabel.MDDMf, direct.mddmf, {"beta": 1.0}),
        (colabel.HypergraphSpectral, direct.hypergraph, {"laplacian": "star", "ridge": 0.0}),
        (colabel.MLSI, direct.mlsi, {"ridge": 0.0}),
    ],
)
def test_singular_constraint_is_met_by_the_pseudo_inverse(kind, estimator, transcription, params):
    X, Y = problems.make(kind)
    A, B = transcription(X, Y, **params)
    eigenvalues, P = direct.solve(A, B)
    for container in (lambda X: X, sp.csr_array):
        for k in (None, 2):
            model = estimator(n_components=k, **params).fit(container(X), Y)
            assert model.n_components_ == (k or len(eigenvalues))
            assert_allclose(model.eigenvalues_, eigenvalues[:k], rtol=1e-8)
            if k is None:
                assert sine(model.components_.T, P) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_feasible_point_does_better(case, kind):
    X, Y = problems.make(kind)
    model = case.make(n_components=2).fit(X, Y)
    A, B = case.matrices(X, Y)
    rng = np.random.default_rng(1)
    best = np.sum(model.eigenvalues_)
    R = linalg.cholesky(B)
    for size in (1.0, 1e-1, 1e-3):
        Q = model.components_.T + size * rng.normal(size=model.components_.T.shape)
        Q = linalg.solve_triangular(R, linalg.qr(R @ Q, mode="economic")[0])
        assert_allclose(Q.T @ B @ Q, np.eye(2), atol=1e-8)
        assert np.trace(Q.T @ A @ Q) <= best * (1 + 1e-9)


@pytest.mark.parametrize("ridge", [0.1, 0.0])
def test_a_label_that_all_rows_have_changes_nothing_in_cca(ridge):
    X, Y = problems.make("tall")
    full = np.column_stack([Y, np.ones(len(Y), dtype=int)])
    plain = colabel.LabelCCA(ridge=ridge, label_ridge=0.0).fit(X, Y)
    with_full = colabel.LabelCCA(ridge=ridge, label_ridge=0.0).fit(X, full)
    assert_allclose(with_full.components_, plain.components_, atol=1e-9)


@pytest.mark.parametrize(
    "method", [colabel.MLSI, colabel.MLDA, colabel.DMLDA], ids=lambda m: m.__name__
)
def test_factored_data_keep_nothing_of_another_problem(method):
    X, Y = problems.make("tall")
    fm, others = colabel.factor(X), np.roll(Y, 3, axis=0)
    for labels, ridge in [(Y, 0.1), (Y, 10.0), (others, 10.0), (others, 0.0), (Y, 0.1)]:
        again = method(ridge=ridge).fit(fm, labels)
        alone = method(ridge=ridge).fit(colabel.factor(X), labels)
        assert_allclose(again.eigenvalues_, alone.eigenvalues_, rtol=1e-10)
        assert_allclose(again.components_, alone.components_, atol=1e-9)
