"""``colabel audit``: labels of a file that are probably wrong."""

import csv
import io
import time
from pathlib import Path
from typing import Annotated, Any

import scipy.sparse as sp
import typer

from colabel._terminal import one_line
from colabel.catalogue import Recipe, find, fittable
from colabel.cli import learning, reading
from colabel.cli.errors import CommandError
from colabel.cli.output import STDOUT, Json, busy, check_outputs, print_json, tell, write_to
from colabel.datasets import Dataset, load
from colabel.datasets.sources import files_read
from colabel.scales import SCALERS, SCALES, kind_of
from colabel.tuning import Audit, Suspect, audit

NAME = "audit"
HELP = """Rank the labels of DATA by how probably they are wrong, missing and surplus ones apart.

Every row is judged by models that have not seen it.

\b
Texts with a column of tags; all entries that are less likely than their
opposite into a file to correct:
  colabel audit news.csv --text body --label-column tags \\
      --separator ';' -o suspects.csv

\b
The 50 most suspicious of each kind, as a page:
  colabel audit debtags --most 50 --html audit.html

\b
For programs:
  colabel audit yeast.arff --json | jq .suspects
"""
#: The suspicion from which on an entry is less likely than its opposite.
LIKELY = 0.5

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="A CSV file of suspects with an empty column for corrections; - is the standard "
        "output.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write it as a web page too, of one file."),
]
Most = Annotated[
    int | None,
    typer.Option(
        "--most",
        min=1,
        metavar="N",
        help="How many of each kind; 10 on the terminal, 100 on a page, and in a CSV file all that "
        "are less likely than their opposite, if not given.",
    ),
]


@reading.reads_files
def command(
    data: reading.Source,
    options: dict[str, Any],
    output: Output = None,
    html: Html = None,
    most: Most = None,
    method: learning.MethodName = "label-ridge",
    scale: learning.Scale = "auto",
    cv: learning.Folds = None,
    seed: learning.Seed = 0,
    jobs: learning.Jobs = None,
    as_json: Json = False,
) -> None:
    """Read, judge, and say what is suspicious."""
    begin = time.monotonic()
    outputs = [("-o", output), ("--html", html), ("--json", STDOUT if as_json else None)]
    check_outputs(outputs, files_read(data, **options))
    if scale not in SCALES:
        raise CommandError(f"--scale {scale}: use one of {', '.join(SCALES)}")
    estimator = _estimator(method, Recipe(thresholds=False, cv=cv, seed=seed, jobs=jobs))
    with busy(f"reading {reading.title(data)}"), reading.at_hand(data) as path:
        found = load(path, **options)
    with busy("judging every row by models of the others"):
        result = audit(
            _scaled(found, scale), _labels(found), estimator, cv=cv or 5, random_state=seed
        )
    _write(result, output, html, most, found)
    plain = _plain(result, found, most or 10, time.monotonic() - begin)
    if as_json:
        print_json(plain)
    elif STDOUT not in (output, html):
        _say(plain, output, html)


def _estimator(method: str, recipe: Recipe) -> Any:
    try:
        return find(method, fittable()).recipe(recipe)
    except ValueError as error:
        raise CommandError(f"--method {error}") from None


def _scaled(data: Dataset, scale: str) -> Any:
    """X as a model would see it: what is done to it looks at no label."""
    scaler = SCALERS[kind_of(data).scale if scale == "auto" else scale]
    return data.X if scaler is None else scaler.fit_transform(data.X)


def _labels(data: Dataset) -> Any:
    Y = sp.csr_array(data.Y)
    Y.columns = data.label_names
    return Y


def _write(
    result: Audit, output: Path | None, html: Path | None, most: int | None, data: Dataset
) -> None:
    if output is not None:
        with write_to(output) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(
                ["row", "label", "given", "probability", "suspicion", "kind", "corrected"]
            )
            writer.writerows(
                [*_cells(one), ""] for kind in KINDS for one in _suspects(result, kind, most)
            )
    if html is not None:
        from colabel.cli.show.audit_page import page

        with write_to(html) as file:
            file.write(page(result, data, most or 100).encode())


#: Kinds of suspects, and what is said of them.
KINDS = {"missing": "not given, and probably there", "surplus": "given, and probably not there"}


def _suspects(result: Audit, kind: Any, most: int | None) -> list[Suspect]:
    if most is not None:
        return result.suspects(most, kind)
    likely = int(((result.suspicion > LIKELY) & (result.given == (kind == "surplus"))).sum())
    return result.suspects(likely, kind) if likely else []


def _cells(one: Suspect) -> list[Any]:
    """A line of a table; rows count from 1, as in messages about files."""
    numbers = f"{one.probability:.3g}", f"{one.suspicion:.3g}"
    return [one.row + 1, one.label, one.given, *numbers, one.kind]


def _plain(result: Audit, data: Dataset, most: int, seconds: float) -> dict[str, Any]:
    suspects = [vars(one) for kind in KINDS for one in result.suspects(most, kind)]  # type: ignore[arg-type]
    return {
        "data": data.name,
        "rows": data.X.shape[0],
        "labels": len(data.label_names),
        "less_likely": int((result.suspicion > LIKELY).sum()),
        "suspects": [{**one, "row": one["row"] + 1} for one in suspects],
        "seconds": seconds,
    }


def _say(plain: dict[str, Any], output: Path | None, html: Path | None) -> None:
    tell(
        f"{one_line(plain['data'])}: {plain['rows']} rows, {plain['labels']} labels; "
        f"{plain['less_likely']} entries are less likely than their opposite"
    )
    for kind, said in KINDS.items():
        tell(f"{kind} ({said}):")
        for one in plain["suspects"]:
            if one["kind"] == kind:
                tell(
                    f"  row {one['row']:>6}  {one_line(one['label']):<30}  "
                    f"probability of the label {one['probability']:.3f}"
                )
    for path in (output, html):
        if path is not None:
            tell(f"written to {path}")
