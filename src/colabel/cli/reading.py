"""The options that say how a data file is read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from colabel.cli.faults import CommandError

_PANEL = "Reading"

Source = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file: CSV, TSV, Parquet, ARFF (MULAN, MEKA), svmlight, XMC; or the name of a set.",
        show_default=False,
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="L1,L2",
        rich_help_panel=_PANEL,
        help="The columns that are labels, of 0 and 1: names, 'tag_*' for several, 6 for the first "
        "6, -6 for the last 6.",
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=_PANEL, help="The column that holds the tags."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        rich_help_panel=_PANEL,
        help="What stands between tags, such as ';'.",
    ),
]
Text = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=_PANEL,
        help="The column of text to learn from, as TF-IDF.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="C1,C2",
        rich_help_panel=_PANEL,
        help="Columns that are neither labels nor features, such as an identifier.",
    ),
]
ZeroBased = Annotated[
    bool | None,
    typer.Option(
        "--zero-based/--one-based",
        rich_help_panel=_PANEL,
        help="Svmlight: where features count from.",
        show_default=False,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", rich_help_panel=_PANEL, help="Of text files; UTF-8 if not given."),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=_PANEL,
        help="arff, svmlight, xmc, csv, tsv or parquet, where the name of the file does not tell.",
    ),
]


def options(
    labels: list[str] | None,
    label_column: str | None,
    separator: str | None,
    text: str | None,
    ignore: list[str] | None,
    zero_based: bool | None,
    encoding: str | None,
    format: str | None,
) -> dict[str, Any]:
    """What was given on the command line, as :func:`colabel.datasets.load` takes it."""
    given = {
        "labels": _columns(labels),
        "label_column": label_column,
        "separator": separator and separator.replace("\\t", "\t"),
        "text": text,
        "ignore": _names(ignore) if ignore else None,
        "zero_based": zero_based,
        "encoding": encoding,
        "format": format,
    }
    return {name: value for name, value in given.items() if value is not None}


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
