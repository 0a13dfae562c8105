"""What the page shows of one data set, and the places that its script needs."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from colabel._terminal import one_line
from colabel.comparison import result as typed
from colabel.comparison.report.charts import heat_maps
from colabel.comparison.report.charts import scatter as charts
from colabel.comparison.report.charts.reliability import diagram
from colabel.comparison.report.svg import Scale, short
from colabel.comparison.report.view import Row, facts, rank_methods
from colabel.comparison.stats.standings import pareto_front
from colabel.comparison.stats.verdict import dataset_verdict, title

#: Of more methods than these, the chart of the labels offers the best.
_MOST_METHODS = 30
_WHISKER = 168.0


@dataclass(frozen=True)
class LabelChart:
    """Scores of the labels: the chart, the methods to choose from, and the places of all."""

    svg: Markup
    methods: list[str]
    data: dict[str, Any]
    part: str


@dataclass(frozen=True)
class TogetherChart:
    """Labels that occur together: the chart, the most frequent pairs, and what each cell is."""

    svg: Markup
    pairs: list[dict[str, Any]]
    data: dict[str, Any]


@dataclass(frozen=True)
class EmbeddingChart:
    """Rows in two directions, the labels to choose from, and the rows of each."""

    svg: Markup
    method: str
    labels: list[tuple[str, int]]
    data: list[list[int]]


@dataclass(frozen=True)
class GridChart:
    """Scores over the penalties, and the best of them."""

    svg: Markup
    metric: str
    alpha: float
    beta: float


@dataclass(frozen=True)
class TrustChart:
    """Whether probabilities come true, and by how much they do not."""

    svg: Markup
    error: str


@dataclass(frozen=True)
class Section:
    """All that the page shows of a data set."""

    number: int
    name: str
    verdict: list[str]
    facts: list[tuple[str, str]]
    rows: list[tuple[Row, Markup | None]]
    n_splits: int
    time: Markup | None
    labels: LabelChart | None
    together: TogetherChart | None
    spectra: Markup | None
    embedding: EmbeddingChart | None
    grid: GridChart | None
    trust: TrustChart | None

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the page reads."""
        charts = {"labels": self.labels, "together": self.together, "embedding": self.embedding}
        return {name: chart.data for name, chart in charts.items() if chart is not None}


def section(comparison: typed.ComparisonData, dataset: typed.DataFacts, number: int) -> Section:
    """What the page shows of one data set."""
    metric, insights = comparison.metric(), dataset.insights
    rows = rank_methods(comparison, dataset.name)
    titles = {method.name: title(method) for method in comparison.methods}
    return Section(
        number=number,
        name=one_line(dataset.name),
        verdict=dataset_verdict(comparison, dataset.name),
        facts=facts(dataset),
        rows=list(zip(rows, _whiskers(rows, metric.name), strict=True)),
        n_splits=dataset.splits.n,
        time=_time_and_quality(rows, metric),
        labels=_label_scores(comparison, dataset, rows),
        together=_together(insights.cooccurrence),
        spectra=_spectra(insights.spectra, titles),
        embedding=_embedding(insights.embedding, titles),
        grid=_grid(comparison, insights.grid),
        trust=_trust(insights.trust),
    )


def _whiskers(rows: list[Row], metric: str) -> list[Markup | None]:
    """For each row of a table, the scores of its splits on a scale that all share."""
    spreads = [row.standing.by(metric) for row in rows]
    scale = Scale.over([v for s in spreads for v in s.known], 4, _WHISKER - 4)
    best = spreads[0].mean if rows and rows[0].standing.best else None
    return [
        None if s.mean is None else charts.whisker(s.known, s.mean, scale, best) for s in spreads
    ]


