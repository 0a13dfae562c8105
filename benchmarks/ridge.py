"""Ridge regression with many targets: one solve, and a path of ridges."""

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from sklearn.linear_model import Ridge

from benchmarks.measure import best_of, check, data, record, relative, seconds, table
from colabel import LabelRidge
from colabel.family.similarity import linear
from colabel.linalg import normal
from colabel.linalg.containers import as_matrix

RIDGE = 0.1
PATH = [float(b) for b in np.geomspace(1e-2, 10, 8)]
ACCURACY = 1e-6
#: Of scikit-learn's solvers, those that take sparse data with an intercept and get so far.
SETTINGS = [("sparse_cg", 1e-6), ("sparse_cg", 1e-7), ("lsqr", 1e-7)]


def exact(X, T, ridges):
    """Coefficients by the textbook: a dense Gram of the rows and a solve for each ridge."""
    K = (X @ X.T).toarray()
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    mean = np.asarray(X.mean(axis=0)).ravel()
    for ridge in ridges:
        shifted = centred.copy()
        shifted.flat[:: len(K) + 1] += ridge
        Z = linalg.solve(shifted, T, assume_a="pos", overwrite_a=True, check_finite=False)
        yield X.T @ Z - np.outer(mean, Z.sum(axis=0))


def peer(X, T, ridge, expected, settings):
    """scikit-learn's fastest setting (solver, tol) that is right to 1e-6, and its time."""
    best = (np.inf, None)
    for solver, tol in settings:
        model = Ridge(ridge, solver=solver, tol=tol, max_iter=10_000)
        time, _ = best_of(lambda model=model: model.fit(X, T), 1)
        if relative(model.coef_.T, expected) <= ACCURACY:
            best = min(best, (time, (solver, tol)))
    return best


def run():
    X, Y = data("rcv1subset1")
    T = 2.0 * (Y - Y.mean(axis=0))
    ridges = [RIDGE, *PATH]
    expected = dict(zip(ridges, exact(X, T, ridges), strict=True))
    LabelRidge(RIDGE).fit(X, Y)  # compiles, or reads what is compiled
    ours, model = best_of(lambda: LabelRidge(RIDGE).fit(X, Y), 3)
    check("LabelRidge", relative(model.coef_.T, expected[RIDGE]), ACCURACY)
    theirs, setting = peer(X, T, RIDGE, expected[RIDGE], SETTINGS)
    targets = linear(sp.csr_array(Y.astype(float)))
    path, found = best_of(lambda: normal.solve_normal(as_matrix(X), targets, PATH), 2)
    path_theirs = []
    for ridge, W in zip(PATH, found, strict=True):
        check(f"ridge {ridge:g}", relative(W, expected[ridge]), ACCURACY)
        path_theirs.append(peer(X, T, ridge, expected[ridge], [setting])[0])
    total = sum(path_theirs)
    record(f"λ = {RIDGE}", ours, theirs)
    record("8 ridges", path, total)
    rows = [
        [
            f"λ = {RIDGE}",
            seconds(ours),
            seconds(theirs),
            "{}, tol={:g}".format(*setting),
            f"{theirs / ours:.1f}×",
        ],
        ["8 ridges, 1e-2 … 10", seconds(path), seconds(total), "each", f"{total / path:.1f}×"],
    ]
    return (
        f"rcv1subset1 ({X.shape[0]}×{X.shape[1]}, {T.shape[1]} targets), coefficients right to "
        f"{ACCURACY:g}.\n\n" + table(["", "colabel", "scikit-learn", "its solver", "ratio"], rows)
    )
