"""What columns are taken for."""

import datetime
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from awkward_tables import tickets
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline

from colabel.datasets import DataError, load, stream
from colabel.datasets.tag_cells import ALONE, JSON, separator_of, split
from colabel.persistence import TRUSTED
from colabel.tables import TableFeatures
from colabel.tables.cells import is_gap, names_in, number, vector
from colabel.tables.kinds import recognise
from colabel.tables.leaks import labels_told_by, labels_told_by_values

pytest.importorskip("skrub", reason="skrub is not installed: no tables are recognised")
WORDS = ["green", "tall", "old", "wide", "blue", "new"]


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1,234.5", ".", 1234.5),
        ("-12,345,678", ".", -12345678),
        ("1 234.5", ".", 1234.5),
        ("$ 5", ".", 5),
        ("12 %", ".", 12),
        ("1e3", ".", 1000),
        ("1.234,5", ",", 1234.5),
        ("0,25 €", ",", 0.25),
        ("12,34", ".", np.nan),
        ("1,23,456", ".", np.nan),
        ("1_0", ".", np.nan),
        ("inf", ".", np.nan),
        ("nan", ".", np.nan),
        ("", ".", np.nan),
        ("1.5", ",", np.nan),
        (True, ".", 1),
        (np.int64(3), ",", 3),
        (None, ".", np.nan),
        ([1], ".", np.nan),
    ],
)
def test_numbers_as_people_write_them(cell, decimal, value):
    np.testing.assert_equal(number(cell, decimal), value)


@pytest.mark.parametrize("cell", [None, "", " ", "NA", "n/a", "?", np.nan, pd.NA, pd.NaT, "null"])
def test_gaps(cell):
    assert is_gap(cell)


@pytest.mark.parametrize("cell", ["0", 0, False, "no", [], "x", datetime.date(2024, 1, 1)])
def test_what_is_no_gap(cell):
    assert not is_gap(cell)


def test_lists_in_cells():
    assert vector("[1, 2.5 -3]").tolist() == [1, 2.5, -3]
    assert vector((1, 2)).tolist() == [1, 2]
    assert vector("[]") is None
    assert vector("1, 2") is None
    assert vector('["a"]') is None
    assert names_in('["a", "b c"]') == ["a", "b c"]
    assert names_in("['a', 3]") == ["a", "3"]
    assert names_in("[a, b]") is None
    assert names_in("__import__('os')") is None
    assert names_in("[__import__('os')]") is None
    assert names_in([" a"]) == ["a"]


#: Columns, what they are, and what is said of them.
COLUMNS = {
    "whole numbers": ([str(i * 7 % 13) for i in range(30)], "number", ""),
    "decimal commas": ([f"{i},5" for i in range(30)], "number", "written as 1.234,5"),
    "numbers and a word": (["1"] * 50 + ["2"] * 48 + ["much", ""], "number", "2 gaps"),
    "counted rows": ([str(i) for i in range(30)], "drop", "identifier"),
    "years": ([str(2000 + i) for i in range(20)], "number", ""),
    "codes of digits": ([f"{i % 6:05d}" for i in range(30)], "category", "6 values"),
    "hashes": ([f"{i * 7919:x}f0" for i in range(30)], "drop", "identifier"),
    "addresses": ([f"{w}{i}@example.org" for i, w in enumerate(WORDS * 4)], "drop", "identifier"),
    "words": (WORDS * 5, "category", "6 values"),
    "truths": (["yes", "no", ""] * 10, "category", "3 values"),
    "texts": ([f"a {a} house and a {b} garden" for a in WORDS for b in WORDS], "text", ""),
    "words that differ": ([a + b for a in WORDS for b in WORDS], "text", ""),
    "text without spaces": (["東京都庁", "大阪城公園", "名古屋駅前", "京都"], "text", ""),
    "no words": (["!", "?!", "…", "–", "(", ")"], "category", ""),
    "days": ([f"{1 + i}.{1 + i % 12}.2024" for i in range(28)], "date", "%d.%m.%Y"),
    "months first": ([f"{1 + i % 12}/{1 + i}/2024" for i in range(28)], "date", "%m/%d/%Y"),
    "days first": ([f"{1 + i % 28:02d}/{1 + i % 12}/2024" for i in range(60)], "date", "%d/%m/%Y"),
    "short months": (["1 May 2024", "2 Jun 2024", "3 Jul 2024"] * 5, "date", "%d %b %Y"),
    "long months": (["May 1, 2024", "June 2, 2024", "July 3, 2024"] * 5, "date", "%B %d, %Y"),
    "times with zones": (["2024-05-01T10:00:00+02:00", "2024-05-02T10:00:00Z"] * 5, "date", "%z"),
    "typed dates": ([datetime.date(2024, 1, 1 + i) for i in range(20)], "date", ""),
    "lists": ([[float(i), 1.0] for i in range(20)], "embedding", "2 numbers each"),
    "lists of words": ([[a, b] for a in WORDS for b in WORDS], "text", ""),
    "constant": (["x"] * 20, "drop", "the same in every row"),
    "empty": (["", None] * 10, "drop", "empty"),
    "constant or missing": (["5", ""] * 10, "number", "10 gaps"),
}  # fmt: skip


