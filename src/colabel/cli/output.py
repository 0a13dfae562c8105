"""What a command says and writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from colabel._progress import line
from colabel.cli.faults import CommandError

Json = Annotated[
    bool, typer.Option("--json", help="Say it as JSON on the standard output, for programs.")
]


def print_json(result: dict[str, Any]) -> None:
    """Write plain data to the standard output."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2))


def check_writable(path: Path, option: str = "-o") -> None:
    """Refuse a file that could not be written, before the work and not after it."""
    folder = path.resolve().parent
    if path.is_dir():
        raise CommandError(f"{option} {path} is a folder; name a file in it")
    if not folder.is_dir():
        raise CommandError(f"{option} {path}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK):
        raise CommandError(
            f"{option} {path}: no permission to write in {folder}; choose another folder"
        )


@contextmanager
def busy(description: str) -> Iterator[None]:
    """A bar on the terminal that moves while something is done, on the standard error."""
    with line(description, None, patience=0.0):
        yield
