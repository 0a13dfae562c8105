"""Data as a person types them into ``compare``, and results as a notebook shows them."""

import numpy as np
import pandas as pd
import pytest
from awkward_tables import NAMES, tags_of, tickets

from colabel import compare
from colabel.comparison.from_scores import from_scores
from colabel.comparison.plan.request import request
from colabel.datasets import Dataset, load

QUICK = {"methods": ["label-ridge"], "metrics": ["f1_macro"], "cv": 1, "n_jobs": 1}
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*identifier:UserWarning"),
    pytest.mark.usefixtures("in_this_process"),
]


def prepared(*data, **options):
    return [one.data for one in request(*data, **options).datasets]


def test_a_table_of_any_columns_and_its_labels():
    pytest.importorskip("skrub", reason="skrub is not installed: no tables are recognised")
    table = tickets()
    frame = table.frame(table.rows).drop(columns="tags")
    (found,) = prepared(frame, table.Y)
    assert found.table.wanted == ["subject", "body", "product", "created", "price"]
    (named,) = prepared({"tickets": (frame, tags_of(table.Y))})
    assert named.name == "tickets"
    assert named.label_names.tolist() == NAMES
    assert abs(named.X - found.X).max() == 0
    (fewer,) = prepared(frame, table.Y, load_options={"kinds": {"price": "drop"}})
    assert "price" not in fewer.table.wanted
    with pytest.raises(ValueError, match="label_column= says how a file is read"):
        compare(frame, table.Y, label_column="tags")


def test_a_file_with_its_options_and_a_frame_that_holds_its_labels(tmp_path):
    pytest.importorskip("skrub", reason="skrub is not installed: no tables are recognised")
    table = tickets()
    table.write(tmp_path)
    found = compare(tmp_path / "table.csv", label_column="tags", **QUICK)
    assert found.datasets[0].name == "table"
    assert found.datasets[0].label_names == NAMES
    assert found.results[0].scores["f1_macro"] > 0.8
    assert "--label-column tags" in found.methods[0].command
    (whole,) = prepared(table.frame(table.rows), load_options={"label_column": "tags"})
    (named,) = prepared({"t": tmp_path / "table.csv"}, load_options={"label_column": "tags"})
    assert abs(whole.X - named.X).max() < 1e-12
    with pytest.raises(TypeError, match="unexpected keyword argument 'label_colum'"):
        compare(tmp_path / "table.csv", label_colum="tags")


def test_texts_and_numbers():
    _, texts = tickets().Y, [row[2] for row in tickets().rows]
    for given in (texts, pd.Series(texts), np.array(texts)):
        (found,) = prepared(given, tickets().Y)
        assert found.text == "text"
        assert "refund" in found.feature_names
    numbers = pd.DataFrame({"a": np.arange(9.0) ** 2, "b": [True, False, True] * 3})
    (found,) = prepared(numbers, np.eye(3, dtype=int)[[0, 1, 2] * 3])
    assert found.table is None
    assert found.feature_names.tolist() == ["a", "b"]


def test_notebooks_show_comparisons_and_escape_names():
    scores = {"<b>irds": {"a": [0.71, 0.73], "b&": [0.52, 0.55]}, "x": {"a": [0.1], "b&": [0.2]}}
    shown = from_scores(scores)._repr_html_()
    assert shown.count("<table>") == 2
    assert "<b>0.720</b>" in shown
    assert "&lt;b&gt;irds" in shown
    assert "b&amp;" in shown
    assert "<b>irds" not in shown


def test_notebooks_show_data(tmp_path):
    data = Dataset(X=np.eye(3), Y=np.eye(3, dtype=int), label_names=np.array(["<i>", "b", "c"]))
    shown = data._repr_html_()
    assert "&lt;i&gt; (1), b (1), c (1)" in shown
    assert "<td>3 (33.3% not zero)</td>" in shown
    (tmp_path / "a.csv").write_text("x,tags\n1,a|b\n2,b\n")
    assert "2 tags in tags" in load(tmp_path / "a.csv", label_column="tags")._repr_html_()
