"""The leading k directions by Lanczos iteration, on operators only."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator

from colabel.family.low_rank_part import factor_of, zero_of
from colabel.family.problem import Solution, Task, TraceProblem, how_many
from colabel.family.solver import Solver
from colabel.linalg import cost
from colabel.linalg.lanczos import extreme
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.normal import NormalEquations, SingularError
from colabel.linalg.rank import rounding


class Truncated(Solver[Task, Solution]):
    """The leading directions with a positive eigenvalue.

    (100 + 10k) steps of (2nnz + d·(2k + 20)) + [B ≠ bI] (Gram + m³/3, then m² a step).
    """

    name = "truncated"

    def applies(self, task: Task) -> str:
        if (task.wanted or task.rank or task.size.small) < task.size.small:
            return ""
        return (
            "it finds a given number of leading directions, fewer than rows and features: "
            "set n_components to an integer below both, or use 'factor'"
        )

    def seconds(self, task: Task) -> float:
        size, k = task.size, task.wanted or task.rank
        steps = _steps(k)
        product = 2 * size.products(1)
        step = product + size.d * (2 * k + 20) / cost.VECTOR
        if task.problem.has_plain_constraint:
            return steps * step
        if size.small > cost.DIRECT_LIMIT:
            return steps * (step + cost.ITERATIONS * product)
        return size.gram + size.cholesky + steps * (step + size.small**2 / cost.VECTOR)

    def solve(self, task: Task) -> Solution:
        problem, X, n_components = task.problem, task.data.core, task.n_components
        tol = max(task.tol, 10 * float(np.finfo(X.dtype).eps))
        k = _count_wanted(problem, X, n_components)
        rows_only = X.is_wide and problem.S.is_isotropic and problem.has_plain_constraint
        d = X.shape[0] if rows_only else X.shape[1]

        def operator(dot: Callable[[np.ndarray], np.ndarray]) -> LinearOperator:
            return LinearOperator((d, d), matvec=lambda v: dot(v.reshape(d, 1)), dtype=np.float64)

        B = {}
        if not problem.has_plain_constraint:
            X = X.astype(np.float64)  # the condition of B would eat what float32 has
            apply, solve_for = _constraint(problem, X, tol, solves=_steps(k))
            B = {"M": operator(apply), "Minv": operator(solve_for)}
        if rows_only:  # X̄ᵀX̄ has the eigenvalues of X̄X̄ᵀ, which is smaller
            A = operator(lambda v: float(problem.S.diag) * X.outer_dot(v))
        else:
            A = operator(lambda v: X.similarity_dot(problem.S, v))
        lam, P = _lanczos(A, B, k, tol, task.rng)
        zero = rounding(X.dtype, problem.S.size, X.scatter_scale**2)
        if len(lam) and lam[0] <= zero * float(P[:, 0] @ P[:, 0]):  # all of A is rounding
            lam, P = lam[:0], P[:, :0]
        if not B:
            lam, P = lam / problem.b, P / np.sqrt(problem.b)
        lam, P = _resolve(lam, P, k, max(d * float(np.finfo(X.dtype).eps), tol))
        kept = how_many(lam, n_components if isinstance(n_components, float) else None)
        lam, P = lam[:kept], P[:, :kept]
        if rows_only:
            return X.tdot(P / np.sqrt(lam * problem.b / float(problem.S.diag))), lam
        return P, lam


def _steps(k: int) -> int:
    """About how many products with A, and solves with B, k directions take."""
    return cost.ITERATIONS + 10 * k


def _lanczos(
    A: LinearOperator,
    B: dict[str, LinearOperator],
    k: int,
    tol: float,
    rng: np.random.RandomState | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, descending, and their eigenvectors."""
    v0 = (rng or np.random.RandomState()).standard_normal(A.shape[0])
    try:
        advice = "fewer directions or solver='factor'"
        lam, P = extreme(A, k, tol, v0, advice=advice, which="LA", **B)
    except ArpackError:  # it starts from A·v0, which is zero
        return np.empty(0), np.empty((A.shape[0], 0))
    order = np.argsort(-lam)
    return lam[order], P[:, order]


def _resolve(lam: np.ndarray, P: np.ndarray, k: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues that are large enough to be told from zero, saying so if some are not."""
    clear = lam > share * lam.max(initial=0.0)
    found = np.count_nonzero(clear)
    if 0 < found < k:
        warnings.warn(
            f"only {found} of {k} directions have an eigenvalue above {share:.0e} of the largest, "
            "which is as far as Lanczos iteration can tell; solver='factor' finds smaller ones, if "
            "there are any",
            UserWarning,
            stacklevel=3,
        )
    return lam[clear], P[:, clear]


def _count_wanted(problem: TraceProblem, X: DataMatrix, n_components: int | float | None) -> int:
    """How many directions to iterate for: as many as there are, if no number was given."""
    S = problem.S
    if not S.is_low_rank:
        if X.scatter_scale <= rounding(X.dtype, X.scale):
            how_many(np.empty(0), n_components)
        return int(n_components or 0)
    size = linalg.svdvals(factor_of(S, X), check_finite=False)
    share = isinstance(n_components, float)
    return how_many(size[size > zero_of(S, X)], None if share else n_components)


def _constraint(
    problem: TraceProblem, X: DataMatrix, tol: float, *, solves: int
) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]:
    """B and B⁻¹ as functions."""
    if problem.b == 0:
        raise SingularError("it has no ridge")

    def equations(scale: float, shift: float) -> NormalEquations:
        T = problem.T.scale(scale)
        return NormalEquations(X, T, shift, tol=tol / 10, solves=solves)

    if problem.c == 0:
        B = equations(1.0, problem.b)
        return B.dot, B.solve
    # B = M(I + cM)⁻¹ + bI, so B⁻¹ = (I + cM)((1 + cb)M + bI)⁻¹
    M, resolvent = equations(1.0, 0.0), equations(problem.c, 1.0)
    outer = equations(1.0 + problem.c * problem.b, problem.b)
    return (
        lambda v: M.dot(resolvent.solve(v)) + problem.b * v,
        lambda v: resolvent.dot(outer.solve(v)),
    )
