"""A comparison in a notebook: the verdict, and a table for each data set."""

from typing import Any

from markupsafe import Markup

from colabel._terminal import one_line
from colabel.comparison.report.view import rank_methods
from colabel.comparison.result import ComparisonData, DataFacts
from colabel.comparison.stats.verdict import verdict
from colabel.comparison.stats.wording import score, seconds


def notebook(comparison: ComparisonData) -> str:
    """A fragment of HTML without scripts or styles of its own; names in it are escaped."""
    said = Markup("<p>{}</p>").format(" ".join(verdict(comparison)))
    tables = Markup("").join(_table(comparison, dataset) for dataset in comparison.datasets)
    return str(Markup("<div>{}{}</div>").format(said, tables))


def _table(comparison: ComparisonData, dataset: DataFacts) -> Markup:
    metrics = [one_line(metric.title) for metric in comparison.metrics]
    rows = [_cells("th", ["method", *metrics, "fit"])]
    for row in rank_methods(comparison, dataset.name):
        spent = seconds(row.standing.fit.mean)
        rows.append(_cells("td", [row.title, *map(_score, row.cells), spent]))
    caption = f"{one_line(dataset.name)}: {dataset.rows} rows, {dataset.labels} labels"
    body = Markup("").join(rows)
    return Markup("<table><caption>{}</caption>{}</table>").format(caption, body)


def _score(cell: Any) -> Markup:
    return Markup("<b>{}</b>" if cell.mark == "best" else "{}").format(score(cell.mean))


def _cells(kind: str, texts: list[Any]) -> Markup:
    cells = Markup("").join(Markup(f"<{kind}>{{}}</{kind}>").format(text) for text in texts)
    return Markup("<tr>{}</tr>").format(cells)
