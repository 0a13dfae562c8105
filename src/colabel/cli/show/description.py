"""A description of a data set, drawn on a terminal."""

from bisect import bisect_right
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from colabel._terminal import one_line
from colabel.comparison.report.charts.heat_maps import shares

_SHADES = " ░▒▓█"
_LEAST = (0.1, 0.25, 0.5, 0.75)
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BAR = 30
_TOGETHER = """
of the rows with the label of a line, those with the label of a column too
(░ from 10%, ▒ 25%, ▓ 50%, █ 75%)"""


def picture(summary: dict[str, Any]) -> RenderableType:
    """All of it: figures, frequencies, co-occurrence."""
    most, q = len(summary["co_occurrence"]["labels"]), summary["labels"]
    more = f" (the {most} most frequent of {q})" if q > most else ""
    parts: list[RenderableType] = [_heading(one_line(summary["name"])), _figures(summary)]
    parts += [_heading(f"\nrows of each label{more}"), _frequencies(summary, most)]
    if most > 1:
        parts += [_heading(_TOGETHER), _co_occurrence(summary)]
    return Group(*parts)


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def _table(*columns: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False)
    for options in columns:
        table.add_column(no_wrap=True, **options)
    return table


def figures(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The numbers of a description with what they are called."""
    kind = "sparse" if summary["sparse"] else "dense"
    rows = [
        ("rows", f"{summary['rows']}"),
        ("features", f"{summary['features']} ({kind}, {summary['density']:.2%} not zero)"),
        ("labels", f"{summary['labels']}"),
        ("labels a row", f"{summary['cardinality']:.2f} ({summary['label_density']:.1%} of them)"),
        ("distinct label sets", f"{summary['distinct_label_sets']}"),
    ]
    if summary["training_rows"] is not None:
        rows.insert(1, ("of them for training", f"{summary['training_rows']}"))
    if summary["unknown_labels"]:
        share = summary["unknown_labels"] / (summary["rows"] * summary["labels"])
        rows.append(("unknown labels", f"{summary['unknown_labels']} ({share:.1%} of all)"))
    flaws = (
        "rows_without_labels",
        "labels_without_rows",
        "rows_without_features",
        "missing_values",
    )
    rows += [(key.replace("_", " "), f"{summary[key]}") for key in flaws if summary[key]]
    return rows


def _figures(summary: dict[str, Any]) -> Table:
    table = _table({"style": "dim"}, {})
    for name, value in figures(summary):
        table.add_row(name, value)
    return table


def _frequencies(summary: dict[str, Any], most: int) -> Table:
    counts = list(summary["label_counts"].items())
    table = _table(
        {"justify": "right", "style": "dim"}, {"overflow": "ellipsis"}, {}, {"justify": "right"}
    )
    largest = max(counts[0][1], 1)
    for number, (name, count) in enumerate(counts[:most], 1):
        share = f"{count} ({count / max(summary['rows'], 1):.1%})"
        table.add_row(
            f"{number}", Text(one_line(name)), Text(_bar(count / largest), style="cyan"), share
        )
    return table


def _bar(share: float) -> str:
    eighths = round(share * _BAR * 8)
    full, part = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[part] if part else "")


def _co_occurrence(summary: dict[str, Any]) -> Table:
    """Two characters a cell, the darker the larger the share."""
    names = summary["co_occurrence"]["labels"]
    together = shares(summary["co_occurrence"]["counts"])
    table = _table({"justify": "right", "style": "dim"}, {}, {"overflow": "ellipsis"})
    table.add_row("", Text("".join(f"{j % 100:>2}" for j in range(1, len(names) + 1)), "dim"))
    for i, (name, row) in enumerate(zip(names, together, strict=True)):
        cells = ["╲╲" if i == j else 2 * _shade(share) for j, share in enumerate(row)]
        table.add_row(f"{i + 1}", Text("".join(cells), style="cyan"), Text(one_line(name)))
    return table


def _shade(share: float) -> str:
    return _SHADES[bisect_right(_LEAST, share)]
