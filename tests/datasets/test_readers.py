"""Every reader gives the same data set; what is written is what is read."""

import bz2
import gzip
import lzma
import shutil

import arff
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from writers import FORMATS, arff_text, svm_text

from colabel.datasets import DataError, load, stream

X = np.array([[0.0, 1.5, -2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 1e-300], [0.1, 7.0, 0.0]])
Y = np.array([[1, 0], [0, 0], [1, 1], [0, 1]])
FEATURES, LABELS = ["height", "a b", "50%"], ["tree", "it's green"]
UNNAMED = {"xmc"}

quick = settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def check_same(data, X, Y, features, labels, format):
    np.testing.assert_array_equal(dense(data.X), X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert data.X.dtype == np.float64
    if format not in UNNAMED:
        assert data.label_names.tolist() == list(labels)
        assert data.feature_names.tolist() == list(features)


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_data_in_every_format(tmp_path, format):
    path, options = FORMATS[format](tmp_path, X, Y, FEATURES, LABELS)
    data = load(path, **options)
    check_same(data, X, Y, FEATURES, LABELS, format)
    assert data.name == "data"
    assert sp.issparse(data.X) == (format in {"mulan_sparse", "meka_last", "svmlight", "xmc"})


numbers = st.one_of(st.just(0.0), st.floats(allow_nan=False, allow_infinity=False))
words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=5)


@st.composite
def data_sets(draw):
    n, d, q = (draw(st.integers(1, most)) for most in (5, 3, 3))
    names = draw(st.lists(words, min_size=d + q, max_size=d + q, unique=True))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    Y = draw(st.lists(st.lists(st.integers(0, 1), min_size=q, max_size=q), min_size=n, max_size=n))
    return np.array(X), np.array(Y), names[:d], names[d:]


@pytest.mark.parametrize("format", FORMATS)
@quick
@given(data_sets())
def test_what_is_written_is_read(tmp_path, format, data):
    path, options = FORMATS[format](tmp_path, *data)
    check_same(load(path, **options), *data, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_streaming_gives_the_same_rows(tmp_path, format, rows):
    path, options = FORMATS[format](tmp_path, X, Y, FEATURES, LABELS)
    blocks = list(stream(path, load(path, **options).columns, rows=rows))
    assert [block.shape[0] for block in blocks] == [min(rows, 4 - i) for i in range(0, 4, rows)]
    np.testing.assert_array_equal(np.vstack([dense(block) for block in blocks]), X)


@pytest.mark.parametrize(("suffix", "opener"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"parquet"}))
def test_compressed_files_are_read(tmp_path, format, suffix, opener):
    path, options = FORMATS[format](tmp_path, X, Y, FEATURES, LABELS)
    packed = path.with_name(f"{path.name}.{suffix}")
    with opener.open(packed, "wb") as file:
        file.write(path.read_bytes())
    path.unlink()
    check_same(load(packed, **options), X, Y, FEATURES, LABELS, format)


@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"parquet"}))
def test_byte_order_marks_and_carriage_returns_are_read_right(tmp_path, format):
    path, options = FORMATS[format](tmp_path, X, Y, FEATURES, LABELS)
    text = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text)
    check_same(load(path, **options), X, Y, FEATURES, LABELS, format)


def test_trailing_comments_are_read_right(tmp_path):
    path = tmp_path / "a.arff"
    lines = arff_text(X, Y, FEATURES, LABELS, sparse=True, relation="-C -2").splitlines()
    path.write_text("% first\n" + "\n".join(f"{line} % 'so'" for line in lines) + "\n% last")
    check_same(load(path), X, Y, FEATURES, LABELS, "arff")
    path = tmp_path / "a.svm"
    path.write_text("# first\n" + svm_text(X, Y).replace("\n", " # so\n"))
    np.testing.assert_array_equal(load(path).Y.toarray(), Y)


def test_sparse_arff_omits_the_first_declared_value(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(
        "@relation 'r: -C 1'\n@attribute l {1,0}\n@attribute a {1,0}\n@attribute b {red,blue}\n"
        "@attribute c numeric\n@data\n{}\n{0 0,1 0,2 blue,3 5}\n"
    )
    data = load(path)
    assert data.Y.toarray().tolist() == [[1], [0]]
    assert data.feature_names.tolist() == ["a", "b=red", "b=blue", "c"]
    assert data.X.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 5]]


