"""``colabel reproduce``: a paper's experiment, beside its figures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colabel.cli.errors import CommandError
from colabel.cli.output import STDOUT, check_outputs, tell, write_to

if TYPE_CHECKING:
    from colabel.papers.protocol import Protocol

NAME, ALL, PAGES = "reproduce", "all", "pages"
HELP = """Run the experiment of PAPER again and show our numbers beside the published ones.

\b
PAPER is one of
  ji2008   shared subspace, tables 3 and 4
  sun2008  hypergraph spectral learning, table 2
  xu2016   feature extraction, tables 3 to 9
  han2010  sparse discriminant analysis, tables 2 and 3
  liu2006  few labelled rows, figure 1 (--table 1)
  all      all of them, their figures too; with --output
  pages    nothing is run: the pages of --output, from the results beside them

\b
A first look, with one split:
  colabel reproduce ji2008 --table 4 --splits 1

\b
A figure, drawn as SVG beside its page:
  colabel reproduce sun2008 --figure 3 --output docs/reproduction

\b
All of it, as pages in a folder:
  colabel reproduce all --jobs 2 --output docs/reproduction

The data sets are not part of colabel. Most are had, as ARFF, from
https://mulan.sourceforge.net/datasets-mlc.html and
https://www.uco.es/kdis/mllresources; the names that are looked for are
said where they are not found.

