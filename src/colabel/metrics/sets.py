"""Measures of predicted label sets: ratios of counts, for each instance, each label, or over all.

With TP, FP, FN and TN counted over the labels of one instance (``average="samples"``), over the
instances of one label (``"macro"``) or over everything (``"micro"``), a measure is one ratio of
counts, and its value the mean of these ratios. ``average=None`` gives the ratio of each label.

A ratio 0/0, as the precision of an instance that is given no label, counts as ``empty`` says:

- 0, the default of every measure, is scikit-learn's choice (``zero_division=0``, with no warning);
- 1 gives the benefit of the doubt;
- "skip" leaves it out of the mean, as scikit-learn's ``zero_division=np.nan``;
- "mulan" is 1 where the prediction is right throughout, else 0, as in MULAN.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from colabel.metrics._counts import Average, Counts, Empty, count, mean_ratio, ratios
from colabel.metrics._inputs import PredictedLabels, TrueLabels, Values, check_option

Ratio: TypeAlias = Callable[[Counts], tuple[np.ndarray, np.ndarray]]


def hamming_loss(y_true: TrueLabels, y_pred: PredictedLabels) -> float:
    """Share of label decisions that are wrong: (FP + FN) / (n·q).

    Examples
    --------
    >>> from colabel.metrics import hamming_loss
    >>> hamming_loss([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]) == 1 / 6
    True
    """
    counts = count(y_true, y_pred, "micro")
    wrong = counts.fp + counts.fn
    return float((wrong / (wrong + counts.tp + counts.tn))[0])


def subset_accuracy(y_true: TrueLabels, y_pred: PredictedLabels) -> float:
    """Share of instances whose predicted set is exactly right: mean of [FP + FN = 0].

    Examples
    --------
    >>> from colabel.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]])
    0.5
    """
    counts = count(y_true, y_pred, "samples")
    return float(np.mean(counts.fp + counts.fn == 0))


def accuracy(
    y_true: TrueLabels, y_pred: PredictedLabels, *, average: Average = "samples", empty: Empty = 0
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
    return _measure(accuracy, y_true, y_pred, average, empty)


def precision(
    y_true: TrueLabels, y_pred: PredictedLabels, *, average: Average = "samples", empty: Empty = 0
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
    return _measure(precision, y_true, y_pred, average, empty)


def recall(
    y_true: TrueLabels, y_pred: PredictedLabels, *, average: Average = "samples", empty: Empty = 0
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
    return _measure(recall, y_true, y_pred, average, empty)


def f1(
    y_true: TrueLabels, y_pred: PredictedLabels, *, average: Average = "samples", empty: Empty = 0
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
    return _measure(f1, y_true, y_pred, average, empty)


def specificity(
    y_true: TrueLabels, y_pred: PredictedLabels, *, average: Average = "samples", empty: Empty = 0
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
    return _measure(specificity, y_true, y_pred, average, empty)


#: Of each measure, the numerator and the denominator of its ratio.
RATIOS: dict[Any, Ratio] = {
    accuracy: lambda counts: (counts.tp, counts.tp + counts.fp + counts.fn),
    precision: lambda counts: (counts.tp, counts.tp + counts.fp),
    recall: lambda counts: (counts.tp, counts.tp + counts.fn),
    f1: lambda counts: (2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn),
    specificity: lambda counts: (counts.tn, counts.tn + counts.fp),
}


def _measure(measure: Any, y_true: Any, y_pred: Any, average: Average, empty: Empty) -> Values:
    check_option("empty", empty, (0, 1, "skip", "mulan"))
    counts = count(y_true, y_pred, average)
    fill: Any = counts.fp + counts.fn == 0 if empty == "mulan" else empty
    mean = ratios if average is None else mean_ratio
    return mean(*RATIOS[measure](counts), fill)
