"""At 80 columns the tables of a comparison were cut to ``0.971 ± 0.…``."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from sample import METHODS, sample

from colabel.cli.show.progress import _Table
from colabel.cli.show.standings import show
from colabel.comparison import Comparison, stats
from colabel.comparison.plan.request import request
from colabel.comparison.result import Result, outcome_of_failure
from colabel.comparison.run.runner import Progress

WIDTHS = [40, 60, 80, 100, 120]


@pytest.fixture
def shown(capsys, monkeypatch):
    def shown(comparison, width):
        monkeypatch.setenv("COLUMNS", f"{width}")
        show(comparison, [])
        return capsys.readouterr().out

    return shown


def with_many_metrics():
    data = sample().to_dict()
    for i in range(4):
        more = {"name": f"more{i}", "title": f"mean score {i}", "greater_is_better": True}
        data["metrics"].append(more)
        for result in data["results"]:
            if result["scores"]:
                result["scores"][more["name"]] = 0.5
    return Comparison.from_dict(data)


def table_of(said):
    """The lines of the table: those with a number at their end, and the heading."""
    return said.split("\n\n")[0].splitlines()[1:]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("comparison", [sample(), with_many_metrics()], ids=["four", "eight"])
def test_no_number_is_cut(comparison, width, shown):
    said = shown(comparison, width)
    rows = [line for line in table_of(said) if not line.startswith("also measured")]
    assert all(len(line) <= width for line in rows)
    assert not re.search(r"[\d±.] ?…", "\n".join(rows))
    for standing in stats.standings(comparison, "debtags"):
        mean = standing.by("f1_macro").mean
        line = next(line for line in rows if standing.method.title[:8] in line)
        assert mean is None or f" {mean:.3f}" in line
    if width >= 60:
        assert all(
            f"{s.by('f1_macro').mean:.3f} ± {s.by('f1_macro').sd:.3f}" in said
            for s in stats.standings(comparison, "debtags")
            if s.complete
        )


@pytest.mark.parametrize("width", WIDTHS)
def test_every_measure_is_shown_or_said_to_be_left_out(width, shown):
    comparison = with_many_metrics()
    said = shown(comparison, width)
    heading = table_of(said)[0]
    (left_out,) = (line for line in said.splitlines() if line.startswith("also measured: "))
    for metric in comparison.metrics:
        assert (metric.title in heading) != (metric.title in left_out)
    assert left_out.endswith("; see --report")


@pytest.mark.parametrize("width", WIDTHS)
def test_several_data_sets_fit(width, shown):
    comparison = sample(8, 2)
    said = shown(comparison, width)
    rows = [line for line in table_of(said) if not line.startswith("also on")]
    assert all(len(line) <= width for line in rows)
    assert not re.search(r"\d ?…", "\n".join(rows))
    ((name, rank), *_) = stats.overall(comparison).ranks
    assert any(name in row and f"{rank:.2f}" in row for row in rows)
    shown_sets = [d.name for d in comparison.datasets if d.name in rows[0]]
    (left_out,) = [line for line in said.splitlines() if line.startswith("also on")] or [""]
    assert all((d.name in left_out) != (d.name in shown_sets) for d in comparison.datasets)


@pytest.mark.parametrize("n_sets", [1, 6])
def test_the_table_while_it_runs_fits_too(n_sets):
    from odd_methods import problem

    sets = [problem() for _ in range(n_sets)]
    asked = request(sets, metrics=["f1_macro"], cv=1)
    table = _Table(asked, {})
    first = asked.methods[0].name
    done = replace(outcome_of_failure("", "ok"), scores={"f1_macro": 0.123456})
    result = Result.of("data1", first, 0, done)
    table(Progress(3, 9, 0, ["mvmd on data1, split 1"], result, 61.0))
    console = Console(width=80, height=24, file=io.StringIO(), force_terminal=False)
    console.print(table)
    lines = console.file.getvalue().splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert any("0.123 (1)" in line for line in lines)
    # what a low terminal cuts off is the end of the table, not how far it is
    assert any("3 of 9 after" in line and "left" in line for line in lines[:4])
    assert any("mvmd on data1, split 1" in line for line in lines[:4])
    assert ("more data sets" in lines[-1]) == (n_sets > 4)


def test_a_file_has_sentences_on_one_line(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    show(sample(), [])
    said = capsys.readouterr().out
    for sentence in stats.verdict(sample()):
        assert f"{sentence}\n" in said
    assert len(METHODS) == len(stats.standings(sample(), "debtags"))
