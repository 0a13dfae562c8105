"""A progress bar for a comparison that is started from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console


@contextmanager
def bar(enabled: bool) -> Iterator[Any]:
    """What shows the progress of a comparison on a terminal, and nothing elsewhere."""
    console = Console(stderr=True)
    if not (enabled and console.is_terminal):
        yield lambda state: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Bar(*columns, console=console, transient=True) as shown:
        task = shown.add_task("", total=None, now="")
        yield lambda state: shown.update(
            task, total=state.total, completed=state.done, now="; ".join(state.running)
        )
