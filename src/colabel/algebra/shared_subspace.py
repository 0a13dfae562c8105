"""The closed form of the shared-subspace problem, from two ridge solutions.

    min (1/n)‖X̄U − Ȳ‖² + α‖U − ΘᵀV‖² + β‖U‖²   over U, V and ΘΘᵀ = I

With F = X̄ᵀȲ, e = X̄ᵀX̄/n + βI and g = e + αI, the two solutions are W₁ = e⁻¹F and W₂ = g⁻¹F. The
columns of Θᵀ span W₁C for the leading eigenvectors C of W₂ᵀW₁, and Woodbury's identity gives U.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg


def shared_subspace(
    W1: np.ndarray, W2: np.ndarray, r: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """U (d×q) and Θ (at most r×d) from W₁ = e⁻¹F and W₂ = g⁻¹F.

    Fewer than r rows of Θ are returned where the labels do not span r directions: the others would
    change nothing.
    """
    lam, C = linalg.eigh(_symmetric(W2.T @ W1))
    kept = np.flatnonzero(lam > len(lam) * np.finfo(W1.dtype).eps * max(lam[-1], 0.0))[::-1][:r]
    return _coefficients(W1, W2, C[:, kept], n)


def shared_subspace_diagonal(
    F: np.ndarray, s2: np.ndarray, alpha: float, beta: float, r: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same in coordinates where X̄ᵀX̄ = diag(s2) and F = X̄ᵀȲ.

    The eigenvectors come from a singular value decomposition here, which does not square W.
    """
    e = s2 / n + beta
    g = e + alpha
    _, root, Ct = linalg.svd(F / np.sqrt(e * g)[:, None], full_matrices=False, check_finite=False)
    kept = root > max(F.shape) * np.finfo(F.dtype).eps * root.max(initial=0.0)
    C = Ct[kept][:r].T
    return _coefficients(F / e[:, None], F / g[:, None], C, n)


def _coefficients(
    W1: np.ndarray, W2: np.ndarray, C: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """U = (1/n)(g − αΘᵀΘ)⁻¹F, where αg⁻¹Θᵀ = (W₁ − W₂)E and I − αΘg⁻¹Θᵀ = ΘW₂E, Θᵀ = W₁E.

    Written so, no two large numbers are subtracted for any α and β from 0 to infinity.
    """
    if not C.shape[1]:
        return W2 / n, np.empty((0, len(W2)))
    Q, R = linalg.qr(W1 @ C, mode="economic", check_finite=False)
    E = linalg.solve_triangular(R, C.T, trans="T", check_finite=False).T
    projected = Q.T @ W2
    inner = linalg.solve(projected @ E, projected, check_finite=False)
    return (W2 + (W1 - W2) @ (E @ inner)) / n, Q.T


def _symmetric(M: np.ndarray) -> np.ndarray:
    return (M + M.T) / 2
