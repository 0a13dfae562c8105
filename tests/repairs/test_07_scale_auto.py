"""Zeros and ones were left as they are, and small tables of whole numbers taken for word counts."""

import numpy as np
import pytest
import scipy.sparse as sp
from command_files import TEXTS, colabel, news, write  # noqa: F401  a fixture among them
from sklearn.feature_extraction.text import CountVectorizer

from colabel.comparison import compare
from colabel.comparison.plan.data import prepare
from colabel.datasets import Dataset, load, load_debtags
from colabel.scales import (
    COUNTS,
    FAR,
    MEASUREMENTS,
    PRESENCE,
    SCALERS,
    SCALES,
    TEXT,
    WEIGHTS,
    kind_of,
)

RNG = np.random.default_rng(0)
MANY, FEW = (60, 200), (60, 12)


def mostly_zero(values, shape=MANY, share=0.1):
    return values * (RNG.random(shape) < share)


def dataset(X):
    n = X.shape[0]
    Y = sp.csr_array((RNG.random((n, 2)) < 0.5).astype(int))
    return Dataset(X=X, Y=Y, label_names=np.array(["a", "b"], dtype=object), name="x")


KINDS = {
    "presence": (mostly_zero(np.ones(MANY)), PRESENCE),
    "counts": (mostly_zero(RNG.integers(1, 9, MANY)), COUNTS),
    "weights": (mostly_zero(RNG.random(MANY)), WEIGHTS),
    "a small table of whole numbers": (mostly_zero(RNG.integers(1, 9, FEW), FEW), MEASUREMENTS),
    "a small table of zeros and ones": (mostly_zero(np.ones(FEW), FEW), MEASUREMENTS),
    "whole numbers, few of them 0": (RNG.integers(0, 9, MANY), MEASUREMENTS),
    "whole numbers below 0": (mostly_zero(RNG.integers(-9, 9, MANY)), MEASUREMENTS),
    "numbers": (RNG.normal(size=MANY), MEASUREMENTS),
    "numbers of which a few are huge": (1e60 * RNG.normal(size=(200, 9)) ** 9, FAR),
    "numbers below 0, most of them 0": (mostly_zero(RNG.normal(size=MANY)), MEASUREMENTS),
    "nothing": (np.zeros(MANY), MEASUREMENTS),
}


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", KINDS)
def test_features_are_known_by_their_values_in_every_container(name, container):
    X, kind = KINDS[name]
    assert kind_of(dataset(container(X.astype(float)))) == kind


def test_stored_zeros_are_zeros():
    X = sp.csr_array(KINDS["presence"][0])
    X.data[::2] = 0
    assert kind_of(dataset(X)) == PRESENCE


def test_text_has_its_weights_unless_it_was_only_counted(tmp_path):
    news(tmp_path / "news.csv")
    options = {"text": "body", "label_column": "tags", "separator": ";"}
    assert kind_of(load(tmp_path / "news.csv", **options)) == TEXT
    counted = load(tmp_path / "news.csv", vectorizer=CountVectorizer(), **options)
    assert kind_of(counted) == COUNTS
    seen = load(tmp_path / "news.csv", vectorizer=CountVectorizer(binary=True), **options)
    assert kind_of(seen) == PRESENCE


def test_every_kind_is_done_what_was_measured_best():
    scales = {
        kind.name: kind.scale for kind in (TEXT, COUNTS, PRESENCE, WEIGHTS, MEASUREMENTS, FAR)
    }
    assert scales == {
        "text": "none",
        "counts": "tfidf",
        "zeros and ones": "tfidf",
        "sparse weights": "unit",
        "measurements": "standard",
        "measurements with far values": "asinh",
    }
    assert set(SCALES) == {"auto", *SCALERS}


def svm(path, X):
    lines = (
        f"{i % 2} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v)
        for i, row in enumerate(X)
    )
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("presence", "features: taken for zeros and ones, weighted by TF-IDF; --scale"),
        ("counts", "features: taken for counts, weighted by TF-IDF; --scale"),
        ("weights", "features: taken for sparse weights, rows scaled to length 1; --scale"),
        ("a small table of whole numbers", "features: taken for measurements, standardised; --"),
    ],
)
def test_fit_says_what_the_features_were_taken_for(colabel, tmp_path, name, said):  # noqa: F811
    svm(tmp_path / "x.svm", KINDS[name][0])
    plain = ["fit", "x.svm", "-o", "m.skops", "--no-tune", "--no-thresholds"]
    assert said in colabel(*plain)
    assert "features: left as they are\n" in colabel(*plain, "--scale", "none")
    assert "features: rows scaled to length 1\n" in colabel(*plain, "--scale", "unit")


def test_fit_says_that_text_is_left_as_it_is(colabel, tmp_path):  # noqa: F811
    news(tmp_path / "news.csv")
    plain = ["fit", "news.csv", *TEXTS, "-o", "m.skops", "--no-tune", "--no-thresholds"]
    assert "features: taken for text, left as they are; --scale" in colabel(*plain)


def test_columns_of_whole_numbers_in_a_table_are_measurements(colabel, tmp_path):  # noqa: F811
    rows = [[i % 3, 0, i % 7 * (i % 2), i % 2] for i in range(40)]
    write(tmp_path / "t.csv", ["rooms", "baths", "floor", "sold"], rows)
    result = colabel.json("fit", "t.csv", "--labels", "sold", "-o", "m.skops", "--no-tune")
    assert (result["kind"], result["scale"]) == ("measurements", "standard")


@pytest.mark.usefixtures("in_this_process")
def test_compare_says_what_the_features_were_taken_for(colabel, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    svm(tmp_path / "x.svm", KINDS["counts"][0])
    quick = ["--quick", "--splits", "1", "--methods", "label-ridge", "--jobs", "1"]
    said = colabel("compare", "x.svm", *quick)
    assert "x: features taken for counts, weighted by TF-IDF" in said


@pytest.mark.usefixtures("in_this_process")
def test_the_report_says_what_the_features_were_taken_for():
    data = dataset(KINDS["presence"][0])
    found = compare([data], methods=["label-ridge"], cv=2, quick=True, n_jobs=1, progress=False)
    assert found.datasets[0].preparation == "zeros and ones, weighted by TF-IDF"
    assert "zeros and ones, weighted by TF-IDF" in found.to_html()
    assert "zeros and ones, weighted by TF-IDF" in found.to_markdown()


def test_a_comparison_scales_as_fit_does():
    (bundled,) = prepare([load_debtags()], 1, quick=True, seed=0)
    assert bundled.scale == kind_of(bundled.data).scale == "tfidf"
