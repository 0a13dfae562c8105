"""What operations on data cost: the sizes that matter, and the rates that were measured.

A time is the sum of its dominant terms, in floating-point operations over the rate at which that
kind of operation runs. With m = min(n, d) and M = max(n, d), a Gram takes n·d·m operations of
a dense X and nnz²/M scattered ones of a sparse X.

A product of a dense X with few columns takes as long as reading X.

Only the ratios matter. They were measured on two cores with OpenBLAS, by ``benchmarks/cost.py``,
which prints them beside these; a machine that differs by a factor of two changes a choice only
where the solvers are nearly equal, and never a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from colabel.linalg.matrix import DataMatrix

#: The largest smaller side of X for which a Gram is formed and factorised without asking what
#: iterations would cost. Up to `STRETCH` times as large it is where there are many columns to solve
#: for, and one Gram fits into `FACTOR_BYTES`.
DIRECT_LIMIT = 12_000
STRETCH = 2

# operations a second
DENSE_PRODUCT = 5e10
STREAM = 1e9  # entries of a dense X, which a product with few columns waits for
CHOLESKY = 2e10
EIGH = 7e10  # of the 9m³ operations of all eigenpairs
SPARSE_PRODUCT = 4e9
SCATTERED = 2e8  # sparse times sparse
NARROW_PRODUCT = 1e10  # dense, but with the few columns of a block of right-hand sides
VECTOR = 2e9

ITERATIONS = 100

#: What a factorisation may take in memory.
FACTOR_BYTES = 3 * 2**30


@dataclass(frozen=True)
class Size:
    """What the costs depend on."""

    n: int
    d: int
    nnz: int
    dense: bool

    @classmethod
    def of(cls, X: DataMatrix) -> Size:
        return cls(*X.shape, nnz=X.nnz, dense=X.is_dense)

    @cached_property
    def small(self) -> int:
        return min(self.n, self.d)

    @cached_property
    def gram(self) -> float:
        if self.dense:
            return self.n * self.d * self.small / DENSE_PRODUCT
        return self.nnz**2 / max(self.n, self.d) / SCATTERED

    def products(self, columns: int) -> float:
        if not self.dense:
            return self.nnz * columns / SPARSE_PRODUCT
        return self.nnz * max(columns / DENSE_PRODUCT, 1.0 / STREAM)

    @cached_property
    def eigh(self) -> float:
        return 9 * self.small**3 / EIGH

    @cached_property
    def cholesky(self) -> float:
        return self.small**3 / 3 / CHOLESKY

    def can_be_factored(self, times: int, columns: int) -> bool:
        """Whether to factor it, or as many parts of it, rather than to iterate for all columns.

        A factorisation gives what iterations do not, such as scores of rows that are left out one
        by one: it may take some times as long, but not minutes, nor gigabytes.
        """
        if self.small > DIRECT_LIMIT or 3 * 8 * self.small**2 > FACTOR_BYTES:
            return False
        iterating = times * 3 * ITERATIONS * self.products(2 * columns)
        return self.gram + times * self.eigh < max(10.0, 5 * iterating)

    def block_solve(self, columns: int) -> float:
        """Seconds of a solve with X̄ᵀSX̄ + bI: direct, or 100 products where that is too large."""
        if not self.solves_directly(columns):
            return ITERATIONS * self.products(2 * columns)
        return self._direct_solve(columns)

    def _direct_solve(self, columns: int) -> float:
        return self.gram + self.cholesky + 2 * self.small**2 * columns / DENSE_PRODUCT

    def solves_directly(
        self, columns: int, iterations: Callable[[], float] = lambda: ITERATIONS
    ) -> bool:
        """Whether to factorise a Gram for so many columns, rather than to iterate.

        How many iterations there would be is asked only where it matters.
        """
        if self.small <= DIRECT_LIMIT:
            return True
        if self.small > STRETCH * DIRECT_LIMIT or 8 * self.small**2 > FACTOR_BYTES:
            return False
        return self._direct_solve(columns) < iterations() * self.products(2 * columns)
