"""Small data with unlabelled rows, and the methods as METHODS prints them: dense and slow."""

import numpy as np
from scipy import linalg


def topics(n=60, q=5, d=40, seed=0, labelled=25):
    """Counts of words from overlapping topics; the labels of the last rows are not told.

    X, the labels of all rows, and the mask of the labelled.
    """
    rng = np.random.default_rng(seed)
    Y = (rng.uniform(size=(n, q)) < 0.35).astype(int)
    Y[np.arange(n), rng.integers(q, size=n)] = 1
    words = rng.gamma(0.3, size=(q, d))
    X = rng.poisson(4.0 * Y @ words + 0.05).astype(float)
    X[:, 0] += 1.0  # no empty row
    mask = np.zeros(n, dtype=bool)
    mask[rng.permutation(n)[:labelled]] = True
    assert np.all(Y[mask].any(axis=0))
    assert np.all(~Y[mask].all(axis=0))
    return X, Y, mask


def hidden(Y, mask):
    """Y with rows of −1."""
    return np.where(mask[:, None], Y, -1)


def cosines(X):
    lengths = np.linalg.norm(X, axis=1)
    units = X / np.where(lengths > 0, lengths, 1)[:, None]
    return units @ units.T


def label_rbf(Y):
    units = Y / np.linalg.norm(Y, axis=0)
    q = Y.shape[1]
    squared = [[np.sum((units[:, k] - units[:, m]) ** 2) for m in range(q)] for k in range(q)]
    return np.exp(-np.array(squared))


def normalised(T, known, mask):
    """T̂ and a of a given T."""
    That = T / T.sum(axis=1, keepdims=True)
    That[mask] = known
    a = T.sum(axis=1)
    a[mask] = [t @ h / (h @ h) for t, h in zip(T[mask], known, strict=True)]
    return That, a


def cnmf_objective(A, B, C, T, That, a):
    return np.sum((A - T @ B @ T.T) ** 2) + C * np.sum((T - np.diag(a) @ That) ** 2)


def cnmf_step(A, B, C, T, That, a, *, printed=False):
    """The update of T; `printed` with C² where C²T⁶ belongs.

    In extended precision: the difference in it loses digits where C is large.
    """
    A, B, T, That, a = (np.asarray(M, dtype=np.longdouble) for M in (A, B, T, That, a))
    U = T @ B @ T.T @ T @ B
    V = A @ T @ B
    inside = C**2 * (1.0 if printed else T**6) + 8 * U * T**4 * (2 * V + C * np.diag(a) @ That)
    return np.sqrt((-C * T**3 + np.sqrt(inside)) / (4 * U)).astype(float)


def sgt_weights(V, D, Y, rows, c):
    """w and λ* of each label by the eigenvalue problem of twice the size."""
    n, k = V.shape
    found = []
    for y in Y[rows].T:
        positives, total = y.sum(), len(rows)
        negatives = total - positives
        gamma, costs = np.zeros(n), np.zeros(n)
        gamma[rows] = np.where(
            y == 1, (negatives / positives) ** 0.5, -((positives / negatives) ** 0.5)
        )
        costs[rows] = np.where(y == 1, total / (2 * positives), total / (2 * negatives))
        G = np.diag(D) + c * V.T @ np.diag(costs) @ V
        b = c * V.T @ np.diag(costs) @ gamma
        block = np.block([[G, -np.eye(k)], [-np.outer(b, b) / n, G]])
        values = linalg.eigvals(block)
        real = values.real[np.abs(values.imag) < 1e-9 * np.abs(values).max()]
        found.append((linalg.solve(G - real.min() * np.eye(k), b), real.min(), G, b))
    return found
