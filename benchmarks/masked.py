"""What labels that nobody knows cost a fit by least squares."""

import warnings
from functools import partial

import numpy as np

from benchmarks.measure import FOLDER, best_of, check, record, seconds, table
from colabel import LabelRidge
from colabel.datasets import load

COST_ON, HIDDEN, LIMIT = "rcv1subset1", 0.3, 4.0
ALPHAS = (0.1, 1.0, 10.0)


def run():
    warnings.simplefilter("ignore")  # of labels that do not vary
    data = load(FOLDER / f"{COST_ON}.svm.xz")
    Y = data.Y.toarray().astype(np.float64)
    gaps = np.where(np.random.default_rng(0).random(Y.shape) < HIDDEN, np.nan, Y)
    rows = []
    for alpha in ALPHAS:
        full, _ = best_of(partial(LabelRidge(alpha).fit, data.X, Y), 2)
        partly, model = best_of(partial(LabelRidge(alpha).fit, data.X, gaps), 2)
        check(f"α = {alpha:g}, error", error(model, data.X, gaps, alpha), 1e-8)
        record(f"{COST_ON}, α = {alpha:g}", partly, full)
        rows.append([f"{alpha:g}", seconds(full), seconds(partly), f"{partly / full:.2f}"])
    head = f"`LabelRidge` on {COST_ON} ({data.X.shape[0]}×{data.X.shape[1]}, {Y.shape[1]} labels), "
    return (
        f"{head}{HIDDEN:.0%} of the entries of Y unknown; scores of three labels checked against "
        f"fits on their own rows. At most {LIMIT:g} times a fit of all labels was asked for.\n\n"
        + table(["α", "all known", "unknown", "ratio"], rows)
    )


def error(model, X, gaps, alpha):
    """How far scores of some labels are from those of models of their rows alone."""
    varying = np.flatnonzero((gaps == 1).any(axis=0))[:3]
    worst = 0.0
    for j in varying:
        own = np.flatnonzero(~np.isnan(gaps[:, j]))
        alone = LabelRidge(alpha).fit(X[own], gaps[own, j].astype(int))
        found = model.decision_function(X)[:, j]
        worst = max(worst, float(np.abs(found - alone.decision_function(X)).max()))
    return worst
