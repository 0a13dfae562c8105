"""The compiled loops of :mod:`~colabel.classifiers.mtsda.elastic_net`, which need numba."""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import numba
import numpy as np

compiled = numba.njit(nogil=True, cache=True, fastmath={"contract"})


@compiled
def sweep(H, g, b, kappa):
    """Each coordinate of b to its optimum, g = Hb − c kept up to date.

    The furthest that one moved, times its diagonal: by so much it was from optimal at most.
    """
    worst = 0.0
    for j in range(len(b)):
        if b[j] == 0 and abs(g[j]) <= kappa:
            continue
        along = H[j, j] * b[j] - g[j]
        step = np.sign(along) * max(abs(along) - kappa, 0.0) / H[j, j] - b[j]
        if step != 0:
            b[j] += step
            row = H[j]
            for i in range(len(g)):
                g[i] += step * row[i]
            worst = max(worst, abs(step) * H[j, j])
    return worst


@compiled
def descend(H, C, B, kappa, limit, most):
    """Make each row b of B the argmin of ½bᵀHb − cᵀb + κ‖b‖₁, c the same row of C, about.

    A sweep over all coordinates shows which are not zero, and sweeps over these, in a copy of their
    own, follow until none is further than `limit` from optimal: at most so many, and as often.
    """
    p = len(H)
    own = np.empty((p, p))
    for t in range(len(B)):
        b, g = B[t], -C[t]
        for j in range(p):
            if b[j] != 0:
                g += b[j] * H[j]
        for _ in range(most):
            if sweep(H, g, b, kappa) <= limit:
                break
            used = np.flatnonzero(b)
            s = len(used)
            some = own.reshape(-1)[: s * s].reshape((s, s))
            for i in range(s):
                for j in range(s):
                    some[i, j] = H[used[i], used[j]]
            before, rest = b[used], g[used]
            after = before.copy()
            for _ in range(most):
                if sweep(some, rest, after, kappa) <= limit:
                    break
            for i in range(s):
                step = after[i] - before[i]
                if step != 0:
                    b[used[i]] = after[i]
                    g += step * H[used[i]]
