"""Figures that stand beside a paper's page."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from colabel._plotting import axes
from colabel.persistence.replacement import replacing


def check_drawable() -> None:
    """Refuse to go on without matplotlib, saying how to get it."""
    _close(axes().figure)


def save(figure: Any, path: Path, title: str) -> str:
    """Write a figure as SVG, the same for the same data, and return markdown that shows it."""
    import matplotlib

    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    _close(figure)
    with replacing(path) as file:
        file.write(drawn.getvalue())
    return f"![{title}]({path.name})"


def _close(figure: Any) -> None:
    import matplotlib.pyplot as plt

    plt.close(figure)


def rank_diagram(lines: Sequence[tuple[str, Mapping[str, float], float]], path: Path) -> str:
    """Average ranks on axes one below the other, each with its critical difference.

    Parameters
    ----------
    lines : sequence of (title, ranks, critical difference)
    path : Path
        Where to write.

    Returns
    -------
    str
        Markdown.
    """
    ax = axes()
    figure = ax.figure
    figure.set_size_inches(8.0, 2.2 * len(lines))
    ax.remove()
    grid = figure.subplots(len(lines), 1, squeeze=False)
    for (ax,), (title, ranks, distance) in zip(grid, lines, strict=True):
        _one_line(ax, title, ranks, distance)
    return save(figure, path, "average ranks")


def _one_line(ax: Any, title: str, ranks: Mapping[str, float], distance: float) -> None:
    ordered = sorted(ranks, key=ranks.__getitem__)
    ax.plot([ranks[name] for name in ordered], [0.0] * len(ordered), "k|", markersize=12)
    for place, name in enumerate(ordered):
        height = 0.25 + 0.3 * (place % 3)
        ax.annotate(
            f"{name} {ranks[name]:.2f}",
            (ranks[name], 0.0),
            (ranks[name], height),
            ha="center",
            fontsize="small",
            arrowprops={"arrowstyle": "-", "linewidth": 0.5},
        )
    first = ranks[ordered[0]]
    ax.plot([first, first + distance], [-0.35, -0.35], "k-", linewidth=3)
    ax.annotate(f"critical difference {distance:.2f}", (first, -0.7), fontsize="small")
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set(xlim=(0.5, len(ranks) + 0.5), ylim=(-0.9, 1.2), yticks=[], title=title)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
