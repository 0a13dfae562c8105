"""Figures 1 to 7 of Sun, Ji & Ye (2008): sizes and ridges, and those of seconds beside them."""

from collections.abc import Sequence
from functools import partial

from colabel.metrics import roc_auc
from colabel.papers import protocol as paper
from colabel.papers.claims import as_close, lifts
from colabel.papers.curves import Curves, Point, figure
from colabel.papers.sun2008 import MEAN_ROC
from colabel.papers.sun2008_methods import (
    IMAGE_RIDGES,
    LAPLACIANS,
    SOURCES,
    TEXT_RIDGES,
    hypergraph,
    numbers,
    projected_scores,
)
from colabel.papers.sun2008_methods import methods as table_methods
from colabel.papers.sun2008_times import FIGURES as TIMES
from colabel.papers.sun2008_times import TITLE

FORMS = {"HG": False, "lsHG": True}
SIZES = range(100, 901, 100)
#: Both forms of each Laplacian, without a ridge and, as the paper's table calls them, with one.
BOTH = {f"lsHG {symbol}": f"HG {symbol}" for symbol in LAPLACIANS}
BOTH_WITH_RIDGE = {f"{a} λ": f"{b} λ" for a, b in BOTH.items()}


def at_ridges(laplacian: str, approximate: bool, ridges: Sequence[float]) -> paper.Method:
    """The mean ROC score of test rows with every ridge, and without one."""
    make = hypergraph(LAPLACIANS[laplacian], approximate)

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        def score(ridge: float) -> float:
            found = projected_scores(make(ridge), split.factored, split.Y, split.new)
            return float(roc_auc(split.truth, found))

        return {_at(ridge): score(ridge) for ridge in (0.0, *ridges)}

    return run


def _at(ridge: float) -> str:
    return f"λ = {ridge:g}"


def by_size(number: int, title: str, file: str, features: int) -> paper.Protocol:
    """Figures 1 and 2."""
    methods = {f"{form} {symbol}": symbol for symbol in LAPLACIANS for form in FORMS}
    every = table_methods()
    return figure(
        f"sun2008_figure{number}",
        f"{TITLE}, figure {number}",
        f"The mean ROC score on {title} without a ridge, against the number of training rows "
        "divided by that of the features. Splits: {splits} (the paper: 10). Dotted is the paper's "
        "table 2, of 900 rows.",
        Curves(
            [
                Point(
                    symbol, name.split()[0], size / features, _rows(title, size), name, "mean ROC"
                )
                for name, symbol in methods.items()
                for size in SIZES
            ],
            "training rows / features",
            "mean ROC",
            published=_published(title, [""]),
        ),
        {_rows(title, size): paper.Source(file, partial(numbers, size=size)) for size in SIZES},
        {name: every[name] for name in methods},
        n_splits=5,
        claims=[
            paper.Claim(
                f"the performance of both forms is very close for all Laplacians ({title})",
                f"figure {number}",
                as_close(BOTH, "mean ROC", MEAN_ROC),
            )
        ],
    )


def _rows(title: str, size: int) -> str:
    return f"{title}, {size} rows"


def _published(title: str, suffixes: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of the paper's table, by Laplacian and line."""
    return {
        symbol: {
            f"{form}{suffix}": MEAN_ROC[title][f"{form} {symbol}{suffix}"][0]
            for form in FORMS
            for suffix in suffixes
        }
        for symbol in LAPLACIANS
    }


def by_ridge(
    number: int, title: str, source: paper.Source, ridges: Sequence[float]
) -> paper.Protocol:
    """Figures 3 and 4."""
    points = [
        Point(symbol, f"{form}{suffix}", place, title, f"{form} {symbol}", _at(value))
        for symbol in LAPLACIANS
        for form in FORMS
        for place, ridge in enumerate(ridges)
        for suffix, value in ((" λ", ridge), ("", 0.0))
    ]
    return figure(
        f"sun2008_figure{number}",
        f"{TITLE}, figure {number}",
        f"The mean ROC score on {title} for each ridge of the paper, and without one. "
        "Splits: {splits} (the paper: 10). Dotted is the paper's table 2, with the ridge that "
        "cross-validation finds.",
        Curves(points, "λ", "mean ROC", places=ridges, published=_published(title, ["", " λ"])),
        {title: source},
        {
            f"{form} {symbol}": at_ridges(symbol, approximate, ridges)
            for symbol in LAPLACIANS
            for form, approximate in FORMS.items()
        },
        n_splits=5,
        claims=[
            paper.Claim(
                f"algorithms with regularisation perform much better than those without ({title})",
                f"figure {number}",
                lifts([*BOTH, *BOTH.values()], [_at(ridge) for ridge in ridges], _at(0.0)),
            ),
            paper.Claim(
                f"regularised, both forms are similar in all cases ({title})",
                f"figure {number}",
                as_close(BOTH, [_at(ridge) for ridge in ridges], MEAN_ROC, BOTH_WITH_RIDGE),
            ),
        ],
    )


FIGURES = {
    1: by_size(1, "Scene", "scene", 294),
    2: by_size(2, "Yeast", "yeast", 103),
    3: by_ridge(3, "Scene", SOURCES["Scene"], IMAGE_RIDGES),
    4: by_ridge(4, "Arts", SOURCES["Arts"], TEXT_RIDGES),
    **TIMES,
}
