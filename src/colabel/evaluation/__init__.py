"""Methods beside each other on data: the same splits, the same tuning, and how sure that is."""

from colabel.evaluation.comparison import Comparison
from colabel.evaluation.runner import Progress, compare
from colabel.evaluation.significance import critical_difference, friedman, nemenyi
from colabel.evaluation.tuning import OutOfFoldSearch

__all__ = [
    "Comparison",
    "OutOfFoldSearch",
    "Progress",
    "compare",
    "critical_difference",
    "friedman",
    "nemenyi",
]
