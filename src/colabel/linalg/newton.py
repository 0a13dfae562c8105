"""The two parts of an inexact Newton method: a direction, and how far to go along it.

Both work on blocks whose columns are either problems of their own or one problem together; which
of the two it is, an inner product says: :func:`columnwise` or :func:`whole`.
"""

from collections.abc import Callable

import numpy as np

InnerProduct = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: A step is good where the slope is at most these shares of what it was at the start.
DOWNHILL, UPHILL = 0.1, 0.01
SEARCHES = 30


def columnwise(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """⟨a, b⟩ for each pair of columns: k problems."""
    return np.einsum("ij,ij->j", A, B)


def whole(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """⟨A, B⟩ as an array of one number: one problem."""
    return np.array([np.vdot(A, B)])


def conjugate_gradients(
    curvature: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    R: np.ndarray,
    inner: InnerProduct,
    residual: np.ndarray,
    max_iter: int,
) -> tuple[np.ndarray, np.ndarray]:
    """D with ‖HD − R‖² ≤ `residual` (each problem by its own), and the scores AD.

    `curvature(P)` gives HP and the scores AP, from which AD costs no further product.
    """
    HP, AP = curvature(R)
    D, AD = np.zeros_like(R), np.zeros_like(AP)
    P, rho = R, inner(R, R)
    R = R.copy()
    for iteration in range(max_iter):
        if iteration:
            HP, AP = curvature(P)
        along = inner(P, HP)
        unfinished = (rho > residual) & (along > 0)
        step = np.divide(rho, along, out=np.zeros_like(rho), where=unfinished)
        D += step * P
        AD += step * AP
        R -= step * HP
        previous, rho = rho, np.where(unfinished, inner(R, R), 0.0)
        if not np.any(rho > residual):
            break
        P = R + np.divide(rho, previous, out=np.zeros_like(rho), where=previous > 0) * P
    return D, AD


def step_lengths(
    slopes_at: Callable[[np.ndarray, np.ndarray], np.ndarray], slopes: np.ndarray
) -> np.ndarray:
    """Where convex functions of one variable, with the given negative slopes at 0, are lowest.

    Only slopes are used: `slopes_at(steps, which)` gives those of the functions numbered `which`.
    The full step 1 comes first, is doubled while it is still downhill there, and the minimum is
    then narrowed down between the last point downhill and the first uphill by the Illinois method.
    """
    steps = np.ones(len(slopes))
    found = slopes_at(steps, np.arange(len(slopes)))
    low, low_slopes = np.zeros(len(slopes)), slopes.copy()
    for _ in range(SEARCHES):
        which = np.flatnonzero(found < DOWNHILL * slopes)
        if not len(which):
            break
        low[which], low_slopes[which] = steps[which], found[which]
        steps[which] *= 2
        found[which] = slopes_at(steps[which], which)
    high, high_slopes = steps.copy(), found.copy()
    for _ in range(SEARCHES):
        which = np.flatnonzero((found < DOWNHILL * slopes) | (found > -UPHILL * slopes))
        if not len(which):
            return steps
        a, b, da, db = (part[which] for part in (low, high, low_slopes, high_slopes))
        # slopes so small that both ends have the same say nothing: the middle
        share = np.divide(da, da - db, out=np.full_like(da, 0.5), where=da != db)
        steps[which] = a + (b - a) * share
        found[which] = slopes_at(steps[which], which)
        down, up = which[found[which] <= 0], which[found[which] > 0]
        high_slopes[down] /= 2  # for where the other end moves next time too
        low_slopes[up] /= 2
        low[down], low_slopes[down] = steps[down], found[down]
        high[up], high_slopes[up] = steps[up], found[up]
    # a slope that jumps at the minimum: the last point before it is lower than the start
    return np.where((found < DOWNHILL * slopes) | (found > -UPHILL * slopes), low, steps)
