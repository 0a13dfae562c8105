"""Conjugate gradients for many right-hand sides and shifts, and their preconditioner."""

import numpy as np
import problems
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from colabel.family.similarity import IDENTITY, linear
from colabel.linalg import cost, krylov, nystrom
from colabel.linalg.containers import as_matrix
from colabel.linalg.normal import NormalEquations, solve_normal

SHIFTS = [3.0, 0.05, 0.2, 1.0, 10.0, 100.0, 1e4, 1e7]


class Counted:
    """A matrix as an operator that remembers how many columns it was given each time."""

    def __init__(self, A):
        self.A, self.columns = A, []

    def __call__(self, V):
        self.columns.append(V.shape[1])
        return self.A @ V


def with_eigenvalues(lam, seed=0):
    Q, _ = linalg.qr(np.random.default_rng(seed).normal(size=(len(lam), len(lam))))
    A = (Q * lam) @ Q.T
    return (A + A.T) / 2


def relative_residuals(A, F, b, W):
    norms = np.linalg.norm(F, axis=0)
    return np.linalg.norm(F - (A @ W + b * W), axis=0) / np.where(norms > 0, norms, 1.0)


def right_hand_sides(m, k, seed=1):
    """Columns of very different lengths."""
    return np.random.default_rng(seed).normal(size=(m, k)) * np.geomspace(1e-6, 1e6, k)


@pytest.mark.parametrize("tol", [1e-4, 1e-10, 1e-13])
@pytest.mark.parametrize("kind", ["few eigenvalues", "spread", "low rank"])
def test_every_column_and_shift_is_as_accurate_as_asked(kind, tol):
    lam = {
        "few eigenvalues": np.repeat([1.0, 5.0, 30.0], 20),
        "spread": np.geomspace(1e-2, 1e2, 60),
        "low rank": np.concatenate([np.zeros(50), np.linspace(1, 9, 10)]),
    }[kind]
    A, F = with_eigenvalues(lam), right_hand_sides(60, 7)
    for b, W in zip(SHIFTS, krylov.solve(lambda V: A @ V, F, SHIFTS, tol=tol), strict=True):
        # the recursion of the residual and the residual itself differ by rounding
        assert np.all(relative_residuals(A, F, b, W) <= tol + 1e-13 * (lam[-1] + b) / (lam[0] + b))
        direct = linalg.solve(A + b * np.eye(60), F, assume_a="pos")
        error = np.linalg.norm(W - direct, axis=0)
        assert np.all(error <= (tol + 1e-13) * np.linalg.norm(F, axis=0) / (lam[0] + b) * 1.1)


@settings(max_examples=60)
@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=12),
    st.lists(st.floats(1e-2, 1e4), min_size=1, max_size=4),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_residuals_of_any_positive_definite_problem(lam, shifts, k, seed):
    A = with_eigenvalues(np.array(lam), seed)
    F = np.random.default_rng(seed).normal(size=(len(lam), k))
    for b, W in zip(shifts, krylov.solve(lambda V: A @ V, F, shifts, tol=1e-9), strict=True):
        assert np.all(relative_residuals(A, F, b, W) <= 1e-9 + 1e-13 * (max(lam) + b) / b)


def test_arguments_stay_as_they_are():
    A, F = with_eigenvalues(np.linspace(1, 5, 10)), right_hand_sides(10, 3)
    before, shifts = F.copy(), [1.0, 0.5]
    krylov.solve(lambda V: A @ V, F, shifts, tol=1e-8)
    np.testing.assert_array_equal(F, before)
    assert shifts == [1.0, 0.5]


