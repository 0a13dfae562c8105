"""Figures that stand beside a paper's page."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from colabel._plotting import axes
from colabel.comparison.report.charts.rank_diagram import rank_diagram
from colabel.comparison.stats.ranks import cliques
from colabel.persistence.replacement import replace_file

#: What the style sheet of the report says of the shapes in a diagram that stands alone.
_STYLE = """<style>
text { font: 13px sans-serif; } .name { font-weight: bold; } .best { font-weight: bold; }
line, path { stroke: #566171; fill: none; } .group, .ruler { stroke-width: 3; }
</style>"""


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
    with replace_file(path) as file:
        file.write(drawn.getvalue())
    return f"![{title}]({path.name})"


def _close(figure: Any) -> None:
    import matplotlib.pyplot as plt

    plt.close(figure)


def rank_diagrams(lines: Sequence[tuple[str, Mapping[str, float], float]], path: Path) -> str:
    """Average ranks one below the other, each with its critical difference; as SVG."""
    parts, top = [], 0.0
    for title, ranks, distance in lines:
        ordered = sorted(ranks.items(), key=lambda pair: pair[1])
        groups = cliques([rank for _, rank in ordered], distance)
        drawn = str(rank_diagram(ordered, groups, distance))  # safe already
        width, height = map(float, drawn.split('"')[1].split()[2:])
        parts.append(f'<text class="name" x="10" y="{top + 18:g}">{title}</text>')
        place = f'<svg x="0" y="{top + 24:g}" width="{width:g}" height="{height:g}"'
        parts.append(drawn.replace("<svg", place, 1))
        top += height + 44
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {top:g}">'
    with replace_file(path) as file:
        file.write("\n".join([head, _STYLE, *parts, "</svg>\n"]).encode())
    return f"![average ranks]({path.name})"
