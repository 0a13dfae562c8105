"""Many linear classifiers at once, each with a penalised part and a free one.

    min Σ_i p_i φ(s_i f_i) + α‖w‖²,    f = X̄w + Zv,    over w and v, for each column of signs s

p_i is what row i counts as a share of all, 1/n for each unless rows are weighted.

Every φ here is a maximum over a dual variable t: φ(m) = max t(1 − m) − width/2·t² on an interval.
The hinge has [0, 1] and width 0, the squared hinge [0, ∞) and ½, least squares the whole line and
½. With a positive width φ is smooth and Newton's method applies. The hinge gets one by the method
of multipliers: −width/2·(t − t₀)² is put in, and t₀ moves to the t that is found until that changes
nothing, so that the result is exact for any width.

v is eliminated from the Newton equations. What is left is at least 2α in every direction, however
many are free. Before each such step v goes by itself to where the present w lets it be, because
that costs no product with X, and with many free parts is most of the way.
"""

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, Protocol, Self

import numpy as np

from colabel.linalg.newton import columnwise, conjugate_gradients, step_lengths
from colabel.linalg.products import even_cuts, in_threads, thread_count

#: Where the method of multipliers starts, in units of the margin, and how it goes on.
FIRST_WIDTH, SHRINK, LEAST_WIDTH = 1.0, 0.5, 1e-6

#: A Newton direction leaves this share of the gradient, a move of t₀ this share of the gap.
FORCING = 0.1
MAX_PRODUCTS = 500

#: The most steps of the free parts by themselves, and what they leave of what may be left.
FREE_STEPS, SETTLED = 100, 0.25
#: Multiplications of such a step from which on it is compiled.
COMPILED_FROM = 500_000

#: Keep free parts that no row holds from going far; they have the units of the scores.
DAMPING, LEAST_DAMPING = 1e-3, 1e-10


