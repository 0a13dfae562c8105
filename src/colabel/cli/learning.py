"""The options that say how a model is learned."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from colabel.catalogue import fittable
from colabel.scales import SCALES

_option = partial(typer.Option, rich_help_panel="Learning")


def _method(about: str) -> Any:
    return _option(
        "--method",
        "-m",
        metavar="NAME",
        help=f"{about}One of {', '.join(fittable())}.",
        autocompletion=lambda: list(fittable()),
    )


MethodName = Annotated[str, _method("")]
AnyMethod = Annotated[
    str | None,
    _method(
        "If not said, the quick mixture, or shared-subspace where rows are few, labels are unknown "
        "or a mixture would take minutes. "
    ),
]
Budget = Annotated[
    str | None,
    _option(
        metavar="TIME",
        help="For the members of a mixture, such as 90s, 5m or 1h; slow ones are left out.",
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
Tune = Annotated[bool, _option("--tune/--no-tune", help="Whether to search for the penalties.")]
Thresholds = Annotated[
    bool,
    _option(
        "--thresholds/--no-thresholds",
        help="Whether to find where to cut each label's scores, for F1; else at 0.",
    ),
]
Scale = Annotated[
    str,
    _option(
        metavar="HOW",
        help="What to do to the features first: standard, asinh (standard, with far values drawn "
        "in), unit (rows of length 1), tfidf or none. auto is tfidf for counts and for zeros and "
        "ones in many columns, mostly 0; unit for other numbers there; none for text, which is "
        "weighted already; for measurements standard, or asinh if half of the columns have values "
        "far from all others.",
        autocompletion=lambda: list(SCALES),
    ),
]
MinRows = Annotated[
    int, _option(min=1, metavar="N", help="Leave out labels that fewer rows than this have.")
]
Folds = Annotated[
    int | None,
    _option(
        min=2,
        metavar="N",
        help="Folds of the search; without it, each row is left out by itself where that has a "
        "closed form, and else there are five.",
    ),
]
Scoring = Annotated[str, _option(metavar="NAME", help="What the search maximises.")]
HoldOut = Annotated[
    float,
    _option(
        "--hold-out",
        min=0.0,
        max=0.9,
        metavar="SHARE",
        help="Set this share of the rows aside, which is not learned from, so that 'predict "
        "--recall' can promise how complete its sets are.",
    ),
]
Seed = Annotated[int, _option(min=0, metavar="N", help="Of all that is random.")]
Jobs = Annotated[
    int | None, _option("--jobs", "-j", metavar="N", help="Folds at a time; -1 for all cores.")
]
Parameters = Annotated[
    list[str] | None,
    _option(
        "--set", metavar="NAME=VALUE", help="A parameter of the method; may be given several times."
    ),
]
