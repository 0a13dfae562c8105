"""Rows as a kernel sees them, for algorithms that know only data matrices."""

import warnings
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from scipy import linalg

from colabel.linalg.data import CentredData
from colabel.linalg.dense import DenseMatrix

#: Eigenvalues below minus this share of the largest are more than rounding.
INDEFINITE = 1e-6


@dataclass(frozen=True)
class KernelSpace:
    """Coordinates whose directions are combinations of the images of rows."""

    #: EΛ^(−½).
    basis: np.ndarray
    #: The mean row of K.
    origin: np.ndarray

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions as coefficients of the rows of K."""
        return self.basis @ C

    def project(self, P: np.ndarray) -> NoReturn:
        raise TypeError("images of rows have no features to project")


def kernel_rows(K: np.ndarray, dtype: np.dtype) -> CentredData:
    """The images of n rows, given by their kernel matrix: HKH = EΛEᵀ, as the rows of EΛ^½.

    Directions C in these coordinates are combinations EΛ^(−½)C of the images (the representer
    theorem): the features are then the columns of K. As data are centred anyway, a kernel need only
    be positive on differences of rows.
    """
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
    return CentredData(DenseMatrix(E[:, kept] * root), KernelSpace(E[:, kept] / root, mean), dtype)
