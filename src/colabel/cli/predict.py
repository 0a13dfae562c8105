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
from colabel.cli.layouts import FORMS, Asked, layout
from colabel.cli.output import STDOUT, Json, check_outputs, print_json, tell, write_to
from colabel.datasets import NAMES, load, stream, stream_cells
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
The probability of every label, beside the column that names the row:
  colabel predict news.skops new.csv -o chances.csv --proba --keep id

\b
Sets that hold nine of ten labels of a row, on average over new rows like
those of the training; of a model that was fitted with --hold-out 0.2:
  colabel predict news.skops new.csv -o complete.csv --recall 0.9

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
Proba = Annotated[bool, typer.Option("--proba", help="Write probabilities instead of labels.")]
Recall = Annotated[
    float | None,
    typer.Option(
        "--recall",
        metavar="R",
        help="Sets that hold this share of a row's labels, on average over new rows; for models "
        "fitted with --hold-out.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="C1,C2", help="Columns of DATA to write before the labels."),
]
Digits = Annotated[
    int,
    typer.Option(
        "--digits", min=1, max=17, metavar="N", help="Of scores and probabilities; 17 for all."
    ),
]
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
    proba: Proba = False,
    recall: Recall = None,
    top_k: TopK = None,
    form: Form = None,
    separator: Separator = None,
    keep: Keep = None,
    digits: Digits = 4,
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
    bundle = load_bundle(model)
    asked = Asked(scores, proba, recall, top_k, form, separator, digits)
    header, lines = layout(bundle, asked)
    names = [name.strip() for part in keep or () for name in part.split(",") if name.strip()]
    given = {"zero_based": zero_based, "encoding": encoding, "format": format}
    options = {k: v for k, v in given.items() if v is not None}
    rows = 0
    with reading.at_hand(data) as path, _writer(output) as writer:
        writer.writerow([*names, *header])
        kept = _kept(path, names, block, options)
        for X in progress(blocks_of(path, bundle, block, options), description="blocks of rows"):
            _check(path, X, rows, bundle)
            writer.writerows(_beside(next(kept), lines(X)) if names else lines(X))
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
        _say(result, to_stdout=output == STDOUT)


def _say(result: dict[str, Any], *, to_stdout: bool) -> None:
    where = f"on {STDOUT_NAME}" if to_stdout else f"in {result['output']}"
    tell(f"{result['rows']} rows {where} after {result['seconds']:.1f} s", err=to_stdout)


def _beside(kept: list[tuple[Any, ...]], lines: Any) -> Iterator[list[Any]]:
    """Lines with the columns that are kept before them."""
    return ([*cells, *line] for cells, line in zip(kept, lines, strict=True))


def load_bundle(path: Path) -> Bundle:
    """The model of a file that ``colabel fit`` made."""
    bundle = load_model(path)
    if not isinstance(bundle, Bundle):
        raise CommandError(
            f"{path} holds a {type(bundle).__name__} saved from Python, without how to read a "
            "file; use it with colabel.load, or make a model with colabel fit"
        )
    return bundle


def blocks_of(source: str, bundle: Bundle, rows: int, options: dict[str, Any]) -> Iterator[Any]:
    """Rows of X as the model knows them, so many at a time."""
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


def _kept(
    source: str, names: list[str], rows: int, options: dict[str, Any]
) -> Iterator[list[tuple[Any, ...]]]:
    """The columns to write beside the labels, block by block."""
    if not names:
        return iter(())
    if source in NAMES and not Path(source).exists():
        raise CommandError(f"--keep {','.join(names)}: {source} has no columns to keep")
    known = {name: value for name, value in options.items() if name != "zero_based"}
    return stream_cells(source, names, rows=rows, **known)


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
