"""The methods of the library as options of the command line name them."""

from __future__ import annotations

from colabel.cli.faults import CommandError
from colabel.evaluation import methods as registry
from colabel.evaluation.methods import DEFAULT, Method, Plan, methods

__all__ = ["DEFAULT", "Method", "Plan", "find", "methods"]


def find(name: str) -> Method:
    """The method that ``--method`` names."""
    try:
        return registry.find(name)
    except ValueError as error:
        raise CommandError(f"--method {error}") from None
