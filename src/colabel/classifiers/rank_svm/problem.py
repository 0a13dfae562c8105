"""Linear scores that rank relevant labels above irrelevant ones.

    min ½‖W‖² + Σ_i c_i Σ_{k ∈ Y_i, l ∉ Y_i} φ(F_ik − F_il)    over W and b,    F = X̄W + 1bᵀ

in the primal, by Newton's method: a product with the Hessian is one product with X̄, one with X̄ᵀ and
two cumulative sums. The squared hinge is smooth enough for that. The hinge is rounded over a width
that shrinks until the duality gap is small.
"""

from collections.abc import Iterator

import numpy as np
from scipy import linalg

from colabel.classifiers.rank_svm.loss import Pairs, Point, hinge, smoothed_hinge, squared_hinge
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.newton import conjugate_gradients, step_lengths, whole
from colabel.linalg.rank import rounding

#: The hinge is rounded so widely at first that at W = 0 every pair is in the rounded part.
FIRST_WIDTH, SHRINK, LEAST_WIDTH = 4.0, 0.25, 1e-9

#: A Newton direction leaves this share of the gradient; more accuracy is lost on the way.
FORCING = 0.3
MAX_PRODUCTS = 500

#: Keeps biases that no pair holds from going far, in units of the scores.
DAMPING = 1e-3


