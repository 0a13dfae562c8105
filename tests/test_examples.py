"""The examples run, quickly, and show what they are there to show."""

import re
import runpy
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


# of the search's edge, too, which other tests ignore: an example says nothing but what it is for
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def run_example(monkeypatch, capsys):
    """What a script prints, run as a person does in a folder, but for the seconds of imports."""

    def run(name, folder):
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(ROOT / "examples")
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.mark.parametrize("name", SHOWN)
def test_example_runs(name, run_example):
    said = run_example(name, ROOT)
    assert re.search(SHOWN[name], said), said
    assert "nan" not in said


@pytest.mark.parametrize("name", ["images", "genes"])
def test_example_says_what_is_missing_and_goes_on(name, tmp_path, run_example):
    first, *rest = run_example(name, tmp_path).splitlines()
    assert "going on with generated data" in first
    assert rest


def test_every_example_is_tested():
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert scripts - {"found"} == set(SHOWN)
