"""A paper's figure as an experiment of its own: lines of means over splits, told and drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from colabel._terminal import markdown_table
from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers import protocol as paper
from colabel.papers.figures import save


@dataclass(frozen=True)
class Point:
    """Where a number of the results stands in a figure."""

    panel: str
    line: str
    x: float
    dataset: str
    method: str
    measure: str


@dataclass(frozen=True)
class Curves:
    """What a figure shows, and how."""

    points: Sequence[Point]
    x: str
    y: str
    #: "log" or "linear".
    scales: tuple[str, str] = ("linear", "linear")
    #: How many standard errors bars are long; 1.96 is a bound of 95%.
    errors: float = 1.0
    #: What the paper's text says of the values, by name: drawn as level lines.
    levels: Mapping[str, float] = field(default_factory=dict)
    #: The same of a line in a panel, which its table tells too.
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    #: What x is in panels where it is something else.
    other_x: Mapping[str, str] = field(default_factory=dict)
    #: By line, the x that the paper takes: encircled.
    circles: Mapping[str, float] = field(default_factory=dict)
    #: What x counts through, where values are drawn side by side whatever lies between them.
    places: Sequence[float] = ()

    def of(self, panel: str) -> str:
        """What x is in a panel."""
        return self.other_x.get(panel, self.x)

    def tick(self, x: float) -> str:
        """What is written at x."""
        return f"{self.places[int(x)] if self.places else x:g}"


#: x, mean and standard error of a line, the error 0 where there is one split.
Line = tuple[np.ndarray, np.ndarray, np.ndarray]


def lines_of(found: ComparisonData, curves: Curves) -> dict[str, dict[str, Line]]:
    """The lines of each panel, without what was not run."""
    there = {data.name for data in found.datasets}
    values: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for point in curves.points:
        if point.dataset not in there:
            continue
        spread = spread_of(found, point.dataset, point.method, point.measure)
        if spread.mean is not None:
            line = values.setdefault(point.panel, {}).setdefault(point.line, [])
            line.append((point.x, spread.mean, spread.error or 0.0))
    return {
        panel: {name: tuple(np.array(sorted(line)).T) for name, line in of.items()}
        for panel, of in values.items()
    }


def section(
    curves: Curves, stem: str, title: str, found: ComparisonData, folder: Path | None
) -> str:
    """The panels as tables, and as a picture where there is a folder for it."""
    panels = lines_of(found, curves)
    parts = [f"## {panel}\n\n{_table(panel, of, curves)}" for panel, of in panels.items()]
    if panels and folder is not None:
        parts.insert(0, save(_draw(panels, curves), folder / f"{stem}.svg", title))
    return "\n\n".join(parts)


def _table(panel: str, of: Mapping[str, Line], curves: Curves) -> str:
    theirs = curves.published.get(panel, {})
    ticks = sorted({float(x) for xs, _, _ in of.values() for x in xs})
    rows = []
    for name, (xs, means, _) in of.items():
        known = dict(zip(xs.tolist(), means.tolist(), strict=True))
        rows.append([name, *(f"{known[x]:.4g}" if x in known else "" for x in ticks)])
        if theirs:
            rows[-1].append(f"{theirs[name]:.4g}" if name in theirs else "")
    head = [f"{curves.y}, by {curves.of(panel)}", *map(curves.tick, ticks)]
    return markdown_table([*head, "the paper"] if theirs else head, rows)


def _draw(panels: Mapping[str, Mapping[str, Line]], curves: Curves) -> Any:
    import matplotlib.pyplot as plt

    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    size = (5.0 * columns, 3.6 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for ax, (panel, of) in zip(grid.flat, panels.items(), strict=False):
        for name, (xs, means, errors) in of.items():
            bars = curves.errors * errors
            drawn = ax.errorbar(xs, means, bars, label=name, marker=".", capsize=2, linewidth=1)
            _draw_published(ax, curves, panel, name, dict(zip(xs, means, strict=True)), drawn[0])
        for name, level in curves.levels.items():
            ax.axhline(level, label=name, color="black", linestyle=":")
        ax.set(title=panel, xlabel=curves.of(panel), ylabel=curves.y)
        ax.set(xscale=curves.scales[0], yscale=curves.scales[1])
        if curves.places:
            ticks = range(len(curves.places))
            ax.set_xticks(ticks, [curves.tick(x) for x in ticks], fontsize="x-small")
        ax.legend(fontsize="x-small")
    for ax in list(grid.flat)[len(panels) :]:
        ax.set_visible(False)
    return figure


def _draw_published(
    ax: Any, curves: Curves, panel: str, name: str, of: Mapping[float, float], line: Any
) -> None:
    """What the paper says of a line, in its colour."""
    color = line.get_color()
    level = curves.published.get(panel, {}).get(name)
    if level is not None:
        ax.axhline(level, color=color, linestyle=":", linewidth=1)
    place = curves.circles.get(name)
    if place is not None and place in of:
        ax.plot(place, of[place], "o", color=color, markerfacecolor="none", markersize=9)


def figure(
    name: str,
    citation: str,
    about: str,
    curves: Curves,
    sources: Mapping[str, paper.Source],
    methods: Mapping[
        str, Callable[[paper.Split, paper.Parameters], paper.Scores] | paper.Procedure
    ],
    *,
    n_splits: int = 1,
    timed: bool = False,
    claims: Sequence[paper.Claim] = (),
    told: Sequence[str] = (),
) -> paper.Protocol:
    """The experiment of a figure, which runs as that of a table does.

    What is `told` is measured for the claims alone, and not drawn.
    """
    procedures = {
        title: run if isinstance(run, paper.Procedure) else paper.Procedure(run)
        for title, run in methods.items()
    }
    measured = dict.fromkeys([*(point.measure for point in curves.points), *told])
    return paper.Protocol(
        name=name,
        citation=citation,
        about=about,
        sources=sources,
        tables={},
        methods=procedures,
        measures=(),
        published={},
        n_splits=n_splits,
        paper_splits=n_splits,
        further=[paper.measure(one) for one in measured],
        more=partial(section, curves, name, citation),
        draws=True,
        timed=timed,
        claims=claims,
    )
