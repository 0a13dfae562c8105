"""Tables as pictures, the darker the more: labels that occur together, scores over a grid."""

import math

from markupsafe import Markup

from colabel.comparison.report.svg import CHARACTER, Drawing, plain_number, short
from colabel.comparison.result import PenaltyGrid
from colabel.comparison.stats.wording import score

_WIDTH = 720.0
_NAMES = 190.0
_HEAD = 18.0
_SHADES, _SELF = 20, -1
#: The height of the scale below a map, and the width of a colour of it.
_SCALE, _STEP = 34.0, 14.0
_WHAT = "share of the rows with one label that have another"


def shares(counts: list[list[int]]) -> list[list[float]]:
    """Of the rows with the label of a line, the share that has the label of a column too."""
    return [[count / max(row[i], 1) for count in row] for i, row in enumerate(counts)]


def co_occurrence(labels: list[str], counts: list[list[int]]) -> tuple[Markup, list[float]]:
    """Which labels occur together; columns have the numbers of the lines."""
    width = min(30.0, (_WIDTH - _NAMES - 4) / len(labels))
    height = max(width, 15.0)
    bottom = _HEAD + height * len(labels)
    drawing = Drawing(_wide_enough(_NAMES + width * len(labels) + 4), bottom + _SCALE, _WHAT)
    for i, name in enumerate(labels):
        middle = _HEAD + (i + 0.5) * height + 4
        fitting = short(name, int((_NAMES - 30) / CHARACTER))
        drawing.text(_NAMES - 26, middle, fitting, "label", "end")
        drawing.text(_NAMES - 6, middle, f"{i + 1}", "tick", "end")
        if width > 20 or i % 2 == 0:
            drawing.text(_NAMES + (i + 0.5) * width, 12, f"{i + 1}", "tick", "middle")
    # all cells of a shade are one path: a rectangle each would make most of the page
    shades: dict[int, list[tuple[float, float]]] = {}
    for i, row in enumerate(shares(counts)):
        for j, share in enumerate(row):
            shade = _SELF if i == j else math.ceil(_SHADES * min(share, 1.0) - 0.5)
            shades.setdefault(shade, []).append((_NAMES + j * width, _HEAD + i * height))
    for shade in sorted(shades.keys() - {0}):
        kind, opacity = ("self", None) if shade == _SELF else ("cell", shade / _SHADES)
        drawing.boxes(kind, shades[shade], (width - 1, height - 1), opacity)
    levels = [step / 10 for step in range(1, 11)]
    _scale(drawing, (_NAMES, bottom + 12), levels, ("0%", "100%"))
    return drawing.markup(), [round(v, 2) for v in (_NAMES, _HEAD, width, height)]


def _wide_enough(width: float) -> float:
    """With room for the scale below, which few labels leave none for."""
    return max(width, _NAMES + 10 * _STEP + 70)


def _scale(
    drawing: Drawing, at: tuple[float, float], opacities: list[float], ends: tuple[str, str]
) -> None:
    """What the colours stand for, from the least to the most."""
    x, y = at[0] + CHARACTER * len(ends[0]) + 6, at[1]
    drawing.text(x - 6, y + 11, ends[0], "tick", "end")
    for i, opacity in enumerate(opacities):
        drawing.rect("cell", (x + i * _STEP, y, _STEP, 13), opacity)
    drawing.text(x + len(opacities) * _STEP + 6, y + 11, ends[1], "tick")


def grid(found: PenaltyGrid, greater_is_better: bool, metric: str) -> Markup:
    """Scores over two parameters, with a frame around the best."""
    alphas, betas, scores = found.alphas, found.betas, found.scores
    left, top = 76.0, 10.0
    width, height = (440 - left - 6) / len(betas), 32.0
    known = [value for row in scores for value in row if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    size = (440, top + height * len(alphas) + 44 + _SCALE)
    drawing = Drawing(*size, f"{metric} over α and β")
    for i, row in enumerate(scores):
        y = top + i * height
        drawing.text(left - 8, y + height / 2 + 4, plain_number(alphas[i]), "tick", "end")
        for j, value in enumerate(row):
            share = 0.0 if value is None else (value - low) / ((high - low) or 1.0)
            share = share if greater_is_better else 1 - share
            x = left + j * width
            drawing.rect("cell", (x, y, width - 1.5, height - 1.5), _opacity(share))
            kind = "value best" if [i, j] == found.best else "value"
            if width > 34:
                drawing.text(x + width / 2, y + height / 2 + 4, score(value), kind, "middle")
    bottom = top + height * len(alphas)
    for j, beta in enumerate(betas):
        drawing.text(left + (j + 0.5) * width, bottom + 15, plain_number(beta), "tick", "middle")
    i, j = found.best
    drawing.rect("frame", (left + j * width, top + i * height, width - 1.5, height - 1.5))
    drawing.text((left + 434) / 2, bottom + 35, "β", "name", "middle")
    drawing.sideways(14, (top + bottom) / 2, "α", "name")
    worst, best = (low, high) if greater_is_better else (high, low)
    levels = [_opacity(step / 9) for step in range(10)]
    _scale(drawing, (left, bottom + 54), levels, (score(worst), f"{score(best)} {metric}"))
    return drawing.markup()


def _opacity(share: float) -> float:
    """Light enough to read a number on it; squared, as most of a grid is near the best."""
    return 0.02 + 0.53 * share * share
