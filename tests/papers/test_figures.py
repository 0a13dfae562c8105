"""Figures of the papers as experiments, what is drawn of them, and what becomes of claims."""

from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from stand_ins import TRAINING, folder_of
from this_process import without_processes

from colabel.papers import (
    FIGURES,
    PROTOCOLS,
    claims,
    figures_by_name,
    ji2008_figures,
    xu2016_sections,
)
from colabel.papers.folder import choose
from colabel.papers.page import index_page, page, write_pages
from colabel.papers.protocol import FAILS, HOLDS, UNTESTED, Claim, Source
from colabel.papers.reproduction import journal_of, run
from colabel.papers.sun2008_methods import numbers, texts
from colabel.papers.yahoo import pages

pytest.importorskip("matplotlib")

pytestmark = pytest.mark.usefixtures("in_this_process")


def found_on(protocol, folder, splits=1):
    chosen = choose(protocol, folder, splits=splits)
    with journal_of(None, protocol, chosen) as journal:
        return run(protocol, chosen, journal=journal)


def small(paper, number):
    """A figure with sources of few rows."""
    protocol = FIGURES[paper][number]
    makers = {"scene": numbers, "yeast": numbers, "yahoo_arts": texts}
    make = pages if paper in ("ji2008", "han2010") else None
    sources = {
        title: Source(source.file, partial(make or makers[source.file], size=TRAINING))
        for title, source in list(protocol.sources.items())[-4:]
        if make or source.file in makers
    }
    return protocol if paper == "xu2016" else replace(protocol, sources=sources)


@pytest.mark.parametrize(
    ("paper", "number", "file"),
    [
        ("xu2016", 1, "scene"),
        ("sun2008", 1, "scene"),
        ("sun2008", 4, "yahoo_arts"),
        ("sun2008", 6, "yahoo_arts"),
    ],
)
def test_a_figure_is_told_and_drawn(paper, number, file, tmp_path):
    folder = folder_of(tmp_path / "data", file)
    protocol = small(paper, number)
    found = found_on(protocol, folder)
    assert {result.status for result in found.results} == {"ok"}
    (tmp_path / "docs").mkdir()
    out = tmp_path / "docs" / "reproduction"
    write_pages(out, found, protocol, {**PROTOCOLS, **figures_by_name()})
    text = (out / f"{protocol.name}.md").read_text()
    assert f"]({protocol.name}.svg)" in text
    assert ElementTree.parse(out / f"{protocol.name}.svg").getroot().tag.endswith("svg")
    assert page(found, protocol).count("\n## ") == text.count("\n## ") > 0


def test_the_grid_of_penalties_is_that_of_the_search(tmp_path):
    protocol = replace(
        FIGURES["ji2008"][2], sources={"Arts": Source("yahoo_arts", partial(pages, size=TRAINING))}
    )
    found = found_on(protocol, folder_of(tmp_path / "data", "yahoo_arts"))
    (result,) = found.results
    cells = [name for name in result.scores if name.startswith("α")]
    assert len(cells) == len(ji2008_figures.PENALTIES) ** 2
    assert all(0 <= result.scores[cell] <= 1 for cell in cells)


def test_every_figure_has_an_experiment():
    assert {name: sorted(of) for name, of in FIGURES.items()} == {
        "ji2008": [1, 2],
        "sun2008": [1, 2, 3, 4, 5, 6, 7],
        "xu2016": [1, 2, 3, 4],
        "han2010": [1],
        "liu2006": [1, 2],
    }
    for protocol in figures_by_name().values():
        named = {point.dataset for point in protocol.more.args[0].points}
        assert named <= set(protocol.sources)
        assert {point.method for point in protocol.more.args[0].points} <= set(protocol.methods)


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    folder = folder_of(tmp_path_factory.mktemp("data"), "scene", "image")
    with without_processes():
        return found_on(PROTOCOLS["xu2016"], folder)


def test_claims_are_judged_by_means(scene):
    name = scene.datasets[0].name
    results = [result for result in scene.results if result.dataset == name]
    one_set = replace(scene, datasets=scene.datasets[:1], results=results)
    of = claims.means(one_set, name, "F1", ["MVMD", "none"])
    first, second = sorted(of, key=of.__getitem__)[::-1]
    apart = of[first] - of[second]
    assert apart > 0  # to be sure
    assert claims.leads(first, [second], "F1")(one_set)[0] == HOLDS
    assert claims.leads(second, [first], "F1")(one_set)[0] == FAILS
    assert claims.above({first: second}, "F1")(one_set)[0] == HOLDS
    for theirs, said in ((apart + 1e-9, HOLDS), (apart / 2, FAILS)):
        table = {"theirs": {first: (theirs, None), second: (0.0, None)}}
        assert claims.as_close({first: second}, "F1", table)(one_set)[0] == said
    assert claims.ordered([first, second], "F1")(one_set)[0] == HOLDS
    assert claims.moves([first], ["F1"])(one_set)[0] == UNTESTED
    assert claims.leads("nobody", ["none"], "F1")(one_set) is None
    assert Claim("", "").judge(one_set)[0] == UNTESTED


def test_ranks_are_tested_for_each_measure(scene):
    measure = PROTOCOLS["xu2016"].measures[0]
    ranks = xu2016_sections.measure_ranks(scene, measure, "")
    assert np.mean(list(ranks.values())) == pytest.approx(5.0)
    assert xu2016_sections.linked({"MVMD": 1.0, "PCA": 2.0, "none": 6.0}, 4.25) == {"PCA"}
    text = page(scene, PROTOCOLS["xu2016"])
    assert "Differs from the paper, or chooses" in text
    assert "clearly better" not in text


def test_the_index_has_the_claims_of_every_paper(tmp_path, scene):
    folder = tmp_path / "reproduction"
    write_pages(folder, scene, PROTOCOLS["xu2016"], PROTOCOLS)
    text = index_page(folder, PROTOCOLS)
    assert "MVMD has the top average rank on five measures" in text
    assert "does not hold" in text or "holds" in text
