"""The elastic net of MtSDA, written out."""

import numpy as np
from scipy import linalg
from sklearn.linear_model import Lasso


def dense(X):
    """Standardised columns, constant ones left out."""
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def equicorrelation(p, rho):
    return (1 - rho) * np.eye(p) + rho * np.ones((p, p))


def direct(X, y, l1, l2, rho):
    """The paper's artificial data: √(nλ₂Δ) below X, zeros below y, and then a lasso."""
    n, p = X.shape
    below = linalg.sqrtm(n * l2 * equicorrelation(p, rho)).real
    augmented, target = np.vstack([X, below]), np.concatenate([y, np.zeros(p)])
    alpha = l1 / 2 * n / (n + p)
    lasso = Lasso(alpha, fit_intercept=False, tol=1e-12, max_iter=1_000_000)
    return lasso.fit(augmented, target).coef_


def kkt_residual(X, y, b, l1, l2, rho):
    gradient = -2 * X.T @ (y - X @ b) / len(y) + 2 * l2 * equicorrelation(len(b), rho) @ b
    inactive = np.maximum(np.abs(gradient) - l1, 0)
    return np.max(np.where(b != 0, np.abs(gradient + l1 * np.sign(b)), inactive))
