"""All methods over several data sets: average ranks, and which of them can be told apart."""

from dataclasses import dataclass

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats import ranks as ranking
from colabel.comparison.stats.standings import ALPHA, standing_of, standings


@dataclass(frozen=True)
class Overall:
    """All methods over several data sets."""

    #: Best first, of the methods that finished at least one data set.
    ranks: list[tuple[str, float]]
    friedman: ranking.Friedman
    #: Of Nemenyi's test at `ALPHA`.
    critical_difference: float
    #: Methods that Nemenyi's test does not tell apart.
    groups: list[list[str]]
    #: Methods that finished no data set.
    left_out: list[str]
    #: Where a method takes the worst rank because it did not finish.
    failed: list[tuple[str, str]]


def overall(comparison: ComparisonData, metric: str | None = None) -> Overall | None:
    """Ranks and tests over the data sets; None where there are not two of both to compare."""
    chosen = comparison.metric(metric)
    greater = chosen.greater_is_better
    names = [method.name for method in comparison.methods]
    sets = [dataset.name for dataset in comparison.datasets]
    table = np.array(mean_table(comparison, chosen.name), dtype=float)
    known = ~np.isnan(table)
    n, k = int(known.any(axis=1).sum()), int(known.any(axis=0).sum())
    if n < 2 or k < 2:
        return None
    ranks = ranking.average_ranks(table, greater_is_better=greater)
    difference = ranking.critical_difference(k, n, ALPHA)
    order = [i for i in np.argsort(ranks, kind="stable") if not np.isnan(ranks[i])]
    took_part = known.any(axis=1)[:, None] & known.any(axis=0)
    return Overall(
        ranks=[(names[i], float(ranks[i])) for i in order],
        friedman=ranking.friedman(table, greater_is_better=greater),
        critical_difference=difference,
        groups=[[names[i] for i in group] for group in ranking.cliques(ranks, difference)],
        left_out=[
            name
            for name, any_at_all in zip(names, known.any(axis=0), strict=True)
            if not any_at_all
        ],
        failed=[(sets[i], names[j]) for i, j in np.argwhere(took_part & ~known)],
    )


def winner(comparison: ComparisonData) -> str | None:
    """The method with the best score, or the best average rank over several data sets."""
    whole = overall(comparison)
    if whole is not None:
        return whole.ranks[0][0]
    for dataset in comparison.datasets:
        table = standings(comparison, dataset.name)
        if table and table[0].best:
            return table[0].name
    return None


def mean_table(comparison: ComparisonData, metric: str) -> list[list[float | None]]:
    """A row for each data set, a column for each method; None for one that did not finish it."""
    table = [
        [standing_of(comparison, data, method, metric) for method in comparison.methods]
        for data in comparison.datasets
    ]
    return [[s.score.mean if s.complete else None for s in row] for row in table]
