"""From scores to labels: where to cut, exactly, for every label at once.

A cut keeps the scores above it. Only as many cuts differ as there are distinct scores, and sorting
once gives the confusion counts of all of them.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._indicator import dense_labels
from colabel._top_k import top_places
from colabel.linalg import products

#: β of the F-measures that thresholds can be tuned for.
F_BETAS = {"f1": 1.0, "f2": 2.0, "f0.5": 0.5}
METRICS = (*F_BETAS, "accuracy")

#: Scores sorted at a time: a block and its sums stay in the cache.
BLOCK = 2**17


def best_cuts(
    scores: np.ndarray, Y: Any, metric: str = "f1", weights: np.ndarray | None = None
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
    scores: np.ndarray, Y: np.ndarray, metric: str, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The same for one label a row, which is how sorting is fast."""
    order = np.argsort(-scores, axis=1)  # NaN last; the order of equals does not matter
    descending = np.take_along_axis(scores, order, axis=1)
    known = ~np.isnan(descending)
    counted = known if weights is None else known * weights[order]
    hits, kept = (
        np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)
        for counts in (np.take_along_axis(Y, order, axis=1) * counted, counted)
    )
    values = _metric(metric, hits, kept)
    values[:, 1:][~_is_cut(descending, known)] = -np.inf
    best = np.argmax(values, axis=1)
    return _thresholds(descending, best), values[np.arange(len(best)), best]


def _metric(name: str, hits: np.ndarray, kept: np.ndarray) -> np.ndarray:
    positives, rows = hits[:, -1:], kept[:, -1:]
    if name == "accuracy":
        return (rows - positives - kept + 2 * hits) / np.where(rows > 0, rows, 1)
    beta2 = F_BETAS[name] ** 2
    denominator = beta2 * positives + kept
    # no positives and none kept: nothing is wrong with that
    empty = denominator == 0
    return np.where(empty, 1.0, (1 + beta2) * hits / (denominator + empty))


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
    scores: np.ndarray, Y: Any, metric: str = "f1", weights: np.ndarray | None = None
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


def best_k(
    scores: np.ndarray, Y: Any, metric: str = "f1", weights: np.ndarray | None = None
) -> int:
    """The number of labels a row, from 1, with the best micro-averaged metric."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-filled, axis=1, kind="stable")
    each = np.ones(len(scores)) if weights is None else weights
    hits = np.cumsum(each @ np.take_along_axis(dense_labels(Y), order, axis=1))
    n, q = each.sum(), scores.shape[1]
    values = _metric(metric, np.r_[0.0, hits][None], n * np.arange(q + 1.0)[None])
    return int(np.argmax(values[0, 1:])) + 1
