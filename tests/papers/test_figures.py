"""Figures of the papers as experiments, what is drawn of them, and what becomes of claims."""

from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from stand_ins import TRAINING, cut, folder_of
from this_process import without_processes

from colabel.comparison.from_scores import from_scores
from colabel.datasets import load
from colabel.papers import (
    FIGURES,
    PROTOCOLS,
    claims,
    figures_by_name,
    ji2008_figures,
    xu2016_sections,
)
from colabel.papers.curves import Curves, Point, section
from colabel.papers.folder import choose
from colabel.papers.index import index_page, write_pages
from colabel.papers.ji2008_figures import CUT_AT_0, TUNED_CUTS
from colabel.papers.page import page
from colabel.papers.protocol import FAILS, HOLDS, NOT_RUN, UNTESTED, Claim, Source, Split, measure
from colabel.papers.reproduction import journal_of, run
from colabel.papers.sun2008_methods import numbers, texts
from colabel.papers.yahoo import pages
from colabel.tuning import SharedSubspaceClassifierCV

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


def test_places_are_told_by_their_values():
    curves = Curves([], "λ", "ROC", places=(0.1, 200.0))
    assert [curves.tick(x) for x in (0.0, 1.0)] == ["0.1", "200"]
    assert Curves([], "n", "ROC").tick(250.0) == "250"


def test_the_grid_of_penalties_is_that_of_the_search(tmp_path):
    protocol = replace(
        FIGURES["ji2008"][2], sources={"Arts": Source("yahoo_arts", partial(pages, size=TRAINING))}
    )
    found = found_on(protocol, folder_of(tmp_path / "data", "yahoo_arts"))
    (result,) = found.results
    cells = [name for name in result.scores if name.startswith("α")]
    assert len(cells) == len(ji2008_figures.PENALTIES) ** 2
    assert all(0 <= result.scores[cell] <= 1 for cell in cells)
    others = {name for name in result.scores if name.startswith("macro F1")}
    assert others == {*(f"macro F1, r = {r}" for r in ji2008_figures.RANKS), CUT_AT_0, TUNED_CUTS}
    assert result.scores[TUNED_CUTS] == max(result.scores[cell] for cell in cells)
    split = Split(protocol.sources["Arts"].prepare(load(tmp_path / "data/yahoo_arts.svm.xz")), 0)
    search = SharedSubspaceClassifierCV(
        ji2008_figures.PENALTIES,
        ji2008_figures.PENALTIES,
        1,
        thresholds="train",
        cv=split.splitter(5),
        verbose=False,
    )
    assert result.scores["macro F1, r = 1"] == search.fit(split.X, split.Y).best_score_
    for claim in protocol.claims:
        assert claim.judge(found)[1]


def test_the_most_frequent_labels_alone(tmp_path):
    data = load(folder_of(tmp_path / "data", "yahoo_arts") / "yahoo_arts.svm.xz")
    every, two = pages(data, TRAINING).Y, pages(data, TRAINING, labels=2).Y
    kept = [k for k in range(every.shape[1]) if every[:, k].sum() > every.sum(axis=0).min()]
    np.testing.assert_array_equal(two, every[:, kept])


def test_what_the_paper_says_stands_beside_a_line(tmp_path):
    found = made(few={"a": [0.2], "b": [0.4]}, many={"a": [0.3], "b": [0.5]})
    points = [
        Point(panel, name, x, data, name, "s")
        for panel in ("one", "two")
        for name in ("a", "b")
        for x, data in ((1.0, "few"), (2.0, "many"))
    ]
    curves = Curves(
        points,
        "rows",
        "s",
        published={"one": {"a": 0.25}},
        other_x={"two": "labels"},
        circles={"b": 2.0},
    )
    one, two = section(curves, "made", "Made", found, tmp_path).split("## ")[1:]
    head, _, a, b = (line.split("|")[1:-1] for line in one.splitlines()[2:6])
    assert [cell.strip() for cell in head] == ["s, by rows", "1", "2", "the paper"]
    assert [cell.strip() for cell in a] == ["a", "0.2", "0.3", "0.25"]
    assert [cell.strip() for cell in b] == ["b", "0.4", "0.5", ""]
    assert "s, by labels" in two
    assert "the paper" not in two
    drawn = (tmp_path / "made.svg").read_text()
    plain = replace(curves, published={}, circles={})
    section(plain, "made", "Made", found, tmp_path)
    assert len(drawn) > len((tmp_path / "made.svg").read_text())


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


