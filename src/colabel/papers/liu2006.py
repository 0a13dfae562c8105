"""Liu, Jin & Yang (2006): labels from few labelled rows by factorisation, figure 1."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from colabel._terminal import markdown_table
from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of, standings
from colabel.papers import protocol as paper
from colabel.papers.effects import experiment
from colabel.papers.figures import save
from colabel.papers.liu2006_claims import CLAIMS, THEIRS, curves
from colabel.papers.liu2006_methods import (
    BY_ROWS,
    LABELLED,
    LEADING,
    MAX_RANK,
    METHODS,
    TEXTS,
    at_rank,
    latent,
    random_start,
    svm_by_gram,
    texts,
    transduce,
    untuned,
)
from colabel.semi_supervised import RankingCurves, plot_ranking
from colabel.semi_supervised.ranking import MEASURES as CURVES


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


def _sources(use_idf: bool) -> dict[str, paper.Source]:
    return {
        f"{text}, {n} labelled": paper.Source(file, partial(texts, labelled=n, use_idf=use_idf))
        for text, file in TEXTS.items()
        for n in LABELLED
    }


SOURCES = _sources(use_idf=True)
#: The sets whose terms have no weights but their frequencies, and what is run on them.
_OF_COUNTS = {title: f"{title}, frequencies" for title in SOURCES}
_ON_COUNTS = ("CNMF (random start)", "SVM")
_COUNTED = {
    _OF_COUNTS[title]: replace(source, methods=_ON_COUNTS)
    for title, source in _sources(use_idf=False).items()
}
_ROUNDS = "CNMF (random start), 200 rounds"
DIFFERS = (
    paper.Difference(
        "data: Enron and the Arts pages of Yahoo for the paper's photographs", unseen=paper.NO_DATA
    ),
    paper.Difference(
        "averages: micro, as its figure says (otherwise: over documents, as its text says)",
        tuple(
            paper.Otherwise(name, name, measures={"highest F1": BY_ROWS})
            for name in ("CNMF (random start)", *THEIRS)
        ),
    ),
    paper.Difference(
        "CNMF: from a random start until a round changes the objective by 1e-5 of it, at most 2000 "
        "rounds; the paper says until convergence (otherwise: 200 rounds)",
        (paper.Otherwise("CNMF (random start)", _ROUNDS),),
    ),
    paper.Difference(
        "MLSI: 10 or 50 directions of 200 components, β of 0.25 to 0.75, by 3-fold "
        "cross-validation; the paper names no candidates (otherwise: 50 and 0.5)",
        (paper.Otherwise("MLSI+SVM", "MLSI+SVM, untuned"),),
    ),
    paper.Difference(
        "terms: TF-IDF, unit rows; the paper has “weighted term frequency” and names no weights "
        "(otherwise: term frequencies alone, unit rows; Enron has no more than 0 and 1)",
        tuple(paper.Otherwise(name, name, sets=_OF_COUNTS) for name in _ON_COUNTS),
    ),
)
CITATION = (
    "Liu, Jin & Yang (2006), Semi-supervised multi-label learning by constrained non-negative "
    "matrix factorization, figure 1"
)
MEASURES = (paper.measure("highest F1"),)
FURTHER = [
    paper.measure(BY_ROWS),
    *(paper.measure(at_rank(name, k)) for name in CURVES for k in range(1, MAX_RANK + 1)),
]
CHOICES = replace(
    experiment(
        "liu2006",
        CITATION,
        {**SOURCES, **_COUNTED},
        {
            "CNMF (random start)": METHODS["CNMF (random start)"],
            "MLSI+SVM": latent,
            "SVM": svm_by_gram,
            _ROUNDS: transduce(partial(random_start, tol=0.0, max_iter=200)),
            "MLSI+SVM, untuned": untuned,
        },
        MEASURES,
    ),
    further=FURTHER,
)

PROTOCOL = paper.Protocol(
    name="liu2006",
    citation=CITATION,
    about=(
        "Random choices of 100 and of 500 labelled rows, {splits} of each; the unlabelled rows are "
        "ranked and judged. TF-IDF, unit rows. Precision, recall and F1 are micro-averaged, each "
        "row being given its k highest labels. The paper's photographs are not to be had: Enron "
        "and the "
        "Arts pages of Yahoo stand for them, and the paper's curves, which it gives as a picture, "
        "for nothing but their order: CNMF above SGT, MLSI and SVM, its F1 highest at rank 3 to 4 "
        "with 4.5 labels a row. CNMF has C = 100, from the paper's random start and from ours, "
        "labels spread over similar rows with early stopping; the directions of MLSI are found "
        f"among the {LEADING} leading principal components. SVMs are LIBSVM's."
    ),
    sources=SOURCES,
    tables={1: tuple(f"{text}, {n} labelled" for text in TEXTS for n in LABELLED)},
    methods={name: paper.Procedure(run) for name, run in METHODS.items()},
    measures=MEASURES,
    further=FURTHER,
    published={},
    n_splits=5,
    paper_splits=10,
    more=further_sections,
    draws=True,
    words=in_words,
    differs=DIFFERS,
    claims=CLAIMS,
    since="2026-11-18",
    choices=CHOICES,
)