def test_dense_arff_with_nominal_and_missing_values(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(
        "@RELATION 'r'\n@ATTRIBUTE\tx\tREAL\n@Attribute c {'light red', blue}\n"
        "@attribute l {FALSE,TRUE}\n@DATA\n 1 , 'light red' ,TRUE\n?,blue,FALSE\n2,?,FALSE\n"
    )
    data = load(path, labels=["l"])
    np.testing.assert_array_equal(data.X, [[1, 1, 0], [np.nan, 0, 1], [2, 0, 0]])
    assert data.Y.toarray().ravel().tolist() == [1, 0, 0]
    assert data.describe()["missing_values"] == 1


@quick
@given(data_sets())
def test_arff_equals_liac_arff(tmp_path, data):
    X, Y, _, _ = data
    features, labels = [f"f{j}" for j in range(X.shape[1])], [f"l{j}" for j in range(Y.shape[1])]
    text = arff_text(X, Y, features, labels, sparse=True)
    (tmp_path / "a.arff").write_text(text)
    ours = load(tmp_path / "a.arff", labels="l*")
    values, rows, columns = arff.loads(text, return_type=arff.COO)["data"]
    theirs = np.zeros((len(X), X.shape[1] + Y.shape[1]))
    theirs[rows, columns] = np.array(values, dtype=float)
    np.testing.assert_array_equal(np.hstack([ours.X.toarray(), ours.Y.toarray()]), theirs)


def test_mulan_parts_share_one_xml(tmp_path):
    path, _ = FORMATS["mulan_dense"](tmp_path, X, Y, FEATURES, LABELS)
    shutil.move(path, tmp_path / "data-train.arff")
    assert load(tmp_path / "data-train.arff").label_names.tolist() == LABELS
    shutil.move(tmp_path / "data.xml", tmp_path / "other.xml")
    named = load(tmp_path / "data-train.arff", labels=tmp_path / "other.xml")
    assert named.label_names.tolist() == LABELS


def test_rows_that_scikit_learn_writes_but_skips(tmp_path):
    path = tmp_path / "a.svm"
    empty = np.zeros((3, 2)), np.zeros((3, 2), dtype=int)
    empty[0][1, 0] = empty[1][1, 1] = 1
    dump_svmlight_file(*empty, str(path), zero_based=False, multilabel=True)
    np.testing.assert_array_equal(load(path).X.toarray()[:, 0], [0, 1, 0])
    assert load(path).Y.shape == (3, 2)


def test_zero_based_svmlight(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text(svm_text(X, Y, first=0))
    np.testing.assert_array_equal(load(path, zero_based=True).X.toarray(), X)


def test_the_split_beside_an_svmlight_file(tmp_path):
    path, _ = FORMATS["svmlight"](tmp_path, X, Y, FEATURES, LABELS)
    path.with_suffix(".json").write_text('{"n_train": 3}')
    data = load(path)
    assert data.train.X.shape[0] == 3
    np.testing.assert_array_equal(data.test.X.toarray(), X[3:])


def tag_table(tmp_path, suffix):
    path = tmp_path / f"tags.{suffix}"
    tags = [["tree", "green"], [], ["red"], ["green"]]
    texts = ["a tall tree", "nothing, really", "red and \n red", "green tree"]
    if suffix == "parquet":
        import pyarrow
        from pyarrow.parquet import write_table

        write_table(pyarrow.table({"tags": tags, "text": texts, "x": [1, 2, 3, 4]}), path)
        return path, {"label_column": "tags"}
    cells = ["; ".join(row) for row in tags]
    rows = "".join(
        f'"{tag}","{text}",{i}\n' for i, (tag, text) in enumerate(zip(cells, texts, strict=True), 1)
    )
    path.write_text("tags,text,x\n" + rows)
    return path, {"label_column": "tags", "separator": ";"}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_column_of_tags(tmp_path, suffix):
    path, options = tag_table(tmp_path, suffix)
    data = load(path, ignore=["text"], **options)
    assert data.label_names.tolist() == ["green", "red", "tree"]
    assert data.Y.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert data.X.tolist() == [[1], [2], [3], [4]]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_column_of_text_keeps_its_vocabulary(tmp_path, suffix):
    path, options = tag_table(tmp_path, suffix)
    data = load(path, text="text", **options)
    texts = ["a tall tree", "nothing, really", "red and \n red", "green tree"]
    np.testing.assert_allclose(data.X.toarray(), TfidfVectorizer().fit_transform(texts).toarray())
    new = tmp_path / "new.csv"
    new.write_text("n,text\n1,a green tree\n2,unheard of\n")
    [block] = stream(new, data.columns)
    expected = TfidfVectorizer().fit(texts).transform(["a green tree", "unheard of"])
    np.testing.assert_allclose(block.toarray(), expected.toarray())
    words = data.select(features=data.feature_names == "tree").columns
    [block] = stream(new, words)
    assert block.shape == (2, 1)
    counted = load(path, text="text", vectorizer=CountVectorizer(), **options)
    assert counted.X.max() == 2


def test_text_in_an_arff_file(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(
        "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute body string\n@data\n"
        "1,'a tall, \\'green\\' tree'\n0,?\n0,tree\n"
    )
    data = load(path, text="body")
    assert data.feature_names.tolist() == ["green", "tall", "tree"]
    assert np.diff(data.X.indptr).tolist() == [3, 0, 1]
    assert sp.vstack(list(stream(path, data.columns, rows=2))).nnz == data.X.nnz
    with pytest.raises(DataError, match="line 3: attribute 'body' is text; pass text='body'"):
        load(path)


def test_labels_by_pattern_and_by_number(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;l_1;l_2;x\n7;1;0;3.5\n8;0;true;NA\n")
    data = load(path, labels="l_*", ignore=["id"], recognise=False)
    assert data.label_names.tolist() == ["l_1", "l_2"]
    assert data.feature_names.tolist() == ["x"]
    np.testing.assert_array_equal(data.X, [[3.5], [np.nan]])
    (tmp_path / "b.csv").write_text("x,a,b\n0.5,1,0\n")
    assert load(tmp_path / "b.csv", labels=-2).label_names.tolist() == ["a", "b"]
    assert load(tmp_path / "b.csv", labels=-1).feature_names.tolist() == ["x", "a"]


def test_long_cells_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("l,text\n1," + "word " * 50_000 + "\n0,other\n")
    assert load(path, labels=["l"], text="text").X.shape == (2, 2)


def test_other_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("é,l\n1,1\n".encode("latin-1"))
    assert load(path, labels=["l"], encoding="latin-1").feature_names.tolist() == ["é"]
