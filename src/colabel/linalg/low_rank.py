"""Matrices over instances, kept as diag(d) ± FFᵀ and never formed.

F = T·R: a label matrix T (n×q, sparse where the labels are) times a small root R. Algorithms use F
only through X̄ᵀF = (X̄ᵀT)R. As X̄ᵀ1 = 0, no T needs centring, and Ȳ = H(2Y − 1) may be given as 2Y.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg.weighted_labels import WeightedLabels


@dataclass(frozen=True)
class Similarity:
    """S = diag(d) ± (TR)(TR)ᵀ."""

    diag: float | np.ndarray = 0.0
    #: T. None: no low-rank part.
    labels: Any = None
    #: R, a vector standing for a diagonal matrix; None for the identity.
    root: np.ndarray | None = None
    sign: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.labels, WeightedLabels):  # as products with weighted rows see them
            object.__setattr__(self, "labels", self.labels.in_rows)

    @cached_property
    def is_low_rank(self) -> bool:
        """Whether S = FFᵀ."""
        return self.labels is not None and self.sign > 0 and not np.any(self.diag)

    @cached_property
    def is_isotropic(self) -> bool:
        """Whether S is a multiple of the identity."""
        return self.labels is None and np.ndim(self.diag) == 0

    @cached_property
    def rank(self) -> int:
        """The number of columns of F."""
        if self.labels is None:
            return 0
        if self.root is not None and self.root.ndim == 2:
            return self.root.shape[1]
        return int(self.labels.shape[1])

    def combine(self, Z: np.ndarray) -> Similarity:
        """The same diagonal with T(RZ) for F."""
        if self.root is None:
            return replace(self, root=Z)
        return replace(self, root=self.root @ Z if self.root.ndim == 2 else self.root[:, None] * Z)

    @property
    def factor_size(self) -> float:
        """What F = TR is rounded relative to: the size of its terms, which can cancel in F."""
        R = np.ones(self.labels.shape[1]) if self.root is None else self.root
        terms = R**2 if R.ndim == 1 else np.einsum("ij,ij->i", R, R)
        return float(np.sqrt(column_squares(self.labels) @ terms))

    @property
    def size(self) -> float:
        """A bound on the eigenvalues of S, which is positive semi-definite if the sign is −."""
        size = float(np.max(np.abs(self.diag)))
        return size + self.factor_size**2 if self.labels is not None and self.sign > 0 else size

    def times_root(self, M: np.ndarray) -> np.ndarray:
        """M·R, for M = X̄ᵀT or anything else with q columns."""
        if self.root is None:
            return M
        return M @ self.root if self.root.ndim == 2 else M * self.root

    def dot(self, V: np.ndarray) -> np.ndarray:
        """S·V."""
        result = V * np.reshape(self.diag, (-1, 1))
        if self.labels is None:
            return result
        inner = self.times_root((self.labels.T @ V).T)
        if self.root is not None:
            inner = inner @ self.root.T if self.root.ndim == 2 else inner * self.root
        return result + self.sign * np.asarray(self.labels @ inner.T)

    def rows(self) -> np.ndarray:
        """F = TR itself, n×k."""
        if sp.issparse(self.labels) and (self.root is None or self.root.ndim == 1):
            F = self.labels if self.root is None else self.labels.multiply(self.root)
            return F.toarray()
        return np.asarray(self.times_root(self.labels))

    def scale(self, factor: float) -> Similarity:
        """factor·S, for factor ≥ 0."""
        root = np.sqrt(factor) * (np.ones(self.rank) if self.root is None else self.root)
        return replace(self, diag=factor * self.diag, root=None if self.labels is None else root)


NOTHING = Similarity()
IDENTITY = Similarity(diag=1.0)


def joint_counts(T: Any) -> np.ndarray:
    """TᵀT, dense: it is q×q."""
    joint = T.T @ T
    return joint.toarray() if sp.issparse(joint) else joint


def column_squares(T: Any) -> np.ndarray:
    """The diagonal of TᵀT."""
    if isinstance(T, np.ndarray):
        return np.einsum("ij,ij->j", T, T)
    if sp.issparse(T):
        return totals(T.multiply(T))
    return np.diag(joint_counts(T))  # sums in the place of rows


def row_total(T: Any) -> float:
    """How many rows there are, or what they count together."""
    return float(getattr(T, "total", T.shape[0]))


def totals(M: Any, axis: int = 0) -> np.ndarray:
    """Sums over rows, or over columns, as a vector."""
    return np.asarray(M.sum(axis=axis), dtype=np.float64).ravel()
