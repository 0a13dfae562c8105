"""The least-squares form of a trace problem, and how far it is from the problem itself.

It takes H, the left singular vectors of the centred root F of S, for F: singular values are
replaced by ones. W = argmin ‖X̄W − H‖² + b‖W‖² and the exact directions are made of the same solve,
P = WΛ^½C with Λ the squares of the singular values and C the eigenvectors of Λ^½Hᵀ X̄W Λ^½. So with
all directions the spans are the same, and with fewer the angle between them costs a product with X.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from colabel.family.choose import solve_ridge
from colabel.family.problem import Directions, Task, how_many
from colabel.family.ridge import RidgeSolutions
from colabel.family.similarity import whiten
from colabel.linalg import small


@dataclass(frozen=True)
class LeastSquares:
    """Directions of the least-squares form, and how far they are from those of the problem."""

    directions: Directions
    #: ‖S − HHᵀ‖, S centred, in the norm of Frobenius.
    gap: float
    #: The largest angle between the two spans, in radians.
    angle: float


def solve_least_squares(task: Task, solver: str = "auto") -> LeastSquares:
    """Argmin ‖X̄W − H‖² + b‖W‖², H the leading left singular vectors of the centred root of S.

    The columns of H are ordered by the eigenvalues of S, which are returned with them.
    """
    S, data, b = task.problem.S, task.data, task.problem.b
    R, lam = whiten(S, data.core)
    k = how_many(lam, task.n_components)
    found, used = solve_ridge(data, S.combine(R), [b], solver=solver, tol=task.tol)
    kept = found.coordinates[0][:, :k]
    gap = float(np.sqrt(np.sum((lam[:k] - 1.0) ** 2) + np.sum(lam[k:] ** 2)))
    angle = _angle(task, found, lam, k) if k < len(lam) else 0.0
    directions = Directions(data.lift(found.expand(kept)), lam[:k], used)
    return LeastSquares(directions, gap, angle)


def _angle(task: Task, found: RidgeSolutions, lam: np.ndarray, k: int) -> float:
    """Between the span of the first columns of W and that of the exact directions."""
    W, s = found.coordinates[0], np.sqrt(lam)
    over_core = found.expand(W)
    # HᵀX̄W = Wᵀ(X̄ᵀX̄ + bI)W
    reach = over_core.T @ task.data.core.normal_dot(over_core) + task.problem.b * (W.T @ W)
    M = s[:, None] * reach * s
    _, C = small.eigh((M + M.T) / 2)
    exact = (W * s) @ C[:, ::-1][:, :k]
    return float(linalg.subspace_angles(W[:, :k], exact)[0])
