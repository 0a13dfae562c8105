"""What a solver is: when it applies, what it costs, and what it finds."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

T = TypeVar("T")
Found = TypeVar("Found")


class Solver(ABC, Generic[T, Found]):
    """One way to do a task; all ways find the same."""

    #: As `solver=` has it.
    name: ClassVar[str]

    @abstractmethod
    def applies(self, task: T) -> str:
        """Why it cannot do the task; empty if it can."""

    @abstractmethod
    def seconds(self, task: T) -> float:
        """What it would take: only the ratios between solvers matter."""

    @abstractmethod
    def solve(self, task: T) -> Found:
        """What is asked for."""
