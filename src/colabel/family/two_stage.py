"""For A = FFᵀ of low rank: one block solve BW = F, and an eigenproblem as small as the labels."""

import numpy as np

from colabel.family.low_rank_part import directions_of, factor_of, zero_of
from colabel.family.problem import Solution, Task, how_many
from colabel.family.solver import Solver
from colabel.linalg import small
from colabel.linalg.normal import NormalEquations

#: Rows of a product at a time.
ROWS = 2048


class TwoStage(Solver[Task, Solution]):
    """The exact directions of a low-rank A from B⁻¹F.

    Products with F + [B ≠ bI] a block solve with as many columns.
    """

    name = "two-stage"

    def applies(self, task: Task) -> str:
        if task.rank:
            return ""
        return "A has full rank; use 'factor', or 'truncated' with an integer n_components"

    def seconds(self, task: Task) -> float:
        seconds = task.size.products(task.rank)
        if task.problem.has_plain_constraint:
            return seconds
        return seconds + task.size.block_solve(task.rank)

    def solve(self, task: Task) -> Solution:
        problem, X = task.problem, task.data.core
        if not problem.has_plain_constraint:
            columns = min(problem.S.rank, X.shape[1])
            equations = NormalEquations(X, problem.T, problem.b, tol=task.tol, columns=columns)
            return _by_root(task, equations) or _by_solve(task, equations)
        Q, size, _ = _directions(task, orthonormal=True)
        b = problem.b or 1.0
        k = how_many(size**2 / b, task.n_components)
        return Q[:, :k] / np.sqrt(b), size[:k] ** 2 / b


def _directions(task: Task, *, orthonormal: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    S, X = task.problem.S, task.data.core
    return directions_of(factor_of(S, X), zero_of(S, X), orthonormal=orthonormal)


def _by_root(task: Task, equations: NormalEquations) -> Solution | None:
    """From G = L⁻¹F with B = LLᵀ, where GᵀG tells all of its singular values from rounding.

    As B is at least bI, those of F are at least √b times as large: none of them is zero either.
    """
    S, X, b = task.problem.S, task.data.core, task.problem.b
    root = equations.whitening() if b > 0 and S.rank <= X.shape[1] else None
    if root is None:
        return None
    G = root.forward(factor_of(S, X))
    lam, C = small.eigh(G.T @ G, overwrite=True)
    if not lam[0] > max(1e-8 * lam[-1], zero_of(S, X) ** 2 / b):
        return None
    lam, C = lam[::-1], C[:, ::-1]
    k = how_many(lam, task.n_components)
    return root.back(_in_place(G, C[:, :k] / np.sqrt(lam[:k]))), lam[:k]


def _in_place(G: np.ndarray, C: np.ndarray) -> np.ndarray:
    """GC in the first columns of G: beside L there is no room for another as large."""
    found = G[:, : C.shape[1]]
    for start in range(0, len(G), ROWS):
        rows = slice(start, start + ROWS)
        found[rows] = G[rows] @ C
    return found


def _by_solve(task: Task, equations: NormalEquations) -> Solution:
    """From W = B⁻¹Q with F = Q diag(size) Zᵀ, what is only rounding left out."""
    Q, size, Z = _directions(task, orthonormal=False)
    if not len(size):
        how_many(size, task.n_components)
    # Q = X̄ᵀTRZ/size, as a similarity's factor again
    W = equations.solve_rows(task.problem.S.combine(Z / size), Q)
    # FᵀB⁻¹F through a root of QᵀB⁻¹Q, so that small eigenvalues keep their digits
    N = Q.T @ W
    root = np.linalg.cholesky((N + N.T) / 2).T * size
    _, sigma, Ct = small.thin_svd(root)
    lam = sigma**2
    k = how_many(lam, task.n_components)
    return (W * size) @ (Ct[:k].T / sigma[:k]), lam[:k]
