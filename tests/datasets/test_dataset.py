"""The data set itself: parts of it, what it says of itself, and the one that is bundled."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import scipy.sparse as sp

from colabel.datasets import Dataset, load, load_debtags
from colabel.datasets.dataset import as_names, first_rows


@pytest.fixture
def data():
    return Dataset(
        X=np.array([[1.0, 0], [0, 0], [np.nan, 2], [3, 4], [5, 6]]),
        Y=sp.csr_array([[1, 0, 0], [1, 0, 1], [0, 0, 0], [1, 0, 1], [1, 0, 0]]),
        label_names=as_names("abc"),
        feature_names=as_names("xy"),
        row_names=as_names("12345"),
        split=first_rows(3, 5),
        name="small",
    )


def test_selecting_keeps_names_and_the_split_together(data):
    part = data.select(rows=[0, 4, 2], features=[1], labels=np.array([False, False, True]))
    assert part.row_names.tolist() == ["1", "5", "3"]
    assert part.feature_names.tolist() == ["y"]
    assert part.label_names.tolist() == ["c"]
    assert part.X.ravel().tolist() == [0, 6, 2]
    assert part.train.row_names.tolist() == ["1", "3"]
    assert part.test.row_names.tolist() == ["5"]
    assert data.select(rows=[0, 1]).split is None
    assert data.train.split is None


def test_a_set_without_a_split_says_so(data):
    with pytest.raises(ValueError, match="small has no standard split; make one"):
        data.test.test  # noqa: B018


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_two_files_make_one_set(data, kind):
    data = replace(data, X=kind(np.nan_to_num(data.X)))
    whole = data.train.with_test(data.test)
    assert whole.row_names.tolist() == data.row_names.tolist()
    assert (whole.Y != data.Y).nnz == 0
    assert type(whole.X) is type(data.X)
    assert whole.test.row_names.tolist() == ["4", "5"]
    with pytest.raises(ValueError, match="the label_names of small and small differ"):
        data.with_test(data.select(labels=[0]))


def test_it_is_frozen(data):
    with pytest.raises(FrozenInstanceError):
        data.X = None


def test_describe_is_plain_and_right(data):
    about = json.loads(json.dumps(data.describe(most=2)))
    assert about == {
        "name": "small",
        "rows": 5,
        "features": 2,
        "labels": 3,
        "training_rows": 3,
        "sparse": False,
        "density": 0.7,
        "missing_values": 1,
        "rows_without_features": 1,
        "cardinality": 1.2,
        "label_density": pytest.approx(0.4),
        "distinct_label_sets": 3,
        "rows_without_labels": 1,
        "labels_without_rows": 1,
        "unknown_labels": 0,
        "label_counts": {"a": 4, "c": 2, "b": 0},
        "co_occurrence": {
            "labels": ["a", "c"],
            "counts": [[4, 2], [2, 2]],
            "pairs": [{"first": "a", "second": "c", "rows": 2}],
        },
    }


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("Y", np.ones((4, 3)), "Y has the shape"),
        ("label_names", as_names("aba"), "must differ; twice: a"),
        ("feature_names", as_names("x"), "1 feature names were given for 2"),
        ("row_names", as_names("x"), "1 row names were given for 5"),
    ],
)
def test_parts_that_do_not_fit_are_refused(data, field, value, message):
    parts = {"X": data.X, "Y": data.Y, "label_names": data.label_names, field: value}
    with pytest.raises(ValueError, match=message):
        Dataset(**parts)


def test_debtags():
    data = load_debtags()
    about = data.describe()
    assert 3500 < about["rows"] < 4500
    assert (about["features"], about["labels"]) == (3000, 40)
    assert min(about["label_counts"].values()) >= 50
    assert about["rows_without_labels"] == about["rows_without_features"] == 0
    assert 0.6 < about["training_rows"] / about["rows"] < 0.7
    assert np.all(data.X.data > 0)
    assert np.all(data.X.data % 1 == 0)
    assert np.all(data.Y.data == 1)
    assert data.X.has_canonical_format
    assert len(set(data.row_names)) == about["rows"]
    assert all(np.diff(data.train.Y.tocsc().indptr) > 50)
    together, counts = (data.Y.T @ data.Y).toarray(), data.Y.sum(axis=0)
    jaccard = together / (counts[:, None] + counts - together)
    assert np.triu(jaccard, 1).max() < 0.7  # no tag is nearly another
    assert load("debtags").describe() == about
