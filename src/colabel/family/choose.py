"""Which solver does a task: the one that is named, or the cheapest that can."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeAlias, TypeVar

import numpy as np

from colabel._documents import Says
from colabel.family.factor import Factor
from colabel.family.problem import Directions, Task, how_many
from colabel.family.ridge import SOLVERS as RIDGE_SOLVERS
from colabel.family.ridge import RidgeSolutions, RidgeTask
from colabel.family.solver import Solver
from colabel.family.truncated import Truncated
from colabel.family.two_stage import TwoStage
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.linalg.normal import SingularError

SolverName: TypeAlias = Literal["auto", "factor", "two-stage", "truncated"]
RidgeSolverName: TypeAlias = Annotated[
    Literal["auto", "factor", "two-stage"],
    Says(
        '"factor" goes through the singular value decomposition of X, "two-stage" through block\n'
        '    solves; both give the same model. "auto" takes the cheaper.'
    ),
]
SOLVERS = (Factor(), TwoStage(), Truncated())

#: Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ, and the solver used; see :func:`solve_ridge`.
SolveRidge: TypeAlias = Callable[[CentredData, Similarity, list[float]], tuple[RidgeSolutions, str]]

T = TypeVar("T")
Found = TypeVar("Found")


def follow(solvers: Sequence[Solver[T, Found]], task: T, name: str) -> tuple[Found, str]:
    """What the named solver finds, and who found it. "auto" goes by these rules:

    1. Solvers that do not apply are out: `two-stage` needs an A of low rank, `truncated` fewer
       directions than rows and features, `factor` always applies.
    2. Of the others, the one that expects to take the fewest seconds; data that are factored
       already cost `factor` nothing again.
    3. Where B turns out to be singular, or too near to it to keep eight digits, `factor`.

    A solver that is named and does not apply, or finds B singular, is an error that says what to
    use instead.
    """
    if name == "auto":
        chosen = min((s for s in solvers if not s.applies(task)), key=lambda s: s.seconds(task))
    else:
        known = {solver.name: solver for solver in solvers}
        chosen = known.get(name, solvers[0])
        reason = chosen.applies(task) if name in known else f"use one of {', '.join(known)}"
        if reason:
            raise ValueError(f"solver={name!r} does not apply here: {reason}")
    try:
        return chosen.solve(task), chosen.name
    except SingularError as error:
        if name == "auto":
            return solvers[0].solve(task), solvers[0].name
        raise ValueError(
            f"solver={name!r} needs a well-conditioned constraint, but {error}; "
            "use solver='factor', or a larger ridge"
        ) from None


def solve(task: Task, solver: str = "auto") -> Directions:
    """Solve a trace problem for the wanted number of directions (see :func:`how_many`)."""
    if task.problem.S.is_low_rank and not task.problem.S.rank:
        how_many(np.empty(0), task.n_components)  # says that there are none
    (P, lam), used = follow(SOLVERS, task, solver)
    return Directions(task.data.lift(P), lam, used)


def solve_ridge(
    data: CentredData,
    targets: Similarity,
    ridges: list[float],
    *,
    solver: str = "auto",
    tol: float = 1e-10,
) -> tuple[RidgeSolutions, str]:
    """Argmin ‖X̄W − TR‖² + λ‖W‖² for each λ, and the solver used.

    The targets are the factor TR of a similarity. λ = 0 gives the solution of minimum norm.
    """
    return follow(RIDGE_SOLVERS, RidgeTask(data, targets, ridges, tol), solver)
