"""A progress bar for what takes longer than a person likes to wait without one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

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
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    begin = time.monotonic()
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(description, total=total)
    try:
        for step in steps:
            yield step
            bar.advance(task)
            if not bar.live.is_started and time.monotonic() - begin > PATIENCE:
                bar.start()
    finally:
        bar.stop()