class Rows(Protocol):
    """What is asked of X̄."""

    @property
    def dtype(self) -> Any: ...

    def dot(self, V: np.ndarray) -> np.ndarray: ...

    def tdot(self, U: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Loss:
    """φ(m) = max t(1 − m) − width/2·t² over low ≤ t ≤ high."""

    low: float
    high: float
    width: float

    @property
    def is_quadratic(self) -> bool:
        return bool(np.isinf(self.low))

    def value(self, slack: np.ndarray, share: np.ndarray) -> np.ndarray:
        """The mean of φ over rows by their shares, for each column of slack = 1 − m."""
        positive = slack if self.is_quadratic else np.maximum(slack, 0.0)
        return (share * (positive if self.width == 0 else positive**2)).sum(axis=0)

    def gap(self, slack: np.ndarray, t: np.ndarray, share: np.ndarray) -> np.ndarray:
        """How far dual variables t are from the maximum, in the mean over rows."""
        if self.width > 0:
            return np.zeros(slack.shape[1])
        return np.maximum(0.0, (share * (np.maximum(slack, 0.0) - t * slack)).sum(axis=0))

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


@dataclass(frozen=True)
class Point:
    """Where some columns stand: dual variables, gradients over the scores and v, what is left.

    `left` is how far v may be from its best, and `gap` what the smoothing adds to that.
    """

    columns: np.ndarray
    t: np.ndarray
    G: np.ndarray
    gv: np.ndarray
    left: np.ndarray
    gap: np.ndarray

    def of(self, chosen: np.ndarray) -> Self:
        """The same for some of the columns."""
        return type(self)(*(getattr(self, part.name)[..., chosen] for part in fields(self)))


class SeparateFits:
    """The problems of k columns, solved side by side, each until it is as accurate as asked.

    Parameters
    ----------
    X : Rows
    Z : ndarray of shape (n, p)
        Columns are orthogonal with a mean square of 1, so that v has the units of the scores.
    signs : ndarray of shape (n, k)
    loss : Loss
    alpha : float
    target : ndarray of shape (k,)
        How far each objective may stay above its minimum.
    share : ndarray of shape (n, k) or (n, 1), or None
        What rows count, as shares of all in each column; None where all count the same.
    """

    def __init__(
        self,
        X: Rows,
        Z: np.ndarray,
        signs: np.ndarray,
        loss: Loss,
        alpha: float,
        target: np.ndarray,
        share: np.ndarray | None = None,
    ) -> None:
        self.X, self.Z, self.signs = X, Z, signs
        self._is_uniform = share is None
        self.share = np.full((len(signs), 1), 1.0 / len(signs)) if share is None else share
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
            if not self.loss.is_quadratic:  # a parabola has its minimum in w and v in one step
                self.settle()
            self._improve()
        return self._no_worse_than(start), not len(self.active)

    def _scores(self, W: np.ndarray) -> np.ndarray:
        return self.X.dot(W).astype(np.float64, copy=False)

    def objective(self, fit: Fit) -> np.ndarray:
        """(1/n) Σ φ + α‖w‖² for each column."""
        penalty = self.alpha * columnwise(fit.W, fit.W)
        return self.loss.value(1.0 - self.signs * fit.scores, self.share) + penalty

    def _shares(self, columns: np.ndarray) -> np.ndarray:
        return self.share if self.share.shape[1] == 1 else self.share[:, columns]

    def _no_worse_than(self, start: Fit) -> Fit:
        end = Fit(self.W, self.v, self.F, self.centre)
        worse = ~(self.objective(end) < self.objective(start))
        for new, old in ((end.W, start.W), (end.v, start.v), (end.scores, start.scores)):
            new[:, worse] = old[:, worse]
        return end

    def _duals(self, slack: np.ndarray, columns: np.ndarray) -> np.ndarray:
        t = self.centre[:, columns] + slack / self.width[columns]
        return np.clip(t, self.loss.low, self.loss.high)

    def _point(self, columns: np.ndarray) -> Point:
        signs, share = self.signs[:, columns], self._shares(columns)
        slack = 1.0 - signs * self.F[:, columns]
        t = self._duals(slack, columns)
        G = -signs * t * share
        gv = self.Z.T @ G
        # to first order, v being taken to be of its own size
        left = _norms(gv) * np.maximum(1.0, _norms(self.v[:, columns]))
        return Point(columns, t, G, gv, left, self.loss.gap(slack, t, share))

    def settle(self) -> None:
        """Take Newton steps over v alone, until it waits for w.

        They cost no product with X. Where few rows are free, v has directions without curvature,
        and each step frees a row or two: there are many of them.
        """
        columns = self.active
        fast = compiled(self.Z.size * len(columns)) if self._is_uniform else None
        if fast is not None:
            return self._settle_compiled(fast, columns)
        for _ in range(FREE_STEPS):
            near = self._point(columns)
            enough = np.maximum(self.target[columns], FORCING * near.gap)
            near = near.of(near.left > SETTLED * enough)
            if not len(near.columns):
                break
            _, inverse = self._free_curvature(near)
            dv = -_apply(inverse, near.gv)
            dF = self.Z @ dv
            steps = self._steps(near.columns, dF, columnwise(near.gv, dv))
            self.v[:, near.columns] += steps * dv
            self.F[:, near.columns] += steps * dF
            columns = near.columns[steps > 0]

    def _settle_compiled(self, fast: Any, columns: np.ndarray) -> None:
        """The same, with a contiguous row for each column."""
        parts = (self.signs, self.F, self.centre, self.v)
        signs, F, centre, v = (np.ascontiguousarray(part[:, columns].T) for part in parts)
        limits = np.column_stack([SETTLED * self.target[columns], self._rounding(columns)])
        forcing = SETTLED * FORCING if self.loss.width == 0 else 0.0  # as only the hinge has a gap
        rules, bounds = (forcing, DAMPING, LEAST_DAMPING), (self.loss.low, self.loss.high)
        arrays = self.Z, self._gram, signs, F, centre, v, self.width[columns], limits
        in_threads(
            lambda start, stop: fast.settle(*arrays, rules, bounds, FREE_STEPS, start, stop),
            even_cuts(len(columns), thread_count()),
        )
        self.F[:, columns], self.v[:, columns] = F.T, v.T

    def _improve(self) -> None:
        """Take the active columns one Newton step, or one change of t₀, further."""
        # One half of the error is for what Newton leaves, the other for the gap of the smoothing.
        columns, target = self.active, self.target[self.active] / 2
        near = self._point(columns)
        D, inverse = self._free_curvature(near)
        dv = -_apply(inverse, near.gv)
        R = -self.X.tdot(near.G + D * (self.Z @ dv)) - 2 * self.alpha * self.W[:, columns]
        # by strong convexity in w, with v where it goes then
        left = near.left + columnwise(R, R) / (4 * self.alpha)
        # No closer than the smoothing itself is: what is gained there is lost when t₀ moves.
        solved = (left <= np.maximum(target, FORCING * near.gap)) | self.stalled[columns]
        if self.loss.width == 0:
            self.centre[:, columns[solved]] = near.t[:, solved]
            self.width[columns[solved]] *= SHRINK
            np.maximum(self.width, LEAST_WIDTH, out=self.width)
        self.stalled[columns] = False
        self.active = columns[~(solved & (near.gap <= target))]
        if not solved.all():
            rest = ~solved
            self._newton_step(near.of(rest), D[:, rest], inverse[rest], dv[:, rest], R[:, rest])

    def _newton_step(
        self, near: Point, D: np.ndarray, inverse: np.ndarray, dv: np.ndarray, R: np.ndarray
    ) -> None:
        columns = near.columns

        def curvature(P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            AP = self._scores(P)
            # The free parts are few: they are eliminated, so that iterations are over W alone.
            eliminated = self.Z @ _apply(inverse, self.Z.T @ (D * AP))
            return self.X.tdot(D * (AP - eliminated)) + 2 * self.alpha * P, AP

        forcing = 0.0 if self.loss.is_quadratic else FORCING
        enough = np.maximum(forcing**2 * columnwise(R, R), self.alpha * self.target[columns])
        dW, AdW = conjugate_gradients(curvature, R, columnwise, enough, MAX_PRODUCTS)
        slopes = columnwise(near.gv, dv) - columnwise(R, dW)
        dv = dv - _apply(inverse, self.Z.T @ (D * AdW))
        dF = AdW + self.Z @ dv
        along = 2 * self.alpha * columnwise(self.W[:, columns], dW)
        steps = self._steps(columns, dF, slopes, along, 2 * self.alpha * columnwise(dW, dW))
        self.stalled[columns] = steps == 0
        self.W[:, columns] += steps * dW
        self.v[:, columns] += steps * dv
        self.F[:, columns] += steps * dF

    @cached_property
    def _gram(self) -> np.ndarray:
        return self.Z.T @ self.Z

    def _free_curvature(self, near: Point) -> tuple[np.ndarray, np.ndarray]:
        """The curvature D of the rows (n×k), and (ZᵀDZ)⁻¹ for each column."""
        # Rows whose dual variable is at a bound have a linear loss, and no curvature.
        free = (near.t > self.loss.low) & (near.t < self.loss.high)
        D = free * (self._shares(near.columns) / self.width[near.columns])
        if self._is_uniform:
            weight = 1.0 / (len(free) * self.width[near.columns])
            H = weight[:, None, None] * np.stack([self._gram_of(rows) for rows in free.T])
        else:
            H = np.stack([(self.Z * weights[:, None]).T @ self.Z for weights in D.T])
        # Where few rows are free H is singular; the damping vanishes with the gradient.
        damping = DAMPING * _norms(near.gv) + LEAST_DAMPING
        return D, np.linalg.inv(H + damping[:, None, None] * np.eye(H.shape[1]))

    def _gram_of(self, chosen: np.ndarray) -> np.ndarray:
        """ZᵀZ over the chosen rows: from these or, if they are more, from all less the others."""
        few = 2 * np.count_nonzero(chosen) <= len(chosen)
        Z = self.Z[chosen if few else ~chosen]
        return Z.T @ Z if few else self._gram - Z.T @ Z

    def _rounding(self, columns: np.ndarray) -> np.ndarray:
        """Slopes below which a line search would compare numbers that differ by rounding only."""
        return self.floor * self.target[columns] + np.finfo(np.float64).tiny

    def _steps(
        self,
        columns: np.ndarray,
        dF: np.ndarray,
        slopes: np.ndarray,
        along: np.ndarray | float = 0.0,
        squared: np.ndarray | float = 0.0,
    ) -> np.ndarray:
        """How far to go along a direction: to the minimum, or 0 where rounding hides it.

        `along` and `squared` are the first two derivatives of the penalty.
        """
        steps = np.zeros(len(columns))
        along, squared = steps + along, steps + squared
        falls = np.flatnonzero(-slopes > self._rounding(columns))
        signs, share = self.signs[:, columns], self._shares(columns)
        slack, change = 1.0 - signs * self.F[:, columns], signs * dF
        counted = share * change

        def slopes_at(steps: np.ndarray, which: np.ndarray) -> np.ndarray:
            which = falls[which]
            t = self._duals(slack[:, which] - steps * change[:, which], columns[which])
            return along[which] + steps * squared[which] - columnwise(counted[:, which], t)

        steps[falls] = step_lengths(slopes_at, slopes[falls])
        return steps


@cache
def _compiled() -> Any:
    """The compiled steps, or None without a numba that works here."""
    try:
        from colabel.classifiers.aso import compiled_hinge
    except (ImportError, RuntimeError):
        return None
    return compiled_hinge


def compiled(work: float) -> Any:
    """The compiled steps if they pay for so many multiplications in each, else None."""
    return _compiled() if work >= COMPILED_FROM else None


def _apply(matrices: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A matrix to each column."""
    return np.matmul(matrices, B.T[:, :, None])[:, :, 0].T


def _norms(A: np.ndarray) -> np.ndarray:
    return np.sqrt(columnwise(A, A))
