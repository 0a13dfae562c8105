"""The examples run, quickly, and show what they are there to show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: A line that each must print: what a reader learns.
SHOWN = {
    "text": r"shared subspace, tuned +macro F1 0\.[3-9]",
    "images": r"MVMD +\d+ directions",
    "genes": r"most alike: .* correlation 0\.\d\d",
    "semi_supervised": r"CNMF, labels spread first +F1 at 3 tags 0\.[2-9]",
    "big_sparse": r"MDDMp +40 directions .* AUC 0\.[89]",
}


def run_example(name, folder):
    return subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "default"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("name", SHOWN)
def test_example_runs(name):
    done = run_example(name, ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.search(SHOWN[name], done.stdout), done.stdout
    assert "nan" not in done.stdout


@pytest.mark.parametrize("name", ["images", "genes"])
def test_example_says_what_is_missing_and_goes_on(name, tmp_path):
    done = run_example(name, tmp_path)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert "going on with generated data" in first
    assert rest


def test_every_example_is_tested():
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert scripts - {"found", "family"} == set(SHOWN)
