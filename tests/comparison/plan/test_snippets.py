"""The code that a report shows is the code that was run."""

import warnings

import numpy as np
import pytest
from odd_methods import problem
from sklearn.exceptions import ConvergenceWarning

from colabel.catalogue import comparable
from colabel.comparison.plan.snippets import snippet

SETTINGS = {"folds": 2, "scoring": "f1_macro", "seed": 0, "quick": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    X, Y = problem(60, 4)
    header = "a,b,c,d,x,y,z"
    table = np.hstack([X, Y])
    np.savetxt(folder / "p.csv", table, "%.9g", ",", header=header, comments="")
    return folder


@pytest.mark.parametrize("name", comparable())
def test_the_code_of_every_method_runs(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    model = comparable()[name].candidate(**SETTINGS)
    if hasattr(model, "grid") and "n_neighbors" in model.grid:
        model.set_params(grid={"n_neighbors": [5, 10]})
    source, new = "load('p.csv', labels=['x', 'y', 'z'])", "stream('p.csv', data.columns)"
    code = snippet(model, "standard", source, new)
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        exec(compile(code, name, "exec"), scope)
    assert np.shape(scope["model"].predict(scope["rows"][:5])) == (5, 3)
    assert capsys.readouterr().out.count("[") == 6
    made = scope["model"].steps[-1][1]
    assert repr(made) == repr(model)
    assert max(map(len, code.splitlines())) <= 120


def test_without_a_file_it_reads_what_comes_with_the_library():
    code = snippet(comparable()["label-ridge"].candidate(**SETTINGS), "tfidf", None)
    assert "data = load_debtags()  # your data: load('FILE')" in code
    assert "TfidfTransformer()" in code
