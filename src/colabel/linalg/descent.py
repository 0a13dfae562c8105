"""Ridge solutions of very many rows and features, each from a solution near it.

Conjugate gradients for (X̄ᵀX̄ + bI)W = F with the diagonal as preconditioner, which takes the
frequencies of words out of the condition number. They start anywhere, unlike those for several
penalties at once, so that the solution of a stronger penalty, or of other rows, is a head start.
Rough solutions are found in single precision, in which products cost half; labels are solved for
some at a time, in arrays of a bounded size.
"""

from itertools import pairwise

import numpy as np

from colabel.linalg import krylov
from colabel.linalg.matrix import DataMatrix

#: Residuals, relative to F, from which on single precision is enough.
SINGLE = 1e-5
#: Bytes of an array for the labels that are solved for together, of which there are about eight.
BLOCK_BYTES = 2**26
MAX_ITER = 2_000


def precision(tol: float) -> type[np.floating]:
    """In which precision solutions are found."""
    return np.float32 if tol >= SINGLE else np.float64


def label_blocks(d: int, labels: int) -> list[slice]:
    """Labels that are solved for together."""
    most = max(8, BLOCK_BYTES // (4 * d))
    parts = -(-labels // most)
    cuts = np.linspace(0, labels, parts + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(cuts)]


def descend(X: DataMatrix, F: np.ndarray, b: float, start: np.ndarray, tol: float) -> np.ndarray:
    """W with ‖F − (X̄ᵀX̄ + bI)W‖ ≤ tol·‖F‖, column by column.

    Where `MAX_ITER` iterations do not suffice, a ConvergenceWarning tells the residual reached.
    """
    kind = precision(tol)
    W = np.array(start, dtype=kind)
    diagonal = X.column_scatter + b
    inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[:, None].astype(kind)
    blocks = label_blocks(len(F), F.shape[1])
    tell, left = krylov.OBSERVER.get(), np.zeros(F.shape[1])
    for i, part in enumerate(blocks):
        W[:, part], left[part] = _descend(X, F[:, part].astype(kind), b, W[:, part], inverse, tol)
        tell((i + 1) / len(blocks))
    krylov.warn_if_above(tol, left, F, f"{MAX_ITER} iterations")
    return W


def _descend(
    X: DataMatrix, F: np.ndarray, b: float, start: np.ndarray, inverse: np.ndarray, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """W of some labels, and their residuals."""
    W, R = np.ascontiguousarray(start), F.copy()
    goal = tol * _norms(F)
    if W.any():
        R -= X.normal_dot_in(F.dtype, W)
        R -= F.dtype.type(b) * W
    D = inverse * R
    rho = _dots(R, D)
    for _ in range(MAX_ITER):
        if np.all(_norms(R) <= goal):
            break
        AD = X.normal_dot_in(F.dtype, D)
        AD += F.dtype.type(b) * D
        length = _divide(rho, _dots(D, AD)).astype(F.dtype)
        W += length * D
        AD *= length
        R -= AD
        np.multiply(inverse, R, out=AD)
        previous, rho = rho, _dots(R, AD)
        D *= _divide(rho, previous).astype(F.dtype)
        D += AD
    return W, _norms(R)


def _dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", A, B).astype(np.float64)


def _norms(A: np.ndarray) -> np.ndarray:
    return np.sqrt(_dots(A, A))


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a/b, and 0 where a column came to its end exactly."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
