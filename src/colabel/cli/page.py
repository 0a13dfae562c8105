"""A description of a data set as a web page of one file.

The page is built as a tree and written by a serialiser, which escapes all text by itself: names
of labels come from files of strangers.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from colabel.cli.faults import printable
from colabel.cli.pictures import figures, shares

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1f24; background: #fff; }
table { border-collapse: collapse; } td, th { padding: .1rem .6rem; text-align: left;
       font-weight: normal; } th { color: #57606a; } td.count { text-align: right; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: #1b1f24; }
rect.bar { fill: #1f77b4; } rect.cell { fill: #1f77b4; } rect.self { fill: #d0d7de; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; } svg text { fill: #e6edf3; } th { color: #8b949e; }
  rect.self { fill: #30363d; } }
"""
_LINE, _NAMES, _WIDTH = 16, 220, 800


def page(summary: dict[str, Any]) -> str:
    """The page, as text."""
    title = f"{printable(summary['name'])}: {summary['rows']} rows, {summary['labels']} labels"
    html = Element("html", lang="en")
    head, body = SubElement(html, "head"), SubElement(html, "body")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "title").text = title
    SubElement(head, "style").text = _STYLE
    SubElement(body, "h1").text = title
    _figures(body, summary)
    most = len(summary["co_occurrence"]["labels"])
    _heading(body, f"Rows of each label (the {most} most frequent of {summary['labels']})")
    _frequencies(body, summary, most)
    if most > 1:
        _heading(body, "Labels that occur together")
        note = "Of the rows with the label of a line, the share that has the label of a column too."
        SubElement(body, "p").text = note
        _co_occurrence(body, summary)
    _heading(body, "All labels")
    _all_labels(body, summary)
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _heading(body: Element, text: str) -> None:
    SubElement(body, "h2").text = text


def _figures(body: Element, summary: dict[str, Any]) -> None:
    table = SubElement(body, "table")
    for name, value in figures(summary):
        row = SubElement(table, "tr")
        SubElement(row, "th").text = name
        SubElement(row, "td").text = value


def _all_labels(body: Element, summary: dict[str, Any]) -> None:
    table = SubElement(body, "table")
    for name, count in summary["label_counts"].items():
        row = SubElement(table, "tr")
        SubElement(row, "td").text = printable(name)
        SubElement(row, "td", {"class": "count"}).text = str(count)


def _drawing(body: Element, height: int, what: str) -> Element:
    size = f"0 0 {_WIDTH} {height}"
    return SubElement(body, "svg", {"viewBox": size, "role": "img", "aria-label": what})


def _text(parent: Element, x: float, y: float, text: str, anchor: str = "start") -> None:
    SubElement(parent, "text", {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}).text = text


def _rect(
    parent: Element, kind: str, box: tuple[float, ...], hint: str, opacity: float = 1
) -> None:
    sides = dict(zip(("x", "y", "width", "height"), (f"{side:g}" for side in box), strict=True))
    rect = SubElement(parent, "rect", {"class": kind, **sides, "fill-opacity": f"{opacity:.3f}"})
    SubElement(rect, "title").text = hint


def _short(name: str, most: int = 34) -> str:
    name = printable(name)
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _frequencies(body: Element, summary: dict[str, Any], most: int) -> None:
    counts = list(summary["label_counts"].items())[:most]
    svg = _drawing(body, _LINE * len(counts), "rows of each label")
    scale = (_WIDTH - _NAMES - 110) / max(counts[0][1], 1)
    for i, (name, count) in enumerate(counts):
        y = i * _LINE
        share = count / max(summary["rows"], 1)
        _text(svg, _NAMES - 6, y + 12, _short(name), "end")
        _rect(svg, "bar", (_NAMES, y + 2, scale * count, _LINE - 4), printable(name))
        _text(svg, _NAMES + scale * count + 5, y + 12, f"{count} ({share:.1%})")


def _co_occurrence(body: Element, summary: dict[str, Any]) -> None:
    names = summary["co_occurrence"]["labels"]
    side = min(26.0, (_WIDTH - _NAMES - 10) / len(names))
    svg = _drawing(body, round(side * len(names)) + 20, "share of rows with two labels")
    for i, row in enumerate(shares(summary)):
        y = 18 + i * side
        _text(svg, _NAMES - 6, y + side / 2 + 4, f"{_short(names[i], 30)} {i + 1}", "end")
        _text(svg, _NAMES + (i + 0.5) * side, 12, f"{i + 1}", "middle")
        for j, share in enumerate(row):
            hint = f"{printable(names[i])}, {printable(names[j])}: {share:.1%}"
            box = (_NAMES + j * side, y, side - 1, side - 1)
            _rect(svg, "self" if i == j else "cell", box, hint, 1 if i == j else share)
