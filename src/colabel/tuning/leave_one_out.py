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
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.tuning.held_out import HeldOut, Spectrum, Targets

#: Memory for scores by penalties that are asked for one after the other.
TOGETHER_BYTES = 2**28


class LeaveOneOut(HeldOut):
    """All rows, each scored by the model of all others."""

    def __init__(self, data: CentredData, targets: Targets) -> None:
        self.data, self.core, self.targets = data, data.core, targets
        self.rows = np.arange(targets.rows)
        self.signs = 2 * targets.Y.astype(data.core.dtype) - 1
        #: 1 − h by penalty.
        self._room: dict[float, np.ndarray] = {}

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

    def scores(self, b: float) -> np.ndarray:
        self.prepare([b])
        found = self._residuals(b)
        found /= -self._room[b].astype(found.dtype)[:, None]
        found += self.signs
        constant = ~self.targets.varying
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

    @cached_property
    def level(self) -> np.ndarray:  # type: ignore[override]
        """The intercept of all rows less that of all but one, which is lower for rows with a label.

        Where coefficients are small, that alone would rank rows with a label below all others.
        """
        part = self.targets.part_of()
        moved = np.reshape(part / (1.0 - part), (-1, 1)).astype(self.signs.dtype)
        return (self.signs - self.targets.base.astype(self.signs.dtype)) * moved

    def overlap(self, b: float, c: float) -> np.ndarray:
        return self.spectrum.overlap(b, c)

    @abstractmethod
    def _coefficients(self, b: float) -> np.ndarray:
        """W."""

    @abstractmethod
    def _residuals(self, b: float) -> np.ndarray:
        """Y − f, in an array of its own."""

    @abstractmethod
    def _find_room(self, ridges: np.ndarray) -> np.ndarray:
        """1 − h, rows × penalties."""


class OneOutInFeatures(LeaveOneOut):
    """h_i = 1/n + x̄ᵢᵀ(X̄ᵀX̄ + bI)⁻¹x̄ᵢ."""

    def __init__(self, data: CentredData, targets: Targets) -> None:
        super().__init__(data, targets)
        self._coming: list[float] = []
        self._products: dict[float, np.ndarray] = {}

    @cached_property
    def spectrum(self) -> Spectrum:
        return self._decompose(self.core.gram, self.targets.cross(self.core), in_rows=False)

    def expect(self, ridges: list[float]) -> None:
        self._coming = list(dict.fromkeys(ridges))

    def _coefficients(self, b: float) -> np.ndarray:
        return self.spectrum.solve(b)

    def _residuals(self, b: float) -> np.ndarray:
        fitted = self._dot(b)
        found = self.signs.astype(fitted.dtype, copy=False) - fitted
        found -= self.targets.base.astype(found.dtype)
        return found

    def _dot(self, b: float) -> np.ndarray:
        """X̄W; those of penalties that are tried one after the other from one product with X."""
        if b in self._products:
            return self._products.pop(b)
        if self._coming[:1] != [b]:
            return self.core.unweighted.dot(self.spectrum.solve(b))
        several = max(1, TOGETHER_BYTES // self.signs.nbytes)
        group, self._coming = self._coming[:several], self._coming[several:]
        product = self.core.unweighted.rough_dot(np.hstack([self.spectrum.solve(c) for c in group]))
        self._products = dict(zip(group, np.split(product, len(group), axis=1), strict=True))
        return self._products.pop(b)

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

    def _residuals(self, b: float) -> np.ndarray:
        b = max(b, self.spectrum.least)
        E, z = self.spectrum.E, self.spectrum.z
        found = E @ (z * (b / (self.spectrum.lam + b))[:, None])
        if E.shape[1] < len(E):  # what lies in none of the directions is left as it is
            found += self.targets.centred() - E @ z
        found /= self.targets.root()
        return found.astype(self.core.dtype, copy=False)

    def _find_room(self, ridges: np.ndarray) -> np.ndarray:
        squares, lam = self.spectrum.E**2, self.spectrum.lam[:, None]
        room = squares @ (ridges / (lam + ridges))
        part = np.reshape(self.targets.part_of(), (-1, 1))
        if squares.shape[1] == len(squares):
            return room - ridges / (self._lift + ridges) * part
        return room + np.maximum(1.0 - part - squares.sum(axis=1, keepdims=True), 0.0)
