"""The pictures of a comparison that have axes: time and quality, labels, spectra, directions."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from colabel.comparison.report.svg import CHARACTER, Drawing, Scale, axes, dot, short
from colabel.comparison.stats.wording import score, seconds

WIDTH, HEIGHT = 440.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 12.0, 14.0, 46.0
#: The height of a line of a legend.
_LEGEND = 17.0
#: Of more labels than these, the picture shows every so-many-th by frequency.
MOST_LABELS = 1500


@dataclass(frozen=True)
class Placed:
    """A method's time and quality."""

    title: str
    seconds: float
    quality: float
    best: bool
    on_front: bool


def _frame(
    x_values: list[float], y_values: list[float], log_x: bool = False, log_y: bool = False
) -> tuple[Scale, Scale]:
    x = Scale.over(x_values, _LEFT, WIDTH - _RIGHT, log=log_x)
    y = Scale.over(y_values, HEIGHT - _BOTTOM, _TOP, log=log_y)
    return x, y


def time_and_quality(points: list[Placed], metric: str, greater_is_better: bool) -> Markup:
    """Quality against the seconds of fitting, with the line that no method is beyond."""
    shown = [(max(p.seconds, 1e-4), p) for p in points]
    x, y = _frame([s for s, _ in shown], [p.quality for p in points], log_x=True)
    if not greater_is_better:
        y = Scale(y.high, y.low, y.start, y.end)
    drawing = Drawing(WIDTH, HEIGHT, f"{metric} against fitting time of {len(points)} methods")
    _axes_upright(drawing, x, y, ("seconds to fit", metric))
    front = sorted((s, p.quality) for s, p in shown if p.on_front)
    stairs: list[tuple[float, float]] = []
    for s, quality in front:
        if stairs:
            stairs.append((x(s), stairs[-1][1]))
        stairs.append((x(s), y(quality)))
    if stairs:
        drawing.polyline("front", [*stairs, (x.end, stairs[-1][1])])
    for s, p in shown:
        kind = "dot best" if p.best else "dot" if p.on_front else "dot beaten"
        hint = f"{p.title}: {score(p.quality)}, {seconds(p.seconds)}"
        drawing.circle(kind, x(s), y(p.quality), 4.5, hint)
    line = [*stairs, (x.end, stairs[-1][1])] if stairs else []
    _names(drawing, [(x(s), y(p.quality), p) for s, p in shown], line)
    return drawing.markup()


def _axes_upright(drawing: Drawing, x: Scale, y: Scale, titles: tuple[str, str]) -> None:
    """Axes whose y may run downwards, for measures of which less is better."""
    upright = y if y.low < y.high else Scale(y.high, y.low, y.end, y.start)
    axes(drawing, x, upright, titles)


