"""Figures 5 to 7 of Sun, Ji & Ye (2008): seconds, by the library's solvers and by the paper's."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.family import similarity
from colabel.family.similarity import Laplacian
from colabel.hypergraph import HypergraphSpectral
from colabel.linalg.rank import rounding
from colabel.papers import protocol as paper
from colabel.papers.claims import Test, above, below, grows_less, rises
from colabel.papers.curves import Curves, Point, figure
from colabel.papers.ji2008_figures import REPEATS, seconds_of
from colabel.papers.sun2008_methods import LAPLACIANS, texts

TITLE = "Sun, Ji & Ye (2008), Hypergraph spectral learning for multi-label classification"
SECONDS, DONE = "seconds", "share of solves that LSQR ends itself"
#: What the ridge is where time alone is measured.
RIDGE = 1.0
#: Iterations of LSQR, which the paper finds enough in most cases.
ITERATIONS = 100


def _fastest(fit: Callable[[Any, Any], Any]) -> paper.Method:
    """Of some fits."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        return {SECONDS: min(seconds_of(lambda: fit(X, Y)) for _ in range(REPEATS))}

    return run


def by_library(laplacian: Laplacian, **how: Any) -> paper.Method:
    """HG, or lsHG, as users have it, or by a solver that is named."""
    return _fastest(HypergraphSpectral(laplacian=laplacian, **how).fit)


def targets(Y: np.ndarray, laplacian: Laplacian) -> np.ndarray:
    """H: the left singular vectors of the centred root of S, of theorem 4.2."""
    S = similarity.hypergraph(np.asarray(Y, dtype=np.float64), laplacian)
    R = np.asarray(S.root)
    root = S.labels * R if R.ndim == 1 else S.labels @ R
    U, s, _ = np.linalg.svd(root - root.mean(axis=0), full_matrices=False)
    return np.asarray(U[:, s**2 > rounding(np.float64, np.sum(s**2))])


def solve_by_lsqr(X: Any, H: np.ndarray, ridge: float) -> tuple[np.ndarray, float]:
    """[b; W] of Eq. 30, a column after the other; and how many were found in time, as a share."""
    extended = sp.csr_array(sp.hstack([sp.csr_array(np.ones((X.shape[0], 1))), X]))
    found = [lsqr(extended, h, damp=np.sqrt(ridge), iter_lim=ITERATIONS)[:2] for h in H.T]
    at_the_limit = [reason == 7 for _, reason in found]
    return np.column_stack([w for w, _ in found]), 1.0 - float(np.mean(at_the_limit))


def by_lsqr(laplacian: Laplacian, ridge: float) -> paper.Method:
    """The least-squares form as the paper solves it."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y, done = split.X, split.Y, []

        def fit() -> None:
            done.append(solve_by_lsqr(X, targets(Y, laplacian), ridge)[1])

        return {SECONDS: min(seconds_of(fit) for _ in range(REPEATS)), DONE: done[0]}

    return run


#: What is timed, by Laplacian: a line of the figure each.
Line = Callable[[Laplacian], paper.Method]
EXACT, FAST = "HG, factored", "lsHG, LSQR"
FAST_WITHOUT = "lsHG without λ, LSQR"
LINES: dict[str, Line] = {
    "HG": lambda laplacian: by_library(laplacian, ridge=RIDGE),
    "lsHG": lambda laplacian: by_library(laplacian, ridge=RIDGE, approximate=True),
    EXACT: lambda laplacian: by_library(laplacian, ridge=RIDGE, solver="factor"),
    FAST: lambda laplacian: by_lsqr(laplacian, RIDGE),
    FAST_WITHOUT: lambda laplacian: by_lsqr(laplacian, 0.0),
}


def _named(line: str, symbol: str) -> str:
    """A line of a panel, as a method."""
    form, _, how = line.partition(", ")
    return f"{form} {symbol}" + (f", {how}" if how else "")


def _all(*lines: str) -> list[str]:
    return [_named(line, symbol) for line in lines for symbol in LAPLACIANS]


def _pairs(line: str, other: str) -> dict[str, str]:
    return {_named(line, symbol): _named(other, symbol) for symbol in LAPLACIANS}


def _mostly_done(lines: Sequence[str]) -> Test:
    """Whether LSQR ends by itself in most cases."""

    def test(found: ComparisonData) -> paper.Verdict | None:
        spreads = (spread_of(found, d.name, m, DONE) for d in found.datasets for m in _all(*lines))
        shares = [spread.mean for spread in spreads if spread.mean is not None]
        if not shares:
            return None
        said = f"{np.mean(shares):.0%} of the solves end before"
        return (paper.HOLDS if 2 * np.mean(shares) > 1 else paper.FAILS), said

    return test


def by_time(
    number: int,
    x: str,
    sources: Mapping[str, Mapping[float, tuple[str, paper.Source]]],
    lines: Iterable[str],
    levels: Mapping[str, float],
    words: str,
    claims: Mapping[str, Test],
) -> paper.Protocol:
    """A figure of seconds; sources by data set and x."""
    made = {_named(line, symbol): (line, symbol) for symbol in LAPLACIANS for line in lines}
    every = [(text, x, *of) for text, by_x in sources.items() for x, of in by_x.items()]
    return figure(
        f"sun2008_figure{number}",
        f"{TITLE}, figure {number}",
        f"{words} Of the processor, one thread; the fastest of {REPEATS} fits with λ = {RIDGE:g}. "
        "The library has one solver for both forms. The paper solves an eigenproblem for the exact "
        "one and takes LSQR for the least-squares form, in MATLAB on a laptop of 2008: so do "
        f"“factored”, by the decomposition of X, and “LSQR”, scipy's with at most {ITERATIONS} "
        f"iterations.{' Dotted is what its text says.' if levels else ''}",
        Curves(
            [
                Point(f"{text}{symbol}", line, value, title, name, SECONDS)
                for name, (line, symbol) in made.items()
                for text, value, title, source in every
                if source.methods is None or name in source.methods
            ],
            x,
            SECONDS,
            levels=levels,
        ),
        {title: source for _, _, title, source in every},
        {name: LINES[line](LAPLACIANS[symbol]) for name, (line, symbol) in made.items()},
        timed=True,
        claims=[paper.Claim(text, f"figure {number}", test) for text, test in claims.items()],
        told=[DONE],
    )


def _arts(size: int | None, terms: int) -> tuple[str, paper.Source]:
    source = paper.Source("yahoo_arts", partial(texts, size=size, terms=terms))
    return f"Arts, {'all' if size is None else size} rows, {terms} terms", source


def _computers(terms: int) -> tuple[str, paper.Source]:
    source = paper.Source("yahoo5k_computers", partial(texts, size=None, terms=terms))
    return f"Computers, all rows, {terms} terms", source


def _by_lsqr_alone(named: tuple[str, paper.Source]) -> tuple[str, paper.Source]:
    """Where the library's solvers take minutes for what is not in the paper."""
    title, source = named
    return title, replace(source, methods=_all(FAST, FAST_WITHOUT))


