"""How good predicted label sets, and scores, are; functions of (y_true, y_pred or y_score).

Labels are n×q matrices of 0 and 1 (or booleans, or ±1), dense, sparse or DataFrames; scores are
dense. By default every measure that scikit-learn also has is equal to it; ``empty=`` and ``ties=``
choose other conventions, among them MULAN's.
"""

from colabel.metrics.curves import mean_average_precision, roc_auc, scorable_labels
from colabel.metrics.ranking import (
    average_precision,
    coverage,
    error_set_size,
    is_error,
    log_loss,
    one_error,
    ranking_loss,
)
from colabel.metrics.scorers import METRICS, Metric, get_scorer, score
from colabel.metrics.sets import (
    accuracy,
    f1,
    hamming_loss,
    precision,
    recall,
    specificity,
    subset_accuracy,
)
from colabel.metrics.top_k import f1_at, precision_at, recall_at

__all__ = [
    "METRICS",
    "Metric",
    "accuracy",
    "average_precision",
    "coverage",
    "error_set_size",
    "f1",
    "f1_at",
    "get_scorer",
    "hamming_loss",
    "is_error",
    "log_loss",
    "mean_average_precision",
    "one_error",
    "precision",
    "precision_at",
    "ranking_loss",
    "recall",
    "recall_at",
    "roc_auc",
    "scorable_labels",
    "score",
    "specificity",
    "subset_accuracy",
]
