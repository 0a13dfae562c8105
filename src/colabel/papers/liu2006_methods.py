"""What Liu, Jin & Yang (2006) compare."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from colabel.classifiers import LabelRidge
from colabel.datasets.dataset import Dataset
from colabel.metrics import f1_at
from colabel.papers import protocol as paper
from colabel.papers.margins import LibSVM
from colabel.papers.yahoo import narrow
from colabel.semi_supervised import CNMF, SGT, LabelledOnly, SemiSupervisedMLSI
from colabel.semi_supervised.ranking import MEASURES as CURVES
from colabel.variance import PCA

MAX_RANK = 15
TEXTS = {"Enron": "enron", "Yahoo Arts": "yahoo_arts"}
LABELLED = (100, 500)
#: Principal components of all rows, from which MLSI takes its directions.
LEADING = 200
#: Directions of MLSI and its β, of which cross-validation over the labelled rows takes the best.
LATENT = [(directions, beta) for directions in (10, 50) for beta in (0.25, 0.5, 0.75)]
FOLDS = 3
#: What the highest F1 is called where it is the mean over rows of each row's own.
BY_ROWS = "highest F1, by documents"


def texts(data: Dataset, labelled: int, use_idf: bool = True) -> paper.Problem:
    """TF-IDF with unit rows; all rows are given, `labelled` of them with their labels."""
    X = narrow(sp.csr_array(TfidfTransformer(use_idf=use_idf).fit_transform(data.X)))
    return paper.Problem(replace(data, X=X), paper.plain_random(X.shape[0], labelled))


def rank(split: paper.Split, scores: np.ndarray) -> paper.Scores:
    """Micro-averaged measures of the unlabelled rows when each is given its k first labels."""
    ranks = ranks_of(split.truth.shape[1])
    new, at_ranks = scores[split.rows[1]], np.array(ranks)
    found: paper.Scores = {}
    for name, at in CURVES.items():
        curve = np.asarray(at(split.truth, new, at_ranks))
        found |= {at_rank(name, k): value for k, value in zip(ranks, curve.tolist(), strict=True)}
    by_rows = np.max(f1_at(split.truth, new, at_ranks, average="samples"))
    highest = max(found[at_rank("F1", k)] for k in ranks)
    return {**found, "highest F1": highest, BY_ROWS: float(by_rows)}


def at_rank(name: str, rank: int) -> str:
    """What a point of a curve is called."""
    return f"{name} at {rank}"


def transduce(make: Callable[[], Any]) -> paper.Method:
    """A method that sees all rows, and the labels of some."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.problem.X, split.problem.Y
        return rank(split, make().fit(X, Y, labelled=_mask(split)).label_scores_)

    return run


def latent(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """MLSI and an SVM, in the leading principal components of all rows; its parameters tuned.

    Without them each fit solves with a factor as large as the square of the number of rows,
    hundreds of times: minutes on Arts, where the components are found once for all splits.
    """
    problem = split.problem
    Z, labelled = problem.once("leading", lambda: _leading(problem.X)), split.rows[0]
    scores = [
        [_held_out_f1(Z, problem.Y, labelled[train], labelled[test], *way) for way in LATENT]
        for train, test in split.folds(FOLDS)
    ]
    model = _mlsi(Z, *paper.best(LATENT, scores))
    return rank(split, model.fit(Z, problem.Y, labelled=_mask(split)).label_scores_)


def _held_out_f1(
    Z: np.ndarray, Y: np.ndarray, train: np.ndarray, test: np.ndarray, directions: int, beta: float
) -> float:
    mask = np.isin(np.arange(len(Y)), train)
    scores = _mlsi(Z, directions, beta).fit(Z, Y, labelled=mask).label_scores_
    return float(np.max(f1_at(Y[test], scores[test], np.array(ranks_of(Y.shape[1])))))


def _mlsi(Z: np.ndarray, directions: int, beta: float) -> LabelledOnly:
    extractor = SemiSupervisedMLSI(min(directions, Z.shape[1]), beta=beta, random_state=0)
    return LabelledOnly(hinge_svm(), extractor)


def hinge_svm() -> OneVsRestClassifier:
    """LIBSVM's for each label."""
    return OneVsRestClassifier(SVC(kernel="linear"))


def _leading(X: Any) -> np.ndarray:
    components = min(LEADING, min(X.shape) - 2)
    return PCA(components, solver="truncated", tol=1e-6, random_state=0).fit(X).transform(X)


def _mask(split: paper.Split) -> np.ndarray:
    return np.isin(np.arange(len(split.problem.Y)), split.rows[0])


def random_start(**more: Any) -> CNMF:
    """As the paper has it: a random start, until it converges, no rows hidden to stop by."""
    how = {"tol": 1e-5, "max_iter": 2000, **more}
    return CNMF(init="random", early_stopping=False, random_state=0, **how)


def ranks_of(n_labels: int) -> range:
    """The numbers of labels that rows are given."""
    return range(1, min(MAX_RANK, n_labels) + 1)


def svm_by_gram(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """The SVM of the tables, by the products of the labelled rows, so that new ones are quick.

    There each new row meets the support vectors of every label.
    """
    scores = LibSVM().fit(split.X, split.Y).decision_function(split.problem.X)
    scores[:, ~split.Y.any(axis=0)] = scores.min() - 1  # labels of no labelled row come last
    return rank(split, scores)


def untuned(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """MLSI with what its users recommend."""
    problem = split.problem
    Z = problem.once("leading", lambda: _leading(problem.X))
    return rank(split, _mlsi(Z, 50, 0.5).fit(Z, problem.Y, labelled=_mask(split)).label_scores_)


METHODS: dict[str, paper.Method] = {
    "CNMF (random start)": transduce(random_start),
    "CNMF": transduce(lambda: CNMF(random_state=0)),
    "SGT": transduce(lambda: SGT(random_state=0)),
    "MLSI+SVM": latent,
    "SVM": transduce(lambda: LabelledOnly(hinge_svm())),
    "ridge": transduce(lambda: LabelledOnly(LabelRidge())),
}