def made(**of):
    """Results of one measure: for each data set, the values of methods over splits."""
    return from_scores({name: dict(values) for name, values in of.items()}, metric="s")


@pytest.mark.parametrize(
    ("test", "verdict", "said"),
    [
        (claims.below(["a"], "s", 2.5), HOLDS, "at most 2"),
        (claims.below(["a", "b"], "s", 2.5), FAILS, "at most 9"),
        (claims.rises(["a", "b"], "s"), HOLDS, "2 of 2 steps go up"),
        (claims.grows_less({"a": "b"}, "s"), HOLDS, "1 of 1 cases; by 2 and 3 on average"),
        (claims.grows_less({"b": "a"}, "s"), FAILS, "0 of 1 cases"),
        (claims.ratio("b", "a", "s"), UNTESTED, "b takes 3 to 4.5 times what a takes"),
        (claims.below(["c"], "s", 2.5), None, ""),
        (claims.rises(["c"], "s"), None, ""),
        (claims.ratio("a", "c", "s"), None, ""),
    ],
)
def test_claims_of_seconds(test, verdict, said):
    found = made(
        few={"a": [1.0], "b": [3.0], "c": [None]}, many={"a": [2.0], "b": [9.0], "c": [None]}
    )
    judged = test(found)
    assert judged is None if verdict is None else judged[0] == verdict
    assert verdict is None or said in judged[1]


def test_claims_beside_a_start():
    found = made(one={"a": [0.5], "b": [0.4]})
    scores = {"a": {"s": 0.5, "t": 0.6, "u": 0.7}, "b": {"s": 0.4, "t": 0.3, "u": 0.35}}
    results = [replace(r, scores=scores[r.method]) for r in found.results]
    found = replace(found, results=results, metrics=[measure(name) for name in "stu"])
    assert claims.lifts(["a"], ["t", "u"], "s")(found) == (
        HOLDS,
        "2 of 2 cases; by +0.1500 on average",
    )
    assert claims.lifts(["a", "b"], ["t", "u"], "s")(found)[0] == FAILS  # half is not most
    theirs = {"x": {"p": (0.5, None), "q": (0.2, None)}}
    close = claims.as_close({"a": "b"}, ["s", "t"], theirs, {"p": "q"})
    assert close(found)[0] == HOLDS  # 0.1 and 0.3 apart, as the paper's
    assert claims.as_close({"a": "b"}, ["s", "u"], theirs, {"p": "q"})(found)[0] == FAILS


def test_a_claim_of_what_is_not_run_is_neither_tested_nor_untestable():
    told = Claim("", "", lambda found: (HOLDS, "yes"))
    assert told.judge(None)[0] == NOT_RUN
    assert Claim("", "", reason="why").judge(None) == (UNTESTED, "why")


def test_the_claims_of_liu2006_are_of_its_curves(tmp_path):
    folder = folder_of(tmp_path / "data", "enron")
    found = found_on(cut("liu2006"), folder, splits=2)
    verdicts = {claim.text: claim.judge(found) for claim in cut("liu2006").claims}
    assert verdicts["recall rises with the number of labels, for all four"][0] == HOLDS
    assert "of 8 curves" in verdicts["each F1 curve shows a peak"][1]
    assert UNTESTED not in {verdict for verdict, _ in verdicts.values()}


def test_ranks_are_tested_for_each_measure(scene):
    first = PROTOCOLS["xu2016"].measures[0]
    ranks = xu2016_sections.measure_ranks(scene, first, "")
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
