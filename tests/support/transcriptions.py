"""The methods of the family as their formulae are printed: dense, d×d, and slow.

Written from the definitions, on purpose without the library's reductions: scatter matrices are sums
over instances and classes, inverses are inverses, H is the n×n centring matrix.
"""

import numpy as np
from scipy import linalg


def _parts(X, Y):
    n = len(X)
    H = np.eye(n) - np.ones((n, n)) / n
    return H @ X, H @ (2 * Y - 1)


def pca(X, Y):
    Xc, _ = _parts(X, Y)
    return Xc.T @ Xc, np.eye(X.shape[1])


def mddmp(X, Y):
    Xc, Yc = _parts(X, Y)
    return Xc.T @ Yc @ Yc.T @ Xc, np.eye(X.shape[1])


def mddmf(X, Y, beta=0.5):
    Xc, _ = _parts(X, Y)
    return mddmp(X, Y)[0], beta * Xc.T @ Xc + (1 - beta) * np.eye(X.shape[1])


def mvmd(X, Y, beta=0.5):
    return (1 - beta) * pca(X, Y)[0] + beta * mddmp(X, Y)[0], np.eye(X.shape[1])


def cca(X, Y, ridge=0.1, label_ridge=0.1):
    Xc, Yc = _parts(X, Y)
    inverse = linalg.pinvh(Yc.T @ Yc + label_ridge * np.eye(Y.shape[1]))
    return Xc.T @ Yc @ inverse @ Yc.T @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1])


def opls(X, Y, ridge=0.1):
    Xc, _ = _parts(X, Y)
    return mddmp(X, Y)[0], Xc.T @ Xc + ridge * np.eye(X.shape[1])


def ocm(X, Y):
    means = np.array([X[Y[:, k] == 1].mean(axis=0) - X.mean(axis=0) for k in range(Y.shape[1])])
    return (means.T * Y.sum(axis=0)) @ means, np.eye(X.shape[1])


def mlsi(X, Y, beta=0.5, ridge=0.1, kernel_ridge=0.1):
    Xc, Yc = _parts(X, Y)
    K = (1 - beta) * Xc @ Xc.T + beta * Yc @ Yc.T + kernel_ridge * np.eye(len(X))
    return Xc.T @ Xc, Xc.T @ linalg.inv(K) @ Xc + ridge * np.eye(X.shape[1])


def class_weights(Y, kind):
    if kind == "binary":
        return Y.astype(float)
    norms = np.linalg.norm(Y, axis=0)
    C = (Y.T @ Y) / np.outer(norms, norms)
    sizes = Y.sum(axis=1, keepdims=True)
    return np.divide(Y @ C, sizes, out=np.zeros(Y.shape), where=sizes > 0)


def _scatter(X, centre, weights):
    return (X - centre).T @ np.diag(weights) @ (X - centre)


def mlda(X, Y, weights="correlation", ridge=0.1):
    Z = class_weights(Y, weights)
    totals = Z.sum(axis=0)
    means = (Z.T @ X) / totals[:, None]
    grand_mean = totals @ means / totals.sum()
    between = (means - grand_mean).T @ np.diag(totals) @ (means - grand_mean)
    within = sum(_scatter(X, means[k], Z[:, k]) for k in range(Z.shape[1]))
    return between, within + ridge * np.eye(X.shape[1])


def dmlda(X, Y, weights="binary", ridge=0.1):
    Z = class_weights(Y, weights)
    means = (Z.T @ X) / Z.sum(axis=0)[:, None]
    apart = sum(_scatter(X, means[k], 1 - Z[:, k]) for k in range(Z.shape[1]))
    return apart, mlda(X, Y, weights, ridge)[1]


def _power(degrees, exponent):
    return np.diag([d**exponent if d > 0 else 0.0 for d in degrees])


def hypergraph_root(Y, laplacian):
    J = Y.astype(float)
    if laplacian == "clique":
        return _power((J @ J.T).sum(axis=1), -0.5) @ J
    if laplacian == "star":
        M = J @ _power(J.sum(axis=0), -1)
        return _power(M.sum(axis=1), -0.5) @ M @ _power(M.sum(axis=0), -0.5)
    if laplacian == "zhou":
        return _power(J.sum(axis=1), -0.5) @ J @ _power(J.sum(axis=0), -0.5)
    _, Yc = _parts(J, J)
    return Yc @ linalg.sqrtm(linalg.pinvh(Yc.T @ Yc)).real


def hypergraph(X, Y, laplacian="clique", ridge=0.1):
    Xc, _ = _parts(X, Y)
    H0 = hypergraph_root(Y, laplacian)
    return Xc.T @ H0 @ H0.T @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1])


def least_squares_hypergraph(X, Y, laplacian="clique", ridge=0.1):
    """W of the least-squares form."""
    Xc, H0c = _parts(X, hypergraph_root(Y, laplacian) / 2 + 0.5)
    U, s, _ = linalg.svd(H0c, full_matrices=False)
    targets = U[:, s > 1e-10 * s[0]]
    if ridge == 0:
        return linalg.lstsq(Xc, targets)[0]
    return linalg.solve(Xc.T @ Xc + ridge * np.eye(X.shape[1]), Xc.T @ targets)


def solve(A, B):
    """All P with a positive eigenvalue, by the pseudo-inverse where B is singular."""
    beta, V = linalg.eigh(B)
    kept = beta > 1e-11 * beta[-1]
    W = V[:, kept] / np.sqrt(beta[kept])
    lam, Q = linalg.eigh(W.T @ A @ W)
    lam, P = lam[::-1], (W @ Q)[:, ::-1]
    positive = lam > 1e-10 * lam[0]
    return lam[positive], P[:, positive]
