"""Broken files: one line that names the file, the line, the value; never anything else."""

import bz2
import gzip
import json
import lzma
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from writers import FORMATS, arff_text

from colabel.datasets import DataError, Dataset, load, stream

ARFF = "@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute x numeric\n@data\n"
MULAN = ARFF.replace(": -C 1", "")
XML = '<labels>\n<label name="l"/>\n</labels>'
BOMB = (
    '<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    '<labels><label name="&b;"/></labels>'
)
TAGS = {"label_column": "tags"}

#: what is wrong: files (the first is loaded), options, where, what the message says
BROKEN = {
    "sparse index twice": ({"a.arff": ARFF + "{0 1,1 2}\n{1 2,1 3}\n"}, {}, "line 6", "index 1"),
    "sparse index too large": ({"a.arff": ARFF + "{2 1}\n"}, {}, "line 5", "index '2'.*0 to 1"),
    "sparse index negative": ({"a.arff": ARFF + "{-1 1}\n"}, {}, "line 5", "index '-1'"),
    "sparse index no number": ({"a.arff": ARFF + "{1_0 1}\n"}, {}, "line 5", "index '1_0'"),
    "sparse entry without comma": ({"a.arff": ARFF + "{0 1 1 2}\n"}, {}, "line 5", "cannot read"),
    "sparse entries run together": ({"a.arff": ARFF + "{0 1 1,2}\n"}, {}, "line 5", "cannot read"),
    "sparse row not closed": ({"a.arff": ARFF + "{0 1,1 2\n"}, {}, "line 5", "does not end"),
    "instance weight": ({"a.arff": ARFF + "{0 1}, {5}\n"}, {}, "line 5", r"weight \{5\}"),
    "dense row among sparse": ({"a.arff": ARFF + "{0 1}\n1,2\n"}, {}, "line 6", "dense row"),
    "too few values": ({"a.arff": ARFF + "1,2\n1\n"}, {}, "line 6", "1 values for 2"),
    "too many values": ({"a.arff": ARFF + "1,2,3\n"}, {}, "line 5", "3 values for 2"),
    "not a number": ({"a.arff": ARFF + "1,tall\n"}, {}, "line 5", "'x' is 'tall'.*a number"),
    "not quite a number": ({"a.arff": ARFF + "1,1_0\n"}, {}, "line 5", "'x' is '1_0'"),
    "infinite": ({"a.arff": ARFF + "1,2\n{0 1}\n"[:4] + "1,inf\n"}, {}, "line 6", "infinite"),
    "not a declared value": ({"a.arff": ARFF + "2,2\n"}, {}, "line 5", "'l' is '2'.*one of 0, 1"),
    "open quote": ({"a.arff": ARFF + "1,'2\n"}, {}, "line 5", "quote"),
    "no @data": ({"a.arff": ARFF[:-6]}, {}, "line 3", "no @data"),
    "no attributes": ({"a.arff": "@relation r\n@data\n1"}, {}, "line 2", "no @attribute"),
    "no rows in ARFF": ({"a.arff": ARFF}, {}, "a.arff", "no rows"),
    "stray header line": ({"a.arff": "hello\n" + ARFF}, {}, "line 1", "'hello'"),
    "unknown type": ({"a.arff": ARFF.replace("numeric", "money")}, {}, "line 3", "type 'money'"),
    "attribute twice": ({"a.arff": ARFF.replace(" x ", " l ")}, {}, "line 3", "line 2 already"),
    "value declared twice": ({"a.arff": ARFF.replace("{0,1}", "{0,0}")}, {}, "line 2", "twice"),
    "label of words": ({"a.arff": ARFF.replace("{0,1}", "{a,b}") + "a,1"}, {}, "line 2", "{a,b}"),
    "an identifier as feature": (
        {"a.arff": ARFF.replace("numeric", "{p" + ",p".join(map(str, range(2000))) + "}") + "1,p7"},
        {},
        "line 3",
        "2000 values.*ignore=..x",
    ),
    "label not 0 or 1": ({"a.arff": ARFF.replace("{0,1}", "{0,2}") + "2,1"}, {}, "line 5", "is 2"),
    "too many MEKA labels": ({"a.arff": ARFF.replace("C 1", "C 9") + "1,1"}, {}, "a.arff", "9"),
    "labels nowhere": ({"a.arff": MULAN + "1,2\n"}, {}, "a.arff", "no a.xml beside it"),
    "label unknown in XML": (
        {"a.arff": MULAN + "1,2\n", "a.xml": XML.replace('"l"', '"x1"')},
        {},
        "a.xml, line 2",
        "'x1'; did you mean 'x'",
    ),
    "label without name": (
        {"a.arff": MULAN + "1,2\n", "a.xml": "<labels>\n<label/></labels>"},
        {},
        "a.xml, line 2",
        "without a name",
    ),
    "entity bomb": ({"a.arff": MULAN + "1,2\n", "a.xml": BOMB}, {}, "a.xml, line 1", "DTD"),
    "broken XML": ({"a.arff": MULAN + "1,2\n", "a.xml": XML[:-3]}, {}, "a.xml, line 3", "not XML"),
    "empty XML": ({"a.arff": MULAN + "1,2\n", "a.xml": ""}, {}, "a.xml, line 1", "not XML"),
    "XML without labels": ({"a.arff": MULAN + "1,2\n", "a.xml": "<a/>"}, {}, "a.xml", "no <label"),
    "feature twice": ({"a.svm": "1 1:2\n0 2:1 2:3\n"}, {}, "line 2", "feature 2 after 2"),
    "features not rising": ({"a.svm": "1 3:2 1:1\n"}, {}, "line 1", "feature 1 after 3"),
    "feature 0": ({"a.svm": "1 0:2\n"}, {}, "line 1", "zero_based=True"),
    "feature no number": ({"a.svm": "1 1:2\n1 a:2\n"}, {}, "line 2", "'a:2'"),
    "feature value no number": ({"a.svm": "1 1:x\n"}, {}, "line 1", "feature 1 is 'x'"),
    "feature value infinite": ({"a.svm": "0 1:1\n1 1:inf\n"}, {}, "line 2", "'inf'"),
    "feature without value": ({"a.svm": "1 17\n"}, {}, "line 1", "'17' is not index:value"),
    "feature of 2 billion": ({"a.svm": "1 2000000000:1\n"}, {}, "line 1", "feature 2000000000"),
    "feature of 20 billion": ({"a.svm": "1 20000000000:1\n"}, {}, "line 1", "20000000000"),
    "label of 2 billion": ({"a.svm": "2000000000 1:1\n"}, {}, "line 1", "'2000000000'"),
    "label negative": ({"a.svm": "0 1:1\n-1 1:1\n"}, {}, "line 2", "label '-1'"),
    "label not whole": ({"a.svm": "0.5 1:1\n"}, {}, "line 1", "label '0.5'"),
    "label no number": ({"a.svm": "dog 1:1\n"}, {}, "line 1", "label 'dog'"),
    "label twice": ({"a.svm": "1,1 1:1\n"}, {}, "line 1", "twice"),
    "blank line": ({"a.svm": "1 1:1\n\n0 1:1\n"}, {}, "line 2", "blank"),
    "empty svmlight": ({"a.svm": ""}, {}, "line 1", "empty"),
    "too many features for .json": (
        {"a.svm": "0 1:1\n0 3:1\n", "a.json": '{"d": 2}'}, {}, "a.svm, line 2", "1 to 2"
    ),
    "too many labels for .json": (
        {"a.svm": "0 1:1\n2 1:1\n", "a.json": '{"q": 2}'}, {}, "a.svm, line 2", "0 to 1"
    ),
    "too few rows for .json": (
        {"a.svm": "0 1:1\n", "a.json": '{"n": 2}'}, {}, "a.svm, line 1", "wants 2"
    ),
    "split too large": (
        {"a.svm": "0 1:1\n", "a.json": '{"n_train": 2}'}, {}, "a.svm, line 1", "wants 2"
    ),
    "broken .json": ({"a.svm": "0 1:1\n", "a.json": "{\n"}, {}, "a.json, line 2", "not JSON"),
    "list in .json": ({"a.svm": "0 1:1\n", "a.json": "[]"}, {}, "a.json, line 1", "list"),
    "number in .json": ({"a.svm": "0 1:1\n", "a.json": '{"d": "2"}'}, {}, "a.json", "d is '2'"),
    "huge .json": ({"a.svm": "0 1:1\n", "a.json": '{"q": 2000000000}'}, {}, "a.json", "q is 2000"),
    "names in .json": (
        {"a.svm": "0 1:1\n", "a.json": '{"q": 2, "label_names": ["a"]}'}, {}, "a.json", "list of 2"
    ),
    "same names in .json": (
        {"a.svm": "0 1:1\n", "a.json": '{"label_names": ["a", "a"]}'}, {}, "a.json", "a name twice"
    ),
    "no header": ({"a.txt": "1 0:1\n"}, {"format": "xmc"}, "line 1", "three numbers"),
    "header of more rows": ({"a.txt": "3 2 2\n1 0:1\n"}, {}, "line 1", "announces 3.*has 1"),
    "header of fewer rows": ({"a.txt": "1 2 2\n1 0:1\n1 1:1"}, {}, "line 1", "announces 1.*has 2"),
    "header and no rows": ({"a.txt": "3 2 2\n"}, {}, "line 1", "announces 3.*has 0"),
    "header of fewer features": ({"a.txt": "1 2 2\n1 2:1\n"}, {}, "line 2", "feature 2.*0 to 1"),
    "header of fewer labels": ({"a.txt": "1 2 2\n2 1:1\n"}, {}, "line 2", "label '2'.*0 to 1"),
    "header of 2 billion features": ({"a.txt": "1 2000000000 2\n1 0:1\n"}, {}, "line 1", "2000000"),
    "header of 2 billion labels": ({"a.txt": "1 2 2000000000\n1 0:1\n"}, {}, "line 1", "20000000"),
    "too few cells": ({"a.csv": "l,x\n1,2\n1\n"}, {"labels": ["l"]}, "line 3", "1 cells.*has 2"),
    "too many cells": ({"a.csv": "l,x\n1,2,3\n"}, {"labels": ["l"]}, "line 2", "3 cells"),
    "cell no number": (
        {"a.csv": "l,x\n1,2\n0,tall\n"}, {"labels": ["l"], "recognise": False}, "line 3", "'tall'"
    ),
    "cell infinite": ({"a.csv": "l,x\n1,inf\n"}, {"labels": ["l"]}, "line 2", "infinite"),
    "label cell is 2": ({"a.csv": "l,x\n1,2\n2,1\n"}, {"labels": ["l"]}, "line 3", "'l' is '2'"),
    "after a cell of two lines": (
        {"a.csv": 'l,t\n1,"a\nb"\n7,c\n'}, {"labels": ["l"], "text": "t"}, "line 4", "'7'"
    ),
    "open quote in CSV": ({"a.csv": 'l,x\n1,"2\n'}, {"labels": ["l"]}, "line 2", "quote"),
    "no such label": ({"a.csv": "lab,x\n1,2\n"}, {"labels": ["lob"]}, "a.csv", "mean 'lab'"),
    "no such text": ({"a.csv": "l,x\n1,2\n"}, {"labels": ["l"], "text": "t"}, "a.csv", "'t'"),
    "no such tags": ({"a.csv": "l,x\n1,2\n"}, TAGS, "a.csv", "'tags'"),
    "no labels named": ({"a.csv": "l,x\n1,2\n"}, {}, "a.csv", "labels="),
    "all columns labels": ({"a.csv": "l,m\n1,0\n"}, {"labels": "*"}, "a.csv", "no column is left"),
    "name twice": ({"a.csv": "l,l,x\n1,1,2\n"}, {"labels": ["l"]}, "line 1", "two columns"),
    "column without name": ({"a.csv": ",l,x\n0,1,2\n"}, {"labels": ["l"]}, "line 1", "column 1"),
    "empty CSV": ({"a.csv": ""}, {"labels": ["l"]}, "line 1", "empty"),
    "header only": ({"a.csv": "l,x\n"}, {"labels": ["l"]}, "a.csv", "no rows"),
    "no tags at all": ({"a.csv": "tags,x\n,1\n"}, {**TAGS, "separator": ";"}, "a.csv", "no row"),
    "text without words": (
        {"a.csv": "l,t\n1,?\n"}, {"labels": ["l"], "text": "t"}, "a.csv", "no words"
    ),
    "not UTF-8": ({"a.csv": b"l,x\n1,2\n0,\xff\n"}, {"labels": ["l"]}, "line 3", "encoding="),
    "unknown encoding": (
        {"a.csv": "l,x\n1,2\n"}, {"labels": ["l"], "encoding": "utf8000"}, "a.csv", "utf8000"
    ),
    "not Parquet": ({"a.parquet": "l,x\n"}, {"labels": ["l"]}, "a.parquet", "Parquet"),
    "option of another format": (
        {"a.svm": "0 1:1\n"}, {"labels": ["l"]}, "a.svm", "labels= does not apply to svmlight"
    ),
    "suffix unknown": ({"a.doc": "x"}, {}, "a.doc", "format="),
    "format unknown": ({"a.doc": "x"}, {"format": "doc"}, "a.doc", "formats are"),
}  # fmt: skip


