"""What Sun, Ji & Ye (2008) compare, and on which data."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from colabel.classifiers import RankSVM
from colabel.datasets.dataset import Dataset
from colabel.family.similarity import Laplacian
from colabel.hypergraph import HypergraphSpectral
from colabel.metrics import roc_auc
from colabel.papers import protocol as paper
from colabel.papers.margins import LibSVM
from colabel.papers.yahoo import narrow
from colabel.preparation import FrequentColumns

LAPLACIANS: dict[str, Laplacian] = {"c": "clique", "*": "star", "z": "zhou", "cca": "cca"}
#: The ridges of the paper's figures 3 and 4.
IMAGE_RIDGES = (0.1, 1.0, 10.0, 20.0, 50.0, 75.0, 100.0, 200.0, 350.0, 500.0, 750.0, 1000.0)
TEXT_RIDGES = (1e-6, 1e-4, 0.01, 0.1, 1.0, 3.0, 10.0, 50.0, 200.0)
#: Of RankSVM, and of SVMs on all features; the paper names none.
COSTS = [10.0**i for i in range(-3, 2)]
MIN_LABEL_ROWS = 50
TERMS = 2000
#: As many pages of Arts as the paper has, half of them; which ones is not known.
ARTS_PAGES = 3712
FOLDS = 3
#: From features and labels to scores of new features.
Scorer = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _with_labels(data: Dataset) -> Dataset:
    """Labels of at least 50 rows."""
    return data.select(labels=np.asarray(data.Y.sum(axis=0)).ravel() >= MIN_LABEL_ROWS)


def numbers(data: Dataset, size: int) -> paper.Problem:
    """Scene and yeast, with all features."""
    X = data.X.toarray() if sp.issparse(data.X) else data.X  # both sets are dense by nature
    found = replace(_with_labels(data), X=X)
    return paper.Problem(found, paper.plain_random(len(X), size), IMAGE_RIDGES)


def texts(
    data: Dataset,
    size: int | None,
    terms: int = TERMS,
    pages: int | None = None,
    encode: Callable[[Any], Any] = lambda X: TfidfTransformer().fit_transform(X),
) -> paper.Problem:
    """The most frequent terms, TF-IDF, unit rows; `size` of them to learn from, or all but one.

    Of so many `pages`, drawn at random, if not of all.
    """
    if pages is not None:
        drawn = np.random.default_rng(0).permutation(data.X.shape[0])[:pages]
        data = data.select(rows=np.sort(drawn))
    frequent = data.select(features=FrequentColumns(most=terms).fit(data.X).get_support())
    X = narrow(sp.csr_array(encode(frequent.X)))
    found = replace(_with_labels(frequent), X=X)
    most = X.shape[0] - 1 if size is None else size
    return paper.Problem(found, paper.plain_random(X.shape[0], most), TEXT_RIDGES)


def by_libsvm(Z: np.ndarray, Y: np.ndarray, new: np.ndarray, C: float = 1.0) -> np.ndarray:
    """By an SVM for each label, as it is."""
    return LibSVM(C).fit(Z, Y).decision_function(new)


def projected_scores(
    extractor: Any, fitted: Any, Y: np.ndarray, new: Any, scorer: Scorer = by_libsvm
) -> np.ndarray:
    """Scores of new rows by an SVM for each label on the directions."""
    Z = extractor.fit(fitted, Y).transform(fitted)
    return scorer(Z, Y, extractor.transform(new))


def hypergraph(laplacian: Laplacian, approximate: bool) -> Callable[[float], HypergraphSpectral]:
    """HG, or lsHG, by its ridge."""

    def make(ridge: float) -> HypergraphSpectral:
        return HypergraphSpectral(laplacian=laplacian, ridge=ridge, approximate=approximate)

    return make


def with_ridge(
    make: Callable[[float], Any], scorers: Sequence[Scorer] = (by_libsvm,)
) -> paper.Method:
    """Its ridge by cross-validation on the mean ROC score, and which of the scorers."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        Y, grid = split.Y, list(product(split.problem.candidates, scorers))
        scores = [
            [
                roc_auc(Y[test], projected_scores(make(ridge), fitted, Y[train], held, scorer))
                for ridge, scorer in grid
            ]
            for train, test, fitted, held in split.factored_folds(FOLDS)
        ]
        ridge, scorer = paper.best(grid, scores)
        return _on_test_rows(make(ridge), split, scorer)

    return run


def without_ridge(make: Callable[[float], Any], scorer: Scorer = by_libsvm) -> paper.Method:
    """The ridge 0."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        return _on_test_rows(make(0.0), split, scorer)

    return run


def _on_test_rows(extractor: Any, split: paper.Split, scorer: Scorer) -> paper.Scores:
    scores = projected_scores(extractor, split.factored, split.Y, split.new, scorer)
    return {"mean ROC": float(roc_auc(split.truth, scores))}


def tuned_cost(
    make: Callable[[float], Any], tried: Callable[[float], Any] | None = None
) -> paper.Method:
    """A classifier on all features, its C by cross-validation of it, or of what is `tried`."""
    tuning = tried or make

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        scores = [
            [
                roc_auc(Y[test], tuning(C).fit(X[train], Y[train]).decision_function(X[test]))
                for C in COSTS
            ]
            for train, test in split.folds(FOLDS)
        ]
        model = make(paper.best(COSTS, scores)).fit(X, Y)
        return {"mean ROC": float(roc_auc(split.truth, model.decision_function(split.new)))}

    return run


def rank_svm(C: float) -> RankSVM:
    """Ranking alone: the measure needs no threshold."""
    return RankSVM(C, loss="hinge", threshold="zero")


def hasty_rank_svm(C: float) -> RankSVM:
    """For tuning: with a large C most of the time goes into the last digits."""
    return rank_svm(C).set_params(tol=1e-2)


def methods() -> dict[str, paper.Procedure]:
    """HG and lsHG of every Laplacian, with a ridge and without, and what they are compared with."""
    found = {}
    for symbol, laplacian in LAPLACIANS.items():
        for name, approximate in (("HG", False), ("lsHG", True)):
            make = hypergraph(laplacian, approximate)
            found[f"{name} {symbol}"] = paper.Procedure(without_ridge(make))
            found[f"{name} {symbol} λ"] = paper.Procedure(with_ridge(make))
    return {
        **found,
        "RankSVM": paper.Procedure(tuned_cost(rank_svm, hasty_rank_svm)),
        "SVM": paper.Procedure(tuned_cost(LibSVM)),
    }


CITATION = (
    "Sun, Ji & Ye (2008), Hypergraph spectral learning for multi-label classification, table 2"
)
MEASURES = (paper.measure("mean ROC"),)
SOURCES = {
    "Scene": paper.Source("scene", partial(numbers, size=900)),
    "Yeast": paper.Source("yeast", partial(numbers, size=900)),
    "Arts": paper.Source("yahoo_arts", partial(texts, size=2000, pages=ARTS_PAGES)),
    "Computers": paper.Source("yahoo5k_computers", partial(texts, size=2000)),
}
