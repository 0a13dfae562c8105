"""What the differences from a paper change, and which gaps they are the cause of."""

from dataclasses import replace

import pytest
from stand_ins import counts, folder_of
from this_process import without_processes

from colabel.papers.cost import forecast, minutes_expected, minutes_spent
from colabel.papers.effects import Results, differences, experiment, gaps_section
from colabel.papers.folder import choose
from colabel.papers.index import index_page, write_again, write_pages
from colabel.papers.page import page
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
    assert "splits:" not in said
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
    assert "an earlier protocol than" not in folder.with_suffix(".md").read_text()
    later = replace(MADE, since="2999-01-01")
    assert "earlier protocol than that of 2999-01-01" in index_page(folder, {"made": later})


def test_what_the_tables_have_both_ways_needs_no_other_experiment(results):
    both = Difference("named", (Otherwise("plain", "strange"),))
    alone = Results(results.tables, None)
    assert "AUC of plain: Here +0.0000" in differences(alone, replace(MADE, differs=(both,)))
    assert "not measured" in differences(alone, replace(MADE, differs=DIFFERS[:1]))


def test_fewer_splits_than_the_papers_are_a_difference(results):
    said = differences(results, replace(MADE, paper_splits=10))
    assert "splits: 2; the paper has 10" in said
    assert "AUC 0.0050, AUC of labels 0.0050" in said  # of 0.50 and 0.51


def earlier(found, reached):
    """Results of three splits on a day before, with which every figure is as given."""
    splits = [replace(r, split=k) for r in found.results if r.split == 0 for k in range(3)]
    return replace(
        found,
        meta=replace(found.meta, created="2020-01-01T00:00"),
        datasets=[replace(d, splits=replace(d.splits, n=3)) for d in found.datasets],
        results=[replace(r, scores={**r.scores, "AUC": reached[r.split]}) for r in splits],
    )


def test_counts_before_and_after(results, tmp_path):
    """0.684 ± 0.083 is within two errors of 0.7, three times, but not of 0.9; 0.6005 of none."""
    before = earlier(results.tables, [0.6, 0.601, 0.85])
    folder = tmp_path / "reproduction"
    protocol = replace(MADE, since="2021-01-01")
    write_pages(folder, before, protocol, {"made": protocol})
    assert "By the protocol of" not in (folder / "made.md").read_text()
    assert "an earlier protocol than" in folder.with_suffix(".md").read_text()
    for _ in range(2):  # what was set aside first stays
        write_pages(folder, results.tables, protocol, {"made": protocol})
        text = (folder / "made.md").read_text()
        assert "0 of 4 figures are within 2 standard errors of the paper's." in text
        assert "By the protocol of 2020-01-01 it was 3 of 4, with 3 splits." in text
        assert "with the first 2 of both, 0 before and 0 now" in text
    assert "| 0 of 4 " in folder.with_suffix(".md").read_text()
    assert "| 3 of 4 " in folder.with_suffix(".md").read_text()


def test_pages_are_written_again_from_results(results, tmp_path):
    folder = tmp_path / "reproduction"
    write_pages(folder, results.tables, MADE, {"made": MADE})
    write_pages(folder, results.choices, CHOICES, {"made": MADE})
    files = [folder / "made.md", folder / "made_choices.md", folder.with_suffix(".md")]
    texts = [path.read_text() for path in files]
    for path in files:
        path.unlink()
    assert sorted(write_again(folder, {"made": MADE})) == sorted(files)
    assert [path.read_text() for path in files] == texts
    (folder / "made.md").write_text("of then")
    later = replace(MADE, since="2999-01-01")
    write_again(folder, {"made": later})
    assert (folder / "made.md").read_text() == "of then"


def test_what_it_takes_is_foretold_by_what_it_took(results, tmp_path):
    folder = tmp_path / "reproduction"
    assert "not known" in forecast(folder, [MADE])
    taking = [replace(r, fit_seconds=60.0 + 60.0 * r.split) for r in results.tables.results]
    found = replace(results.tables, results=taking, tuning_seconds=30.0)
    assert minutes_spent(found) == pytest.approx(4 * 3 + 0.5)  # 4 cells of 1 and 2 minutes
    assert minutes_expected(found, MADE, 10) == pytest.approx(4 * 1.5 * 10 + 0.5)
    only = replace(SOURCES["Here"], only_split=True)
    partly = replace(MADE, sources={**SOURCES, "Here": only})
    assert minutes_expected(found, partly, 10) == pytest.approx(2 * 1.5 * 11 + 0.5)
    write_pages(folder, found, MADE, {"made": MADE})
    assert "expected are 60 minutes" in forecast(folder, [MADE], splits=10)
    assert "expected are 30 minutes" in forecast(folder, [MADE], splits=10, jobs=2)
    timed = replace(MADE, timed=True)
    assert "expected are 60 minutes" in forecast(folder, [timed], splits=10, jobs=2)
    assert "without made_choices, never run" in forecast(folder, [MADE, CHOICES])


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
