"""Whether what probabilities say comes true, as a diagram."""

from markupsafe import Markup

from colabel.comparison.report.svg import Drawing, Scale, axes

#: The square that is drawn.
_SIZE = 340.0


def diagram(predicted: list[float], observed: list[float], width: float = _SIZE) -> Markup:
    """Shares of true labels over probabilities, a dot a bin, beside the diagonal."""
    drawing = Drawing(width, _SIZE, "probabilities and what came true")
    x, y = Scale(0, 1, 50, _SIZE - 15), Scale(0, 1, _SIZE - 45, 10)
    axes(drawing, x, y, ("probability", "share of true labels"))
    drawing.line("guide", x(0), y(0), x(1), y(1))
    pairs = list(zip(predicted, observed, strict=True))
    steps = "L".join(f"{x(p):.1f} {y(share):.1f}" for p, share in pairs)
    drawing.path("front", f"M{steps}")
    for p, share in pairs:
        drawing.circle("dot", x(p), y(share), 4, hint=f"said {p:.3f}, true {share:.3f}")
    return drawing.markup()
