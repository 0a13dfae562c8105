"""Which solver: a cost model in one place.

Each solver's time is the sum of its dominant terms, in floating-point operations over the rate at
which that kind of operation runs. With m = min(n, d), M = max(n, d), k directions wanted, r columns
in the low-rank factor of A:

    Gram        dense  n·d·m              sparse  nnz²/M scattered
    factor      [not factored yet] (Gram + eigh(m)) + eigh(m) for each of A and B that is neither
                diagonal in the coordinates of X̄ = UΣVᵀ nor of low rank + nnz·k
    two-stage   nnz·r + [B ≠ bI] (direct: Gram + m³/3 + m²r; iterative: 100 products with r columns)
    truncated   (100 + 10k) steps of (2nnz + d·(2k + 20)) + [B ≠ bI] (Gram + m³/3, then m² a step)

Only the ratios matter. They were measured on two cores with OpenBLAS; a machine that differs by a
factor of two changes a choice only where the solvers are nearly equal, and never a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from scipy.linalg import LinAlgError

from colabel.algebra.factor import FactoredMatrix

Result = TypeVar("Result")

#: The largest smaller side of X for which a Gram is formed and factorised.
DIRECT_LIMIT = 16_000

# operations a second
DENSE_PRODUCT = 5e10
CHOLESKY = 2e10
EIGH = 8e9  # of the 9m³ operations of all eigenpairs
SPARSE_PRODUCT = 4e9
SCATTERED = 2e8  # sparse times sparse
NARROW_PRODUCT = 1e10  # dense, but with the few columns of a block of right-hand sides
VECTOR = 2e9

ITERATIONS = 100

SOLVERS = ("factor", "two-stage", "truncated")
WHY_NOT = {
    "factor": "it applies to every problem",
    "two-stage": "A has full rank; use 'factor', or 'truncated' with an integer n_components",
    "truncated": "it finds a given number of leading directions, fewer than rows and features: "
    "set n_components to an integer below both, or use 'factor'",
}


@dataclass(frozen=True)
class Size:
    """What the costs depend on."""

    n: int
    d: int
    nnz: int
    dense: bool
    factored: bool
    low_rank: int
    wanted: int | None = None
    plain_constraint: bool = False
    reduced_eighs: int = 0

    @classmethod
    def of(
        cls,
        data: FactoredMatrix,
        *,
        low_rank: int,
        n_components: int | float | None = None,
        plain_constraint: bool = False,
        reduced_eighs: int = 0,
    ) -> Size:
        return cls(
            *data.core.shape,
            nnz=data.core.nnz,
            dense=data.core.is_dense,
            factored="svd" in vars(data),
            low_rank=low_rank,
            wanted=None if isinstance(n_components, float) else n_components,
            plain_constraint=plain_constraint,
            reduced_eighs=reduced_eighs,
        )

    @property
    def small(self) -> int:
        return min(self.n, self.d)

    @property
    def gram(self) -> float:
        if self.dense:
            return self.n * self.d * self.small / DENSE_PRODUCT
        return self.nnz**2 / max(self.n, self.d) / SCATTERED

    def products(self, columns: int) -> float:
        return self.nnz * columns / (DENSE_PRODUCT if self.dense else SPARSE_PRODUCT)

    @property
    def eigh(self) -> float:
        return 9 * self.small**3 / EIGH

    @property
    def cholesky(self) -> float:
        return self.small**3 / 3 / CHOLESKY


def factor(size: Size) -> float:
    """Seconds of the `factor` solver; what is factored already costs nothing again."""
    seconds = size.eigh * size.reduced_eighs + (0.0 if size.factored else size.gram + size.eigh)
    return seconds + size.products(size.low_rank + (size.wanted or size.low_rank or size.small))


def two_stage(size: Size) -> float:
    """Seconds of the `two-stage` solver."""
    seconds = size.products(size.low_rank)
    if size.plain_constraint:
        return seconds
    if size.small > DIRECT_LIMIT:
        return seconds + ITERATIONS * size.products(2 * size.low_rank)
    return seconds + size.gram + size.cholesky + size.small**2 * size.low_rank / DENSE_PRODUCT


def truncated(size: Size) -> float:
    """Seconds of the `truncated` solver."""
    k = size.wanted or size.low_rank
    step = size.products(2) + size.d * (2 * k + 20) / VECTOR
    if size.plain_constraint:
        return (ITERATIONS + 10 * k) * step
    if size.small > DIRECT_LIMIT:
        return (ITERATIONS + 10 * k) * (step + ITERATIONS * size.products(2))
    solves = size.small**2 / VECTOR
    return size.gram + size.cholesky + (ITERATIONS + 10 * k) * (step + solves)


SECONDS = {"factor": factor, "two-stage": two_stage, "truncated": truncated}


def applicable(size: Size) -> list[str]:
    """The solvers that can solve a problem of this size and kind."""
    solvers = ["factor"]
    if size.low_rank:
        solvers.append("two-stage")
    if (size.wanted or size.low_rank or size.small) < size.small:
        solvers.append("truncated")
    return solvers


class SingularError(LinAlgError):
    """B is singular, or too close to it for a solve to keep eight digits."""


def follow(
    routes: dict[str, Callable[[], Result]], size: Size, solver: str = "auto"
) -> tuple[Result, str]:
    """Take the route asked for, or the cheapest, falling back on `factor` where B is singular.

    Returns the result and the name of the route that gave it.
    """
    names = [name for name in applicable(size) if name in routes]
    chosen = cheapest(size, names) if solver == "auto" else solver
    if chosen not in names:
        raise ValueError(f"solver={solver!r} does not apply here: {WHY_NOT[chosen]}")
    try:
        return routes[chosen](), chosen
    except SingularError as error:
        if solver == "auto":
            return routes["factor"](), "factor"
        raise ValueError(
            f"solver={solver!r} needs a well-conditioned constraint, but {error}; "
            "use solver='factor', or a larger ridge"
        ) from None


def cheapest(size: Size, solvers: list[str]) -> str:
    """The solver with the lowest estimate."""
    return min(solvers, key=lambda solver: SECONDS[solver](size))
