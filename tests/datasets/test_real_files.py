"""Real data sets, where they are, are read right."""

import json

import numpy as np
import pytest
import real_data
import scipy.sparse as sp
from writers import as_arff

from colabel.datasets import load, stream


def path_of(name):
    if not (real_data.FOLDER / f"{name}.json").exists():
        pytest.skip(f"the {name} data set is not in {real_data.FOLDER.name}/")
    return real_data.FOLDER / f"{name}.svm.xz"


@pytest.mark.parametrize("name", ["emotions", "enron", "slashdot", "birds", "humango"])
def test_svmlight_with_its_json(name):
    data = load(path_of(name))
    X, Y, n_train = real_data.load(name)
    about = json.loads((real_data.FOLDER / f"{name}.json").read_text())
    assert (abs(data.X - X)).max() == 0
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert data.label_names.tolist() == about["label_names"]
    assert (None if data.split is None else len(data.split[0])) == n_train
    described = data.describe()
    assert described["rows_without_labels"] == about["empty_rows_Y"]
    assert described["rows_without_features"] == about["empty_rows_X"]
    assert described["labels_without_rows"] == about["empty_labels"]
    assert described["cardinality"] == pytest.approx(about["cardinality"], abs=1e-3)


def test_sparse_arff_is_read_right_and_never_dense(tmp_path):
    data = load(path_of("rcv1subset1"))
    path = tmp_path / "rcv1.arff"
    path.write_text(as_arff(data))
    found = load(path)
    assert sp.issparse(found.X)
    assert (found.X != data.X).nnz == 0
    assert (found.Y != data.Y).nnz == 0
    assert found.label_names.tolist() == data.label_names.tolist()
    blocks = list(stream(path, found.columns, rows=2500))
    assert [block.shape[0] for block in blocks] == [2500, 2500, 1000]
    assert (sp.vstack(blocks) != data.X).nnz == 0
