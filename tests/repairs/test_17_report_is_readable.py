"""The report hid columns, broke words, let lines cross its texts, and had maps without a scale."""

import os
import re
import shutil
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from sample import sample

from colabel.comparison import Comparison
from colabel.comparison.report.charts import heat_maps
from colabel.comparison.report.charts import scatter as charts
from colabel.comparison.report.svg import CHARACTER
from colabel.comparison.result import PenaltyGrid

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1180, "height": 900}
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")


def comparison():
    """With as many measures as a comparison has by default."""
    data = sample().to_dict()
    for name in ("auc micro", "subset accuracy", "average precision", "mean average precision"):
        data["metrics"].append({"name": name, "title": name, "greater_is_better": True})
        for result in data["results"]:
            if result["scores"]:
                result["scores"][name] = 0.5
    return Comparison.from_dict(data)


def texts(svg, kind):
    """Boxes of the texts of a kind: left, top, right, bottom."""
    boxes = []
    for text in svg.iter("text"):
        if text.get("class").startswith(kind):
            width, x, y = CHARACTER * len(text.text), float(text.get("x")), float(text.get("y"))
            left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
            boxes.append((left, y - 10, left + width, y + 3))
    return boxes


def segments(svg, kind):
    for path in svg.iter("path"):
        if path.get("class").startswith(kind):
            points = [
                tuple(map(float, point.split())) for point in re.split("[ML]", path.get("d"))[1:]
            ]
            yield from pairwise(points)


def crosses(box, segment):
    """Whether a line enters a box, by points along it."""
    (a, b), (c, d) = segment
    for i in range(201):
        x, y = a + (c - a) * i / 200, b + (d - b) * i / 200
        if box[0] < x < box[2] and box[1] < y < box[3]:
            return True
    return False


def test_no_line_crosses_a_name_in_time_and_quality():
    points = [
        charts.Placed(f"method {i}", 1.6**i, 0.5 + 0.05 * (i % 4), i == 7, i in (0, 1, 2, 3))
        for i in range(10)
    ]
    svg = ElementTree.fromstring(charts.time_and_quality(points, "F1", True))
    names, line = texts(svg, "label"), list(segments(svg, "front"))
    assert len(names) >= 5
    assert line
    assert not [box for box in names for part in line if crosses(box, part)]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_line_crosses_the_legend_of_the_spectra(n):
    # lines on several heights, all along the picture
    levels = [[1.0, *[0.1 ** (height / 2)] * 39] for height in range(4)]
    series = [(f"a method {i}", levels[i], 40) for i in range(n)]
    svg = ElementTree.fromstring(charts.spectra(series))
    legend = texts(svg, "label")
    assert len(legend) == n
    lines = list(segments(svg, "series"))
    lines += [
        ((float(g.get("x1")), float(g.get("y1"))), (float(g.get("x2")), float(g.get("y2"))))
        for g in svg.iter("line")
        if g.get("class") == "grid"
    ]
    assert not [box for box in legend for line in lines if crosses(box, line)]


def test_heat_maps_have_a_scale():
    drawn, _ = heat_maps.co_occurrence(["a", "b"], [[4, 1], [1, 2]])
    said = [text.text for text in ElementTree.fromstring(drawn).iter("text")]
    assert said[-2:] == ["0%", "100%"]
    picture = PenaltyGrid([1.0], [1.0, 2.0], [[0.25, 0.75]], "loss", [0, 1])
    for greater, ends in ((True, ["0.250", "0.750 loss"]), (False, ["0.750", "0.250 loss"])):
        svg = ElementTree.fromstring(heat_maps.grid(picture, greater, "loss"))
        assert [text.text for text in svg.iter("text")][-2:] == ends
        shades = [float(r.get("fill-opacity")) for r in svg.iter("rect") if r.get("fill-opacity")]
        assert shades[-10:] == sorted(shades[-10:])


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    if CHROMIUM is None:
        pytest.skip("needs the browser chromium (apt-get install chromium, or CHROMIUM=)")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(comparison().to_html(), encoding="utf-8")
    return path.as_uri()


def opened(browser, address, viewport, **options):
    page = browser.new_page(viewport=viewport, **options)
    page.goto(address)
    return page


def test_columns_are_in_sight_or_said_to_be_out_of_it(browser, address):
    page = opened(browser, address, DESK)
    box = page.locator(".scroll", has=page.locator("table.sortable")).first
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    assert not page.locator(".cue:visible").count()
    page.set_viewport_size(PHONE)
    cue = page.locator(".cue:visible").first
    cue.wait_for()
    assert cue.inner_text().startswith("→ scroll sideways for ")
    assert cue.inner_text().endswith("mean average precision, time to fit")
    shadows = box.evaluate("box => getComputedStyle(box).backgroundImage")
    assert shadows.count("linear-gradient") == 4


def test_failures_are_read_word_by_word_on_a_phone(browser, address):
    page = opened(browser, address, PHONE)
    cells = page.locator(".stacked tbody td, .stacked tbody th")
    assert cells.count() == 10
    for cell in cells.all():
        assert cell.bounding_box()["width"] > 300
    lines = page.locator(".stacked .why").first.evaluate(
        "cell => cell.getClientRects()[0].height / parseFloat(getComputedStyle(cell).lineHeight)"
    )
    assert lines < 4
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_button_does_not_cover_the_code(browser, address):
    page = opened(browser, address, PHONE)
    for code in page.locator(".code:visible").all():
        button, text = code.locator("button").bounding_box(), code.locator("pre").bounding_box()
        assert button["y"] + button["height"] <= text["y"] + 1
