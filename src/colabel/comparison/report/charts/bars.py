"""How often labels occur, as bars."""

from markupsafe import Markup

from colabel.comparison.report.svg import CHARACTER, Drawing, short

_WIDTH, _NAMES, _LINE = 720.0, 190.0, 20.0


def frequencies(counts: list[tuple[str, int]], rows: int) -> Markup:
    """A bar for each label, with its rows and their share of all."""
    drawing = Drawing(_WIDTH, _LINE * len(counts), "rows of each label")
    scale = (_WIDTH - _NAMES - 110) / max(1, *(count for _, count in counts))
    for i, (name, count) in enumerate(counts):
        y = i * _LINE
        fitting = short(name, int((_NAMES - 10) / CHARACTER))
        drawing.text(_NAMES - 8, y + 14, fitting, "label", "end")
        drawing.rect("bar", (_NAMES, y + 3, scale * count, _LINE - 6), hint=name)
        said = f"{count} ({count / max(rows, 1):.1%})"
        drawing.text(_NAMES + scale * count + 6, y + 14, said, "tick")
    return drawing.markup()
