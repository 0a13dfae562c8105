"""Results that other versions of the libraries had left were taken for one's own."""

import importlib.metadata
import textwrap

import pytest
from odd_methods import Constant, problem

from colabel.comparison import compare
from colabel.comparison.plan import origin
from colabel.comparison.plan.request import request
from colabel.comparison.run.journal import JournalError
from colabel.comparison.run.kept import journal_of
from colabel.comparison.run.runner import journal_file


def asked(methods=("label-ridge",)):
    return request(problem(), methods=methods, metrics=["f1_macro"], cv=2)


@pytest.mark.parametrize("name", ["colabel", "numpy", "scipy", "scikit-learn", "python"])
def test_another_version_has_another_journal(name, tmp_path, monkeypatch):
    before = journal_file(tmp_path, asked())
    assert journal_file(tmp_path, asked()) == before
    real = importlib.metadata.version
    monkeypatch.setattr(origin, "version", lambda n: "9.9" if n == name else real(n))
    if name == "python":
        monkeypatch.setattr(origin.platform, "python_version", lambda: "9.9")
    assert journal_file(tmp_path, asked()) != before
    journal_of(before, asked()).close()
    monkeypatch.undo()
    with pytest.raises(JournalError, match="other versions of the libraries; name another file"):
        journal_of(before, asked())


@pytest.mark.usefixtures("in_this_process")
def test_results_of_another_version_are_run_again(tmp_path, monkeypatch):
    given = {"metrics": ["f1_macro"], "cv": 1, "n_jobs": 1, "journal": tmp_path}
    seen = []
    compare(problem(), methods={"constant": Constant()}, progress=seen.append, **given)
    real = importlib.metadata.version
    monkeypatch.setattr(origin, "version", lambda n: "9.9" if n == "scikit-learn" else real(n))
    compare(problem(), methods={"constant": Constant()}, progress=seen.append, **given)
    assert seen[-1].taken == 0
    compare(problem(), methods={"constant": Constant()}, progress=seen.append, **given)
    assert seen[-1].taken == 1


def test_a_method_of_another_project_has_its_version(monkeypatch):
    import polars

    real = importlib.metadata.version
    monkeypatch.setattr(origin, "version", lambda n: f"{n} 9.9" if n == "polars" else real(n))
    assert origin.versions([polars.DataFrame])["polars"] == "polars 9.9"


def test_a_method_of_a_script_has_its_code(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    script = """
        from odd_methods import Constant
        class Mine(Constant):
            def predict(self, X):
                return super().predict(X) * {factor}
    """
    found = set()
    for number, factor in enumerate((0, 1, 1)):
        (tmp_path / f"mine{number}.py").write_text(textwrap.dedent(script).format(factor=factor))
        kind = __import__(f"mine{number}").Mine
        found.add(journal_file(tmp_path, asked({"mine": kind()})))
    assert len(found) == 2