class RankingProblem:
    """The problem for given data, pairs of labels and a loss, and where its solution stands.

    Attributes
    ----------
    V : ndarray of shape (d + 1, q)
        [W; bᵀ]. Adding a constant to all scores of a row does not change the loss, so that every
        row of it sums to zero.
    F : ndarray of shape (n, q)
        The scores.
    objective : float
    error : float
        A bound of how far it is above the minimum, as a share of it.
    n_iter : int
        Newton steps taken.
    converged : bool
    """

    def __init__(
        self, X: DataMatrix, pairs: Pairs, loss: str, counts: np.ndarray | None = None
    ) -> None:
        self.X, self.pairs, self.loss = X, pairs, loss
        #: What each row counts.
        self.counts = np.ones(X.shape[0]) if counts is None else counts
        self.width = FIRST_WIDTH
        self.V = np.zeros((X.shape[1] + 1, pairs.relevant.shape[1]))
        self.F = np.zeros(pairs.relevant.shape)
        self.objective, self.error = np.inf, np.inf
        self.n_iter, self.converged = 0, False

    def steps(self, tol: float) -> Iterator[float]:
        """Newton steps until the objective is as accurate as asked, each after giving its error."""
        biases = separating_biases(self.pairs)
        if biases is not None:
            # the minimum is 0, of which no accuracy is a share
            self.V[-1] = biases
            self.F = np.tile(biases, (len(self.F), 1))
            self.objective, self.error, self.converged = 0.0, 0.0, True
            return
        rounding = 10 * float(np.finfo(self.X.dtype).eps)
        decrease = np.inf
        while True:
            point = self.point(self.F)
            g = self.gradient(point)
            self.objective, left, smoothing = self.errors(point, g)
            self.error = (left + smoothing) / self.objective if self.objective > 0 else 0.0
            enough = max(tol, rounding) * self.objective / 2
            stalled = decrease <= rounding * self.objective
            if stalled or left <= max(enough, FORCING * smoothing):
                self.converged = smoothing <= enough
                if self.converged or self.width < LEAST_WIDTH:
                    return
                self.width *= SHRINK
                decrease = np.inf
                continue
            yield self.error
            decrease = self.newton_step(point, g)
            self.n_iter += 1

    def scores(self, V: np.ndarray) -> np.ndarray:
        """X̄W + 1bᵀ, in float64 whatever the precision of X is."""
        return self.X.dot(V[:-1]).astype(np.float64, copy=False) + V[-1]

    def pulled_back(self, G: np.ndarray) -> np.ndarray:
        """[X̄ᵀG; 1ᵀG]."""
        return np.vstack([self.X.tdot(G), G.sum(axis=0)])

    def point(self, F: np.ndarray) -> Point:
        """The smooth loss at given scores."""
        if self.loss == "hinge":
            return smoothed_hinge(self.pairs, F, self.width)
        return squared_hinge(self.pairs, F)

    def gradient(self, point: Point) -> np.ndarray:
        """With respect to V, for the smooth loss at the present scores."""
        g = self.pulled_back(point.gradient)
        g[:-1] += self.V[:-1]
        return g

    def errors(self, point: Point, g: np.ndarray) -> tuple[float, float, float]:
        """The objective, what its smooth version can still lose, and what smoothing adds to that.

        The first is ½‖∇_W‖² by strong convexity, and to first order ‖∇_b‖ times the size of b. The
        second is Σ c(φ(m) − t(1 − m)) with t the dual variables that the smooth version gives:
        together they are the duality gap.
        """
        penalty = 0.5 * float(np.vdot(self.V[:-1], self.V[:-1]))
        biases = float(np.linalg.norm(g[-1])) * max(1.0, float(np.linalg.norm(self.V[-1])))
        left = 0.5 * float(np.vdot(g[:-1], g[:-1])) + biases
        if self.loss != "hinge":
            return penalty + point.value, left, 0.0
        value, _ = hinge(self.pairs, self.F)
        centred = self.F - self.F.mean(axis=1, keepdims=True)
        dual = np.vdot(point.gradient, centred) - point.gradient[self.pairs.relevant].sum()
        return penalty + value, left, max(0.0, value - float(dual))

    def combination(self, tol: float) -> np.ndarray | None:
        """α of W = X̄ᵀα, 1ᵀα = 0, with exact zeros for rows that no pair of labels is lost on.

        At the minimum it is minus the gradient by scores. What that makes of a point near to it
        becomes the solution where it is as good, to the accuracy asked for; else there is none.
        """
        alpha = -self.point(self.F).gradient
        counted = alpha.any(axis=1)
        if not counted.any():
            return None
        counts = self.counts[counted, None]
        alpha[counted] -= counts * (alpha[counted].sum(axis=0) / counts.sum())
        V = np.vstack([self.X.tdot(alpha).astype(np.float64, copy=False), self.V[-1]])
        F = self.scores(V)
        loss = hinge(self.pairs, F)[0] if self.loss == "hinge" else self.point(F).value
        objective = 0.5 * float(np.vdot(V[:-1], V[:-1])) + loss
        if not objective <= (1.0 + tol) * self.objective:
            return None
        self.V, self.F, self.objective = V, F, objective
        return alpha

    def newton_step(self, point: Point, g: np.ndarray) -> float:
        """Move to the minimum along a Newton direction; twice what a parabola would fall by."""
        damping = np.zeros((len(g), 1))
        damping[:-1] = 1.0
        damping[-1] = DAMPING * np.linalg.norm(g[-1])

        def curvature(P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            AP = self.scores(P)
            return self.pulled_back(point.curvature(AP)) + damping * P, AP

        enough = FORCING**2 * whole(g, g)
        D, AD = conjugate_gradients(curvature, -g, whole, enough, MAX_PRODUCTS)
        along, squared = np.vdot(self.V[:-1], D[:-1]), np.vdot(D[:-1], D[:-1])

        def slopes(steps: np.ndarray, which: np.ndarray) -> np.ndarray:
            loss = self.point(self.F + steps * AD).gradient
            return np.array([np.vdot(loss, AD)]) + along + steps * squared

        slope = whole(g, D)
        step = step_lengths(slopes, slope)
        self.V = self.V + step * D
        self.F = self.F + step * AD
        return -float(slope[0])


def regressed_threshold(
    F: np.ndarray,
    relevant: np.ndarray,
    weights: np.ndarray | None = None,
    unknown: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:
    """Coefficients a of the scores and an intercept, for the best cut of each row.

    A label that is unknown is on no side of the cut.

    The scores of a row sum to zero, so that the smallest of all least-squares solutions is meant.
    """
    seen = F if unknown is None else np.where(unknown, F.min(axis=1, keepdims=True) - 1.0, F)
    targets = best_thresholds(seen, relevant)
    mean, middle = np.average(F, axis=0, weights=weights), np.average(targets, weights=weights)
    root = np.sqrt(np.ones(len(F)) if weights is None else weights)
    U, s, Vt = linalg.svd(root[:, None] * (F - mean), full_matrices=False, check_finite=False)
    kept = s > rounding(np.float64, float(linalg.norm(root[:, None] * F)))
    a = Vt[kept].T @ ((U[:, kept].T @ (root * (targets - middle))) / s[kept])
    return a, float(middle - mean @ a)


def separating_biases(pairs: Pairs) -> np.ndarray | None:
    """Biases that alone rank all rows with a margin of 1, so that W = 0; None if there are none.

    Two rows of which each has a label that the other lacks want these two in opposite orders. So
    there are some only where label sets are nested: then a label's is how many sets it is in.
    """
    if pairs.unknown is not None:  # rows may leave open what others decide
        return None
    ranked = pairs.relevant[pairs.weights[:, 0] > 0]
    sizes = ranked.sum(axis=1)
    order = np.argsort(sizes)
    nested = ranked[order]
    if not np.all(nested[:-1] <= nested[1:]):
        return None
    _, distinct = np.unique(sizes[order], return_index=True)
    biases = nested[distinct].sum(axis=0, dtype=np.float64)
    return biases - biases.mean()


def best_thresholds(F: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """For each row of scores, where cutting them errs least: t with the fewest wrong labels.

    The middle between two neighbouring scores; of equally good cuts, the one whose number of labels
    is closest to the true number. Beyond the first score, or the last, half a margin further.
    """
    n, q = F.shape
    order = np.argsort(-F, axis=1, kind="stable")
    hits = np.zeros((n, q + 1))
    np.cumsum(np.take_along_axis(relevant, order, axis=1), axis=1, out=hits[:, 1:])
    chosen = np.arange(q + 1)
    true = hits[:, -1:]
    errors = (chosen - hits) + (true - hits)
    best = np.argmin(errors + np.abs(chosen - true) / (2 * q + 2), axis=1)[:, None]
    ranked = np.take_along_axis(F, order, axis=1)
    bounds = np.hstack([ranked[:, :1] + 1.0, ranked, ranked[:, -1:] - 1.0])
    above, below = (np.take_along_axis(bounds, best + i, axis=1)[:, 0] for i in (0, 1))
    return (above + below) / 2.0
