"""A comparison while it runs: a table on a terminal, a line for each result elsewhere."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from colabel._terminal import one_line
from colabel.comparison.plain import read
from colabel.comparison.plan.request import Request
from colabel.comparison.report.svg import short
from colabel.comparison.result import Outcome, Result
from colabel.comparison.run.journal import Journal
from colabel.comparison.run.pool import Terminated
from colabel.comparison.run.runner import Progress, Report
from colabel.comparison.stats.wording import score, seconds

_MOST_LINES = 40
#: Characters of the names of methods, and of a result.
_NAME, _CELL = 24, 11


@contextmanager
def watch(asked: Request, journal: Journal) -> Iterator[Report]:
    """What takes the progress of a comparison; Ctrl-C leaves with a line that says how to go on."""
    console = Console(stderr=True, highlight=False)
    if kept := len(list(_results(journal))):
        used = f"results of an earlier run are used ({kept} from {one_line(journal.path)})"
        console.print(Text(f"{used}; --fresh starts again"), soft_wrap=True)
    state = _Table(asked, journal) if console.is_terminal else _Lines(console)
    try:
        if isinstance(state, _Table):
            with Live(state, console=console, transient=True, refresh_per_second=4):
                yield state
        else:
            yield state
    except (KeyboardInterrupt, Terminated):
        if journal.path is not None:
            done = f"{len(list(_results(journal)))} of {_total(asked)} results are kept"
            typer.echo(f"\ncolabel: {done}; the same command goes on from there", err=True)
        raise


def _results(journal: Journal) -> Iterator[Result]:
    """What a journal holds beside insights."""
    for key in journal:
        dataset, method, split = json.loads(key)
        if isinstance(split, int):
            outcome = read(journal[key], Outcome, "the outcome")
            yield Result.of(dataset, method, split, outcome)


def _total(asked: Request) -> int:
    return len(asked.methods) * sum(len(data.splits) for data in asked.datasets)


class _Lines:
    """A line for each result."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, progress: Progress) -> None:
        result = progress.latest
        if result is None:
            return
        place = f"[{progress.done}/{progress.total}] {result.dataset}, split "
        text = f"{place}{result.split + 1}, {result.method}: {_outcome(result)}"
        self._console.print(Text(one_line(text)), soft_wrap=True)


def _outcome(result: Result) -> str:
    if result.status != "ok":
        return f"{result.status} ({result.reason})"
    name, value = next(iter(result.scores.items()))
    return f"{name} {score(value)}, {seconds(result.fit_seconds)}"


class _Table:
    """Means so far, method by method, with what is under way and the time that is left."""

    def __init__(self, asked: Request, journal: Journal) -> None:
        self._begin = time.monotonic()
        self._asked = asked
        self._progress: Progress | None = None
        self._results: dict[tuple[str, str], list[Result]] = {}
        for result in _results(journal):
            self._results.setdefault((result.method, result.dataset), []).append(result)

    def __call__(self, progress: Progress) -> None:
        self._progress = progress
        if progress.latest is not None:
            key = (progress.latest.method, progress.latest.dataset)
            self._results.setdefault(key, []).append(progress.latest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._progress is None:
            yield Text("starting")
            return
        # what is under way comes first: a low terminal cuts the table off below
        yield self._head(self._progress)
        yield self._table(options.max_width)

    def _table(self, width: int) -> Table:
        metric = self._asked.metrics[0]
        table = Table(box=None, title=metric, title_justify="left")
        table.add_column("", no_wrap=True)
        names = [data.name for data in self._asked.datasets]
        room = max(1, (width - _NAME) // (_CELL + 2))
        shown = names if len(names) <= room else names[:room]
        for name in shown:
            table.add_column(Text(short(name, _CELL)), justify="right", no_wrap=True)
        for method in self._asked.methods[:_MOST_LINES]:
            cells = [self._cell(method.name, name, metric) for name in shown]
            table.add_row(Text(short(method.title, _NAME - 2)), *cells)
        if len(shown) < len(names):
            table.caption = f"and {len(names) - len(shown)} more data sets"
        return table

    def _cell(self, method: str, dataset: str, metric: str) -> Text:
        results = self._results.get((method, dataset), [])
        values = [v for r in results if (v := r.scores.get(metric)) is not None]
        wrong = [r.status for r in results if r.status != "ok"]
        if not values:
            return Text(wrong[0] if wrong else "·", "yellow" if wrong else "dim")
        return Text(f"{score(sum(values) / len(values))} ({len(values)})")

    def _head(self, progress: Progress) -> Group:
        left = progress.seconds_left
        passed = seconds(time.monotonic() - self._begin)
        rest = "" if left is None else f", about {seconds(left)} left"
        done, total = progress.done, progress.total
        bar = ProgressBar(total=max(total, 1), completed=done, width=40)
        text = f"{done} of {total} after {passed}{rest}"
        running = one_line("; ".join(progress.running))
        return Group(bar, Text(text), Text(running, "dim", overflow="ellipsis", no_wrap=True))
