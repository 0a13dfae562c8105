"""The pages in a real browser, without a network: no request, no error, and what they do."""

import io
import os
import shutil
from itertools import pairwise

import numpy as np
import pytest
from sample import METHODS, SCRIPT, sample

from colabel.cli.app import run

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs the browser chromium (apt-get install chromium, or CHROMIUM=)"
)
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1180, "height": 900}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, n in (("one", 1), ("several", 3)):
        (folder / f"{name}.html").write_text(sample(n).to_html(), encoding="utf-8")
    table = folder / "hostile.csv"
    table.write_text(f'x,{SCRIPT},"a ""b"" & c"\n1,1,0\n2,1,1\n3,0,1\n', encoding="utf-8")
    described = folder / "described.html"
    assert run(["describe", str(table), "--labels", "-2", "--html", str(described)]) == 0
    return folder


@pytest.fixture
def opened(browser, files):
    """Open a page; at the end, see that it asked for nothing and complained about nothing."""
    contexts, wrong = [], []

    def visit(name, **options):
        context = browser.new_context(**{"viewport": DESK, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(r.url))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.goto((files / f"{name}.html").as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []


def pixels(shot):
    from matplotlib.image import imread

    return imread(io.BytesIO(shot), format="png")[..., :3]


def methods(page):
    return (
        page.locator("table.sortable")
        .first.locator("tbody th > span:first-child")
        .all_inner_texts()
    )


@pytest.mark.parametrize("name", ["one", "several", "described"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_pages_show_something_and_fit(opened, name, scheme, viewport):
    page = opened(name, color_scheme=scheme, viewport=viewport)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= viewport["width"]
    shown = pixels(page.screenshot())
    ground = shown[2, 2]
    assert (ground.mean() > 0.5) == (scheme == "light")
    ink = np.abs(shown - ground).max(axis=2) > 0.3
    assert 0.005 < ink.mean() < 0.5


@pytest.mark.parametrize("name", ["one", "several", "described"])
def test_names_show_as_text(opened, name):
    page = opened(name)
    assert SCRIPT in page.locator("body").inner_text()
    assert page.evaluate("[...document.images].length + document.querySelectorAll('b').length") == 0


def test_headings_sort_by_mouse_and_by_keyboard(opened):
    page = opened("one")
    before = methods(page)
    assert len(before) == len(METHODS)
    heading = page.locator("th", has_text="macro F1").first
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    # those without a score stay last
    finished = before[:-1]
    assert methods(page)[-1] == before[-1]
    by_mean = sorted(finished, key=lambda name: score_of(page, name))
    assert methods(page)[:-1] == by_mean
    names = page.locator("th", has_text="method").first
    names.locator("button").focus()
    page.keyboard.press("Enter")
    assert names.get_attribute("aria-sort") == "ascending"
    assert heading.get_attribute("aria-sort") is None
    order = page.evaluate("names => names.sort((a, b) => a.localeCompare(b))", before)
    assert methods(page) == order


def score_of(page, name):
    row = page.locator("table.sortable").first.locator("tbody tr", has_text=name)
    return float(row.locator("td").first.get_attribute("data-value"))


def test_a_loss_sorts_the_least_first(opened):
    page = opened("one")
    heading = page.locator("th", has_text="Hamming loss").first
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"


def test_choosing_a_label_changes_the_colours(opened):
    page = opened("one")
    figure = page.locator("figure[data-picture=embedding]")
    chosen, seen = figure.locator(".chosen"), []
    embedding = sample().datasets[0].insights.embedding
    for i, rows in enumerate(list(embedding.labels.values())[:6]):
        figure.locator("select").select_option(index=i)
        assert chosen.get_attribute("d").count("M") == len(rows)
        seen.append(pixels(figure.locator("svg").screenshot()))
    for one, other in pairwise(seen):
        assert np.abs(one - other).max(axis=2).mean() > 0.002


def test_choosing_a_method_moves_the_labels(opened):
    page = opened("one")
    figure = page.locator("figure[data-picture=labels]")
    first = figure.locator(".dots").get_attribute("d")
    figure.locator("select").select_option(label=SCRIPT)
    second = figure.locator(".dots").get_attribute("d")
    assert first.count("M") == second.count("M") == 59  # one label has no score
    assert first != second
    figure.locator("select").select_option(index=0)
    assert figure.locator(".dots").get_attribute("d") == first


def test_pointing_says_what_is_there(opened):
    page = opened("one")
    figure = page.locator("figure[data-picture=together]")
    counts = sample().datasets[0].insights.cooccurrence.counts
    svg = figure.locator("svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    left, top, width, height = page.evaluate(
        "JSON.parse(document.getElementById('data').textContent)[0].together.cells"
    )
    unit = box["width"] / svg.evaluate("svg => svg.viewBox.baseVal.width")
    page.mouse.move(box["x"] + unit * (left + 1.5 * width), box["y"] + unit * (top + 0.5 * height))
    said = figure.locator("output").inner_text()
    assert said.startswith(f"{SCRIPT} with </script><img")
    assert f"{counts[0][1]} of {counts[0][0]} rows" in said
    scatter = page.locator("figure[data-picture=labels]")
    scatter.scroll_into_view_if_needed()
    box = scatter.locator(".dots").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    assert "rows" in scatter.locator("output").inner_text()
    assert scatter.locator(".ring").get_attribute("d")


def test_the_code_is_copied(opened):
    page = opened("one", permissions=["clipboard-read", "clipboard-write"])
    code = page.locator(".code").first
    code.locator("button").click()
    page.wait_for_function("document.querySelector('.copy').textContent !== 'Copy'")
    assert code.locator("button").inner_text() == "Copied"
    assert page.evaluate("navigator.clipboard.readText()") == code.locator("code").inner_text()


def test_it_can_be_read_without_scripts(opened):
    page = opened("one", java_script_enabled=False)
    assert page.locator("table.sortable tbody tr").count() == len(METHODS)
    assert page.locator("th button").count() == 0
    assert not page.locator("select").first.is_visible()
    assert page.locator("figure svg").count() == 6
    assert page.locator(".chosen").get_attribute("d").count("M") > 50


def test_it_prints(opened):
    page = opened("several", color_scheme="dark")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})  # A4 within its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    colours = page.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert not page.locator("select").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(opened, scheme):
    page = opened("one", color_scheme=scheme)

    def luminance(colour):
        channels = np.array([int(c) for c in colour[4:-1].split(",")]) / 255
        linear = np.where(channels > 0.04045, ((channels + 0.055) / 1.055) ** 2.4, channels / 12.92)
        return linear @ [0.2126, 0.7152, 0.0722]

    def style(selector, what):
        return page.locator(selector).first.evaluate(f"e => getComputedStyle(e).{what}")

    for ground in ("body", ".verdict", "pre"):
        behind = luminance(style(ground, "backgroundColor"))
        for selector, what in (("body", "color"), (".soft", "color"), ("svg .tick", "fill")):
            levels = sorted([behind, luminance(style(selector, what))])
            assert (levels[1] + 0.05) / (levels[0] + 0.05) > 4.5
