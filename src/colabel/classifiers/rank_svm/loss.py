"""How far scores rank irrelevant labels near or above relevant ones, in O(nq log q).

    ℓ(F) = Σ_i c_i Σ_{k ∈ Y_i, l ∉ Y_i} φ(F_ik − F_il),      c_i = C / (|Y_i| |Ȳ_i|)

Pairs that φ counts are those closer than a margin: with Z = F − margin·Y, the pairs Z_l > Z_k. They
are the edges of a bipartite graph on the labels of a row, and the squared hinge is the quadratic
form of its Laplacian, Σ (Z_l − Z_k)² = zᵀLz. So the gradient is 2Lz and the curvature 2L; in sorted
order, Lz takes two cumulative sums. Rows that have all labels or none have no pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


class ActivePairs:
    """The pairs (k relevant, l irrelevant) with F_k < F_l + margin, of every row.

    Attributes
    ----------
    Z : ndarray of shape (n, q)
        Scores, less the margin for relevant labels, less the mean of the row (L𝟏 = 0, and large
        common scores would cost digits).
    """

    def __init__(self, F: np.ndarray, relevant: np.ndarray, margin: float) -> None:
        Z = F - margin * relevant
        self.Z = Z - Z.mean(axis=1, keepdims=True)
        rows = np.arange(0, Z.size, max(Z.shape[1], 1))[:, None]
        # Places in the order come first: sums along it are then sums of whole vectors.
        self._order = np.ascontiguousarray((np.argsort(self.Z, axis=1) + rows).T)
        self._relevant = relevant.take(self._order)
        self._degrees = self._beyond(np.ones(self._order.shape))

    def _beyond(self, D: np.ndarray) -> np.ndarray:
        """In sorted order (q×n): D summed over the labels that each one is paired with.

        Those of a relevant label are the irrelevant ones after it, of an irrelevant one the
        relevant ones before.
        """
        before = self._relevant * D
        after = D - before
        for place in range(1, len(D)):
            before[place] += before[place - 1]
            after[-place - 1] += after[-place]
        return np.where(self._relevant, after, before)

    def _unsort(self, S: np.ndarray) -> np.ndarray:
        out = np.empty(self.Z.shape)
        out.ravel()[self._order] = S
        return out

    def laplacian(self, D: np.ndarray) -> np.ndarray:
        """LD, row by row."""
        sorted_D = D.take(self._order)
        return self._unsort(self._degrees * sorted_D - self._beyond(sorted_D))

    def signed_degrees(self) -> np.ndarray:
        """How many pairs each label is in; negative for relevant labels: the hinge's gradient."""
        return self._unsort(np.where(self._relevant, -self._degrees, self._degrees))


@dataclass(frozen=True)
class Pairs:
    """Which labels the rows have, and the weight of a row's pairs."""

    relevant: np.ndarray
    #: c_i; 0 where there are no pairs.
    weights: np.ndarray

    @classmethod
    def of(cls, Y: np.ndarray, C: float | np.ndarray) -> Pairs:
        """From labels (n×q, 0/1) and the cost C of a row, or of each (n×1)."""
        relevant = np.asarray(Y) > 0
        sizes = relevant.sum(axis=1, keepdims=True, dtype=np.float64)
        pairs = sizes * (relevant.shape[1] - sizes)
        weights = np.divide(C, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        return cls(relevant, weights)


@dataclass(frozen=True)
class Point:
    """A loss at some scores: its value, its gradient (n×q), its Hessian times a direction."""

    value: float
    gradient: np.ndarray
    curvature: Callable[[np.ndarray], np.ndarray]


def hinge(pairs: Pairs, F: np.ndarray, margin: float = 1.0) -> tuple[float, np.ndarray]:
    """Value and a subgradient for φ(m) = max(0, margin − m)."""
    active = ActivePairs(F, pairs.relevant, margin)
    gradient = pairs.weights * active.signed_degrees()
    return float(np.vdot(gradient, active.Z)), gradient


def squared_hinge(pairs: Pairs, F: np.ndarray, margin: float = 1.0) -> Point:
    """The loss for φ(m) = max(0, margin − m)²."""
    active = ActivePairs(F, pairs.relevant, margin)
    half = pairs.weights * active.laplacian(active.Z)

    def curvature(D: np.ndarray) -> np.ndarray:
        return 2.0 * pairs.weights * active.laplacian(D)

    return Point(float(np.vdot(half, active.Z)), 2.0 * half, curvature)


def smoothed_hinge(pairs: Pairs, F: np.ndarray, width: float) -> Point:
    """The hinge with its corner rounded over `width`, at most width/8 above it for each pair.

    Where |1 − m| < width/2, φ(m) = (1 − m + width/2)² / (2·width): the difference of two squared
    hinges, of the margins 1 ± width/2.
    """
    wide = squared_hinge(pairs, F, 1.0 + width / 2)
    narrow = squared_hinge(pairs, F, 1.0 - width / 2)
    scale = 1.0 / (2.0 * width)

    def curvature(D: np.ndarray) -> np.ndarray:
        return scale * (wide.curvature(D) - narrow.curvature(D))

    gradient = scale * (wide.gradient - narrow.gradient)
    return Point(scale * (wide.value - narrow.value), gradient, curvature)
