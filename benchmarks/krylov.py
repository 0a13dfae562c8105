"""Conjugate gradients beside the bare cost of the products that they make."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import best_of, check, data, record, relative, seconds, table
from benchmarks.ridge import ACCURACY, PATH, RIDGE, exact
from colabel.family.similarity import linear
from colabel.linalg import cost, normal, products
from colabel.linalg.containers import as_matrix

#: Blocks that the products alone go round: a solve, too, has other arrays in between.
BLOCKS = 4


def replayed(X, Xt, widths, n_results):
    """The products of a solve alone: the same widths in the same order, then XᵀZ a result."""
    rng = np.random.default_rng(0)
    n, d = X.shape
    blocks = {w: [rng.standard_normal((n, w)) for _ in range(BLOCKS)] for w in set(widths)}
    outs = {w: [np.empty((n, w)) for _ in range(BLOCKS)] for w in blocks}
    inner = {w: np.empty((d, w)) for w in blocks}

    def replay():
        for i, w in enumerate(widths):
            V, out = blocks[w][i % BLOCKS], outs[w][i % BLOCKS]
            products.dot(X, products.dot(Xt, V, out=inner[w]), out=out)
        widest = blocks[max(blocks)]
        return [products.dot(Xt, widest[i % BLOCKS]) for i in range(n_results)]

    return replay


def solved(X, Y, expected, repeats=4):
    """Conjugate gradients, in turns with the products they make."""
    rows, Xt = [], X.T.tocsr()
    for ridges in ([PATH[-3]], [RIDGE], PATH):
        matrix, widths = as_matrix(X), []
        product = matrix.outer_dot

        def counting(V, product=product, widths=widths):
            widths.append(V.shape[1])
            return product(V)

        matrix.outer_dot = counting

        def run(matrix=matrix, ridges=ridges, widths=widths):
            widths.clear()
            return normal.solve_normal(matrix, linear(Y), ridges, tol=1e-8)

        run()  # compiles, and counts
        replay = replayed(X, Xt, list(widths), len(ridges))
        times = []
        for _ in range(repeats):  # in turns, so that noise meets both
            (alone, _), (time, found) = best_of(replay, 1), best_of(run, 1)
            times.append((time, alone))
        for W, ridge in zip(found, ridges, strict=True):
            check(f"conjugate gradients, {ridge:g}", relative(W, expected[ridge]), ACCURACY)
        time, alone = np.min(times, axis=0)
        name = f"λ = {ridges[0]:g}" if len(ridges) == 1 else f"{len(ridges)} ridges at once"
        record(name, time, alone)
        pairs = f"{sum(widths) / Y.shape[1]:.0f}"
        rows.append([name, seconds(time), pairs, seconds(alone), f"{time / alone:.2f}"])
    return rows


def run():
    X, Y = data("rcv1subset1")
    T = 2.0 * (Y - Y.mean(axis=0))
    ridges = [RIDGE, *PATH]
    expected = dict(zip(ridges, exact(X, T, ridges), strict=True))
    limit, cost.DIRECT_LIMIT = cost.DIRECT_LIMIT, 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            rows = solved(X, Y, expected)
    finally:
        cost.DIRECT_LIMIT = limit
    return (
        f"rcv1subset1 ({X.shape[0]}×{X.shape[1]}, {T.shape[1]} targets) to a residual of 1e-8, by "
        "conjugate gradients also where a direct solve is cheaper, beside the same products "
        "with X and its transpose alone, of the same numbers of columns, in turns.\n\n"
        + table(["", "time", "pairs of products", "these alone", "ratio"], rows)
    )
