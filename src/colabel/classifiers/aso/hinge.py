"""Many linear classifiers at once, each with a penalised part and a free one.

    min (1/n) Σ_i φ(s_i f_i) + α‖w‖²,    f = X̄w + Zv,    over w and v, for each column of signs s

Every φ here is a maximum over a dual variable t: φ(m) = max t(1 − m) − width/2·t² on an interval.
The hinge has [0, 1] and width 0, the squared hinge [0, ∞) and ½, least squares the whole line and
½. With a positive width φ is smooth and Newton's method applies. The hinge gets one by the method
of multipliers: −width/2·(t − t₀)² is put in, and t₀ moves to the t that is found until that changes
nothing, so that the result is exact for any width.

v is eliminated from the Newton equations. What is left is at least 2α in every direction, however
many are free.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from colabel.linalg.matrix import DataMatrix
from colabel.linalg.newton import columnwise, conjugate_gradients, step_lengths
from colabel.linalg.products import BLOCK_BYTES

#: Where the method of multipliers starts, in units of the margin, and how it goes on.
FIRST_WIDTH, SHRINK, LEAST_WIDTH = 1.0, 0.5, 1e-6

#: A Newton direction leaves this share of the gradient, a move of t₀ this share of the gap.
FORCING = 0.1
MAX_PRODUCTS = 500

#: Keep free parts that no row holds from going far; they have the units of the scores.
DAMPING, LEAST_DAMPING = 1e-3, 1e-10


@dataclass(frozen=True)
class Loss:
    """φ(m) = max t(1 − m) − width/2·t² over low ≤ t ≤ high."""

    low: float
    high: float
    width: float

    @property
    def is_quadratic(self) -> bool:
        return bool(np.isinf(self.low))

    def value(self, slack: np.ndarray) -> np.ndarray:
        """The mean of φ over rows, for each column of slack = 1 − m."""
        positive = slack if self.is_quadratic else np.maximum(slack, 0.0)
        if self.width == 0:
            return positive.mean(axis=0)
        return columnwise(positive, positive) / len(slack)

    def gap(self, slack: np.ndarray, t: np.ndarray) -> np.ndarray:
        """How far dual variables t are from the maximum, in the mean over rows."""
        if self.width > 0:
            return np.zeros(slack.shape[1])
        return np.maximum(0.0, (np.maximum(slack, 0.0) - t * slack).mean(axis=0))

    def constant_score(self, share: np.ndarray) -> np.ndarray:
        """The best score without features, for the share of positive rows."""
        return np.where(share > 0.5, 1.0, -1.0) if self.width == 0 else 2.0 * share - 1.0


LOSSES = {
    "hinge": Loss(0.0, 1.0, 0.0),
    "squared_hinge": Loss(0.0, np.inf, 0.5),
    "least_squares": Loss(-np.inf, np.inf, 0.5),
}


@dataclass(frozen=True)
class Fit:
    """Weights W (d×k) and v (p×k), the scores of the rows and their dual variables (n×k)."""

    W: np.ndarray
    v: np.ndarray
    scores: np.ndarray
    duals: np.ndarray


class SeparateFits:
    """The problems of k columns, solved side by side, each until it is as accurate as asked.

    Parameters
    ----------
    X : DataMatrix
    Z : ndarray of shape (n, p)
        Columns are orthogonal with a mean square of 1, so that v has the units of the scores.
    signs : ndarray of shape (n, k)
    loss : Loss
    alpha : float
    target : ndarray of shape (k,)
        How far each objective may stay above its minimum.
    """

    def __init__(
        self,
        X: DataMatrix,
        Z: np.ndarray,
        signs: np.ndarray,
        loss: Loss,
        alpha: float,
        target: np.ndarray,
    ) -> None:
        self.X, self.Z, self.signs = X, Z, signs
        self.loss, self.alpha, self.target = loss, alpha, target
        self.floor = 10 * float(np.finfo(X.dtype).eps)

    def solve(
        self, W: np.ndarray, v: np.ndarray, duals: np.ndarray, max_iter: int
    ) -> tuple[Fit, bool]:
        """From a start, and whether all columns got to their targets.

        A column whose objective is no lower than at the start is left there.
        """
        self.W, self.v = W.copy(), v.copy()
        self.F = self._scores(W) + self.Z @ v
        start = Fit(W, v, self.F.copy(), duals)
        # The hinge has no curvature: it is smoothed around the dual variables of the last round,
        # where the smoothed optimum is the exact one once they are right (a proximal point method).
        self.centre = duals.copy() if self.loss.width == 0 else np.zeros_like(duals)
        self.width = np.full(len(self.target), self.loss.width or FIRST_WIDTH)
        self.stalled = np.zeros(len(self.target), dtype=bool)
        self.active = np.arange(len(self.target))
        for _ in range(max_iter):
            if not len(self.active):
                break
            self._improve()
        return self._no_worse_than(start), not len(self.active)

    def _scores(self, W: np.ndarray) -> np.ndarray:
        return self.X.dot(W).astype(np.float64, copy=False)

    def objective(self, fit: Fit) -> np.ndarray:
        """(1/n) Σ φ + α‖w‖² for each column."""
        penalty = self.alpha * columnwise(fit.W, fit.W)
        return self.loss.value(1.0 - self.signs * fit.scores) + penalty

    def _no_worse_than(self, start: Fit) -> Fit:
        end = Fit(self.W, self.v, self.F, self.centre)
        worse = ~(self.objective(end) < self.objective(start))
        for new, old in ((end.W, start.W), (end.v, start.v), (end.scores, start.scores)):
            new[:, worse] = old[:, worse]
        return end

    def _duals(self, slack: np.ndarray, columns: np.ndarray) -> np.ndarray:
        t = self.centre[:, columns] + slack / self.width[columns]
        return np.clip(t, self.loss.low, self.loss.high)

    def _improve(self) -> None:
        """Take the active columns one Newton step, or one change of t₀, further."""
        # One half of the error is for what Newton leaves, the other for the gap of the smoothing.
        columns, target = self.active, self.target[self.active] / 2
        W, v, signs = self.W[:, columns], self.v[:, columns], self.signs[:, columns]
        slack = 1.0 - signs * self.F[:, columns]
        t = self._duals(slack, columns)
        G = -signs * t / len(t)
        gw, gv = self.X.tdot(G) + 2 * self.alpha * W, self.Z.T @ G
        # ‖∇_w‖²/(4α) by strong convexity; to first order in v, which is taken to be of its own size
        left = columnwise(gw, gw) / (4 * self.alpha)
        left += _norms(gv) * np.maximum(1.0, _norms(v))
        gap = self.loss.gap(slack, t)
        # No closer than the smoothing itself is: what is gained there is lost when t₀ moves.
        solved = (left <= np.maximum(target, FORCING * gap)) | self.stalled[columns]
        if self.loss.width == 0:
            self.centre[:, columns[solved]] = t[:, solved]
            self.width[columns[solved]] *= SHRINK
            np.maximum(self.width, LEAST_WIDTH, out=self.width)
        self.stalled[columns] = False
        self.active = columns[~(solved & (gap <= target))]
        if not solved.all():
            rest = ~solved
            self._newton_step(columns[rest], t[:, rest], gw[:, rest], gv[:, rest])

    def _newton_step(
        self, columns: np.ndarray, t: np.ndarray, gw: np.ndarray, gv: np.ndarray
    ) -> None:
        # Rows whose dual variable is at a bound have a linear loss, and no curvature.
        free = (t > self.loss.low) & (t < self.loss.high)
        D = free / (len(t) * self.width[columns])
        solve_free = self._free_curvature(D, gv)

        def curvature(P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            AP = self._scores(P)
            # The free parts are few: they are eliminated, so that iterations are over W alone.
            eliminated = self.Z @ solve_free(self.Z.T @ (D * AP))
            return self.X.tdot(D * (AP - eliminated)) + 2 * self.alpha * P, AP

        R = self.X.tdot(D * (self.Z @ solve_free(gv))) - gw
        forcing = 0.0 if self.loss.is_quadratic else FORCING
        enough = np.maximum(forcing**2 * columnwise(R, R), self.alpha * self.target[columns])
        dW, AdW = conjugate_gradients(curvature, R, columnwise, enough, MAX_PRODUCTS)
        dv = -solve_free(gv + self.Z.T @ (D * AdW))
        self._move(columns, dW, dv, AdW + self.Z @ dv, columnwise(gw, dW) + columnwise(gv, dv))

    @cached_property
    def _squares(self) -> list[np.ndarray]:
        """Products of pairs of columns of Z, in blocks of rows; empty if they would fill memory."""
        return list(self._square_blocks()) if self.Z.shape[0] * _pairs(self.Z) < 2**24 else []

    def _square_blocks(self) -> Iterator[np.ndarray]:
        first, second = np.triu_indices(self.Z.shape[1])
        step = max(1, BLOCK_BYTES // (8 * len(first)))
        for start in range(0, len(self.Z), step):
            Z = self.Z[start : start + step]
            yield Z[:, first] * Z[:, second]

    def _free_curvature(self, D: np.ndarray, gv: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """A function that applies (Zᵀ diag(D) Z)⁻¹, column by column."""
        k, p = D.shape[1], self.Z.shape[1]
        sums, start = np.zeros((k, _pairs(self.Z))), 0
        for squares in self._squares or self._square_blocks():
            sums += D[start : start + len(squares)].T @ squares
            start += len(squares)
        H = np.empty((k, p, p))
        first, second = np.triu_indices(p)
        H[:, first, second] = H[:, second, first] = sums
        # Where few rows are free H is singular; the damping vanishes with the gradient.
        damping = DAMPING * _norms(gv) + LEAST_DAMPING
        inverse = np.linalg.inv(H + damping[:, None, None] * np.eye(p))
        return lambda B: np.matmul(inverse, B.T[:, :, None])[:, :, 0].T

    def _move(
        self,
        columns: np.ndarray,
        dW: np.ndarray,
        dv: np.ndarray,
        dF: np.ndarray,
        slopes: np.ndarray,
    ) -> None:
        """Go to the minimum along a direction, where rounding still lets the objective fall."""
        # Below this the line search would compare numbers that differ by rounding only.
        falls = -slopes > self.floor * self.target[columns] + np.finfo(np.float64).tiny
        self.stalled[columns[~falls]] = True
        columns, dW, dv, dF = columns[falls], dW[:, falls], dv[:, falls], dF[:, falls]
        W, signs = self.W[:, columns], self.signs[:, columns]
        slack, change = 1.0 - signs * self.F[:, columns], signs * dF
        along = 2 * self.alpha * columnwise(W, dW)
        squared = 2 * self.alpha * columnwise(dW, dW)

        def slopes_at(steps: np.ndarray, which: np.ndarray) -> np.ndarray:
            moved = change[:, which]
            t = self._duals(slack[:, which] - steps * moved, columns[which])
            return along[which] + steps * squared[which] - columnwise(moved, t) / len(t)

        steps = step_lengths(slopes_at, slopes[falls])
        self.W[:, columns] += steps * dW
        self.v[:, columns] += steps * dv
        self.F[:, columns] += steps * dF


def _norms(A: np.ndarray) -> np.ndarray:
    return np.sqrt(columnwise(A, A))


def _pairs(Z: np.ndarray) -> int:
    return Z.shape[1] * (Z.shape[1] + 1) // 2
