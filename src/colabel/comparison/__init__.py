"""Methods beside each other on data: the same splits, the same tuning, and how sure that is."""

from colabel.comparison.comparison import Comparison, compare
from colabel.comparison.run.runner import Progress
from colabel.comparison.stats.paired import corrected_t_test, holm
from colabel.comparison.stats.ranks import average_ranks, critical_difference, friedman, nemenyi

__all__ = [
    "Comparison",
    "Progress",
    "average_ranks",
    "compare",
    "corrected_t_test",
    "critical_difference",
    "friedman",
    "holm",
    "nemenyi",
]
