"""What a comparison found, on a terminal: ranks, the verdict, what went wrong, what was written."""

import os
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colabel._terminal import one_line
from colabel.comparison.report.svg import short
from colabel.comparison.result import ComparisonData, DataFacts
from colabel.comparison.stats import failures, overall, recommendation, standings, verdict
from colabel.comparison.stats.wording import score, seconds

_MOST_METRICS = 4
#: Where nobody says how wide it is, as in a file.
_WIDTH = 100
#: As many characters as the name of a method gets where there is not room for more.
_LONGEST_NAME, _SHORTEST_NAME = 22, 12


def show(comparison: ComparisonData, written: list[Path]) -> None:
    """Say all of it on the standard output."""
    console = Console(highlight=False)
    is_known = console.is_terminal or "COLUMNS" in os.environ
    console = Console(highlight=False, width=max(console.width, 20) if is_known else _WIDTH)
    whole = overall(comparison)
    if len(comparison.datasets) > 1 and whole is not None:
        title = f"{comparison.metrics[0].title}, mean over the splits"
        _print(console, title, _over_all(console, comparison, whole.ranks))
    else:
        for dataset in comparison.datasets:
            _print(console, _size(dataset), _one(console, comparison, dataset))
    for dataset in comparison.datasets:
        if dataset.preparation:
            _say(console, _count_for(dataset), "dim")
    if comparison.meta.arguments["quick"]:
        _say(console, _quick(comparison), "dim")
    console.print()
    for sentence in verdict(comparison):
        _say(console, sentence)
    _recommend(console, comparison)
    _say_failures(console, comparison)
    for path in written:
        console.print(Text(f"written: {one_line(path)}"), soft_wrap=True)


def _say(console: Console, sentence: str, style: str = "") -> None:
    """A sentence, broken between words on a terminal, and in one line in a file."""
    console.print(Text(one_line(sentence), style), soft_wrap=not console.is_terminal)


def _recommend(console: Console, comparison: ComparisonData) -> None:
    """One line with a command to copy; the code where the command line has no such method."""
    found = recommendation(comparison)
    if found is None:
        return
    console.print(Text(found.sentence, "bold"), soft_wrap=True)
    if found.command is None:
        for line in found.method.code.splitlines():
            console.print(Text(f"    {line}".rstrip()), soft_wrap=True)


def _count_for(dataset: DataFacts) -> str:
    return one_line(f"{dataset.name}: features taken for {dataset.preparation}")


def _quick(comparison: ComparisonData) -> str:
    parts = [
        f"{one_line(data.name)} {data.rows} of {data.all_rows} rows" for data in comparison.datasets
    ]
    return f"quick: {', '.join(parts)}, and few parameters tried; without --quick it is surer"


def _print(console: Console, title: str, shown: tuple[Table, str]) -> None:
    table, left_out = shown
    console.print(Text(one_line(title), "bold"), soft_wrap=True)
    console.print(table)
    if left_out:
        _say(console, left_out, "dim")


def _size(dataset: DataFacts) -> str:
    splits = dataset.splits
    how_many = "1 split" if splits.n == 1 else f"{splits.n} splits"
    return (
        f"{dataset.name}: {dataset.rows} rows, {dataset.features} features, "
        f"{dataset.labels} labels; {how_many}, {splits.train_rows} rows to train"
    )


def _one(console: Console, comparison: ComparisonData, dataset: DataFacts) -> tuple[Table, str]:
    """The methods on a data set, by as many measures as there is room for, and what is left out."""
    most = min(len(comparison.metrics), _MOST_METRICS)
    # first without the spread of all measures but one, then without measures
    tries = [(most, most), *((n, 1) for n in range(most, 0, -1)), (1, 0)]
    sizes = [*((*tried, _LONGEST_NAME) for tried in tries), (1, 0, _SHORTEST_NAME)]
    for measures, spreads, longest in sizes:
        table = _ranking(comparison, dataset, measures, spreads, longest)
        if _width(table) <= console.width:
            break
    hidden = [one_line(metric.title) for metric in comparison.metrics[measures:]]
    return table, f"also measured: {', '.join(hidden)}; see --report" if hidden else ""


def _ranking(
    comparison: ComparisonData, dataset: DataFacts, measures: int, spreads: int, longest: int
) -> Table:
    table = _table("", "")
    metrics = comparison.metrics[:measures]
    for metric in metrics:
        table.add_column(one_line(metric.title), justify="right", no_wrap=True)
    table.add_column("to fit", justify="right", no_wrap=True)
    place = 0
    for standing in standings(comparison, dataset.name):
        place += standing.complete
        cells = [_spread(standing.by(metric.name), i < spreads) for i, metric in enumerate(metrics)]
        table.add_row(
            f"{place}" if standing.complete else "–",
            Text(short(standing.method.title, longest), "bold" if standing.best else ""),
            *cells,
            seconds(standing.fit.mean),
        )
    return table


def _over_all(
    console: Console, comparison: ComparisonData, ranks: list[tuple[str, float]]
) -> tuple[Table, str]:
    """Ranks and means, on as many data sets as there is room for, and which are left out."""
    sets = [dataset.name for dataset in comparison.datasets]
    for shown in range(len(sets), 0, -1):
        for longest in (16, 8):
            table = _ranks(comparison, ranks, sets[:shown], longest)
            if _width(table) <= console.width:
                hidden = [one_line(name) for name in sets[shown:]]
                return table, f"also on {', '.join(hidden)}; see --report" if hidden else ""
    return table, ""


def _ranks(
    comparison: ComparisonData, ranks: list[tuple[str, float]], sets: list[str], longest: int
) -> Table:
    metric = comparison.metrics[0]
    table = _table("rank", "")
    means: dict[tuple[str, str], str] = {}
    for name in sets:
        table.add_column(Text(short(name, longest)), justify="right", no_wrap=True)
        for standing in standings(comparison, name):
            mean = standing.by(metric.name).mean if standing.complete else None
            means[standing.name, name] = score(mean)
    methods = {method.name: method for method in comparison.methods}
    for method, rank in ranks:
        cells = [means[method, name] for name in sets]
        table.add_row(f"{rank:.2f}", Text(short(methods[method].title, _LONGEST_NAME)), *cells)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def _width(table: Table) -> int:
    """The characters that a table has where nothing is cut."""
    return Console(width=10_000).measure(table).maximum


def _spread(spread: Any, with_deviation: bool) -> str:
    if spread.sd is None or not with_deviation:
        return score(spread.mean)
    return f"{score(spread.mean)} ± {spread.sd:.3f}"


def _say_failures(console: Console, comparison: ComparisonData) -> None:
    for failure in failures(comparison):
        where = one_line(f"{failure.method} on {failure.dataset}")
        reason = one_line(failure.reason or "")
        _say(console, f"{where}: {failure.status}: {reason}", "yellow")
