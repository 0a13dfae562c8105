"""What kind of file this is, by its first lines; and the way out for kinds that are not read."""

import re
from pathlib import Path

from colabel.datasets import xmc
from colabel.datasets._files import DataError, open_binary, without_compression

_FIRST = 1 << 16
_BOM = b"\xef\xbb\xbf"
_COMPRESSED = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz"}
_SVMLIGHT = re.compile(rb"\s*(?:[-+.\deE,]+(?=\s|$))?(?:\s*(?:\d++|qid):\S++)*+\s*")
_ARFF = re.compile(rb"\s*@(?:relation|attribute)\b", re.IGNORECASE)
_ARCHIVE = "archives are not read; unpack it, and give the file that is in it"
_ARRAYS = (
    "files of arrays are not read; in Python, fit on the arrays, or write them by "
    "sklearn.datasets.dump_svmlight_file(X, Y, '{1}.svm', multilabel=True), and read that with "
    "zero_based=True"
)
_NOT_READ = {
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), _ARCHIVE),
    **dict.fromkeys((".zst", ".lz4", ".z"), "only .gz, .bz2 and .xz are read; decompress it first"),
    **dict.fromkeys((".mat", ".npz", ".npy", ".pkl", ".h5", ".hdf5"), _ARRAYS),
}
#: Files of these kinds begin like this, whatever they are called.
_SIGNS = {b"PK\x03\x04": ".zip"}
#: ... and these are read.
_FORMATS = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather", b"{": "jsonl"}


def compression(path: Path) -> str:
    """The suffix of a compressed file, by how it begins; "" for any other."""
    with path.open("rb") as file:
        begin = file.read(8)
    return next((suffix for sign, suffix in _COMPRESSED.items() if begin.startswith(sign)), "")


def recognise(path: Path) -> str | None:
    """The format that the first lines of a file are in, where its name does not tell."""
    refuse_unread(path, without_compression(path).suffix.lower())
    with open_binary(path) as file:
        begin = file.read(_FIRST)
    for sign, suffix in _SIGNS.items():
        if begin.startswith(sign):
            refuse_unread(path, suffix)
    for sign, kind in _FORMATS.items():
        if begin.startswith(sign):
            return kind
    return None if b"\0" in begin else _format_of(path, begin.removeprefix(_BOM))


def refuse_unread(path: Path, suffix: str) -> None:
    """Say what to do about a file of a kind that is not read."""
    if suffix in _NOT_READ:
        stem = without_compression(path).stem
        raise DataError.at(path, None, _NOT_READ[suffix].format(path.name, stem))


def _format_of(path: Path, begin: bytes) -> str | None:
    if len(begin) == _FIRST:  # the last line, or its last word, is only a part
        begin = begin.rpartition(b"\n")[0] or begin.rpartition(b" ")[0] or begin
    lines = [line for line in begin.splitlines() if line.strip()]
    if not lines:
        raise DataError.at(path, 1, "the file is empty")
    rows = [row for line in lines if (row := line.partition(b"#")[0]).strip()]
    like_svmlight = [_SVMLIGHT.fullmatch(row) is not None for row in rows]
    if xmc.is_header(lines[0]) and all(like_svmlight[1:2]):
        return "xmc"
    # a row of labels alone could be one of numbers between commas
    if like_svmlight[:1] == [True] and any(
        b":" in row for row, like in zip(rows, like_svmlight, strict=True) if like
    ):
        return "svmlight"
    said = [line for line in lines if not line.lstrip().startswith(b"%")]
    if said and _ARFF.match(said[0]):
        return "arff"
    tabs, others = lines[0].count(b"\t"), max(lines[0].count(b","), lines[0].count(b";"))
    return ("tsv" if tabs >= others else "csv") if tabs or others else None
