"""Sets by name, through scikit-learn's cache, which is filled here by hand."""

import gzip
import hashlib
import json
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets._openml as sklearn_openml

from colabel.datasets import NAMES, DataError, load, openml

ARFF = """@relation yeast
@attribute a numeric
@attribute 'b c' numeric
@attribute l1 {FALSE,TRUE}
@attribute l2 {TRUE,FALSE}
@data
1,2,TRUE,FALSE
3,4.5,FALSE,FALSE
0,0,TRUE,TRUE
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache that holds `yeast` only, and no network."""

    def unreachable(*args, **kwargs):
        raise URLError("no route to host")

    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(sklearn_openml, "urlopen", unreachable)
    monkeypatch.setattr(sklearn_openml.time, "sleep", lambda seconds: None)
    number = openml.NUMBERS["yeast"]
    features = [
        {
            "index": str(i),
            "name": name,
            "data_type": "numeric" if i < 2 else "nominal",
            "is_target": "false" if i < 2 else "true",
            "is_ignore": "false",
            "number_of_missing_values": "0",
            "is_row_identifier": "false",
        }
        for i, name in enumerate(["a", "b c", "l1", "l2"])
    ]
    held = {
        f"api/v1/json/data/{number}": {
            "data_set_description": {
                "id": str(number),
                "name": "yeast",
                "version": "4",
                "description": "",
                "format": "ARFF",
                "status": "active",
                "url": "https://openml.org/data/yeast.arff",
                "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
            }
        },
        f"api/v1/json/data/features/{number}": {"data_features": {"feature": features}},
        f"api/v1/json/data/qualities/{number}": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3"}]}
        },
        "data/yeast.arff": None,
    }
    for path, content in held.items():
        file = tmp_path / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = ARFF if content is None else json.dumps(content)
        file.write_bytes(gzip.compress(text.encode()))


@pytest.mark.usefixtures("cache")
def test_a_set_in_the_cache_is_loaded_without_network():
    data = load("yeast")
    assert data.name == "yeast"
    assert data.X.tolist() == [[1, 2], [3, 4.5], [0, 0]]
    assert data.Y.toarray().tolist() == [[1, 0], [0, 0], [1, 1]]
    assert data.label_names.tolist() == ["l1", "l2"]
    assert data.feature_names.tolist() == ["a", "b c"]


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"debtags", "yeast"}))
def test_no_network_is_said_in_one_line(name):
    with pytest.raises(DataError, match=f"^{name}: .*cannot be reached .no route to host.*once"):
        load(name)


def test_options_are_for_files():
    with pytest.raises(DataError, match="labels= is for files"):
        load("yeast", labels=["l1"])


def test_strange_labels_are_refused():
    with pytest.raises(DataError, match="a label is 'MAYBE'"):
        openml._labels("x", np.array([["TRUE", "maybe"]], dtype=object))
