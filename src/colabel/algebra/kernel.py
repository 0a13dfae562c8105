"""Rows as a kernel sees them, for algorithms that know only data matrices."""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
from scipy import linalg

from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.matrix import DenseMatrix

#: Eigenvalues below minus this share of the largest are more than rounding.
INDEFINITE = 1e-6


class KernelRows(FactoredMatrix):
    """The images of n rows, given by their kernel matrix: HKH = EΛEᵀ, as the rows of EΛ^½.

    Directions C in these coordinates are combinations EΛ^(−½)C of the images (the representer
    theorem), which is what :meth:`lift` gives: the features are then the columns of K. As data are
    centred anyway, a kernel need only be positive on differences of rows.
    """

    def __init__(self, K: np.ndarray, dtype: np.dtype) -> None:
        mean = K.mean(axis=0)
        lam, E = linalg.eigh(K - mean - mean[:, None] + mean.mean(), check_finite=False)
        if -lam[0] > INDEFINITE * lam[-1]:
            warnings.warn(
                "the kernel is not positive semi-definite on these rows, and its negative part is "
                f"left out: its smallest eigenvalue is {lam[0]:.3g}, its largest {lam[-1]:.3g}",
                UserWarning,
                stacklevel=4,
            )
        scale = max(float(lam[-1]), float(np.abs(K).max()))  # centring may leave only rounding
        kept = lam > len(lam) * np.finfo(K.dtype).eps * scale
        root = np.sqrt(lam[kept])
        super().__init__(DenseMatrix(E[:, kept] * root))
        self._basis, self._dtype, self._row_mean = E[:, kept] / root, dtype, mean

    @property
    def dtype(self) -> np.dtype:
        return self._dtype

    @cached_property
    def mean(self) -> np.ndarray:
        """The mean row of K."""
        return self._row_mean

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions as coefficients of the rows of K."""
        return self._basis @ C
