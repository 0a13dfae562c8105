"""What the lines of a progress display are made of, where there is a terminal to show them."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


def bars_on_terminal() -> Progress | None:
    """New bars on the standard error; None if that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), _Time())
    return Progress(*columns, console=console, transient=True)


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