@pytest.mark.parametrize("case", COLUMNS)
def test_recognising(case):
    cells, kind, note = COLUMNS[case]
    plan = recognise("column", cells)
    assert plan.kind == kind, plan
    assert note in plan.note


def test_whole_numbers_called_an_id():
    cells = [str(7 * i + 100) for i in range(20)]
    assert recognise("size", cells).kind == "number"
    for name in ("id", "customer_id", "customerId", "ID", "Ticket Nr", "row index"):
        kind = recognise(name.replace("Ticket Nr", "ticket nr"), cells).kind
        assert kind == "drop", name
    assert recognise("paid", cells).kind == "number"
    assert recognise("grid", cells).kind == "number"


def test_kinds_that_cannot_be():
    for kind in ("number", "date", "embedding"):
        with pytest.raises(ValueError, match=f"'body' holds nothing that can be read as {kind}"):
            TableFeatures(kinds={"body": kind}).fit({"body": ["one word", "two"]})
    with pytest.raises(ValueError, match="column 'body' as 'words': use one of number"):
        TableFeatures(kinds={"body": "words"}).fit({"body": ["one word", "two"]})
    with pytest.raises(ValueError, match="no column is named 'bodi'; there are body"):
        TableFeatures(kinds={"bodi": "text"}).fit({"body": ["one word", "two"]})
    with pytest.raises(ValueError, match="lists of different lengths"):
        TableFeatures(kinds={"v": "embedding"}).fit({"v": [[1.0], [1.0, 2.0]]})
    with pytest.raises(ValueError, match=r"no column is left to learn from: x \(the same"):
        TableFeatures().fit({"x": ["a", "a"]})


def test_frames_arrays_and_mappings_are_the_same():
    table = {
        "a": [1.5, np.nan, 3.0, 4.0],
        "b": ["x", "y", "x", "y"],
        "c": [True, False, True, True],
    }
    of_dict = TableFeatures().fit_transform({**table, "c": [1.0, 0.0, 1.0, 1.0]})
    for frame in (pd.DataFrame(table), pl.DataFrame(table, strict=False)):
        features = TableFeatures()
        np.testing.assert_allclose(features.fit_transform(frame), of_dict)
        assert features.get_feature_names_out().tolist() == ["a", "c", "a is missing", "b=x", "b=y"]
    array = np.array([[1.5, 2], [np.nan, 3], [3.0, 1]])
    features = TableFeatures().fit(array)
    assert features.transform(array[:1]).shape == (1, 3)
    with pytest.raises(ValueError, match="X has 3 features; 2 are expected"):
        features.transform(np.ones((1, 3)))
    with pytest.raises(ValueError, match="no column is named 'x1'"):
        features.transform({"x0": [1.0]})


def test_blocks_of_rows_are_transformed_as_all_together_and_by_a_loaded_model():
    rng = np.random.default_rng(0)
    table = {
        "n": [f"{v:,.2f}" if v > 0 else "" for v in rng.normal(0, 3000, 50)],
        "t": [" ".join(rng.choice(WORDS, 5)) for _ in range(50)],
        "d": [f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.2024" for _ in range(50)],
        "v": [rng.normal(size=3).tolist() for _ in range(50)],
    }
    features = TableFeatures(kinds={"t": "text"})
    X = features.fit_transform(table)
    file = io.BytesIO()
    skops.io.dump(features, file)
    loaded = skops.io.load(file, trusted=list(TRUSTED))
    parts = [
        loaded.transform({name: column[i : i + 7] for name, column in table.items()})
        for i in range(0, 50, 7)
    ]
    np.testing.assert_allclose(np.vstack(parts), X, atol=1e-12)


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["a|b", "c"], "|"),
        (["a;b", "c"], ";"),
        (["a, b", "c"], ","),
        (["New York, NY; Boston, MA", "Austin, TX"], ";"),
        (["a,b"] * 50 + ["a;b"], ","),
        (['["a","b"]', "[]"], JSON),
        (["['a', 'b']", "['c']"], JSON),
        (["a", "b c"], ALONE),
        (["", None], ALONE),
    ],
)
def test_what_stands_between_tags(cells, separator):
    assert separator_of(cells) == separator


