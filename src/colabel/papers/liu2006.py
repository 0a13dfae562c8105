"""Liu, Jin & Yang (2006): labels from few labelled rows by factorisation, figure 1."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from colabel._terminal import markdown_table
from colabel.classifiers import LabelRidge
from colabel.datasets.dataset import Dataset
from colabel.extractors import PCA
from colabel.metrics import f1_at, precision_at, recall_at
from colabel.papers import protocol as paper
from colabel.papers.figures import save
from colabel.papers.findings import Findings
from colabel.papers.yahoo import dense_labels, narrow
from colabel.semi_supervised import (
    CNMF,
    SGT,
    LabelledOnly,
    RankingCurves,
    SemiSupervisedMLSI,
    plot_ranking,
)

CURVES = {"precision": precision_at, "recall": recall_at, "F1": f1_at}
MAX_RANK = 15
TEXTS = {"Enron": "enron", "Yahoo Arts": "yahoo_arts"}
LABELLED = (100, 500)
#: Directions of MLSI, and of the principal components that it chooses them from.
LATENT, LEADING = 50, 200


def texts(data: Dataset, labelled: int) -> paper.Problem:
    """TF-IDF with unit rows; all rows are given, `labelled` of them with their labels."""
    X = narrow(sp.csr_array(TfidfTransformer().fit_transform(data.X)))
    Y = dense_labels(data)
    return paper.Problem(X, Y, paper.plain_random(len(Y), labelled))


def rank(split: paper.Split, scores: np.ndarray) -> paper.Values:
    """Micro-averaged measures of the unlabelled rows when each is given its k first labels."""
    ranks = np.arange(1, min(MAX_RANK, split.truth.shape[1]) + 1)
    found = {
        name: np.asarray(at(split.truth, scores[split.rows[1]], ranks)).tolist()
        for name, at in CURVES.items()
    }
    return {**found, "highest F1": max(found["F1"])}


def transduce(make: Callable[[], Any]) -> Callable[[paper.Split, paper.Values], paper.Values]:
    """A method that sees all rows, and the labels of some."""

    def run(split: paper.Split, _: paper.Values) -> paper.Values:
        X, Y = split.problem.X, split.problem.Y
        return rank(split, make().fit(X, Y, labelled=_mask(split)).label_scores_)

    return run


def latent(split: paper.Split, _: paper.Values) -> paper.Values:
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


def curves(findings: Findings, title: str) -> RankingCurves:
    """Measures at every rank, over splits."""
    values = {
        name: {
            method: np.array(list(findings.of(title, method, name).values()))
            for method in findings.values.get(title, {})
        }
        for name in CURVES
    }
    first = next(iter(values["F1"].values()))
    return RankingCurves(np.arange(1, first.shape[1] + 1), _label(title), values)


def _label(title: str) -> int:
    return int(title.split(", ")[1].split()[0])


def further_sections(findings: Findings, folder: Path | None) -> str:
    """Where F1 is highest, the curves in numbers, and the figure."""
    parts = []
    for text in TEXTS:
        titles = [t for t in findings.values if t.startswith(f"{text}, ")]
        found = [curves(findings, title) for title in titles]
        for title, of in zip(titles, found, strict=True):
            peaks = _peaks(findings, title)
            parts.append(f"## {title}, by rank\n\n{peaks}\n\n{of.to_markdown()}")
        if found and folder is not None:
            name = f"liu2006_{TEXTS[text]}.svg"
            parts.append(save(plot_ranking(found), folder / name, f"{text} by rank"))
    return "\n\n".join(parts)


def in_words(findings: Findings) -> str:
    """Where CNMF stands, from both starts."""
    places: dict[str, list[str]] = {name: [] for name in ("CNMF", "CNMF (random start)")}
    for title, methods in findings.values.items():
        means = {name: findings.mean(title, name, "highest F1") or 0.0 for name in methods}
        order = sorted(means, key=lambda name: -means[name])
        for name in places.keys() & means.keys():
            place = f"{order.index(name) + 1} of {len(order)} ({means[name]:.3f})"
            places[name].append(f"{title}: {place}")
    return (
        f"By the highest F1, the place of CNMF from our start: {'; '.join(places['CNMF'])}. From "
        f"the random start of the paper: {'; '.join(places['CNMF (random start)'])}. The paper has "
        "it first throughout."
    )


def _peaks(findings: Findings, title: str) -> str:
    """Where the mean F1 is highest, and on how many splits a method's highest is above ridge's."""
    ridge = findings.of(title, "ridge", "highest F1")
    rows = []
    for method in findings.values[title]:
        peak = np.mean(list(findings.of(title, method, "F1").values()), axis=0)
        highest = findings.of(title, method, "highest F1")
        shared = highest.keys() & ridge.keys()
        above = sum(highest[split] > ridge[split] for split in shared)
        wins = "" if method == "ridge" else f"{above} of {len(shared)} splits"
        rows.append((method, f"{peak.max():.3f}", int(np.argmax(peak)) + 1, wins))
    return markdown_table(["", "highest mean F1", "at rank", "above ridge in"], rows)


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
    measures=(paper.Measure("highest F1"),),
    published={},
    n_splits=10,
    paper_splits=10,
    more=further_sections,
    draws=True,
    words=in_words,
)
