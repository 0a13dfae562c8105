"""Text fit to be shown, and progress bars for what takes longer than a person likes to wait.

A process has one display, with a line for each thing that is under way: two that draw on the same
terminal overwrite each other.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from colabel.linalg.krylov import OBSERVER

if TYPE_CHECKING:
    from rich.progress import Progress

Step = TypeVar("Step")

#: Seconds before a bar appears.
PATIENCE = 2.0


def progress(
    steps: Iterable[Step], *, total: int | None = None, description: str = "", enabled: bool = True
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
def watch_iterations(description: str) -> Iterator[None]:
    """Show on the terminal how far an iterative solve has come, once it takes over two seconds."""
    with line(description, 1.0, unit="share") as shown:
        token = OBSERVER.set(shown.update)
        try:
            yield
        finally:
            OBSERVER.reset(token)


def _bars_if_shown() -> Progress | None:
    """New bars, without so much as importing what draws them where nobody would see them."""
    if not _is_terminal():
        return None
    from colabel._bars import bars_on_terminal

    return bars_on_terminal()


def _is_terminal() -> bool:
    forced = os.environ.keys() & {"FORCE_COLOR", "TTY_COMPATIBLE"}
    return bool(forced) or (sys.stderr is not None and sys.stderr.isatty())


class Line:
    """A line of the display: how far one thing is; nothing is shown without `bars`."""

    def __init__(self, bars: Progress | None, task: Any, patience: float) -> None:
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
        yield Line(None, None, patience)
        return
    task = bars.add_task(description, total=total, visible=False, unit=unit)
    try:
        yield Line(bars, task, patience)
    finally:
        bars.remove_task(task)
        _DISPLAY.close()


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
                self._bars = _bars_if_shown()
                if self._bars is None:
                    return None
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


def one_line(text: Any) -> str:
    r"""Text on one line, without characters that steer a terminal or a page.

    Examples
    --------
    >>> from colabel._terminal import one_line
    >>> one_line("two  words\x1b[2J")
    'two words�[2J'
    """
    return "".join(c if c.isprintable() else "�" for c in " ".join(str(text).split()))


def brief(names: Any, most: int = 5) -> str:
    """The first few names, for a message."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"


def markdown_table(
    header: Sequence[object], rows: Iterable[Sequence[object]], right: int = 99
) -> str:
    """A markdown table with aligned columns, so that it can be read as it is.

    Parameters
    ----------
    header : sequence
    rows : iterable of sequence
        What stands in the cells, fit to be shown already.
    right : int
        The first column of numbers, which stand to the right.

    Examples
    --------
    >>> from colabel._terminal import markdown_table
    >>> print(markdown_table(["", "AUC"], [["ridge", 0.5]], right=1))
    |       | AUC |
    |-------|----:|
    | ridge | 0.5 |
    """
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[i]) for row in lines)) for i in range(len(header))]
    texts = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in lines
    ]
    rule = "|".join("-" * (w + 1) + (":" if i >= right else "-") for i, w in enumerate(widths))
    return "\n".join([texts[0], f"|{rule}|", *texts[1:]])
