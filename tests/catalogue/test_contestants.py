"""Contestants of other libraries and of one's own, by name."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from colabel.catalogue import Recipe, catalogue, comparable, find, fittable, select
from colabel.catalogue import optional as others
from colabel.cli.app import run
from colabel.comparison.plan.commands import fit_command

NEW = ("extra-trees", "gradient-boosting", "chain-ensemble", "ml-knn")


def test_the_mixture_is_the_last_that_is_compared():
    names = [method.name for method in select(None)]
    assert names[-1] == "best"
    assert set(NEW) < set(names)


def test_whatever_is_ranked_can_be_fitted():
    assert comparable().keys() <= fittable().keys()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X[:, :3] + 0.1 * rng.normal(size=(60, 3)) > 0).astype(int)
    for name in NEW:
        model = find(name).recipe(Recipe(cv=2, scoring="f1_macro")).fit(X, Y)
        assert model.predict(X).shape == Y.shape


@pytest.mark.parametrize("name", others.OPTIONAL)
def test_what_is_not_installed_says_what_to_install(name, monkeypatch):
    monkeypatch.setattr(others, "find_spec", lambda package: None)
    with pytest.raises(ValueError, match=f"{name} is not installed: pip install {name}"):
        find(name.upper())


def test_what_is_installed_is_run_if_it_is_named(monkeypatch):
    """With a stand-in, as none of them is a dependency."""

    def make(**settings):
        assert settings == {"verbose": -1}
        return LogisticRegression()

    monkeypatch.setitem(sys.modules, "lightgbm", SimpleNamespace(LGBMClassifier=make))
    found = {package: package == "lightgbm" or None for package in others.OPTIONAL}
    monkeypatch.setattr(others, "find_spec", found.get)
    (method,) = others.installed()
    assert not method.by_default
    assert "LogisticRegression" in repr(
        method.candidate(folds=2, scoring="f1_macro", seed=0, quick=True)
    )


@pytest.fixture
def own(tmp_path, monkeypatch):
    code = "from sklearn.ensemble import RandomForestClassifier as Trees\nfew = Trees(5)\n"
    (tmp_path / "my_models.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("my_models", None)


def test_own_models_by_their_place(own):
    few, trees = find("my_models:few"), find("my_models:Trees")
    assert few.compared.n_estimators == 5
    assert isinstance(trees.compared, RandomForestClassifier)
    command = fit_command(few, "x.csv", [], Recipe())
    assert command == "colabel fit x.csv -m my_models:few -o model.skops"


def test_own_models_are_compared_and_fitted(own, capsys):
    rows = np.random.default_rng(0).normal(size=(40, 2))
    lines = [f"{a},{b},{int(a > 0)},{int(b > 0)}" for a, b in rows]
    (own / "t.csv").write_text("\n".join(["a,b,x,y", *lines]))
    words = ["compare", "t.csv", "--labels", "x,y", "--methods", "label-ridge", "--splits", "1"]
    assert run([*words, "--add", "my_models:few", "--jobs", "1"]) == 0
    assert "my_models:few" in capsys.readouterr().out
    assert run(["fit", "t.csv", "--labels", "x,y", "-m", "my_models:few", "-o", "m.skops"]) == 0
    assert (own / "m.skops").exists()


@pytest.mark.parametrize("spec", ["my_models:", "my_models:none", "nowhere:few"])
def test_own_models_that_there_are_not(spec, own):
    with pytest.raises(ValueError, match=f"^{spec}: "):
        find(spec)


def test_a_classifier_under_the_name_of_another_has_no_command():
    (method,) = select({"knn": DummyClassifier()})
    assert fit_command(method, "x.csv", [], Recipe()) is None
    assert fit_command(catalogue()["knn"], "x.csv", [], Recipe()) is not None
