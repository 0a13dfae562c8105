"""The options that say how a model is learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from colabel.cli.methods import methods
from colabel.evaluation.scales import SCALES

_PANEL = "Learning"

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        rich_help_panel=_PANEL,
        help=f"One of {', '.join(methods())}.",
        autocompletion=lambda: list(methods()),
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL",
        help="The model file, such as news.skops.",
        show_default=False,
    ),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune/--no-tune", rich_help_panel=_PANEL, help="Whether to search for the penalties."
    ),
]
Thresholds = Annotated[
    bool,
    typer.Option(
        "--thresholds/--no-thresholds",
        rich_help_panel=_PANEL,
        help="Whether to find where to cut each label's scores, for F1; else at 0.",
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        rich_help_panel=_PANEL,
        help="What to do to the features first: standard, unit (rows of length 1), tfidf or none. "
        "auto is tfidf for counts and for zeros and ones in many columns, mostly 0; unit for other "
        "numbers there; none for text, which is weighted already; standard for measurements.",
        autocompletion=lambda: list(SCALES),
    ),
]
MinRows = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=_PANEL,
        help="Leave out labels that fewer rows than this have.",
    ),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", rich_help_panel=_PANEL, help="Folds of the search.")
]
Scoring = Annotated[
    str, typer.Option(metavar="NAME", rich_help_panel=_PANEL, help="What the search maximises.")
]
Seed = Annotated[
    int, typer.Option(min=0, metavar="N", rich_help_panel=_PANEL, help="Of all that is random.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        rich_help_panel=_PANEL,
        help="Folds at a time; -1 for all cores.",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        rich_help_panel=_PANEL,
        help="A parameter of the method; may be given several times.",
    ),
]
