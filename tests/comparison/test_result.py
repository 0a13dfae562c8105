"""A comparison is plain data: it comes back as it was, and malformed data is refused in a line."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from sample import NASTY, sample

from colabel.comparison import Comparison


@pytest.fixture(scope="module")
def comparison():
    return sample(n_datasets=2, n_splits=3, n_labels=20)


def test_round_trips(comparison, tmp_path):
    assert Comparison.from_dict(comparison.to_dict()) == comparison
    comparison.save(tmp_path / "results.json")
    assert Comparison.load(tmp_path / "results.json") == comparison
    assert json.loads((tmp_path / "results.json").read_text()) == comparison.to_dict()
    assert comparison.datasets[0].label_names[: len(NASTY)] == NASTY
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_copies_share_nothing(comparison):
    data = comparison.to_dict()
    again = Comparison.from_dict(data)
    data["results"][0]["scores"]["f1_macro"] = -1.0
    data["meta"]["title"] = "other"
    assert again == comparison
    assert comparison.meta.title != "other"


def test_without_times_two_runs_are_equal(comparison):
    data = comparison.to_dict()
    data["meta"].update(created="2031-01-01T00:00:00", machine={"cores": 64})
    data["meta"]["arguments"]["jobs"] = 64
    for result in data["results"]:
        if result["fit_seconds"] is not None:
            result.update(fit_seconds=result["fit_seconds"] * 3, predict_seconds=9.0)
    other = Comparison.from_dict(data)
    assert other != comparison
    assert other.without_times() == comparison.without_times()
    data["results"][0]["scores"]["f1_macro"] += 1e-12
    assert Comparison.from_dict(data).without_times() != comparison.without_times()


def test_a_failed_save_leaves_the_old_file(comparison, tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")
    broken = replace(comparison, meta=replace(comparison.meta, title=object()))
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return change


def drop(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return change


def repeat(key, at=0):
    return lambda data: data[key].append(copy.deepcopy(data[key][at]))


MALFORMED = [
    (drop("meta"), "lacks meta"),
    (drop("meta", "seed"), "meta lacks seed"),
    (drop("results", 3, "fit_seconds"), "results[3] lacks fit_seconds"),
    (put("metrics", []), "metrics must be a list of 1 or more"),
    (put("results", {}), "results must be a list"),
    (put("results", 0, "status", "fine"), "results[0].status must be one of those that are known"),
    (put("results", 0, "split", 3), "results[0].split must be below the 3 splits"),
    (put("results", 0, "split", True), "results[0].split must be an integer"),
    (put("results", 0, "split", 1.0), "results[0].split must be an integer"),
    (put("results", 0, "fit_seconds", -1.0), "results[0].fit_seconds must be a finite number, 0"),
    (put("results", 0, "scores", "f1_macro", float("nan")), "results[0].scores.f1_macro must be"),
    (put("results", 0, "scores", "f1_macro", np.float64(1)), "results[0].scores.f1_macro must be"),
    (put("results", 0, "scores", "speed", 1.0), "results[0].scores must be of the metrics"),
    (put("results", 0, "label_scores", "f1", [0.5]), "must be of the 20 labels; got 1"),
    (put("results", 0, "dataset", "none"), "results[0].dataset must be a name of datasets"),
    (put("results", 0, "method", "none"), "results[0].method must be a name of methods"),
    (put("results", 0, "chosen", "a", {1, 2}), "results[0].chosen.a must be plain data"),
    (put("datasets", 0, "label_counts", [1]), "datasets[0].label_counts must be of the 20 labels"),
    (put("datasets", 0, "insights", "cooccurrence", "counts", [[1]]), "a table of 20×20"),
    (put("datasets", 0, "insights", "grid", "best", [7, 0]), "a cell of the 7×5 scores"),
    (put("datasets", 0, "insights", "embedding", "labels", "x", [600]), "among the 600 points"),
    (
        put("datasets", 0, "insights", "trust", {"predicted": [0.1], "observed": [], "error": 0.0}),
        "1 numbers, as many as predicted",
    ),
    (put("datasets", 0, "insights", "embedding", "points", 0, [1.0]), "must be a list of 2"),
    (put("meta", "arguments", "odd", object()), "meta.arguments.odd must be plain data"),
    (repeat("methods"), "methods has 'shared-subspace' twice"),
    (repeat("datasets"), "datasets has 'debtags' twice"),
    (repeat("results"), "is a second result of ('debtags', 'shared-subspace', 0)"),
]


@pytest.mark.parametrize(("change", "said"), MALFORMED, ids=[said for _, said in MALFORMED])
def test_malformed_data_is_refused_in_one_line(comparison, change, said):
    data = comparison.to_dict()
    change(data)
    with pytest.raises(ValueError, match=r".") as caught:
        Comparison.from_dict(data)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"meta": 1}', "\udcff", "[" * 100_000])
def test_files_that_are_no_comparison(content, tmp_path):
    path = tmp_path / "other.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"other\.json is not a saved comparison: ") as caught:
        Comparison.load(path)
    assert "\n" not in str(caught.value)
