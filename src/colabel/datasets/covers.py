"""Few rows that have every label between them."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

#: The most stored labels for which all choices of rows are searched, and for how many seconds.
EXACT_LIMIT, SECONDS = 200_000, 10.0


def small_cover(
    Y: sp.csr_array, size: int, rng: np.random.RandomState
) -> tuple[np.ndarray | None, bool]:
    """At most `size` rows that have every label which any row has, and whether that is settled.

    Greedily, which finds most; then by a search through all choices, which finds every one.
    """
    rows = _greedy(Y, size, rng)
    if rows is not None:
        return rows, True
    return _search(Y, size) if Y.nnz <= EXACT_LIMIT else (None, False)


def _greedy(Y: sp.csr_array, size: int, rng: np.random.RandomState) -> np.ndarray | None:
    """Again and again the row with the most labels that are missing."""
    missing = (Y.sum(axis=0) > 0).astype(float)
    rows: list[int] = []
    while missing.any():
        if len(rows) == size:
            return None
        gains = Y @ missing
        rows.append(int(rng.choice(np.flatnonzero(gains == gains.max()))))
        missing[Y[[rows[-1]]].indices] = 0.0
    return np.array(rows, dtype=np.intp)


def _search(Y: sp.csr_array, size: int) -> tuple[np.ndarray | None, bool]:
    """Some x in {0, 1} with Yᵀx ≥ 1 and Σx ≤ `size`, or the knowledge that there is none."""
    n = Y.shape[0]
    covered = LinearConstraint(Y[:, Y.sum(axis=0) > 0].T.tocsr(), 1)
    few = LinearConstraint(np.ones((1, n)), 0, size)
    found = milp(
        np.zeros(n),
        integrality=np.ones(n),
        bounds=Bounds(0, 1),
        constraints=[covered, few],
        options={"time_limit": SECONDS},
    )
    if found.x is not None:
        return np.flatnonzero(found.x > 0.5), True
    return None, found.status == 2  # infeasible
