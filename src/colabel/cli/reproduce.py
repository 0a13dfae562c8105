"""``colabel reproduce``: a paper's experiment, beside its figures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from colabel.cli.errors import CommandError
from colabel.cli.output import STDOUT, check_outputs, tell, write_to

NAME = "reproduce"
HELP = """Run the experiment of PAPER again and show our numbers beside the published ones.

\b
PAPER is one of
  ji2008   shared subspace, tables 3 and 4
  sun2008  hypergraph spectral learning, table 2
  xu2016   feature extraction, tables 3 to 9
  han2010  sparse discriminant analysis, tables 2 and 3
  liu2006  few labelled rows, figure 1 (--table 1)

\b
A first look, with one split:
  colabel reproduce ji2008 --table 4 --splits 1

\b
All of it, as pages in a folder:
  colabel reproduce sun2008 --output docs/reproduction

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
    data: Data = None,
    splits: Splits = None,
    json_file: JsonFile = None,
    output: Output = None,
    journal: JournalFile = None,
    jobs: Jobs = 1,
) -> None:
    """Run a protocol and show, or write, what it found."""
    from colabel.comparison.run.runner import progress_bar
    from colabel.comparison.stats import failures
    from colabel.papers import PROTOCOLS
    from colabel.papers.figures import check_drawable
    from colabel.papers.folder import choose, data_folder
    from colabel.papers.page import page, write_pages
    from colabel.papers.reproduction import journal_of, run

    if paper not in PROTOCOLS:
        raise CommandError(f"there is no paper {paper!r}; the papers are {', '.join(PROTOCOLS)}")
    protocol = PROTOCOLS[paper]
    path = journal or Path(f"colabel-reproduce-{paper}.jsonl")
    chosen = choose(protocol, data_folder(data), table, splits)
    _check_outputs([("--json", json_file), ("--journal", path)], output, paper, chosen)
    if output is not None and protocol.draws:
        check_drawable()
    said = _command(paper, table, splits, output)
    with journal_of(path, protocol, chosen) as kept, progress_bar(paper) as report:
        tell(f"results are kept in {path}; the same command goes on after a stop", err=True)
        found = run(protocol, chosen, journal=kept, jobs=jobs, report=report, command=said)
    if json_file is not None:
        with write_to(json_file) as file:
            file.write(f"{found.to_json()}\n".encode())
    if output is not None:
        for written in write_pages(output, found, protocol, PROTOCOLS):
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


def _command(paper: str, table: int | None, splits: int | None, output: Path | None) -> str:
    """What was run, as it can be run again anywhere."""
    parts = [f"colabel reproduce {paper}"]
    parts += [f"--table {table}"] if table is not None else []
    parts += [f"--splits {splits}"] if splits is not None else []
    if output is not None and not output.is_absolute():
        parts.append(f"--output {output.as_posix()}")
    return " ".join(parts)
