"""A comparison as a web page of one file: the verdict first, then what it rests on."""

from __future__ import annotations

from typing import Any

from colabel._text import one_line
from colabel.evaluation.comparison import Comparison
from colabel.evaluation.overall import overall
from colabel.evaluation.recommendation import recommendation
from colabel.evaluation.report import figures, tables
from colabel.evaluation.report.frame import render
from colabel.evaluation.report.rank_diagram import rank_diagram
from colabel.evaluation.standings import ALPHA, MARGIN, failures
from colabel.evaluation.verdict import dataset_verdict, title, verdict


def html(comparison: Comparison) -> str:
    """The report as a page that loads nothing from the network.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.report import html
    >>> html(from_scores({"birds": {"a": [0.72], "b": [0.6]}})).splitlines()[0]
    '<!DOCTYPE html>'
    """
    sets = [_section(comparison, dataset, i) for i, dataset in enumerate(comparison.datasets)]
    titles = {method["name"]: title(method) for method in comparison.methods}
    return render(
        "comparison.html",
        script="script.js",
        title=comparison.meta["title"],
        meta=comparison.meta,
        verdict=verdict(comparison),
        metrics=[{**metric, "title": one_line(metric["title"])} for metric in comparison.metrics],
        alpha=ALPHA,
        margin=MARGIN,
        ranks=tables.average_rank_rows(comparison) if len(sets) > 1 else [],
        diagram=_diagram(comparison, titles),
        sets=sets,
        data=[section.pop("data") for section in sets],
        failures=failures(comparison),
        titles=titles,
        use=recommendation(comparison),
        methods=comparison.methods,
        made=tables.made(comparison),
    )


def _diagram(comparison: Comparison, titles: dict[str, str]) -> Any:
    whole = overall(comparison)
    if whole is None:
        return None
    place = {name: i for i, (name, _) in enumerate(whole.ranks)}
    groups = [[place[name] for name in group] for group in whole.groups]
    ranks = [(titles[name], rank) for name, rank in whole.ranks]
    return rank_diagram(ranks, groups, whole.critical_difference)


def _section(comparison: Comparison, dataset: dict[str, Any], number: int) -> dict[str, Any]:
    """What the page shows of one data set, and under "data" what its script reads."""
    metric = comparison.metrics[0]
    rows = tables.ranked(comparison, dataset["name"])
    scores = figures.label_scores(comparison, dataset, rows)
    pictures = figures.from_pictures(comparison, dataset)
    interactive = {"labels": scores, "together": pictures["together"]}
    interactive["embedding"] = pictures["embedding"]
    return {
        "number": number,
        "name": one_line(dataset["name"]),
        "verdict": dataset_verdict(comparison, dataset["name"]),
        "facts": tables.facts(dataset),
        "rows": list(zip(rows, figures.whiskers(rows, metric["name"]), strict=True)),
        "n_splits": dataset["splits"]["n"],
        "time": figures.time_and_quality(rows, metric),
        "labels": scores,
        **pictures,
        "data": {key: part["data"] for key, part in interactive.items() if part},
    }
