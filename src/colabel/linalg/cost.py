"""What operations on data cost: the sizes that matter, and the rates that were measured.

A time is the sum of its dominant terms, in floating-point operations over the rate at which that
kind of operation runs. With m = min(n, d), a Gram takes n·d·m operations of a dense X, and of a
sparse one a scattered one for each pair of entries that meet in it.

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

#: The largest smaller side of X for which a direct solve is the rule: iterations stand in for it
#: where they are cheaper, and to its digits. Up to `STRETCH` times as large, a Gram is factorised
#: where that is cheaper and one fits into `FACTOR_BYTES`; beyond, never.
DIRECT_LIMIT = 12_000
STRETCH = 2
#: Seconds of a direct solve below which nobody asks what iterations would take.
SHORT = 0.1
#: About as fast: within this factor, the way that takes much less memory is taken.
ALIKE, MUCH_LESS = 1.5, 0.5

# operations a second
DENSE_PRODUCT = 8.2e10
#: Entries of a dense X, which a product with few columns waits for. The one rate that is not as
#: measured, which is 3.6e9: that would send the first directions of a square X to Lanczos
#: iteration, and which way is faster there was not settled on a quiet machine.
STREAM = 1e9
CHOLESKY = 4.7e10
EIGH = 7.4e10  # of the 9m³ operations of all eigenpairs
SPARSE_PRODUCT = 3e9
SCATTERED = 1.1e9  # pairs of entries in a sparse Gram
NARROW_PRODUCT = 2.2e10  # dense, but with the few columns of a block of right-hand sides
VECTOR = 1.3e9

ITERATIONS = 100
#: No solve takes fewer.
FEWEST = 10

#: What a factorisation may take in memory.
FACTOR_BYTES = 3 * 2**30


@dataclass(frozen=True)
class Size:
    """What the costs depend on."""

    n: int
    d: int
    nnz: int
    dense: bool
    #: Pairs of entries that meet in a Gram of the smaller side of a sparse X; None: as if the
    #: entries were spread evenly.
    pairs: float | None = None

    @classmethod
    def of(cls, X: DataMatrix) -> Size:
        return cls(*X.shape, nnz=X.nnz, dense=X.is_dense, pairs=X.pairs)

    @cached_property
    def small(self) -> int:
        return min(self.n, self.d)

    @cached_property
    def gram(self) -> float:
        if self.dense:
            return self.n * self.d * self.small / DENSE_PRODUCT
        pairs = self.nnz**2 / max(self.n, self.d) if self.pairs is None else self.pairs
        return pairs / SCATTERED

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

    def block_solve(self, columns: int, ridges: int = 1) -> float:
        """Seconds of a solve with X̄ᵀSX̄ + bI for some b: at most those of the direct way, or 100
        products where X is too large for it.
        """
        if self._is_too_large:
            return ITERATIONS * self._iteration(columns, ridges)
        return self._direct_solve(columns, ridges, 1)

    def solves_directly(
        self,
        columns: int,
        iterations: Callable[[], float] = lambda: ITERATIONS,
        *,
        ridges: int = 1,
        solves: int = 1,
    ) -> bool:
        """Whether to factorise Grams, rather than to iterate: for so many columns and ridges at a
        time, so many times.

        How many iterations there would be is asked only where it matters.
        """
        if self._is_too_large:
            return False
        direct = self._direct_solve(columns, ridges, solves)
        limit = direct * (ALIKE if self._needs_much_less(columns, ridges) else 1.0)
        iteration = solves * self._iteration(columns, ridges)
        if direct < SHORT or limit < FEWEST * iteration:
            return True
        return limit < iterations() * iteration

    @cached_property
    def _is_too_large(self) -> bool:
        return self.small > STRETCH * DIRECT_LIMIT or 8 * self.small**2 > FACTOR_BYTES

    def _direct_solve(self, columns: int, ridges: int, solves: int) -> float:
        triangles = 2 * self.small**2 * columns / DENSE_PRODUCT
        return self.gram + ridges * (self.cholesky + solves * triangles)

    def _iteration(self, columns: int, ridges: int) -> float:
        """Of conjugate gradients: products with X and Xᵀ, and some passes over their results."""
        passes = self.small * (3 + 2 * ridges) + (self.d if self.n < self.d else 0)
        return self.products(2 * columns) + passes * columns / VECTOR

    def _needs_much_less(self, columns: int, ridges: int) -> bool:
        """Whether iterations take far less memory than Grams."""
        blocks = self.small * (2 + 3 * ridges) + max(self.n, self.d)
        return blocks * columns < MUCH_LESS * self.small**2 * min(ridges, 2)
