"""What coefficients cost in MtSDA: λ₂βᵀΩβ + λ₁‖β‖₁, Ω never inverted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from scipy.sparse.linalg import LinearOperator

#: Columns of an operator at a time, where some of its entries are asked for.
COLUMNS = 256
#: Directions in which an Ω that is no dense array is tried for its sign.
PROBES = 8


@dataclass(frozen=True)
class Omega:
    """A symmetric positive definite matrix: dense, sparse, or an operator that gives products.

    Some features of it are rows and columns of the whole.
    """

    matrix: Any
    features: np.ndarray | None = None

    @classmethod
    def of(cls, given: Any, p: int) -> Omega:
        """Read and check a matrix, a sparse one or an operator for p features."""
        if sp.issparse(given):
            found = cls(sp.csr_array(given, dtype=np.float64))
        elif isinstance(given, LinearOperator):
            found = cls(given)
        else:
            found = cls(np.asarray(given, dtype=np.float64))
        if tuple(found.matrix.shape) != (p, p):
            raise ValueError(
                f"omega has the shape {tuple(found.matrix.shape)}, and there are {p} features; "
                f"give a matrix or an operator of shape ({p}, {p})"
            )
        found._check()
        return found

    def _check(self) -> None:
        V = np.random.default_rng(0).normal(size=(self.matrix.shape[0], PROBES))
        product = self.dot(V)
        cross = V.T @ product
        scale = np.abs(cross).max()
        if not np.all(np.isfinite(cross)) or np.abs(cross - cross.T).max() > 1e-8 * scale:
            raise ValueError("omega is not a symmetric matrix of finite numbers; a penalty has one")
        definite = bool(np.all(np.diag(cross) > 0))
        if definite and self.is_dense:
            try:
                linalg.cholesky(self.matrix, lower=True, check_finite=False)
            except linalg.LinAlgError:
                definite = False
        if not definite:
            raise ValueError(
                "omega is not positive definite, and βᵀΩβ would be no penalty; add a multiple of "
                "the identity to it"
            )

    @property
    def is_dense(self) -> bool:
        """Whether its entries stand in an array, as large as those of a Gram of all features."""
        return isinstance(self.matrix, np.ndarray)

    def subset(self, features: np.ndarray) -> Omega:
        """Of some features, in the order of all."""
        if len(features) == self.matrix.shape[0]:
            return self
        if isinstance(self.matrix, LinearOperator):
            return replace(self, features=features)
        return Omega(self.matrix[features][:, features])

    def dot(self, B: np.ndarray) -> np.ndarray:
        """ΩB."""
        if self.features is None:
            return np.asarray(self.matrix @ B)
        whole = np.zeros((self.matrix.shape[0], B.shape[1]))
        whole[self.features] = B
        return np.asarray(self.matrix @ whole)[self.features]

    def block(self, W: np.ndarray) -> np.ndarray:
        """Ω_WW, dense."""
        if sp.issparse(self.matrix):
            return self.matrix[W][:, W].toarray()
        if self.is_dense:
            return self.matrix[np.ix_(W, W)]
        p = self.matrix.shape[0] if self.features is None else len(self.features)
        found = np.empty((len(W), len(W)))
        for start in range(0, len(W), COLUMNS):
            some = W[start : start + COLUMNS]
            unit = np.zeros((p, len(some)))
            unit[some, np.arange(len(some))] = 1.0
            found[:, start : start + COLUMNS] = self.dot(unit)[W]
        return (found + found.T) / 2


@dataclass(frozen=True)
class Penalty:
    """λ₂βᵀΩβ + λ₁‖β‖₁, Ω given or else (1 − ρ)I + ρ11ᵀ."""

    l1: float
    l2: float
    rho: float = 0.0
    omega: Omega | None = None

    def check(self, p: int) -> None:
        """Refuse ρ for which Ω is not positive definite."""
        lower = 1 / (1 - p) if p > 1 else -np.inf
        if not lower < self.rho < 1:
            raise ValueError(
                f"rho={self.rho:g} is not between 1/(1 − p) = {lower:.6g} and 1 (both excluded), "
                f"where the equicorrelation penalty of p={p} features is positive definite; "
                "rho=0 is the identity"
            )

    def of(self, features: np.ndarray) -> Penalty:
        """The penalty of some features."""
        return self if self.omega is None else replace(self, omega=self.omega.subset(features))

    def quadratic(self, B: np.ndarray) -> np.ndarray:
        """λ₂BᵀΩB, as small as B has columns."""
        return B.T @ self.half_gradient(B)

    def __call__(self, B: np.ndarray) -> float:
        """Its value, summed over the columns of B."""
        used = B[B != 0]
        if self.omega is None:
            squares = (1 - self.rho) * (used @ used) + self.rho * np.sum(B.sum(axis=0) ** 2)
        else:
            squares = np.sum(B * self.omega.dot(B))
        return float(self.l2 * squares + self.l1 * np.abs(used).sum())

    def half_gradient(self, B: np.ndarray) -> np.ndarray:
        """λ₂ΩB, the smooth part."""
        if self.omega is not None:
            return self.l2 * self.omega.dot(B)
        return self.l2 * ((1 - self.rho) * B + self.rho * B.sum(axis=0))

    def add_to(self, G: np.ndarray, W: np.ndarray | None = None) -> np.ndarray:
        """G + λ₂Ω_WW, in place; W are all features if not given."""
        if self.omega is not None:
            G += self.l2 * self.omega.block(np.arange(len(G)) if W is None else W)
            return G
        G += self.l2 * self.rho
        G.flat[:: len(G) + 1] += self.l2 * (1 - self.rho)
        return G
