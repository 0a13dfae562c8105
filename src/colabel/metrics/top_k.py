"""Measures when every instance is given its k highest-scored labels.

They are ratios of counts over all instances, or means of the ratios of each, as Liu, Jin & Yang
(2006) describe theirs, whose figure calls them micro-averaged. Of labels with equal scores the last
leads, as in scikit-learn's ``top_k_accuracy_score`` and MULAN.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._top_k import top_places
from colabel.metrics._inputs import RowWeights, Scores, TrueLabels, check_option, read_scores
from colabel.metrics._ranked import Ranked, blocks, rank_rows
from colabel.metrics._truth import Truth

Ranks: TypeAlias = Annotated[
    int | Sequence[int] | np.ndarray | None,
    Says(
        "How many labels each instance is given; None for each of 1, …, q.",
        "int, sequence of int or None",
    ),
]
RankAverage: TypeAlias = Annotated[
    Literal["micro", "samples"],
    Says('One ratio of the counts of all instances ("micro"), or the mean of theirs ("samples").'),
]
AtRanks: TypeAlias = Annotated[
    float | np.ndarray, Says(kind="float, or ndarray with a value for each k")
]


def precision_at(
    y_true: TrueLabels,
    y_score: Scores,
    k: Ranks = None,
    *,
    average: RankAverage = "micro",
    sample_weight: RowWeights = None,
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
    counts = _counts_at(y_true, y_score, k, average, sample_weight)
    return counts.mean(counts.found, counts.given)


def recall_at(
    y_true: TrueLabels,
    y_score: Scores,
    k: Ranks = None,
    *,
    average: RankAverage = "micro",
    sample_weight: RowWeights = None,
) -> AtRanks:
    """Share of all true labels that are among the k given: TP(k) / Σ Y.

    In a mean over instances, those without a true label are left out.

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
    counts = _counts_at(y_true, y_score, k, average, sample_weight)
    if not np.any(counts.true):
        raise ValueError(
            f"y_true has no positive in {len(y_score)} rows, so there is nothing to recall; "
            "evaluate on rows with labels"
        )
    return counts.mean(counts.found, counts.true)


def f1_at(
    y_true: TrueLabels,
    y_score: Scores,
    k: Ranks = None,
    *,
    average: RankAverage = "micro",
    sample_weight: RowWeights = None,
) -> AtRanks:
    """Harmonic mean of precision and recall with k labels each: 2TP(k) / (n·k + Σ Y).

    Examples
    --------
    >>> from colabel.metrics import f1_at
    >>> f1_at([[1, 0, 0, 0], [1, 1, 0, 0]], [[9, 5, 2, 1], [8, 7, 1, 3]], k=[1, 2])
    array([0.8       , 0.85714286])
    """
    counts = _counts_at(y_true, y_score, k, average, sample_weight)
    return counts.mean(2 * counts.found, counts.given + counts.true)


@dataclass(frozen=True)
class _Counts:
    """TP(k), k and the true labels: of all instances together, or with a row for each."""

    found: np.ndarray
    given: np.ndarray
    true: np.ndarray
    #: What rows count; None where there is one for all.
    weights: np.ndarray | None

    def mean(self, part: np.ndarray, whole: np.ndarray) -> float | np.ndarray:
        """Part / whole, in the mean over the rows in which there is a whole."""
        if self.weights is None:
            return _plain(part / whole)
        counted = np.broadcast_to(whole > 0, part.shape)
        ratios = np.divide(part, whole, out=np.zeros(part.shape), where=counted)
        return _plain((self.weights @ ratios) / (self.weights @ counted))


def _counts_at(
    y_true: TrueLabels, y_score: Scores, k: Ranks, average: RankAverage, sample_weight: RowWeights
) -> _Counts:
    """What is found at k; of a row with fewer known labels than k, all of them are given."""
    check_option("average", average, ("micro", "samples"))
    truth, scores = read_scores(y_true, y_score, sample_weight)
    q = scores.shape[1]
    ks = np.arange(1, q + 1) if k is None else np.asarray(k)
    if ks.dtype.kind not in "iu" or ks.size == 0 or ks.min() < 1 or ks.max() > q:
        raise ValueError(
            f"k must be a whole number from 1 to the number of labels, {q}, or several; got {k!r}"
        )
    weights = np.ones(len(scores)) if truth.weights is None else truth.weights
    true = np.asarray(truth.Y.sum(axis=1), dtype=float).ravel()
    if average == "micro":
        found, given = (np.cumsum(part)[ks - 1] for part in _at_each(truth, scores, int(ks.max())))
        return _Counts(found, given, weights @ true, None)
    found, given = _of_each_row(truth, scores, int(ks.max()))
    true = true[(...,) + (None,) * ks.ndim]
    return _Counts(found[:, ks - 1], given[:, ks - 1], true, weights)


def _of_each_row(truth: Truth, scores: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """What is found, and given, up to each of the first ranks, with a row for each instance."""
    ranked = [
        (rank.hits[:, :most], _given(rank, most))
        for part, own, known, _ in blocks(truth, scores)
        for rank in (rank_rows(part, own, "last", known),)
    ]
    found, given = (np.vstack(parts).astype(float) for parts in zip(*ranked, strict=True))
    return found, given


def _given(rank: Ranked, most: int) -> np.ndarray:
    if rank.known is None:
        return rank.rank[:, :most]
    return np.cumsum(rank.known[:, :most], axis=1)


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
