"""Micro-averaged measures when every instance is given its k highest-scored labels.

Of labels with equal scores the last leads, as in scikit-learn's ``top_k_accuracy_score`` and MULAN.
"""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._top_k import top_places
from colabel.metrics._inputs import RowWeights, Scores, TrueLabels, read_scores
from colabel.metrics._ranked import blocks, rank_rows
from colabel.metrics._truth import Truth

Ranks: TypeAlias = Annotated[
    int | Sequence[int] | np.ndarray | None,
    Says(
        "How many labels each instance is given; None for each of 1, …, q.",
        "int, sequence of int or None",
    ),
]
AtRanks: TypeAlias = Annotated[
    float | np.ndarray, Says(kind="float, or ndarray with a value for each k")
]


def precision_at(
    y_true: TrueLabels, y_score: Scores, k: Ranks = None, *, sample_weight: RowWeights = None
) -> AtRanks:
    """Share of the n·k given labels that are true: TP(k) / (n·k).

    Examples
    --------
    >>> from colabel.metrics import precision_at
    >>> precision_at([[1, 0, 0, 0], [0, 1, 0, 1]], [[9, 5, 2, 1], [8, 7, 1, 3]])
    array([0.5  , 0.5  , 0.5  , 0.375])
    >>> precision_at([[1, 0, 0, 0], [0, 1, 0, 1]], [[9, 5, 2, 1], [8, 7, 1, 3]], k=2)
    0.5
    """
    found, given, _ = _counts_at(y_true, y_score, k, sample_weight)
    return _plain(found / given)


def recall_at(
    y_true: TrueLabels, y_score: Scores, k: Ranks = None, *, sample_weight: RowWeights = None
) -> AtRanks:
    """Share of all true labels that are among the k given: TP(k) / Σ Y.

    Parameters
    ----------
    y_true : array, sparse array or DataFrame of shape (n, q)
        True labels, at least one positive.

    Examples
    --------
    >>> from colabel.metrics import recall_at
    >>> recall_at([[1, 0, 0, 0], [1, 1, 1, 0]], [[9, 5, 2, 1], [8, 7, 1, 3]])
    array([0.5 , 0.75, 0.75, 1.  ])
    """
    found, _, true = _counts_at(y_true, y_score, k, sample_weight)
    if true == 0:
        raise ValueError(
            f"y_true has no positive in {len(y_score)} rows, so there is nothing to recall; "
            "evaluate on rows with labels"
        )
    return _plain(found / true)


def f1_at(
    y_true: TrueLabels, y_score: Scores, k: Ranks = None, *, sample_weight: RowWeights = None
) -> AtRanks:
    """Harmonic mean of precision and recall with k labels each: 2TP(k) / (n·k + Σ Y).

    Examples
    --------
    >>> from colabel.metrics import f1_at
    >>> f1_at([[1, 0, 0, 0], [1, 1, 0, 0]], [[9, 5, 2, 1], [8, 7, 1, 3]], k=[1, 2])
    array([0.8       , 0.85714286])
    """
    found, given, true = _counts_at(y_true, y_score, k, sample_weight)
    return _plain(2 * found / (given + true))


def _counts_at(
    y_true: TrueLabels, y_score: Scores, k: Ranks, sample_weight: RowWeights
) -> tuple[np.ndarray, np.ndarray, float]:
    """TP(k), n·k and Σ Y; of a row with fewer known labels than k, all of them are given."""
    truth, scores = read_scores(y_true, y_score, sample_weight)
    q = scores.shape[1]
    ks = np.arange(1, q + 1) if k is None else np.asarray(k)
    if ks.dtype.kind not in "iu" or ks.size == 0 or ks.min() < 1 or ks.max() > q:
        raise ValueError(
            f"k must be a whole number from 1 to the number of labels, {q}, or several; got {k!r}"
        )
    found, given = (np.cumsum(part)[ks - 1] for part in _at_each(truth, scores, int(ks.max())))
    true = truth.Y.sum() if truth.weights is None else (truth.weights @ truth.Y).sum()
    return found, given, float(true)


def _at_each(truth: Truth, scores: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """What is found, and given, at each of the first ranks."""
    found, given = np.zeros(most), np.zeros(most)
    for part, own, known, rows in blocks(truth, scores):
        weights = np.ones(len(part)) if truth.weights is None else truth.weights[rows]
        if known is None:
            places = top_places(own, most, "last")
            found += weights @ np.take_along_axis(part, places, axis=1)
            given += weights.sum()
        else:
            ranked = rank_rows(part, own, "last", known)
            found += weights @ ranked.relevant[:, :most]
            given += weights @ ranked.known[:, :most]  # type: ignore[index]
    return found, given


def _plain(values: np.ndarray) -> float | np.ndarray:
    return float(values) if values.ndim == 0 else values
