"""Figures 1 to 7 of Sun, Ji & Ye (2008): sizes, ridges and seconds."""

from collections.abc import Sequence
from functools import partial

from colabel.metrics import roc_auc
from colabel.papers import protocol as paper
from colabel.papers.claims import Test, above, as_close, below, grows_less, lifts, rises
from colabel.papers.curves import Curves, Point, figure
from colabel.papers.ji2008_figures import REPEATS, seconds_of
from colabel.papers.sun2008 import MEAN_ROC
from colabel.papers.sun2008_methods import (
    IMAGE_RIDGES,
    LAPLACIANS,
    SOURCES,
    TEXT_RIDGES,
    hypergraph,
    numbers,
    projected_scores,
    texts,
)
from colabel.papers.sun2008_methods import methods as table_methods

TITLE = "Sun, Ji & Ye (2008), Hypergraph spectral learning for multi-label classification"
FORMS = {"HG": False, "lsHG": True}
SIZES = range(100, 901, 100)
#: What the ridge is where time alone is measured.
TIMED_RIDGE = 1.0
SECONDS = "seconds"
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


def timed(laplacian: str, approximate: bool) -> paper.Method:
    """The fastest of three fits."""
    make = hypergraph(LAPLACIANS[laplacian], approximate)

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        fits = [seconds_of(lambda: make(TIMED_RIDGE).fit(X, Y)) for _ in range(REPEATS)]
        return {SECONDS: min(fits)}

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


def by_time(
    number: int,
    x: str,
    sources: dict[float, tuple[str, paper.Source]],
    forms: dict[str, bool],
    levels: dict[str, float],
    words: str,
    claims: dict[str, Test],
) -> paper.Protocol:
    """Figures 5 to 7."""
    methods = {f"{form} {symbol}": (form, symbol) for symbol in LAPLACIANS for form in forms}
    return figure(
        f"sun2008_figure{number}",
        f"{TITLE}, figure {number}",
        f"{words} Of the processor, one thread; the fastest of {REPEATS} fits with λ = "
        f"{TIMED_RIDGE:g}. The paper's exact form solves an eigenproblem of the size of the "
        "features, and its least-squares form LSQR, in MATLAB on a laptop of 2008; here one solver "
        f"serves both forms.{' Dotted is what its text says.' if levels else ''}",
        Curves(
            [
                Point(symbol, form, value, title, name, SECONDS)
                for name, (form, symbol) in methods.items()
                for value, (title, _) in sources.items()
            ],
            x,
            SECONDS,
            levels=levels,
        ),
        dict(sources.values()),
        {name: timed(symbol, forms[form]) for name, (form, symbol) in methods.items()},
        timed=True,
        claims=[paper.Claim(text, f"figure {number}", test) for text, test in claims.items()],
    )


def _arts(size: int, terms: int) -> tuple[str, paper.Source]:
    source = paper.Source("yahoo_arts", partial(texts, size=size, terms=terms))
    return f"Arts, {size} rows, {terms} terms", source


def _computers(terms: int) -> tuple[str, paper.Source]:
    source = paper.Source("yahoo5k_computers", partial(texts, size=None, terms=terms))
    return f"Computers, all rows, {terms} terms", source


#: What is to take longer than what.
_SLOWER = {exact: fast for fast, exact in BOTH.items()}
FIGURES = {
    1: by_size(1, "Scene", "scene", 294),
    2: by_size(2, "Yeast", "yeast", 103),
    3: by_ridge(3, "Scene", SOURCES["Scene"], IMAGE_RIDGES),
    4: by_ridge(4, "Arts", SOURCES["Arts"], TEXT_RIDGES),
    5: by_time(
        5,
        "terms",
        {terms: _arts(2000, terms) for terms in (500, 1000, 2000, 4000, 8000)},
        FORMS,
        {"lsHG in the paper, at most": 0.5},
        "Seconds on 2000 pages of Arts, against the number of terms.",
        {
            "the time of both forms rises steadily with the number of terms": rises(
                [*BOTH, *BOTH.values()], SECONDS
            ),
            "the least-squares form takes substantially less time": above(_SLOWER, SECONDS),
            "the least-squares form takes less than 0.5 seconds": below([*BOTH], SECONDS, 0.5),
        },
    ),
    6: by_time(
        6,
        "training rows",
        {size: _arts(size, 2000) for size in (500, 1000, 2000, 3000)},
        FORMS,
        {},
        "Seconds on Arts with 2000 terms, against the number of training pages.",
        {
            "the least-squares form is much more scalable in rows": grows_less(BOTH, SECONDS),
            "the least-squares form takes less time": above(_SLOWER, SECONDS),
        },
    ),
    7: by_time(
        7,
        "terms",
        {terms: _computers(terms) for terms in (100, 200, 400, 681)},
        {"lsHG": True},
        {"the paper, at most": 9.0},
        "Seconds of the least-squares form on all pages of Computers but one, against the number "
        "of terms; the copy here has 5000 pages and 681 words, the paper 6270 and 34096.",
        {
            "the least-squares forms take less than 9 seconds in all cases (here of at most 681 "
            "terms)": below([*BOTH], SECONDS, 9.0)
        },
    ),
}
