"""The k largest eigenvalues of a symmetric matrix from few products with it, and a proof.

Block Lanczos iteration: the space of Q, AQ, A²Q, …, of random Q with few columns, soon has the
leading eigenvectors in it. All its vectors are kept orthogonal to all others, so that none is found
twice. It can hide one: a space of `BLOCK` columns sees no more copies of one eigenvalue. That
nothing is missing is proven by a Cholesky factorisation: A without the eigenpairs found has no
eigenvalue above θ if θI − A + VΛVᵀ has a root.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from colabel.linalg import small

#: Columns that are multiplied at a time: about as many as take no longer than reading A.
BLOCK = 8
#: Vectors at the first look at what is found, as a multiple of k; by which factor there are at most
#: more of them at the next; and the share of all from which on it costs less to find all at once.
FIRST, GROWTH, MOST = 4, 1.4, 0.4
#: Spectra up to so flat are worth a try: (Σλ)²/Σλ², which is m where all m eigenvalues are alike.
FLAT = 0.25
#: Residuals are at most so large a share of the distance to the next eigenvalue.
SHARE = 1e-9

EPS = float(np.finfo(np.float64).eps)


def extreme(
    A: LinearOperator, k: int, tol: float, v0: np.ndarray, *, advice: str, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The k eigenpairs of an operator at one end, by ARPACK; fewer, with a warning, if need be.

    Parameters
    ----------
    A : LinearOperator
        Symmetric.
    k : int
    tol : float
    v0 : ndarray
        Where to start.
    advice : str
        What else will do, for the warning.
    **options
        Of scipy's ``eigsh``.
    """
    try:
        return eigsh(A, k=k, tol=tol, v0=v0, **options)
    except ArpackNoConvergence as error:
        found = len(error.eigenvalues)
        warnings.warn(
            f"Lanczos iteration found {found} of {k} eigenvectors to tol={tol:g} and goes on with "
            f"those; a larger tol, {advice} will do",
            ConvergenceWarning,
            stacklevel=3,
        )
        return error.eigenvalues, error.eigenvectors


def leading(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The k largest eigenvalues, ascending, and their eigenvectors; None where it does not pay.

    A has no negative eigenvalue.
    """
    most, goal = int(MOST * len(A)), FIRST * k
    if goal > most or np.trace(A) ** 2 > FLAT * len(A) * np.vdot(A, A):
        return None
    space, looks = _Space(A, most), []
    while goal <= most:
        space.grow(goal)
        lam, S = np.linalg.eigh(space.quotient)
        excess = _excess(lam, space.residuals(S), k)
        if excess <= 1.0:
            lam, V = lam[-k:], space.vectors(S[:, -k:])
            return (lam, V) if _is_all(A, lam, V) else None
        looks.append((space.size, float(np.log(excess))))
        goal = _next_look(looks)
    return None


def _excess(lam: np.ndarray, residuals: np.ndarray, k: int) -> float:
    """The largest of the k last residuals, over what it may be.

    An eigenvector is off by its residual over the distance of its eigenvalue to the next one. None
    is found more precisely than rounding allows.
    """
    gaps = np.diff(lam[-k - 1 :])
    gaps = np.minimum(gaps, np.append(gaps[1:], np.inf))
    return float(np.max(residuals[-k:] / np.maximum(SHARE * gaps, 4 * EPS * lam[-1])))


def _next_look(looks: list[tuple[int, float]]) -> int:
    """With how many vectors to look again, from how residuals have fallen: ever faster."""
    size, excess = looks[-1]
    before, higher = looks[-2] if len(looks) > 1 else (0, excess)
    fall = 1.5 * (higher - excess) / (size - before)
    more = min(excess / fall, (GROWTH - 1) * size) if fall > 0 else size // 4
    return int(size + max(more, BLOCK))


def _is_all(A: np.ndarray, lam: np.ndarray, V: np.ndarray) -> bool:
    """Whether A without these eigenpairs has none that is larger, to rounding."""
    above = (V * lam) @ V.T
    above -= A
    above.flat[:: len(A) + 1] += lam[0] + 10 * len(A) * EPS * lam[-1]
    try:
        small.Cholesky.of(above)
    except np.linalg.LinAlgError:
        return False
    return True


class _Space:
    """An orthonormal basis in rows, of which all but the last `BLOCK` are multiplied by A."""

    def __init__(self, A: np.ndarray, most: int) -> None:
        self._A, self._rng = A, np.random.default_rng(0)
        self._basis = np.empty((most + 2 * BLOCK, len(A)))
        self._products = np.zeros((most + BLOCK, most + BLOCK))
        self._rest = np.zeros((BLOCK, BLOCK))
        self.size = 0
        start = self._rng.standard_normal((len(A), BLOCK))
        self._basis[:BLOCK] = np.linalg.qr(start)[0].T

    @property
    def quotient(self) -> np.ndarray:
        """VᵀAV for the basis V."""
        return self._products[: self.size, : self.size]

    def vectors(self, S: np.ndarray) -> np.ndarray:
        """VS."""
        return self._basis[: self.size].T @ S

    def residuals(self, S: np.ndarray) -> np.ndarray:
        """‖AVs − θVs‖ for eigenpairs θ, s of the quotient: what leads out of the space."""
        return np.linalg.norm(self._rest @ S[-BLOCK:], axis=0)

    def grow(self, size: int) -> None:
        """Have at least so many vectors that are multiplied."""
        while self.size < size:
            before, self.size = self.size, self.size + BLOCK
            image = self._basis[before : self.size] @ self._A
            # but for rounding, only what the last two blocks span is in it of what is there
            last = slice(max(0, before - BLOCK), self.size)
            inside = image @ self._basis[last].T
            self._products[before : self.size, last] = inside
            self._products[last, before : self.size] = inside.T
            image -= inside @ self._basis[last]
            Q, self._rest = np.linalg.qr(self._orthogonal(image).T)
            lost = np.abs(np.diag(self._rest)) <= len(Q) * EPS * np.abs(inside).max()
            if lost.any():  # the space is closed: others take the place of what is only rounding
                Q[:, lost] = self._rng.standard_normal((len(Q), np.count_nonzero(lost)))
                Q = np.linalg.qr(self._orthogonal(self._orthogonal(Q.T)).T)[0]
            self._basis[self.size : self.size + BLOCK] = Q.T

    def _orthogonal(self, rows: np.ndarray) -> np.ndarray:
        """Rows without their part in the space."""
        basis = self._basis[: self.size]
        return rows - (rows @ basis.T) @ basis
