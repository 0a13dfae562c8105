"""For A = FFᵀ of low rank: one block solve BW = F, and an eigenproblem as small as the labels."""

from dataclasses import replace

import numpy as np
from scipy import linalg

from colabel.family.low_rank_part import directions_of, factor_of, zero_of
from colabel.family.problem import Solution, Task, how_many
from colabel.family.solver import Solver
from colabel.linalg.normal import NormalEquations


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
        S = problem.S
        F = factor_of(S, X)
        Q, size, Z = directions_of(F, zero_of(S, X), orthonormal=problem.has_plain_constraint)
        if problem.has_plain_constraint or not len(size):
            P, lam = Q / np.sqrt(problem.b or 1.0), size**2 / (problem.b or 1.0)
        else:
            # Q = X̄ᵀTRZ/size, as a similarity's factor again
            basis = replace(S, root=S.root_matrix @ (Z / size))
            equations = NormalEquations(X, problem.T, problem.b, tol=task.tol)
            W = equations.solve_rows(basis, Q)
            # FᵀB⁻¹F through a root of QᵀB⁻¹Q, so that small eigenvalues keep their digits
            N = Q.T @ W
            root = linalg.cholesky((N + N.T) / 2, check_finite=False) * size
            _, sigma, Ct = linalg.svd(root, check_finite=False)
            P, lam = (W * size) @ (Ct.T / sigma), sigma**2
        k = how_many(lam, task.n_components)
        return P[:, :k], lam[:k]
