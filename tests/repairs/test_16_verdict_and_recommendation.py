"""The verdict called methods far behind "not told apart", and did not say what to do next."""

import json
import shlex
import warnings

import command_files as files
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from colabel.catalogue import Recipe, comparable, fittable
from colabel.cli import reading
from colabel.cli.app import run
from colabel.comparison import Comparison, stats
from colabel.comparison.from_scores import from_scores
from colabel.comparison.plan.commands import fit_command, reading_arguments
from colabel.datasets import load


def made_of(scores, seconds=None, commands=()):
    """A comparison on one data set, of scores by method."""
    data = from_scores({"birds": scores}, train_rows=1000, test_rows=500).to_dict()
    for result in data["results"]:
        result["fit_seconds"] = (seconds or {}).get(result["method"])
    for method in data["methods"]:
        method["code"] = f"fit({method['name']!r})"
        if method["name"] in commands:
            method["command"] = f"colabel fit birds.csv -m {method['name']} -o model.skops"
    return Comparison.from_dict(data)


def test_a_fast_method_that_is_behind_is_not_offered():
    scores = {"best": [0.583, 0.543], "nearest neighbours": [0.508, 0.508]}
    found = made_of(scores, seconds={"best": 0.74, "nearest neighbours": 0.1})
    assert stats.standings(found, "birds")[1].p >= stats.ALPHA  # premise
    said = " ".join(stats.verdict(found))
    assert "0.563" in said
    for word in ("faster", "told apart", "nearest neighbours", "s good"):
        assert word not in said


def test_two_splits_are_no_reason_to_call_methods_equal():
    rng = np.random.default_rng(0)
    scores = {f"m{i}": (0.6 - 0.02 * i + rng.normal(0, 0.01, 2)).tolist() for i in range(12)}
    far = made_of({**scores, "far": [0.42, 0.43]})
    standing = {s.name: s for s in stats.standings(far, "birds")}["far"]
    assert standing.p >= stats.ALPHA  # premise: corrected for twelve methods
    assert not standing.as_good
    assert not standing.is_open
    said = " ".join(stats.verdict(far))
    assert "far" not in said
    assert "±" not in said


def test_as_good_is_said_within_the_margin_only():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.05, 5)
    scores = {
        "a": (0.7 + noise).tolist(),
        "near": (0.696 + noise + rng.normal(0, 0.001, 5)).tolist(),
        "open": (0.67 + rng.normal(0, 0.08, 5)).tolist(),
    }
    found = {s.name: s for s in stats.standings(made_of(scores), "birds")}
    assert (found["near"].as_good, found["near"].is_open) == (True, False)
    assert (found["open"].as_good, found["open"].is_open) == (False, True)
    said = stats.verdict(made_of(scores))
    (good,) = (sentence for sentence in said if "s good" in sentence)
    assert "near" in good
    assert "open" not in good
    (behind,) = (sentence for sentence in said if sentence.startswith("Behind it"))
    assert behind.startswith("Behind it, though not for certain over 5 splits: open (0.0")


def test_a_method_that_is_not_for_certain_worse_is_not_called_significantly_worse():
    rng = np.random.default_rng(0)
    scores = {f"m{i}": (0.6 - 0.05 * i + rng.normal(0, 0.01, 2)).tolist() for i in range(9)}
    table = stats.standings(made_of(scores), "birds")
    said = " ".join(stats.verdict(made_of(scores)))
    assert ("significantly" in said) == all(s.p < stats.ALPHA for s in table[1:])


def test_the_recommendation_is_one_line_with_a_command():
    found = made_of({"a": [0.7, 0.7], "b": [0.5, 0.5]}, commands=["a", "b"])
    use = stats.recommendation(found)
    line = "Use a, with this command: colabel fit birds.csv -m a -o model.skops"
    assert use.sentence == line
    for text in (found.to_markdown(), found.to_html()):
        assert "Use a, with this command:" in text
        assert "colabel fit birds.csv -m a -o model.skops" in text


def test_where_the_best_has_no_command_one_as_good_may_have_it():
    scores = {"forest": [0.7, 0.71], "ridge": [0.699, 0.71], "c": [0.5, 0.5]}
    use = stats.recommendation(made_of(scores, commands=["ridge", "c"]))
    assert use.sentence.startswith("Use ridge, as good as forest within 1%, with this command: ")
    use = stats.recommendation(made_of(scores, commands=["c"]))
    assert use.sentence == "Use forest, with this Python code:"
    assert "Use forest, with the code at the end." in made_of(scores).to_html()
    assert stats.recommendation(made_of({"a": [None, None]})) is None


