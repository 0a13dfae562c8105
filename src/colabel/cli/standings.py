"""What a comparison found, on a terminal: ranks, the verdict, what went wrong, what was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colabel._text import one_line
from colabel.evaluation.comparison import Comparison
from colabel.evaluation.summary import failures, overall, recommendation, standings, verdict
from colabel.evaluation.wording import score, seconds

_MOST_METRICS = 4
_WIDTH = 100


def show(comparison: Comparison, written: list[Path]) -> None:
    """Say all of it on the standard output."""
    console = Console(highlight=False)
    width = max(console.width, 20) if console.is_terminal else _WIDTH
    console = Console(highlight=False, width=width)
    whole = overall(comparison)
    if len(comparison.datasets) > 1 and whole is not None:
        title = f"{comparison.metrics[0]['title']}, mean over the splits"
        _print(console, title, _over_all(comparison, whole.ranks))
    else:
        for dataset in comparison.datasets:
            _print(console, _size(dataset), _one(comparison, dataset))
    if comparison.meta["arguments"]["quick"]:
        console.print(Text(_quick(comparison), "dim"))
    console.print()
    for sentence in verdict(comparison):
        console.print(Text(one_line(sentence)), soft_wrap=True)
    _recommend(console, comparison)
    _say_failures(console, comparison)
    for path in written:
        console.print(Text(f"written: {one_line(path)}"), soft_wrap=True)


def _recommend(console: Console, comparison: Comparison) -> None:
    """One line with a command to copy; the code where the command line has no such method."""
    found = recommendation(comparison)
    if found is None:
        return
    console.print(Text(found.sentence, "bold"), soft_wrap=True)
    if found.command is None:
        for line in found.method["code"].splitlines():
            console.print(Text(f"    {line}".rstrip()), soft_wrap=True)


def _quick(comparison: Comparison) -> str:
    parts = [
        f"{one_line(data['name'])} {data['rows']} of {data['all_rows']} rows"
        for data in comparison.datasets
    ]
    return f"quick: {', '.join(parts)}, and few parameters tried; without --quick it is surer"


def _print(console: Console, title: str, table: Table) -> None:
    console.print(Text(one_line(title), "bold"), soft_wrap=True)
    console.print(table)


def _size(dataset: dict[str, Any]) -> str:
    splits = dataset["splits"]
    how_many = "1 split" if splits["n"] == 1 else f"{splits['n']} splits"
    return (
        f"{dataset['name']}: {dataset['rows']} rows, {dataset['features']} features, "
        f"{dataset['labels']} labels; {how_many}, {splits['train_rows']} rows to train"
    )


def _one(comparison: Comparison, dataset: dict[str, Any]) -> Table:
    table = _table("", "")
    metrics = comparison.metrics[:_MOST_METRICS]
    for metric in metrics:
        table.add_column(metric["title"], justify="right", no_wrap=True)
    table.add_column("to fit", justify="right", no_wrap=True)
    place = 0
    for standing in standings(comparison, dataset["name"]):
        place += standing.complete
        cells = [_spread(standing.scores[metric["name"]]) for metric in metrics]
        table.add_row(
            f"{place}" if standing.complete else "–",
            Text(one_line(standing.method["title"]), "bold" if standing.best else ""),
            *cells,
            seconds(standing.fit.mean),
        )
    return table


def _over_all(comparison: Comparison, ranks: list[tuple[str, float]]) -> Table:
    metric = comparison.metrics[0]
    table = _table("rank", "")
    means: dict[tuple[str, str], str] = {}
    for dataset in comparison.datasets:
        table.add_column(Text(one_line(dataset["name"])), justify="right", max_width=16)
        for standing in standings(comparison, dataset["name"]):
            mean = standing.scores[metric["name"]].mean if standing.complete else None
            means[standing.name, dataset["name"]] = score(mean)
    titles = {method["name"]: method["title"] for method in comparison.methods}
    for name, rank in ranks:
        cells = [means[name, dataset["name"]] for dataset in comparison.datasets]
        table.add_row(f"{rank:.2f}", Text(one_line(titles[name])), *cells)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def _spread(spread: Any) -> str:
    return score(spread.mean) + ("" if spread.sd is None else f" ± {spread.sd:.3f}")


def _say_failures(console: Console, comparison: Comparison) -> None:
    for failure in failures(comparison):
        where = one_line(f"{failure['method']} on {failure['dataset']}")
        reason = one_line(failure["reason"] or "")
        console.print(Text(f"{where}: {failure['status']}: {reason}", "yellow"), soft_wrap=True)