#: The paper's sizes, of rows and of terms.
STEPS = range(500, 3001, 500)
ENOUGH = f"{ITERATIONS} iterations of LSQR are enough in most cases"
FIGURES = {
    5: by_time(
        5,
        "terms",
        {"": {terms: _arts(2000, terms) for terms in STEPS}},
        ("HG", "lsHG", EXACT, FAST),
        {"lsHG in the paper, at most": 0.5},
        "Seconds on 2000 pages of Arts, against the number of terms.",
        {
            "the time of both forms rises steadily with the number of terms": rises(
                _all(EXACT, FAST), SECONDS
            ),
            "the least-squares form takes substantially less time": above(
                _pairs(EXACT, FAST), SECONDS
            ),
            "(the same by the library, which has one solver for both)": above(
                _pairs("HG", "lsHG"), SECONDS
            ),
            "the least-squares form takes less than 0.5 seconds": below(
                _all("lsHG", FAST), SECONDS, 0.5
            ),
            ENOUGH: _mostly_done([FAST]),
        },
    ),
    6: by_time(
        6,
        "training rows",
        {"": {size: _arts(size, 2000) for size in STEPS}},
        ("HG", "lsHG", EXACT, FAST),
        {},
        "Seconds on Arts with 2000 terms, against the number of training pages.",
        {
            "the least-squares form is much more scalable in rows": grows_less(
                _pairs(FAST, EXACT), SECONDS
            ),
            "(the same by the library)": grows_less(_pairs("lsHG", "HG"), SECONDS),
            "the least-squares form takes less time": above(_pairs(EXACT, FAST), SECONDS),
        },
    ),
    7: by_time(
        7,
        "terms",
        {
            "Computers: ": {terms: _computers(terms) for terms in (100, 200, 400, 681)},
            "Arts: ": {
                terms: _by_lsqr_alone(_arts(None, terms)) for terms in (1000, 4000, 16000, 23146)
            },
        },
        ("lsHG", FAST, FAST_WITHOUT),
        {"the paper, at most": 9.0},
        "Seconds of the least-squares form on all pages of Computers but one, against the number "
        "of terms; the copy here has 5000 pages and 681 words, the paper 6270 and 34096, so that "
        "all but one of the 7484 pages of Arts stand beside them.",
        {
            "the least-squares forms take less than 9 seconds in all cases (here of at most 23146 "
            "terms)": below(_all("lsHG", FAST, FAST_WITHOUT), SECONDS, 9.0),
            ENOUGH: _mostly_done([FAST, FAST_WITHOUT]),
        },
    ),
}
