"""Names that outlive the files they are written in.

A saved model holds the names of its types. Those that are public are saved under the package that
offers them, and not under the file that holds them today.
"""

from typing import TypeVar

T = TypeVar("T")


def public(thing: T) -> T:
    """A class or function of ``colabel`` itself, wherever it is written."""
    thing.__module__ = "colabel"
    return thing
