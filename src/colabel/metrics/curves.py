"""Measures of how scores rank the instances of a label, averaged over labels.

A label that all instances have, or none, ranks nothing: it is left out of the mean, and
:func:`scorable_labels` says which these are. ``empty="sklearn"`` counts it as scikit-learn does.
"""

from numbers import Integral
from typing import Literal

import numpy as np
from scipy.special import digamma

from colabel.metrics._counts import ratios
from colabel.metrics._inputs import (
    RowWeights,
    Scores,
    Subset,
    TrueLabels,
    Values,
    check_option,
    read_scores,
    read_truth,
)
from colabel.metrics._ranked import Ranked, TieRule, by_label, each_block


def scorable_labels(y_true: TrueLabels, *, sample_weight: RowWeights = None) -> np.ndarray:
    """Which labels have both classes in y_true: 0 < Σ y < n, of the n rows where it is known.

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
    truth = read_truth(y_true, sample_weight)
    truth, _ = truth.select(truth.Y, None)
    positives = np.asarray(truth.Y.sum(axis=0))
    return (positives > 0) & (positives < truth.known_rows)


def roc_auc(
    y_true: TrueLabels,
    y_score: Scores,
    *,
    average: Literal["macro", "weighted", "micro"] | None = "macro",
    empty: Literal["skip", "sklearn"] = "skip",
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Chance that a positive instance scores above a negative one, ties counting half.

    Of the pairs of a positive and a negative, the share in the right order.

    Parameters
    ----------
    average
        Mean over labels ("mean ROC"), each counting 1 or as many as it has positives; all n·q
        decisions as one label; or a value for each label, NaN for those that have one class in
        y_true.
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
    check_option("average", average, ("macro", "weighted", "micro", None))
    check_option("empty", empty, ("skip", "sklearn"))
    truth, scores = read_scores(y_true, y_score, sample_weight, labels)
    shape = truth.shape
    if average == "micro":
        truth, scores = truth.flat(), scores.reshape(-1, 1)

    def statistic(ranked: Ranked) -> np.ndarray:
        positive = ranked.hits[:, -1]
        pairs = positive * ranked.sum(np.ones(ranked.hits.shape), ranked.irrelevant)
        # both count pairs that are tied, so that half their sum counts these half
        losses = ranked.sum(ranked.rank - ranked.hits)
        wins = ranked.sum(ranked.hits, ranked.irrelevant)
        return np.column_stack([(wins + pairs - losses) / 2, pairs, positive])

    won, pairs, positive = each_block(*by_label(truth, scores), "worst", statistic, truth.weights).T
    values = ratios(won, pairs, "skip")
    if average is None:
        return values
    kept = ~np.isnan(values) if empty == "skip" else truth.known_rows > 0
    if not kept.any():
        raise _nothing_to_rank(shape)
    return _mean(values[kept], positive[kept] if average == "weighted" else None)


def mean_average_precision(
    y_true: TrueLabels,
    y_score: Scores,
    *,
    average: Literal["macro", "weighted", "geometric"] | None = "macro",
    recall_levels: int | None = None,
    ties: Literal["sklearn", "mulan"] = "sklearn",
    empty: Literal["skip", "sklearn"] = "skip",
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Mean precision down to each positive instance of a label, averaged over labels.

    AP = Σ (L / R) / p over the p positives of a label, R the rank of an instance and L the number
    of positives ranked no lower; or, interpolated, the mean over recall levels ρ of the highest
    precision L / R at a recall L / p ≥ ρ.

    Parameters
    ----------
    average
        The arithmetic mean over labels, each counting 1 or as many as it has positives; the
        geometric mean; or a value for each label.
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
    check_option("average", average, ("macro", "weighted", "geometric", None))
    check_option("ties", ties, ("sklearn", "mulan"))
    check_option("empty", empty, ("skip", "sklearn"))
    if recall_levels is not None and not (
        isinstance(recall_levels, Integral) and recall_levels > 1
    ):
        raise ValueError(
            f"recall_levels must be a whole number of at least 2, or None; got {recall_levels!r}"
        )

    def statistic(ranked: Ranked) -> np.ndarray:
        values = _label_precision(ranked, recall_levels, empty, one_by_one=ties == "mulan")
        return np.column_stack([values, ranked.hits[:, -1]])

    truth, scores = read_scores(y_true, y_score, sample_weight, labels)
    order: TieRule = "first" if ties == "mulan" else "worst"
    values, positive = each_block(*by_label(truth, scores), order, statistic, truth.weights).T
    if average is None:
        return np.where(truth.known_rows > 0, values, np.nan)
    kept = ~np.isnan(values) if empty == "skip" else truth.known_rows > 0
    if not kept.any():
        raise _nothing_to_rank(truth.shape)
    values, positive = values[kept], positive[kept]
    if average == "geometric":
        return float(np.exp(np.log(values).mean())) if values.all() else 0.0
    return _mean(values, positive if average == "weighted" else None)


def _label_precision(
    ranked: Ranked, levels: int | None, empty: str, *, one_by_one: bool
) -> np.ndarray:
    """Average precision of each row; where only one class is present, what `empty` says."""
    positives, fill = ranked.hits[:, -1], 0.0
    if empty == "skip":
        positives, fill = np.where(ranked.irrelevant.any(axis=1), positives, 0), np.nan
    rank = ranked.rank if ranked.weights is None else np.maximum(ranked.rank, 1e-300)
    precision = ranked.hits / rank
    if levels is None:
        if one_by_one and ranked.weights is not None:
            return ratios(_sum_one_by_one(ranked), positives, fill)
        return ratios(ranked.sum(precision), positives, fill)
    recall = ratios(ranked.hits, np.broadcast_to(positives[:, None], precision.shape), fill)
    best = [np.where(recall >= i / (levels - 1), precision, 0).max(axis=1) for i in range(levels)]
    return np.where(positives > 0, np.mean(best, axis=0), fill)


def _sum_one_by_one(ranked: Ranked) -> np.ndarray:
    """Precisions down to each of the w rows that a relevant row of weight w stands for, in turn.

    Σ (L + i)/(R + i) over i = 1, …, w is w − (R − L)(ψ(R + w + 1) − ψ(R + 1)), for any w.
    """
    w = ranked.weights
    wrong = ranked.rank - ranked.hits
    found = w - wrong * (digamma(ranked.rank + 1) - digamma(ranked.rank - w + 1))
    return np.where(ranked.relevant, found, 0).sum(axis=1)


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    """A plain mean where no label has a positive."""
    counted = weights if weights is not None and weights.any() else None
    return float(np.average(values, weights=counted))


def _nothing_to_rank(shape: tuple[int, int]) -> ValueError:
    return ValueError(
        f"none of the {shape[1]} labels of y_true has both classes in its {shape[0]} rows, so "
        "there is nothing to rank; evaluate on rows that hold positives and negatives"
    )
