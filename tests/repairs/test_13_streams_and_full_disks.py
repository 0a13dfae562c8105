"""A full disk named no file, ``-`` was no standard input, ``.txt`` was svmlight whatever it held,
and files of other kinds were refused without a way out.
"""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_files import NUMBERS, plants, read
from command_files import colabel as a_terminal

from colabel.comparison.run.journal import Journal
from colabel.datasets import DataError, load
from colabel.persistence import save

colabel = a_terminal  # the fixture
LABELS = ["--labels", "l"]
CSV = "x,y,l\n1,2,0\n3,4,1\n5,6,0\n"
TSV = CSV.replace(",", "\t")
SVMLIGHT = "0 1:1 2:2\n0,1 1:3\n 2:7\n"
XMC = "3 2 2\n0 0:1 1:2\n0,1 0:3\n1 1:7\n"
ARFF = "% a set\n@RELATION 'r: -C 1'\n@attribute l {0,1}\n@attribute x numeric\n@data\n1,2\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from colabel.cli.app import run

    folder = tmp_path_factory.mktemp("model")
    arguments = [plants(folder / "a.csv"), *NUMBERS, "-o", folder / "m.skops"]
    assert run(["fit", *map(str, arguments), "--no-tune", "--no-thresholds"]) == 0
    return folder / "m.skops"


def feed(monkeypatch, content):
    content = content if isinstance(content, bytes) else content.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


# --- the standard input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options"),
    [(CSV, LABELS), (TSV, LABELS), (CSV.replace(",", ";"), LABELS), (SVMLIGHT, []), (XMC, []),
     (ARFF, []), ("\ufeff" + CSV, LABELS)],
)  # fmt: skip
@pytest.mark.parametrize("packed", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_data_come_through_the_standard_input(colabel, monkeypatch, content, options, packed):
    feed(monkeypatch, packed(content.encode()))
    found = colabel.json("describe", "-", *options)
    assert found["rows"] == (1 if content is ARFF else 3)
    assert found["name"] == "standard-input"


def test_parquet_comes_through_the_standard_input(colabel, monkeypatch, tmp_path):
    import pyarrow
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"x": [1.0, 2.0], "l": [0, 1]}), tmp_path / "a.parquet")
    feed(monkeypatch, (tmp_path / "a.parquet").read_bytes())
    assert colabel.json("describe", "-", *LABELS)["rows"] == 2


