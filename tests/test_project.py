"""Discipline that a machine can check: exports, documentation, the direction of imports."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import colabel

SOURCE = Path(colabel.__file__).parent
MODULES = sorted(module.name for module in pkgutil.walk_packages([str(SOURCE)], prefix="colabel."))
#: A part may import only parts that stand before it.
LAYERS = [
    ["colabel._text", "colabel.algebra"],
    ["colabel._row_blocks", "colabel._progress", "colabel._plotting", "colabel._scores"],
    ["colabel._validation"],
    ["colabel._base", "colabel._partial_fit", "colabel.metrics", "colabel.datasets"],
    ["colabel.preparation"],
    ["colabel.extractors", "colabel.classifiers"],
    ["colabel.semi_supervised", "colabel.persistence"],
    ["colabel.evaluation"],
    ["colabel.reproduction"],
    ["colabel.cli", "colabel.__main__"],
]


def layer_of(module):
    for level, names in enumerate(LAYERS):
        if any(module == name or module.startswith(name + ".") for name in names):
            return level
    raise AssertionError(f"{module} has no layer: add it to LAYERS")


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("colabel"):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("colabel."))


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    path = Path(importlib.import_module(module).__file__)
    for other in imported(path):
        if other != "colabel":
            assert layer_of(other) <= layer_of(module), f"{module} imports {other}"


@pytest.mark.parametrize("module", ["colabel", *MODULES])
def test_examples_in_docstrings_run(module):
    failures, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0


@pytest.mark.parametrize("name", colabel.__all__)
def test_public_names_are_documented(name):
    thing = getattr(colabel, name)
    if inspect.ismodule(thing):
        return
    doc = inspect.getdoc(thing)
    assert doc
    assert ">>>" in doc, f"{name} has no runnable example"
    if inspect.isclass(thing) and hasattr(thing, "get_params"):
        for parameter in inspect.signature(thing).parameters:
            assert f"\n{parameter} : " in doc, f"{name} does not document {parameter}"


def test_private_scikit_learn_imports_stand_in_one_file():
    for path in SOURCE.rglob("*.py"):
        if path.name == "_validation.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                private = [a.name for a in node.names if a.name.startswith("_")]
                assert not private, f"{path.name} imports {private}"
                assert "._" not in node.module, f"{path.name} imports from {node.module}"


def test_the_version_is_the_packages():
    assert colabel.__version__.count(".") == 2
