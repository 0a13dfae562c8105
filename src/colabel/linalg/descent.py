"""Ridge solutions of very many rows and features, each from a solution near it.

Conjugate gradients for (X̄ᵀX̄ + bI)W = F with the diagonal as preconditioner, which takes the
frequencies of words out of the condition number. They start anywhere, unlike those for several
penalties at once, so that the solution of a stronger penalty, or of other rows, is a head start.

Labels are solved for some at a time, in arrays of a bounded size, and search together: each moves
along the directions of all (block conjugate gradients, O'Leary 1980). Labels tell of much the same
features, so that this takes a fraction of the products with X, which are what costs.

Products in single precision cost half. More digits than it has are found in sweeps: a sweep solves
for what the last one left, which is computed in double precision.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from colabel.linalg import krylov, products, small
from colabel.linalg.matrix import DataMatrix

#: Residuals, relative to F, from which on single precision is enough.
SINGLE = 1e-4
#: What a sweep in single precision leaves of a residual, at least, and what it may not leave if
#: another is to follow it: rounding has the better of it then, and double precision takes over.
SWEEP, STALLED = 1e-4, 0.1
#: Residuals from which on it makes no difference that the entries of X are rounded to single
#: precision: that moves them by some 1e-7. What is summed of them is summed in double precision.
ROUNDED = 1e-6
#: Bytes of an array for the labels that are solved for together, of which there are about eight.
BLOCK_BYTES = 2**26
#: Labels that search together, about: more would cost more for their own sake than they save.
TOGETHER = 64
#: Rows at a time, which a thread multiplies in its cache.
ROWS = 2**13
#: Eigenvalues of Grams below so many roundings of the largest one are taken for zero.
ROUNDING = 100
MAX_ITER = 2_000


def precision(tol: float) -> type[np.floating]:
    """In which precision solutions are found."""
    return np.float32 if tol >= SINGLE else np.float64


def precision_of_target(tol: float) -> type[np.floating]:
    """In which precision F has to be known."""
    return np.float32 if tol >= ROUNDED else np.float64


def label_blocks(d: int, labels: int) -> list[slice]:
    """Labels that are solved for together: as many in each, as a few cost much of what many do.

    They come by the eight, which a processor multiplies at a time: some more cost as eight do.
    """
    most = max(8, min(TOGETHER, BLOCK_BYTES // (4 * d)))
    cuts = products.even_cuts(labels, max(1, round(labels / most)))
    cuts[1:-1] = 8 * np.round(cuts[1:-1] / 8)
    return [slice(start, stop) for start, stop in pairwise(cuts.tolist())]


def descend(X: DataMatrix, F: np.ndarray, b: float, start: np.ndarray, tol: float) -> np.ndarray:
    """W with ‖F − (X̄ᵀX̄ + bI)W‖ ≤ tol·‖F‖, column by column.

    Where `MAX_ITER` iterations do not suffice, a ConvergenceWarning tells the residual reached.
    """
    W = np.array(start, dtype=precision(tol))
    del start  # which nobody else may need
    compact, used = X.compact
    if used is not None:  # what no row has is 0 in F, and so in W
        found = descend(compact, F[used], b, W[used], tol)
        W.fill(0)
        W[used] = found
        return W
    solver = _Solver(X, b, rounded=tol >= ROUNDED)
    blocks = label_blocks(len(F), F.shape[1])
    tell, left = krylov.OBSERVER.get(), np.zeros(F.shape[1])
    # the threads here share rows out among themselves, and those of a BLAS would only wait for more
    with small.enough_threads(0), np.errstate(over="ignore", invalid="ignore"):
        for i, part in enumerate(blocks):
            W[:, part], left[part] = solver.solve(F[:, part], W[:, part], tol)
            tell((i + 1) / len(blocks))
    krylov.warn_if_above(tol, left, F, f"{MAX_ITER} iterations")
    return W


class _Solver:
    """(X̄ᵀX̄ + bI)W = F for some labels."""

    def __init__(self, X: DataMatrix, b: float, rounded: bool = False) -> None:
        self.X, self.b, self.rounded = X, b, rounded
        diagonal = X.column_scatter + b
        self.inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[:, None]

    def dot(self, V: np.ndarray, work: products.Work | None = None) -> np.ndarray:
        """(X̄ᵀX̄ + bI)V, in the precision of V."""
        rounded, b = self.rounded or V.dtype == np.float32, V.dtype.type(self.b)
        out = self.X.normal_dot_in(V.dtype, V, work, rounded=rounded)

        def add(at: slice) -> None:
            out[at] += b * V[at]

        _in_steps(add, len(out))
        return out

    def _left(self, F: np.ndarray, W: np.ndarray) -> np.ndarray:
        """F − (X̄ᵀX̄ + bI)W."""
        out = self.dot(W)
        _in_steps(lambda at: np.subtract(F[at], out[at], out=out[at]), len(out))
        return out

    def solve(self, F: np.ndarray, W: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """W, from the one given, and the norms of its residuals."""
        W, goal = np.ascontiguousarray(W), tol * _norms(F)
        R = self._left(F, W) if W.any() else F
        kind, used = np.dtype(np.float32), 0
        while used < MAX_ITER and not np.all((size := _norms(R)) <= goal):
            # of length one, for which single precision has room at any scale of the data
            unit = np.where(size > 0, size, 1.0).astype(W.dtype)
            aim = goal / unit if kind == W.dtype else np.maximum(SWEEP, goal / (2 * unit))
            # arrays are let go of as soon as they can be: each is as large as the model
            R = np.divide(R, unit, out=np.empty(R.shape, kind), casting="same_kind")
            step, R, passed = self._sweep(R, aim, MAX_ITER - used)
            used += passed
            trial = step * unit
            del step
            trial += W
            R = R * unit if kind == W.dtype else self._left(F, trial)
            left = _norms(R)
            if np.all(left <= size):
                W = trial
            else:
                R = self._left(F, W)
            del trial
            if not np.all(left <= np.maximum(goal, STALLED * size)):
                kind = W.dtype
        return W, _norms(R)

    def _sweep(
        self, R: np.ndarray, aim: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """W with (X̄ᵀX̄ + bI)W = R but for what is left of R, and the iterations it took."""
        W, Z, inverse = np.zeros_like(R), np.empty_like(R), self.inverse.astype(R.dtype)
        D, work = _orthonormal(_scaled(inverse, R, Z), np.empty_like(R)), products.Work()
        for passed in range(most):
            if np.all(_norms(R) <= aim) or not D.shape[1]:
                return W, R, max(passed, 1)
            AD = self.dot(D, work)
            K = _pseudo_inverse(_gram(D, AD), R.dtype)
            length = K @ _gram(D, R)
            _add(W, D, length)
            _add(R, AD, -length)
            _add(_scaled(inverse, R, Z), D, -K @ _gram(AD, Z))
            D = _orthonormal(Z, D)
        return W, R, most


def _in_steps(function: Callable[[slice], Any], rows: int) -> list[Any]:
    """What a function gives for some rows at a time, in threads."""
    cuts = products.even_cuts(rows, -(-rows // ROWS))
    return products.in_threads(lambda start, stop: function(slice(start, stop)), cuts)


def _gram(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """AᵀB, added up in float64."""
    parts = _in_steps(lambda at: A[at].T @ B[at], len(A))
    return np.asarray(np.sum(parts, axis=0, dtype=np.float64))


def _scaled(weights: np.ndarray, R: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Diag(weights)R."""
    _in_steps(lambda at: np.multiply(weights[at], R[at], out=out[at]), len(R))
    return out


