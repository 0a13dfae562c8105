"""Weights for a given subspace as classifiers of their own, which see Θ in what they are given.

u = (I − ΘᵀΘ)u + ΘᵀΘu, of which the first part costs α + β and the second β. Without β the second
part is free: its features are given as columns that are not penalised. With it, rows are stretched
along Θ, so that one penalty on all weights is both: for D = I + (1/√p − 1)ΘᵀΘ with p = β/(α + β),
f = X̄u = (X̄D)w and (α + β)‖w‖² = α‖(I − ΘᵀΘ)u‖² + β‖u‖² where u = Dw.
"""

import numpy as np
from scipy import linalg

from colabel.linalg.matrix import DataMatrix


class FreeFeatures:
    """Z = [X̄L, 1] with orthogonal columns of mean square 1, the columns of L spanning Θ.

    Rows count as their weights say.

    Directions of Θ that the data do not have are left out: nothing depends on them.
    """

    def __init__(self, X: DataMatrix, Theta: np.ndarray, weights: np.ndarray | None = None) -> None:
        self.X, n = X, X.shape[0]
        # a row of Z is divided by the root that it is multiplied with, of its share of all
        root = np.sqrt(1.0 / n if weights is None else weights[:, None] / weights.sum())
        projected = root * X.dot(Theta.T).astype(np.float64, copy=False)
        left, s, right = linalg.svd(projected, full_matrices=False, check_finite=False)
        kept = s > max(X.shape) * np.finfo(X.dtype).eps * s.max(initial=0.0)
        self.Z = np.column_stack([left[:, kept] / root, np.ones(n)])
        self._scale = s[kept]
        self._right, self._Theta = right[kept], Theta

    def split(self, U: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """W and v of weights and intercepts."""
        inside = self._Theta @ U
        v = self._scale[:, None] * (self._right @ inside)
        return U - self._Theta.T @ inside, np.vstack([v, c])

    def join(self, W: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts of W and v."""
        inside = self._right.T @ (v[:-1] / self._scale[:, None])
        return W + self._Theta.T @ inside, v[-1]


class StretchedRows:
    """X̄(I + (s − 1)ΘᵀΘ), never formed."""

    def __init__(self, X: DataMatrix, Theta: np.ndarray, s: float) -> None:
        self._X, self._Theta, self._s = X, Theta, s
        self.dtype = X.dtype

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._X.dot(stretch(V, self._Theta, self._s))

    def tdot(self, U: np.ndarray) -> np.ndarray:
        return stretch(self._X.tdot(U), self._Theta, self._s)


def stretch(V: np.ndarray, Theta: np.ndarray, s: float) -> np.ndarray:
    """V with its part in the span of Θ times s."""
    return V + (s - 1.0) * (Theta.T @ (Theta @ V))


class PenalisedFeatures:
    """Rows for which one penalty is dear outside of Θ, and `share` of that inside; Z holds ones."""

    def __init__(self, X: DataMatrix, Theta: np.ndarray, share: float) -> None:
        self._Theta, self._s = Theta, 1.0 / np.sqrt(share)
        self.X = StretchedRows(X, Theta, self._s)
        self.Z = np.ones((X.shape[0], 1))

    def split(self, U: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """W and v of weights and intercepts."""
        return stretch(U, self._Theta, 1.0 / self._s), c[None]

    def join(self, W: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts of W and v."""
        return stretch(W, self._Theta, self._s), v[0]
