"""Block solves with B = X̄ᵀSX̄ + bI: all right-hand sides, and all ridges b, at once.

Direct, where that is cheaper and the smaller side of X is small enough for a Gram: one Gram for all
b, and a Cholesky factorisation for each (an LU one for a dual problem whose S is not a multiple of
the identity). Otherwise conjugate gradients, where one pass over X serves all columns and all b
(or, where that costs less, fewer passes with a preconditioner, a b at a time). Where S is a
multiple of the identity they go over the smaller side too: with T the targets and r the residual
of (X̄X̄ᵀ + bI)Z = T, W = X̄ᵀZ is within ‖r‖/(2√b) of the solution.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from colabel.linalg import cost, krylov, nystrom, single, small
from colabel.linalg.interruption import wait_if_long
from colabel.linalg.low_rank import IDENTITY, Similarity
from colabel.linalg.matrix import DataMatrix

#: A direct solve with a worse conditioned B would keep fewer than eight digits; one from the
#: singular value decomposition keeps them.
MIN_RCOND = 1e-8
#: The same for a Gram with the digits of float32 where no solution tells how many of them are left.
SINGLE_RCOND = 1e-3
#: Iterations stand in for a direct solve up to this condition number of B, and with a relative
#: error of at most so many times `tol`: 1e-8 by default.
MAX_CONDITION, DIGITS_LOST = 1e3, 100.0


class SingularError(linalg.LinAlgError):
    """B is singular, or too close to it for a solve to keep eight digits."""


class _SmallSide:
    """B − bI, or its counterpart on instances, for all b; and the one b it is factorised for now.

    One that is large has no room beside it, and one in float64 for a single b needs none: it is
    factorised in its own place, and made again should another b come.
    """

    def __init__(
        self,
        make: Callable[[bool], np.ndarray],
        cancelled: float,
        *,
        is_large: bool,
        is_single: bool,
    ) -> None:
        self._make, self._cancelled, self._is_large = make, cancelled, is_large
        #: Whether several b have been asked for.
        self.is_shared = False
        #: Whether it has only the digits of float32.
        self.is_single = is_single
        self.kept: np.ndarray | None = None
        self._work: np.ndarray | None = None
        self.owner: Any = None
        self.solver: Any = None
        #: What it is rounded relative to: its norm, and what cancelled in it.
        self.norm = 0.0

    def plus(self, b: float) -> np.ndarray:
        """B, in an array to factorise in: the only one, so that what was there is gone."""
        self.owner = self.solver = None
        # what a solution loses to the digits of float32 is read off the matrix itself
        in_place = self._is_large or not (self.is_shared or self.is_single)
        if in_place or self.kept is None:
            self._work = None
        side = self._make(self.is_single) if self.kept is None else self.kept
        if not self.norm:
            self.norm = float(linalg.lapack.dlange("1", side.T)) + self._cancelled
        if in_place:
            self._work = side
        else:
            self.kept = side
            self._work = np.empty_like(side) if self._work is None else self._work
            self._work[...] = side
        self._work.flat[:: len(side) + 1] += b
        return self._work

    def give_up_single(self) -> None:
        """Have the digits of float64 from now on."""
        self.is_single, self.kept, self.norm = False, None, 0.0
        self.owner = self.solver = None


@dataclass(frozen=True)
class _LU:
    factor: tuple[np.ndarray, np.ndarray]

    def solve(self, F: np.ndarray) -> np.ndarray:
        return linalg.lu_solve(self.factor, F, check_finite=False)


class NormalEquations:
    """B = X̄ᵀSX̄ + bI, applied and inverted without forming a matrix of X's larger side.

    Parameters
    ----------
    X : DataMatrix
    S : Similarity
    b : float
    tol : float
        Relative residual at which the iterative route stops, column by column.
    columns, ridges, solves : int
        Of the right-hand sides to come, about: their columns, the b that they are solved for at a
        time, none below this one, and how many times. What iterations cost by.
    """

    def __init__(
        self,
        X: DataMatrix,
        S: Similarity,
        b: float,
        *,
        tol: float = 1e-10,
        columns: int = 1,
        ridges: int = 1,
        solves: int = 1,
    ) -> None:
        self.X, self.S, self.b = X, S, b
        # products with a dense X are made in its precision; those with a sparse one in float64
        self._has_products_in_single = X.is_dense and X.dtype == np.float32
        precision = np.float32 if self._has_products_in_single else np.float64
        self.tol = max(tol, 10 * float(np.finfo(precision).eps))
        self.is_dual = X.is_wide
        self.is_direct = cost.Size.of(X).solves_directly(
            columns, self._expected_iterations, ridges=ridges, solves=solves
        )

    @cached_property
    def _over_rows(self) -> bool:
        """Whether iterations go over instances: there are fewer, and S is a multiple of I."""
        return self.is_dual and self.S.is_isotropic and self.S.diag != 0

    def _expected_iterations(self) -> float:
        """How many there would be, to the digits that are promised."""
        if self.b == 0:
            return float("inf")
        A: krylov.Operator = self._without_ridge
        b, m = self.b, self.X.shape[1]
        if self._over_rows:
            A, b, m = self.X.outer_dot, self.b / float(self.S.diag), self.X.shape[0]
        if self._is_large:
            return nystrom.expected_iterations(nystrom.leading_eigenvalues(A, m), b, self.tol)
        if m > min(self.X.shape) or self._has_products_in_single:
            return float("inf")
        leading = nystrom.leading_eigenvalues(A, m)
        condition = (leading[0] + b) / b
        if condition > MAX_CONDITION:
            return float("inf")
        # the error of W is at most the condition times the residual
        self.tol = min(self.tol, DIGITS_LOST * self.tol / condition)
        return nystrom.expected_iterations(leading, b, self.tol)

    def with_ridge(self, b: float) -> NormalEquations:
        """The same equations with another b, sharing what does not depend on it.

        One array to factorise in is shared too: who solves after another factorises again.
        """
        other = copy(self)
        other.b = b
        if self.is_direct:
            self._side.is_shared |= b != self.b
            vars(other)["_side"] = self._side
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

    def solve(self, F: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
        """B⁻¹F for any F of d rows, which may be overwritten."""
        if not self.is_direct:
            return self._iterate(self._without_ridge, F, [self.b])[0]
        if self.is_dual:
            return self._refine(self._woodbury(F), F)
        if self._side.is_single:
            W = self._inverse.solve(F)
            if self._is_sure_of(W):
                return W
            self._side.give_up_single()
        return self._inverse.solve(F, overwrite=overwrite)

    def whitening(self) -> small.Cholesky | None:
        """L of B = LLᵀ, where B is factorised itself."""
        if not self.is_direct or self.is_dual:
            return None
        if not self._is_sure_of():
            self._side.give_up_single()
        return self._inverse

    def _is_sure_of(self, W: np.ndarray | None = None) -> bool:
        """Whether B has the digits that a solution, or whatever is made of it, asks for."""
        inverse, side = self._inverse, self._side
        if not side.is_single:
            return True
        if W is None or side.kept is None:
            return self._rcond(inverse) > SINGLE_RCOND
        return single.error(side.kept, self.X.shape[0], inverse, W) <= single.TARGET

    def solve_rows(self, L: Similarity, F: np.ndarray | None = None) -> np.ndarray:
        """B⁻¹F for F = X̄ᵀTR, given as the factor TR of a similarity (and F itself where known).

        In the dual this is X̄ᵀ(SX̄X̄ᵀ + bI)⁻¹TR: no division by b, as `solve` has to do.
        """
        return self.solve_rows_for([self.b], L, F)[0]

    def solve_rows_for(
        self, ridges: list[float], L: Similarity, F: np.ndarray | None = None
    ) -> list[np.ndarray]:
        """As `solve_rows`, for each b of a list."""
        if not self.is_dual or not (self.is_direct or self._over_rows):
            if self.is_direct:
                return self._solve_primal(ridges, L, F)
            F = L.times_root(self.X.tdot(L.labels)) if F is None else F
            return self._iterate(self._without_ridge, F, ridges)
        targets = self.X.centre(L.rows())
        if not self.is_direct:
            scale = float(self.S.diag)
            found = self._iterate(self.X.outer_dot, targets, [b / scale for b in ridges])
            return [self.X.tdot(Z / scale) for Z in found]
        return [each._by_dual(targets, L, F) for each in [*map(self.with_ridge, ridges)]]

    def _solve_primal(
        self, ridges: list[float], L: Similarity, given: np.ndarray | None
    ) -> list[np.ndarray]:
        was_single, F = self._side.is_single, given
        if F is None:
            F = L.times_root(self._cross_products(L.labels))
        *others, last = map(self.with_ridge, ridges)
        found = [equations.solve(F) for equations in others]
        found.append(last.solve(F, overwrite=given is None))
        if given is None and was_single != self._side.is_single:
            return self._solve_primal(ridges, L, None)  # F in float64, like B
        return found

    def _cross_products(self, T: Any) -> np.ndarray:
        """X̄ᵀT with the digits of B; together with B, where that is not there yet and small."""
        side = self._side
        if not side.is_single:
            return self.X.exact_tdot(T)
        if side.kept is not None or self._is_large:
            return self.X.tdot(T)
        G, F = self.X.single_products(T)
        side.kept = float(self.S.diag) * G
        return F

    def _by_dual(self, targets: np.ndarray, L: Similarity, F: np.ndarray | None) -> np.ndarray:
        W = self.X.tdot(self._inverse.solve(targets))
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
        return (F - self.X.tdot(self._inverse.solve(self.S.dot(self.X.dot(F))))) / self.b

    def _refine(self, W: np.ndarray, F: np.ndarray) -> np.ndarray:
        """One step of iterative refinement: the dual is worse conditioned than B itself."""
        return W + self._woodbury(F - self.dot(W))

    @cached_property
    def _side(self) -> _SmallSide:
        cancelled = self.S.size * self.X.correction_scale**2
        is_single = self.X.has_single_gram and not self.is_dual and self.S.is_isotropic
        return _SmallSide(self._make_side, cancelled, is_large=self._is_large, is_single=is_single)

    @property
    def _is_large(self) -> bool:
        return min(self.X.shape) > cost.DIRECT_LIMIT

    def _make_side(self, is_single: bool) -> np.ndarray:
        """B − bI, or its counterpart SX̄X̄ᵀ on instances where there are fewer of them."""
        if not self.is_dual:
            isotropic = np.ndim(self.S.diag) == 0
            if is_single:
                return float(self.S.diag) * self.X.single_gram()
            B = self.X.gram(None if isotropic else np.asarray(self.S.diag))
            if isotropic:
                B *= self.S.diag
            if self.S.labels is not None:
                B += self.S.sign * (self._label_part @ self._label_part.T)
            return B
        if self.S.is_isotropic:
            # every right-hand side is centred, so lifting what centring makes 0 changes no solution
            # and lets b = 0 through wherever X̄ has full row rank
            G, _ = self.X.lifted_outer()
            if self.S.diag != 1:
                G *= self.S.diag
            return G
        return self.S.dot(self.X.outer())

    @property
    def _inverse(self) -> Any:
        """The direct solver of the smaller side, factorised when first needed."""
        side = self._side
        if side.owner != self.b:
            try:
                side.solver = self._factorise(side.plus(self.b))
            except SingularError:
                if not side.is_single:
                    raise
                side.give_up_single()
                side.solver = self._factorise(side.plus(self.b))
            side.owner = self.b
        return side.solver

    def _factorise(self, K: np.ndarray) -> Any:
        by_lu = self.is_dual and not self.S.is_isotropic
        return (self._lu if by_lu else self._cholesky)(K)

    def _cholesky(self, B: np.ndarray) -> small.Cholesky:
        try:
            factor = small.Cholesky.of(B)
        except linalg.LinAlgError:
            raise SingularError("B is not positive definite") from None
        if not self.b > 2 * MIN_RCOND * self._side.norm:  # or B is well-conditioned for sure
            self._check(self._rcond(factor))
        return factor

    def _rcond(self, factor: small.Cholesky) -> float:
        norm = self._side.norm + self.b
        return float(linalg.lapack.dpocon(factor.L.T, norm, uplo="U")[0])

    def _lu(self, K: np.ndarray) -> _LU:
        norm = linalg.lapack.dlange("I", K.T)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.LinAlgWarning)  # _check says it better
            factor = wait_if_long(
                len(K) ** 3 / 1.5, lambda: linalg.lu_factor(K, overwrite_a=True, check_finite=False)
            )
        # K is not symmetric, and its condition number can be the square of that of B
        self._check(np.sqrt(linalg.lapack.dgecon(factor[0], norm)[0]))
        return _LU(factor)

    def _check(self, rcond: float) -> None:
        if not rcond > MIN_RCOND:
            raise SingularError(f"B has a reciprocal condition number of {rcond:.1e}")


def solve_normal(
    X: DataMatrix, targets: Similarity, ridges: list[float], *, tol: float = 1e-10
) -> list[np.ndarray]:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ by block solves that share one Gram, or
    one Krylov space.
    """
    many = {"columns": targets.rank, "ridges": len(set(ridges))}
    equations = NormalEquations(X, IDENTITY, min(ridges), tol=tol, **many)
    return equations.solve_rows_for(ridges, targets)
