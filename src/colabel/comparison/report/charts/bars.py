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


def signed(parts: list[tuple[str, float]], what: str) -> Markup:
    """A bar for each part, to the right of a line where it adds and to the left where it takes."""
    drawing = Drawing(_WIDTH, _LINE * len(parts), what)
    low = min(0.0, *(value for _, value in parts)) if parts else 0.0
    high = max(0.0, *(value for _, value in parts)) if parts else 0.0
    scale = (_WIDTH - _NAMES - 150) / ((high - low) or 1.0)
    zero = _NAMES + 70 - scale * low
    for i, (name, value) in enumerate(parts):
        y, end = i * _LINE, zero + scale * value
        fitting = short(name, int((_NAMES - 10) / CHARACTER))
        drawing.text(_NAMES - 8, y + 14, fitting, "label", "end")
        box = (min(zero, end), y + 3, abs(scale * value), _LINE - 6)
        drawing.rect("bar" if value > 0 else "bar less", box, hint=name)
        beside = (end + 6, "start") if value > 0 else (end - 6, "end")
        drawing.text(beside[0], y + 14, f"{value:+.3f}", "tick", beside[1])
    drawing.line("axis", zero, 0, zero, _LINE * len(parts))
    return drawing.markup()
