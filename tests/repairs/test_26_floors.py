"""Versions were declared as supported that crash: scipy 1.12, typer 0.15 with a newer click.

The cases at the end crashed with them; ``make test-lowest`` runs all of this at the floors.
"""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

import colabel

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "lowest.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
#: What is not part of the lowest run; torch alone has some hundred megabytes.
LEFT_OUT = ("bench", "docs", "embeddings", "lint", "release")
#: What the environment of ``make test-lowest`` was made from.
PINS = Path(sys.prefix) / "floors.txt"


def lowest():
    spec = importlib.util.spec_from_file_location("lowest", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def floors():
    """Versions by plain name, of all that the lowest run installs."""
    found = lowest().floors(PROJECT, without=LEFT_OUT)
    return {re.sub(r"\[.*", "", name): floor for name, floor in found}


def test_every_dependency_has_a_floor():
    names = [name for name, _ in lowest().floors(PROJECT)]
    assert {"hatchling", "numpy", "scipy", "typer", "matplotlib", "pytest", "mypy"} <= set(names)


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy~=2.2", "numpy>=2,<3"])
def test_a_dependency_without_a_plain_floor_is_refused(requirement):
    project = {
        "build-system": {"requires": []},
        "project": {"name": "x", "dependencies": [requirement], "optional-dependencies": {}},
        "dependency-groups": {},
    }
    with pytest.raises(ValueError, match=f"^'{re.escape(requirement)}' has no floor; write it as"):
        list(lowest().floors(project))


def test_the_script_pins_every_dependency_to_its_floor():
    run = subprocess.run(
        [sys.executable, SCRIPT, *LEFT_OUT], capture_output=True, text=True, check=True
    )
    parts = PROJECT["project"]["optional-dependencies"] | PROJECT["dependency-groups"]
    declared = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *(one for name in parts if name not in LEFT_OUT for one in parts[name]),
    ]
    plain = [one for one in declared if isinstance(one, str) and not one.startswith("colabel[")]
    expected = [one.replace(">=", "==") for one in plain]
    assert run.stdout.split() == expected


def test_an_unknown_extra_is_refused_by_the_script():
    run = subprocess.run([sys.executable, SCRIPT, "tests"], capture_output=True, text=True)
    assert run.returncode != 0
    assert "tests: there is no such extra or group" in run.stderr


def test_what_is_installed_is_not_below_its_floor():
    for name, floor in floors().items():
        if name != "hatchling":  # builds the package, in an environment of its own
            assert Version(version(name)) >= Version(floor), name


@pytest.mark.skipif(not PINS.exists(), reason="not the environment of `make test-lowest`")
def test_the_lowest_run_has_exactly_the_floors():
    for name, floor in floors().items():
        assert Version(version(name)) == Version(floor), name


def test_every_package_that_is_imported_is_declared():
    imported = set()
    for path in Path(colabel.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported.add(node.module.partition(".")[0])
    known = packages_distributions()
    declared = {name.lower() for name in floors()}
    heavy = {
        "sentence_transformers",
        "transformers",
    }  # of colabel[embeddings], which need not be there
    for package in imported - set(sys.stdlib_module_names) - {"colabel", *heavy}:
        assert package in known, package
        assert {name.lower() for name in known[package]} & declared, package


def test_continuous_integration_runs_the_floors():
    assert re.search(r"^test-lowest: ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    run = (ROOT / ".ci" / "run").read_text()
    made = re.findall(r"^make ([a-z][a-z -]*?)(?: -.*| PYTEST_ARGS=.*|)$", run, re.MULTILINE)
    assert made == ["environments check dist", "test", "test-lowest"]
    for left_out in re.findall(r"--(?:ignore|deselect)=(\S+)", run):
        path, _, name = left_out.partition("::")
        assert (ROOT / path).exists(), left_out
        assert f"def {name}" in (ROOT / path).read_text() if name else True, left_out


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    return X, (X @ rng.normal(size=(6, 3)) > 0).astype(int)


@pytest.mark.parametrize("solver", ["factor", "two-stage"])
def test_a_shared_subspace_of_one_label_is_found(solver):
    X, Y = problem()
    model = colabel.SharedSubspaceClassifier(alpha=0.1, solver=solver).fit(X, Y[:, :1])
    # one label has nothing to share with: a ridge by another penalty
    assert np.mean(model.predict(X) == Y[:, :1]) > 0.9
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("labels", [1, 3])
def test_alternating_structure_optimisation_fits(labels):
    X, Y = problem()
    Y = Y[:, :labels]
    model = colabel.ASOClassifier(random_state=0).fit(X, Y)
    assert np.mean(model.predict(X) == Y) > 0.9


def test_help_is_shown_without_a_warning():
    code = """
from colabel.cli.app import run
assert run(["--help"]) == run(["fit", "--help"]) == run(["compare", "--help"]) == 0
"""
    asked = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(asked, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count("Usage") == 3