def _names(
    drawing: Drawing, placed: list[tuple[float, float, Placed]], line: list[tuple[float, float]]
) -> None:
    """Name the points where there is room, off the line, the best and those on the front first."""
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py, _ in placed]
    taken += [
        (min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1)
        for (a, b), (c, d) in pairwise(line)
    ]
    order = sorted(placed, key=lambda item: (not item[2].best, not item[2].on_front))
    for px, py, point in order:
        name = short(point.title, 24)
        width = CHARACTER * len(name)
        for left, base, anchor, at in (
            (px + 8, py + 4, "start", px + 8),
            (px - 8 - width, py + 4, "end", px - 8),
            (px - width / 2, py - 9, "middle", px),
            (px - width / 2, py + 18, "middle", px),
            (px + 7, py + 16, "start", px + 7),
            (px - 7 - width, py + 16, "end", px - 7),
            (px + 7, py - 8, "start", px + 7),
            (px - 7 - width, py - 8, "end", px - 7),
        ):
            box = (left, base - 10, left + width, base + 3)
            inside = box[0] > _LEFT and box[2] < WIDTH and box[1] > 0 and box[3] < HEIGHT - _BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                drawing.text(at, base, name, "label best" if point.best else "label", anchor)
                break


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def label_scores(
    counts: list[int], scores: list[list[float | None]], what: str
) -> tuple[Markup, dict[str, Any]]:
    """Each label's score against how often it occurs, for the first method; the places of all."""
    order = sorted(range(len(counts)), key=lambda j: -counts[j])
    shown = sorted(order[:: -(-len(order) // MOST_LABELS)]) if order else []
    x = Scale.over([max(counts[j], 1) for j in shown], _LEFT, WIDTH - _RIGHT, log=True)
    y = Scale(-0.03, 1.03, HEIGHT - _BOTTOM, _TOP)
    xs = [round(x(max(counts[j], 1)), 1) for j in shown]
    ys = [[_place(y, row[j]) for j in shown] for row in scores]
    drawing = Drawing(WIDTH, HEIGHT, f"{what} of each label against the rows that have it")
    axes(drawing, x, y, ("rows with the label", what))
    drawing.group("points")
    first = ys[0] if ys else []
    drawing.path(
        "dots", "".join(dot(a, b) for a, b in zip(xs, first, strict=False) if b is not None)
    )
    drawing.path("ring", "")
    return drawing.markup(), {"labels": shown, "x": xs, "y": ys}


def _place(y: Scale, value: float | None) -> float | None:
    return None if value is None else round(y(min(max(value, 0.0), 1.0)), 1)


def spectra(series: list[tuple[str, list[float], int]]) -> Markup:
    """Eigenvalues as shares of the largest; a ring marks the last that is kept."""
    scaled = []
    for title, eigenvalues, kept in series:
        largest = max(eigenvalues, default=0.0)
        values = [(i, v / largest) for i, v in enumerate(eigenvalues, 1) if v > 1e-6 * largest > 0]
        scaled.append((title, values, kept))
    lengths = [i for _, values, _ in scaled for i, _ in values]
    heights = [v for _, values, _ in scaled for _, v in values]
    x = Scale(0, max(lengths, default=1) + 1, _LEFT, WIDTH - _RIGHT)
    top = _TOP + _LEGEND * -(-len(series) // 2)
    y = Scale.over([*heights, 1.0, 0.1], HEIGHT - _BOTTOM, top, log=True)
    drawing = Drawing(WIDTH, HEIGHT, f"eigenvalues of {len(series)} methods")
    axes(drawing, x, y, ("direction", "eigenvalue, share of the largest"))
    for number, (title, values, kept) in enumerate(scaled):
        points = [(x(i), y(v)) for i, v in values]
        if points:
            drawing.polyline(f"series s{number % 4}", points)
        if 0 < kept <= len(points):
            drawing.circle(f"kept s{number % 4}", *points[kept - 1], 4.5, f"{title} keeps {kept}")
        # above the lines, two in a row
        left, base = _LEFT + 188 * (number % 2), 12 + _LEGEND * (number // 2)
        drawing.line(f"series s{number % 4}", left, base - 4, left + 20, base - 4)
        drawing.text(left + 26, base, f"{short(title, 17)} ({kept})", "label")
    return drawing.markup()


def embedding(points: list[list[float]], coloured: list[int]) -> Markup:
    """Rows in two directions, those with one label over the others."""
    x, y = _frame([p[0] for p in points], [p[1] for p in points])
    drawing = Drawing(WIDTH, HEIGHT, f"{len(points)} rows in two directions")
    axes(drawing, x, y, ("first direction", "second direction"))
    drawing.group("points")
    places = [(x(a), y(b)) for a, b in points]
    drawing.dots("dots others", places)
    drawing.dots("dots chosen", [places[i] for i in coloured])
    return drawing.markup()


def whisker(values: list[float], mean: float, scale: Scale, best: float | None) -> Markup:
    """The scores of the splits on one line: a dot each, from least to greatest, and their mean."""
    drawing = Drawing(scale.end + scale.start, 18, f"{len(values)} splits, mean {score(mean)}")
    if best is not None:
        drawing.line("guide", scale(best), 0, scale(best), 18)
    drawing.line("range", scale(min(values)), 9, scale(max(values)), 9)
    drawing.dots("splits", [(scale(value), 9) for value in values])
    drawing.line("mean", scale(mean), 3, scale(mean), 15)
    return drawing.markup()
