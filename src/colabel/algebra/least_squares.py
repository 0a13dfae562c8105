"""Block solves with B = X̄ᵀSX̄ + bI: all right-hand sides at once.

Direct while the smaller side of X is small enough for a Gram: one Cholesky factorisation (an LU one
for a dual problem whose S is not a multiple of the identity). Otherwise conjugate gradients, where
an iteration is one product with X̄ and one with X̄ᵀ for all columns, and a column that has converged
costs nothing more.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from colabel.algebra import cost
from colabel.algebra.cost import SingularError
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.matrix import DataMatrix
from colabel.algebra.similarity import IDENTITY, Similarity

MAX_ITER = 2_000

#: A direct solve with a worse conditioned B would keep fewer than eight digits; one from the
#: singular value decomposition keeps them.
MIN_RCOND = 1e-8


class NormalEquations:
    """B = X̄ᵀSX̄ + bI, applied and inverted without forming a matrix of X's larger side.

    Parameters
    ----------
    X : DataMatrix
    S : Similarity
    b : float
    tol : float
        Relative residual at which the iterative route stops, column by column.
    """

    def __init__(self, X: DataMatrix, S: Similarity, b: float, *, tol: float = 1e-10) -> None:
        self.X, self.S, self.b, self.tol = X, S, b, tol
        self.is_direct = min(X.shape) <= cost.DIRECT_LIMIT
        self.is_dual = X.shape[0] < X.shape[1]

    def shifted(self, b: float) -> NormalEquations:
        """The same equations with another b, sharing what does not depend on it."""
        other = NormalEquations(self.X, self.S, b, tol=self.tol)
        if self.is_direct:
            vars(other)["_small_side"] = self._small_side
        return other

    def dot(self, V: np.ndarray) -> np.ndarray:
        """BV."""
        return self.X.tdot(self.S.dot(self.X.dot(V))) + self.b * V

    def solve(self, F: np.ndarray) -> np.ndarray:
        """B⁻¹F for any F of d rows."""
        if not self.is_direct:
            return self._conjugate_gradients(F)
        if not self.is_dual:
            return self._inverse(F)
        return self._refined(self._woodbury(F), F)

    def solve_rows(self, L: Similarity, F: np.ndarray | None = None) -> np.ndarray:
        """B⁻¹F for F = X̄ᵀTR, given as the factor TR of a similarity (and F itself where known).

        In the dual this is X̄ᵀ(SX̄X̄ᵀ + bI)⁻¹TR: no division by b, as `solve` has to do.
        """
        F = L.times_root(self.X.tdot(L.labels)) if F is None else F
        if not (self.is_direct and self.is_dual):
            return self.solve(F)
        targets = np.asarray(L.labels @ L.root_matrix)
        W = self.X.tdot(self._inverse(targets - targets.mean(axis=0)))
        return W if self.S.is_isotropic else self._refined(W, F)

    def _woodbury(self, F: np.ndarray) -> np.ndarray:
        return (F - self.X.tdot(self._inverse(self.S.dot(self.X.dot(F))))) / self.b

    def _refined(self, W: np.ndarray, F: np.ndarray) -> np.ndarray:
        """One step of iterative refinement: the dual is worse conditioned than B itself."""
        return W + self._woodbury(F - self.dot(W))

    @cached_property
    def _small_side(self) -> np.ndarray:
        """B − bI, or its counterpart SX̄X̄ᵀ on instances where there are fewer of them."""
        n = self.X.shape[0]
        if not self.is_dual:
            isotropic = np.ndim(self.S.diag) == 0
            B = self.X.gram(None if isotropic else np.asarray(self.S.diag))
            if isotropic:
                B *= self.S.diag
            if self.S.labels is not None:
                F = self.S.times_root(self.X.tdot(self.S.labels)).astype(np.float64)
                B += self.S.sign * (F @ F.T)
            return B
        G = self.X.outer()
        if self.S.is_isotropic:
            # 1 spans the kernel of G and is orthogonal to every right-hand side, so lifting it off
            # zero changes no solution and lets b = 0 through wherever X̄ has full row rank.
            G += np.trace(G) / n**2
            G *= self.S.diag
            return G
        return self.S.dot(G)

    @cached_property
    def _inverse(self) -> Any:
        """The direct solver of the smaller side, factorised when first needed."""
        K = self._small_side.copy()
        K.flat[:: len(K) + 1] += self.b
        return self._lu(K) if self.is_dual and not self.S.is_isotropic else self._cholesky(K)

    def _cholesky(self, B: np.ndarray) -> Any:
        B = B.T  # in the order of LAPACK, which works in place then
        norm = linalg.lapack.dlange("1", B)
        try:
            factor, lower = linalg.cho_factor(B, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            raise SingularError("B is not positive definite") from None
        self._check(linalg.lapack.dpocon(factor, norm, uplo="L")[0])
        return lambda F: linalg.cho_solve((factor, lower), F, check_finite=False)

    def _lu(self, K: np.ndarray) -> Any:
        norm = linalg.lapack.dlange("I", K.T)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.LinAlgWarning)  # _check says it better
            factor = linalg.lu_factor(K, overwrite_a=True, check_finite=False)
        # K is not symmetric, and its condition number can be the square of that of B
        self._check(np.sqrt(linalg.lapack.dgecon(factor[0], norm)[0]))
        return lambda F: linalg.lu_solve(factor, F, check_finite=False)

    def _check(self, rcond: float) -> None:
        if not rcond > MIN_RCOND:
            raise SingularError(f"B has a reciprocal condition number of {rcond:.1e}")

    def _conjugate_gradients(self, F: np.ndarray) -> np.ndarray:
        W = np.zeros_like(F)
        target = np.maximum(self.tol, 10 * np.finfo(F.dtype).eps) * np.linalg.norm(F, axis=0)
        active = np.flatnonzero(target > 0)
        R = F[:, active]
        D = R.copy()
        rho = np.einsum("ij,ij->j", R, R)
        for _ in range(MAX_ITER):
            unfinished = np.sqrt(rho) > target[active]
            if not unfinished.all():
                active, R, D = active[unfinished], R[:, unfinished], D[:, unfinished]
                rho = rho[unfinished]
            if not len(active):
                return W
            BD = self.dot(D)
            step = rho / np.einsum("ij,ij->j", D, BD)
            W[:, active] += step * D
            R -= step * BD
            rho, previous = np.einsum("ij,ij->j", R, R), rho
            D = R + (rho / previous) * D
        worst = np.max(np.sqrt(rho) / np.linalg.norm(F[:, active], axis=0))
        warnings.warn(
            f"conjugate gradients stopped after {MAX_ITER} iterations with {len(active)} of "
            f"{F.shape[1]} columns above tol={self.tol:g} (worst residual {worst:.1e}); "
            "a larger ridge or a larger tol makes it converge",
            ConvergenceWarning,
            stacklevel=2,
        )
        return W


def ridge_solutions(
    data: FactoredMatrix,
    targets: Similarity,
    ridges: list[float],
    *,
    solver: str = "auto",
    tol: float = 1e-10,
) -> tuple[list[np.ndarray], str]:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ, over `data.core`, and the solver used.

    The targets are the factor TR of a similarity. λ = 0 gives the solution of minimum norm.
    """

    def by_normal_equations() -> list[np.ndarray]:
        return ridge_solutions_without_svd(data.core, targets, ridges, tol=tol)

    def by_svd() -> list[np.ndarray]:
        s = data.svd.s
        F = s[:, None] * targets.times_root(data.svd.left_transpose_dot(targets.labels))
        return [data.svd.right_dot(F / (s**2 + b)[:, None]) for b in ridges]

    size = cost.Size.of(data, low_rank=targets.rank)
    return cost.follow({"two-stage": by_normal_equations, "factor": by_svd}, size, solver)


def ridge_solutions_without_svd(
    X: DataMatrix, targets: Similarity, ridges: list[float], *, tol: float = 1e-10
) -> list[np.ndarray]:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ by block solves that share one Gram."""
    first = NormalEquations(X, IDENTITY, ridges[0], tol=tol)
    F = targets.times_root(X.tdot(targets.labels))
    return [first.shifted(b).solve_rows(targets, F) for b in ridges]
