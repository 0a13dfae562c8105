"""Figures 1 and 2 of Ji, Tang, Yu & Ye (2008): what time is taken, and how penalties matter."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from colabel.classifiers import SharedSubspaceClassifier
from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers import ji2008_methods as ji2008
from colabel.papers import protocol as paper
from colabel.papers.claims import moves, ordered, ratio
from colabel.papers.curves import Curves, Point, figure
from colabel.papers.margins import LibSVM
from colabel.papers.yahoo import pages
from colabel.tuning import SharedSubspaceClassifierCV

TITLE = "Ji, Tang, Yu & Ye (2008), Extracting shared subspace for multi-label classification"
#: The paper's two sets, and two that stand for them where they are not to be had.
TIMED = ("Health", "Science", "Arts", "Education")
SIZES = (250, 500, 1000)
FIXED, TUNED = "seconds, fixed parameters", "seconds, with tuning"
GRIDDED = ("Arts", "Recreation", "Science")
#: As the paper's figure has them.
PENALTIES = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


def seconds_of(work: Callable[[], Any]) -> float:
    """How long something takes of the processor, in a process of one thread."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def timed(fit: Callable[[Any, Any], Any], tune: paper.Method) -> paper.Method:
    """A fit with parameters as they are, and all of a split, tuning included."""

    def run(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        return {
            FIXED: seconds_of(lambda: fit(X, Y)),
            TUNED: seconds_of(lambda: tune(split, parameters)),
        }

    return run


def grid(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """Macro F1 over five folds, of every pair of penalties."""
    folds = split.splitter(ji2008.FOLDS)
    model = SharedSubspaceClassifierCV(
        PENALTIES, PENALTIES, thresholds="train", cv=folds, verbose=False
    )
    alphas, betas, scores = model.fit(split.factored, split.Y).grid_scores()
    return {
        _cell(alpha, beta): float(scores[i, j])
        for i, alpha in enumerate(alphas)
        for j, beta in enumerate(betas)
        if alpha in PENALTIES and beta in PENALTIES
    }


def _cell(alpha: float, beta: float) -> str:
    return f"α = {alpha:g}, β = {beta:g}"


def _inside(found: ComparisonData) -> paper.Verdict | None:
    """Whether the best pair of penalties is at no end of either list."""
    best = {}
    for data in found.datasets:
        scores = {
            (alpha, beta): spread_of(found, data.name, "ML_LS", _cell(alpha, beta)).mean or 0.0
            for alpha in PENALTIES
            for beta in PENALTIES
        }
        best[data.name] = max(scores, key=scores.__getitem__)
    ends = (PENALTIES[0], PENALTIES[-1])
    right = all(value not in ends for pair in best.values() for value in pair)
    said = "; ".join(f"{title}: {_cell(*pair)}" for title, pair in best.items())
    return (paper.HOLDS if right else paper.FAILS), said


def _source(title: str, size: int = 1000) -> paper.Source:
    return paper.Source(f"yahoo_{title.lower()}", partial(pages, size=size))


_TIMED_METHODS = {
    "ML_LS": timed(SharedSubspaceClassifier(0.1, 0.001).fit, ji2008.shared_subspace("train")),
    "SVM": timed(LibSVM(1.0).fit, ji2008.linear_svm(ji2008.COSTS)),
    "ASO-SVM": timed(
        ji2008.aso(0.01).fit, ji2008.one_parameter(ji2008.aso, ji2008.ALPHAS, ji2008.hasty_aso)
    ),
}

FIGURES = {
    1: figure(
        "ji2008_figure1",
        f"{TITLE}, figure 1",
        "Seconds of the processor, one thread, of a fit with parameters as they are (α = 0.1, β = "
        "0.001; C = 1; ASO with α = 0.01), and of tuning and the fit, against the "
        "number of training pages. The paper's "
        "figure has Health and Science; Arts and Education stand beside them. It differs in the "
        "sizes (the paper does not say which), the "
        "solvers (SVD and MOSEK there), in the candidates (those of the tables here) and "
        "in the machine: only the order and the growth can be compared.",
        Curves(
            [
                Point(
                    f"{title}: {measure}", method, size, f"{title}, {size} pages", method, measure
                )
                for title in TIMED
                for measure in (FIXED, TUNED)
                for method in _TIMED_METHODS
                for size in SIZES
            ],
            "training pages",
            "seconds",
            ("log", "log"),
        ),
        {f"{title}, {size} pages": _source(title, size) for title in TIMED for size in SIZES},
        _TIMED_METHODS,
        timed=True,
        claims=[
            paper.Claim(
                "SVM is the fastest and ASO the slowest",
                "figure 1",
                ordered(["ASO-SVM", "ML_LS", "SVM"], FIXED),
            ),
            paper.Claim(
                "SVM is the fastest and ASO the slowest, tuning included",
                "figure 1",
                ordered(["ASO-SVM", "ML_LS", "SVM"], TUNED),
            ),
            paper.Claim(
                "the difference between ML_LS and SVM is small",
                "section 5.3",
                ratio("ML_LS", "SVM", FIXED),
            ),
            paper.Claim(
                "the time of ML_LS does not depend on the number of labels",
                "section 5.3",
                reason="the number of labels is not varied here",
            ),
        ],
    ),
    2: figure(
        "ji2008_figure2",
        f"{TITLE}, figure 2",
        "Macro F1 in the mean over five folds of 1000 pages, for every pair of penalties; a line "
        "for each α. The paper draws the same as surfaces, without numbers.",
        Curves(
            [
                Point(title, f"α = {alpha:g}", place, title, "ML_LS", _cell(alpha, beta))
                for title in GRIDDED
                for alpha in PENALTIES
                for place, beta in enumerate(PENALTIES)
            ],
            "β",
            "macro F1",
            places=PENALTIES,
        ),
        {title: _source(title) for title in GRIDDED},
        {"ML_LS": grid},
        claims=[
            paper.Claim(
                "macro F1 is highest at intermediate values of α and β", "figure 2", _inside
            ),
            paper.Claim(
                "the performance is sensitive to α and β",
                "figure 2",
                moves(["ML_LS"], [_cell(alpha, beta) for alpha in PENALTIES for beta in PENALTIES]),
            ),
        ],
    ),
}
