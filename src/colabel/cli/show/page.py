"""A description of a data set as a web page of one file, in the frame of the report."""

from typing import Any

from colabel.cli.show.description import figures
from colabel.comparison.report.charts.bars import frequencies
from colabel.comparison.report.charts.heat_maps import co_occurrence
from colabel.comparison.report.frame import render


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
