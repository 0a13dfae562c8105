"""What Xu, Liu, Yin & Sun (2016) compare: eight feature extractors, and none."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from colabel import extractors
from colabel.classifiers import LabelRidge
from colabel.comparison.result import MetricFacts
from colabel.datasets.dataset import Dataset
from colabel.metrics import accuracy, f1, hamming_loss, precision, recall, subset_accuracy
from colabel.metrics.sets import RATIOS
from colabel.papers import protocol as paper
from colabel.variance import PCA

#: Over eight sets and six measures.
PUBLISHED_RANKS = {
    "MVMD": 1.66, "MDDMf": 2.67, "MDDMp": 3.72, "PCA": 4.38, "CCA": 4.96, "MLSI": 6.16,
    "MLDA": 6.37, "none": 7.52, "DMLDA": 7.57,
}  # fmt: skip
#: Friedman's F_F over eight sets.
PUBLISHED_F = {
    "Hamming loss": 14.95, "accuracy": 14.49, "F1": 13.92, "precision": 16.03, "recall": 5.20,
    "subset accuracy": 14.18,
}  # fmt: skip
_FOUR = {"PCA", "MDDMp", "MDDMf", "CCA"}
#: What the paper's text says is linked with MVMD in its figure 4.
PUBLISHED_LINKS = {
    "Hamming loss": _FOUR,
    "accuracy": _FOUR,
    "F1": _FOUR,
    "precision": _FOUR | {"MLDA"},
    "recall": set(PUBLISHED_RANKS) - {"MVMD", "DMLDA"},
    "subset accuracy": _FOUR,
}
#: Directions kept on the training rows of Scene.
PUBLISHED_DIRECTIONS = {
    "PCA": 271, "MLSI": 276, "DMLDA": 294, "MDDMp": 5, "MDDMf": 6, "CCA": 6, "MLDA": 5,
    "MVMD": 47,
}  # fmt: skip
FILES = {
    "Yeast": "yeast", "Image": "image", "Scene": "scene", "Enron": "enron",
    "Slashdot": "slashdot", "Gnegative": "gnegativego", "Human": "humango",
    "Eukaryote": "eukaryotego",
}  # fmt: skip
#: Sets that come in two parts.
GIVEN = ("Yeast", "Scene", "Enron")
#: What measures are called where every row is given a label.
FILLED = ", a label for every row"
#: What becomes of a row without a score above 0, and how measures are called then.
RULES = {"cut at 0": "", "a label for every row": FILLED}
#: What measures are called where a row of which they are 0/0 is left out of their mean.
SKIPPED = ", 0/0 left out"
#: All that were tried; the last to be added has ranks, and no tests of them.
TRIED = {**RULES, "0/0 left out": SKIPPED}
#: How many features ridge regression is given.
DIRECTIONS = paper.measure("directions", greater_is_better=False)
#: Of extraction alone: the factorisation that methods share, and what each does with it.
SECONDS = paper.measure("seconds", greater_is_better=False)
SHARE = 0.999
BETA = 0.5
GAMMA = 0.1
RIDGE = 0.01
TRAINING_SHARE = 0.6
MEASURES: dict[str, Callable[..., Any]] = {
    "Hamming loss": hamming_loss,
    "accuracy": accuracy,
    "F1": f1,
    "precision": precision,
    "recall": recall,
    "subset accuracy": subset_accuracy,
}
EXTRACTORS: dict[str, Any] = {
    "PCA": PCA(SHARE),
    "MLSI": extractors.MLSI(SHARE, beta=BETA, ridge=GAMMA, kernel_ridge=GAMMA),
    "DMLDA": extractors.DMLDA(SHARE, ridge=GAMMA),
    "MDDMp": extractors.MDDMp(SHARE),
    "MDDMf": extractors.MDDMf(SHARE, beta=BETA),
    "CCA": extractors.LabelCCA(SHARE, ridge=GAMMA, label_ridge=GAMMA),
    "MLDA": extractors.MLDA(SHARE, ridge=GAMMA),
    "MVMD": extractors.MVMD(SHARE, beta=BETA),
}


def with_random_splits(data: Dataset) -> paper.Problem:
    """Random splits of 60% and 40%."""
    n = data.X.shape[0]
    return paper.Problem(data, paper.plain_random(n, round(TRAINING_SHARE * n)))


def with_given_split(data: Dataset) -> paper.Problem:
    """The standard split, or a random one where the file has none."""
    if data.split is None:
        return with_random_splits(data)
    given = data.split
    return paper.Problem(data, lambda _: given)


def judge(truth: np.ndarray, scores: np.ndarray) -> paper.Scores:
    """The six measures of scores cut at 0, with a label for every row, and without 0/0."""
    predicted = (scores > 0).astype(int)
    filled = with_a_label(scores, predicted)
    found = {
        name + suffix: float(measure(truth, labels))
        for suffix, labels in (("", predicted), (FILLED, filled))
        for name, measure in MEASURES.items()
    }
    skips = predicted.any() and truth.any()  # else precision or recall has no row left
    return found | {
        name + SKIPPED: float(measure(truth, predicted, empty="skip"))
        if skips and measure in RATIOS
        else found[name]
        for name, measure in MEASURES.items()
    }


def with_a_label(scores: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Rows without a label are given their highest."""
    filled = predicted.copy()
    empty = np.flatnonzero(predicted.sum(axis=1) == 0)
    filled[empty, scores[empty].argmax(axis=1)] = 1
    return filled


def with_extractor(extractor: Any) -> paper.Method:
    """An extractor and ridge regression on its directions."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        fm, begin = split.factored, time.process_time()
        fitted = extractor.fit(fm, split.Y)
        seconds = time.process_time() - begin + split.factor_seconds
        model = LabelRidge(RIDGE).fit(fitted.transform(fm), split.Y)
        scores = model.decision_function(fitted.transform(split.new))
        told = {DIRECTIONS.name: int(fitted.n_components_), SECONDS.name: seconds}
        return {**judge(split.truth, scores), **told}

    return run


def without_extractor(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """Ridge regression on all features, of which none is left out."""
    scores = LabelRidge(RIDGE).fit(split.factored, split.Y).decision_function(split.new)
    told = {DIRECTIONS.name: split.X.shape[1], SECONDS.name: 0.0}
    return {**judge(split.truth, scores), **told}


def measures_of(suffix: str = "") -> list[MetricFacts]:
    """The columns of the tables."""
    return [
        paper.measure(name + suffix, greater_is_better=name != "Hamming loss") for name in MEASURES
    ]
