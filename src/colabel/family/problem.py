"""max tr(PᵀAP) subject to PᵀBP = I: what is asked, and what is answered."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._parameters import NonNegative
from colabel.linalg.cost import Size
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import NOTHING, Similarity

#: Directions P over `core`, and their eigenvalues.
Solution = tuple[np.ndarray, np.ndarray]

#: What most methods call their b.
Ridge: TypeAlias = Annotated[
    NonNegative,
    Says("The multiple of I that is added to B; it is not scaled by the number of rows."),
]


@dataclass(frozen=True)
class TraceProblem:
    """A = X̄ᵀSX̄ and B = M(I + cM)⁻¹ + bI with M = X̄ᵀTX̄.

    c = 0 for every method but MLSI, whose constraint is a resolvent of M.

    Parameters
    ----------
    S, T : Similarity
        Of instances; T is 0 if not given.
    b : float, default=1.0
    c : float, default=0.0

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.family import TraceProblem, similarity
    >>> Y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> opls = TraceProblem(similarity.linear(Y), similarity.IDENTITY, b=0.1)
    >>> opls.has_plain_constraint, opls.S.rank
    (False, 2)
    """

    S: Similarity
    T: Similarity = NOTHING
    b: float = 1.0
    c: float = 0.0

    @cached_property
    def has_plain_constraint(self) -> bool:
        """Whether B = bI."""
        return self.T.is_isotropic and self.T.diag == 0

    @property
    def reduced_eighs(self) -> int:
        """Eigenproblems that are left in the coordinates of X̄ = UΣVᵀ."""
        diagonal = self.S.is_isotropic and self.T.is_isotropic
        return int(not self.T.is_isotropic) + int(not (self.S.is_low_rank or diagonal))

    def saturate(self, mu: np.ndarray) -> np.ndarray:
        """Eigenvalues of B from those of M."""
        return mu / (1.0 + self.c * mu) + self.b


@dataclass(frozen=True)
class Directions:
    """P (d×k) with its eigenvalues, largest first, and the solver that found them."""

    P: np.ndarray
    eigenvalues: np.ndarray
    solver: str


@dataclass(frozen=True)
class Task:
    """A problem on data, and how many of its directions are wanted: what a solver is asked."""

    problem: TraceProblem
    data: CentredData
    #: See :func:`how_many`.
    n_components: int | float | None = None
    #: Relative accuracy of iterative solvers.
    tol: float = 1e-10
    #: Of the start of an iteration.
    rng: np.random.RandomState | None = None

    @cached_property
    def size(self) -> Size:
        """What costs depend on."""
        return Size.of(self.data.core)

    @cached_property
    def rank(self) -> int:
        """The columns of F where A = FFᵀ, 0 where A is of full rank."""
        return self.problem.S.rank if self.problem.S.is_low_rank else 0

    @cached_property
    def wanted(self) -> int | None:
        """How many directions, where a number was given."""
        return None if isinstance(self.n_components, float) else self.n_components


def how_many(lam: np.ndarray, n_components: int | float | None) -> int:
    """How many of the positive eigenvalues `lam` (descending) to keep.

    None keeps all; an int that many; a share in (0, 1) the smallest number whose sum is at least
    that share of the sum of all.
    """
    if not len(lam):
        raise ValueError(
            "no direction has a positive eigenvalue: nothing in X varies with the labels; check "
            "for constant features and for labels that all rows have"
        )
    if n_components is None:
        return len(lam)
    if isinstance(n_components, (int, np.integer)):
        if n_components > len(lam):
            warnings.warn(
                f"n_components={n_components}, but only {len(lam)} directions have a positive "
                f"eigenvalue; keeping {len(lam)}",
                UserWarning,
                stacklevel=2,
            )
        return min(int(n_components), len(lam))
    reached = np.cumsum(lam) >= n_components * np.sum(lam)
    return int(np.argmax(reached)) + 1
