"""A label that nobody knows: an empty cell, or ?, in the label columns of any table."""

import numpy as np
import pandas as pd
import pytest

import colabel
from colabel.datasets import (
    IterativeStratifiedKFold,
    IterativeStratifiedShuffleSplit,
    load,
    load_shards,
)

Y = np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, np.nan], [1.0, 1.0]])
ARFF = "@relation 'r: -C -2'\n@attribute x numeric\n@attribute a {0,1}\n@attribute b {no,yes}\n"
TABLES = {
    "t.csv": "x,a,b\n1,1,no\n2,,yes\n3,0,?\n4,yes,1\n",
    "t.tsv": "x\ta\tb\n1\t1\t0\n2\tNA\t1\n3\t0\tnan\n4\t1\t1\n",
    "t.arff": ARFF + "@data\n1,1,no\n2,?,yes\n3,0,?\n4,1,yes\n",
    "s.arff": ARFF + "@data\n{0 1,1 1}\n{0 2,1 ?,2 yes}\n{0 3,2 ?}\n{0 4,1 1,2 yes}\n",
}


@pytest.fixture(params=[*TABLES, "t.parquet"])
def path(request, tmp_path):
    file = tmp_path / request.param
    if request.param.endswith(".parquet"):
        frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "a": Y[:, 0], "b": Y[:, 1]})
        frame["a"] = frame["a"].astype("Int64")
        frame.to_parquet(file)
    else:
        file.write_text(TABLES[request.param])
    return file


def options(path):
    return {} if path.suffix == ".arff" else {"labels": ["a", "b"]}


def test_cells_that_are_empty_are_unknown(path):
    data = load(path, **options(path))
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    about = data.describe()
    assert about["unknown_labels"] == 2
    assert about["label_counts"] == {"a": 2, "b": 2}
    assert about["cardinality"] == 1.0
    assert about["co_occurrence"]["counts"] == [[2, 1], [1, 2]]
    np.testing.assert_array_equal(data.select(rows=[1, 3]).Y.toarray(), Y[[1, 3]])


def test_shards_count_them_too(path):
    shards = load_shards([path, path], **options(path))
    np.testing.assert_array_equal(shards.Y.toarray(), np.vstack([Y, Y]))
    assert shards.describe()["unknown_labels"] == 4
    assert shards.describe()["label_counts"] == {"a": 4, "b": 4}


def test_what_is_no_label_is_refused_still(tmp_path):
    (tmp_path / "t.csv").write_text("x,a\n1,1\n2,maybe\n")
    with pytest.raises(colabel.datasets.DataError, match=r"line 3.*'maybe'; a label is 0 or 1, or"):
        load(tmp_path / "t.csv", labels=["a"])


def problem(n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    truth = (X @ rng.normal(size=(5, 3)) > 0.4).astype(float)
    return X, np.where(rng.random(truth.shape) < 0.3, np.nan, truth)


@pytest.mark.parametrize(
    "splitter",
    [
        IterativeStratifiedKFold(4, random_state=0),
        IterativeStratifiedShuffleSplit(3, test_size=0.25, random_state=0),
    ],
)
def test_splits_are_stratified_by_what_is_known(splitter):
    X, N = problem()
    for _, test in splitter.split(X, N):
        for value in (0, 1):
            share = (N[test] == value).sum(axis=0) / (value == N).sum(axis=0)
            np.testing.assert_allclose(share, 0.25, atol=0.08)