READERS = [
    ("my file.csv", {"labels": ["tree", "it's"], "ignore": ["id", "a b"]}),
    ("-x.csv", {"labels": -6}),
    ("x.arff", {"labels": 6, "encoding": "latin-1"}),
    ("x.arff", {"labels": "names.xml"}),
    ("x.dat", {"format": "svmlight", "zero_based": False}),
    ("x.svm", {"zero_based": True}),
    ("news.csv", {"text": "body", "label_column": "-tags", "separator": ";"}),
    ("news.tsv", {"label_column": "tags", "separator": "\t"}),
    ("t.csv", {"labels": ["tag_*"]}),
    ("debtags", {}),
]


@pytest.mark.parametrize(("path", "options"), READERS, ids=lambda v: str(v)[:30])
def test_options_survive_the_command_line(path, options, monkeypatch):
    written = reading_arguments(path, options)
    read = {}

    def taken(source, **given):
        read.update(given, source=source)
        raise ValueError("far enough")

    monkeypatch.setattr("colabel.cli.describe.load", taken)
    assert run(["describe", *shlex.split(written)]) == 2
    assert read.pop("source").removeprefix("./") == path
    assert read == options
    assert "\n" not in written
    assert "\t" not in written


@pytest.mark.parametrize(
    "options", [{"labels": ["a,b"]}, {"labels": ["7"]}, {"vectorizer": 1}, {"ignore": [" a"]}]
)
def test_what_a_command_line_cannot_say_has_no_command(options):
    assert reading_arguments("x.csv", options) is None
    ridge = comparable()["label-ridge"]
    assert fit_command(ridge, None, [], Recipe()) is None


@pytest.fixture(scope="module")
def plants(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plants")
    files.plants(folder / "my plants.csv", n=90)
    return folder


COMMANDS = {"labels": ["tree", "green", "tall"], "ignore": ["id"]}


@pytest.mark.parametrize("name", [name for name in fittable() if name in comparable()])
def test_the_command_of_every_method_works_as_it_stands(name, plants, monkeypatch, capsys):
    monkeypatch.chdir(plants)
    method = comparable()[name]
    tried = {n.rpartition("__")[2]: values[0] for n, values in method.grid.items()}
    arguments = reading_arguments("my plants.csv", COMMANDS)
    command = fit_command(method, arguments, [tried, tried], Recipe(scoring="f1_micro", seed=3))
    assert command.startswith("colabel fit 'my plants.csv' ")
    program, *words = shlex.split(command)
    assert program == "colabel"
    assert run([*words, "--json", "--cv", "2"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["method"], said["model"]) == (name, "model.skops")


def test_only_what_the_command_line_can_fit_has_a_command():
    for name, method in comparable().items():
        command = fit_command(method, "x.csv", [], Recipe())
        assert (command is not None) == (name in fittable())


def test_a_command_has_what_the_searches_found_best():
    chosen = [{"beta": 0.9, "alpha": 1.0}, {"beta": 0.1, "alpha": 1.0}, {"beta": 0.9}]
    command = fit_command(comparable()["mvmd"], "x.csv", chosen, Recipe())
    words = "-m mvmd --set n_components=0.999 --set beta=0.9 -o model.skops"
    assert command == f"colabel fit x.csv {words}"


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys, in_this_process):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    files.news(tmp_path / "news.csv", n=60)
    few = ["--methods", "label-ridge,mvmd,knn", "--metrics", "f1_macro", "--splits", "2"]
    assert run(["compare", "news.csv", *files.TEXTS, *few, "--json", "c.json", "--jobs", "1"]) == 0
    return capsys.readouterr().out


def test_what_is_said_can_be_done(compared, tmp_path, capsys):
    """From the comparison of a file of texts to predictions, by its own words alone."""
    (line,) = (line for line in compared.splitlines() if line.startswith("Use "))
    _, _, command = line.partition(", with this command: ")
    assert run(shlex.split(command)[1:]) == 0
    assert run(["predict", "model.skops", "news.csv", "-o", "p.csv"]) == 0
    assert len(files.read(tmp_path / "p.csv")) == 61
    found = Comparison.load("c.json")
    data = load("news.csv", text="body", label_column="tags", separator=";")
    for method in found.methods:
        assert "data.X" in method.code
        scope = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            exec(compile(method.code, method.name, "exec"), scope)
        assert scope["rows"].shape == data.X.shape  # as the file has them, all 60
        assert scope["model"].predict(scope["rows"]).shape == data.Y.shape
    assert found.methods[-1].name == "knn"
    assert found.methods[-1].command.endswith("-m knn -o model.skops")


def test_options_are_in_the_order_of_the_help():
    words = (["a"], "t", ";", ["b"], ["i"], ["c=text"], "e", True, True, "utf-8", "csv")
    given = reading._read(dict(zip(reading._OPTIONS, words, strict=True)))
    words = shlex.split(reading_arguments("x.csv", given))
    flags = [word for word in words if word.startswith("--")]
    named = {**{name: name for name in given}, "kinds": "column"}
    assert flags == [f"--{name.replace('_', '-')}" for name in named.values()]
