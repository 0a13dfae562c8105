"""``colabel describe``: a data set at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from colabel._text import one_line
from colabel.cli import reading
from colabel.cli.output import Json, busy, check_writable, print_json
from colabel.datasets import load

NAME = "describe"
HELP = """Show what is in DATA: its size, how often each label occurs, and which occur together.

\b
A set that comes with the library:
  colabel describe debtags

\b
Texts with a column of tags, such as "sport;news":
  colabel describe news.csv --text body --label-column tags \\
      --separator ';'

\b
Columns of 0 and 1, and a page to show to others:
  colabel describe plants.csv --labels tree,green --html plants.html

\b
For programs:
  colabel describe yeast.arff --json | jq .cardinality
"""

Html = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write it as a web page too, of one file that loads nothing from the network.",
    ),
]
Most = Annotated[
    int,
    typer.Option(
        "--most", min=1, metavar="N", help="How many of the most frequent labels to draw."
    ),
]


def command(
    data: reading.Source,
    labels: reading.Labels = None,
    label_column: reading.LabelColumn = None,
    separator: reading.Separator = None,
    text: reading.Text = None,
    ignore: reading.Ignore = None,
    zero_based: reading.ZeroBased = None,
    encoding: reading.Encoding = None,
    format: reading.Format = None,
    html: Html = None,
    most: Most = 20,
    as_json: Json = False,
) -> None:
    """Describe a data set on the terminal, as JSON, as a page."""
    from rich.console import Console

    from colabel.cli.page import page
    from colabel.cli.pictures import picture
    from colabel.persistence.replacement import replacing

    if html is not None:
        check_writable(html, "--html")
    options = reading.options(
        labels, label_column, separator, text, ignore, zero_based, encoding, format
    )
    with busy(f"reading {one_line(Path(data).name)}"):
        summary = load(data, **options).describe(most)
    if html is not None:
        with replacing(html) as file:
            file.write(page(summary).encode())
    if as_json:
        print_json(summary)
    else:
        Console(highlight=False).print(picture(summary))
