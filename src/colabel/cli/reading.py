"""The options that say how a data file is read."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from colabel._terminal import one_line
from colabel.cli.errors import CommandError
from colabel.datasets import DataError
from colabel.datasets.recognition import compression
from colabel.persistence.replacement import name_failures
from colabel.tables.kinds import KINDS

_option = partial(typer.Option, rich_help_panel="Reading")
#: What ``-`` means where data are to be named.
STDIN = "-"

Source = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file: CSV, TSV, Parquet, Excel, Feather, JSON lines, ARFF (MULAN, MEKA), svmlight, "
        "XMC; - for the standard input; or the name of a set.",
        show_default=False,
    ),
]
Labels = Annotated[
    list[str] | None,
    _option(
        "--labels",
        metavar="L1,L2",
        help="The columns that are labels, of 0 and 1 or yes and no: names, 'tag_*' for several, 6 "
        "for the first 6, -6 for the last 6.",
    ),
]
LabelColumn = Annotated[
    str | None, _option(metavar="COLUMN", help="The column that holds the tags.")
]
Separator = Annotated[
    str | None,
    _option(
        metavar="TEXT",
        help="What stands between tags, such as ';', or json for lists; found if not given.",
    ),
]
Text = Annotated[
    list[str] | None,
    _option(
        "--text",
        metavar="COLUMN",
        help="A column of text to learn from, as TF-IDF, and from nothing else; may be given "
        "several times. Without it, from all columns.",
    ),
]
Column = Annotated[
    list[str] | None,
    _option(
        "--column",
        metavar="NAME=KIND",
        help=f"What a column is: {', '.join(KINDS)}; may be given several times.",
    ),
]
Encode = Annotated[
    str | None,
    _option(
        metavar="MODEL",
        help="Texts by a sentence encoder instead of TF-IDF: its folder, or its name if it is on "
        "this machine.",
    ),
]
Fetch = Annotated[
    bool | None, _option("--fetch", help="Allow --encode to fetch its model.", show_default=False)
]
Ignore = Annotated[
    list[str] | None,
    _option(
        "--ignore",
        metavar="C1,C2",
        help="Columns that are neither labels nor features, such as an identifier.",
    ),
]
ZeroBased = Annotated[
    bool | None,
    _option(
        "--zero-based/--one-based", help="Svmlight: where features count from.", show_default=False
    ),
]
Encoding = Annotated[str | None, _option(metavar="NAME", help="Of text files; UTF-8 if not given.")]
Format = Annotated[
    str | None,
    _option(
        metavar="NAME",
        help="arff, svmlight, xmc, csv, tsv, parquet, excel, feather, jsonl or json, where neither "
        "the name of the file nor its contents tell.",
    ),
]


#: The options of every command that reads a file to learn from, or to look at.
_OPTIONS: dict[str, Any] = {
    "labels": Labels,
    "label_column": LabelColumn,
    "separator": Separator,
    "text": Text,
    "ignore": Ignore,
    "kinds": Column,
    "encode": Encode,
    "fetch": Fetch,
    "zero_based": ZeroBased,
    "encoding": Encoding,
    "format": Format,
}


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options, as the `options` that :func:`colabel.datasets.load` takes."""

    @wraps(command)
    def with_options(**given: Any) -> None:
        options = _read({name: given.pop(name) for name in _OPTIONS})
        command(**given, options=options)

    own = [p for p in signature(command, eval_str=True).parameters.values() if p.name != "options"]
    added = [
        Parameter(n, Parameter.KEYWORD_ONLY, default=None, annotation=_OPTIONS[n]) for n in _OPTIONS
    ]
    own = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own]
    with_options.__signature__ = Signature([*own, *added])  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in [*own, *added]}
    del with_options.__wrapped__  # whose signature would be read
    return with_options


def _read(given: dict[str, Any]) -> dict[str, Any]:
    """What was given on the command line, as :func:`colabel.datasets.load` takes it."""
    separator, ignore = given["separator"], given["ignore"]
    given["labels"] = _columns(given["labels"])
    given["separator"] = separator and separator.replace("\\t", "\t")
    given["ignore"] = _names(ignore) if ignore else None
    given["text"] = _texts(given["text"])
    given["kinds"] = _kinds(given["kinds"])
    given["fetch"] = given["fetch"] or None
    return {name: value for name, value in given.items() if value is not None}


def _texts(given: list[str] | None) -> Any:
    """One name, or several."""
    return given[0] if given and len(given) == 1 else given or None


def _kinds(given: list[str] | None) -> dict[str, str] | None:
    found = {}
    for part in given or ():
        name, equals, kind = part.rpartition("=")
        if not equals or kind.strip() not in KINDS:
            raise CommandError(
                f"--column {part}: write it as NAME=KIND, such as price=number; the kinds are "
                f"{', '.join(KINDS)}"
            )
        found[name.strip()] = kind.strip()
    return found or None


def title(source: str) -> str:
    """What a source of data is called in a message."""
    return "standard input" if source == STDIN else one_line(source)


@contextmanager
def at_hand(source: str) -> Iterator[str]:
    """The name of a file that can be read more than once; pipes are copied to one first."""
    if not _can_be_read_once(source):
        yield source
        return
    with TemporaryDirectory(prefix="colabel-") as folder:
        path = Path(folder, "standard-input" if source == STDIN else Path(source).name)
        path = _copy(source, path)
        try:
            yield str(path)
        except (DataError, CommandError) as error:  # which names a file that nobody knows
            raise type(error)(str(error).replace(str(path), title(source))) from None


def _can_be_read_once(source: str) -> bool:
    path = Path(source)
    return source == STDIN or (path.exists() and not path.is_file() and not path.is_dir())


def _copy(source: str, path: Path) -> Path:
    """A copy of what comes through a pipe, under a name that tells how it is compressed."""
    with name_failures(path), path.open("wb") as copy:
        if source == STDIN:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(source, "rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    return path.rename(f"{path}{compression(path)}")


def _columns(labels: list[str] | None) -> Any:
    """Names; or a number of columns; or the XML file that names them."""
    if not labels:
        return None
    names = _names(labels)
    if not names:
        raise CommandError(f"--labels {','.join(labels)}: name at least one column")
    if len(names) == 1:
        if names[0].lstrip("-").isdecimal():
            return int(names[0])
        if names[0].endswith(".xml"):
            return names[0]
    return names


def _names(given: list[str]) -> list[str]:
    return [name.strip() for part in given for name in part.split(",") if name.strip()]
