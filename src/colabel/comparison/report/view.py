"""The tables of a report as rows of plain values, for the page and for markdown alike."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from colabel._terminal import one_line
from colabel.comparison.result import ComparisonData, DataFacts, MethodFacts
from colabel.comparison.stats.overall import overall
from colabel.comparison.stats.standings import Standing, standings
from colabel.comparison.stats.verdict import title
from colabel.comparison.stats.wording import NOTHING


@dataclass(frozen=True)
class Cell:
    """A method's score by one metric, its spread, and how it compares with the best.

    The mark is "best", "near" (within the margin), "open" (behind, but not for certain), or empty:
    worse, or not compared.
    """

    mean: float | None
    sd: float | None
    mark: str


@dataclass(frozen=True)
class Row:
    """A method in a ranked table."""

    standing: Standing
    title: str
    cells: list[Cell]
    note: str


@dataclass(frozen=True)
class RankRow:
    """A method's average ranks over the data sets, by each metric."""

    method: MethodFacts
    title: str
    ranks: list[float | None]
    best: list[bool]
    fit_seconds: float | None
    unfinished: int


def rank_methods(comparison: ComparisonData, dataset: str) -> list[Row]:
    """The methods on one data set, best first by the first metric."""
    by_metric = [
        {s.name: s for s in standings(comparison, dataset, metric.name)}
        for metric in comparison.metrics
    ]
    rows = []
    for standing in standings(comparison, dataset):
        cells = [cell_of(table[standing.name]) for table in by_metric]
        rows.append(Row(standing, title(standing.method), cells, _note(standing)))
    return rows


def cell_of(standing: Standing) -> Cell:
    """A method's score by the metric that it is judged by."""
    spread = standing.score
    marks = {"best": standing.best, "near": standing.as_good, "open": standing.is_open}
    return Cell(spread.mean, spread.sd, next((mark for mark, on in marks.items() if on), ""))


def _note(standing: Standing) -> str:
    if standing.complete:
        return ""
    return f"{len(standing.fit.known)} of {len(standing.results)} splits"


def average_rank_rows(comparison: ComparisonData) -> list[RankRow]:
    """Average ranks over the data sets, best first; no row where there are too few to rank."""
    wholes = [overall(comparison, metric.name) for metric in comparison.metrics]
    if wholes[0] is None:
        return []
    tables = [{} if whole is None else dict(whole.ranks) for whole in wholes]
    lowest = [min(table.values(), default=None) for table in tables]
    order = [*tables[0], *wholes[0].left_out]
    return [
        RankRow(
            method=(method := comparison.method(name)),
            title=title(method),
            ranks=(ranks := [table.get(name) for table in tables]),
            best=[r is not None and r == low for r, low in zip(ranks, lowest, strict=True)],
            fit_seconds=_median_seconds(comparison, name),
            unfinished=sum(name == failed for _, failed in wholes[0].failed),
        )
        for name in order
    ]


def _median_seconds(comparison: ComparisonData, method: str) -> float | None:
    known = [
        result.fit_seconds
        for result in comparison.results
        if result.method == method and result.fit_seconds is not None
    ]
    return median(known) if known else None


def facts(dataset: DataFacts) -> list[tuple[str, str]]:
    """What there is to know about a data set, with names."""
    splits = dataset.splits
    rows = f"{splits.train_rows} rows to train, {splits.test_rows} to test"
    prepared = dataset.preparation  # scores from elsewhere say nothing of features
    return [
        ("rows", f"{dataset.rows}"),
        ("features", f"{dataset.features} ({dataset.feature_density:.1%} not zero)"),
        *([("taken for", one_line(prepared))] if prepared else []),
        ("labels", f"{dataset.labels}"),
        ("labels a row", f"{dataset.cardinality:.2f} ({dataset.density:.1%} of them)"),
        ("splits", f"{splits.n} × {one_line(splits.kind)}: {rows}"),
        ("rows of the splits", one_line(splits.fingerprint)),
    ]


def made(comparison: ComparisonData) -> list[tuple[str, str]]:
    """How the comparison was made: seed, arguments, versions, machine."""
    meta = comparison.meta
    groups = [
        ("date", meta.created),
        ("seed", meta.seed),
        ("arguments", meta.arguments),
        ("colabel", meta.colabel),
        ("versions", meta.versions),
        ("machine", meta.machine),
    ]
    return [(name, _describe(value)) for name, value in groups]


def _describe(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_describe(item)}" for key, item in value.items()) or NOTHING
    if isinstance(value, list):
        return ", ".join(_describe(item) for item in value) or NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NOTHING if value is None else one_line(value)