def _time_and_quality(rows: list[Row], metric: typed.MetricFacts) -> Markup | None:
    """The chart; None where no two methods have both."""
    front = pareto_front([row.standing for row in rows], metric)
    points = [
        charts.Placed(
            title=row.title,
            seconds=row.standing.fit.mean,
            quality=row.cells[0].mean,
            best=row.standing.best,
            on_front=row.standing.name in front,
        )
        for row in rows
        if row.standing.complete
        and row.standing.fit.mean is not None
        and row.cells[0].mean is not None
    ]
    if len(points) < 2:
        return None
    return charts.time_and_quality(points, one_line(metric.title), metric.greater_is_better)


def _label_scores(
    comparison: typed.ComparisonData, dataset: typed.DataFacts, rows: list[Row]
) -> LabelChart | None:
    """None without such scores."""
    kinds = {kind for result in comparison.results for kind in result.label_scores}
    kind = "f1" if "f1" in kinds else min(kinds, default="")
    found = [
        (row.title, mean)
        for row in rows[:_MOST_METHODS]
        if (mean := _label_means(comparison, dataset.name, row.standing.name, kind))
    ]
    if not found:
        return None
    means = [mean for _, mean in found]
    what = "F1 of the label" if kind == "f1" else f"{one_line(kind)} of the label"
    svg, places = charts.label_scores(dataset.label_counts, means, what)
    shown = places.pop("labels")
    places["names"] = [short(dataset.label_names[j], 80) for j in shown]
    places["counts"] = [dataset.label_counts[j] for j in shown]
    places["scores"] = [[_round(mean[j]) for j in shown] for mean in means]
    part = f"{len(shown)} of {dataset.labels}" if len(shown) < dataset.labels else ""
    return LabelChart(svg, [name for name, _ in found], places, part)


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _label_means(
    comparison: typed.ComparisonData, dataset: str, method: str, kind: str
) -> list[float | None]:
    tables = [
        result.label_scores[kind]
        for result in comparison.results
        if (result.dataset, result.method) == (dataset, method) and kind in result.label_scores
    ]
    known = [[v for v in column if v is not None] for column in zip(*tables, strict=True)]
    return [sum(values) / len(values) if values else None for values in known]


def _together(found: typed.Cooccurrence | None) -> TogetherChart | None:
    if found is None or len(found.labels) < 2:
        return None
    labels = [short(name, 80) for name in found.labels]
    svg, cells = heat_maps.co_occurrence(labels, found.counts)
    pairs = [
        {"first": short(pair.first, 80), "second": short(pair.second, 80), "rows": pair.rows}
        for pair in found.pairs
    ]
    return TogetherChart(svg, pairs, {"labels": labels, "counts": found.counts, "cells": cells})


def _spectra(found: list[typed.Spectrum], titles: dict[str, str]) -> Markup | None:
    if not found:
        return None
    return charts.spectra(
        [(titles.get(s.method, one_line(s.method)), s.eigenvalues, s.kept) for s in found]
    )


def _embedding(found: typed.Embedding | None, titles: dict[str, str]) -> EmbeddingChart | None:
    if found is None or not found.points or not found.labels:
        return None
    rows = list(found.labels.values())
    return EmbeddingChart(
        charts.embedding(found.points, rows[0]),
        titles.get(found.method, one_line(found.method)),
        [(short(name, 60), len(has)) for name, has in found.labels.items()],
        rows,
    )


def _trust(found: typed.Trust | None) -> TrustChart | None:
    if found is None or not found.predicted:
        return None
    return TrustChart(diagram(found.predicted, found.observed), f"{found.error:.4f}")


def _grid(comparison: typed.ComparisonData, found: typed.PenaltyGrid | None) -> GridChart | None:
    if found is None or not found.alphas or not found.betas:
        return None
    known = {metric.name: metric for metric in comparison.metrics}
    metric = known.get(found.metric, typed.MetricFacts(found.metric, found.metric, True))
    what = one_line(metric.title)
    svg = heat_maps.grid(found, metric.greater_is_better, what)
    i, j = found.best
    return GridChart(svg, what, found.alphas[i], found.betas[j])
