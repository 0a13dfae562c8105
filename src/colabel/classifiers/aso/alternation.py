"""Alternating structure optimisation: weights for a given shared subspace, the subspace for them.

    min Σ_ℓ (1/n) Σ_i φ(s_iℓ (u_ℓᵀx̄_i + c_ℓ)) + α‖u_ℓ − Θᵀv_ℓ‖² + β‖u_ℓ‖²

over U, c, V and ΘΘᵀ = I. For a given Θ the columns are classifiers of their own, with a part in the
span of Θ that pays β alone (:mod:`~colabel.classifiers.aso.shared_part`). For given U, Θ holds the
leading left singular vectors, and α counts the squares of the other singular values. Both steps
lower the same objective, by ever less. So Θ is taken from weights that are extrapolated by their
last change, and a round which that makes worse is done again without.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import linalg

from colabel.classifiers.aso.hinge import Fit, Loss, SeparateFits
from colabel.classifiers.aso.shared_part import FreeFeatures, PenalisedFeatures
from colabel.linalg.matrix import DataMatrix

#: Columns are fitted to this share of what the last round gained.
ACCURACY = 0.25
#: The most Newton steps over all weights that a round takes.
NEWTON_STEPS = 200


def leading_directions(U: np.ndarray, r: int) -> tuple[np.ndarray, float]:
    """Θ (at most r×d) for weights U (d×k), and the sum of squares of what it leaves."""
    vectors, s, _ = linalg.svd(U, full_matrices=False, check_finite=False)
    rank = np.count_nonzero(s > max(U.shape) * np.finfo(np.float64).eps * s.max(initial=0.0))
    kept = min(r, int(rank))
    return vectors[:, :kept].T, float(np.sum(s[kept:] ** 2))


@dataclass(frozen=True)
class Weights:
    """Weights U (d×k) and intercepts c of the centred data; dual variables of the rows (n×k)."""

    U: np.ndarray
    c: np.ndarray
    duals: np.ndarray


class Alternation:
    """The rounds, and where they stand.

    Parameters
    ----------
    X : DataMatrix
    signs : ndarray of shape (n, k)
        ±1, both in every column.
    loss : Loss
    alpha, beta : float
    r : int
        The dimension of the subspace.
    Theta : ndarray of shape (at most r, d)
        The subspace to start with; without rows, the start is classifiers that share nothing.
    tol : float
        Converged when a round gains no more than this share of the objective without features.
    n_jobs : int or None
        Columns are divided among so many threads.
    counts : ndarray of shape (n,) or None
        What each row counts, if not the same.
    known : ndarray of shape (n, k) or None
        What each entry counts, 0 where it is unknown, if not as their rows.
    worth : ndarray of shape (k,) or None
        What each column counts, if not the same: it stands so many times.

    Attributes
    ----------
    weights : Weights
    Theta : ndarray
        The best subspace for them.
    objective : list of float
        After each round.
    change : float
        What the last round gained, as a share of the objective without features.
    converged : bool
    """

    def __init__(
        self,
        X: DataMatrix,
        signs: np.ndarray,
        loss: Loss,
        alpha: float,
        r: int,
        Theta: np.ndarray,
        *,
        tol: float,
        beta: float = 0.0,
        n_jobs: int | None = None,
        counts: np.ndarray | None = None,
        known: np.ndarray | None = None,
        worth: np.ndarray | None = None,
    ) -> None:
        self.X, self.signs, self.loss, self.alpha, self.r = X, signs, loss, alpha, r
        self.beta = beta
        self.tol, self.n_jobs, self.Theta, self.counts = tol, n_jobs, Theta, counts
        #: What each row counts as a share of all; None where all count the same.
        self.share = None if counts is None else (counts / counts.sum())[:, None]
        if known is not None:
            self.share = known / known.sum(axis=0)
        equal = np.full((len(signs), 1), 1.0 / len(signs))
        self._share = equal if self.share is None else self.share
        c = loss.constant_score((self._share * (signs > 0)).sum(axis=0))
        self.weights = Weights(np.zeros((X.shape[1], len(c))), c, np.zeros(signs.shape))
        self.scale = loss.value(1.0 - signs * c, self._share)
        self.worth = np.ones(len(c)) if worth is None else worth
        self._all = float(self.scale @ self.worth)
        self.objective: list[float] = []
        self.change, self.converged = 1.0, False

    def rounds(self) -> Iterator[float]:
        """Go on until converged, giving the objective after each round."""
        Theta, pace, momentum, previous = self.Theta, 1.0, 0.0, self._all
        while not self.converged:
            # Weights much closer than a round gains are thrown away by the next subspace.
            accuracy = max(self.change, self.tol)
            weights, loss, reached = self._weights_for(Theta, accuracy)
            counted = weights.U * np.sqrt(self.worth)
            best, left = leading_directions(counted, self.r)
            objective = loss + self.alpha * left + self.beta * float(np.sum(counted**2))
            # Extrapolation is a guess: where it raised the objective, the round is done again
            # without, so that what is yielded never rises.
            if momentum and objective > previous:
                Theta, pace, momentum = self.Theta, 1.0, 0.0
                continue
            self.change = (previous - objective) / self._all
            if self.change > self.tol:
                # Nesterov's sequence, begun anew after every round that gained little.
                faster = (1.0 + np.sqrt(1.0 + 4.0 * pace**2)) / 2.0
                pace, momentum = faster, (pace - 1.0) / faster
            else:  # not for good before a round without momentum, to full accuracy, says so too
                self.converged = reached and accuracy <= self.tol and not momentum
                pace, momentum = 1.0, 0.0
            ahead = weights.U + momentum * (weights.U - self.weights.U)
            self.weights, self.Theta = weights, best
            ahead *= np.sqrt(self.worth)
            Theta = leading_directions(ahead, self.r)[0] if momentum else best
            previous = objective
            self.objective.append(objective)
            yield objective

    def _features_for(self, Theta: np.ndarray) -> FreeFeatures | PenalisedFeatures:
        if self.beta == 0:
            return FreeFeatures(self.X, Theta, self.counts)
        return PenalisedFeatures(self.X, Theta, self.beta / (self.alpha + self.beta))

    def _weights_for(self, Theta: np.ndarray, accuracy: float) -> tuple[Weights, float, bool]:
        """The weights for a subspace, their loss, and whether they are as accurate as asked."""
        features = self._features_for(Theta)
        W, v = features.split(self.weights.U, self.weights.c)
        target = ACCURACY * accuracy * self.scale

        def solve(columns: np.ndarray) -> tuple[Fit, bool]:
            signs, duals = self.signs[:, columns], self.weights.duals[:, columns]
            share = self.share
            share = share if share is None or share.shape[1] == 1 else share[:, columns]
            price = self.alpha + self.beta
            fits = SeparateFits(
                features.X, features.Z, signs, self.loss, price, target[columns], share
            )
            return fits.solve(W[:, columns], v[:, columns], duals, NEWTON_STEPS)

        jobs = min(effective_n_jobs(self.n_jobs), len(target))
        parts = Parallel(n_jobs=jobs, prefer="threads")(
            delayed(solve)(columns) for columns in np.array_split(np.arange(len(target)), jobs)
        )
        fits = [fit for fit, _ in parts]
        W, v, scores, duals = (
            np.hstack([getattr(fit, name) for fit in fits])
            for name in ("W", "v", "scores", "duals")
        )
        loss = float(self.loss.value(1.0 - self.signs * scores, self._share) @ self.worth)
        return Weights(*features.join(W, v), duals), loss, all(done for _, done in parts)
