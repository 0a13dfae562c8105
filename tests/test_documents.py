"""What the documents show is what happens."""

import doctest
import re
import runpy
import shlex
from pathlib import Path

import pytest

from colabel.cli.app import run

ROOT = Path(__file__).resolve().parents[1]


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
#: Shown in a tutorial: files to save under a name, and commands to type.
TUTORIAL = "docs/from_a_file.md"
_FILE = re.compile(r"Save this as `(\S+)`:\n\n```text\n(.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^\$ colabel (.*)$", re.MULTILINE)
_PRINTED = re.compile(r"^\$ colabel (.*)\n((?:[^$`].*\n)+)", re.MULTILINE)


def shows_examples(path):
    return ">>> " in path.read_text() and path != ROOT / TUTORIAL


@pytest.mark.parametrize("path", [page for page in PAGES if shows_examples(page)], ids=str)
def test_examples_run_as_printed(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(
        str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried > 0
    assert failures == 0


def test_most_pages_of_the_guide_have_examples():
    shown = [page for page in (ROOT / "docs" / "guide").glob("*.md") if shows_examples(page)]
    assert len(shown) >= 5
    assert shows_examples(ROOT / "README.md")
    assert shows_examples(ROOT / "docs" / "in_python.md")


def test_a_person_who_follows_the_tutorial_gets_what_it_shows(tmp_path, monkeypatch, capsys):
    """From an empty folder: a CSV, a model, probabilities; then the model in another program."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / TUTORIAL).read_text()
    for name, content in _FILE.findall(text):
        Path(name).write_text(content)
    printed = dict(_PRINTED.findall(text))
    commands = _COMMAND.findall(text)
    assert len(commands) == 7
    for command in commands:
        if command.startswith("compare"):
            continue  # tests/cli has it, and `make docs` draws its report
        assert run(shlex.split(command)) == 0
        said = capsys.readouterr().out
        assert printed.get(command, "") in said
    assert Path("probabilities.csv").read_text() in text
    failures, tried = doctest.testfile(str(ROOT / TUTORIAL), module_relative=False)
    assert (failures, tried) == (0, 5)


def test_the_readme_shows_what_a_fit_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text()
    table = re.search(r"`notes.csv`:\n\n```\n(.*?)```", text, re.DOTALL)
    Path("notes.csv").write_text(table[1])
    printed = dict(_PRINTED.findall(text))
    (command,) = [one for one in printed if one.startswith("fit notes.csv")]
    assert run(shlex.split(command)) == 0
    shown, _, rest = printed[command].partition("saved in notes.skops after ")
    assert rest  # which says how long it took
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_links_lead_somewhere(path):
    for part in path.read_text().split("](")[1:]:
        target = part.split(")")[0].split("#")[0]
        if target and "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_tables_of_methods_are_those_of_the_catalogue():
    script = runpy.run_path(str(ROOT / "scripts" / "tables.py"))
    kinds = sum((ROOT / name).read_text().count("<!-- methods: ") for name in script["DOCUMENTS"])
    assert kinds == 4
    for name in script["DOCUMENTS"]:
        text = (ROOT / name).read_text()
        assert script["written"](text) == text, f"{name} is out of date: make tables"
