"""The Newton steps over the free parts, compiled: column by column, without arrays of all of them.

Those of :meth:`~colabel.classifiers.aso.hinge.SeparateFits.settle`. Importing this module needs
numba.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import numpy as np

from colabel.linalg.compiled import compiled
from colabel.linalg.newton import DOWNHILL, SEARCHES, UPHILL


@compiled
def settle(Z, gram, signs, F, centre, v, widths, limits, rules, bounds, most, start, stop):
    """Move v and the scores F of columns; all but Z and its Gram have a row for each of them."""
    (n, p), (forcing, damping, least_damping) = Z.shape, rules
    change, free = np.empty(n), np.empty(n, dtype=np.bool_)
    for k in range(start, stop):
        s, f, t0, u = signs[k], F[k], centre[k], v[k]
        enough, rounding = limits[k]
        for _ in range(most):
            g, gap = _gradient(Z, s, f, t0, widths[k], bounds, free)
            size = np.sqrt(np.sum(g * g))
            if size * max(1.0, np.sqrt(np.sum(u * u))) <= max(enough, forcing * gap):
                break
            H = _curvature(Z, gram, free) / (n * widths[k])
            for j in range(p):
                H[j, j] += damping * size + least_damping
            direction = _solve(H, -g)
            slope = np.sum(g * direction)
            if -slope <= rounding:
                break
            for i in range(n):
                change[i] = 0.0
                for j in range(p):
                    change[i] += Z[i, j] * direction[j]
            step = _step_length(s, f, t0, widths[k], bounds, change, slope)
            if step == 0.0:
                break
            u += step * direction
            f += step * change


@compiled
def _gradient(Z, s, f, t0, width, bounds, free):
    """Over v, and the gap of the smoothing; `free` says which rows have curvature."""
    n, p = Z.shape
    g, gap = np.zeros(p), 0.0
    for i in range(n):
        slack = 1.0 - s[i] * f[i]
        t = min(max(t0[i] + slack / width, bounds[0]), bounds[1])
        free[i] = bounds[0] < t < bounds[1]
        gap += max(slack, 0.0) - t * slack
        if t != 0.0:
            for j in range(p):
                g[j] -= s[i] * t / n * Z[i, j]
    return g, max(0.0, gap / n)


@compiled
def _curvature(Z, gram, free):
    """ZᵀZ over the free rows: from these or, if they are more, from all less the others."""
    n, p = Z.shape
    few = 2 * np.sum(free) <= n
    H = np.zeros((p, p))
    for i in range(n):
        if free[i] == few:
            for j in range(p):
                for k in range(j + 1):
                    H[j, k] += Z[i, j] * Z[i, k]
    for j in range(p):
        for k in range(j):
            H[k, j] = H[j, k]
    return H if few else gram - H


@compiled
def _solve(H, b):
    """Make b H⁻¹b for a positive definite H, by Cholesky: LAPACK's would take longer to compile."""
    p = len(b)
    for j in range(p):
        for k in range(j):
            H[j, j] -= H[j, k] * H[j, k]
        H[j, j] = np.sqrt(H[j, j])
        for i in range(j + 1, p):
            for k in range(j):
                H[i, j] -= H[i, k] * H[j, k]
            H[i, j] /= H[j, j]
    for j in range(p):
        for k in range(j):
            b[j] -= H[j, k] * b[k]
        b[j] /= H[j, j]
    for j in range(p - 1, -1, -1):
        for i in range(j + 1, p):
            b[j] -= H[i, j] * b[i]
        b[j] /= H[j, j]
    return b


@compiled
def _slope(s, f, t0, width, bounds, change, step):
    """Of the smooth loss, so far along the change of the scores."""
    total = 0.0
    for i in range(len(s)):
        slack = 1.0 - s[i] * (f[i] + step * change[i])
        t = min(max(t0[i] + slack / width, bounds[0]), bounds[1])
        total -= s[i] * change[i] * t
    return total / len(s)


@compiled
def _step_length(s, f, t0, width, bounds, change, slope):
    """As :func:`~colabel.linalg.newton.step_lengths` finds it."""
    low, low_slope, step = 0.0, slope, 1.0
    found = _slope(s, f, t0, width, bounds, change, step)
    for _ in range(SEARCHES):
        if found >= DOWNHILL * slope:
            break
        low, low_slope = step, found
        step *= 2
        found = _slope(s, f, t0, width, bounds, change, step)
    high, high_slope = step, found
    for _ in range(SEARCHES):
        if DOWNHILL * slope <= found <= -UPHILL * slope:
            return step
        step = low + (high - low) * low_slope / (low_slope - high_slope)
        found = _slope(s, f, t0, width, bounds, change, step)
        if found <= 0:
            high_slope /= 2
            low, low_slope = step, found
        else:
            low_slope /= 2
            high, high_slope = step, found
    return step if DOWNHILL * slope <= found <= -UPHILL * slope else low
