"""Pictures as SVG: a drawing that escapes what it is given, scales, ticks and axes.

Colours and type are left to the style sheet, which knows of light, dark and paper: a shape has a
class, never a colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from colabel._terminal import one_line

#: The mean width of a character, in the units of a drawing.
CHARACTER = 7.0


def short(name: str, most: int) -> str:
    """A name that fits, on one line; an empty one is shown as what it is."""
    name = one_line(name) or "(empty)"
    return name if len(name) <= most else f"{name[: most - 1]}…"


class Drawing:
    """A picture of a given size in units of its own; it is shown as wide as there is room.

    Examples
    --------
    >>> from colabel.comparison.report.svg import Drawing
    >>> drawing = Drawing(20, 10, "a < b")
    >>> drawing.text(1, 2, "<b>", "tick")
    >>> print(drawing.markup())
    <svg viewBox="0 0 20 10" role="img" aria-label="a &lt; b"><text class="tick" x="1" y="2"
    text-anchor="start">&lt;b&gt;</text></svg>
    """

    def __init__(self, width: float, height: float, what: str) -> None:
        self.width, self.height = width, height
        size = f"0 0 {width:g} {height:g}"
        # escaped below: this serialiser leaves < in attributes as it is
        self._root = Element("svg", {"viewBox": size, "role": "img", "aria-label": one_line(what)})
        self._at = self._root

    def group(self, kind: str) -> None:
        """Put what follows into a group."""
        self._at = SubElement(self._root, "g", {"class": kind})

    def ungroup(self) -> None:
        """Put what follows beside the groups."""
        self._at = self._root

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """A straight line."""
        self._add("line", kind, x1=x1, y1=y1, x2=x2, y2=y2)

    def rect(
        self,
        kind: str,
        box: tuple[float, float, float, float],
        opacity: float | None = None,
        hint: str | None = None,
    ) -> None:
        """A box, given as x, y, width and height, with a text that shows when it is pointed at."""
        x, y, width, height = box
        shape = self._add("rect", kind, x=x, y=y, width=width, height=height)
        if opacity is not None:
            shape.set("fill-opacity", f"{opacity:.2f}")
        _hint(shape, hint)

    def circle(self, kind: str, x: float, y: float, r: float, hint: str | None = None) -> None:
        """A dot."""
        _hint(self._add("circle", kind, cx=x, cy=y, r=r), hint)

    def path(self, kind: str, d: str) -> None:
        """Any shape, in the language of SVG."""
        self._add("path", kind).set("d", d)

    def boxes(
        self,
        kind: str,
        corners: Iterable[tuple[float, float]],
        size: tuple[float, float],
        opacity: float | None = None,
    ) -> None:
        """Many boxes of one size as one path, given their upper left corners."""
        width, height = _n(size[0]), _n(size[1])
        shape = self._add("path", kind)
        shape.set("d", "".join(f"M{_n(x)} {_n(y)}h{width}v{height}h-{width}z" for x, y in corners))
        if opacity is not None:
            shape.set("fill-opacity", f"{opacity:.2f}")

    def polyline(self, kind: str, points: Iterable[tuple[float, float]]) -> None:
        """Lines from point to point."""
        self.path(kind, "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points))

    def dots(self, kind: str, points: Iterable[tuple[float, float]]) -> None:
        """Many dots as one path: lines without length, which round caps make dots."""
        self.path(kind, "".join(dot(x, y) for x, y in points))

    def text(self, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
        """A line of text; `anchor` says which part of it is at x."""
        shape = self._add("text", kind, x=x, y=y)
        shape.set("text-anchor", anchor)
        shape.text = text

    def sideways(self, x: float, y: float, text: str, kind: str) -> None:
        """A line of text that runs upwards, its middle at (x, y)."""
        shape = self._add("text", kind)
        shape.set("transform", f"translate({_n(x)} {_n(y)}) rotate(-90)")
        shape.set("text-anchor", "middle")
        shape.text = text

    def markup(self) -> Markup:
        """The picture, safe to put into a page."""
        for shape in self._root.iter():
            for name, value in shape.attrib.items():
                shape.set(name, value.replace("<", "\x00"))
        written = tostring(self._root, encoding="unicode", method="html")
        return Markup(written.replace("\x00", "&lt;"))

    def _add(self, tag: str, kind: str, **numbers: float) -> Element:
        places = {name: _n(value) for name, value in numbers.items()}
        return SubElement(self._at, tag, {"class": kind, **places})


def dot(x: float, y: float) -> str:
    """One dot of a path of dots."""
    return f"M{_n(x)} {_n(y)}h0"


def _n(value: float) -> str:
    return f"{round(value, 1):g}"


def _hint(shape: Element, hint: str | None) -> None:
    if hint is not None:
        SubElement(shape, "title").text = one_line(hint)


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` as places from `start` to `end`, evenly or by their logarithm.

    Examples
    --------
    >>> from colabel.comparison.report.svg import Scale
    >>> Scale(1, 100, 0, 50, log=True)(10.0), Scale(0, 1, 0, 50).ticks()
    (25.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    >>> Scale(0.03, 200, 0, 50, log=True).ticks()
    [0.1, 1.0, 10.0, 100.0]
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, log: bool = False) -> Scale:
        """A scale with room for all values and a little more."""
        known = list(values)
        low, high = (min(known), max(known)) if known else (1.0, 1.0)
        if log:
            room = max((high / low) ** 0.06, 1.2)
            return cls(low / room, high * room, start, end, log=True)
        room = 0.07 * (high - low) or 0.05 * abs(high) or 1.0
        return cls(low - room, high + room, start, end)

    def __call__(self, value: float) -> float:
        """The place of a value."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values to mark."""
        if self.log:
            return self._powers(about)
        raw = (self.high - self.low) / about
        unit = 10.0 ** math.floor(math.log10(raw))
        step = min((m * unit for m in (1, 2, 5, 10)), key=lambda s: abs(math.log(s / raw)))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{i * step:.10g}") for i in range(first, last + 1)]

    def _powers(self, about: int) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        every = max(1, round((last - first) / about))
        powers = [10.0**e for e in range(first, last + 1, every)]
        if len(powers) > 1:
            return powers
        between = (m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5))
        return [float(f"{v:.10g}") for v in between if self.low <= v <= self.high]


def plain_number(value: float) -> str:
    """A number as an axis writes it."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        written = f"{value:g}"
    else:
        mantissa, exponent = f"{value:.3e}".split("e")
        written = f"{float(mantissa):g}e{int(exponent)}"
    return written.replace("-", "−")


def axes(drawing: Drawing, x: Scale, y: Scale, titles: tuple[str, str]) -> None:
    """Ticks, lines across at the ticks of y, and what the axes are."""
    left, bottom = min(x.start, x.end), max(y.start, y.end)
    right, top = max(x.start, x.end), min(y.start, y.end)
    for tick in y.ticks():
        drawing.line("grid", left, y(tick), right, y(tick))
        drawing.text(left - 6, y(tick) + 4, plain_number(tick), "tick", "end")
    for tick in x.ticks():
        drawing.line("mark", x(tick), bottom, x(tick), bottom + 4)
        drawing.text(x(tick), bottom + 17, plain_number(tick), "tick", "middle")
    drawing.line("axis", left, bottom, right, bottom)
    drawing.text((left + right) / 2, bottom + 35, titles[0], "name", "middle")
    drawing.sideways(12, (top + bottom) / 2, titles[1], "name")
