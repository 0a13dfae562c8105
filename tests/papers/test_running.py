"""Runs: what is missing, what fails, what is stopped, and what is said of the numbers."""

import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from stand_ins import cut, folder_of, only

from colabel.comparison.from_scores import from_scores
from colabel.comparison.run.journal import Journal, JournalError
from colabel.comparison.stats.standings import failures, spread_of, standings
from colabel.papers import PROTOCOLS, han2010, ji2008
from colabel.papers.folder import MissingDataError, choose, data_folder
from colabel.papers.gaps import gap
from colabel.papers.index import write_pages
from colabel.papers.page import page, published_best, verdict
from colabel.papers.protocol import Procedure, Protocol, measure
from colabel.papers.reproduction import Reproduction, journal_of, run


@pytest.fixture
def data(tmp_path):
    return folder_of(tmp_path / "data", "image", "slashdot")


def counting(protocol, log):
    """The protocol with methods that only note that they were called, in a file."""

    def method(name):
        def work(split, _):
            with open(log, "a") as file:
                file.write(f"{name} {split.number}\n")
            return {wanted.name: 0.5 for wanted in protocol.measures}

        return Procedure(work)

    return replace(protocol, methods={name: method(name) for name in ("PCA", "MVMD")}, more=None)


def calls(log):
    """What was called since this was asked last."""
    found = log.read_text().split("\n")[:-1] if log.exists() else []
    log.unlink(missing_ok=True)
    return found


def test_a_stopped_run_goes_on_where_it_was(data, tmp_path):
    log = tmp_path / "log"
    protocol = counting(PROTOCOLS["xu2016"], log)
    chosen = choose(protocol, data, splits=3)

    def stop(progress):
        latest = progress.latest
        if latest and (latest.dataset, latest.split, latest.method) == ("Image", 1, "PCA"):
            raise KeyboardInterrupt

    with journal_of(tmp_path / "j", protocol, chosen) as kept, pytest.raises(KeyboardInterrupt):
        run(protocol, chosen, journal=kept, report=stop)
    assert calls(log)[:3] == ["PCA 0", "MVMD 0", "PCA 1"]
    with journal_of(tmp_path / "j", protocol, chosen) as kept:
        found = run(protocol, chosen, journal=kept)
    again = calls(log)
    assert again[0] == "MVMD 1"
    assert len(again) == 12 - 3
    assert [data.splits.n for data in found.datasets] == [3, 3]
    assert all(
        spread_of(found, data.name, method, "F1").complete
        for data in found.datasets
        for method in protocol.methods
    )


@pytest.mark.usefixtures("in_this_process")
def test_more_splits_add_to_a_journal_and_other_data_do_not(data, tmp_path):
    log = tmp_path / "log"
    protocol = counting(PROTOCOLS["xu2016"], log)
    for splits, expected in ((1, 4), (3, 8)):
        chosen = choose(protocol, data, splits=splits)
        with journal_of(tmp_path / "j", protocol, chosen) as journal:
            run(protocol, chosen, journal=journal)
        assert len(calls(log)) == expected
    (data / "image.svm.xz").unlink()
    chosen = choose(protocol, data, splits=3)
    with pytest.raises(JournalError, match="other arguments"):
        journal_of(tmp_path / "j", protocol, chosen)


def without_seconds(found):
    """Without times, of the runs and of extraction, which is one of the measures."""
    results = [
        replace(result, scores={k: v for k, v in result.scores.items() if k != "seconds"})
        for result in found.results
    ]
    return replace(found, results=results).without_times()


def test_two_processes_find_what_one_finds(data, tmp_path):
    protocol = only(PROTOCOLS["xu2016"], "PCA", "MVMD")
    chosen = choose(protocol, data, splits=2)
    one, two = (run(protocol, chosen, journal=Journal(None, {}), jobs=jobs) for jobs in (1, 2))
    one, two = (without_seconds(found) for found in (one, two))
    assert one == two


@pytest.mark.usefixtures("in_this_process")
def test_a_method_that_fails_is_told_and_the_rest_goes_on(data, tmp_path):
    protocol = only(PROTOCOLS["xu2016"], "PCA", "MVMD", "none")
    whole = protocol.methods["PCA"].run

    def broken(split, _):
        if split.number == 1:
            raise ValueError("no\nluck")
        return whole(split, {})

    protocol = replace(protocol, methods={**protocol.methods, "PCA": Procedure(broken)})
    chosen = choose(protocol, data, splits=2)
    with Journal(tmp_path / "j", {}) as journal:
        found = run(protocol, chosen, journal=journal)
        assert '["Image", "PCA", 0]' in journal
        assert '["Image", "PCA", 1]' not in journal  # so that it is tried again
    assert [(f.method, f.dataset, f.splits, f.reason) for f in failures(found)] == [
        ("PCA", "Image", (1,), "no luck"),
        ("PCA", "Slashdot", (1,), "no luck"),
    ]
    assert len(spread_of(found, "Image", "PCA", "F1").known) == 1
    assert len(spread_of(found, "Image", "MVMD", "F1").known) == 2
    assert "no luck" in page(found, protocol)


