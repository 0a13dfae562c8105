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
from typing import Any, Protocol, TypeAlias

import numpy as np

from colabel.metrics._counts import Average, Counts, Empty, count, mean_of, ratios
from colabel.metrics._inputs import (
    PredictedLabels,
    RowWeights,
    Subset,
    TrueLabels,
    Values,
    check_option,
    rename,
)

Fraction: TypeAlias = tuple[np.ndarray, np.ndarray]
Ratio: TypeAlias = Callable[[Counts], Fraction]

#: Of each measure, the numerator and the denominator of its ratio.
RATIOS: dict[Any, Ratio] = {}


class Averaged(Protocol):
    """A measure that is the mean of one ratio of counts."""

    def __call__(
        self,
        y_true: TrueLabels,
        y_pred: PredictedLabels,
        *,
        average: Average = "samples",
        empty: Empty = 0,
        labels: Subset = None,
        sample_weight: RowWeights = None,
    ) -> Values:
        """The mean."""


def _averaged(ratio: Ratio) -> Averaged:
    """The measure that a ratio of counts gives, under its name and with its documentation."""

    def measure(
        y_true: TrueLabels,
        y_pred: PredictedLabels,
        *,
        average: Average = "samples",
        empty: Empty = 0,
        labels: Subset = None,
        sample_weight: RowWeights = None,
    ) -> Values:
        return _measure(ratio, y_true, y_pred, average, empty, labels, sample_weight)

    RATIOS[measure] = ratio
    return rename(measure, ratio)


def of_beta(beta: float) -> Ratio:
    """The F-measure of β as a numerator and a denominator."""
    b = beta**2
    return lambda counts: ((1 + b) * counts.tp, (1 + b) * counts.tp + counts.fp + b * counts.fn)


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


@_averaged
def accuracy(counts: Counts) -> Fraction:
    """Overlap of true and predicted sets, the Jaccard index: TP / (TP + FP + FN).

    This is the accuracy of the multi-label papers; scikit-learn's ``accuracy_score`` is
    :func:`subset_accuracy`.

    `empty` is its value where neither truth nor prediction has a label; "mulan" gives 1.

    Examples
    --------
    >>> from colabel.metrics import accuracy
    >>> accuracy([[1, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 0, 0], [0, 0, 0, 0]])
    0.25
    >>> accuracy([[1, 0, 1, 0], [0, 0, 0, 0]], [[1, 0, 0, 0], [0, 0, 0, 0]], empty="mulan")
    0.75
    """
    return counts.tp, counts.tp + counts.fp + counts.fn


@_averaged
def precision(counts: Counts) -> Fraction:
    """Share of predicted labels that are true: TP / (TP + FP).

    `empty` is its value where nothing is predicted; "mulan" gives 1 if nothing is true either.

    Examples
    --------
    >>> from colabel.metrics import precision
    >>> precision([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]])
    0.75
    >>> precision([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]], average=None, empty="skip")
    array([1. , 0.5, nan])
    """
    return counts.tp, counts.tp + counts.fp


@_averaged
def recall(counts: Counts) -> Fraction:
    """Share of true labels that are predicted: TP / (TP + FN).

    `empty` is its value where nothing is true; "mulan" gives 1 if nothing is predicted either.

    Examples
    --------
    >>> from colabel.metrics import recall
    >>> recall([[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]], average="micro") == 2 / 3
    True
    """
    return counts.tp, counts.tp + counts.fn


@_averaged
def f1(counts: Counts) -> Fraction:
    """Harmonic mean of precision and recall: 2TP / (2TP + FP + FN).

    The mean over instances or labels is taken of this ratio, not of precision and recall first.

    `empty` is its value where neither truth nor prediction has a positive; "mulan" gives 1.

    Examples
    --------
    >>> from colabel.metrics import f1
    >>> f1([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]], average="micro")
    0.8
    >>> f1([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]], average="macro", empty="skip")
    0.5
    """
    return of_beta(1.0)(counts)


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


@_averaged
def specificity(counts: Counts) -> Fraction:
    """Share of absent labels that are not predicted: TN / (TN + FP).

    `empty` is its value where no label is absent; "mulan" gives 1 if all are predicted too.

    Examples
    --------
    >>> from colabel.metrics import specificity
    >>> specificity([[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [1, 1, 1]])
    0.25
    >>> specificity([[1, 0, 0], [1, 1, 1]], [[1, 0, 1], [1, 1, 1]], empty="mulan")
    0.75
    """
    return counts.tn, counts.tn + counts.fp


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
