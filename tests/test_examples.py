"""The examples run, quickly, and show what they are there to show."""

import re
import runpy
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="the gallery draws, with matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

ROOT = Path(__file__).resolve().parents[1]
#: A line that each must print: what a reader learns.
SHOWN = {
    "plot_audit": r"AUC of finding what was turned round: 0\.9",
    "plot_compare": r"has the best F1 macro",
    "plot_embedding": r"OPLS: by the \S+ solver",
    "plot_explanation": r"most through \w+",
    "plot_few_labels": r"CNMF, labels spread first +F1 at 3 tags 0\.[2-9]",
    "plot_kernels": r'kernel="rbf" +(1\.0|0\.9)',
    "plot_large_sparse": r"MDDMp, 40 directions .* AUC 0\.[7-9]",
    "plot_log": r"AUC (1\.0|0\.[6-9])",
    "plot_own_method": r"Centroids AUC with 40 directions 0\.[89]",
    "plot_penalties": r"best: alpha \S+, beta \S+, macro F1 0\.[3-9]",
    "plot_probabilities": r"forest, calibrated +calibration error 0\.0",
    "plot_promises": r"ridge, 1500 programs: 0\.\d+ missed",
    "plot_sparse_path": r"λ₁ 0\.\d+: +\d+ of 200 words",
    "plot_text": r"shared subspace, tuned +macro F1 0\.[3-9]",
    "plot_thresholds": r"per-label +macro F1 0\.[4-9]",
    "plot_unknown_labels": r"80% of the entries hidden, macro F1: +unknown 0\.[2-9]",
}
#: The same of those whose data are no part of colabel: in a test they are generated.
MISSING = {
    "plot_genes": r"most alike: .* correlation 0\.\d\d",
    "plot_images": r"MVMD +\d+ directions",
}


# of the search's edge, too, which other tests ignore: an example says nothing but what it is for
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def run_example(monkeypatch, capsys):
    """What a script prints, run as a person does in a folder, but for the seconds of imports."""

    def run(name, folder):
        monkeypatch.chdir(folder)
        monkeypatch.delenv("COLABEL_DATA", raising=False)
        monkeypatch.syspath_prepend(ROOT / "examples")
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
        drawn = plt.get_fignums()
        plt.close("all")
        assert drawn, "a page of the gallery has a picture"
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.mark.parametrize("name", SHOWN)
def test_example_runs(name, run_example):
    said = run_example(name, ROOT)
    assert re.search(SHOWN[name], said), said
    assert "nan" not in said


@pytest.mark.parametrize("name", MISSING)
def test_example_says_what_is_missing_and_goes_on(name, run_example):
    first, *rest = run_example(name, ROOT).splitlines()
    assert "going on with generated data" in first
    assert re.search(MISSING[name], "\n".join(rest))


def test_every_example_is_tested():
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert scripts - {"found"} == {*SHOWN, *MISSING}
