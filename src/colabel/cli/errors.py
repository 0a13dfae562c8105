"""Errors and warnings as a person at a terminal wants them: one line, no traceback."""

import errno
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer

from colabel._terminal import one_line

#: What the functions of the library call their options, as the command line calls them.
_OPTIONS = "labels|label_column|separator|text|ignore|encode|fetch|zero_based|encoding|format"
_KEYWORD = re.compile(rf"\b({_OPTIONS})=(\[[^\]]*\]|'[^']*'|-?\w*)")
#: What columns are, by their names.
_KIND = re.compile(r"\bkinds=\{['\"]([^{}]*?)['\"]: ['\"](\w+)['\"]\}")
#: The exit code of a program that was stopped by Ctrl-C.
INTERRUPTED = 130
STDOUT_NAME = "the standard output"
_NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


class CommandError(ValueError):
    """A mistake in what a person asked for: what, which value, what to do."""


@dataclass
class Outcome:
    """The exit code of a command."""

    code: int = 0


@contextmanager
def explain_errors() -> Iterator[Outcome]:
    """Say in one line what goes wrong inside; ``COLABEL_TRACEBACK=1`` shows where, too."""
    outcome = Outcome()
    try:
        yield outcome
    except (KeyboardInterrupt, typer.Abort):
        outcome.code = INTERRUPTED
        _tell("stopped")
    except Exception as error:
        if os.environ.get("COLABEL_TRACEBACK"):
            raise
        outcome.code = 2
        _tell(f"error: {_message(error)}")


@contextmanager
def said_in_one_line() -> Iterator[None]:
    """Show each warning once, in a line."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        _tell(f"warning: {in_options(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("once", UserWarning)
        warnings.showwarning = show
        yield


def _tell(line: str) -> None:
    sys.stderr.write(f"colabel: {one_line(line)}\n")


def _message(error: Exception) -> str:
    if hasattr(error, "format_message"):  # a mistake in the options
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "colabel"
        return f"{error.format_message().rstrip('.')}; see {path} --help"
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        return f"{what}; make room, or write elsewhere" if error.errno in _NO_ROOM else what
    if isinstance(error, MemoryError):
        return f"not enough memory ({error}); use fewer rows or features"
    if isinstance(error, ValueError | TypeError | ImportError | OSError):
        return in_options(str(error))
    name = type(error).__name__
    return f"{name}: {error}; this should not happen, COLABEL_TRACEBACK=1 shows where it did"


def in_options(message: str) -> str:
    """A message of the library with the options of the command line in it."""

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        if value == "True":  # as of a switch
            value = ""
        value = ",".join(part.strip().strip("'\"") for part in value.strip("[]").split(","))
        if value and not re.fullmatch(r"[\w.,*/-]+", value):
            value = f"'{value}'"
        return f"--{name.replace('_', '-')} {value}".rstrip()

    return _KIND.sub(r"--column \1=\2", _KEYWORD.sub(option, message)).replace("kinds=", "--column")
