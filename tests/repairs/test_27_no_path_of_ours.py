"""The command line and the examples looked for data in a folder that only their authors have."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_files import colabel  # noqa: F401  a fixture

from colabel.papers.folder import MissingDataError, data_folder

ROOT = Path(__file__).resolve().parents[2]
WHERE = "https://mulan.sourceforge.net/datasets-mlc.html"


def beside(folder):
    """A working folder with ``shared/data`` where it used to be looked for."""
    (folder / "shared" / "data").mkdir(parents=True)
    here = folder / "here"
    here.mkdir()
    return here


def test_no_folder_outside_the_present_one_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(beside(tmp_path))
    with pytest.raises(MissingDataError, match=WHERE):
        data_folder(None)
    Path("data").mkdir()
    assert data_folder(None) == Path("data")


def test_reproduce_says_where_data_are_had(tmp_path, monkeypatch, colabel):  # noqa: F811
    monkeypatch.chdir(beside(tmp_path))
    assert WHERE in colabel.fails("reproduce", "ji2008")
    Path("data").mkdir()
    said = colabel.fails("reproduce", "ji2008")
    assert "expected yahoo_arts.svm.xz" in said
    assert WHERE in said
    assert WHERE in colabel("reproduce", "--help").replace("\n", " ")


def test_the_examples_say_where_data_are_had(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from found import found_or_generated as f\n"
         "print(f('yeast', rows=20, features=5, labels=4, cardinality=2).X.shape)"],
        cwd=beside(tmp_path),
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'examples'}"},
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    assert WHERE in done.stdout
    assert done.stdout.endswith("(20, 5)\n")


@pytest.mark.parametrize("folder", ["src", "examples"])
def test_no_file_that_is_shipped_names_the_folder(folder):
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "shared/data" not in text
        assert '"shared", "data"' not in text
