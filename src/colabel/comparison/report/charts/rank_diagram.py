"""The critical-difference diagram of Demšar (2006): average ranks, and who is not told apart."""

import math

from markupsafe import Markup

from colabel.comparison.report.svg import Drawing, Scale, short

_WIDTH, _SIDE, _STEP = 760.0, 200.0, 22.0
#: The room that the number of a rank needs.
_NUMBER = 20.0


def rank_diagram(
    ranks: list[tuple[str, float]], groups: list[list[int]], difference: float
) -> Markup:
    """Methods along their average ranks, the best on the left."""
    k = len(ranks)
    scale = Scale(1, k, _SIDE, _WIDTH - _SIDE)
    left = (k + 1) // 2
    line, bars = 62.0, 12.0 * len(groups)
    first = line + bars + 24
    drawing = Drawing(_WIDTH, first + _STEP * left, f"average ranks of {k} methods")
    _ruler(drawing, scale, difference, k)
    drawing.line("axis", scale(1), line, scale(k), line)
    every = math.ceil(_NUMBER * (k - 1) / (_WIDTH - 2 * _SIDE)) or 1
    for whole in range(1, k + 1):
        drawing.line("mark", scale(whole), line - 5, scale(whole), line)
        if (whole - 1) % every == 0:
            drawing.text(scale(whole), line - 10, f"{whole}", "tick", "middle")
    for i, (title, rank) in enumerate(ranks):
        on_left = i < left
        y = first + _STEP * (i if on_left else k - 1 - i)
        end = _SIDE - 14 if on_left else _WIDTH - _SIDE + 14
        drawing.polyline("elbow", [(scale(rank), line), (scale(rank), y), (end, y)])
        drawing.circle(
            "dot best" if i == 0 else "dot", scale(rank), line, 3.5, f"{title}: {rank:.2f}"
        )
        anchor, side = ("end", -6) if on_left else ("start", 6)
        kind = "label best" if i == 0 else "label"
        drawing.text(end + side, y + 4, _name(title, rank, on_left), kind, anchor)
    for number, group in enumerate(groups):
        y = line + 13 + 12 * number
        ends = scale(ranks[group[0]][1]) - 5, scale(ranks[group[-1]][1]) + 5
        drawing.line("group", ends[0], y, ends[1], y)
    return drawing.markup()


def _name(title: str, rank: float, on_left: bool) -> str:
    name = short(title, 22)
    return f"{name} {rank:.2f}" if on_left else f"{rank:.2f} {name}"


def _ruler(drawing: Drawing, scale: Scale, difference: float, k: int) -> None:
    """The critical difference as a length, as far as the axis is long."""
    end = scale(min(1 + difference, k))
    drawing.line("ruler", scale(1), 20, end, 20)
    for x in (scale(1), end):
        drawing.line("ruler", x, 15, x, 25)
    longer = " (longer than the axis)" if 1 + difference > k else ""
    text = f"critical difference {difference:.2f}{longer}"
    drawing.text((scale(1) + end) / 2, 10, text, "tick", "middle")
