"""Discipline that a machine can check: exports, documentation, the direction of imports."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import statistics
import tomllib
from pathlib import Path

import pytest
from import_graph import edges, imported, layer_of, modules

import colabel
from colabel._homes import PARTS

SOURCE = Path(colabel.__file__).parent
MODULES = sorted(module.name for module in pkgutil.walk_packages([str(SOURCE)], prefix="colabel."))


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    for other in imported(module):
        if other != module:
            assert layer_of(other) <= layer_of(module), f"{module} imports {other}"


def test_the_graph_is_of_all_modules():
    assert list(modules()) == MODULES


def test_there_is_no_cycle_of_imports():
    """Neither at import time nor later, inside of functions; a package stands for its init."""
    graph = {}
    for module, other in edges():
        inside = module.startswith(f"{other}.")  # a part of a package may be imported by its init
        if not inside:
            graph.setdefault(module, set()).add(other)
    done, path = set(), []

    def visit(module):
        assert module not in path, " → ".join([*path[path.index(module) :], module])
        if module in done:
            return
        path.append(module)
        for other in sorted(graph.get(module, ())):
            visit(other)
        path.pop()
        done.add(module)

    for module in sorted(graph):
        visit(module)


def written_in(thing, path):
    """Whether a class or function is written in a file, whatever module it says that it is of."""
    parts = [thing, *vars(thing).values()] if inspect.isclass(thing) else [thing]
    codes = [getattr(inspect.unwrap(part), "__code__", None) for part in parts if callable(part)]
    return any(getattr(code, "co_filename", None) == path for code in codes)


def examples():
    """Every docstring with an example."""
    alone, whole = doctest.DocTestFinder(recurse=False), doctest.DocTestFinder()
    for module in ["colabel", *MODULES]:
        held = importlib.import_module(module)
        yield from alone.find(held, module, globs={})
        for name, thing in sorted(vars(held).items()):
            is_part = inspect.isclass(thing) or inspect.isfunction(thing)
            if is_part and written_in(thing, held.__file__):
                yield from whole.find(thing, f"{module}.{name}", module=False, globs={})


def test_examples_in_docstrings_run():
    seen, runner = set(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed = []
    for test in examples():
        if test.examples and test.docstring not in seen:
            seen.add(test.docstring)
            test.globs = {"__name__": "__main__"}
            if runner.run(test).failed:
                failed.append(test.name)
    assert failed == []
    assert len(seen) > 100


@pytest.mark.parametrize("name", colabel.__all__)
def test_public_names_are_documented(name):
    thing = getattr(colabel, name)
    if inspect.ismodule(thing):
        return
    assert thing.__module__ == "colabel"
    doc = inspect.getdoc(thing)
    assert doc
    assert ">>>" in doc, f"{name} has no runnable example"
    if inspect.isclass(thing) and hasattr(thing, "get_params"):
        for parameter in inspect.signature(thing).parameters:
            assert f"\n{parameter} : " in doc, f"{name} does not document {parameter}"


@pytest.mark.parametrize(("home", "name"), [(h, n) for h, ns in PARTS.items() for n in ns.split()])
def test_parts_of_saved_models_have_names_that_last(home, name):
    kind = getattr(importlib.import_module(f"colabel.{home}"), name)
    assert kind.__module__ == "colabel"
    assert getattr(colabel, name) is kind


def test_private_scikit_learn_imports_stand_in_one_file():
    for path in SOURCE.rglob("*.py"):
        if path.name == "_sklearn.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                private = [a.name for a in node.names if a.name.startswith("_")]
                assert not private, f"{path.name} imports {private}"
                assert "._" not in node.module, f"{path.name} imports from {node.module}"


def test_files_and_functions_are_short():
    lengths = [len(path.read_text().splitlines()) for path in SOURCE.rglob("*.py")]
    functions = sorted(
        len(body_of(node))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert statistics.median(lengths) < 150
    assert functions[int(0.95 * len(functions))] < 25
    assert functions[-1] <= 50


def body_of(function):
    """The lines of a function without its docstring."""
    lines = range(function.lineno, function.end_lineno + 1)
    first = function.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    doc = range(first.lineno, first.end_lineno + 1) if is_doc else ()
    return [line for line in lines if line not in doc]


def test_one_version_is_everywhere():
    root = Path(__file__).resolve().parents[1]
    said = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    citation = (root / "CITATION.cff").read_text()
    released = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)[1]
    assert colabel.__version__ == said, "the environment is older than pyproject.toml"
    assert f"\nversion: {said}\n" in citation
    assert f"\n## [{said}] - {released}\n" in (root / "CHANGELOG.md").read_text()
