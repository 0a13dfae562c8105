"""Ridge regressions on the factor of a similarity, for several penalties at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from colabel.family.solver import Solver
from colabel.linalg.cost import Size
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.linalg.normal import solve_normal
from colabel.linalg.svd import SVD


@dataclass(frozen=True)
class RidgeTask:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ of `ridges`, TR the factor of `targets`.

    For the solver "factor", λ may be an array with a penalty for each column of W.
    """

    data: CentredData
    targets: Similarity
    ridges: list[float]
    tol: float = 1e-10

    @cached_property
    def size(self) -> Size:
        """What costs depend on."""
        return Size.of(self.data.core)


@dataclass(frozen=True)
class RidgeSolutions:
    """The solutions, in coordinates of V where X̄ = UΣVᵀ is known: linear algebra with them is as
    small as the rank of X.
    """

    coordinates: list[np.ndarray]
    svd: SVD | None = None

    def expand(self, C: np.ndarray) -> np.ndarray:
        """Coordinates as directions over the core of the data."""
        return C if self.svd is None else self.svd.right_dot(C)


class RidgeByFactor(Solver[RidgeTask, RidgeSolutions]):
    """Divisions by Σ² + λ, once X̄ = UΣVᵀ is there; of a singular X̄ the minimum norm."""

    name = "factor"

    def applies(self, task: RidgeTask) -> str:
        return ""

    def seconds(self, task: RidgeTask) -> float:
        size = task.size
        begin = 0.0 if task.data.is_factored else size.gram + size.eigh
        return begin + size.products(2 * task.targets.rank)

    def solve(self, task: RidgeTask) -> RidgeSolutions:
        svd = task.data.factorise().svd
        F = svd.s[:, None] * task.targets.times_root(svd.left_transpose_dot(task.targets.labels))
        return RidgeSolutions([F / (svd.s[:, None] ** 2 + b) for b in task.ridges], svd)


class RidgeByNormalEquations(Solver[RidgeTask, RidgeSolutions]):
    """Block solves that share one Gram, or one Krylov space."""

    name = "two-stage"

    def applies(self, task: RidgeTask) -> str:
        return "" if task.targets.rank else "no label varies, and there is nothing to solve for"

    def seconds(self, task: RidgeTask) -> float:
        rank = task.targets.rank
        return task.size.products(rank) + task.size.block_solve(rank, len(set(task.ridges)))

    def solve(self, task: RidgeTask) -> RidgeSolutions:
        return RidgeSolutions(solve_normal(task.data.core, task.targets, task.ridges, tol=task.tol))


SOLVERS = (RidgeByFactor(), RidgeByNormalEquations())
