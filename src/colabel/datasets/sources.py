"""Any data set, from a file or by name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from colabel._terminal import brief
from colabel.datasets import frames, mulan, openml, svmlight, tables, xmc
from colabel.datasets._files import DataError, beside, without_compression
from colabel.datasets.dataset import Columns, Dataset
from colabel.datasets.debtags import load_debtags
from colabel.datasets.delimited import Delimited
from colabel.datasets.parquet import Parquet
from colabel.datasets.recognition import recognise
from colabel.tables import SentenceEncoder


class _Format(NamedTuple):
    """Who reads a kind of file; a table is opened first."""

    reader: Any
    opener: Callable[..., Any] | None = None


_FORMATS = {
    "arff": _Format(mulan),
    "svmlight": _Format(svmlight),
    "xmc": _Format(xmc),
    "csv": _Format(tables, Delimited),
    "tsv": _Format(tables, lambda path, encoding="utf-8": Delimited(path, "\t", encoding)),
    "parquet": _Format(tables, Parquet),
    "excel": _Format(tables, frames.by_pandas("read_excel", "excel", "openpyxl")),
    "feather": _Format(tables, frames.by_pandas("read_feather", "feather", "pyarrow")),
    "jsonl": _Format(tables, frames.json_lines),
    "json": _Format(tables, frames.json_list),
}
_OPTIONS = (
    "labels",
    "label_column",
    "separator",
    "text",
    "vectorizer",
    "ignore",
    "kinds",
    "zero_based",
    "encoding",
)
#: What :func:`load` knows by name.
NAMES = ("debtags", *openml.NUMBERS)
_SUFFIXES = {
    ".arff": "arff",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "excel"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "feather"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
}


def load(
    source: str | PathLike[str] | Any,
    *,
    labels: Sequence[str] | str | int | PathLike[str] | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    text: str | Sequence[str] | None = None,
    vectorizer: Any = None,
    ignore: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    encode: str | PathLike[str] | None = None,
    fetch: bool = False,
    recognise: bool = True,
    zero_based: bool | None = None,
    encoding: str | None = None,
    format: str | None = None,
) -> Dataset:
    r"""Read a multi-label data set from a file, or fetch one by name.

    The suffix tells the format, below ``.gz``, ``.bz2`` or ``.xz``: ``.arff`` (MULAN with its XML
    file beside it, or MEKA), ``.svm`` (svmlight), ``.csv``, ``.tsv``, ``.parquet``, ``.jsonl``,
    ``.json``; and ``.xlsx`` or ``.feather`` through pandas. Where it does not, as ``.txt``, the
    first lines do, also that of the extreme classification repository. The names are "debtags",
    which comes with the library, and those of ten sets on OpenML. Sparse files give sparse
    matrices.

    A table of complete numbers is X as it stands. Any other is read by
    :class:`colabel.tables.TableFeatures` (with skrub: ``pip install 'colabel[tables]'``): columns
    are recognised as numbers, categories, dates, texts and embeddings, gaps filled and marked;
    `Dataset.notes` says what was decided. An identifier is left out with a warning, and a column
    that gives labels away is warned of.

    Parameters
    ----------
    source : str, path or DataFrame
        A file, a name, or a table in memory.
    labels : list of str, int, path or None
        Tables and ARFF: the columns that are labels, by name (``"tag_*"`` for several), or the
        first n (−n: the last n). For ARFF also an XML file; None finds what the format says. An
        empty cell, or ``?``, is a label that nobody knows: NaN in Y.
    label_column : str or None
        Tables: the column that holds a row's tags, as a list or as text.
    separator : str or None
        What stands between tags in `label_column`, such as ";", or "json" for lists; None finds it.
    text : str, list of str or None
        The columns of text that X is to be made of, by TF-IDF, and nothing else but what `kinds`
        names; without it, X is made of all columns that are no labels.
    vectorizer : transformer or None
        What turns text into X; None is ``TfidfVectorizer()``.
    kinds : dict or None
        Tables: what columns are, where it is to be said: "number", "category", "date", "text",
        "embedding", "drop".
    encode : str, path or None
        A sentence encoder for texts, in the place of TF-IDF: a folder, or the name of one that is
        on this machine; see :class:`colabel.tables.SentenceEncoder`.
    fetch : bool, default=False
        Whether `encode` may be fetched by its name.
    recognise : bool, default=True
        Tables: False takes all columns for numbers, as they stand, NaN where one is missing.
    ignore : list of str or None
        Columns that are neither features nor labels, such as an identifier.
    zero_based : bool or None
        Svmlight: True where features count from 0.
    encoding : str or None
        Of text files; None is UTF-8.
    format : str or None
        For files that do not tell: "arff", "svmlight", "xmc", "csv", "tsv", "parquet", "excel",
        "feather", "jsonl" or "json".

    Raises
    ------
    DataError
        Saying in one line which file and line, what is wrong, and what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from colabel.datasets import load
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "plants.csv")
    ...     _ = path.write_text("height,tags\n3,tree;green\n0.2,green\n")
    ...     data = load(path, label_column="tags", separator=";")
    >>> data
    <Dataset plants: 2 rows, 1 features (dense), 2 labels>
    >>> data.label_names.tolist(), data.Y.toarray().tolist()
    (['green', 'tree'], [[1, 1], [1, 0]])
    """
    given = locals()
    options = {key: given[key] for key in _OPTIONS if given[key] is not None}
    if encode is not None:
        options["vectorizer"] = _encoder(encode, vectorizer, fetch=fetch)
    options |= {} if recognise else {"recognise": False}
    if hasattr(source, "columns"):
        return _of_frame(source, options)
    name = str(source)
    if format is None and name in NAMES:
        if options:
            raise DataError.at(name, None, f"{next(iter(options))}= is for files, not for names")
        return load_debtags() if name == "debtags" else replace(openml.read(name), name=name)
    path = Path(source)
    data = _reader(path, format, "read", options)()
    return replace(data, name=without_compression(path).stem)


def _encoder(encode: Any, vectorizer: Any, *, fetch: bool) -> SentenceEncoder:
    if vectorizer is not None:
        raise ValueError("encode= and vectorizer= both say what becomes of texts; give one")
    return SentenceEncoder(model=str(encode), fetch=fetch)


def _of_frame(frame: Any, options: dict[str, Any]) -> Dataset:
    for key in options.keys() - _accept(tables.read, options).keys():
        raise DataError(f"{key}= does not apply to a DataFrame; leave it out")
    return replace(tables.read(frames.Frame.of(frame), **options), name="table")


def stream(
    source: str | PathLike[str],
    columns: Columns,
    *,
    rows: int = 10_000,
    format: str | None = None,
    **options: Any,
) -> Iterator[Any]:
    r"""The features of a large file, some rows at a time, as a fitted model knows them.

    Labels need not be there, and columns may stand in another order.

    Parameters
    ----------
    source : str or path
    columns : Columns
        :attr:`Dataset.columns` of the data that a model was fitted on.
    rows : int, default=10_000
        Rows in a block; memory grows with it, not with the file.
    format : str or None
        As in :func:`load`.
    **options
        `encoding` or `zero_based`, as in :func:`load`.

    Yields
    ------
    ndarray or csr_array of shape (at most rows, d)

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from colabel.datasets import load, stream
    >>> with TemporaryDirectory() as folder:
    ...     old, new = Path(folder, "old.csv"), Path(folder, "new.csv")
    ...     _ = old.write_text("a,b,tag\n1,2,1\n3,4,0\n")
    ...     _ = new.write_text("b,a\n6,5\n8,7\n")
    ...     for X in stream(new, load(old, labels=["tag"]).columns, rows=1):
    ...         print(X)
    [[5. 6.]]
    [[7. 8.]]
    """
    yield from _reader(Path(source), format, "stream", options)(columns, rows=rows)


def stream_cells(
    source: str | PathLike[str],
    names: Sequence[str],
    *,
    rows: int = 10_000,
    format: str | None = None,
    **options: Any,
) -> Iterator[list[tuple[Any, ...]]]:
    r"""Columns of a table as they stand in it, some rows at a time.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet file.
    names : sequence of str
        Of the columns.
    rows : int, default=10_000
    format : str or None
        As in :func:`load`.
    **options
        `encoding`, as in :func:`load`.

    Yields
    ------
    list of tuple
        A tuple for each row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from colabel.datasets import stream_cells
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "new.csv")
    ...     _ = path.write_text("id,a\np7,6\np8,7\n")
    ...     list(stream_cells(path, ["id"]))
    [[('p7',), ('p8',)]]
    """
    path = Path(source)
    kind = _kind(path, format)
    if not hasattr(_FORMATS[kind].reader, "cells"):
        raise DataError.at(path, None, f"{kind} files have no columns {brief(list(names))} to keep")
    yield from _reader(path, format, "cells", options)(names, rows=rows)


def files_read(
    source: str | PathLike[str], *, labels: Any = None, format: str | None = None, **_: Any
) -> list[Path]:
    """The files that :func:`load` reads, or would if they were there.

    Parameters
    ----------
    source, labels, format
        As in :func:`load`; its other options change nothing.

    Returns
    -------
    list of Path
        The data first, then what stands beside them: names, sizes, labels.
    """
    if format is None and str(source) in NAMES:
        return []
    path = Path(source)
    try:
        kind = _kind(path, format) if path.is_file() else None
    except DataError:  # which is said when it is read
        kind = None
    found = [path]
    if kind == "svmlight":
        found.append(beside(path, ".json"))
    if kind == "arff":
        found += mulan.label_files(path)
    return found + ([Path(labels)] if isinstance(labels, str | PathLike) else [])


def is_table(path: Path, format: str | None) -> bool:
    """Whether a file has columns with names."""
    return _FORMATS[_kind(path, format)].reader is tables


def _kind(path: Path, format: str | None) -> str:
    if format is not None:
        if format not in _FORMATS:
            formats = ", ".join(_FORMATS)
            raise DataError.at(path, None, f"format={format!r}; the formats are {formats}")
        return format
    if not path.exists():
        raise DataError.at(
            path, None, f"there is no such file, nor a data set of that name ({brief(NAMES, 20)})"
        )
    suffix = without_compression(path).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    found = recognise(path)
    if found is None:
        formats = ", ".join(_FORMATS)
        raise DataError.at(
            path,
            None,
            f"neither its name nor its first lines tell the format; pass format=, one of {formats}",
        )
    return found


def _reader(path: Path, format: str | None, verb: str, options: dict[str, Any]) -> Any:
    """What reads a file of its kind, with the file and the options filled in."""
    kind = _kind(path, format)
    read, opener = getattr(_FORMATS[kind].reader, verb), _FORMATS[kind].opener
    for_opener = {} if opener is None else _accept(opener, options)
    rest = {key: value for key, value in options.items() if key not in for_opener}
    for key in rest.keys() - _accept(read, rest).keys():
        raise DataError.at(path, None, f"{key}= does not apply to {kind} files; leave it out")
    return partial(read, path if opener is None else opener(path, **for_opener), **rest)


def _accept(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    return {key: options[key] for key in signature(function).parameters if key in options}
