"""A comparison as markdown: verdict, tables, failures, versions."""

import re
from collections.abc import Callable
from typing import Any

from colabel._terminal import markdown_table, one_line
from colabel.comparison.report import view as tables
from colabel.comparison.result import ComparisonData, DataFacts
from colabel.comparison.stats.recommendation import recommendation
from colabel.comparison.stats.standings import MARGIN, failures
from colabel.comparison.stats.verdict import dataset_verdict, title, verdict
from colabel.comparison.stats.wording import NOTHING, score, seconds

#: What markdown, or HTML inside of it, would not show as it is.
_MARKS = re.compile(r"([\\`*_\[\]<>|&#~])")
#: What the marks of :func:`score_cell` mean.
LEGEND = (
    f"Mean ± standard deviation over the splits; best in bold, ≈ within {MARGIN:.0%} of it, ? "
    "behind by more, but not for certain."
)


def markdown(comparison: ComparisonData) -> str:
    r"""The report as markdown, for a repository or a wiki."""
    parts = [f"# {_plain(comparison.meta.title)}", _sentences(verdict(comparison))]
    use = recommendation(comparison)
    if use is not None and use.command:
        parts += [_plain(use.opening), _code(use.command, "sh")]
    several = len(comparison.datasets) > 1
    if several:
        parts += _average_ranks(comparison)
    for dataset in comparison.datasets:
        parts.append(f"## {_plain(dataset.name)}")
        if several:
            parts.append(_sentences(dataset_verdict(comparison, dataset.name)))
        parts.append(_scores(comparison, dataset))
        parts.append(_table(["about the data", ""], tables.facts(dataset)))
    parts += failures_section(comparison)
    if use is not None:
        parts += [f"## How to use {_plain(title(use.method))}", _code(use.method.code)]
    parts += ["## How it was made", _table(["", ""], tables.made(comparison))]
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", one_line(text))


def _sentences(sentences: list[str]) -> str:
    return "\n".join(f"- {_plain(sentence)}" for sentence in sentences)


def _table(header: list[str], rows: Any, numbers_from: int = 99) -> str:
    """A table; texts are escaped, columns from `numbers_from` on stand to the right."""
    shown = [[cell if isinstance(cell, _Ready) else _plain(cell) for cell in row] for row in rows]
    return markdown_table([_plain(name) for name in header], shown, numbers_from)


class _Ready(str):
    """Text that is markdown already."""

    __slots__ = ()


def _scores(comparison: ComparisonData, dataset: DataFacts) -> str:
    header = ["method", *(metric.title for metric in comparison.metrics), "fit"]
    rows = []
    for row in tables.rank_methods(comparison, dataset.name):
        name = f"{row.title} ({row.note})" if row.note else row.title
        cells = [score_cell(cell) for cell in row.cells]
        rows.append([name, *cells, seconds(row.standing.fit.mean)])
    return f"{_table(header, rows, 1)}\n\n{LEGEND}"


def score_cell(cell: tables.Cell, number: Callable[[float | None], str] = score) -> str:
    """A mean with its deviation, as `number` writes them, marked by how it compares."""
    text = number(cell.mean) if cell.sd is None else f"{number(cell.mean)} ± {number(cell.sd)}"
    marks = {"best": f"**{text}**", "near": f"≈ {text}", "open": f"? {text}"}
    return _Ready(marks.get(cell.mark, text))


def _average_ranks(comparison: ComparisonData) -> list[str]:
    rows = [
        [row.title, *(NOTHING if rank is None else f"{rank:.2f}" for rank in row.ranks)]
        for row in tables.average_rank_rows(comparison)
    ]
    if not rows:
        return []
    header = ["method", *(metric.title for metric in comparison.metrics)]
    return ["## Average ranks", _table(header, rows, 1)]


def failures_section(comparison: ComparisonData) -> list[str]:
    """What did not finish, and why; nothing where all did."""
    titles = {method.name: title(method) for method in comparison.methods}
    rows = [
        [
            titles[failure.method],
            failure.dataset,
            failure.status,
            f"{len(failure.splits)}",
            failure.reason or NOTHING,
        ]
        for failure in failures(comparison)
    ]
    if not rows:
        return []
    header = ["method", "data set", "what", "splits", "why"]
    return ["## What did not finish", _table(header, rows)]


def _code(code: str, language: str = "python") -> str:
    """A block whose fence is longer than any in the code."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"
