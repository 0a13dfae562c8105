"""Measures of predicted label sets: ratios of counts, for each instance, each label, or over all.

With TP, FP, FN and TN counted over the labels of one instance (``average="samples"``), over the
instances of one label (``"macro"``, ``"weighted"``) or over everything (``"micro"``), a measure is
one ratio of counts, and its value the mean of these ratios. ``average=None`` gives the ratio of
each label.

A ratio 0/0, as the precision of an instance that is given no label, counts as ``empty`` says:

- 0, the default of every measure, is scikit-learn's choice (``zero_division=0``, with no warning);
- 1 gives the benefit of the doubt;
- "skip" leaves it out of the mean, as scikit-learn's ``zero_division=np.nan``;
- "mulan" is 1 where the prediction is right throughout, else 0, as in MULAN.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from colabel.metrics._counts import Average, Counts, Empty, count, mean_of, ratios
from colabel.metrics._inputs import (
    PredictedLabels,
    RowWeights,
    Subset,
    TrueLabels,
    Values,
    check_option,
)

Ratio: TypeAlias = Callable[[Counts], tuple[np.ndarray, np.ndarray]]


def hamming_loss(
    y_true: TrueLabels, y_pred: PredictedLabels, *, sample_weight: RowWeights = None
) -> float:
    """Share of label decisions that are wrong: (FP + FN) / (TP + FP + FN + TN).

    Examples
    --------
    >>> from colabel.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]) == 1 / 6
    True
    """
    counts = count(y_true, y_pred, "micro", sample_weight)
    wrong = counts.fp + counts.fn
    return float((wrong / (wrong + counts.tp + counts.tn))[0])


def subset_accuracy(
    y_true: TrueLabels, y_pred: PredictedLabels, *, sample_weight: RowWeights = None
) -> float:
    """Share of instances whose predicted set is exactly right: mean of [FP + FN = 0].

    Examples
    --------
    >>> from colabel.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]])
    0.5
    """
    counts = count(y_true, y_pred, "samples", sample_weight)
    return mean_of((counts.fp + counts.fn == 0).astype(np.float64), counts.weights)


def accuracy(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Overlap of true and predicted sets, the Jaccard index: TP / (TP + FP + FN).

    This is the accuracy of the multi-label papers; scikit-learn's ``accuracy_score`` is
    :func:`subset_accuracy`.

    Parameters
    ----------
    empty
        The value where neither truth nor prediction has a label; "mulan" gives 1.

    Examples
    --------
    >>> from colabel.metrics import accuracy
    >>> accuracy([[1, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 0, 0], [0, 0, 0, 0]])
    0.25
    >>> accuracy([[1, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 0, 0], [0, 0, 0, 0]], empty="mulan")
    0.75
    """
    return _measure(RATIOS[accuracy], y_true, y_pred, average, empty, labels, sample_weight)


def precision(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Share of predicted labels that are true: TP / (TP + FP).

    Parameters
    ----------
    empty
        The value where nothing is predicted; "mulan" gives 1 if nothing is true either, else 0.

    Examples
    --------
    >>> from colabel.metrics import precision
    >>> precision([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    0.75
    >>> precision([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]], average=None, empty="skip")
    array([1. , 0.5, nan])
    """
    return _measure(RATIOS[precision], y_true, y_pred, average, empty, labels, sample_weight)


def recall(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Share of true labels that are predicted: TP / (TP + FN).

    Parameters
    ----------
    empty
        The value where nothing is true; "mulan" gives 1 if nothing is predicted either, else 0.

    Examples
    --------
    >>> from colabel.metrics import recall
    >>> recall([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    0.75
    """
    return _measure(RATIOS[recall], y_true, y_pred, average, empty, labels, sample_weight)


def f1(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Harmonic mean of precision and recall: 2TP / (2TP + FP + FN).

    The mean over instances or labels is taken of this ratio, not of precision and recall first.

    Parameters
    ----------
    empty
        The value where neither truth nor prediction has a positive; "mulan" gives 1.

    Examples
    --------
    >>> from colabel.metrics import f1
    >>> f1([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]], average="micro")
    0.8
    >>> f1([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]], average="macro", empty="skip")
    0.5
    """
    return _measure(RATIOS[f1], y_true, y_pred, average, empty, labels, sample_weight)


def fbeta(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    beta: float = 1.0,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Weighted harmonic mean of precision and recall: (1 + β²)TP / ((1 + β²)TP + FP + β²FN).

    ``beta=1`` is :func:`f1`; above 1 what is missed counts more, below 1 what is predicted wrongly.

    Parameters
    ----------
    beta
        β > 0: recall is worth β times what precision is.
    empty
        The value where neither truth nor prediction has a positive; "mulan" gives 1.

    Examples
    --------
    >>> from colabel.metrics import fbeta
    >>> Y, given = [[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]]  # all that is given is right
    >>> [round(fbeta(Y, given, beta=beta, average="micro"), 2) for beta in (0.5, 1.0, 2.0)]
    [0.91, 0.8, 0.71]
    """
    if not 0 < beta < np.inf:
        raise ValueError(f"beta must be a number > 0; got {beta!r}")
    return _measure(of_beta(beta), y_true, y_pred, average, empty, labels, sample_weight)


def specificity(
    y_true: TrueLabels,
    y_pred: PredictedLabels,
    *,
    average: Average = "samples",
    empty: Empty = 0,
    labels: Subset = None,
    sample_weight: RowWeights = None,
) -> Values:
    """Share of absent labels that are not predicted: TN / (TN + FP).

    Parameters
    ----------
    empty
        The value where no label is absent; "mulan" gives 1 if all are predicted too, else 0.

    Examples
    --------
    >>> from colabel.metrics import specificity
    >>> specificity([[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [1, 1, 1]])
    0.25
    >>> specificity([[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [1, 1, 1]], empty="mulan")
    0.75
    """
    return _measure(RATIOS[specificity], y_true, y_pred, average, empty, labels, sample_weight)


def of_beta(beta: float) -> Ratio:
    """The F-measure of β as a numerator and a denominator."""
    b = beta**2
    return lambda counts: ((1 + b) * counts.tp, (1 + b) * counts.tp + counts.fp + b * counts.fn)


#: Of each measure, the numerator and the denominator of its ratio.
RATIOS: dict[Any, Ratio] = {
    accuracy: lambda counts: (counts.tp, counts.tp + counts.fp + counts.fn),
    precision: lambda counts: (counts.tp, counts.tp + counts.fp),
    recall: lambda counts: (counts.tp, counts.tp + counts.fn),
    f1: of_beta(1.0),
    specificity: lambda counts: (counts.tn, counts.tn + counts.fp),
}


def _measure(
    ratio: Ratio,
    y_true: Any,
    y_pred: Any,
    average: Average,
    empty: Empty,
    labels: Subset,
    sample_weight: RowWeights,
) -> Values:
    check_option("empty", empty, (0, 1, "skip", "mulan"))
    counts = count(y_true, y_pred, average, sample_weight, labels)
    fill: Any = counts.fp + counts.fn == 0 if empty == "mulan" else empty
    values = ratios(*ratio(counts), fill)
    values[counts.nothing] = np.nan
    return values if average is None else mean_of(values, counts.weights)