def _add(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> None:
    """A becomes A + BC."""
    C = C.astype(A.dtype)

    def add(at: slice) -> None:
        A[at] += B[at] @ C

    _in_steps(add, len(A))


def _orthonormal(Z: np.ndarray, out: np.ndarray) -> np.ndarray:
    """A basis of the columns of Z, but for what rounding has the better of.

    It is written to `out` if it has as many columns: a new array costs more than its numbers.
    """
    G = _gram(Z, Z)
    size = np.sqrt(np.diag(G))
    size[~(size > 0)] = np.inf  # nothing of these
    lam, E = _eigenpairs(G / size / size[:, None], Z.dtype)
    basis = (E / (size[:, None] * np.sqrt(lam))).astype(Z.dtype)
    D = out if out.shape[1] == len(lam) else np.empty((len(Z), len(lam)), Z.dtype)
    _in_steps(lambda at: np.matmul(Z[at], basis, out=D[at]), len(Z))
    return D


def _pseudo_inverse(K: np.ndarray, kind: np.dtype) -> np.ndarray:
    lam, E = _eigenpairs(K, kind)
    return (E / lam) @ E.T


def _eigenpairs(G: np.ndarray, kind: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Those of a small Gram, of vectors of some precision, that are certainly not zero.

    There are none where it overflowed.
    """
    if not np.isfinite(G).all():
        return np.empty(0), np.empty((len(G), 0))
    lam, E = np.linalg.eigh((G + G.T) / 2)
    kept = lam > ROUNDING * float(np.finfo(kind).eps) * lam.max(initial=0.0)
    return lam[kept], E[:, kept]


def _norms(A: np.ndarray) -> np.ndarray:
    parts = _in_steps(lambda at: np.einsum("ij,ij->j", A[at], A[at]), len(A))
    return np.sqrt(np.sum(parts, axis=0, dtype=np.float64))
