"""Least squares in which each column has rows of its own.

    min Σ_i c_iℓ (y_iℓ − b_ℓ − x_iᵀu_ℓ)² + penalty(u_ℓ)   over u_ℓ and b_ℓ, for each column ℓ

c_iℓ is what entry (i, ℓ) counts, 0 where it is unknown. The equations of all columns are one
product with X and one with Xᵀ, with a mask a column between them, and are solved by conjugate
gradients, each column until it is as accurate as asked. Where there are fewer rows than features,
over the rows: with S the roots of what a column's entries count and P the projection that takes off
what lies along S, u = XᵀSz and (PSXXᵀSP + b)z = PSy.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from colabel.linalg import cost, nystrom
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.small import Cholesky

#: Of columns (d×k) and their numbers.
ColumnOperator: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
MAX_PRODUCTS = 1000
#: Columns are left out once a smaller share of them is still solved for.
NARROW = 0.8
#: Products with a preconditioner, about.
PRECONDITIONED = 25


class MaskedEquations:
    """Σ_i c_iℓ(x_i − m_ℓ)(x_i − m_ℓ)ᵀ and Σ_i c_iℓ(x_i − m_ℓ)y_iℓ, m_ℓ the mean of a column's rows.

    Parameters
    ----------
    X : DataMatrix
        Rows as they are, whatever they count.
    counts : ndarray of shape (n, q)
    """

    def __init__(self, X: DataMatrix, counts: np.ndarray) -> None:
        self.X, self.counts = X, counts
        total = counts.sum(axis=0)
        self.total = np.where(total > 0, total, 1.0)

    def means(self, S: np.ndarray, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Means of the columns of S (n×k) over their own rows."""
        return np.einsum("ij,ij->j", self.counts[:, columns], S) / self.total[columns]

    def dot(self, V: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The scatter of each column's rows times a column of V."""
        return self._pull_back(self.X.dot(V).astype(np.float64, copy=False), columns)

    def targets(self, Y: np.ndarray) -> np.ndarray:
        """What the scatters times the solutions are, but for penalties."""
        return self._pull_back(Y.astype(np.float64), slice(None))

    def _pull_back(self, S: np.ndarray, columns: np.ndarray | slice) -> np.ndarray:
        S = (S - self.means(S, columns)) * self.counts[:, columns]
        return self.X.tdot(S).astype(np.float64, copy=False)


class EquationsOfRows:
    """PSXXᵀSP + b for each column, on instances.

    What lies in the span of Theta pays `free` less than b: with g = free/(b − free), XXᵀ becomes
    X(I + gΘᵀΘ)Xᵀ, and b is one number.
    """

    def __init__(
        self,
        equations: MaskedEquations,
        ridges: np.ndarray,
        Theta: np.ndarray | None = None,
        free: float = 0.0,
        factored: dict[float, Any] | None = None,
    ) -> None:
        self.X, self.ridges, self.roots = equations.X, ridges, np.sqrt(equations.counts)
        #: What serves other columns too, by penalty.
        self._factored: dict[float, Any] = {} if factored is None else factored
        self._gathered: tuple[Any, np.ndarray] = (None, self.roots)
        self.total, self.Theta = equations.total, Theta
        self._gain = free / (ridges[0] - free)
        self._shared = None if Theta is None else self.X.dot(Theta.T).astype(np.float64, copy=False)

    def project(self, Z: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """PZ, in its place."""
        S = self._of(columns)
        Z -= S * (np.einsum("ij,ij->j", S, Z) / self.total[columns])
        return Z

    def dot(self, Z: np.ndarray, columns: np.ndarray) -> np.ndarray:
        S = self._of(columns)
        U = S * Z
        out = self.X.outer_dot(U).astype(np.float64, copy=False)
        if self._shared is not None:
            out += self._gain * (self._shared @ (self._shared.T @ U))
        out *= S
        out -= np.multiply(S, np.einsum("ij,ij->j", S, out) / self.total[columns], out=U)
        out += np.multiply(self.ridges[columns], Z, out=U)
        return out

    def _of(self, columns: np.ndarray) -> np.ndarray:
        """The roots of these columns, gathered when they are others than the last time."""
        if self._gathered[0] is not columns:
            whole = len(columns) == self.roots.shape[1]
            self._gathered = columns, self.roots if whole else self.roots[:, columns]
        return self._gathered[1]

    def solve(self, Y: np.ndarray, tol: float) -> np.ndarray:
        """The coefficients, for targets of the rows."""
        F = self.project(self.roots * Y, np.arange(self.roots.shape[1]))
        Z = solve(self.dot, F, np.zeros_like(F), self._precondition(tol), tol)
        W = self.X.tdot(self.roots * Z).astype(np.float64, copy=False)
        if self.Theta is not None:
            W = W + self._gain * (self.Theta.T @ (self.Theta @ W))
        return W

    def _precondition(self, tol: float) -> ColumnOperator | None:
        """The inverse for all rows, where iterations without it would cost more."""
        ridge = float(np.exp(np.mean(np.log(self.ridges))))
        if ridge not in self._factored:
            self._factored[ridge] = self._factor(ridge, tol)
        inverse = self._factored[ridge]
        if inverse is None:
            return None

        # (SKS + b)⁻¹ = S⁻¹(K + b/c)⁻¹S⁻¹ over the rows that a column knows
        back = np.divide(1.0, self.roots, out=np.zeros_like(self.roots), where=self.roots > 0)

        def apply(R: np.ndarray, columns: np.ndarray) -> np.ndarray:
            S = back[:, columns]
            return self.project(S * inverse.solve(S * R), columns)

        return apply

    def _factor(self, ridge: float, tol: float) -> Cholesky | None:
        size, q, n = cost.Size.of(self.X), len(self.ridges), len(self.roots)
        with_it = 2 * n * n * q / cost.NARROW_PRODUCT + size.products(2 * q)
        dearer = size.gram + size.cholesky + PRECONDITIONED * with_it
        if size.small > cost.DIRECT_LIMIT or dearer > MAX_PRODUCTS * size.products(2 * q):
            return None
        leading = nystrom.leading_eigenvalues(self.X.outer_dot, n)
        if dearer > nystrom.expected_iterations(leading, ridge, tol) * size.products(2 * q):
            return None
        counts = self.roots[self.roots > 0] ** 2
        K = self.X.outer()
        K.flat[:: n + 1] += ridge * float(np.mean(1.0 / counts)) * n * q / len(counts)
        try:
            return Cholesky.of(K)
        except np.linalg.LinAlgError:  # a ridge too small to tell
            return None


def solve(
    A: ColumnOperator,
    F: np.ndarray,
    start: np.ndarray,
    precondition: ColumnOperator | None,
    tol: float,
) -> np.ndarray:
    """Columns V with AV = F, from a start.

    Residuals are measured as the preconditioner does, in which errors are about as large.
    """
    V, columns = start.astype(np.float64).copy(), np.arange(F.shape[1])
    precondition = precondition or (lambda R, columns: R)
    R = F - A(V, columns)
    Z = precondition(R, columns)
    size = _products(R, Z)
    enough = tol**2 * np.maximum(_products(F, precondition(F, columns)), np.finfo(float).tiny)
    P, found = Z.copy(), V.copy()
    spare = np.empty_like(P)
    for _ in range(MAX_PRODUCTS):
        going = size > enough[columns]
        if not going.any():
            break
        if np.count_nonzero(going) < NARROW * len(going):
            V[:, columns], columns = found, columns[going]
            found, R, P = found[:, going], R[:, going], P[:, going]
            size, going = size[going], going[going]
            spare = np.empty_like(P)
        AP = A(P, columns)
        # what is solved for stands still until others are as well
        step = np.divide(size, _products(P, AP), out=np.zeros_like(size), where=going)
        found += np.multiply(step, P, out=spare)
        R -= np.multiply(step, AP, out=spare)
        Z = precondition(R, columns)
        last, size = size, _products(R, Z)
        P *= np.divide(size, last, out=np.zeros_like(size), where=going)
        P += Z
    V[:, columns] = found
    left = np.sqrt(np.max(size / enough[columns], initial=0.0))
    if left > 1.0:
        warnings.warn(
            "labels whose entries count differently: conjugate gradients stopped after "
            f"{MAX_PRODUCTS} products at {left:.1g} times the residual of {tol:g} that was asked "
            "for; a larger penalty, or scaled features, make them converge",
            ConvergenceWarning,
            stacklevel=2,
        )
    return V


def _products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", A, B)
