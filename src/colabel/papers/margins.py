"""The papers' linear SVMs as LIBSVM has them: the hinge, and an intercept that is not penalised.

    min ½‖w‖² + C Σ_i max(0, 1 − s_i (z_iᵀw + b))    over w and b, for each column of signs s

Either by LIBSVM itself, which is given the Gram matrix, once for all labels and costs; or, on few
features, exactly, for all labels at once, by a primal-dual interior-point method, which takes in a
step one product of the n×q weights of the rows with the n×k² products of features.
"""

import warnings
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

#: The duality gap that is left, as a share of the objective; and the most steps.
GAP, MAX_STEPS = 1e-6, 100
#: How much of the way to the boundary a step goes.
SHORT_OF = 0.995


class ExactSVM:
    """A linear SVM with the hinge for each label, on few features.

    Parameters
    ----------
    C : float

    Attributes
    ----------
    coef_ : ndarray of shape (q, k)
    intercept_ : ndarray of shape (q,)
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, Z: np.ndarray, Y: np.ndarray) -> Self:
        """From features (n×k, few) and labels (n×q)."""
        signs = 2.0 * np.asarray(Y, dtype=np.float64) - 1.0
        varying = np.abs(signs.sum(axis=0)) < len(signs)
        self.coef_ = np.zeros((signs.shape[1], Z.shape[1]))
        self.intercept_ = np.where(signs[0] > 0, 1.0, -1.0)
        if varying.any():
            # a share of C in the features leaves dual variables between 0 and 1
            root = np.sqrt(self.C)
            w = _interior_point(root * np.asarray(Z, dtype=np.float64), signs[:, varying])
            self.coef_[varying], self.intercept_[varying] = root * w[:, :-1], w[:, -1]
        return self

    def decision_function(self, Z: np.ndarray) -> np.ndarray:
        """Scores, n×q."""
        return Z @ self.coef_.T + self.intercept_


def _interior_point(Z: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """[w, b] of all columns (q×(k+1)), for C = 1."""
    n, k = Z.shape
    Z1 = np.column_stack([Z, np.ones(n)])
    left, right = np.triu_indices(k + 1)
    pairs = Z1[:, left] * Z1[:, right]
    state = _State(Z1, signs)
    for _ in range(MAX_STEPS):
        active = state.gap > GAP * np.maximum(state.primal, 1.0)
        if not active.any():
            break
        state.step(np.flatnonzero(active), pairs, (left, right))
    else:
        warnings.warn("interior points stopped early", ConvergenceWarning, stacklevel=3)
    return state.w.T


class _State:
    """Where all columns stand: w and b, dual variables a, margins r beyond 1, slacks ξ."""

    def __init__(self, Z1: np.ndarray, signs: np.ndarray) -> None:
        n, q = signs.shape
        self.Z1, self.signs = Z1, signs
        self.w = np.zeros((Z1.shape[1], q))
        self.a, self.r, self.xi = np.full((n, q), 0.5), np.ones((n, q)), np.ones((n, q))
        self.penalised = np.append(np.ones(Z1.shape[1] - 1), 0.0)[:, None]
        self._measure(np.arange(q))

    def _measure(self, columns: np.ndarray) -> None:
        """The objective and the duality gap of the dual point that is feasible in w."""
        if not hasattr(self, "gap"):
            self.gap, self.primal = np.full(len(columns), np.inf), np.ones(len(columns))
            return
        s, a = self.signs[:, columns], self.a[:, columns]
        w = self.w[:, columns]
        back = self.Z1.T @ (s * a)
        primal = 0.5 * np.sum(w[:-1] ** 2, axis=0)
        primal += np.maximum(0.0, 1.0 - s * (self.Z1 @ w)).sum(axis=0)
        dual = a.sum(axis=0) - 0.5 * np.sum(back[:-1] ** 2, axis=0)
        # what sᵀa leaves of 0 counts as far as the intercept may move
        self.gap[columns] = primal - dual + np.abs(back[-1]) * np.abs(w[-1])
        self.primal[columns] = primal

    def step(self, columns: np.ndarray, pairs: np.ndarray, at: Any) -> None:
        """Mehrotra's predictor and corrector."""
        s, w = self.signs[:, columns], self.w[:, columns]
        a, r, xi = self.a[:, columns], self.r[:, columns], self.xi[:, columns]
        u = 1.0 - a
        weight = 1.0 / (r / a + xi / u)
        system = self._system(weight, pairs, at)
        short = 1.0 - s * (self.Z1 @ w)

        def move(of_a: Any, of_u: Any) -> tuple[np.ndarray, ...]:
            h = short + of_a / a - of_u / u
            right = self.Z1.T @ (s * (a + weight * h)) - self.penalised * w
            dw = np.linalg.solve(system, right.T[:, :, None])[:, :, 0].T
            da = weight * (h - s * (self.Z1 @ dw))
            return dw, da, of_a / a - r - r / a * da, of_u / u - xi + xi / u * da

        mu = (np.sum(a * r, axis=0) + np.sum(u * xi, axis=0)) / (2 * len(a))
        _, da, dr, dxi = move(0.0, 0.0)
        t = _longest(a, da, u, r, dr, xi, dxi)
        ahead = np.sum((a + t * da) * (r + t * dr) + (u - t * da) * (xi + t * dxi), axis=0)
        target = mu * (ahead / (2 * len(a)) / mu) ** 3
        dw, da, dr, dxi = move(target - da * dr, target + da * dxi)
        t = SHORT_OF * _longest(a, da, u, r, dr, xi, dxi)
        self.w[:, columns] = w + t * dw
        self.a[:, columns], self.r[:, columns] = a + t * da, r + t * dr
        self.xi[:, columns] = xi + t * dxi
        self._measure(columns)

    def _system(self, weight: np.ndarray, pairs: np.ndarray, at: Any) -> np.ndarray:
        """J + Z̃ᵀDZ̃ of every column, q×(k+1)×(k+1)."""
        size = self.Z1.shape[1]
        out = np.empty((weight.shape[1], size, size))
        products = weight.T @ pairs
        out[:, at[0], at[1]] = products
        out[:, at[1], at[0]] = products
        places = np.arange(size)
        out[:, places, places] += self.penalised[:, 0] + 1e-12
        return out