Results are kept as they come; the same command goes on after a stop.
"""

Paper = Annotated[str, typer.Argument(metavar="PAPER", help="Which experiment.")]
Table = Annotated[
    int | None,
    typer.Option("--table", metavar="N", help="Only the data sets of this table; all if not said."),
]
Figure = Annotated[
    int | None,
    typer.Option("--figure", metavar="N", help="The experiment of this figure, not of tables."),
]
Choices = Annotated[
    bool,
    typer.Option(
        "--choices",
        help="What the paper leaves open done otherwise, on few splits; its page says what that "
        "changes.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The folder of the data sets, as NAME.arff with NAME.xml, or NAME.svm; data if not "
        "said.",
    ),
]
Splits = Annotated[
    int | None,
    typer.Option("--splits", min=1, metavar="N", help="Random splits; as the page says if not."),
]
JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write every result to a file, for programs; - is the standard output.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="DIR",
        help="Write the page of the paper, its pictures and results there, and the index of all "
        "papers beside it.",
    ),
]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        metavar="FILE",
        help="Keep results there while it runs; colabel-reproduce-PAPER.jsonl if not said, which "
        "is removed at the end.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", min=1, metavar="N", help="Processes.")]


def command(
    paper: Paper,
    table: Table = None,
    figure: Figure = None,
    choices: Choices = False,
    data: Data = None,
    splits: Splits = None,
    json_file: JsonFile = None,
    output: Output = None,
    journal: JournalFile = None,
    jobs: Jobs = 1,
) -> None:
    """Run a protocol and show, or write, what it found."""
    if paper not in (ALL, PAGES):
        request = Request(paper, table, figure, choices, splits, output)
        return _reproduce(request, data, json_file, journal, jobs)
    given = {
        "--table": table,
        "--figure": figure,
        "--choices": choices or None,
        "--json": json_file,
        "--journal": journal,
    }
    for name, value in given.items():
        if value is not None:
            raise CommandError(f"{name} is of one paper, not of all; name a paper, or leave it out")
    if output is None:
        raise CommandError("all papers are written as pages; name their folder with --output")
    return _write_again(output) if paper == PAGES else _everything(data, splits, output, jobs)


def _write_again(output: Path) -> None:
    from colabel.papers import PROTOCOLS, figures_by_name
    from colabel.papers.figures import check_drawable
    from colabel.papers.index import write_again

    if not output.is_dir():
        raise CommandError(f"--output {output} is no folder; name the one of the results")
    check_drawable()
    for written in write_again(output, {**PROTOCOLS, **figures_by_name()}):
        tell(f"wrote {written}", err=True)


def _everything(data: Path | None, splits: int | None, output: Path, jobs: int) -> None:
    """Every experiment, before them how long they will take, and after them how long they took."""
    from colabel.papers import PROTOCOLS, figures_by_name
    from colabel.papers.cost import WholeRun, forecast
    from colabel.papers.index import write_index

    begin = time.monotonic()
    asked = [Request(*one, splits, output) for one in _experiments()]
    tell(forecast(output, [one.protocol() for one in asked], splits, jobs), err=True)
    for request in asked:
        _reproduce(request, data, None, None, jobs)
    whole = WholeRun.now(time.monotonic() - begin, jobs, splits)
    whole.save(output)
    write_index(output, {**PROTOCOLS, **figures_by_name()})
    tell(str(whole), err=True)


def _experiments() -> Iterator[tuple[str, None, int | None, bool]]:
    """Choices and tables of each paper, and the figures that are experiments of their own."""
    from colabel.papers import FIGURES, PROTOCOLS

    for name, protocol in PROTOCOLS.items():
        if protocol.choices is not None:  # before the page that tells of them
            yield name, None, None, True
        yield name, None, None, False
        figures = FIGURES[name].items()
        yield from ((name, None, n, False) for n, figure in figures if figure is not protocol)


@dataclass(frozen=True)
class Request:
    """What is asked for."""

    paper: str
    table: int | None
    figure: int | None
    choices: bool
    splits: int | None
    output: Path | None

    def protocol(self) -> Protocol:
        """The experiment."""
        from colabel.papers import FIGURES, PROTOCOLS

        if self.paper not in PROTOCOLS:
            known = ", ".join([*PROTOCOLS, ALL, PAGES])
            raise CommandError(f"there is no paper {self.paper!r}; the papers are {known}")
        if self.choices:
            return self._of_choices(PROTOCOLS[self.paper])
        if self.figure is None:
            return PROTOCOLS[self.paper]
        if self.table is not None:
            raise CommandError("--table and --figure are two experiments; run one after the other")
        figures = FIGURES[self.paper]
        if self.figure not in figures:
            known = ", ".join(map(str, figures))
            raise CommandError(f"--figure {self.figure}: {self.paper} has {known}")
        return figures[self.figure]

    def _of_choices(self, protocol: Protocol) -> Protocol:
        if self.table is not None or self.figure is not None:
            raise CommandError("--choices is an experiment of its own; leave the other out")
        if protocol.choices is None:
            raise CommandError(f"--choices: {self.paper} has none; leave it out")
        return protocol.choices

    def command(self) -> str:
        """What was run, as it can be run again anywhere."""
        parts = [f"colabel reproduce {self.paper}"]
        parts += [f"--table {self.table}"] if self.table is not None else []
        parts += [f"--figure {self.figure}"] if self.figure is not None else []
        parts += ["--choices"] if self.choices else []
        parts += [f"--splits {self.splits}"] if self.splits is not None else []
        if self.output is not None and not self.output.is_absolute():
            parts.append(f"--output {self.output.as_posix()}")
        return " ".join(parts)


def _reproduce(
    request: Request, data: Path | None, json_file: Path | None, journal: Path | None, jobs: int
) -> None:
    from colabel.comparison.run.runner import progress_bar
    from colabel.comparison.stats import failures
    from colabel.papers import PROTOCOLS, figures_by_name
    from colabel.papers.figures import check_drawable
    from colabel.papers.folder import choose, data_folder
    from colabel.papers.index import write_pages
    from colabel.papers.page import page
    from colabel.papers.reproduction import journal_of, run

    protocol, output = request.protocol(), request.output
    name = protocol.name
    path = journal or Path(f"colabel-reproduce-{name}.jsonl")
    chosen = choose(protocol, data_folder(data), request.table, request.splits)
    _check_outputs([("--json", json_file), ("--journal", path)], output, name, chosen)
    if output is not None and protocol.draws:
        check_drawable()
    said = request.command()
    with journal_of(path, protocol, chosen) as kept, progress_bar(name) as report:
        tell(f"results are kept in {path}; the same command goes on after a stop", err=True)
        # seconds are measured with nothing beside
        jobs = 1 if protocol.timed else jobs
        found = run(protocol, chosen, journal=kept, jobs=jobs, report=report, command=said)
    if json_file is not None:
        with write_to(json_file) as file:
            file.write(f"{found.to_json()}\n".encode())
    if output is not None:
        for written in write_pages(output, found, protocol, {**PROTOCOLS, **figures_by_name()}):
            tell(f"wrote {written}", err=True)
    if json_file != STDOUT:
        tell(page(found, protocol))
    if journal is None and not failures(found):
        path.unlink()


def _check_outputs(
    files: list[tuple[str, Path | None]], folder: Path | None, paper: str, chosen: Any
) -> None:
    """Refuse what could not be written, or must not be, before hours of work."""
    from colabel.datasets.sources import files_read

    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"--output {folder} is a file; name a folder")
        files = [*files, ("--output", folder.with_suffix(".md"))]  # the index of all papers
        if folder.is_dir():
            files += [("--output", folder / f"{paper}{suffix}") for suffix in (".md", ".json")]
    read = [file for path in chosen.sets.values() for file in files_read(path)]
    check_outputs(files, read)
