"""How good predicted label sets, and scores, are; functions of (y_true, y_pred or y_score).

Labels are n×q matrices of 0 and 1 (or booleans, or ±1), dense, sparse or DataFrames; scores are
dense. A row of weight w (``sample_weight=``) counts as w rows; where y_true is NaN it is unknown,
and a measure is that of the entries that are left, as if the row had no such label: neither
right nor wrong, without a rank. ``labels=`` measures some labels alone, where there is a mean over
them.

``empty=`` and ``ties=`` choose conventions, among them MULAN's. What scikit-learn has too is equal
to it by default, with these exceptions, each with a way to its value:

- :func:`roc_auc` and :func:`mean_average_precision` leave out labels that all rows have, or none;
  ``empty="sklearn"`` does not.
- :func:`coverage` counts ranks from 0; ``first=1`` is ``coverage_error``.
- :func:`accuracy` is ``jaccard_score`` of samples, :func:`subset_accuracy` ``accuracy_score``;
  :func:`average_precision` is ``label_ranking_average_precision_score``,
  :func:`mean_average_precision` ``average_precision_score``; :func:`log_loss` is a sum over labels.
"""

from colabel._documents import adopt
from colabel.metrics.curves import mean_average_precision, roc_auc, scorable_labels
from colabel.metrics.dependence import hsic
from colabel.metrics.probabilities import Reliability, brier_loss, calibration_error, reliability
from colabel.metrics.ranking import (
    average_precision,
    coverage,
    error_set_size,
    is_error,
    log_loss,
    one_error,
    ranking_loss,
)
from colabel.metrics.scorers import METRICS, LabelScorer, Metric, get_scorer, score
from colabel.metrics.sets import (
    accuracy,
    f1,
    fbeta,
    hamming_loss,
    precision,
    recall,
    specificity,
    subset_accuracy,
)
from colabel.metrics.top_k import f1_at, precision_at, recall_at

__all__ = [
    "METRICS",
    "LabelScorer",
    "Metric",
    "Reliability",
    "accuracy",
    "average_precision",
    "brier_loss",
    "calibration_error",
    "coverage",
    "error_set_size",
    "f1",
    "f1_at",
    "fbeta",
    "get_scorer",
    "hamming_loss",
    "hsic",
    "is_error",
    "log_loss",
    "mean_average_precision",
    "one_error",
    "precision",
    "precision_at",
    "ranking_loss",
    "recall",
    "recall_at",
    "reliability",
    "roc_auc",
    "scorable_labels",
    "score",
    "specificity",
    "subset_accuracy",
]

adopt(__name__, __all__)
