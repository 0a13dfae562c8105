"""``colabel explain``: why a model gives a row its labels."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from colabel._terminal import brief, one_line
from colabel.cli import reading
from colabel.cli.errors import CommandError
from colabel.cli.output import STDOUT, Json, check_outputs, print_json, tell, write_to
from colabel.cli.predict import Model, blocks_of, load_bundle
from colabel.datasets.sources import files_read
from colabel.explanation import Explanation, explain
from colabel.persistence import Bundle

NAME = "explain"
HELP = """Show why MODEL gives a row of DATA its labels: what each feature adds to their scores.

The parts of a score sum to it exactly. Of a model with a shared subspace, what a label shares with
others and what is its own stand apart.

\b
The labels that the seventh row gets:
  colabel explain news.skops new.csv --row 7

\b
Labels of your own choice, as a page:
  colabel explain news.skops new.csv --row 7 --label sport \\
      --html why.html

\b
For programs, all features:
  colabel explain news.skops new.csv --row 7 --most 1000 --json
"""
#: Labels that are shown where none is predicted.
AT_LEAST = 3

Row = Annotated[int, typer.Option("--row", min=1, metavar="N", help="Which row, from 1.")]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="L1,L2",
        help="Which labels; those that are predicted, or the three closest to it, if not given.",
    ),
]
Most = Annotated[
    int, typer.Option("--most", min=1, metavar="N", help="How many features of a label to show.")
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write it as a web page too, of one file."),
]


def command(
    model: Model,
    data: reading.Source,
    row: Row = 1,
    label: Labels = None,
    most: Most = 10,
    html: Html = None,
    zero_based: reading.ZeroBased = None,
    encoding: reading.Encoding = None,
    format: reading.Format = None,
    as_json: Json = False,
) -> None:
    """Read the row, split its scores and show the parts."""
    outputs = [("--html", html), ("--json", STDOUT if as_json else None)]
    check_outputs(outputs, [model, *files_read(data, format=format)])
    bundle = load_bundle(model)
    given = {"zero_based": zero_based, "encoding": encoding, "format": format}
    options = {k: v for k, v in given.items() if v is not None}
    with reading.at_hand(data) as path:
        X = _row(path, bundle, row, options)
    found = explain(bundle, X)
    labels = _labels(found, label)
    plain = _plain(bundle, found, X, labels, most)
    plain = {"model": str(model), "data": data, "row": row, **plain}
    if html is not None:
        from colabel.cli.show.explanation_page import page

        with write_to(html) as file:
            file.write(page(plain).encode())
    if as_json:
        print_json(plain)
    elif html != STDOUT:
        _say(plain)


def _row(path: str, bundle: Bundle, row: int, options: dict[str, Any]) -> Any:
    before = 0
    for X in blocks_of(path, bundle, min(row, 10_000), options):
        if row <= before + X.shape[0]:
            return X[row - before - 1 : row - before]
        before += X.shape[0]
    raise CommandError(f"--row {row}: {path} has {before} rows")


def _labels(found: Explanation, wanted: list[str] | None) -> list[int]:
    """Numbers of the labels to show, the highest score first."""
    scores, names = found.scores[0], [str(name) for name in found.label_names]
    if wanted is None:
        order = np.argsort(-scores, kind="stable").tolist()
        positive = int((scores > 0).sum())
        return order[: positive or AT_LEAST]
    chosen = [name.strip() for part in wanted for name in part.split(",") if name.strip()]
    for name in chosen:
        if name not in names:
            raise CommandError(f"--label {name}: the model has {brief(names, 10)}")
    return [names.index(name) for name in chosen]


def _plain(
    bundle: Bundle, found: Explanation, X: Any, labels: list[int], most: int
) -> dict[str, Any]:
    """What there is to show, as plain data."""
    has_chances = hasattr(bundle.estimator, "predict_proba")
    chances = bundle.probabilities(X)[0] if has_chances else None
    shown = []
    for j in labels:
        parts = found.strongest(0, j)
        one: dict[str, Any] = {
            "label": str(found.label_names[j]),
            "score": float(found.scores[0, j]),
            "probability": None if chances is None else float(chances[j]),
            "parts": [{"feature": name, "part": part} for name, part in parts[:most]],
            "others": {"count": max(len(parts) - most, 0), "part": sum(p for _, p in parts[most:])},
        }
        if found.shared is not None:
            shared = float(found.shared[0, j, :].sum())
            one["shared"], one["own"] = shared, float(found.scores[0, j]) - shared
            one["shares_with"] = [
                {"label": name, "cosine": cosine} for name, cosine in found.shares_with(j, 3)
            ]
        shown.append(one)
    return {"labels": shown}


def _say(plain: dict[str, Any]) -> None:
    tell(f"row {plain['row']} of {one_line(plain['data'])}")
    for one in plain["labels"]:
        chance = "" if one["probability"] is None else f", probability {one['probability']:.3f}"
        decided = "predicted" if one["score"] > 0 else "not predicted"
        tell(f"{one_line(one['label'])}: {decided}, score {one['score']:+.4f}{chance}")
        for part in one["parts"]:
            tell(f"  {part['part']:+.4f}  {one_line(part['feature'])}")
        if one["others"]["count"]:
            tell(f"  {one['others']['part']:+.4f}  {one['others']['count']} others")
        if "shared" in one:
            others = ", ".join(
                f"{one_line(o['label'])} ({o['cosine']:+.2f})" for o in one["shares_with"]
            )
            tell(
                f"  of it {one['shared']:+.4f} through what labels share, most with {others}; "
                f"{one['own']:+.4f} its own, the base included"
            )
