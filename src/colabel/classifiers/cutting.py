"""From scores to labels: where to cut, exactly, for every label at once.

A cut keeps the scores above it. Only as many cuts differ as there are distinct scores, and sorting
once gives the confusion counts of all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

#: β of the F-measures that thresholds can be tuned for.
F_BETAS = {"f1": 1.0, "f2": 2.0, "f0.5": 0.5}
METRICS = (*F_BETAS, "accuracy")


def best_cuts(
    scores: np.ndarray, Y: np.ndarray, metric: str = "f1"
) -> tuple[np.ndarray, np.ndarray]:
    """For each column, the threshold with the best value of the metric, and that value.

    Among equally good cuts, the one that keeps the fewest. NaN scores are left out. Thresholds are
    finite: halfway between two scores, or the highest score to keep none, or just below the lowest
    to keep all.
    """
    order = np.argsort(-scores, axis=0, kind="stable")  # NaN last
    descending = np.take_along_axis(scores, order, axis=0)
    known = ~np.isnan(descending)
    true = np.take_along_axis(Y, order, axis=0) * known
    none = np.zeros((1, scores.shape[1]))
    hits = np.vstack([none, np.cumsum(true, axis=0)])
    kept = np.vstack([none, np.cumsum(known, axis=0)])
    values = _metric(metric, hits, kept)
    values[1:][~_is_cut(descending, known)] = -np.inf
    best = np.argmax(values, axis=0)
    return _thresholds(descending, best), np.take_along_axis(values, best[None], axis=0)[0]


def _metric(name: str, hits: np.ndarray, kept: np.ndarray) -> np.ndarray:
    positives, rows = hits[-1], kept[-1]
    if name == "accuracy":
        return (rows - positives - kept + 2 * hits) / np.maximum(rows, 1)
    beta2 = F_BETAS[name] ** 2
    # no positives and none kept: nothing is wrong with that
    denominator = beta2 * positives + kept
    return np.where(denominator > 0, (1 + beta2) * hits / np.maximum(denominator, 1e-300), 1.0)


def _is_cut(descending: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whether a threshold fits below each score: never between equal ones, nor among NaN."""
    below = np.vstack([descending[1:], np.full((1, descending.shape[1]), np.nan)])
    return known & (descending != below)


def _thresholds(descending: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The threshold that keeps the first `best` scores of each column."""
    last = np.where(best > 0, best - 1, 0)
    above = np.take_along_axis(descending, last[None], axis=0)[0]
    padded = np.vstack([descending, np.full((1, descending.shape[1]), np.nan)])
    below = np.take_along_axis(padded, last[None] + 1, axis=0)[0]
    middle = above / 2 + below / 2
    # neighbours in floating point have nothing between them
    between = np.where(middle < above, middle, below)
    below_all = np.nextafter(above, -np.inf)
    return np.where(best == 0, above, np.where(np.isnan(below), below_all, between))


def best_global_threshold(scores: np.ndarray, Y: Any, metric: str = "f1") -> float:
    """One threshold for all labels, with the best micro-averaged metric."""
    flat = (Y.toarray() if sp.issparse(Y) else np.asarray(Y)).reshape(-1, 1)
    thresholds, _ = best_cuts(scores.reshape(-1, 1), flat.astype(np.float64), metric)
    return float(thresholds[0])


def cardinality_threshold(scores: np.ndarray, Y: Any) -> float:
    """One threshold for all labels that gives as many labels as the rows of Y have, or closest."""
    known = ~np.isnan(scores)
    descending = np.sort(scores[known])[::-1, None]
    target = float((Y.toarray() if sp.issparse(Y) else np.asarray(Y))[known].sum())
    kept = np.arange(len(descending) + 1)
    cuts = np.concatenate([[True], _is_cut(descending, np.ones_like(descending, bool))[:, 0]])
    distance = np.where(cuts, np.abs(kept - target), np.inf)
    return float(_thresholds(descending, np.array([np.argmin(distance)]))[0])


def top_k(scores: np.ndarray, k: int) -> np.ndarray:
    """The k labels with the largest scores in each row, as 0 and 1; of equal ones the first."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    chosen = np.zeros(scores.shape, dtype=int)
    np.put_along_axis(chosen, order, 1, axis=1)
    return chosen


def best_k(scores: np.ndarray, Y: Any, metric: str = "f1") -> int:
    """The number of labels a row, from 1, with the best micro-averaged metric."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    order = np.argsort(-filled, axis=1, kind="stable")
    dense = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    hits = np.cumsum(np.take_along_axis(dense, order, axis=1).sum(axis=0))
    n, q = scores.shape
    values = _metric(metric, np.r_[0.0, hits][:, None], n * np.arange(q + 1.0)[:, None])
    return int(np.argmax(values[1:, 0])) + 1
