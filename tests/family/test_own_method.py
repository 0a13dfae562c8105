"""What CONTRIBUTING shows works, in files of a stranger's own."""

import importlib
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import checks
import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.utils.estimator_checks import parametrize_with_checks

import colabel
from colabel.datasets import Dataset
from colabel.persistence import ModelError

SHOWN = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text()
FILES = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", SHOWN, flags=re.DOTALL))


# before anything is collected, as a stranger's files are there before a program begins
FOLDER = TemporaryDirectory(prefix="mine-")
sys.path.insert(0, FOLDER.name)
for name, code in FILES.items():
    Path(FOLDER.name, f"{name}.py").write_text(code)


@pytest.fixture
def mine():
    return importlib.import_module


def made(name, kind):
    return getattr(importlib.import_module(name), kind)()


@parametrize_with_checks([made("centroids", "Centroids"), made("prototypes", "Prototypes")])
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)


def test_it_takes_ten_lines():
    code = [line for line in FILES["centroids"].splitlines() if line and '"""' not in line]
    assert len(code) <= 10


CONTAINERS = {
    "dense": np.asarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "factored": colabel.factor,
    "blocks": lambda X: colabel.row_blocks([X[:7], sp.csr_array(X[7:])]),
}


@pytest.mark.parametrize("solver", ["auto", "factor", "two-stage", "truncated"])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_every_container_and_solver_gives_the_direct_solution(mine, kind, container, solver):
    X, Y = problems.make(kind)
    Xc = X - X.mean(axis=0)
    A = Xc.T @ (Y / Y.sum(axis=0)) @ Y.T @ Xc
    lam, P = linalg.eigh(A, Xc.T @ Xc + 0.3 * np.eye(X.shape[1]))
    model = mine("centroids").Centroids(3, ridge=0.3, solver=solver, random_state=0)
    model.fit(CONTAINERS[container](X), Y)
    assert_allclose(model.eigenvalues_, lam[::-1][:3], rtol=1e-8)
    signs = np.sign(np.sum(model.components_.T * P[:, ::-1][:, :3], axis=0))
    assert_allclose(model.components_.T, signs * P[:, ::-1][:, :3], atol=1e-7)


def test_its_parameter_is_declared_once(mine):
    Centroids = mine("centroids").Centroids
    assert "ridge : float ≥ 0, default=0.1" in Centroids.__doc__
    assert "n_components : " in Centroids.__doc__
    with pytest.raises(ValueError, match=r"'ridge' parameter of Centroids .* Got -1"):
        Centroids(ridge=-1).fit(*problems.make("tall"))
    with pytest.raises(TypeError, match="rigde"):
        Centroids(rigde=0.1)


def test_it_takes_part_in_a_comparison(mine):
    X, Y = problems.make("tall")
    methods = {"mine": mine("centroids").Centroids(), "prototypes": mine("prototypes").Prototypes()}
    asked = {"methods": {**methods, "opls": None}, "metrics": ["f1_macro"], "cv": 2, "n_jobs": 1}
    found = colabel.compare(X, Y, **asked, progress=False)
    assert [result.status for result in found.results] == ["ok"] * 6
    assert found.method("mine").kind == "extractor"
    assert "alpha" in found.results[0].chosen
    assert "from centroids import Centroids" in found.method("mine").code


@pytest.mark.parametrize(
    ("file", "kind"), [("centroids", "Centroids"), ("prototypes", "Prototypes")]
)
def test_it_is_saved_and_loaded_by_those_who_trust_it(mine, file, kind, tmp_path):
    X, Y = problems.make("tall")
    model = getattr(mine(file), kind)().fit(X, Y)
    path, trusted = tmp_path / "m.skops", [f"{file}.{kind}"]
    with pytest.raises(ModelError, match=rf"{file}\.{kind}.*trusted="):
        colabel.save(model, path)
    colabel.save(model, path, trusted=trusted)
    with pytest.raises(ModelError, match=rf"{file}\.{kind}"):
        colabel.load(path)
    again = colabel.load(path, trusted=trusted)
    name = "transform" if kind == "Centroids" else "decision_function"
    assert_allclose(getattr(again, name)(X), getattr(model, name)(X), rtol=0, atol=0)


def test_a_classifier_of_ones_own_is_its_formula(mine):
    X, Y = problems.make("tall")
    model = mine("prototypes").Prototypes().fit(X, Y)
    means = (Y.T @ X) / Y.sum(axis=0)[:, None]
    assert_allclose(model.coef_, means - X.mean(axis=0), atol=1e-12)


def test_a_measure_of_ones_own_tunes(mine):
    X, Y = problems.make("tall")
    extra = mine("extra_labels")
    assert extra.EXTRA(np.array([[1, 0, 0]]), np.array([[1, 1, 1]])) == 2
    model = colabel.LabelRidgeCV(scoring=extra.scorer, random_state=0).fit(X, Y)
    assert model.best_score_ <= 0


@pytest.mark.usefixtures("in_this_process")
def test_a_reader_of_ones_own_is_compared(mine, tmp_path):
    path = tmp_path / "words.txt"
    rows = ["sun sea: abab", "sun: aaab", "sea: bbba", "sun sea: baba", ": bb", "sun: aab"] * 4
    path.write_text("\n".join(rows))
    data = mine("letters").read(path)
    assert isinstance(data, Dataset)
    assert (data.X.shape, data.label_names.tolist()) == ((24, 2), ["sea", "sun"])
    asked = {"methods": ["label-ridge"], "metrics": ["f1_macro"], "cv": 1, "n_jobs": 1}
    (result,) = colabel.compare(data, **asked, progress=False).results
    assert (result.dataset, result.status) == ("words", "ok")
