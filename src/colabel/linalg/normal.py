"""Block solves with B = X̄ᵀSX̄ + bI: all right-hand sides, and all ridges b, at once.

Direct while the smaller side of X is small enough for a Gram: one Gram for all b, and a Cholesky
factorisation for each (an LU one for a dual problem whose S is not a multiple of the identity).
Otherwise conjugate gradients, where one pass over X serves all columns and all b (or, where that
costs less, fewer passes with a preconditioner, a b at a time). Where S is a multiple of the
identity they go over the smaller side too: with T the targets and r the residual of
(X̄X̄ᵀ + bI)Z = T, W = X̄ᵀZ is within ‖r‖/(2√b) of the solution.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from colabel.linalg import cost, krylov, nystrom, small
from colabel.linalg.low_rank import IDENTITY, Similarity
from colabel.linalg.matrix import DataMatrix

#: A direct solve with a worse conditioned B would keep fewer than eight digits; one from the
#: singular value decomposition keeps them.
MIN_RCOND = 1e-8
#: The same for a Gram with the digits of float32, which it keeps three or more of; one in float64
#: takes its place where the condition is worse.
SINGLE_RCOND = 1e-3


class SingularError(linalg.LinAlgError):
    """B is singular, or too close to it for a solve to keep eight digits."""


@dataclass
class _Workspace:
    """An array to factorise in, whose equations are factorised there now, and their solver."""

    array: np.ndarray
    #: Whether the smaller side has only the digits of float32.
    is_single: bool
    owner: NormalEquations | None = None
    solver: Any = None


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
        self.X, self.S, self.b = X, S, b
        # products with a dense X are made in its precision; those with a sparse one in float64
        precision = X.dtype if X.is_dense else np.dtype(np.float64)
        self.tol = max(tol, 10 * float(np.finfo(precision).eps))
        self.is_direct = min(X.shape) <= cost.DIRECT_LIMIT
        self.is_dual = X.is_wide

    def with_ridge(self, b: float) -> NormalEquations:
        """The same equations with another b, sharing what does not depend on it.

        One array to factorise in is shared too: who solves after another factorises again.
        """
        other = NormalEquations(self.X, self.S, b, tol=self.tol)
        if self.is_direct:
            shared = ("_small_side", "_norm", "_work")
            vars(other).update({name: getattr(self, name) for name in shared})
        return other

    def dot(self, V: np.ndarray) -> np.ndarray:
        """BV."""
        return self._without_ridge(V) + self.b * V

    def _without_ridge(self, V: np.ndarray) -> np.ndarray:
        """X̄ᵀSX̄V."""
        if np.ndim(self.S.diag):
            product = self.X.normal_dot(V, np.asarray(self.S.diag))
        else:
            product = self.S.diag * self.X.normal_dot(V)
        if self.S.labels is not None:
            product += self.S.sign * (self._label_part @ (self._label_part.T @ V))
        return product

    @cached_property
    def _label_part(self) -> np.ndarray:
        """X̄ᵀTR of S."""
        F = self.S.times_root(self.X.tdot(self.S.labels))
        return F.astype(np.float64, copy=False)

    def solve(self, F: np.ndarray) -> np.ndarray:
        """B⁻¹F for any F of d rows."""
        if not self.is_direct:
            return self._iterate(self._without_ridge, F, [self.b])[0]
        if not self.is_dual:
            return self._inverse(F)
        return self._refine(self._woodbury(F), F)

    def solve_rows(self, L: Similarity, F: np.ndarray | None = None) -> np.ndarray:
        """B⁻¹F for F = X̄ᵀTR, given as the factor TR of a similarity (and F itself where known).

        In the dual this is X̄ᵀ(SX̄X̄ᵀ + bI)⁻¹TR: no division by b, as `solve` has to do.
        """
        return self.solve_rows_for([self.b], L, F)[0]

    def solve_rows_for(
        self, ridges: list[float], L: Similarity, F: np.ndarray | None = None
    ) -> list[np.ndarray]:
        """As `solve_rows`, for each b of a list."""
        isotropic = self.S.is_isotropic and self.S.diag != 0
        if not self.is_dual or not (self.is_direct or isotropic):
            F = L.times_root(self.X.tdot(L.labels)) if F is None else F
            if self.is_direct:
                return [self.with_ridge(b).solve(F) for b in ridges]
            return self._iterate(self._without_ridge, F, ridges)
        targets = np.asarray(L.labels @ L.root_matrix)
        targets = targets - targets.mean(axis=0)
        if not self.is_direct:
            scale = float(self.S.diag)
            found = self._iterate(self.X.outer_dot, targets, [b / scale for b in ridges])
            return [self.X.tdot(Z / scale) for Z in found]
        return [self.with_ridge(b)._by_dual(targets, L, F) for b in ridges]

    def _by_dual(self, targets: np.ndarray, L: Similarity, F: np.ndarray | None) -> np.ndarray:
        W = self.X.tdot(self._inverse(targets))
        if self.S.is_isotropic:
            return W
        F = L.times_root(self.X.tdot(L.labels)) if F is None else F
        return self._refine(W, F)

    def _iterate(self, A: krylov.Operator, F: np.ndarray, ridges: list[float]) -> list[np.ndarray]:
        """(A + bI)⁻¹F for each b, by conjugate gradients."""
        product = cost.Size.of(self.X).products(2 * F.shape[1]) / F.shape[1]
        rate = cost.NARROW_PRODUCT
        found = nystrom.sketch_if_it_pays(A, len(F), ridges, self.tol, product, rate)
        if found is None:
            return krylov.solve(A, F, ridges, tol=self.tol)
        return nystrom.solve(A, F, ridges, found, tol=self.tol)

    def _woodbury(self, F: np.ndarray) -> np.ndarray:
        return (F - self.X.tdot(self._inverse(self.S.dot(self.X.dot(F))))) / self.b

    def _refine(self, W: np.ndarray, F: np.ndarray) -> np.ndarray:
        """One step of iterative refinement: the dual is worse conditioned than B itself."""
        return W + self._woodbury(F - self.dot(W))

    @cached_property
    def _small_side(self) -> np.ndarray:
        """B − bI, or its counterpart SX̄X̄ᵀ on instances where there are fewer of them."""
        n = self.X.shape[0]
        if not self.is_dual:
            isotropic = np.ndim(self.S.diag) == 0
            if self._may_be_single:
                return float(self.S.diag) * self.X.single_gram()
            B = self.X.gram(None if isotropic else np.asarray(self.S.diag))
            if isotropic:
                B *= self.S.diag
            if self.S.labels is not None:
                B += self.S.sign * (self._label_part @ self._label_part.T)
            return B
        G = self.X.outer()
        if self.S.is_isotropic:
            # 1 spans the kernel of G and is orthogonal to every right-hand side, so lifting it off
            # zero changes no solution and lets b = 0 through wherever X̄ has full row rank.
            G += np.trace(G) / n**2
            if self.S.diag != 1:
                G *= self.S.diag
            return G
        return self.S.dot(G)

    @cached_property
    def _norm(self) -> float:
        """What the smaller side is rounded relative to: its norm, and what cancelled in it."""
        cancelled = self.S.size * self.X.correction_scale**2
        return float(linalg.lapack.dlange("1", self._small_side.T)) + cancelled

    @cached_property
    def _work(self) -> _Workspace:
        return _Workspace(np.empty_like(self._small_side), self._may_be_single)

    @property
    def _may_be_single(self) -> bool:
        return self.X.has_single_gram and not self.is_dual and self.S.is_isotropic

    @property
    def _inverse(self) -> Any:
        """The direct solver of the smaller side, factorised when first needed."""
        work = self._work
        if work.owner is not self:
            work.owner = None
            try:
                work.solver = self._factorise()
            except SingularError:
                if not work.is_single:
                    raise
                np.multiply(self.X.gram(), self.S.diag, out=self._small_side)
                work.is_single = False
                work.solver = self._factorise()
            work.owner = self
        return work.solver

    def _factorise(self) -> Any:
        K = self._work.array
        K[...] = self._small_side
        K.flat[:: len(K) + 1] += self.b
        by_lu = self.is_dual and not self.S.is_isotropic
        return (self._lu if by_lu else self._cholesky)(K)

    def _cholesky(self, B: np.ndarray) -> Any:
        try:
            factor, solve = small.cholesky_solver(B)
        except linalg.LinAlgError:
            raise SingularError("B is not positive definite") from None
        least = SINGLE_RCOND if self._work.is_single else MIN_RCOND
        if not self.b > 2 * least * self._norm:  # or B is well-conditioned for sure
            self._check(linalg.lapack.dpocon(factor, self._norm + self.b, uplo="L")[0], least)
        return solve

    def _lu(self, K: np.ndarray) -> Any:
        norm = linalg.lapack.dlange("I", K.T)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.LinAlgWarning)  # _check says it better
            factor = linalg.lu_factor(K, overwrite_a=True, check_finite=False)
        # K is not symmetric, and its condition number can be the square of that of B
        self._check(np.sqrt(linalg.lapack.dgecon(factor[0], norm)[0]))
        return lambda F: linalg.lu_solve(factor, F, check_finite=False)

    def _check(self, rcond: float, least: float = MIN_RCOND) -> None:
        if not rcond > least:
            raise SingularError(f"B has a reciprocal condition number of {rcond:.1e}")


def solve_normal(
    X: DataMatrix, targets: Similarity, ridges: list[float], *, tol: float = 1e-10
) -> list[np.ndarray]:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ by block solves that share one Gram, or
    one Krylov space.
    """
    return NormalEquations(X, IDENTITY, ridges[0], tol=tol).solve_rows_for(ridges, targets)
