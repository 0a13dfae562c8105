"""What the differences from a paper change, and which gaps they are the cause of."""

from dataclasses import replace

import pytest
from stand_ins import counts, folder_of
from this_process import without_processes

from colabel.papers.effects import Results, differences, experiment, gaps_section
from colabel.papers.folder import choose
from colabel.papers.page import index_page, page, write_pages
from colabel.papers.protocol import (
    Difference,
    Otherwise,
    Problem,
    Procedure,
    Protocol,
    Source,
    measure,
    plain_random,
)
from colabel.papers.reproduction import journal_of, run

pytestmark = pytest.mark.usefixtures("in_this_process")

SETS = {"Here": "image", "Elsewhere": "scene"}
#: What a method reaches, on all sets; splits add a hundredth each.
REACHED = {"plain": 0.5, "strange": 0.5, "plain, better": 0.7, "plain, so-so": 0.63}


def problem(data):
    return Problem(data, plain_random(len(counts(0)[1]), 100))


def reaching(name):
    def work(split, _):
        value = REACHED[name] + 0.01 * split.number
        return {"AUC": value, "AUC of labels": value + 0.2}

    return Procedure(work)


DIFFERS = (
    Difference("half-hearted", (Otherwise("plain", "plain, so-so"),)),
    Difference("the cause", (Otherwise("plain", "plain, better"),)),
    Difference(
        "judged by labels", (Otherwise("strange", "strange", measures={"AUC": "AUC of labels"}),)
    ),
    Difference("others", other_data=("Elsewhere",)),
)
MEASURES = (measure("AUC"), measure("AUC of labels"))
SOURCES = {title: Source(file, problem) for title, file in SETS.items()}
CHOICES = experiment(
    "made",
    "Made (2026)",
    {"Here": SOURCES["Here"]},
    {name: reaching(name) for name in ("plain", "plain, better", "plain, so-so")},
    MEASURES,
)
PUBLISHED = {
    "AUC": {
        "Here": {"plain": (0.7, None), "strange": (0.7, None)},
        "Elsewhere": {"plain": (0.7, None), "strange": (0.9, None)},
    }
}
MADE = Protocol(
    name="made",
    citation="Made (2026)",
    about="",
    sources=SOURCES,
    tables={},
    methods={name: reaching(name) for name in ("plain", "strange")},
    measures=MEASURES,
    published=PUBLISHED,
    n_splits=2,
    paper_splits=2,
    differs=DIFFERS,
    choices=CHOICES,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = folder_of(tmp_path_factory.mktemp("data"), *SETS.values())
    found = []
    for protocol in (MADE, CHOICES):
        chosen = choose(protocol, folder)
        with without_processes(), journal_of(None, protocol, chosen) as journal:
            found.append(run(protocol, chosen, journal=journal))
    return Results(*found)


def test_effects_are_paired_differences(results):
    said = differences(results, MADE)
    assert "AUC of plain: Here +0.2000 ± 0.0000" in said
    assert "AUC of plain: Here +0.1300 ± 0.0000" in said
    assert "AUC of strange: Here +0.2000 ± 0.0000, Elsewhere +0.2000" in said
    assert said.count("not measured") == 1


def test_a_gap_has_the_cause_that_closes_it(results):
    said = gaps_section(results, MADE)
    assert "0 of 4 figures are within 2 standard errors" in said
    assert "closed by: the cause " in said
    assert "closed by: judged by labels" in said
    assert "other data, effect not known: others" in said
    assert "half-hearted" not in said  # while another closes it
    without = replace(MADE, differs=DIFFERS[:1])
    assert "halved by: half-hearted" in gaps_section(results, without)
    assert "unknown 4." in gaps_section(results, replace(MADE, differs=()))


def test_a_change_that_may_be_chance_is_no_cause(results):
    runs = [
        replace(r, scores={**r.scores, "AUC": 0.9 - 0.4 * r.split})
        if r.method == "plain, better"
        else r
        for r in results.choices.results
    ]
    noisy = Results(results.tables, replace(results.choices, results=runs))
    assert "AUC of plain: Here +0.1950 ± 0.2050" in differences(noisy, MADE)
    assert "closed by: the cause" not in gaps_section(noisy, MADE)


def test_the_page_of_the_tables_tells_of_choices_that_are_run_after_it(results, tmp_path):
    folder = tmp_path / "reproduction"
    write_pages(folder, results.tables, MADE, {"made": MADE})
    assert "+0.1300" not in (folder / "made.md").read_text()
    write_pages(folder, results.choices, CHOICES, {"made": MADE})
    assert "+0.1300" in (folder / "made.md").read_text()
    assert "(reproduction/made_choices.md)" in folder.with_suffix(".md").read_text()
    assert "what is open, done otherwise" in page(results.choices, CHOICES)


def test_the_index_says_that_results_are_older_than_the_protocol(results, tmp_path):
    folder = tmp_path / "reproduction"
    write_pages(folder, results.tables, MADE, {"made": MADE})
    assert "earlier protocol" not in folder.with_suffix(".md").read_text()
    later = replace(MADE, since="2999-01-01")
    assert "earlier protocol than that of 2999-01-01" in index_page(folder, {"made": later})


def test_a_set_may_have_some_of_the_methods(results, tmp_path):
    folder = folder_of(tmp_path / "data", *SETS.values())
    sources = {**SOURCES, "Here": replace(SOURCES["Here"], methods=("strange",))}
    protocol = replace(MADE, sources=sources)
    chosen = choose(protocol, folder)
    with journal_of(None, protocol, chosen) as journal:
        found = run(protocol, chosen, journal=journal)
    ran = {(result.dataset, result.method) for result in found.results}
    assert ran == {("Here", "strange"), ("Elsewhere", "plain"), ("Elsewhere", "strange")}
    assert "strange" in page(found, protocol)