@pytest.mark.usefixtures("in_this_process")
def test_every_command_reads_the_standard_input(colabel, monkeypatch, tmp_path, model):
    content = plants(tmp_path / "a.csv").read_bytes()
    feed(monkeypatch, content)
    colabel("predict", model, "-", "-o", "piped.csv", "--block", "7")
    colabel("predict", model, "a.csv", "-o", "named.csv")
    assert read(tmp_path / "piped.csv") == read(tmp_path / "named.csv")
    feed(monkeypatch, content)
    said = colabel("fit", "-", *NUMBERS, "-o", "n.skops", "--no-tune", "--no-thresholds")
    assert "on standard-input: 90 rows" in said
    feed(monkeypatch, content)
    quick = ["--quick", "--splits", "1", "--methods", "label-ridge", "--jobs", "1"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert "standard-input: 90 rows" in colabel("compare", "-", *NUMBERS, *quick)


def test_a_format_that_cannot_be_told_is_asked_for(colabel, monkeypatch):
    feed(monkeypatch, "x\n1\n")
    said = colabel.fails("describe", "-", *LABELS)
    assert "standard input: neither its name nor its first lines tell the format" in said
    assert "--format, one of arff, svmlight, xmc, csv" in said
    feed(monkeypatch, "body\nsome words\n")
    assert "no column is named 'l'" in colabel.fails("describe", "-", *LABELS, "--format", "csv")


def test_errors_name_the_standard_input_and_its_line(colabel, monkeypatch, model):
    feed(monkeypatch, CSV.replace("4", "inf"))
    assert "error: standard input, line 3: column 'y' is infinite" in colabel.fails(
        "describe", "-", *LABELS
    )
    feed(monkeypatch, "")
    assert "error: standard input, line 1: the file is empty" in colabel.fails("describe", "-")
    feed(monkeypatch, "w,x,y,z\n1,2,3,4\n1,two,3,4\n")
    said = colabel.fails("predict", model, "-", "-o", "out.csv")
    assert "error: standard input, line 3: column 'x' holds 'two'" in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_named_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "colabel", "describe", pipe, *LABELS, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        pipe.write_text(CSV)
        out, _ = process.communicate()
    assert process.returncode == 0
    assert b'"rows": 3' in out


# --- the standard output -------------------------------------------------------------------------


def test_rows_go_to_the_standard_output_and_the_message_elsewhere(colabel, tmp_path, model):
    data = plants(tmp_path / "a.csv")
    said = colabel("predict", model, data, "-o", "-")
    assert "90 rows on the standard output" in colabel.err
    colabel("predict", model, data, "-o", "out.csv")
    assert said == (tmp_path / "out.csv").read_text()
    assert not (tmp_path / "-").exists()


def test_pages_go_to_the_standard_output_alone(colabel, tmp_path):
    plants(tmp_path / "a.csv")
    assert colabel("describe", "a.csv", *NUMBERS, "--html", "-").lower().startswith("<!doctype")
    said = colabel.fails("describe", "a.csv", *NUMBERS, "--html", "-", "--json")
    assert "both want the standard output" in said
    assert "name one, such as model.skops" in colabel.fails("fit", "a.csv", *NUMBERS, "-o", "-")
    assert not (tmp_path / "-").exists()


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, model):
    data = plants(tmp_path / "a.csv", n=20_000)
    command = [sys.executable, "-m", "colabel", "predict", model, data, "-o", "-", "--scores"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


# --- no room left --------------------------------------------------------------------------------

FULL = Path("/dev/full")
without_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")


@without_full
def test_a_full_disk_is_named(colabel, tmp_path, model):
    data = plants(tmp_path / "a.csv")
    full = "error: /dev/full: No space left on device; make room, or write elsewhere"
    assert full in colabel.fails("predict", model, data, "-o", FULL)
    assert full in colabel.fails("describe", data, *NUMBERS, "--html", FULL)


@without_full
@pytest.mark.parametrize("name", ["predict", "describe"])
def test_a_full_standard_output_is_named(tmp_path, model, name):
    data = plants(tmp_path / "a.csv")
    arguments = [model, data, "-o", "-"] if name == "predict" else [data, *NUMBERS]
    command = [sys.executable, "-m", "colabel", name, *arguments]
    with FULL.open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    (said,) = done.stderr.decode().splitlines()
    assert "error: the standard output: No space left on device; make room" in said


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from colabel.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
@pytest.mark.parametrize(
    ("command", "old"), [("fit", "old"), ("predict", "old"), ("describe", None)]
)
def test_a_file_that_has_no_room_is_named_and_nothing_is_left(tmp_path, model, command, old):
    data = plants(tmp_path / "a.csv", n=2000)
    out = tmp_path / "out"
    if old is not None:
        out.write_text(old)
    arguments = {
        "fit": [data, *NUMBERS, "--no-tune", "--no-thresholds", "-o", out],
        "predict": [model, data, "--scores", "-o", out],
        "describe": [data, *NUMBERS, "--html", out],
    }[command]
    before = sorted(path.name for path in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, command, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said == f"colabel: error: {out}: File too large; make room, or write elsewhere\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    if old is not None:
        assert out.read_text() == old


@without_full
def test_the_library_names_the_file_too():
    with pytest.raises(OSError, match="No space left on device") as error:
        save(np.arange(3), FULL)
    assert error.value.filename == "/dev/full"


def test_a_journal_without_room_is_named(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    with Journal(tmp_path / "run.jsonl", {}) as journal:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"run\.jsonl"):
            journal.add("a", 1)


# --- what a file is ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["txt", "data", "txt.gz"])
@pytest.mark.parametrize(
    ("content", "options", "shape"),
    [(CSV, {"labels": ["l"]}, (3, 2)), (TSV, {"labels": ["l"]}, (3, 2)),
     ("a, b\tl\n1\t0\n2\t1\n", {"labels": ["l"]}, (2, 1)),
     ("1,2,3\n1,0,0\n", {"labels": ["3"]}, (1, 2)),
     ("at,l\n10:30,1\n", {"labels": ["l"], "text": "at"}, (1, 2)),
     (SVMLIGHT, {}, (3, 2)), ("# made by hand\n1,2\n0 1:3 # yes\n", {}, (2, 1)),
     (XMC, {}, (3, 2)), ("1 2 1\n0\n", {}, (1, 2)), (ARFF, {}, (1, 1))],
)  # fmt: skip
def test_the_contents_tell_where_the_name_does_not(tmp_path, suffix, content, options, shape):
    path = tmp_path / f"a.{suffix}"
    content = content.encode()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    data = load(path, **options)
    assert data.X.shape == shape
    assert data.name == "a"


def test_a_long_first_line_is_no_hindrance(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0 " + " ".join(f"{j}:1" for j in range(1, 30_001)) + "\n1 1:1\n")
    assert load(path).X.shape == (2, 30_000)


def test_a_fault_in_a_text_file_is_that_of_its_format(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0 1:1\ndog 1:2\n")
    with pytest.raises(DataError, match="line 2: label 'dog'"):
        load(path)


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("a.xlsx", "cannot be read as excel: .*; save it as CSV"),
        ("a.feather", "cannot be read as feather: .*; save it as CSV"),
        ("a.zip", "unpack it, and give the file that is in it"),
        ("a.csv.zip", "unpack it"),
        ("a.tar.gz", "unpack it"),
        ("a.csv.zst", "decompress it first"),
        ("a.mat", r"dump_svmlight_file\(X, Y, 'a.svm', multilabel=True\)"),
    ],
)
def test_kinds_that_are_not_read_are_refused_with_a_way_out(tmp_path, name, way_out):
    path = tmp_path / name
    path.write_bytes(b"anything")
    with pytest.raises(DataError, match=way_out):
        load(path)


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        (b"PK\x03\x04\x14", "not read; "),
        (b'{"x": 1, "y": 2}\n', "say which columns are labels"),
        (b"ARROW1\0\0", "cannot be read as feather"),
    ],
)
def test_they_are_known_by_how_they_begin(colabel, monkeypatch, sign, said):
    feed(monkeypatch, sign)
    assert said in colabel.fails("describe", "-")
