"""What the documents show is what happens."""

import doctest
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("path", ["README.md", "docs/guide.md"])
def test_examples_run_as_printed(path):
    failures, tried = doctest.testfile(
        str(ROOT / path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried > 5
    assert failures == 0


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")], ids=str)
def test_links_lead_somewhere(path):
    for part in path.read_text().split("](")[1:]:
        target = part.split(")")[0].split("#")[0]
        if target and "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_tables_of_methods_are_those_of_the_catalogue():
    script = runpy.run_path(str(ROOT / "scripts" / "tables.py"))
    for name in script["DOCUMENTS"]:
        text = (ROOT / name).read_text()
        assert text.count("<!-- methods: ") == 4
        assert script["written"](text) == text, f"{name} is out of date: make tables"
