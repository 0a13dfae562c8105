"""The commands, and how one of them is run."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.main import get_command

from colabel.cli import audit, compare, describe, explain, fit, predict, reproduce
from colabel.cli.errors import INTERRUPTED, explain_errors, said_in_one_line

_HELP = """Multi-label learning by what labels share.

\b
From a file of texts and tags to predictions, in three commands:
  colabel describe news.csv --text body --label-column tags \\
      --separator ';'
  colabel fit news.csv --text body --label-column tags \\
      --separator ';' -o news.skops
  colabel predict news.skops new.csv -o predicted.csv

\b
Which method is best on your data, and how sure that is:
  colabel compare news.csv --text body --label-column tags \\
      --separator ';' --quick

\b
Which labels of a file are probably wrong, and why a row gets its labels:
  colabel audit news.csv --text body --label-column tags \\
      --separator ';' -o suspects.csv
  colabel explain news.skops new.csv --row 7

\b
To try it without a file, on a set that comes with it:
  colabel describe debtags
  colabel compare --quick

Each command has examples of its own: colabel fit --help
"""

app = typer.Typer(
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
for _module in (compare, describe, fit, predict, audit, explain, reproduce):
    app.command(_module.NAME, help=_module.HELP)(_module.command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"colabel {version('colabel')}")
        raise typer.Exit


@app.callback(invoke_without_command=True, help=_HELP)
def _start(
    context: typer.Context,
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run a command; what goes wrong is one line on the standard error, and the exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # names of labels may not fit the terminal
    with explain_errors() as outcome, said_in_one_line():
        command: Any = get_command(app)
        code = command.main(args=list(arguments), prog_name="colabel", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
    return outcome.code
