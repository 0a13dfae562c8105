"""``colabel predict``: the labels of the rows of a file."""

import csv
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer

from colabel._terminal import one_line, progress
from colabel.cli import reading
from colabel.cli.errors import STDOUT_NAME, CommandError
from colabel.cli.layouts import FORMS, layout
from colabel.cli.output import STDOUT, Json, check_outputs, print_json, tell, write_to
from colabel.datasets import NAMES, load, stream
from colabel.datasets.sources import files_read
from colabel.persistence import Bundle
from colabel.persistence import load as load_model

NAME = "predict"
HELP = """Write the labels that MODEL gives to the rows of DATA, a line for each row.

DATA need not hold labels. It is read some rows at a time, so it may be larger than memory.

\b
Labels as they were learned: a column of tags, or columns of 0 and 1:
  colabel predict news.skops new.csv -o predicted.csv
  colabel predict news.skops new.csv -o predicted.csv --as columns

\b
The score of every label; labels with a score above 0 are predicted:
  colabel predict news.skops new.csv -o scores.csv --scores

\b
The three best labels of each row, best first, and with their scores before
they are cut:
  colabel predict news.skops new.csv -o best.csv --top-k 3
  colabel predict news.skops new.csv -o best.csv --top-k 3 --scores

\b
Into another program, and from one:
  colabel predict news.skops new.csv -o - | head
  zcat new.csv.gz | colabel predict news.skops - -o predicted.csv
"""

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="What 'colabel fit' saved.", show_default=False)
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="The CSV file to write; - is the standard output.",
        show_default=False,
    ),
]
Scores = Annotated[bool, typer.Option("--scores", help="Write scores instead of labels.")]
TopK = Annotated[
    int | None,
    typer.Option("--top-k", "-k", min=1, metavar="K", help="The K best labels of each row."),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="FORM",
        help="tags for one column of tags, columns for a column of 0 and 1 for each label; as the "
        "model learned them if not given.",
        autocompletion=lambda: list(FORMS),
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="What to write between tags; as it was in the training data."
    ),
]
Block = Annotated[
    int, typer.Option("--block", min=1, metavar="N", help="Rows held in memory at a time.")
]


def command(
    model: Model,
    data: reading.Source,
    output: Output,
    scores: Scores = False,
    top_k: TopK = None,
    form: Form = None,
    separator: Separator = None,
    block: Block = 10_000,
    zero_based: reading.ZeroBased = None,
    encoding: reading.Encoding = None,
    format: reading.Format = None,
    as_json: Json = False,
) -> None:
    """Read, predict and write, block by block."""
    begin = time.monotonic()
    outputs = [("-o", output), ("--json", STDOUT if as_json else None)]
    check_outputs(outputs, [model, *files_read(data, format=format)])
    bundle = _load(model)
    header, lines = layout(bundle, scores, top_k, form, separator)
    given = {"zero_based": zero_based, "encoding": encoding, "format": format}
    options = {k: v for k, v in given.items() if v is not None}
    rows = 0
    with reading.at_hand(data) as path, _writer(output) as writer:
        writer.writerow(header)
        for X in progress(_blocks(path, bundle, block, options), description="blocks of rows"):
            _check(path, X, rows, bundle)
            writer.writerows(lines(X))
            rows += X.shape[0]
    result = {
        "model": str(model),
        "data": data,
        "output": str(output),
        "rows": rows,
        "labels": len(bundle.label_names),
        "seconds": time.monotonic() - begin,
    }
    if as_json:
        print_json(result)
    else:
        to_stdout = output == STDOUT
        where = f"on {STDOUT_NAME}" if to_stdout else f"in {output}"
        tell(f"{rows} rows {where} after {result['seconds']:.1f} s", err=to_stdout)


def _load(path: Path) -> Bundle:
    bundle = load_model(path)
    if not isinstance(bundle, Bundle):
        raise CommandError(
            f"{path} holds a {type(bundle).__name__} saved from Python, without how to read a "
            "file; use it with colabel.load, or make a model with colabel fit"
        )
    return bundle


def _blocks(source: str, bundle: Bundle, rows: int, options: dict[str, Any]) -> Iterator[Any]:
    if source in NAMES and not Path(source).exists():
        X = load(source, **options).X
        if X.shape[1] != bundle.columns.n_features:
            raise CommandError(
                f"{source} has {X.shape[1]} features; the model was fitted on "
                f"{bundle.columns.n_features}"
            )
        return (X[i : i + rows] for i in range(0, X.shape[0], rows))
    if bundle.settings.get("zero_based") is not None:
        options = {"zero_based": bundle.settings["zero_based"], **options}
    return stream(source, bundle.columns, rows=rows, **options)


def _check(source: str, X: Any, before: int, bundle: Bundle) -> None:
    """Refuse missing values, naming the row and the column."""
    missing = np.isnan(X.data if sp.issparse(X) else X)
    if not missing.any():
        return
    first = int(np.argmax(missing))
    if sp.issparse(X):
        row, column = int(np.searchsorted(X.indptr, first, side="right")) - 1, X.indices[first]
    else:
        row, column = divmod(first, X.shape[1])
    names = bundle.columns.names
    name = f"feature {column}" if names is None else one_line(names[column])
    raise CommandError(f"{source}, row {before + row + 1}: {name} is missing; fill it in")


@contextmanager
def _writer(path: Path) -> Iterator[Any]:
    """Lines of CSV to a file that appears when it is complete, or to the standard output."""
    with write_to(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        yield csv.writer(text, lineterminator="\n")