def test_a_method_that_cannot_be_sent_to_a_process_fails_alone(data, tmp_path):
    protocol = counting(PROTOCOLS["xu2016"], tmp_path / "log")
    lock = threading.Lock()
    stuck = Procedure(lambda split, _: {"F1": float(lock.locked())})
    protocol = replace(protocol, methods={**protocol.methods, "PCA": stuck})
    found = run(protocol, choose(protocol, data, splits=2), journal=Journal(None, {}))
    assert {failure.method for failure in failures(found)} == {"PCA"}
    assert all("cannot be sent to a process" in failure.reason for failure in failures(found))
    assert spread_of(found, "Slashdot", "MVMD", "F1").complete


@pytest.mark.usefixtures("in_this_process")
def test_a_value_that_is_no_number_is_a_failure(data, tmp_path):
    protocol = counting(PROTOCOLS["xu2016"], tmp_path / "log")
    nothing = Procedure(lambda split, _: {"F1": float("nan")})
    protocol = replace(protocol, methods={**protocol.methods, "PCA": nothing})
    found = run(protocol, choose(protocol, data, splits=1), journal=Journal(None, {}))
    first = failures(found)[0]
    assert (first.method, first.dataset, first.splits) == ("PCA", "Image", (0,))
    assert first.reason == "F1 is nan, not a finite number"
    assert spread_of(found, "Image", "MVMD", "F1").complete


@pytest.mark.usefixtures("in_this_process")
def test_what_tuning_finds_is_what_the_method_is_given(tmp_path):
    """Nothing that the run remarks, such as solvers that stopped early, becomes a parameter."""
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    log = tmp_path / "given"

    def tune(split):
        warnings.warn("stopped early", ConvergenceWarning, stacklevel=1)
        return {"C": 2.0}

    def note(split, parameters):
        with open(log, "a") as file:
            file.write(f"{parameters}\n")
        return {}

    method = Procedure(note, tune)
    protocol = replace(cut("han2010"), methods={"SVM": method})
    run(protocol, choose(protocol, folder, splits=2), journal=Journal(None, {}))
    assert log.read_text() == "{'C': 2.0}\n" * 2


@pytest.mark.usefixtures("in_this_process")
def test_tuning_that_fails_fails_the_method_only(tmp_path):
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    protocol = only(cut("han2010"), "SVM", "HSML")

    def broken(split):
        raise RuntimeError("no tuning")

    svm = replace(protocol.methods["SVM"], tune=broken)
    protocol = replace(protocol, methods={**protocol.methods, "SVM": svm})
    found = run(protocol, choose(protocol, folder, splits=2), journal=Journal(None, {}))
    (failure,) = failures(found)
    assert (failure.method, failure.splits) == ("SVM", (0, 1))
    assert failure.reason == "tuning: RuntimeError: no tuning"
    assert spread_of(found, "Arts", "HSML", "micro AUC").complete


def test_missing_sets_are_named(data):
    chosen = choose(PROTOCOLS["xu2016"], data)
    assert list(chosen.sets) == ["Image", "Slashdot"]
    assert chosen.missing["Eukaryote"] == "eukaryotego"
    with pytest.raises(MissingDataError, match=r"table 3 of han2010.*nus6\.svm\.xz.*mm2\.svm\.xz"):
        choose(PROTOCOLS["han2010"], data, table=3)


def test_a_table_selects_its_sets(tmp_path):
    folder = folder_of(tmp_path / "data", "yahoo_arts", "yahoo_reference")
    assert list(choose(PROTOCOLS["ji2008"], folder, table=4).sets) == ["Reference"]
    assert list(choose(PROTOCOLS["ji2008"], folder).sets) == ["Arts", "Reference"]
    with pytest.raises(ValueError, match="--table 7: ji2008 has 3, 4"):
        choose(PROTOCOLS["ji2008"], folder, table=7)


