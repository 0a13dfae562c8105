"""min ‖A − TBTᵀ‖² + C‖T − diag(a)T̂‖² over T, T̂, a ≥ 0: arrays in, arrays out.

Rows of T̂ sum to one and are given on labelled rows. For a fixed T the best T̂ and a are known: on
an unlabelled row diag(a)T̂ = T itself, on a labelled one a is the projection ⟨t, t̂⟩/⟨t̂, t̂⟩. So the
state is T alone. Where some labels of a labelled row are unknown, these are as free as those of
unlabelled rows, and the projection is of the others. With T⁰ the last T, U = T⁰BT⁰ᵀT⁰B, V = AT⁰B
and R = 2V + C·diag(a)T̂, the bound of Liu, Jin and Yang (2006) is least where 4UT⁴/T⁰³ + 2CT² =
2RT⁰, that is at

    T² = (−CT⁰³ + √(C²T⁰⁶ + 8U T⁰⁴ R)) / 4U,    or    T = T⁰ √(2R / (CT⁰ + √(C²T⁰² + 8UR))),

elementwise; the second form has no difference of near numbers and no powers that underflow.
(They print C² where C²T⁰⁶ belongs, with which the objective rises.)
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from colabel.linalg.small import enough_threads
from colabel.semi_supervised.graphs import RowSimilarity

#: T is kept above this share of its largest value at the start: zeros are absorbing.
FLOOR = 1e-12
#: Entries of the blocks of rows that a round works on: some of them stay in cache together.
BLOCK_ENTRIES = 2**15


@dataclass(frozen=True)
class Factorisation:
    """The problem."""

    A: RowSimilarity
    #: Similarities of classes, symmetric.
    B: np.ndarray
    C: float
    #: Which rows are labelled.
    rows: np.ndarray
    #: T̂ on labelled rows; zeros for a row without labels.
    shares: np.ndarray
    #: ‖A‖², a constant that is computed once.
    squared_norm: float
    #: Which labels of these rows are unknown, and so free; None: none. `shares` are 0 there.
    unknown: np.ndarray | None = None
    _lengths: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = np.sum(self.shares**2, axis=1)
        object.__setattr__(self, "_lengths", np.where(lengths > 0, lengths, 1.0))

    def consistent(self, T: np.ndarray) -> np.ndarray:
        """diag(a)T̂, the nearest to T that the labels allow."""
        nearest = T.copy()
        nearest[self.rows] = self._projections(T)
        return nearest

    def _projections(self, T: np.ndarray) -> np.ndarray:
        """diag(a)T̂ of the labelled rows; of the others it is T."""
        own = T[self.rows]
        a = np.sum(own * self.shares, axis=1) / self._lengths
        nearest = a[:, None] * self.shares
        return nearest if self.unknown is None else np.where(self.unknown, own, nearest)

    def normalise(self, T: np.ndarray) -> np.ndarray:
        """T̂; zeros where an unlabelled row of T is zero."""
        totals = T.sum(axis=1, keepdims=True)
        That = np.divide(T, totals, out=np.zeros_like(T), where=totals > 0)
        That[self.rows] = self.shares
        if self.unknown is not None:
            some = self.unknown.any(axis=1)
            nearest = self._projections(T)[some]
            totals = nearest.sum(axis=1, keepdims=True)
            That[self.rows[some]] = np.divide(nearest, totals, where=totals > 0, out=nearest)
        return That

    def scale(self, P: np.ndarray) -> float:
        """√s with the s that minimises ‖A − sPBPᵀ‖²."""
        G = P.T @ P @ self.B
        length = _inner(G, G.T)
        return float(np.sqrt(_inner(P, self.A.dot(P @ self.B)) / length)) if length > 0 else 0.0

    def rounds(self, T: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        """T and the objective: first as given, then after each round; it never rises."""
        floor = np.where(T.sum(axis=1, keepdims=True) > 0, FLOOR * T.max(initial=0.0), 0.0)
        floor = floor.astype(T.dtype)
        while True:
            V, G = self.A.dot(T @ self.B), T.T @ T
            BGB = self.B @ G @ self.B
            yield T, self._objective(T, V, G, BGB)
            T = self._next(T, V, BGB, floor)

    def _objective(self, T: np.ndarray, V: np.ndarray, G: np.ndarray, BGB: np.ndarray) -> float:
        away = T[self.rows] - self._projections(T)
        product = _inner(G, BGB)  # ‖TBTᵀ‖²
        agreement = sum(_inner(T[part], V[part]) for part in _row_blocks(T))
        fit = self.squared_norm - 2.0 * agreement + product
        return fit + self.C * _inner(away, away)

    def _next(self, T: np.ndarray, V: np.ndarray, BGB: np.ndarray, floor: np.ndarray) -> np.ndarray:
        """T after a round; rows do not depend on each other, so that blocks stay in cache."""
        new = np.empty_like(T)
        with enough_threads(BLOCK_ENTRIES):
            for part in _row_blocks(T):
                new[part] = update(T[part], T[part] @ BGB, V[part], self.C, T[part])
        known = T[self.rows]
        nearest = self._projections(T)
        new[self.rows] = update(known, known @ BGB, V[self.rows], self.C, nearest)
        return np.maximum(new, floor, out=new)


def update(
    T: np.ndarray, U: np.ndarray, V: np.ndarray, C: float, nearest: np.ndarray
) -> np.ndarray:
    """The T that minimises the bound at the last one; see the top of this file."""
    R = 2.0 * V + C * nearest
    below = C * T + np.sqrt((C * T) ** 2 + 8.0 * U * R)
    ratio = np.divide(2.0 * R, below, out=np.zeros_like(R), where=below > 0)  # 0 where T is
    return T * np.sqrt(ratio)


def class_similarity(Y: np.ndarray, kind: str) -> np.ndarray:
    """Similarities of labels from the rows that have them: "rbf" or "cosine".

    Columns of Y are taken at unit length; a label that no row has is at a right angle to all.
    """
    lengths = np.linalg.norm(Y, axis=0)
    units = Y / np.where(lengths > 0, lengths, 1.0)
    cosines = units.T @ units
    np.fill_diagonal(cosines, 1.0)
    return cosines if kind == "cosine" else np.exp(-2.0 * (1.0 - cosines))


def check_class_similarity(B: Any, q: int) -> Any:
    """The `class_similarity` parameter; a matrix as a checked one of floats."""
    if isinstance(B, str):
        return B
    B = np.asarray(B, dtype=np.float64)
    if B.shape != (q, q):
        raise ValueError(
            f"class_similarity must have a row and a column for each of the {q} labels; got the "
            f"shape {B.shape}"
        )
    if not np.all(np.isfinite(B)) or B.min() < 0 or not np.allclose(B, B.T):
        raise ValueError(
            "class_similarity must be symmetric, finite and ≥ 0; the smallest value is "
            f"{B.min():g}, the largest {B.max():g}, and it differs from its transpose by "
            f"{np.abs(B - B.T).max():g}"
        )
    return B


def _row_blocks(T: np.ndarray) -> Iterator[slice]:
    return gen_batches(len(T), max(1, BLOCK_ENTRIES // max(1, T.shape[1])))


def _inner(M: np.ndarray, N: np.ndarray) -> float:
    return float(np.sum(M * N, dtype=np.float64))
