"""``colabel compare``: what it says, what it writes, and how it goes on where it was stopped."""

import json
import os
import signal
import subprocess
import sys
import time

import command_files as files
import pytest

from colabel.comparison import Comparison

FEW = ["--methods", "label-ridge,mddmp,knn", "--metrics", "f1_macro,auc_macro", "--splits", "2"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "colabel"


def start(folder, *arguments):
    """The real program, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "colabel", "compare", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines_of(cache):
    found = list(cache.glob("*.jsonl"))
    return len(found[0].read_bytes().splitlines()) if found else 0


def test_it_says_and_writes_what_it_found(colabel, tmp_path, cache):
    files.plants(tmp_path / "plants.csv")
    written = ["--report", "r.html", "--json", "r.json", "--markdown", "r.md"]
    said = colabel("compare", "plants.csv", *files.NUMBERS, *FEW, *written, "--jobs", "2")
    assert "plants: 90 rows, 4 features, 3 labels; 2 splits, 60 rows to train" in said
    for title in ("ridge (NULL)", "MDDMp", "nearest neighbours"):
        assert title in said
    assert "has the best F1 macro" in said
    assert said.endswith("written: r.html\nwritten: r.json\nwritten: r.md\n")
    assert colabel.err.count("\n") == 6
    assert "[6/6] plants, split " in colabel.err
    found = Comparison.load("r.json")
    assert found.meta.arguments["data"] == ["plants"]
    assert {r.status for r in found.results} == {"ok"}
    assert "load('plants.csv', labels=['tree', 'green', 'tall']" in found.methods[0].code
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert "MDDMp" in (tmp_path / "r.md").read_text()
    assert len(list(cache.iterdir())) == 1
    again = colabel("compare", "plants.csv", *files.NUMBERS, *FEW, "--json", "-")
    assert "results of an earlier run are used (6 from" in colabel.err
    assert Comparison.from_dict(json.loads(again)).results == found.results
    again = ["--fresh", "--splits", "1", "--quick", "--jobs", "1"]
    colabel("compare", "plants.csv", *files.NUMBERS, *FEW, *again)
    assert "[3/3]" in colabel.err
    assert len(list(cache.iterdir())) == 2


@pytest.mark.usefixtures("in_this_process")
def test_several_sets_are_ranked_together(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    files.plants(tmp_path / "trees.csv", seed=1)
    said = colabel("compare", "plants.csv", "trees.csv", *files.NUMBERS, *FEW, "--jobs", "1")
    assert "F1 macro, mean over the splits" in said
    assert "rank" in said
    assert "plants" in said
    assert "trees" in said


def test_what_was_killed_goes_on_to_the_same_end(colabel, tmp_path, cache):
    files.plants(tmp_path / "plants.csv")
    arguments = ["plants.csv", *files.NUMBERS, *FEW, "--splits", "6", "--jobs", "1"]
    with start(tmp_path, *arguments) as process:
        while lines_of(cache) < 5:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    (journal,) = cache.iterdir()
    kept = len(journal.read_bytes().splitlines()) - 1
    assert 4 <= kept < 18
    with journal.open("ab") as file:
        file.write(b'["plants", "kn')  # as a kill in the middle of a line leaves it
    colabel("compare", *arguments, "--json", "resumed.json")
    assert f"({kept} from" in colabel.err
    assert colabel.err.count("[") == 18 - kept
    colabel("compare", *arguments, "--fresh", "--json", "whole.json")
    assert colabel.err.count("[") == 18
    resumed, whole = (Comparison.load(f"{name}.json") for name in ("resumed", "whole"))
    assert resumed.without_times() == whole.without_times()


def test_ctrl_c_keeps_the_results_and_says_how_to_go_on(tmp_path, cache):
    files.plants(tmp_path / "plants.csv")
    with start(tmp_path, "plants.csv", *files.NUMBERS, *FEW, "--splits", "50") as process:
        while lines_of(cache) < 4:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    *_, kept, last = err.splitlines()
    assert kept.startswith("colabel: ")
    assert kept.endswith(" of 150 results are kept; the same command goes on from there")
    assert last == "colabel: stopped"
    # the last may have been on the disk, but not counted yet
    assert lines_of(cache) - 2 <= int(kept.split()[1]) <= lines_of(cache) - 1


def test_a_budget_is_kept(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    methods = ["--methods", "label-ridge,random-forest", "--splits", "100"]
    said = colabel(
        "compare", "plants.csv", *files.NUMBERS, *methods, "--budget", "5s", "--json", "r.json"
    )
    assert "random-forest on plants: over budget: " in said
    found = Comparison.load("r.json")
    assert len(found.results) == 200
    assert {r.status for r in found.results} == {"ok", "over budget"}
    assert all(r.reason for r in found.results if r.status != "ok")


@pytest.mark.usefixtures("in_this_process")
def test_a_folder_that_cannot_be_written_to_is_no_end(colabel, tmp_path, monkeypatch):
    files.plants(tmp_path / "plants.csv")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    colabel("compare", "plants.csv", *files.NUMBERS, "--methods", "label-ridge", "--splits", "1")
    assert "warning: results are not kept until the end" in colabel.err


ERRORS = {
    "none.csv: there is no such file": ["none.csv"],
    "mvdm: there is no such method; did you mean mvmd?": ["--methods", "mvdm"],
    "sgt needs rows without labels": ["--methods", "sgt"],
    "--methods ,: name at least one": ["--methods", ","],
    "did you mean 'f1_macro'": ["--metrics", "f1macro"],
    "log_loss needs probabilities": ["--metrics", "log_loss"],
    "--splits 0: use a number from 1 to 1000, or given": ["--splits", "0"],
    "--splits two: use a number": ["--splits", "two"],
    "plants has no split of its own; use a number of splits": ["--splits", "given"],
    "--budget soon: use a time of a second or more, as 90s, 5m or 1h": ["--budget", "soon"],
    "--budget 0s: use a time": ["--budget", "0s"],
    "--jobs 0: it must be 1 or more": ["--jobs", "0"],
    "0; see colabel compare --help": ["--seed", "-1"],
    "No such option: --reprot": ["--reprot", "r.html"],
    "--report none/r.html: there is no folder": ["--report", "none/r.html"],
    "--json . is a folder": ["--json", "."],
    "two data sets are called 'plants'": ["plants.csv"],
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message, colabel, tmp_path, cache):
    files.plants(tmp_path / "plants.csv")
    line = colabel.fails("compare", "plants.csv", *files.NUMBERS, *ERRORS[message])
    assert message in line
    assert not cache.exists()


def test_errors_in_the_data(colabel, tmp_path):
    (tmp_path / "gap.arff").write_text(
        "@relation 'r: -C 1'\n@attribute t {0,1}\n@attribute b numeric\n@data\n" + "1,?\n0,3\n" * 5
    )
    line = colabel.fails("compare", "gap.arff")
    assert "values are missing in b" in line
    assert "--ignore" in line
    assert "--labels is for files; name one before it" in colabel.fails("compare", "--labels", "t")
