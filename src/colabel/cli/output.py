"""What a command says and writes."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from colabel._terminal import line
from colabel.cli.errors import STDOUT_NAME, CommandError
from colabel.persistence.replacement import name_failures, named_writer, replace_file

Json = Annotated[
    bool, typer.Option("--json", help="Say it as JSON on the standard output, for programs.")
]


#: What ``-`` means where a file is to be named.
STDOUT = Path("-")


def tell(line: str, *, err: bool = False) -> None:
    """Say a line on the standard output, or on the standard error."""
    with name_failures("the standard error" if err else STDOUT_NAME):
        typer.echo(line, err=err)


def print_json(result: dict[str, Any]) -> None:
    """Write plain data to the standard output."""
    tell(json.dumps(result, ensure_ascii=False, indent=2))


def check_outputs(outputs: Iterable[tuple[str, Path | None]], inputs: Iterable[Path] = ()) -> None:
    """Refuse files that cannot be written, or that hold what is read, before any work is done."""
    given = [(option, path) for option, path in outputs if path is not None]
    for (one, path), (other, another) in combinations(given, 2):
        if path == another == STDOUT:
            raise CommandError(
                f"{one} and {other} both want the standard output; give {one} a file"
            )
        if _same(path, another):
            raise CommandError(f"{one} {path} and {other} {another} are one file; name two")
    read = list(inputs)
    for option, path in given:
        if path == STDOUT:
            continue
        _check_writable(path, option)
        for source in read:
            if _same(path, source):
                raise CommandError(
                    f"{option} {path} would overwrite {source}, which is read; choose another name"
                )


def _same(one: Path, other: Path) -> bool:
    """Whether two names lead to the same file; pipes and devices hold nothing to be lost."""
    if STDOUT in (one, other):
        return False
    try:
        return os.path.samefile(one, other) and one.is_file()
    except OSError:  # one is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def _check_writable(path: Path, option: str) -> None:
    folder = path.resolve().parent
    if path.is_dir():
        raise CommandError(f"{option} {path} is a folder; name a file in it")
    if not folder.is_dir():
        raise CommandError(f"{option} {path}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK) and not _is_device(path):
        raise CommandError(
            f"{option} {path}: no permission to write in {folder}; choose another folder"
        )


def _is_device(path: Path) -> bool:
    """Whether it is a pipe or the like, which is written to where it is."""
    return path.exists() and not path.is_file()


@contextmanager
def write_to(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, that is there when it is complete; or the standard output."""
    if path != STDOUT:
        with replace_file(path) as file:
            yield file
        return
    sys.stdout.flush()
    with named_writer(sys.stdout.buffer, STDOUT_NAME) as file:
        yield file


@contextmanager
def busy(description: str) -> Iterator[None]:
    """A bar on the terminal that moves while something is done, on the standard error."""
    with line(description, None, patience=0.0):
        yield