def test_classes_that_are_numbers_are_tags(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"x": 1.5, "y": 3}\n{"x": 2, "y": 10}\n{"x": 4, "y": null}\n'
    )
    data = load(tmp_path / "a.jsonl", label_column="y")
    assert data.label_names.tolist() == ["10", "3"]
    assert data.Y.toarray().tolist() == [[0, 1], [1, 0], [0, 0]]


@pytest.mark.filterwarnings("ignore:.*identifier:UserWarning")
@pytest.mark.parametrize("text", [None, "body"])
def test_texts_by_any_transformer_of_scikit_learn(tmp_path, text):
    table = tickets()
    table.write(tmp_path)
    vectorizer = make_pipeline(HashingVectorizer(n_features=64), TruncatedSVD(3, random_state=0))
    data = load(tmp_path / "table.csv", label_column="tags", text=text, vectorizer=vectorizer)
    assert len(data.feature_names) == data.X.shape[1]
    assert data.feature_names[-1] == ("2" if text else "body:2")
    (again,) = stream(tmp_path / "table.csv", data.columns)
    assert abs(again - data.X).max() < 1e-12


def test_tags_of_a_cell():
    assert split("a b", ALONE) == ["a b"]
    assert split('["a", "b"]', JSON) == ["a", "b"]
    assert split("a|b", "|") == ["a", "b"]


def test_labels_that_columns_give_away():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (60, 3))
    assert labels_told_by(3.0 * Y[:, 1] + rng.random(60), Y).tolist() == [1]
    assert labels_told_by(-Y[:, 2].astype(float), Y).tolist() == [2]
    assert labels_told_by(rng.normal(size=60), Y).tolist() == []
    wrong = 3.0 * Y[:, 1]
    wrong[np.flatnonzero(Y[:, 1])[:2]] = 0
    assert labels_told_by(wrong, Y).tolist() == []
    values = [f"{a}{b}" for a, b in zip(Y[:, 0], rng.integers(0, 3, 60), strict=True)]
    assert labels_told_by_values(values, Y).tolist() == [0]
    assert labels_told_by_values([str(i) for i in range(60)], Y).tolist() == []
    rare = np.zeros((60, 1), dtype=int)
    rare[:4] = 1
    assert labels_told_by(rare[:, 0].astype(float), rare).tolist() == []


def test_leaks_are_found_beyond_the_rows_that_are_tried_first(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1500)
    early = np.where(np.arange(1500) < 1000, y, 1 - y)
    rows = [f"{a},{b},{c:.3f}" for a, b, c in zip(y, y, rng.normal(size=1500), strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["leak,label,x", *rows]))
    with pytest.warns(UserWarning, match="column 'leak' gives away 'label'"):
        load(tmp_path / "a.csv", labels=["label"])
    rows = [f"{a},{b},{c:.3f}" for a, b, c in zip(early, y, rng.normal(size=1500), strict=True)]
    (tmp_path / "b.csv").write_text("\n".join(["half,label,x", *rows]))
    load(tmp_path / "b.csv", labels=["label"])


def test_faults_of_json_name_the_line(tmp_path):
    for text, message in (
        ('{"a": 1, "t": 1}\n{"a": \n', "line 2: this is no JSON"),
        ("{}\n[1]\n", "line 2: a row is an object"),
        ("\n", "line 1: the file is empty"),
    ):
        (tmp_path / "a.jsonl").write_text(text)
        with pytest.raises(DataError, match=message):
            load(tmp_path / "a.jsonl", labels=["t"])
    (tmp_path / "a.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match="is a list of objects"):
        load(tmp_path / "a.json", labels=["t"])