def test_columns_of_zeros_cost_nothing_and_stay_zero():
    A, F = Counted(with_eigenvalues(np.linspace(1, 5, 20))), right_hand_sides(20, 4)
    F[:, [0, 2]] = 0.0
    (W,) = krylov.solve(A, F, [0.5], tol=1e-10)
    np.testing.assert_array_equal(W[:, [0, 2]], 0.0)
    assert set(A.columns) <= {1, 2}
    (W,) = krylov.solve(Counted(None), np.zeros((20, 3)), [0.5], tol=1e-10)
    np.testing.assert_array_equal(W, np.zeros((20, 3)))
    (W,) = krylov.solve(Counted(None), np.zeros((20, 0)), [0.5], tol=1e-10)
    assert W.shape == (20, 0)


def test_repeated_shifts_come_in_the_order_they_were_asked_for():
    A, F = Counted(with_eigenvalues(np.linspace(1, 50, 30))), right_hand_sides(30, 3)
    found = krylov.solve(A, F, [7.0, 0.1, 7.0, 0.1], tol=1e-10)
    alone = [krylov.solve(lambda V: A.A @ V, F, [b], tol=1e-10)[0] for b in (7.0, 0.1)]
    for W, expected in zip(found, alone * 2, strict=True):
        np.testing.assert_allclose(W, expected, rtol=1e-7)


