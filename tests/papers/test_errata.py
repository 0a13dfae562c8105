"""What the papers print and what they mean, where no test of a method shows it."""

import numpy as np
import pytest
from problems import make
from scipy import linalg, stats

from colabel.comparison.stats.ranks import critical_difference


def test_ji2008_the_root_of_d_belongs_beside_the_inverse():
    """Below Eq. 25: S₁⁻¹S₂ = V₁D D̃U₁ᵀYYᵀU₁D̃ D⁻¹V₁ᵀ, where D̃⁻¹ is printed for D̃D⁻¹."""
    X, Y = make("tall")
    X, Y = X - X.mean(axis=0), 2.0 * Y - 1
    n, d = X.shape
    alpha, beta = 0.5, 0.02
    U, s, Vt = linalg.svd(X, full_matrices=False)
    kept = s > 1e-10 * s[0]
    U, s, Vt = U[:, kept], s[kept], Vt[kept]
    first, second = s / (s**2 / n + beta), s / (s**2 / n + alpha + beta)
    D = np.sqrt(first / second)
    of_labels = (first / D)[:, None] * (U.T @ Y @ Y.T @ U)

    def product(right):
        return Vt.T @ np.diag(D) @ of_labels @ np.diag(right) @ Vt

    def ridge(penalty):
        return linalg.inv(X.T @ X / n + penalty * np.eye(d))

    expected = ridge(beta) @ X.T @ Y @ Y.T @ X @ ridge(alpha + beta)  # Eq. 21
    scale = np.abs(expected).max()
    tilde = first / D
    np.testing.assert_allclose(product(tilde / D), expected, atol=1e-9 * scale)
    assert np.abs(product(1 / tilde) - expected).max() > 0.1 * scale


def test_xu2016_the_symmetric_part_of_eq_46_is_meant():
    X, Y = make("tall")
    n, q = Y.shape
    counts = Y.sum(axis=0)
    within = np.diag(Y.sum(axis=1)) - Y / counts @ Y.T
    printed = q * np.eye(n) - 2 * np.ones((n, 1)) / counts @ Y.T + n * Y / counts**2 @ Y.T - within
    assert np.abs(printed - printed.T).max() > 1e-3
    apart = sum(
        (X[Y[:, k] == 0] - mean).T @ (X[Y[:, k] == 0] - mean)
        for k, mean in enumerate(Y.T @ X / counts[:, None])
    )
    found = X.T @ (printed + printed.T) @ X / 2
    np.testing.assert_allclose(found, apart, atol=1e-9 * np.abs(apart).max())


def test_xu2016_quotes_another_point_of_f_and_the_right_distance():
    assert stats.f.isf(0.05, 8, 56) == pytest.approx(2.11, abs=0.005)
    assert critical_difference(9, 8) == pytest.approx(4.25, abs=0.005)
