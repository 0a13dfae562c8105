"""Progress bars for what takes longer than a person likes to wait without one.

A process has one display, with a line for each thing that is under way: two that draw on the same
terminal overwrite each other.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

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
    if not enabled:
        yield from steps
        return
    with line(description, total) as shown:
        for step in steps:
            yield step
            shown.advance()


@contextmanager
def watched_iterations(description: str) -> Iterator[None]:
    """Show on the terminal how far an iterative solve has come, once it takes over two seconds."""
    with line(description, 1.0, unit="share") as shown:
        token = OBSERVER.set(shown.update)
        try:
            yield
        finally:
            OBSERVER.reset(token)


class Line:
    """A line of the display: how far one thing is; nothing is shown without `bars`."""

    def __init__(self, bars: Progress | None, task: TaskID, patience: float) -> None:
        self._bars, self._task = bars, task
        self._due = time.monotonic() + patience
        self._show_if_due()

    def advance(self) -> None:
        """One step more is done."""
        if self._bars is not None:
            self._bars.advance(self._task)
            self._show_if_due()

    def update(self, completed: float, total: float | None = None, now: str | None = None) -> None:
        """So much is done, perhaps of another total; `now` is what is under way."""
        if self._bars is not None:
            self._bars.update(self._task, completed=completed, total=total, description=now)
            self._show_if_due()

    def _show_if_due(self) -> None:
        if self._bars is not None and time.monotonic() >= self._due:
            self._bars.update(self._task, visible=True)
            _DISPLAY.start()


@contextmanager
def line(
    description: str, total: float | None, *, unit: str = "steps", patience: float | None = None
) -> Iterator[Line]:
    """A line of the display while something is done; it appears after some seconds.

    Parameters
    ----------
    description : str
    total : float or None
        Steps in all; None where nobody knows.
    unit : {"steps", "share"}
        What is counted.
    patience : float or None
        Seconds before it is shown; 0 shows it at once, and None is `PATIENCE`.
    """
    patience = PATIENCE if patience is None else patience
    bars = _DISPLAY.open()
    if bars is None:
        yield Line(None, TaskID(0), patience)
        return
    task = bars.add_task(description, total=total, visible=False, unit=unit)
    try:
        yield Line(bars, task, patience)
    finally:
        bars.remove_task(task)
        _DISPLAY.close()


class _Count(ProgressColumn):
    """Steps of all steps, or a share in percent; nothing where neither is known."""

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text(f"{task.completed:g}" if task.completed else "")
        if task.fields["unit"] == "share":
            return Text(f"{task.percentage:>3.0f}%")
        return Text(f"{task.completed:g}/{task.total:g}")


class _Time(ProgressColumn):
    """The time that is left, or that has passed where nobody knows what is left."""

    def __init__(self) -> None:
        super().__init__()
        self._left, self._passed = TimeRemainingColumn(), TimeElapsedColumn()

    def render(self, task: Task) -> Text:
        return (self._passed if task.total is None else self._left).render(task)


class _Display:
    """The one display of this process, on the standard error if that is a terminal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._users = 0
        # a process that another started would draw over what that one draws
        self.is_silent = multiprocessing.current_process().name != "MainProcess"

    def open(self) -> Progress | None:
        """The bars, made for the first who asks; None where there is no terminal."""
        with self._lock:
            if self.is_silent:
                return None
            if self._bars is None:
                console = Console(stderr=True)
                if not console.is_terminal:
                    return None
                columns = (TextColumn("{task.description}"), BarColumn(), _Count(), _Time())
                self._bars = Progress(*columns, console=console, transient=True)
            self._users += 1
            return self._bars

    def start(self) -> None:
        """Show the lines that are due."""
        with self._lock:
            if self._bars is not None and not self._bars.live.is_started:
                self._bars.start()

    def close(self) -> None:
        """What the last one does takes the display away."""
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._bars is not None:
                self._bars.stop()
                self._bars = None


_DISPLAY = _Display()


def silence() -> None:
    """Show nothing from now on: another process draws on the same terminal."""
    _DISPLAY.is_silent = True
