"""What products in float32 cost the solution of normal equations, about.

A sum of K products that are made one after the other is off by u·K/3 of what it comes to where all
have one sign, and by 0.4u√K of the sizes of its terms where signs are random (rounding is a random
walk, u the unit roundoff); n/K such sums that are added up in float64 average that out. So a Gram
of n rows is G + E with independent E_ij of about u·K/(3√n)·|G_ij| and 0.4u·√(K/n)·√(G_ii G_jj), and
its solution W is off by B⁻¹EW.
"""

from __future__ import annotations

import numpy as np

from colabel.linalg.small import Cholesky, threads_for

#: Rows whose products in float32 are added up before they go to a sum in float64: as few as leave
#: the speed of one large product.
ROWS = 1024
#: K by itself: a BLAS makes sums of so many products, and adds these up; OpenBLAS 0.3.31 of up to
#: 448, and 0.3.34 of 512.
BY_BLAS = 512
#: K of Grams with a side of up to so much, for which BLAS is given so many rows at a time: adding
#: these Grams up takes a seventh of their time, and a third of that of larger ones.
SIDE, SUMMED = 512, 256
#: The relative error that a solution in float32 may have. Products in float64 have to do where it
#: would be more.
TARGET = 1e-4
#: Columns of the solution that are looked at, and rows of the Gram at a time.
COLUMNS, PANEL = 16, 512

UNIT = float(np.finfo(np.float32).eps) / 2


def gram(X: np.ndarray) -> np.ndarray:
    """XᵀX of some `ROWS` in float32, by sums of up to K products."""
    if X.shape[1] > SIDE:
        return X.T @ X
    total = X[:SUMMED].T @ X[:SUMMED]
    for start in range(SUMMED, len(X), SUMMED):
        some = X[start : start + SUMMED]
        total += some.T @ some
    return total


def error(G: np.ndarray, n: int, inverse: Cholesky, W: np.ndarray) -> float:
    """‖B⁻¹EW‖/‖W‖ for one E of a Gram of n rows, drawn at random, and for some columns of W."""
    W = W[:, :: max(1, W.shape[1] // COLUMNS)]
    size = float(np.linalg.norm(W))
    if not size:
        return 0.0
    K = SUMMED if len(G) <= SIDE else BY_BLAS
    along, across = UNIT * K / (3 * np.sqrt(n)), 0.4 * UNIT * np.sqrt(K / n)
    squares, scales = W**2, np.diag(G)
    spread = across**2 * np.multiply.outer(scales, scales @ squares)
    with threads_for(len(G)):
        for start in range(0, len(G), PANEL):
            rows = slice(start, start + PANEL)
            spread[rows] += along**2 * (G[rows] ** 2 @ squares)
    EW = np.sqrt(spread) * np.random.default_rng(0).standard_normal(W.shape)
    return float(np.linalg.norm(inverse.solve(EW, overwrite=True))) / size
