"""A data set in many files is the same as in one."""

import gzip
import json
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from writers import FORMATS, svm_text

from colabel import OPLS, LabelRidge, row_blocks
from colabel.datasets import DataError, load, load_shards

RNG = np.random.default_rng(0)
X = np.where(RNG.random((40, 6)) < 0.5, RNG.normal(size=(40, 6)).round(3), 0.0)
Y = RNG.integers(0, 2, size=(40, 3))
FEATURES, LABELS = [f"f{i}" for i in range(6)], ["tree", "green", "tall"]
CUTS = [(0, 7), (7, 8), (8, 40)]


def write(folder, format, cuts=CUTS, features=FEATURES, labels=LABELS):
    """The rows between each pair of cuts as a file of its own, and the options to load them."""
    paths = []
    for i, (start, stop) in enumerate(cuts):
        part = folder / str(i)
        part.mkdir()
        path, options = FORMATS[format](part, X[start:stop], Y[start:stop], features, labels)
        paths.append(path)
    return paths, options


@pytest.mark.parametrize("format", FORMATS)
def test_shards_of_every_format_are_the_same_as_one_file(format, tmp_path):
    paths, options = write(tmp_path, format)
    whole = tmp_path / "whole"
    whole.mkdir()
    path, options = FORMATS[format](whole, X, Y, FEATURES, LABELS)
    one, many = load(path, **options), load_shards(paths, **options)
    np.testing.assert_array_equal(many.Y.toarray(), one.Y.toarray())
    assert many.label_names.tolist() == one.label_names.tolist()
    assert (many.feature_names is None) == (one.feature_names is None)
    if one.feature_names is not None:
        assert many.feature_names.tolist() == one.feature_names.tolist()
    assert many.shape == one.X.shape
    for model in (LabelRidge(), OPLS()):
        parts, whole = (type(model)().fit(data.X, data.Y) for data in (many, one))
        found = parts.coef_ if hasattr(parts, "coef_") else parts.components_
        expected = whole.coef_ if hasattr(whole, "coef_") else whole.components_
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    assert sp.issparse(one.X) == many.describe()["sparse"]


def test_what_it_says_of_itself(tmp_path):
    paths, options = write(tmp_path, "comma_separated")
    data = load_shards(paths, **options)
    assert repr(data) == "<Shards: 40 rows, 6 features, 3 labels in 3>"
    about = data.describe()
    assert json.loads(json.dumps(about)) == about
    assert about["shards"] == [str(path) for path in paths]
    assert (about["rows"], about["features"], about["labels"]) == (40, 6, 3)
    assert about["cardinality"] == Y.sum() / 40
    assert about["rows_without_labels"] == np.count_nonzero(Y.sum(axis=1) == 0)
    assert about["label_counts"] == dict(zip(LABELS, Y.sum(axis=0).tolist(), strict=True))
    assert data.columns.names.tolist() == FEATURES


def svm(path, rows, labels, first=1):
    path.write_text(svm_text(rows, labels, first))
    return path


def test_svmlight_shards_may_differ_in_width(tmp_path):
    narrow = X.copy()
    narrow[:7, 3:], narrow[7:20, 5:] = 0.0, 0.0
    narrow[20, 4], narrow[20, 5] = 1.0, 1.0
    few = Y.copy()
    few[:7, 1:] = 0
    cuts = [(0, 7), (7, 20), (20, 40)]
    paths = [svm(tmp_path / f"{a}.svm", narrow[a:b], few[a:b]) for a, b in cuts]
    assert [load(path).X.shape[1] for path in paths] == [3, 5, 6]
    data = load_shards(paths)
    assert data.shape == (40, 6)
    assert data.label_names.tolist() == ["label0", "label1", "label2"]
    np.testing.assert_array_equal(data.Y.toarray(), few)
    expected = LabelRidge().fit(narrow, few).coef_
    np.testing.assert_allclose(LabelRidge().fit(data.X, data.Y).coef_, expected, atol=1e-10)
    wider = load_shards(paths, n_features=9)
    assert wider.shape == (40, 9)
    coef = LabelRidge().fit(wider.X, wider.Y).coef_
    np.testing.assert_allclose(coef, np.pad(expected, ((0, 0), (0, 3))), atol=1e-10)
    with pytest.raises(DataError, match=r"20\.svm: 6 features, but n_features=5"):
        load_shards(paths, n_features=5)


def test_options_are_passed_on(tmp_path):
    paths = [svm(tmp_path / f"{a}.txt", X[a:b], Y[a:b], first=0) for a, b in CUTS]
    data = load_shards(paths, zero_based=True, format="svmlight")
    assert data.shape == X.shape
    expected = LabelRidge().fit(X, Y).coef_
    np.testing.assert_allclose(LabelRidge().fit(data.X, data.Y).coef_, expected, atol=1e-10)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("größe,id,gelb\n1,7,1\n2,8,0\n".encode("latin-1"))
    data = load_shards([latin, latin], labels=["gelb"], ignore=["id"], encoding="latin-1")
    assert data.feature_names.tolist() == ["größe"]
    assert data.shape == (4, 1)


def test_compressed_shards(tmp_path):
    path = svm(tmp_path / "a.svm", X[:20], Y[:20])
    packed = tmp_path / "b.svm.gz"
    packed.write_bytes(gzip.compress(svm_text(X[20:], Y[20:]).encode()))
    data = load_shards([path, str(packed)])
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    np.testing.assert_allclose(data.X.mean, X.mean(axis=0), atol=1e-14)