def write(folder, files):
    for name, content in files.items():
        folder.joinpath(name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
    return folder / next(iter(files))


def check_one_line(error, where, what):
    message = str(error.value)
    assert "\n" not in message
    assert where in message
    assert error.match(what)


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_in_one_line(tmp_path, case):
    files, options, where, what = BROKEN[case]
    with pytest.raises(DataError) as error:
        load(write(tmp_path, files), **options)
    check_one_line(error, where, what)


@pytest.mark.parametrize(("suffix", "opener"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
@pytest.mark.parametrize("format", ["mulan_sparse", "svmlight", "comma_separated"])
def test_truncated_and_false_archives(tmp_path, format, suffix, opener):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(500, 3)), np.ones((500, 1), dtype=int)
    path, options = FORMATS[format](tmp_path, X, Y, ["a", "b", "c"], ["l"])
    packed = path.with_name(f"{path.name}.{suffix}")
    whole = opener.compress(path.read_bytes())
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError) as error:
        load(packed, **options)
    check_one_line(error, f"{packed.name}, line", "truncated")
    packed.write_bytes(b"this is no archive")
    with pytest.raises(DataError) as error:
        load(packed, **options)
    check_one_line(error, f"{packed.name}, line 1", "damaged")


def test_a_huge_declared_size_allocates_nothing(tmp_path):
    path = write(tmp_path, {"a.txt": "1 100000000 3\n1 0:1 99999999:2\n"})
    tracemalloc.start()
    data = load(path)
    for size in ("2000000000 5 5", "5 2000000000 5", "5 5 2000000000", "9" * 400 + " 1 1"):
        with pytest.raises(DataError):
            load(write(tmp_path, {"b.txt": f"{size}\n1 0:1\n"}))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert data.X.shape == (1, 100_000_000)
    assert peak < 5e6


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"a.parquet: Parquet needs pyarrow; pip install"):
        load(write(tmp_path, {"a.parquet": "x"}), labels=["l"])


