"""The page and the markdown: what is in them, in which order, and that names stay text."""

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample import METHODS, NASTY, SCRIPT, sample

from colabel.comparison import Comparison, stats
from colabel.comparison.report.charts.heat_maps import shares
from colabel.comparison.report.charts.rank_diagram import rank_diagram
from colabel.comparison.report.svg import Drawing, Scale

VOID = {"meta"}


class Page(HTMLParser):
    """Tags, attributes and texts of a page, checked to be closed in the right order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.text, self.inside = [], [], [], [], {}
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        self.text.append(data)
        key = f"{tag}:{attributes['type']}" if "type" in attributes else tag
        self.inside.setdefault(key, []).append(data)


@pytest.fixture(scope="module", params=[(1, 5), (4, 2), (1, 1)], ids=str)
def comparison(request):
    return sample(*request.param)


def test_the_parts_come_in_order(comparison):
    page = Page(comparison.to_html())
    text = " ".join(" ".join(page.text).split())
    several = len(comparison.datasets) > 1
    parts = [
        comparison.meta.title,
        stats.verdict(comparison)[0],
        *(["Average ranks", "Who is told apart"] if several else []),
        "Best in bold",
        "Frequent labels and rare ones",
        "Labels that occur together",
        "Eigenvalues",
        "The rows in two directions",
        "Tuning of the shared subspace",
        "Time and quality",
        "What did not finish",
        f"How to use {stats.recommendation(comparison).method.title}",
        "How it was made",
    ]
    places = [
        text.find(part, text.index("colabel 0.1.0") if i else 0) for i, part in enumerate(parts)
    ]
    assert -1 not in places
    assert places == sorted(places)


def test_the_numbers_are_those_of_the_summary(comparison):
    text = " ".join(Page(comparison.to_html()).text)
    markdown = comparison.to_markdown()
    for dataset in comparison.datasets:
        for standing in stats.standings(comparison, dataset.name):
            if (mean := standing.by("f1_macro").mean) is not None:
                assert f"{mean:.3f}" in text
                assert f"{mean:.3f}" in markdown
    for sentence in stats.verdict(comparison):
        assert sentence in text
    code = comparison.method(stats.winner(comparison)).code
    assert code in "".join(Page(comparison.to_html()).inside["code"])
    assert code in markdown


def test_names_are_text(comparison):
    page = Page(comparison.to_html())
    assert not {"img", "link", "iframe", "object", "b"} & set(page.tags)
    assert page.tags.count("script") == 2
    text = "".join(page.text)
    assert text.count(SCRIPT) >= 5
    assert not [a for a in page.attributes if a[1].startswith("on") or a[1] in ("src", "style")]
    assert all(value.startswith("#set-") for _, name, value in page.attributes if name == "href")
    assert not any(
        "http" in str(value) for _, name, value in page.attributes if name != "http-equiv"
    )
    assert "\x1b" not in comparison.to_html()


def test_the_data_of_the_script_is_json_that_cannot_end_it(comparison):
    page = Page(comparison.to_html())
    (written,) = page.inside["script:application/json"]
    assert "<" not in written
    data = json.loads(written)
    shown = data[0]["labels"]["names"]
    assert shown[:3] == NASTY[:3]
    assert shown[6] == "(empty)"
    assert len(data[0]["embedding"]) == 20


def test_the_policy_allows_the_style_and_the_script_and_no_more(comparison):
    html = comparison.to_html()
    page = Page(html)
    (policy,) = (
        value for _, name, value in page.attributes if name == "content" and "src" in value
    )

    def hashed(tag):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
        return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert policy == (
        f"default-src 'none'; style-src {hashed('style')}; script-src {hashed('script')}"
    )


def test_the_page_is_small():
    # as much as the contract allows for eight data sets of 100 labels
    comparison = sample(n_datasets=8, n_splits=5, n_labels=100)
    assert len(comparison.to_html().encode()) < 1_200_000
    assert len(sample().to_html().encode()) < 150_000


def test_all_text_with_strange_characters_can_be_written():
    data = sample(n_labels=12).to_dict()
    data["meta"]["title"] = "lone \ud800 surrogate \x00"
    data["datasets"][0]["label_names"][0] = "\udfff"
    comparison = Comparison.from_dict(data)
    for text in (comparison.to_html(), comparison.to_markdown()):
        assert "�" in text
        text.encode()


def test_pictures_and_times_may_be_missing():
    data = sample(n_labels=12).to_dict()
    data["datasets"][0]["insights"] = {}
    for result in data["results"]:
        result["label_scores"] = {}
    html = Comparison.from_dict(data).without_times().to_html()
    page = Page(html)
    assert "figure" not in page.tags
    assert SCRIPT in "".join(page.text)


def test_nothing_finished():
    data = sample(n_labels=12).to_dict()
    data["results"] = []
    comparison = Comparison.from_dict(data)
    for text in ("".join(Page(comparison.to_html()).text), comparison.to_markdown()):
        assert "No method finished all 5 splits" in text
    many = sample(n_datasets=3).to_dict()
    many["results"] = []
    assert "too few runs finished" in Comparison.from_dict(many).to_html()


def test_markdown_tables_have_as_many_cells_as_columns(comparison):
    tables = re.findall(r"(?:^\|.*\|$\n?)+", comparison.to_markdown(), re.M)
    assert len(tables) >= 4
    for table in tables:
        rows = [re.findall(r"(?<!\\)\|", line) for line in table.strip().splitlines()]
        assert len({len(bars) for bars in rows}) == 1
    unescaped = re.sub(r"```.*?```", "", comparison.to_markdown(), flags=re.S)
    assert "<script>" not in unescaped
    assert r"\<script\>" in unescaped


def test_the_rank_diagram_shows_every_method_and_group():
    ranks = [(f"method {i}", 1.0 + i) for i in range(5)]
    svg = ElementTree.fromstring(rank_diagram(ranks, [[0, 1, 2], [3, 4]], 2.5))
    text = [element.text for element in svg.iter("text")]
    assert all(any(f"{name}" in said and f"{r:.2f}" in said for said in text) for name, r in ranks)
    bars = [line for line in svg.iter("line") if line.get("class") == "group"]
    dots = [float(c.get("cx")) for c in svg.iter("circle")]
    assert dots == sorted(dots)
    for bar, (first, last) in zip(bars, [(0, 2), (3, 4)], strict=True):
        assert float(bar.get("x1")) <= dots[first]
        assert float(bar.get("x2")) >= dots[last]


@pytest.mark.parametrize("k", [2, 9, 24, 60])
def test_the_numbers_of_ranks_do_not_run_into_each_other(k):
    ranks = [(f"method {i}", 1.0 + i) for i in range(k)]
    svg = ElementTree.fromstring(rank_diagram(ranks, [list(range(k))], 2.5))
    numbers = [text for text in svg.iter("text") if text.get("class") == "tick"]
    places = [float(text.get("x")) for text in numbers if text.text.isdigit()]
    assert places
    assert np.diff(places).min() >= 18


def test_every_picture_is_well_formed_and_says_what_it_is(comparison):
    pictures = re.findall(r"<svg.*?</svg>", comparison.to_html(), re.S)
    sets, splits = len(comparison.datasets), comparison.datasets[0].splits.n
    # six of each data set, a line of splits for each method but the one that failed, the ranks
    assert len(pictures) == sets * (6 + (len(METHODS) - 1) * (splits > 1)) + (sets > 1)
    for picture in pictures:
        svg = ElementTree.fromstring(picture)
        assert svg.get("role") == "img"
        assert svg.get("aria-label")
        _, _, width, height = map(float, svg.get("viewBox").split())
        for shape in svg.iter():
            for name in ("x", "x1", "x2", "cx"):
                assert 0 <= float(shape.get(name, 0)) <= width
            for name in ("y", "y1", "y2", "cy"):
                assert 0 <= float(shape.get(name, 0)) <= height


@given(st.text(), st.text())
def test_a_drawing_escapes_what_it_is_given(what, hint):
    drawing = Drawing(10, 10, what)
    drawing.rect("bar", (0, 0, 1, 1), hint=hint)
    svg = ElementTree.fromstring(drawing.markup())
    assert [element.tag for element in svg.iter()] == ["svg", "rect", "title"]
    assert svg.get("aria-label") == " ".join(
        "".join(c if c.isprintable() else "�" for c in " ".join(what.split())).split(" ")
    )


@given(st.floats(1e-6, 1e6), st.floats(1.001, 1e6), st.booleans(), st.integers(3, 8))
def test_ticks_are_few_and_inside(low, ratio, log, about):
    scale = Scale(low, low * ratio, 0, 100, log=log)
    ticks = scale.ticks(about)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 2 * about + 2
    slack = 1e-6 * (scale.high - scale.low)
    assert all(scale.low - slack <= tick <= scale.high + slack for tick in ticks)
    assert scale(scale.low) == pytest.approx(0, abs=1e-9)
    assert scale(scale.high) == pytest.approx(100)
    if not log:
        assert len(ticks) >= about // 2


def test_shares_by_hand():
    counts = [[4, 3, 0], [3, 6, 1], [0, 1, 0]]
    assert shares(counts)[0] == [1, 0.75, 0]
