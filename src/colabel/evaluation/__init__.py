"""Methods beside each other on data: the same splits, the same tuning, and how sure that is."""

from colabel.evaluation.comparison import Comparison
from colabel.evaluation.paired import corrected_t_test, holm
from colabel.evaluation.runner import Progress, compare
from colabel.evaluation.significance import (
    average_ranks,
    critical_difference,
    friedman,
    nemenyi,
)
from colabel.evaluation.tuning import OutOfFoldSearch

__all__ = [
    "Comparison",
    "OutOfFoldSearch",
    "Progress",
    "average_ranks",
    "compare",
    "corrected_t_test",
    "critical_difference",
    "friedman",
    "holm",
    "nemenyi",
]