def test_the_folder_of_data(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(MissingDataError, match=r"--data data: .* name the folder of the data sets"):
        data_folder(None)
    (here / "data").mkdir()
    assert data_folder(None).resolve() == here / "data"
    with pytest.raises(MissingDataError, match="no such folder"):
        data_folder(here / "nowhere")


# --- what is said of the numbers ---------------------------------------------------------------


def made_up(values, published, greater=True):
    """Results and a protocol of one set and one measure."""
    protocol = Protocol(
        name="p",
        citation="Someone (2000)",
        about="{splits} splits.",
        sources={},
        tables={},
        methods={name: Procedure(lambda *_: {}) for name in values},
        measures=(measure("score", greater_is_better=greater),),
        published={"score": {"A": published}},
        n_splits=4,
        paper_splits=4,
    )
    return reproduction({"A": values}, "score", greater), protocol


def reproduction(scores, name, greater=True):
    """Results of one measure."""
    made = from_scores(scores, metric=name, greater_is_better=greater)
    return Reproduction(**vars(made), paper="p", missing={"B": "b"})


def with_scores(scores):
    """Results of one split of Arts: the scores of each method."""
    made = from_scores({"Arts": {method: [0.0] for method in scores}})
    results = [replace(result, scores=scores[result.method]) for result in made.results]
    return replace(made, results=results, metrics=[measure(m) for m in next(iter(scores.values()))])


def test_differences_have_the_standard_error_of_both():
    values = [0.5, 0.6, 0.7, 0.8]
    found, protocol = made_up({"m": values}, {"m": (0.6, 0.08)})
    both = gap(found, protocol, "A", "m", "score")
    ours = np.std(values, ddof=1) / 2
    assert both.value == pytest.approx(0.05)
    assert both.error == pytest.approx(np.sqrt(ours**2 + 0.04**2))
    found, protocol = made_up({"m": values}, {"m": (0.6, None)})
    assert gap(found, protocol, "A", "m", "score").error == pytest.approx(ours)
    found, protocol = made_up({"m": [0.5]}, {"m": (0.6, 0.08)})
    assert gap(found, protocol, "A", "m", "score").error is None


@pytest.mark.parametrize("greater", [True, False])
def test_level_is_judged_split_by_split(greater):
    """b swings with a and is always behind; c is behind on average, but within its noise."""
    sign = 1 if greater else -1
    a = np.array([0.9, 0.5, 0.7, 0.6])
    values = {"b": a - sign * 0.01, "c": a - sign * np.array([0.2, -0.15, 0.1, -0.1]), "a": a}
    values["b"][0] -= sign * 0.001  # a paired error above zero
    found, protocol = made_up(values, {"b": (0.5, None), "c": (0.6, None)}, greater)
    table = standings(found, "A", "score")
    assert [standing.name for standing in table if standing.best] == ["a"]
    assert [standing.name for standing in table if standing.is_level] == ["c"]
    assert ", level with c (the paper" in verdict(found, protocol)
    assert published_best(protocol, "A", protocol.measures[0])[0] == ("c" if greater else "b")


def test_the_verdict_says_who_wins_how_many_agree_and_what_is_missing():
    values = {"x": [0.80, 0.81, 0.79, 0.80], "y": [0.50, 0.52, 0.48, 0.50]}
    found, protocol = made_up(values, {"x": (0.6, 0.01), "y": (0.5, 0.01)})
    said = verdict(found, protocol)
    assert "A: x, 0.8000 (the paper: x, 0.6000)" in said
    assert "of 2 figures 1 are within 2 standard errors, 1 are higher and 0 lower" in said
    assert "x on A +0.2000 ±" in said
    assert "Not run, as they were not in the folder of data: B; expected b.svm.xz" in said


@pytest.mark.usefixtures("in_this_process")
def test_pages_and_index_are_written_from_results(data, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    protocols = {"xu2016": counting(PROTOCOLS["xu2016"], tmp_path / "log")}
    protocol = protocols["xu2016"]
    command = "colabel reproduce xu2016"
    chosen = choose(protocol, data, splits=1)
    found = run(protocol, chosen, journal=Journal(None, {}), command=command)
    write_pages(docs / "reproduction", found, protocol, protocols)
    assert Reproduction.load(docs / "reproduction" / "xu2016.json") == found
    index = (docs / "reproduction.md").read_text()
    assert "(reproduction/xu2016.md)" in index
    assert protocol.citation in index
    assert "`colabel reproduce xu2016`" in (docs / "reproduction" / "xu2016.md").read_text()
    assert sorted(p.name for p in docs.rglob("*.*")) == [
        "reproduction.md",
        "xu2016.json",
        "xu2016.md",
    ]


def test_han2010_says_how_the_baselines_may_have_been_measured():
    scores = {
        method: {
            "micro AUC": paper + (0.1 if method.startswith("MtSDA") else 0.3),
            "AUC of labels": paper + 0.01,
        }
        for method, (paper, _) in han2010.MICRO_AUC["Arts"].items()
    }
    said = han2010.in_words(with_scores(scores))
    assert "is 0.300 from that of our scores on average, and 0.010 from that of our labels" in said
    assert "MtSDA is not ahead" in said
    scores["MtSDA (Ω=I)"]["micro AUC"] = 0.99
    assert "not ahead" not in han2010.in_words(with_scores(scores))


def test_ji2008_names_the_figures_that_are_behind():
    published = {"AUC": ji2008.AUC, "macro F1": ji2008.MACRO_F1, "micro F1": ji2008.MICRO_F1}
    papers = {name: table["Arts"]["ML_LS"][0] for name, table in published.items()}
    ours = {name: value - 0.009 for name, value in papers.items()}
    scores = {"ML_LS": ours, "ML_LS (out of fold)": papers}
    assert "nowhere" in ji2008.in_words(with_scores(scores))
    ours["macro F1"] -= 0.002
    said = ji2008.in_words(with_scores(scores))
    assert "macro F1 on Arts (0.3473 beside 0.3583, and 0.3583 out of fold)" in said
    assert "AUC on Arts" not in said
