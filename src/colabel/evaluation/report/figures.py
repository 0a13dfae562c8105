"""The pictures of one data set, and the places that the script of the page needs to change them."""

from __future__ import annotations

from typing import Any

from colabel._text import one_line
from colabel.evaluation.comparison import Comparison
from colabel.evaluation.report import charts, heat_maps
from colabel.evaluation.report.svg import Scale, short
from colabel.evaluation.report.tables import Row
from colabel.evaluation.standings import pareto_front
from colabel.evaluation.verdict import title

#: Of more methods than these, the picture of the labels offers the best.
_MOST_METHODS = 30
_WHISKER = 168.0


def whiskers(rows: list[Row], metric: str) -> list[Any]:
    """For each row of a table, the scores of its splits on a scale that all share."""
    spreads = [row.standing.scores[metric] for row in rows]
    scale = Scale.over([v for s in spreads for v in s.known], 4, _WHISKER - 4)
    best = spreads[0].mean if rows and rows[0].standing.best else None
    return [
        None if s.mean is None else charts.whisker(s.known, s.mean, scale, best) for s in spreads
    ]


def time_and_quality(rows: list[Row], metric: dict[str, Any]) -> Any:
    """The picture; None where no two methods have both."""
    front = pareto_front([row.standing for row in rows], metric)
    points = [
        charts.Point(
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
    return charts.time_and_quality(points, one_line(metric["title"]), metric["greater_is_better"])


def label_scores(
    comparison: Comparison, dataset: dict[str, Any], rows: list[Row]
) -> dict[str, Any] | None:
    """The picture, the titles of the methods, and the places; None without such scores."""
    kinds = {kind for result in comparison.results for kind in result["label_scores"]}
    kind = "f1" if "f1" in kinds else min(kinds, default="")
    found = [
        (row.title, mean)
        for row in rows[:_MOST_METHODS]
        if (mean := _label_means(comparison, dataset["name"], row.standing.name, kind))
    ]
    if not found:
        return None
    means = [mean for _, mean in found]
    what = "F1 of the label" if kind == "f1" else f"{one_line(kind)} of the label"
    picture, places = charts.label_scores(dataset["label_counts"], means, what)
    shown = places.pop("labels")
    places["names"] = [short(dataset["label_names"][j], 80) for j in shown]
    places["counts"] = [dataset["label_counts"][j] for j in shown]
    places["scores"] = [[_rounded(mean[j]) for j in shown] for mean in means]
    part = f"{len(shown)} of {dataset['labels']}" if len(shown) < dataset["labels"] else ""
    return {"svg": picture, "methods": [name for name, _ in found], "data": places, "part": part}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _label_means(
    comparison: Comparison, dataset: str, method: str, kind: str
) -> list[float | None]:
    tables = [
        result["label_scores"][kind]
        for result in comparison.results
        if (result["dataset"], result["method"]) == (dataset, method)
        and kind in result["label_scores"]
    ]
    known = [[v for v in column if v is not None] for column in zip(*tables, strict=True)]
    return [sum(values) / len(values) if values else None for values in known]


def from_pictures(comparison: Comparison, dataset: dict[str, Any]) -> dict[str, Any]:
    """Pictures of what the comparison kept for them; None for what it did not."""
    pictures = dataset["pictures"]
    titles = {method["name"]: title(method) for method in comparison.methods}
    return {
        "together": _together(pictures.get("cooccurrence")),
        "spectra": _spectra(pictures.get("spectra"), titles),
        "embedding": _embedding(pictures.get("embedding"), titles),
        "grid": _grid(comparison, pictures.get("grid")),
    }


def _together(picture: dict[str, Any] | None) -> dict[str, Any] | None:
    if not picture or len(picture["labels"]) < 2:
        return None
    labels, counts = [short(name, 80) for name in picture["labels"]], picture["counts"]
    drawn, cells = heat_maps.co_occurrence(labels, counts)
    return {
        "svg": drawn,
        "pairs": [
            {**pair, "first": short(pair["first"], 80), "second": short(pair["second"], 80)}
            for pair in picture.get("pairs", ())  # a file of version 0.1 has none
        ],
        "data": {"labels": labels, "counts": counts, "cells": cells},
    }


def _spectra(picture: list[dict[str, Any]] | None, titles: dict[str, str]) -> Any:
    if not picture:
        return None
    return charts.spectra(
        [
            (titles.get(s["method"], one_line(s["method"])), s["eigenvalues"], s["kept"])
            for s in picture
        ]
    )


def _embedding(picture: dict[str, Any] | None, titles: dict[str, str]) -> dict[str, Any] | None:
    if not picture or not picture["points"] or not picture["labels"]:
        return None
    rows = list(picture["labels"].values())
    return {
        "svg": charts.embedding(picture["points"], rows[0]),
        "method": titles.get(picture["method"], one_line(picture["method"])),
        "labels": [(short(name, 60), len(has)) for name, has in picture["labels"].items()],
        "data": rows,
    }


def _grid(comparison: Comparison, picture: dict[str, Any] | None) -> dict[str, Any] | None:
    if not picture or not picture["alphas"] or not picture["betas"]:
        return None
    known = {metric["name"]: metric for metric in comparison.metrics}
    metric = known.get(picture["metric"], {"title": picture["metric"], "greater_is_better": True})
    what = one_line(metric["title"])
    i, j = picture["best"]
    return {
        "svg": heat_maps.grid(picture, metric["greater_is_better"], what),
        "metric": what,
        "alpha": picture["alphas"][i],
        "beta": picture["betas"][j],
    }
