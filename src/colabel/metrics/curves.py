"""Measures of how scores rank the instances of a label, averaged over labels.

A label that all instances have, or none, ranks nothing: it is left out of the mean, and
:func:`scorable_labels` says which these are. ``empty="sklearn"`` counts it as scikit-learn does.
"""

from numbers import Integral
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from colabel.metrics._counts import ratios
from colabel.metrics._inputs import (
    GivenScores,
    TrueLabels,
    Values,
    check_option,
    read_labels,
    read_scores,
)
from colabel.metrics._ranked import Ranked, TieRule, blocks, by_label, each_block


def scorable_labels(y_true: TrueLabels) -> np.ndarray:
    """Which labels have both classes in y_true: 0 < Σ y < n.

    Returns
    -------
    ndarray of bool of shape (q,)
        ``(~scorable_labels(y_true)).sum()`` labels are left out by :func:`roc_auc` and
        :func:`mean_average_precision`.

    Examples
    --------
    >>> from colabel.metrics import scorable_labels
    >>> scorable_labels([[1, 0, 0], [1, 0, 1]])
    array([False, False,  True])
    """
    Y = read_labels("y_true", y_true)
    positives = np.asarray(Y.sum(axis=0))
    return (positives > 0) & (positives < Y.shape[0])


def roc_auc(
    y_true: TrueLabels,
    y_score: GivenScores,
    *,
    average: Literal["macro", "micro"] | None = "macro",
    empty: Literal["skip", "sklearn"] = "skip",
) -> Values:
    """Chance that a positive instance scores above a negative one, ties counting half.

    AUC = (Σ r − p(p + 1)/2) / (p(n − p)), r the ranks of the p positives among n.

    Parameters
    ----------
    average
        Mean over labels ("mean ROC"); all n·q decisions as one label; or a value for each label,
        NaN for those that have one class in y_true.
    empty
        Whether labels that have one class in y_true are left out of the mean, or make it NaN as in
        scikit-learn.

    See Also
    --------
    scorable_labels : Which labels count, and how many are left out.

    Examples
    --------
    >>> from colabel.metrics import roc_auc
    >>> Y, scores = [[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[3, 2, 1], [2, 2, 5], [1, 3, 1]]
    >>> roc_auc(Y, scores)
    0.625
    >>> roc_auc(Y, scores, average=None)
    array([1.  , 0.25,  nan])
    """
    check_option("average", average, ("macro", "micro", None))
    check_option("empty", empty, ("skip", "sklearn"))
    Y, scores = read_scores(y_true, y_score)
    shape = Y.shape
    if average == "micro":
        Y, scores = Y.reshape((-1, 1)), scores.reshape(-1, 1)
    n = len(scores)
    parts = [
        (relevant.sum(axis=1), np.where(relevant, rankdata(part, axis=1), 0).sum(axis=1))
        for relevant, part in blocks(*by_label(Y, scores))
    ]
    p, rank_sums = np.concatenate(parts, axis=1)
    values = ratios(rank_sums - p * (p + 1) / 2, p * (n - p), "skip")
    if average is None:
        return values
    return float((_scorable(values, shape) if empty == "skip" else values).mean())


def mean_average_precision(
    y_true: TrueLabels,
    y_score: GivenScores,
    *,
    average: Literal["macro", "geometric"] | None = "macro",
    recall_levels: int | None = None,
    ties: Literal["sklearn", "mulan"] = "sklearn",
    empty: Literal["skip", "sklearn"] = "skip",
) -> Values:
    """Mean precision down to each positive instance of a label, averaged over labels.

    AP = Σ (L / R) / p over the p positives of a label, R the rank of an instance and L the number
    of positives ranked no lower; or, interpolated, the mean over recall levels ρ of the highest
    precision L / R at a recall L / p ≥ ρ.

    Parameters
    ----------
    average
        The arithmetic or geometric mean over labels, or a value for each label.
    recall_levels
        Interpolate at this many levels from 0 to 1: 11 is the classical form, 10 is MULAN's. None:
        do not.
    ties
        Whether tied instances all have the worst of their ranks, or the first leads.
    empty
        Whether labels that have one class in y_true are left out (NaN for ``average=None``), or
        count as in scikit-learn: 0 where no instance has the label, 1 where all have it.

    See Also
    --------
    scorable_labels : Which labels count, and how many are left out.
    average_precision : The same ratio for the labels of an instance.

    Examples
    --------
    >>> from colabel.metrics import mean_average_precision
    >>> Y, scores = [[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[3, 2, 1], [2, 2, 5], [1, 3, 1]]
    >>> mean_average_precision(Y, scores, average=None).round(4)
    array([1.    , 0.3333,    nan])
    >>> round(mean_average_precision(Y, scores), 4)
    0.6667
    >>> round(mean_average_precision(Y, scores, empty="sklearn"), 4)
    0.4444
    """
    check_option("average", average, ("macro", "geometric", None))
    check_option("ties", ties, ("sklearn", "mulan"))
    check_option("empty", empty, ("skip", "sklearn"))
    if recall_levels is not None and not (
        isinstance(recall_levels, Integral) and recall_levels > 1
    ):
        raise ValueError(
            f"recall_levels must be a whole number of at least 2, or None; got {recall_levels!r}"
        )

    def statistic(ranked: Ranked) -> np.ndarray:
        return _label_precision(ranked, recall_levels, empty)

    Y, scores = read_scores(y_true, y_score)
    order: TieRule = "first" if ties == "mulan" else "worst"
    values = each_block(*by_label(Y, scores), order, statistic)
    if average is None:
        return values
    values = _scorable(values, Y.shape) if empty == "skip" else values
    if average == "macro":
        return float(values.mean())
    return float(np.exp(np.log(values).mean())) if values.all() else 0.0


def _label_precision(ranked: Ranked, levels: int | None, empty: str) -> np.ndarray:
    """Average precision of each row; where only one class is present, what `empty` says."""
    positives, fill = ranked.relevant.sum(axis=1), 0.0
    if empty == "skip":
        positives, fill = np.where(positives < ranked.relevant.shape[1], positives, 0), np.nan
    precision = ranked.hits / ranked.rank
    if levels is None:
        return ratios(ranked.sum(precision), positives, fill)
    recall = ratios(ranked.hits, np.broadcast_to(positives[:, None], precision.shape), fill)
    best = [np.where(recall >= i / (levels - 1), precision, 0).max(axis=1) for i in range(levels)]
    return np.where(positives > 0, np.mean(best, axis=0), fill)


def _scorable(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    scored = values[~np.isnan(values)]
    if not len(scored):
        raise ValueError(
            f"none of the {shape[1]} labels of y_true has both classes in its {shape[0]} rows, so "
            "there is nothing to rank; evaluate on rows that hold positives and negatives"
        )
    return scored
