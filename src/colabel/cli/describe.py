"""``colabel describe``: a data set at a glance."""

import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from colabel._terminal import one_line
from colabel.cli import reading
from colabel.cli.errors import STDOUT_NAME, CommandError, in_options
from colabel.cli.output import STDOUT, Json, busy, check_outputs, print_json, tell, write_to
from colabel.datasets import load
from colabel.datasets.sources import files_read
from colabel.persistence import Bundle
from colabel.persistence import load as load_model
from colabel.persistence.files import STAMP
from colabel.persistence.replacement import name_failures

NAME = "describe"
HELP = """Show what is in DATA: its size, how often each label occurs, and which occur together.

Of a model that 'colabel fit' saved, its card: data, method, penalties, held-out quality of each
label, probabilities, promises, versions.

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
A model:
  colabel describe news.skops

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

    if _is_model(data):
        _describe_model(data, html, as_json)
        return
    outputs = [("--html", html), ("--json", STDOUT if as_json else None)]
    check_outputs(outputs, files_read(data, **options))
    with busy(f"reading {reading.title(data)}"), reading.at_hand(data) as path:
        found = load(path, **options)
        summary = found.describe(most)
    if html is not None:
        with write_to(html) as file:
            file.write(page(summary).encode())
    notes = [one_line(in_options(line)) for line in found.notes]
    if as_json:
        print_json({**summary, "notes": notes})
    elif html != STDOUT:
        for line in notes:
            tell(line)
        with name_failures(STDOUT_NAME):
            Console(highlight=False).print(picture(summary))


def _is_model(source: str) -> bool:
    """Whether a file is a model of this library's."""
    path = Path(source)
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return STAMP in archive.namelist()


def _describe_model(source: str, html: Path | None, as_json: bool) -> None:
    from colabel.cli import card

    if html is not None:
        raise CommandError(f"--html {html}: a model is shown on the terminal, or as --json")
    bundle = load_model(source)
    if not isinstance(bundle, Bundle):
        raise CommandError(
            f"{source} holds a {type(bundle).__name__} saved from Python, without a card; look at "
            "it with colabel.load"
        )
    described = card.describe(bundle)
    if as_json:
        print_json(described)
        return
    for line in card.card_lines(described):
        tell(line)
