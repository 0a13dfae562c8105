"""``colabel compare``: which method to use on a data set, and how sure that is."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from colabel._terminal import one_line
from colabel.cli import reading
from colabel.cli.errors import STDOUT_NAME, CommandError, in_options
from colabel.cli.output import STDOUT, busy, check_outputs, write_to
from colabel.cli.times import seconds_of
from colabel.persistence.replacement import name_failures

NAME = "compare"
HELP = """Compare methods on DATA: which is best, and how sure that is.

All methods get the same splits of the rows, and are tuned on rows of each that they have not seen.
Without DATA they are compared on a set that comes with the library.

\b
A first impression, in less than a minute:
  colabel compare --quick

\b
Your own data, and a page to show to others:
  colabel compare news.csv --text body --label-column tags \\
      --separator ';' --report news.html

\b
Several sets, some methods, and at most ten minutes:
  colabel compare yeast.arff scene.arff \\
      --methods mvmd,mddmp,label-ridge --budget 10m

\b
For programs:
  colabel compare yeast.arff --json - | jq '.results[].scores.f1_macro'

What was stopped goes on where it was when the same command is given again; what the machine
stopped, by a kill or for want of memory, is tried again.
"""

Data = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DATA]...", help="Files, - for the standard input, or names of sets."),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--methods",
        metavar="M1,M2",
        help="Which methods, such as mvmd, mvmd-svm or random-forest; all that are usual if not "
        "given.",
    ),
]
Add = Annotated[
    list[str] | None,
    typer.Option(
        "--add",
        metavar="MODULE:OBJECT",
        help="A classifier of your own beside them, such as models:forest of models.py; may be "
        "given several times.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metrics",
        metavar="N1,N2",
        help="Measures; methods are tuned for the first, and ranked by it.",
    ),
]
Splits = Annotated[
    str | None,
    typer.Option(
        "--splits",
        metavar="N",
        help="How many random splits, two thirds to train; or given, for the split of the data.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="For all of it, such as 90s, 5m or 1h; slow methods are stopped."
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="At most 1500 rows, 2 splits, and fewer parameters to try.")
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a web page of one file.")
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write everything as JSON; - is the standard output."
    ),
]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write tables as Markdown.")
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; one a core if not given."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Of all that is random.")]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start again, without the results of an earlier run.")
]


@reading.reads_files
def command(
    data: Data = None,
    methods: Methods = None,
    add: Add = None,
    metrics: Metrics = None,
    splits: Splits = None,
    budget: Budget = None,
    quick: Quick = False,
    report: Report = None,
    json: Json = None,
    markdown: Markdown = None,
    jobs: Jobs = None,
    seed: Seed = 0,
    fresh: Fresh = False,
    *,
    options: dict[str, Any],
) -> None:
    """Compare, show the progress, and say what came of it."""
    from colabel.comparison.plan.request import request
    from colabel.datasets.sources import files_read

    if options and not data:
        raise CommandError(f"{_option(next(iter(options)))} is for files; name one before it")
    written = {"--report": report, "--json": json, "--markdown": markdown}
    read = [file for name in data or [] for file in files_read(name, **options)]
    check_outputs(written.items(), read)
    asked = {
        "add": add or [],
        "metrics": _names(metrics, "--metrics"),
        "cv": _splits(splits),
        "budget": seconds_of(budget),
        "quick": quick,
        "n_jobs": jobs,
        "random_state": seed,
        "load_options": options,
    }
    with busy("reading"):
        sets = [_pipe(name, options) for name in data or []]
        found = _explain(request, sets or None, methods=_names(methods, "--methods"), **asked)
    _compare(found, fresh, written)


def _pipe(name: str, options: dict[str, Any]) -> Any:
    """What comes through the standard input, read; other names as they are."""
    from colabel.datasets import load

    with reading.at_hand(name) as path:
        return name if path == name else load(path, **options)


def _compare(asked: Any, fresh: bool, written: dict[str, Path | None]) -> None:
    from colabel.cli.show.progress import watch
    from colabel.cli.show.standings import show
    from colabel.comparison.report import html, markdown
    from colabel.comparison.run.runner import run

    journal = _journal(asked, fresh)
    with journal, watch(asked, journal) as report:
        comparison = run(asked, journal, report)
    renderers: dict[str, Callable[[], str]] = {
        "--report": lambda: html(comparison),
        "--markdown": lambda: markdown(comparison),
        "--json": lambda: comparison.to_json() + "\n",
    }
    for option, path in written.items():
        if path is not None:
            _write(path, renderers[option]())
    files = [path for path in written.values() if path is not None]
    if STDOUT not in files:
        with name_failures(STDOUT_NAME):
            show(comparison, files)


def _write(path: Path, text: str) -> None:
    with write_to(path) as file:
        file.write(text.encode("utf-8", "surrogatepass"))


def _journal(asked: Any, fresh: bool) -> Any:
    """The journal of these arguments and data, in the user's cache folder."""
    from colabel.comparison.run.journal import JournalError
    from colabel.comparison.run.kept import journal_of
    from colabel.comparison.run.runner import journal_file

    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "colabel"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = journal_file(folder, asked)
        if fresh:
            path.unlink(missing_ok=True)
        return journal_of(path, asked)
    except JournalError:
        raise
    except OSError as error:
        typer.echo(
            f"colabel: warning: results are not kept until the end: {folder}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written to",
            err=True,
        )
        return journal_of(None, asked)


def _explain(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a function of the library refuses, in the words of the command line."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        message = str(error)
        for name, option in (("cv", "splits"), ("n_jobs", "jobs"), ("random_state", "seed")):
            message = re.sub(rf"\b{name}=", f"--{option} ", message)
        raise CommandError(in_options(message)) from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _names(given: list[str] | None, option: str) -> list[str] | None:
    if given is None:
        return None
    names = [name.strip() for part in given for name in part.split(",") if name.strip()]
    if not names:
        raise CommandError(f"{option} {one_line(','.join(given))}: name at least one")
    return names


def _splits(given: str | None) -> Any:
    if given is None or given == "given":
        return given
    if not given.isdecimal() or not 1 <= int(given) <= 1000:
        raise CommandError(f"--splits {given}: use a number from 1 to 1000, or given")
    return int(given)
