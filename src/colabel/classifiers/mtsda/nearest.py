"""One class a row: the nearest class in the space of the discriminant directions.

Han et al. (2010) print two rules. Their Eq. 2 measures from the means of the classes by the scatter
within them and the penalty (as printed its matrix has the size of the features, and stands where
its inverse belongs); Eq. 3 and 4 measure from the scores of the classes, as they are.
"""

import numpy as np

from colabel._indicator import Indicator, dense_labels

#: Points of the classes (c×k), and L (k×m): a row z is as far as ‖(z − point)L‖.
Points = tuple[np.ndarray, np.ndarray]


def from_means(Z: np.ndarray, labels: Indicator, price: np.ndarray) -> Points:
    """Eq. 2: the means of the classes, and L with LLᵀ = (BᵀΣ_wB + λ₂BᵀΩB)⁺, the last `price`."""
    member = _members(labels)
    if labels.row_weights is not None:
        member = member * labels.row_weights[:, None]
    counts = member.sum(axis=0)
    means = (member.T @ Z) / counts[:, None]
    total = (member.sum(axis=1)[:, None] * Z).T @ Z
    within = (total - (means.T * counts) @ means) / counts.sum()
    lam, V = np.linalg.eigh(within + price)
    kept = lam > len(lam) * np.finfo(np.float64).eps * lam.max(initial=0.0)
    return means, V[:, kept] / np.sqrt(lam[kept])


def from_scores(Theta: np.ndarray, mean: np.ndarray) -> Points:
    """Eq. 3 and 4: rows of Θ, less the mean that X̃B is without; of two classes, the first is 0."""
    points = np.vstack([np.zeros_like(Theta), Theta]) if len(Theta) == 1 else Theta
    return points - mean, np.eye(Theta.shape[1])


def closeness(Z: np.ndarray, points: Points) -> np.ndarray:
    """Less the squared distances from the classes; of two, how much closer the second is."""
    centres, L = points
    rows, centres = Z @ L, centres @ L
    closer = 2 * rows @ centres.T - np.sum(centres**2, axis=1)
    if len(centres) == 2:
        return closer[:, 1:] - closer[:, :1]
    return closer - np.sum(rows**2, axis=1)[:, None]


def _members(labels: Indicator) -> np.ndarray:
    """A column for each class."""
    Y = dense_labels(labels.matrix)
    return np.hstack([1.0 - Y, Y]) if Y.shape[1] == 1 else Y
