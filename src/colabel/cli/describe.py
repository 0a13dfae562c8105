"""``colabel describe``: a data set at a glance."""

from pathlib import Path
from typing import Annotated, Any

import typer

from colabel.cli import reading
from colabel.cli.errors import STDOUT_NAME
from colabel.cli.output import STDOUT, Json, busy, check_outputs, print_json, write_to
from colabel.datasets import load
from colabel.datasets.sources import files_read
from colabel.persistence.replacement import name_failures

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

\b
From another program:
  zcat plants.csv.gz | colabel describe - --labels tree,green
"""

Html = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write it as a web page too, of one file that loads nothing from the network; - is "
        "the standard output.",
    ),
]
Most = Annotated[
    int,
    typer.Option(
        "--most", min=1, metavar="N", help="How many of the most frequent labels to draw."
    ),
]


@reading.reads_files
def command(
    data: reading.Source,
    options: dict[str, Any],
    html: Html = None,
    most: Most = 20,
    as_json: Json = False,
) -> None:
    """Describe a data set on the terminal, as JSON, as a page."""
    from rich.console import Console

    from colabel.cli.show.description import picture
    from colabel.cli.show.page import page

    outputs = [("--html", html), ("--json", STDOUT if as_json else None)]
    check_outputs(outputs, files_read(data, **options))
    with busy(f"reading {reading.title(data)}"), reading.at_hand(data) as path:
        summary = load(path, **options).describe(most)
    if html is not None:
        with write_to(html) as file:
            file.write(page(summary).encode())
    if as_json:
        print_json(summary)
    elif html != STDOUT:
        with name_failures(STDOUT_NAME):
            Console(highlight=False).print(picture(summary))
