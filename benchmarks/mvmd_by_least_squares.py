"""MVMD by its least-squares problem, in turns, beside the eigenproblem: seconds, and spans."""

import sys
import time

import numpy as np
from scipy import linalg

from colabel import MVMD
from colabel.datasets import load
from colabel.linalg.containers import as_matrix

BETA, ACCURACY, MOST = 0.5, 1e-10, 5000


def in_turns(X, Y, k):
    """P of min (1 − β)‖X̄ − APᵀ‖² + β‖ȲᵀX̄ − BPᵀ‖², and the rounds that were taken."""
    core = as_matrix(X)
    F = 2.0 * core.tdot(Y)
    start = np.random.default_rng(0).normal(size=(X.shape[1], k))
    P, before, rounds = linalg.qr(start, mode="economic")[0], np.inf, 0
    while rounds < MOST:
        rounds += 1
        M = (1 - BETA) * core.tdot(core.dot(P)) + BETA * F @ (F.T @ P)
        U, s, Vt = linalg.svd(M, full_matrices=False)
        P = U @ Vt
        if abs(s.sum() - before) < ACCURACY * s.sum():
            break
        before = s.sum()
    return P, rounds


def main():
    """For each data set that is named, 10 and 50 directions."""
    for name in sys.argv[1:]:
        data = load(name)
        for k in (10, 50):
            begin = time.perf_counter()
            model = MVMD(k, beta=BETA).fit(data.X, data.Y)
            middle = time.perf_counter()
            P, rounds = in_turns(data.X, data.Y.astype(float), k)
            end = time.perf_counter()
            apart = np.linalg.norm(P - model.components_.T @ (model.components_ @ P), 2)
            print(
                f"{name}, {k} directions: {middle - begin:.2f} s ({model.solver_}), in turns "
                f"{end - middle:.2f} s, {rounds} rounds, sine of the spans {apart:.0e}"
            )


if __name__ == "__main__":
    main()