def _longest(a: Any, da: Any, u: Any, r: Any, dr: Any, xi: Any, dxi: Any) -> np.ndarray:
    """The longest step, at most 1, that leaves everything positive; for each column."""
    most = np.ones(a.shape[1])
    for value, change in ((a, da), (u, -da), (r, dr), (xi, dxi)):
        with np.errstate(divide="ignore"):
            most = np.minimum(most, np.where(change < 0, -value / change, np.inf).min(axis=0))
    return most


class LibSVM:
    """The same by LIBSVM, as accurate as it is by default, on the Gram matrix of the rows.

    Where a label is rare, the hinge is nearly as low without any features, and the ranking that
    LIBSVM stops with is not that of the minimum.
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, Y: np.ndarray, gram: np.ndarray | None = None) -> Self:
        """From rows (sparse or not), labels and, where it is known, the Gram matrix."""
        K = gram_of(X, X) if gram is None else gram
        duals, self.intercept_ = solve_gram(K, Y, self.C)
        self.coef_ = np.asarray((X.T @ duals).T)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, n×q."""
        return np.asarray(X @ self.coef_.T) + self.intercept_


def gram_of(X: Any, other: Any) -> np.ndarray:
    """All products of two sets of rows, dense."""
    products = X @ other.T
    return products.toarray() if issparse(products) else np.asarray(products)


def solve_gram(K: np.ndarray, Y: np.ndarray, C: float) -> tuple[np.ndarray, np.ndarray]:
    """Signed dual variables (n×q) and intercepts of LIBSVM, for each label."""
    duals, intercepts = np.zeros(Y.shape), np.where(Y[0] > 0, 1.0, -1.0)
    for label in np.flatnonzero((Y[0] != Y).any(axis=0)):
        model = SVC(C=C, kernel="precomputed", cache_size=500).fit(K, Y[:, label])
        duals[model.support_, label] = model.dual_coef_[0]
        intercepts[label] = model.intercept_[0]
    return duals, intercepts


def squared_svm(C: float = 1.0) -> OneVsRestClassifier:
    """A linear SVM for each label with squared hinge and a penalised intercept, as LIBLINEAR's."""
    return OneVsRestClassifier(LinearSVC(C=C, random_state=0))
