"""Liu, Jin & Yang (2006): labels from few labelled rows by factorisation, figure 1."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from colabel._terminal import markdown_table
from colabel.classifiers import LabelRidge
from colabel.comparison.result import ComparisonData, DataFacts
from colabel.comparison.stats.standings import spread_of, standings
from colabel.datasets.dataset import Dataset
from colabel.papers import protocol as paper
from colabel.papers.claims import leads
from colabel.papers.figures import save
from colabel.papers.yahoo import narrow
from colabel.semi_supervised import (
    CNMF,
    SGT,
    LabelledOnly,
    RankingCurves,
    SemiSupervisedMLSI,
    plot_ranking,
)
from colabel.semi_supervised.ranking import MEASURES as CURVES
from colabel.variance import PCA

MAX_RANK = 15
TEXTS = {"Enron": "enron", "Yahoo Arts": "yahoo_arts"}
LABELLED = (100, 500)
#: Directions of MLSI, and of the principal components that it chooses them from.
LATENT, LEADING = 50, 200


def texts(data: Dataset, labelled: int) -> paper.Problem:
    """TF-IDF with unit rows; all rows are given, `labelled` of them with their labels."""
    X = narrow(sp.csr_array(TfidfTransformer().fit_transform(data.X)))
    return paper.Problem(replace(data, X=X), paper.plain_random(X.shape[0], labelled))


def rank(split: paper.Split, scores: np.ndarray) -> paper.Scores:
    """Micro-averaged measures of the unlabelled rows when each is given its k first labels."""
    ranks = _ranks(split.truth.shape[1])
    found: paper.Scores = {}
    for name, at in CURVES.items():
        curve = np.asarray(at(split.truth, scores[split.rows[1]], np.array(ranks)))
        found |= {_at(name, k): value for k, value in zip(ranks, curve.tolist(), strict=True)}
    return {**found, "highest F1": max(found[_at("F1", k)] for k in ranks)}


def _at(name: str, rank: int) -> str:
    """What a point of a curve is called."""
    return f"{name} at {rank}"


def transduce(make: Callable[[], Any]) -> paper.Method:
    """A method that sees all rows, and the labels of some."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.problem.X, split.problem.Y
        return rank(split, make().fit(X, Y, labelled=_mask(split)).label_scores_)

    return run


