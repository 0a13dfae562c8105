"""Alternating elastic nets and Procrustes: the problem of MtSDA.

    min (1/n)‖YΘ − X̃B‖² + λ₂ tr(BᵀΩB) + λ₁‖B‖₁   over B and Θ with (YΘ)ᵀ(YΘ)/n = I

With Q = YM an orthonormal basis of the range of Y, every admissible Θ is √n MR with RᵀR = I. So the
scores for given B are a Procrustes problem in R: the polar factor of QᵀX̃B. It is solved in the
range of Y, where the constraint holds and the objective never rises, also for collinear labels.
(Han et al. 2010 take the polar factor of X̃B and pull it back by Y⁺, which leaves that range.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from colabel.classifiers.mtsda.elastic_net import elastic_net
from colabel.classifiers.mtsda.penalty import Penalty
from colabel.classifiers.mtsda.predictors import Predictors

#: How much of the last R decides where QᵀX̃B leaves the polar factor open (targets that no feature
#: predicts): enough to outweigh rounding, too little to change anything else.
INERTIA = 1e-13
#: Rows decoded at a time, and the margin of labels without which a set would be as close.
ROWS, TIE = 512, float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class LabelRange:
    """An orthonormal basis Q = YM of the range of Y, n×r, and M, q×r."""

    Q: np.ndarray
    M: np.ndarray

    @classmethod
    def of(cls, Y: np.ndarray) -> LabelRange:
        """Through YᵀY, twice: the second time makes up for the digits that squaring Y costs."""
        if not Y.shape[1]:
            return cls(np.empty((Y.shape[0], 0)), np.empty((0, 0)))
        G = Y.T @ Y
        lam, V = linalg.eigh(G.toarray() if hasattr(G, "toarray") else G)
        kept = lam > len(lam) * np.finfo(np.float64).eps * lam.max(initial=0.0)
        M = V[:, kept] / np.sqrt(lam[kept])
        Q = Y @ M
        lam, V = linalg.eigh(Q.T @ Q)
        again = (V / np.sqrt(lam)) @ V.T
        return cls(Q @ again, M @ again)

    @property
    def rank(self) -> int:
        return self.Q.shape[1]

    def targets(self, R: np.ndarray) -> np.ndarray:
        """YΘ."""
        return np.sqrt(len(self.Q)) * self.Q @ R

    def scores(self, R: np.ndarray) -> np.ndarray:
        """Θ."""
        return np.sqrt(len(self.Q)) * self.M @ R

    def coordinates(self, targets: np.ndarray) -> np.ndarray:
        """The R whose YΘ is closest to the given n×k targets."""
        return _polar(self.Q.T @ targets)

    def find_leading(self, X: Predictors, k: int) -> np.ndarray:
        """R of the k combinations of labels that vary most with the features.

        They are the eigenvectors of QᵀX̃X̃ᵀQ. Whatever the start, the objectives reached on text
        were equal to three or four digits, but from here in the fewest rounds. Of one-hot labels
        the constant combination, which no feature predicts, comes last.
        """
        F = X.tdot(self.Q)
        _, V = linalg.eigh(F.T @ F)
        return V[:, ::-1][:, :k]

    def l1_max(self, X: Predictors) -> float:
        """The λ₁ from which on B = 0 is optimal, whatever Θ."""
        n = len(self.Q)
        return 2 * float(np.linalg.norm(X.tdot(self.Q), axis=1).max(initial=0.0)) / np.sqrt(n)


@dataclass(frozen=True)
class State:
    """Where the alternation stands, until the next round."""

    #: Optimal for the scores, up to `residual`.
    B: np.ndarray
    R: np.ndarray
    objective: float
    #: How far B is from optimal, as a share of the largest gradient at B = 0.
    residual: float


def settle(state: State, X: Predictors, labels: LabelRange) -> State:
    """The same with its columns in order of what they explain, largest coefficients positive."""
    explained = np.einsum("ij,ij->j", state.R, labels.Q.T @ X.dot(state.B))
    order = np.argsort(-explained, kind="stable")
    B, R = state.B[:, order], state.R[:, order]
    signs = np.where(B.max(axis=0, initial=0.0) < -B.min(axis=0, initial=0.0), -1.0, 1.0)
    B *= signs
    B += 0.0  # no negative zeros
    return replace(state, B=B, R=R * signs)


def rounds(
    X: Predictors,
    labels: LabelRange,
    penalty: Penalty,
    R: np.ndarray,
    B: np.ndarray | None = None,
    *,
    tol: float,
) -> Iterator[State]:
    """State after state, without end: the first has the elastic nets of R, the others follow.

    The objective never rises. B is the start, where there is a good one; it is overwritten.
    """
    while True:
        T = labels.targets(R)
        B, residual = elastic_net(X, T, penalty, B, tol=tol)
        fitted = X.dot(B)
        objective = float(np.sum((T - fitted) ** 2)) / len(T) + penalty(B)
        yield State(B, R, objective, residual)
        M = labels.Q.T @ fitted
        R = _polar(M + INERTIA * (np.linalg.norm(M) or 1.0) * R)


def run_until_settled(states: Iterable[State], tol: float) -> tuple[State, np.ndarray]:
    """The state after which a round lowers the objective by no more than the share `tol`.

    Or the last one; and the objectives up to it.
    """
    objective: list[float] = []
    for state in states:
        objective.append(state.objective)
        if last_fall(objective) <= tol:
            break
    return state, np.array(objective)


def last_fall(objective: Sequence[float] | np.ndarray) -> float:
    """The share by which the last round lowered the objective; infinite for the first."""
    if len(objective) < 2:
        return np.inf
    return float(objective[-2] - objective[-1]) / max(float(objective[-2]), np.finfo(float).tiny)


def _polar(M: np.ndarray) -> np.ndarray:
    """The matrix with orthonormal columns that is closest to M."""
    U, _, Vt = linalg.svd(M, full_matrices=False, check_finite=False)
    return U @ Vt


def label_margins(Z: np.ndarray, Theta: np.ndarray) -> np.ndarray:
    """How much closer yΘ can come to z with a label than without it, n×q, z the rows of Z.

    Min ‖yΘ − z‖² over y in {0, 1}^q with y_j = 0, less that with y_j = 1. They are positive for the
    labels of the closest y, and negative for the others, also where several are as close. All 2^q
    are tried, in two halves: ‖uΘ₁ + vΘ₂ − z‖² is a term for u and z, a term for v and z, and
    2uΘ₁Θ₂ᵀvᵀ, so that a set costs an addition for each row.
    """
    q = len(Theta)
    halves = Theta[: q - q // 2], Theta[q - q // 2 :]
    sets = [_subsets(len(half)) for half in halves]
    first, second = (subset @ half for subset, half in zip(sets, halves, strict=True))
    margins = np.empty((len(Z), q))
    for start in range(0, len(Z), ROWS):
        rows = slice(start, start + ROWS)
        own, other = (np.sum(P**2, axis=1) - 2 * Z[rows] @ P.T for P in (first, second))
        best_first, chosen = np.full(own.shape, np.inf), np.empty(other.shape, dtype=int)
        for j, joint in enumerate(2 * second @ first.T):
            costs = own + joint
            costs += other[:, j, None]
            np.minimum(best_first, costs, out=best_first)
            chosen[:, j] = costs.argmin(axis=1)
            other[:, j] = np.take_along_axis(costs, chosen[:, j, None], axis=1)[:, 0]
        best = zip((best_first, other), sets, strict=True)
        size = np.hstack([_without_less_with(costs, subset) for costs, subset in best])
        j = other.argmin(axis=1)
        closest = np.hstack([sets[0][chosen[np.arange(len(j)), j]], sets[1][j]])
        margins[rows] = (2 * closest - 1) * np.maximum(np.abs(size), TIE)
    return margins


def _subsets(q: int) -> np.ndarray:
    """All rows of {0, 1}^q."""
    return (np.arange(2**q)[:, None] >> np.arange(q)) & 1


def _without_less_with(costs: np.ndarray, subset: np.ndarray) -> np.ndarray:
    """For each label, the least cost of the sets without it less that of the sets with it."""
    found = np.empty((len(costs), subset.shape[1]))
    for label, has in enumerate(subset.T.astype(bool)):
        found[:, label] = costs[:, ~has].min(axis=1) - costs[:, has].min(axis=1)
    return found
