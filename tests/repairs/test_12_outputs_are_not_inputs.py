"""Outputs took the place of the files that were read, and of each other; the data were gone."""

import os
from pathlib import Path

import pytest
from command_files import NUMBERS, plants
from command_files import colabel as a_terminal
from stand_ins import cut, folder_of, only

from colabel.cli.output import STDOUT, check_outputs
from colabel.datasets.sources import files_read
from colabel.papers import PROTOCOLS

colabel = a_terminal  # the fixture


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from colabel.cli.app import run

    folder = tmp_path_factory.mktemp("model")
    path = folder / "m.skops"
    arguments = [plants(folder / "a.csv"), *NUMBERS, "-o", path]
    assert run(["fit", *map(str, arguments), "--no-tune", "--no-thresholds"]) == 0
    return path


def names_of(path):
    """Other names of the same file."""
    folder = path.parent
    (folder / "sub").mkdir()
    (folder / "link").symlink_to(path)
    os.link(path, folder / "hard")
    (folder / "linked").symlink_to(folder, target_is_directory=True)
    return {
        "itself": path.name,
        "absolute": path,
        "relative": f"sub/../{path.name}",
        "link": "link",
        "hard link": "hard",
        "linked folder": f"linked/{path.name}",
    }


@pytest.mark.parametrize(
    "kind", ["itself", "absolute", "relative", "link", "hard link", "linked folder"]
)
def test_data_are_never_written_over(colabel, tmp_path, model, kind):
    data = plants(tmp_path / "a.csv")
    before = data.read_bytes()
    name = names_of(data)[kind]
    for command in (
        ["predict", model, "a.csv", "-o", name],
        ["fit", "a.csv", *NUMBERS, "-o", name],
        ["describe", "a.csv", *NUMBERS, "--html", name],
        ["compare", "a.csv", *NUMBERS, "--quick", "--report", name],
        ["compare", "a.csv", *NUMBERS, "--quick", "--json", name],
        ["compare", "debtags", "a.csv", *NUMBERS, "--quick", "--markdown", name],
    ):
        assert "would overwrite a.csv, which is read" in colabel.fails(*command)
    assert data.read_bytes() == before


def test_nothing_is_done_before_it_is_refused(colabel, tmp_path):
    (tmp_path / "a.csv").write_text("no data at all")
    said = colabel.fails("fit", "a.csv", *NUMBERS, "-o", "a.csv")
    assert "would overwrite a.csv" in said


def test_the_model_is_never_written_over(colabel, tmp_path, model):
    before = model.read_bytes()
    plants(tmp_path / "a.csv")
    (tmp_path / "link").symlink_to(model)
    for name in (model, "link"):
        assert "which is read" in colabel.fails("predict", model, "a.csv", "-o", name)
    assert model.read_bytes() == before


def test_two_outputs_are_two_files(colabel, tmp_path):
    plants(tmp_path / "a.csv")
    base = ["compare", "a.csv", *NUMBERS, "--quick"]
    for other in ("x", "./x", tmp_path / "x"):
        said = colabel.fails(*base, "--report", "x", "--json", other)
        assert "--report x and --json" in said
        assert "are one file" in said
    assert "are one file" in colabel.fails(*base, "--json", "x", "--markdown", "x")
    said = colabel.fails(*base, "--json", "-", "--markdown", "-")
    assert "--json and --markdown both want the standard output" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


def test_what_stands_beside_the_data_is_read_too(colabel, tmp_path):
    (tmp_path / "a.svm").write_text("0 1:1\n1 2:1\n")
    (tmp_path / "a.arff").write_text(
        "@relation r\n@attribute l {0,1}\n@attribute x real\n@data\n1,2"
    )
    for name in ("a.xml", "other.xml"):
        (tmp_path / name).write_text('<labels><label name="l"/></labels>')
    assert "a.json, which is read" in colabel.fails("describe", "a.svm", "--html", "a.json")
    assert "a.xml, which is read" in colabel.fails("describe", "a.arff", "--html", "a.xml")
    other = ["--labels", "other.xml", "--html", "other.xml"]
    assert "other.xml, which is read" in colabel.fails("describe", "a.arff", *other)


def test_files_of_the_same_name_that_are_not_read_may_be_written(colabel, tmp_path):
    plants(tmp_path / "a.csv")
    for _ in range(2):
        colabel("describe", "a.csv", *NUMBERS, "--html", "a.json")
    assert files_read("debtags") == []
    assert files_read("a.csv") == [Path("a.csv")]


def test_pipes_and_devices_are_no_files_to_lose(tmp_path):
    null = Path(os.devnull)
    check_outputs([("--report", null), ("--json", null)], [null])
    check_outputs([("--report", tmp_path / "a"), ("--json", STDOUT)], [Path("-")])


@pytest.fixture
def papers(colabel, tmp_path, monkeypatch):
    folder_of(tmp_path / "data", "yahoo_arts")
    monkeypatch.setitem(PROTOCOLS, "ji2008", only(cut("ji2008"), "ridge alone"))
    return ["reproduce", "ji2008", "--splits", "1"]


def test_the_data_of_a_paper_are_never_written_over(papers, colabel, tmp_path):
    [data] = (tmp_path / "data").glob("yahoo_arts.svm*")
    before = data.read_bytes()
    assert "which is read" in colabel.fails(*papers, "--json", data)
    assert "which is read" in colabel.fails(*papers, "--journal", data)
    assert "which is read" in colabel.fails(*papers, "--json", "data/yahoo_arts.json")
    assert data.read_bytes() == before


def test_the_outputs_of_a_paper_are_different_files(papers, colabel, tmp_path):
    (tmp_path / "pages").mkdir()
    assert "are one file" in colabel.fails(*papers, "--json", "x", "--journal", "x")
    pages = ["--output", "pages"]
    for name in ("pages.md", "pages/ji2008.md", "pages/ji2008.json"):
        assert "are one file" in colabel.fails(*papers, *pages, "--json", name)
    assert list((tmp_path / "pages").iterdir()) == []
