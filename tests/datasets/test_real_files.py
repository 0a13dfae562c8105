"""Real data sets, where they are: read right, and fast."""

import json
import lzma
import time

import arff
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

import real_data
from colabel.datasets import load, stream


def path_of(name):
    if not (real_data.FOLDER / f"{name}.json").exists():
        pytest.skip(f"the {name} data set is not in {real_data.FOLDER.name}/")
    return real_data.FOLDER / f"{name}.svm.xz"


def fastest(*works, times=2):
    """The seconds that each takes, tried in turns, at its best."""
    found = []
    for _ in range(times):
        found.append([])
        for work in works:
            start = time.process_time()
            work()
            found[-1].append(time.process_time() - start)
    return np.min(found, axis=0)


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


def test_svmlight_at_scikit_learns_speed(tmp_path):
    path = tmp_path / "rcv1.svm"
    path.write_bytes(lzma.decompress(path_of("rcv1subset1").read_bytes()))
    ours, theirs = fastest(
        lambda: load(path), lambda: load_svmlight_file(str(path), multilabel=True)
    )
    assert ours < 1.3 * theirs + 0.05


@pytest.fixture(scope="module")
def rcv1_arff(tmp_path_factory):
    data = load(path_of("rcv1subset1"))
    d, both = data.X.shape[1], sp.hstack([data.X, data.Y], format="csr")
    lines = ["@relation 'rcv1: -C -101'", *(f"@attribute w{i} numeric" for i in range(d))]
    lines += [f"@attribute {name} {{0,1}}" for name in data.label_names]
    lines.append("@data")
    for start, end in zip(both.indptr[:-1], both.indptr[1:], strict=True):
        entries = zip(both.indices[start:end], both.data[start:end], strict=True)
        lines.append("{" + ",".join(f"{i} {v:.17g}" for i, v in entries) + "}")
    path = tmp_path_factory.mktemp("arff") / "rcv1.arff"
    path.write_text("\n".join(lines) + "\n")
    return path, data


def test_sparse_arff_is_read_right_and_never_dense(rcv1_arff):
    path, data = rcv1_arff
    found = load(path)
    assert sp.issparse(found.X)
    assert (found.X != data.X).nnz == 0
    assert (found.Y != data.Y).nnz == 0
    assert found.label_names.tolist() == data.label_names.tolist()
    blocks = list(stream(path, found.columns, rows=2500))
    assert [block.shape[0] for block in blocks] == [2500, 2500, 1000]
    assert (sp.vstack(blocks) != data.X).nnz == 0


def test_sparse_arff_as_fast_as_liac_arff(rcv1_arff):
    path, _ = rcv1_arff

    def theirs():
        with path.open() as file:
            arff.load(file, return_type=arff.COO)

    ours, liac_arff = fastest(lambda: load(path), theirs)
    assert ours < liac_arff
