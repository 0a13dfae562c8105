"""A progress bar for what takes longer than a person likes to wait without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from colabel.algebra.krylov import OBSERVER

Step = TypeVar("Step")

#: Seconds before a bar appears.
PATIENCE = 2.0


def progress(
    steps: Iterable[Step],
    *,
    total: int | None = None,
    description: str = "",
    enabled: bool = True,
) -> Iterator[Step]:
    """Pass `steps` through, with a bar on the terminal once it takes over two seconds.

    Nothing is written to a file or a pipe, nor when not `enabled`.
    """
    console = Console(stderr=True)
    if not (enabled and console.is_terminal):
        yield from steps
        return
    with _late_bar(console, description, MofNCompleteColumn(), total) as (bar, task):
        for step in steps:
            yield step
            bar.advance(task)
            _start_if_due(bar)


@contextmanager
def watched_iterations(description: str) -> Iterator[None]:
    """Show on the terminal how far an iterative solve has come, once it takes over two seconds."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with _late_bar(console, description, TaskProgressColumn(), 1.0) as (bar, task):

        def observe(share: float) -> None:
            bar.update(task, completed=share)
            _start_if_due(bar)

        token = OBSERVER.set(observe)
        try:
            yield
        finally:
            OBSERVER.reset(token)


@contextmanager
def _late_bar(
    console: Console, description: str, count: ProgressColumn, total: float | None
) -> Iterator[tuple[Progress, TaskID]]:
    """A bar that is not shown yet."""
    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(description, total=total)
    try:
        yield bar, task
    finally:
        bar.stop()


def _start_if_due(bar: Progress) -> None:
    elapsed = bar.tasks[0].elapsed or 0.0
    if not bar.live.is_started and elapsed > PATIENCE:
        bar.start()
