"""From scores to labels: where to cut, exactly, for every label at once.

A cut keeps the scores above it. Only as many cuts differ as there are distinct scores, and sorting
once gives the confusion counts of all of them.
"""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._indicator import dense_labels
from colabel._top_k import top_places
from colabel.linalg import products

#: β of the F-measures that have a name.
F_BETAS = {"f1": 1.0, "f2": 2.0, "f0.5": 0.5}
#: "accuracy", the name of an F-measure, or its β.
CutMetric: TypeAlias = str | float

#: Scores sorted at a time: a block and its sums stay in the cache.
BLOCK = 2**17


def best_cuts(
    scores: np.ndarray, Y: Any, metric: CutMetric = "f1", weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """For each column, the threshold with the best value of the metric, and that value.

    Among equally good cuts, the one that keeps the fewest. NaN scores are left out. Thresholds are
    finite: halfway between two scores, or the highest score to keep none, or just below the lowest
    to keep all. The columns of Y repeat where scores have more. Rows count as their weights say.
    """
    n, m = scores.shape
    truth = Y.T.tocsr() if sp.issparse(Y) else Y.T
    thresholds, values = np.empty(m), np.empty(m)
    step = max(1, BLOCK // max(n, 1))

    def part(start: int, stop: int) -> None:
        for first in range(start, stop, step):
            block = slice(first, min(first + step, stop))
            columns = np.arange(m)[block] % Y.shape[1]
            own = dense_labels(truth[columns])
            thresholds[block], values[block] = _best_cuts(scores[:, block].T, own, metric, weights)

    threads = products.thread_count() if scores.size > BLOCK else 1
    products.in_threads(part, products.even_cuts(m, threads))
    return thresholds, values


def _best_cuts(
    scores: np.ndarray, Y: np.ndarray, metric: CutMetric, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The same for one label a row, which is how sorting is fast."""
    all_cuts = AllCuts(scores, Y, weights)
    # no positives and none kept: nothing is wrong with that
    values = measure(metric, all_cuts.hits, all_cuts.kept, empty=1.0)
    best = all_cuts.best(values)
    return all_cuts.thresholds(best), values[np.arange(len(best)), best]


class AllCuts:
    """Every cut of the scores of labels, a label a row: those that keep the first 0, 1, 2, …

    Attributes
    ----------
    hits, kept : ndarray of shape (q, n + 1)
        What the rows above each cut count: those that have the label, and all.
    """

    def __init__(self, scores: np.ndarray, Y: np.ndarray, weights: np.ndarray | None) -> None:
        order = np.argsort(-scores, axis=1)  # NaN last; the order of equals does not matter
        self._descending = np.take_along_axis(scores, order, axis=1)
        known = ~np.isnan(self._descending)
        counted = known if weights is None else known * weights[order]
        self.hits, self.kept = (
            np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)
            for counts in (np.take_along_axis(Y, order, axis=1) * counted, counted)
        )
        self._fits = _is_cut(self._descending, known)

    def best(self, values: np.ndarray) -> np.ndarray:
        """Of each label, the cut of the highest value; of equals, the one that keeps the fewest."""
        values[:, 1:][~self._fits] = -np.inf
        return np.argmax(values, axis=1)

    def thresholds(self, cuts: np.ndarray) -> np.ndarray:
        """Where they are, one of each label."""
        return _thresholds(self._descending, cuts)

    def candidates(self, most: int) -> np.ndarray:
        """The cuts of a single label that differ, or as many of them as asked, evenly."""
        cuts = np.flatnonzero(np.r_[True, self._fits[0]])
        if len(cuts) > most:
            cuts = cuts[np.linspace(0, len(cuts) - 1, most).round().astype(int)]
        return _thresholds(np.broadcast_to(self._descending, (len(cuts), self._fits.size)), cuts)


def beta_of(metric: CutMetric) -> float:
    """β of an F-measure."""
    return F_BETAS[metric] if isinstance(metric, str) else metric


def measure(
    metric: CutMetric, hits: np.ndarray, kept: np.ndarray, *, empty: float, whole: Any = None
) -> np.ndarray:
    """The metric from what is kept and how much of it is right.

    `whole` are the two where all are kept, in the last column if it is not given. 0/0 is `empty`.
    """
    positives, rows = (hits[:, -1:], kept[:, -1:]) if whole is None else whole
    if metric == "accuracy":
        return (rows - positives - kept + 2 * hits) / np.where(rows > 0, rows, 1)
    beta2 = beta_of(metric) ** 2
    denominator = beta2 * positives + kept
    nothing = denominator == 0
    return np.where(nothing, empty, (1 + beta2) * hits / (denominator + nothing))


def _is_cut(descending: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whether a threshold fits below each score: never between equal ones, nor among NaN."""
    differs = np.ones(descending.shape, dtype=bool)
    np.not_equal(descending[:, :-1], descending[:, 1:], out=differs[:, :-1])
    return known & differs


def _thresholds(descending: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The threshold that keeps the first `best` scores of each row."""
    rows, last = np.arange(len(best)), np.maximum(best - 1, 0)
    above = descending[rows, last]
    next_one = np.minimum(last + 1, descending.shape[1] - 1)
    below = np.where(next_one > last, descending[rows, next_one], np.nan)
    middle = above / 2 + below / 2
    # neighbours in floating point have nothing between them
    between = np.where(middle < above, middle, below)
    below_all = np.nextafter(above, -np.inf)
    return np.where(best == 0, above, np.where(np.isnan(below), below_all, between))


def best_global_threshold(
    scores: np.ndarray, Y: Any, metric: CutMetric = "f1", weights: np.ndarray | None = None
) -> float:
    """One threshold for all labels, with the best micro-averaged metric."""
    flat = dense_labels(Y).reshape(-1, 1)
    each = None if weights is None else np.repeat(weights, scores.shape[1])
    thresholds, _ = best_cuts(scores.reshape(-1, 1), flat.astype(np.float64), metric, each)
    return float(thresholds[0])


def cardinality_threshold(scores: np.ndarray, Y: Any, weights: np.ndarray | None = None) -> float:
    """One threshold for all labels that gives as many labels as the rows of Y have, or closest."""
    known = ~np.isnan(scores)
    each = np.broadcast_to(1.0 if weights is None else weights[:, None], scores.shape)[known]
    order = np.argsort(-scores[known], kind="stable")
    descending = scores[known][order][None]
    target = float(each @ dense_labels(Y)[known])
    kept = np.r_[0.0, np.cumsum(each[order])]
    cuts = np.concatenate([[True], _is_cut(descending, np.ones_like(descending, bool))[0]])
    distance = np.where(cuts, np.abs(kept - target), np.inf)
    return float(_thresholds(descending, np.array([np.argmin(distance)]))[0])


def top_k(scores: np.ndarray, k: int) -> np.ndarray:
    """The k labels with the largest scores in each row, as 0 and 1; of equal ones the first."""
    chosen = np.zeros(scores.shape, dtype=int)
    np.put_along_axis(chosen, top_places(scores, k), 1, axis=1)
    return chosen
