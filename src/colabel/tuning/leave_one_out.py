"""What the model without row i says of row i, for every i, from the model of all rows.

With f its scores and h the diagonal of its hat matrix, 1/n from the free intercept included, that
is y_i − (y_i − f_i)/(1 − h_i), exactly; of rows that count differently too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from colabel.family.ridge import RidgeSolutions
from colabel.linalg import products
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.tuning.held_out import HeldOut, Spectrum, Targets

#: Rows at a time, which stay in the cache.
ROWS = 4096
#: Memory for scores by penalties that are asked for one after the other.
TOGETHER_BYTES = 2**29


class LeaveOneOut(HeldOut):
    """All rows, each scored by the model of all others."""

    def __init__(self, data: CentredData, targets: Targets) -> None:
        self.data, self.core, self.targets = data, data.core, targets
        self.rows = np.arange(targets.rows)
        self.signs = 2 * targets.Y.astype(data.core.dtype) - 1
        #: 1 − h by penalty.
        self._room: dict[float, np.ndarray] = {}
        self._coming: list[float] = []
        self._ready: dict[float, np.ndarray] = {}

    @staticmethod
    def of(data: CentredData, Y: np.ndarray) -> LeaveOneOut:
        """Through the smaller one of the two Grams."""
        return (OneOutInRows if data.core.is_wide else OneOutInFeatures)(
            data, Targets(Y, data.core.weights)
        )

    @property
    def n(self) -> float:
        return self.targets.n * (1.0 - 1.0 / self.targets.rows)

    @property
    @abstractmethod
    def spectrum(self) -> Spectrum:
        """Of all rows."""

    def _decompose(
        self, gram: Callable[[], np.ndarray], targets: np.ndarray, *, in_rows: bool
    ) -> Spectrum:
        if not self.data.is_factored:
            return Spectrum.of(gram(), targets, in_rows=in_rows)
        svd = self.data.factorise().svd
        return Spectrum(svd.s**2, svd.basis, targets, in_rows=in_rows)

    def prepare(self, ridges: list[float]) -> None:
        new = [b for b in dict.fromkeys(ridges) if b not in self._room]
        if new:
            room = self._find_room(np.maximum(new, self.spectrum.least))
            self._room.update(zip(new, np.maximum(room, np.finfo(np.float64).eps).T, strict=True))

    def expect(self, ridges: list[float]) -> None:
        self._coming = list(dict.fromkeys(ridges))

    def scores(self, b: float) -> np.ndarray:
        self.prepare([b])
        found = self._residuals(b)
        room = -self._room[b].astype(found.dtype)[:, None]

        def fill(rows: slice) -> None:
            found[rows] /= room[rows]
            found[rows] += self.signs[rows]

        products.in_row_blocks(len(found), fill, ROWS)
        constant = ~self.targets.varying
        if constant.any():
            found[:, constant] = self.targets.base[constant]
        return found

    def own_scores(self, b: float) -> np.ndarray:
        return self.signs - self._residuals(b)

    def solve_all(
        self, data: CentredData, targets: Similarity, ridges: list[float]
    ) -> tuple[RidgeSolutions, str]:
        if min(ridges) <= 0:  # for which the least norm is wanted
            return super().solve_all(data, targets, ridges)
        return RidgeSolutions([self._coefficients(b) for b in ridges]), "factor"

    def put_on_level(self, scores: np.ndarray) -> None:
        """Add the intercept of all rows less that of all but one, lower for rows with a label.

        Where coefficients are small, that alone would rank rows with a label below all others.
        """
        part, base = self.targets.part_of(), self.targets.base.astype(self.signs.dtype)
        moved = np.reshape(part / (1.0 - part), (-1, 1)).astype(self.signs.dtype)
        moved = np.broadcast_to(moved, (len(scores), 1))

        def fill(rows: slice) -> None:
            level = self.signs[rows] - base
            level *= moved[rows]
            scores[rows] += level

        products.in_row_blocks(len(scores), fill, ROWS)

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self.spectrum.overlap(b, c)

    @abstractmethod
    def _coefficients(self, b: float) -> np.ndarray:
        """W."""

    def _residuals(self, b: float) -> np.ndarray:
        """Y − f; those of penalties that are tried one after the other from one product."""
        if b in self._ready:
            return self._ready.pop(b)
        if self._coming[:1] != [b]:
            return self._residuals_of([b])[0]
        several = max(1, TOGETHER_BYTES // self.signs.nbytes)
        group, self._coming = self._coming[:several], self._coming[several:]
        self._ready = dict(zip(group, self._residuals_of(group), strict=True))
        return self._ready.pop(b)

    @abstractmethod
    def _residuals_of(self, ridges: list[float]) -> list[np.ndarray]:
        """Y − f by each penalty, in arrays of their own."""

    @abstractmethod
    def _find_room(self, ridges: np.ndarray) -> np.ndarray:
        """1 − h, rows × penalties."""


class OneOutInFeatures(LeaveOneOut):
    """h_i = 1/n + x̄ᵢᵀ(X̄ᵀX̄ + bI)⁻¹x̄ᵢ."""

    @cached_property
    def spectrum(self) -> Spectrum:
        return self._decompose(self.core.gram, self.targets.cross(self.core), in_rows=False)

    def _coefficients(self, b: float) -> np.ndarray:
        return self.spectrum.solve(b)

    def _residuals_of(self, ridges: list[float]) -> list[np.ndarray]:
        core, solutions = self.core.unweighted, [self.spectrum.solve(b) for b in ridges]
        if len(ridges) == 1:
            fitted = [core.dot(solutions[0])]
        else:
            fitted = np.split(core.rough_dot(np.hstack(solutions)), len(ridges), axis=1)
        return [self._take_off(one) for one in fitted]

    def _take_off(self, fitted: np.ndarray) -> np.ndarray:
        found, base = np.empty(fitted.shape, fitted.dtype), self.targets.base.astype(fitted.dtype)

        def fill(rows: slice) -> None:
            np.subtract(self.signs[rows], fitted[rows], out=found[rows], casting="same_kind")
            found[rows] -= base

        products.in_row_blocks(len(found), fill, ROWS)
        return found

    def _find_room(self, ridges: np.ndarray) -> np.ndarray:
        weights = 1.0 / (self.spectrum.lam[:, None] + ridges)
        h = self.core.weigh_squares(self.spectrum.E, weights)
        return 1.0 - np.reshape(self.targets.part_of(), (-1, 1)) - h


class OneOutInRows(LeaveOneOut):
    """1 − h is the diagonal of b(X̄X̄ᵀ + bI)⁻¹, but for the part of the ones: nothing cancels."""

    @cached_property
    def spectrum(self) -> Spectrum:
        return self._decompose(self._lifted_outer, self.targets.centred(), in_rows=True)

    def _lifted_outer(self) -> np.ndarray:
        """X̄X̄ᵀ, the eigenvalue 0 of the ones lifted to the mean of the others."""
        gram, self._lift = self.core.lifted_outer()
        return gram

    def _coefficients(self, b: float) -> np.ndarray:
        return self.core.tdot(self.spectrum.solve(b))

    def _residuals_of(self, ridges: list[float]) -> list[np.ndarray]:
        E, z, lam = self.spectrum.E, self.spectrum.z, self.spectrum.lam[:, None]
        ridges = [max(b, self.spectrum.least) for b in ridges]
        product = E @ np.hstack([z * (b / (lam + b)) for b in ridges])
        found = np.split(product, len(ridges), axis=1)
        if E.shape[1] < len(E):  # what lies in none of the directions is left as it is
            rest = self.targets.centred() - E @ z
            found = [one + rest for one in found]
        root = self.targets.root()
        return [(one / root).astype(self.core.dtype, copy=False) for one in found]

    def _find_room(self, ridges: np.ndarray) -> np.ndarray:
        squares, lam = self.spectrum.E**2, self.spectrum.lam[:, None]
        room = squares @ (ridges / (lam + ridges))
        part = np.reshape(self.targets.part_of(), (-1, 1))
        if squares.shape[1] == len(squares):
            return room - ridges / (self._lift + ridges) * part
        return room + np.maximum(1.0 - part - squares.sum(axis=1, keepdims=True), 0.0)