def latent(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """MLSI and an SVM, in the leading principal components of all rows.

    Without them each fit solves with a factor as large as the square of the number of rows,
    hundreds of times: minutes on Arts, where the components are found once for all splits.
    """
    problem = split.problem
    Z = problem.once("leading", lambda: _leading(problem.X))
    model = LabelledOnly(paper.svm(), SemiSupervisedMLSI(min(LATENT, Z.shape[1]), random_state=0))
    return rank(split, model.fit(Z, problem.Y, labelled=_mask(split)).label_scores_)


def _leading(X: Any) -> np.ndarray:
    components = min(LEADING, min(X.shape) - 2)
    return PCA(components, solver="truncated", tol=1e-6, random_state=0).fit(X).transform(X)


def _mask(split: paper.Split) -> np.ndarray:
    return np.isin(np.arange(len(split.problem.Y)), split.rows[0])


def random_start() -> CNMF:
    """As the paper has it: a random start, and no rows hidden to stop by."""
    return CNMF(init="random", early_stopping=False, tol=0.0, random_state=0)


def curves(found: ComparisonData, data: DataFacts) -> RankingCurves:
    """Measures at every rank, over splits, of the methods that finished any."""
    ranks = _ranks(data.labels)
    values: dict[str, dict[str, list[list[float | None]]]] = {name: {} for name in CURVES}
    for result in found.results:
        if result.dataset == data.name and result.status == "ok":
            for name, of in values.items():
                curve = [result.scores[_at(name, k)] for k in ranks]
                of.setdefault(result.method, []).append(curve)
    arrays = {
        name: {method: np.array(rows, dtype=float) for method, rows in of.items()}
        for name, of in values.items()
    }
    return RankingCurves(np.array(ranks), data.splits.train_rows, arrays)


def _ranks(n_labels: int) -> range:
    return range(1, min(MAX_RANK, n_labels) + 1)


def further_sections(found: ComparisonData, folder: Path | None) -> str:
    """Where F1 is highest, the curves in numbers, and the figure."""
    parts = []
    for text, file in TEXTS.items():
        sets = [data for data in found.datasets if data.name.startswith(f"{text}, ")]
        drawn = {data.name: of for data in sets if (of := curves(found, data)).values["F1"]}
        for name, of in drawn.items():
            parts.append(f"## {name}, by rank\n\n{_peaks(found, name, of)}\n\n{of.to_markdown()}")
        if drawn and folder is not None:
            picture = folder / f"liu2006_{file}.svg"
            parts.append(save(plot_ranking(list(drawn.values())), picture, f"{text} by rank"))
    return "\n\n".join(parts)


def in_words(found: ComparisonData) -> str:
    """Where CNMF stands, from both starts."""
    places: dict[str, list[str]] = {name: [] for name in ("CNMF", "CNMF (random start)")}
    for data in found.datasets:
        table = standings(found, data.name, "highest F1")
        for place, standing in enumerate(table, 1):
            mean = standing.score.mean
            if standing.name in places and mean is not None:
                said = f"{data.name}: {place} of {len(table)} ({mean:.3f})"
                places[standing.name].append(said)
    return (
        f"By the highest F1, the place of CNMF from our start: {'; '.join(places['CNMF'])}. From "
        f"the random start of the paper: {'; '.join(places['CNMF (random start)'])}. The paper has "
        "it first throughout."
    )


def _peaks(found: ComparisonData, dataset: str, of: RankingCurves) -> str:
    """Where the mean F1 is highest, and on how many splits a method's highest is above ridge's."""
    ridge = spread_of(found, dataset, "ridge", "highest F1").values
    rows = []
    for method, values in of.values["F1"].items():
        peak = values.mean(axis=0)
        highest = spread_of(found, dataset, method, "highest F1").values
        pairs = [
            (a, b) for a, b in zip(highest, ridge, strict=True) if a is not None and b is not None
        ]
        above = sum(a > b for a, b in pairs)
        wins = "" if method == "ridge" else f"{above} of {len(pairs)} splits"
        rows.append((method, f"{peak.max():.3f}", int(np.argmax(peak)) + 1, wins))
    return markdown_table(["", "highest mean F1", "at rank", "above ridge in"], rows)


def _peak_between(found: ComparisonData) -> paper.Verdict | None:
    """Where the F1 of CNMF is highest."""
    peaks = {
        data.name: int(np.argmax(of.mean(axis=0))) + 1
        for data in found.datasets
        if (of := curves(found, data).values["F1"].get("CNMF (random start)")) is not None
    }
    said = "; ".join(f"{name}: rank {peak}" for name, peak in peaks.items())
    inside = all(3 <= peak <= 4 for peak in peaks.values())
    return ((paper.HOLDS if inside else paper.FAILS), said) if peaks else None


_THEIRS = ("SGT", "MLSI+SVM", "SVM")
DIFFERS = (
    paper.Difference("data: Enron and the Arts pages of Yahoo for the paper's photographs"),
    paper.Difference("averages: micro, as its figure says; its text averages over documents"),
    paper.Difference("MLSI: 50 directions of 200 components; tuned by cross-validation there"),
    paper.Difference("CNMF: at most 200 rounds from a random start; the paper does not say"),
)
CLAIMS = (
    paper.Claim(
        "CNMF is above SGT, MLSI and SVM",
        "figure 1",
        leads("CNMF (random start)", _THEIRS, "highest F1"),
    ),
    paper.Claim(
        "(the same from our start, which is not the paper's)",
        "figure 1",
        leads("CNMF", _THEIRS, "highest F1"),
    ),
    paper.Claim("the F1 of CNMF is highest at rank 3 to 4", "figure 1", _peak_between),
)

PROTOCOL = paper.Protocol(
    name="liu2006",
    citation="Liu, Jin & Yang (2006), Semi-supervised multi-label learning by constrained "
    "non-negative matrix factorization, figure 1",
    about=(
        "{splits} random choices of 100 or 500 labelled rows; the unlabelled rows are ranked and "
        "judged. TF-IDF, unit rows. Precision, recall and F1 are micro-averaged, each row being "
        "given its k highest labels. The paper's photographs are not to be had: Enron and the "
        "Arts pages of Yahoo stand for them, and the paper's curves, which it gives as a picture, "
        "for nothing but their order: CNMF above SGT, MLSI and SVM, its F1 highest at rank 3 to 4 "
        "with 4.5 labels a row. CNMF has C = 100, from the paper's random start and from ours, "
        f"labels spread over similar rows with early stopping; MLSI has {LATENT} directions, "
        f"found among the {LEADING} leading principal components."
    ),
    sources={
        f"{text}, {n} labelled": paper.Source(file, partial(texts, labelled=n))
        for text, file in TEXTS.items()
        for n in LABELLED
    },
    tables={1: tuple(f"{text}, {n} labelled" for text in TEXTS for n in LABELLED)},
    methods={
        "CNMF (random start)": paper.Procedure(transduce(random_start)),
        "CNMF": paper.Procedure(transduce(lambda: CNMF(random_state=0))),
        "SGT": paper.Procedure(transduce(lambda: SGT(random_state=0))),
        "MLSI+SVM": paper.Procedure(latent),
        "SVM": paper.Procedure(transduce(lambda: LabelledOnly(paper.svm()))),
        "ridge": paper.Procedure(transduce(lambda: LabelledOnly(LabelRidge()))),
    },
    measures=(paper.measure("highest F1"),),
    further=[paper.measure(_at(name, k)) for name in CURVES for k in range(1, MAX_RANK + 1)],
    published={},
    n_splits=10,
    paper_splits=10,
    more=further_sections,
    draws=True,
    words=in_words,
    differs=DIFFERS,
    claims=CLAIMS,
)
