"""The command: what it prints, writes and refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from stand_ins import cut, folder_of, only

from colabel.cli import reproduce
from colabel.cli.app import run
from colabel.papers import PROTOCOLS, reproduction


@pytest.fixture
def colabel(tmp_path, monkeypatch, capsys, in_this_process):
    """Runs ``colabel reproduce`` in a folder with data; gives its code, output and errors."""
    monkeypatch.chdir(tmp_path)
    folder_of(tmp_path / "data", "yahoo_arts", "yahoo_reference", "image")
    quick = only(cut("ji2008"), "SVM (C=1)", "ridge alone")
    monkeypatch.setitem(PROTOCOLS, "ji2008", quick)

    def command(*arguments):
        code = run(["reproduce", *map(str, arguments)])
        return code, *capsys.readouterr()

    return command


def test_figures_beside_the_papers(colabel):
    code, out, err = colabel("ji2008", "--splits", 2)
    assert code == 0, err
    assert "## Arts: " in out
    assert "0.7674" in out  # the paper's AUC of the SVM on Arts
    assert "Not run, as they were not in the folder of data: Business, Computers" in out
    assert "yahoo_business.svm.xz" in out
    assert list(Path().glob("*.jsonl")) == []


def test_one_table(colabel):
    _, out, _ = colabel("ji2008", "--table", 4, "--splits", 1)
    assert "## Reference" in out
    assert "## Arts" not in out


def test_files(colabel):
    Path("docs").mkdir()
    code, _, err = colabel(
        "ji2008", "--splits", 1, "--json", "out.json", "--output", "docs/reproduction"
    )
    assert code == 0, err
    found = json.loads(Path("out.json").read_text())
    assert found["paper"] == "ji2008"
    on_arts = {result["method"] for result in found["results"] if result["dataset"] == "Arts"}
    assert on_arts == {"SVM (C=1)", "ridge alone"}
    page = Path("docs/reproduction/ji2008.md").read_text()
    assert "`colabel reproduce ji2008 --splits 1 --output docs/reproduction`" in page
    assert "(reproduction/ji2008.md)" in Path("docs/reproduction.md").read_text()


def test_a_named_journal_stays_and_serves_again(colabel):
    colabel("ji2008", "--splits", 1, "--journal", "kept.jsonl")
    before = Path("kept.jsonl").read_text()
    code, out, _ = colabel("ji2008", "--splits", 1, "--journal", "kept.jsonl")
    assert code == 0
    assert "## Arts" in out
    assert Path("kept.jsonl").read_text() == before


def test_pages_are_written_again_without_a_run(colabel):
    Path("docs").mkdir()
    colabel("ji2008", "--splits", 1, "--output", "docs/reproduction")
    page = Path("docs/reproduction/ji2008.md")
    text = page.read_text()
    page.unlink()
    code, out, err = colabel("pages", "--output", "docs/reproduction")
    assert (code, out) == (0, ""), err
    assert page.read_text() == text


def test_all_of_them_say_what_they_took(colabel, monkeypatch):
    Path("docs").mkdir()
    one = ("ji2008", None, None, False)
    monkeypatch.setattr(reproduce, "_experiments", lambda: iter([one]))
    code, _, err = colabel("all", "--splits", 1, "--output", "docs/reproduction")
    assert code == 0, err
    kept = json.loads(Path("docs/reproduction/all.json").read_text())
    assert kept["jobs"] == kept["splits"] == 1
    assert 0 <= kept["minutes"] < 5
    said = f"`colabel reproduce all --jobs 1 --splits 1` last ended on {kept['ended']}, after "
    assert said in Path("docs/reproduction.md").read_text()
    assert said in err
    Path("docs/reproduction.md").unlink()
    colabel("pages", "--output", "docs/reproduction")
    assert said in Path("docs/reproduction.md").read_text()


@pytest.mark.parametrize(("timed", "jobs"), [(True, 1), (False, 3)])
def test_what_is_timed_runs_alone(colabel, monkeypatch, timed, jobs):
    monkeypatch.setitem(PROTOCOLS, "ji2008", replace(PROTOCOLS["ji2008"], timed=timed))
    asked = []

    whole = reproduction.run

    def noting(*args, jobs, **more):
        asked.append(jobs)
        return whole(*args, jobs=1, **more)

    monkeypatch.setattr(reproduction, "run", noting)
    colabel("ji2008", "--table", 4, "--splits", 1, "--jobs", 3)
    assert asked == [jobs]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody1999"], "there is no paper 'nobody1999'; the papers are ji2008, sun2008"),
        (["pages"], "name their folder with --output"),
        (["pages", "--output", "nowhere"], "--output nowhere is no folder"),
        (["ji2008", "--table", "9"], "--table 9: ji2008 has 3, 4"),
        (["ji2008", "--data", "nowhere"], "--data nowhere: there is no such folder"),
        (
            ["han2010", "--table", "3"],
            "no data set of table 3 of han2010 is in data: expected nus6",
        ),
        (["ji2008", "--json", "no/where.json"], "create it first"),
        (["ji2008", "--output", "no/where"], "create it first"),
        (["ji2008", "--output", "data/image.json"], "is a file; name a folder"),
        (["ji2008", "--splits", "0"], "1; see colabel reproduce --help"),
    ],
)
def test_mistakes_are_told_in_one_line(colabel, arguments, message):
    code, out, err = colabel(*arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(Path().glob("*.jsonl")) == []
