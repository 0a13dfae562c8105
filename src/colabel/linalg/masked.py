"""Least squares in which each column has rows of its own.

    min Σ_i c_iℓ (y_iℓ − b_ℓ − x_iᵀu_ℓ)² + penalty(u_ℓ)   over u_ℓ and b_ℓ, for each column ℓ

c_iℓ is what entry (i, ℓ) counts, 0 where it is unknown. The equations of all columns are one
product with X and one with Xᵀ, with a mask a column between them, and are solved by conjugate
gradients, each column until it is as accurate as asked.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from colabel.linalg.matrix import DataMatrix

#: Of columns (d×k) and their numbers.
ColumnOperator: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
MAX_PRODUCTS = 1000


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
    P = Z.copy()
    for _ in range(MAX_PRODUCTS):
        going = size > enough[columns]
        if not going.any():
            break
        if not going.all():
            columns, size = columns[going], size[going]
            R, P = R[:, going], P[:, going]
        AP = A(P, columns)
        step = size / _products(P, AP)
        V[:, columns] += step * P
        R = R - step * AP
        Z = precondition(R, columns)
        last, size = size, _products(R, Z)
        P = Z + (size / last) * P
    return V


def _products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", A, B)
