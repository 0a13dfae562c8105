"""The closed form of the shared-subspace problem, from two ridge solutions.

    min (1/n)‖X̄U − Ȳ‖² + α‖U − ΘᵀV‖² + β‖U‖²   over U, V and ΘΘᵀ = I

With F = X̄ᵀȲ they are W₁ = (X̄ᵀX̄/n + βI)⁻¹F and W₂ = (X̄ᵀX̄/n + (α + β)I)⁻¹F. W₂ᵀW₁ is symmetric,
= CΛCᵀ, and the columns of Θᵀ span W₁C_r for its r leading eigenvectors. With Woodbury's identity
that leaves

    U = (W₁C_rC_rᵀ + W₂(I − C_rC_rᵀ))/n:

the r combinations of labels that are shared pay β, all others α + β.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg


def split_labels(W1: np.ndarray, W2: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal combinations of labels: at most r that are shared (C_r), and all others.

    Fewer than r are shared where the labels do not span as many directions of the features; the
    others would change nothing.
    """
    N = W2.T @ W1
    lam, C = linalg.eigh((N + N.T) / 2, driver="evd", check_finite=False)
    rank = np.count_nonzero(lam > len(lam) * np.finfo(N.dtype).eps * max(lam[-1], 0.0))
    r = min(r, int(rank))
    C = C[:, ::-1]
    return C[:, :r], C[:, r:]


def coefficients(W1: np.ndarray, W2: np.ndarray, own: np.ndarray, n: int) -> np.ndarray:
    """U, the labels' combinations `own` being those that are not shared; there are few of them."""
    return (W1 - ((W1 - W2) @ own) @ own.T) / n


def subspace(W1: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Θᵀ, an orthonormal basis of W₁C_r."""
    return linalg.qr(W1 @ shared, mode="economic", check_finite=False)[0]
