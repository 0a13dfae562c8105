"""Conjugate gradients beside the bare cost of the products that they make."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import best_of, check, data, relative, seconds, table
from benchmarks.ridge import ACCURACY, PATH, RIDGE, exact
from colabel.algebra import cost, least_squares, products
from colabel.algebra.matrix import as_matrix
from colabel.algebra.similarity import linear

#: Blocks that the bare products go round, so that none is found in the cache from the last time.
BLOCKS = 4


def bare(X, columns, repeats=5):
    """Seconds of a product with X and one with its transpose, in scipy and in ours."""
    rng = np.random.default_rng(0)
    Xt = X.T.tocsr()
    blocks = [rng.standard_normal((X.shape[0], columns)) for _ in range(BLOCKS)]
    outs = [np.empty_like(V) for V in blocks]
    inner = np.empty((X.shape[1], columns))

    def ours():
        for V, out in zip(blocks, outs, strict=True):
            products.dot(X, products.dot(Xt, V, out=inner), out=out)

    ours()  # compiles
    theirs, _ = best_of(lambda: [X @ (Xt @ V) for V in blocks], repeats)
    return theirs / BLOCKS, best_of(ours, repeats)[0] / BLOCKS


def solved(X, Y, T, expected, once):
    """Conjugate gradients on the same problem, beside the products they make."""
    rows = []
    for ridges in ([PATH[-3]], [RIDGE], PATH):
        matrix, counted = as_matrix(X), [0.0]
        product = matrix.outer_dot

        def counting(V, product=product, counted=counted):
            counted[0] += V.shape[1]
            return product(V)

        matrix.outer_dot = counting

        def run(matrix=matrix, ridges=ridges, counted=counted):
            counted[0] = 0.0
            return least_squares.ridge_solutions_without_svd(matrix, linear(Y), ridges, tol=1e-8)

        time, found = best_of(run, 3)
        for W, ridge in zip(found, ridges, strict=True):
            check(f"conjugate gradients, {ridge:g}", relative(W, expected[ridge]), ACCURACY)
        columns = counted[0] / T.shape[1]
        name = f"λ = {ridges[0]:g}" if len(ridges) == 1 else f"{len(ridges)} ridges at once"
        cost_of_products = columns * once
        ratio = f"{time / cost_of_products:.2f}"
        rows.append([name, seconds(time), f"{columns:.0f}", seconds(cost_of_products), ratio])
    return rows


def run():
    X, Y = data("rcv1subset1")
    T = 2.0 * (Y - Y.mean(axis=0))
    ridges = [RIDGE, *PATH]
    expected = dict(zip(ridges, exact(X, T, ridges), strict=True))
    theirs, ours = bare(X, T.shape[1])
    limit, cost.DIRECT_LIMIT = cost.DIRECT_LIMIT, 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            rows = solved(X, Y, T, expected, ours)
    finally:
        cost.DIRECT_LIMIT = limit
    return (
        f"rcv1subset1 ({X.shape[0]}×{X.shape[1]}, {T.shape[1]} targets) to a residual of 1e-8, by "
        "conjugate gradients although a direct solve is cheaper here, beside the bare cost of "
        f"their products with X and its transpose. A pair of them takes {seconds(ours)} compiled "
        f"and {seconds(theirs)} in scipy.\n\n"
        + table(["", "time", "pairs of products", "their bare cost", "ratio"], rows)
    )
