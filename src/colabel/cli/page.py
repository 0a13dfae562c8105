"""A description of a data set as a web page of one file, in the frame of the report."""

from __future__ import annotations

from typing import Any

from colabel.cli.pictures import figures
from colabel.evaluation.report.bars import frequencies
from colabel.evaluation.report.frame import render
from colabel.evaluation.report.heat_maps import co_occurrence


def page(summary: dict[str, Any]) -> str:
    """The page, as text."""
    names, counts = summary["co_occurrence"]["labels"], summary["co_occurrence"]["counts"]
    labels = list(summary["label_counts"].items())
    drawn = co_occurrence(names, counts)[0] if len(names) > 1 else None
    return render(
        "description.html",
        title=f"{summary['name']}: {summary['rows']} rows, {summary['labels']} labels",
        figures=figures(summary),
        labels=labels,
        most=len(names),
        frequencies=frequencies(labels[: len(names)], summary["rows"]),
        together=drawn,
        pairs=summary["co_occurrence"]["pairs"],
    )