@pytest.mark.parametrize("distinct", [1, 2, 5])
def test_it_ends_after_as_many_steps_as_there_are_eigenvalues(distinct):
    A = Counted(with_eigenvalues(np.repeat(np.linspace(1, 9, distinct), 60 // distinct)))
    F = right_hand_sides(60, 4)
    krylov.solve(A, F, [0.0, 2.0], tol=1e-12)
    assert len(A.columns) == distinct


def test_one_krylov_space_serves_all_shifts():
    M = with_eigenvalues(np.geomspace(1e-2, 1e2, 80))
    F = right_hand_sides(80, 5)
    many, one = Counted(M), Counted(M)
    krylov.solve(many, F, SHIFTS, tol=1e-10)
    krylov.solve(one, F, [min(SHIFTS)], tol=1e-10)
    assert many.columns == one.columns


def test_columns_that_are_done_cost_no_more_products():
    lam = np.geomspace(1e-2, 1e2, 80)
    A = with_eigenvalues(lam)
    Q = linalg.eigh(A)[1]
    F = np.hstack([Q[:, :30], right_hand_sides(80, 2)])  # eigenvectors are done in one step
    watched = Counted(A)
    (W,) = krylov.solve(watched, F, [0.01], tol=1e-8)
    assert watched.columns[0] == 32
    assert set(watched.columns[5:]) <= {1, 2}
    assert np.all(relative_residuals(A, F, 0.01, W) <= 1.1e-8)


@pytest.mark.parametrize("easy", [20, 300])
def test_easy_columns_do_not_end_the_others(easy, monkeypatch):
    """When they are taken out, those that are left are further from their targets in the mean."""
    monkeypatch.setattr(krylov, "PATIENCE", 100)
    lam = np.geomspace(1, 1e4, 400)
    F = right_hand_sides(400, easy + 1)
    F[lam < 5e3, :-1] = 0.0
    watched = Counted(np.diag(lam))
    (W,) = krylov.solve(watched, F, [1e-3], tol=1e-8)
    assert watched.columns[30] == 1 < watched.columns[5]  # to be sure
    assert np.all(relative_residuals(watched.A, F, 1e-3, W) <= 1.1e-8)


@pytest.mark.parametrize("spread", [np.geomspace, np.linspace])
def test_a_residual_that_rises_first_is_no_stall(spread):
    """Its norm may stay above where it began for as long as √condition iterations."""
    lam = spread(1, 1e4, 500)
    F = right_hand_sides(500, 3)
    (W,) = krylov.solve(lambda V: lam[:, None] * V, F, [1e-3], tol=1e-9)
    assert np.all(relative_residuals(np.diag(lam), F, 1e-3, W) <= 1.1e-9)


def test_shift_zero_on_a_consistent_singular_system_gives_the_smallest_solution():
    lam = np.concatenate([np.zeros(20), np.linspace(1, 40, 30)])
    A = with_eigenvalues(lam)
    F = A @ right_hand_sides(50, 3)
    zero, one = krylov.solve(lambda V: A @ V, F, [0.0, 1.0], tol=1e-11)
    scale = np.linalg.norm(F, axis=0)
    np.testing.assert_allclose(zero / scale, linalg.pinvh(A) @ F / scale, atol=1e-10)
    np.testing.assert_allclose(
        one / scale, linalg.solve(A + np.eye(50), F, assume_a="pos") / scale, atol=1e-10
    )


def test_a_system_without_solution_is_given_up_and_said_so():
    """The one that has a solution, and the larger shift of both, are found all the same."""
    lam = np.concatenate([np.zeros(10), np.linspace(1, 10, 90)])
    F = np.random.default_rng(0).normal(size=(100, 2))
    F[:10, 0] = 0.0
    with pytest.warns(ConvergenceWarning, match=r"1 of 2 columns above tol=1e-10 .*larger ridge"):
        zero, one = krylov.solve(lambda V: lam[:, None] * V, F, [0.0, 1.0], tol=1e-10)
    assert np.all(relative_residuals(np.diag(lam), F, 1.0, one) <= 1.1e-10)
    assert relative_residuals(np.diag(lam), F, 0.0, zero)[0] <= 1.1e-10
    assert np.all(np.isfinite(zero))


def test_it_says_how_far_it_came_when_iterations_run_out(monkeypatch):
    monkeypatch.setattr(krylov, "MAX_ITER", 5)
    A, F = Counted(with_eigenvalues(np.geomspace(1, 1e4, 60))), right_hand_sides(60, 3)
    with pytest.warns(ConvergenceWarning) as caught:
        (W,) = krylov.solve(A, F, [1e-3], tol=1e-10)
    worst = relative_residuals(A.A, F, 1e-3, W).max()
    (message,) = [str(warning.message) for warning in caught]
    assert "after 5 iterations with 3 of 3 columns above tol=1e-10" in message
    assert f"worst relative residual {worst:.1e}" in message
    assert "larger ridge or a larger tol" in message
    assert len(A.columns) == 5


def test_it_stops_where_there_is_no_progress(monkeypatch):
    monkeypatch.setattr(krylov, "PATIENCE", 20)
    rng = np.random.default_rng(0)
    A, F = with_eigenvalues(np.linspace(1, 5, 60)), right_hand_sides(60, 3)
    with pytest.warns(ConvergenceWarning, match="columns above tol=1e-12"):
        krylov.solve(lambda V: A @ V + rng.normal(size=V.shape), F, [0.1], tol=1e-12)


def ill_conditioned(n, d):
    """Dense data with a few strong directions and many weak ones."""
    rng = np.random.default_rng(0)
    m = min(n, d)
    U, _ = linalg.qr(rng.normal(size=(n, m)), mode="economic")
    V, _ = linalg.qr(rng.normal(size=(d, m)), mode="economic")
    s = np.concatenate([np.geomspace(1e4, 10, m // 5), np.full(m - m // 5, 1.0)])
    return (U * s) @ V.T


def test_the_sketch_has_the_leading_eigenpairs():
    X = ill_conditioned(300, 200)
    A = X.T @ X
    found = nystrom.sketch(lambda V: A @ V, 200, 60)
    exact = linalg.eigvalsh(A)[::-1]
    np.testing.assert_allclose(found.U.T @ found.U, np.eye(60), atol=1e-12)
    np.testing.assert_allclose(found.lam[:20], exact[:20], rtol=1e-4)
    # a Nyström approximation is never above A
    assert np.all(found.lam <= exact[:60] * (1 + 1e-10))
    assert linalg.eigvalsh(A - (found.U * found.lam) @ found.U.T)[0] >= -1e-12 * exact[0]


def test_the_sketch_of_a_matrix_of_low_rank_is_exact():
    A = with_eigenvalues(np.concatenate([np.linspace(1, 7, 5), np.zeros(45)]))
    for dtype, atol in ((np.float64, 1e-12), (np.float32, 1e-4)):
        narrow = A.astype(dtype)
        found = nystrom.sketch(lambda V, A=narrow: A @ V.astype(A.dtype), 50, 12)
        np.testing.assert_allclose((found.U * found.lam) @ found.U.T, A, atol=atol)


@pytest.mark.parametrize("b", [1e-3, 1.0])
def test_the_preconditioner_cuts_iterations_and_changes_no_result(b):
    X = ill_conditioned(300, 200)
    A, F = X.T @ X, right_hand_sides(200, 4)
    found = nystrom.sketch(lambda V: A @ V, 200, 50)
    plain, fewer = Counted(A), Counted(A)
    (direct,) = krylov.solve(plain, F, [b], tol=1e-8)
    (W,) = nystrom.solve(fewer, F, [b], found, tol=1e-8)
    assert np.all(relative_residuals(A, F, b, W) <= 1e-8)
    # both are within tol·‖F‖/(λ + b) of the solution
    assert np.all(
        np.linalg.norm(W - direct, axis=0) <= 2.2e-8 * np.linalg.norm(F, axis=0) / (1.0 + b)
    )
    assert len(fewer.columns) < len(plain.columns) / 3


def test_many_shifts_with_a_preconditioner():
    X = ill_conditioned(200, 120)
    A, F = X.T @ X, right_hand_sides(120, 3)
    F[:, 1] = 0.0
    found = nystrom.sketch(lambda V: A @ V, 120, 40)
    shifts = [1e-2, 1.0, 50.0, 1e-2]
    solutions = nystrom.solve(lambda V: A @ V, F, shifts, found, tol=1e-7)
    for b, W in zip(shifts, solutions, strict=True):
        assert np.all(relative_residuals(A, F, b, W) <= 1e-7)
        np.testing.assert_array_equal(W[:, 1], 0.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_is_no_failure(dtype):
    """A residual of the size of the rounding of AW is the least that there is: no warning."""
    A = with_eigenvalues(np.geomspace(1e-4, 1e6, 80)).astype(dtype)
    found = nystrom.sketch(lambda V: A @ V.astype(dtype), 80, 20)
    F = right_hand_sides(80, 2)
    (W,) = nystrom.solve(lambda V: A @ V.astype(dtype), F, [1.0], found, tol=1e-14)
    left = np.linalg.norm(F - (A.astype(np.float64) @ W + W), axis=0)
    assert np.all(left <= 1e6 * 20 * np.finfo(dtype).eps * np.linalg.norm(W, axis=0))


def test_a_preconditioned_solve_that_is_not_accurate_enough_says_so(monkeypatch):
    monkeypatch.setattr(krylov, "MAX_ITER", 2)
    A, F = with_eigenvalues(np.geomspace(1e-2, 1e6, 80)), right_hand_sides(80, 2)
    found = nystrom.sketch(lambda V: A @ V, 80, 20)
    with pytest.warns(
        ConvergenceWarning, match=r"4 preconditioned solves .*larger ridge"
    ) as caught:
        (W,) = nystrom.solve(lambda V: A @ V, F, [1e-3], found, tol=1e-6)
    assert len(caught) == 1
    worst = relative_residuals(A, F, 1e-3, W).max()
    assert f"worst relative residual {worst:.1e}" in str(caught[0].message)


def whether_it_pays(lam, shifts, *, product, tol=1e-10):
    watched = Counted(np.diag(lam))
    found = nystrom.sketch_if_it_pays(watched, len(lam), shifts, tol, product, 2e10)
    return found, watched


def test_a_sketch_is_made_only_where_it_pays():
    steep = np.concatenate([np.geomspace(1e6, 1e2, 40), np.full(360, 1.0)])
    dear = 400 * 10_000 / 2e10  # as for a dense X of 10 000 rows
    found, _ = whether_it_pays(steep, [1e-3], product=dear)
    assert found is not None
    assert found.lam[-1] < 1e2
    # a product that costs no more than the preconditioner
    found, watched = whether_it_pays(steep, [1e-3], product=400 * 10 / 2e10)
    assert found is None
    assert not watched.columns
    # a few iterations without it
    assert whether_it_pays(steep, [1e6], product=dear)[0] is None
    # nothing that stands out
    flat = np.linspace(1.0, 2.0, 400)
    assert whether_it_pays(flat, [1e-4], product=dear)[0] is None
    # many shifts, which one Krylov space serves without it
    assert whether_it_pays(steep, list(np.geomspace(1e-3, 1.0, 400)), product=dear)[0] is None
    # no ridge, and so no bound
    assert whether_it_pays(steep, [0.0], product=dear)[0] is None
    # no data
    assert whether_it_pays(np.zeros(400), [1.0], product=dear)[0] is None


@pytest.mark.parametrize("kind", ["tall", "wide"])
@pytest.mark.parametrize("sketched", [False, True])
def test_ridge_solutions_by_both_routes_equal_the_direct_ones(kind, sketched, monkeypatch):
    X, Y = problems.make(kind)
    ridges = [0.5, 20.0, 3.0]
    direct = solve_normal(as_matrix(X), linear(Y), ridges)
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    made = []

    def sketch(A, m, *_):
        made.append(nystrom.sketch(A, m, m // 3))
        return made[-1]

    monkeypatch.setattr(nystrom, "sketch_if_it_pays", sketch if sketched else lambda *_: None)
    found = solve_normal(as_matrix(X), linear(Y), ridges, tol=1e-12)
    assert len(made) == sketched
    for W, expected in zip(found, direct, strict=True):
        np.testing.assert_allclose(W, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_equations_with_other_ridges_do_not_disturb_each_other(kind):
    """They share the array that they are factorised in."""
    X, _ = problems.make(kind)
    F = right_hand_sides(X.shape[1], 3)
    one = NormalEquations(as_matrix(X), IDENTITY, 1.0)
    before, other = one.solve(F), one.with_ridge(50.0)
    expected = NormalEquations(as_matrix(X), IDENTITY, 50.0).solve(F)
    for _ in range(2):
        np.testing.assert_array_equal(other.solve(F), expected)
        np.testing.assert_array_equal(one.solve(F), before)


@pytest.mark.parametrize("tol", [0.0, 1e-300])
def test_no_tolerance_is_finer_than_rounding(tol, monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    X, Y = problems.make("tall")
    F = X.T @ Y.astype(float)
    W = NormalEquations(as_matrix(X), IDENTITY, 1.0, tol=tol).solve(F)
    Xc = X - X.mean(axis=0)
    np.testing.assert_allclose(W, linalg.solve(Xc.T @ Xc + np.eye(12), F), rtol=1e-10)


def test_columns_solved_in_parts_are_those_solved_together(monkeypatch):
    """What is worked on at a time changes nothing, and one warning speaks for all parts."""
    rng = np.random.default_rng(5)
    X, F = rng.normal(size=(40, 25)), rng.normal(size=(25, 11))
    gram, shifts = X.T @ X, [0.5, 2.0]
    together = krylov.solve(gram.__matmul__, F, shifts, tol=1e-12)
    monkeypatch.setattr(krylov, "WORK_BYTES", 8 * 25 * 8 * 3)
    assert len(krylov.column_parts(F, 8)) == 4
    for found, expected in zip(
        krylov.solve(gram.__matmul__, F, shifts, tol=1e-12), together, strict=True
    ):
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(krylov, "MAX_ITER", 2)
    with pytest.warns(ConvergenceWarning, match="11 of 11 columns") as said:
        krylov.solve(gram.__matmul__, F, shifts, tol=1e-12)
    assert len(said) == 1
