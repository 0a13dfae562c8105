"""What follows from a comparison: means and spreads, ranks, tests, the verdict in sentences."""

from colabel.evaluation.overall import Overall, overall, winner
from colabel.evaluation.recommendation import Recommendation, recommendation
from colabel.evaluation.standings import (
    ALPHA,
    MARGIN,
    Spread,
    Standing,
    failures,
    find,
    pareto_front,
    standings,
)
from colabel.evaluation.verdict import dataset_verdict, verdict

__all__ = [
    "ALPHA",
    "MARGIN",
    "Overall",
    "Recommendation",
    "Spread",
    "Standing",
    "dataset_verdict",
    "failures",
    "find",
    "overall",
    "pareto_front",
    "recommendation",
    "standings",
    "verdict",
    "winner",
]