def test_missing_files_and_folders(tmp_path):
    for source in (tmp_path / "none.csv", "no-such-set"):
        with pytest.raises(DataError, match="no such file, nor a data set of that name"):
            load(source)
    folder = tmp_path / "a.csv"
    folder.mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        load(folder, labels=["l"])


def test_streaming_refuses_what_the_model_does_not_know(tmp_path):
    columns = load(write(tmp_path, {"a.csv": "l,x,z\n1,2,3\n"}), labels=["l"]).columns
    with pytest.raises(DataError, match="no column is named 'z'"):
        list(stream(write(tmp_path, {"b.csv": "x,y\n1,2\n"}), columns))
    with pytest.raises(DataError, match="no feature is named 'z'"):
        list(stream(write(tmp_path, {"b.arff": ARFF + "1,2\n"}), columns))
    with pytest.raises(DataError, match="separator= does not apply to csv files"):
        list(stream(tmp_path / "a.csv", columns, separator=";"))
    columns = load(write(tmp_path, {"a.svm": "1 1:1 2:3\n"})).columns
    with pytest.raises(DataError, match="line 3: feature 3; they go from 1 to 2"):
        list(stream(write(tmp_path, {"b.svm": "1:1\n2:1\n3:1\n"}), columns, rows=2))


VALID = {
    "a.arff": arff_text([[1, 0], [0, 2.5]], [[1], [0]], ["x", "a b"], ["l"], relation="-C -1"),
    "b.arff": arff_text([[1, 0], [0, 2]], [[1], [0]], ["x", "y"], ["l"], sparse=True,
                        relation="-C -1"),
    "a.svm": "0,1 1:1 2:0.5\n 2:3\n1 1:7 # so\n",
    "a.txt": "2 3 2\n0 0:1 2:5\n1 1:1\n",
    "a.csv": 'l,x,y\n1,2,3\n0,"4",?\n',
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.integers(0, 200),
    length=st.integers(0, 20),
    new=st.one_of(
        st.binary(max_size=6),
        st.sampled_from(
            [b"{", b"}", b"'", b'"', b",", b" ", b"\n", b":", b"-1", b"nan", b"%", b"#"]
        ),
    ),
)
@example(start=0, length=1000, new=b"")
def test_any_damage_gives_a_data_set_or_one_line(tmp_path, name, start, length, new):
    content = VALID[name].encode()
    path = write(tmp_path, {name: content[:start] + new + content[start + length :]})
    options = {"labels": ["l"]} if name.endswith(".csv") else {}
    try:
        found = load(path, **options)
    except DataError as error:
        found = error
    if isinstance(found, Dataset):
        json.dumps(found.describe())
    else:
        assert str(found).startswith(str(path))
        assert len(str(found).splitlines()) == 1