def csv(path, text):
    path.write_text(text)
    return path


def test_labels_are_joined(tmp_path):
    a = csv(tmp_path / "a.csv", "x,tags\n1,tree;green\n2,\n")
    b = csv(tmp_path / "b.csv", "x,tags\n3,blue\n4,green\n")
    data = load_shards([a, b], label_column="tags", separator=";")
    assert data.label_names.tolist() == ["blue", "green", "tree"]
    assert data.Y.toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    a = csv(tmp_path / "a.csv", "x,is_tree\n1,1\n2,0\n")
    b = csv(tmp_path / "b.csv", "is_green,x,is_tree\n1,3,0\n0,4,1\n")
    data = load_shards([a, b], labels="is_*")
    assert data.label_names.tolist() == ["is_tree", "is_green"]
    assert data.Y.toarray().tolist() == [[1, 0], [0, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("x,label", "there is no column 'y', which .*first.csv has"),
        ("x,y,z,label", "there is a column 'z', which .*first.csv does not have"),
        ("y,x,label", "feature 1 is 'y', and 'x' in .*first.csv; all shards need the same order"),
    ],
)
def test_columns_that_differ_are_named(header, message, tmp_path):
    first = csv(tmp_path / "first.csv", "x,y,label\n1,2,0\n3,4,1\n")
    cells = "1," * header.count(",") + "1\n"
    second = csv(tmp_path / "second.csv", f"{header}\n{cells}")
    with pytest.raises(DataError, match=rf"second.csv: {message}"):
        load_shards([first, second], labels=["label"])
    with pytest.raises(DataError, match=r"first.csv: 2 features, but n_features=3"):
        load_shards([first, first], labels=["label"], n_features=3)


def test_names_in_some_shards_only(tmp_path):
    plain, about = (svm(tmp_path / f"{name}.svm", X, Y) for name in ("plain", "about"))
    about.with_suffix(".json").write_text(json.dumps({"label_names": LABELS}))
    for paths in ([plain, about], [about, plain]):
        with pytest.raises(DataError, match=r"plain.svm: the labels have no names, and .*about"):
            load_shards(paths)
    about.with_suffix(".json").write_text(json.dumps({"feature_names": FEATURES}))
    for paths in ([plain, about], [about, plain]):
        with pytest.raises(DataError, match=r"plain.svm: the features have no names, and .*about"):
            load_shards(paths)


def test_faults_name_the_file(tmp_path):
    good = csv(tmp_path / "good.csv", "x,label\n1,0\n2,1\n")
    for text, message in (
        ("x,label\n1,0\n,1\n", "bad.csv: values are missing"),
        ("x,label\n1,0\nred,1\n", "bad.csv, line 3: column 'x' holds 'red'"),
        ("x,label\n1,7\n", "bad.csv, line 2: label 'label' is '7'"),
        ("x,tag\n1,1\n", "bad.csv: no column is named 'label'"),
        ("", "bad.csv, line 1: the file is empty"),
    ):
        bad = csv(tmp_path / "bad.csv", text)
        with pytest.raises(DataError, match=message):
            load_shards([good, bad], labels=["label"])
    with pytest.raises(DataError, match=r"gone.csv: there is no such file"):
        load_shards([good, tmp_path / "gone.csv"], labels=["label"])
    with pytest.raises(DataError, match="debtags: there is no such file"):
        load_shards(["debtags"])


def test_what_is_no_list_of_files(tmp_path):
    path = csv(tmp_path / "a.csv", "x,t\n1,words\n")
    for wrong in (str(path), path, {path}, iter([path])):
        with pytest.raises(TypeError, match=r"takes a list of files, such as sorted\("):
            load_shards(wrong)
    with pytest.raises(ValueError, match="no shards in the list"):
        load_shards([])
    for option in ({"text": "t"}, {"vectorizer": object()}):
        with pytest.raises(DataError, match=r"a.csv: .*is not for shards.*HashingVectorizer"):
            load_shards([path], labels=["x"], **option)
    with pytest.raises(TypeError, match="colour"):
        load_shards([path], labels=["x"], colour="red")


def test_a_shard_that_is_removed_later_is_named(tmp_path):
    paths, options = write(tmp_path, "comma_separated")
    data = load_shards(paths, **options)
    paths[1].unlink()
    with pytest.raises(DataError, match=r"1.*data\.csv: .*no such file"):
        LabelRidge().fit(data.X, data.Y)


def test_long_shards_are_read_in_parts(tmp_path, monkeypatch):
    paths, options = write(tmp_path, "svmlight")
    monkeypatch.setattr(sys.modules["colabel.datasets.shards"], "_ROWS", 3)
    data = load_shards(paths, **options)
    expected = row_blocks([X]).core.gram()
    np.testing.assert_allclose(data.X.core.gram(), expected, atol=1e-12)


def test_one_shard_at_a_time_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    rows = np.random.default_rng(1).normal(size=(300, 40)).round(2)
    labels = (rows[:, :2] > 0).astype(int)
    # one file by many names: what counts is how often it is read
    paths = [svm(tmp_path / "0.svm", rows, labels)] * 12

    def peak(count):
        tracemalloc.start()
        try:
            data = load_shards(paths[:count])
            LabelRidge(solver="two-stage").fit(data.X, data.Y)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    one = peak(1)
    # labels are all that grows; X takes 12 bytes an entry
    assert peak(12) < one + 12 * 12 * rows.size / 4
