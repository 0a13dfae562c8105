"""What follows from a comparison: means and spreads, ranks, tests, the verdict in sentences."""

from colabel.comparison.stats.overall import Overall, overall, winner
from colabel.comparison.stats.recommendation import Recommendation, recommendation
from colabel.comparison.stats.standings import (
    ALPHA,
    MARGIN,
    Failure,
    Spread,
    Standing,
    failures,
    pareto_front,
    standings,
)
from colabel.comparison.stats.verdict import dataset_verdict, verdict

__all__ = [
    "ALPHA",
    "MARGIN",
    "Failure",
    "Overall",
    "Recommendation",
    "Spread",
    "Standing",
    "dataset_verdict",
    "failures",
    "overall",
    "pareto_front",
    "recommendation",
    "standings",
    "verdict",
    "winner",
]
