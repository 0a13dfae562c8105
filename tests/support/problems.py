"""Test problems built from their own answer: a known spectrum, labels that depend on the data."""

import numpy as np
from scipy import linalg


def labels_from(scores, rng, q=5):
    """q overlapping labels from linear scores, each with positives and negatives."""
    noisy = scores @ rng.normal(size=(scores.shape[1], q)) + 0.3 * rng.normal(size=(len(scores), q))
    cuts = [np.quantile(column, 0.4 + 0.07 * k) for k, column in enumerate(noisy.T)]
    Y = (noisy > cuts).astype(int)
    assert np.all(Y.sum(axis=0) > 1)
    assert np.all(Y.sum(axis=0) < len(Y) - 1)
    return Y


def with_spectrum(n, d, rank, rng, condition):
    """X = 1mᵀ + UΣVᵀ with U ⟂ 1 and singular values between 1 and `condition`, sparse-looking."""
    U = rng.normal(size=(n, rank))
    U, _ = linalg.qr(U - U.mean(axis=0), mode="economic")
    V, _ = linalg.qr(rng.normal(size=(d, rank)), mode="economic")
    s = np.geomspace(condition, 1.0, rank)
    X = rng.normal(size=d) + (U * s) @ V.T
    found = linalg.svdvals(X - X.mean(axis=0))
    assert np.allclose(found[:rank], s)  # to be sure
    assert np.all(found[rank:] < 1e-10)
    return X


def make(kind, seed=0, condition=30.0):
    """The data of a kind: (X, Y)."""
    rng = np.random.default_rng(seed)
    if kind == "tall":
        X = with_spectrum(60, 12, 12, rng, condition)
    elif kind == "wide":
        X = with_spectrum(24, 50, 23, rng, condition)
    elif kind == "rank-deficient tall":
        X = with_spectrum(50, 14, 7, rng, condition)
    elif kind == "rank-deficient wide":
        X = with_spectrum(20, 40, 9, rng, condition)
    else:
        raise ValueError(kind)
    return X, labels_from(X - X.mean(axis=0), rng)


def sparse_counts(kind, seed=0):
    """Small counts with many zeros, a constant and a duplicate column, and a row without labels."""
    rng = np.random.default_rng(seed)
    n, d = {"tall": (70, 15), "wide": (26, 60)}[kind]
    X = rng.poisson(0.4, size=(n, d)).astype(float)
    X[:, 3] = 1.0
    X[:, 5] = X[:, 4]
    Y = labels_from(X, rng)
    Y[0] = 0
    return X, Y
