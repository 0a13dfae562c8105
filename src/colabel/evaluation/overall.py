"""All methods over several data sets: average ranks, and which of them can be told apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from colabel.evaluation.comparison import Comparison
from colabel.evaluation.significance import (
    Friedman,
    average_ranks,
    cliques,
    critical_difference,
    friedman,
)
from colabel.evaluation.standings import ALPHA, by_method, find, standing_of, standings


@dataclass(frozen=True)
class Overall:
    """All methods over several data sets.

    Attributes
    ----------
    ranks : list of (method name, average rank)
        Best first, of the methods that finished at least one data set.
    friedman : Friedman
    critical_difference : float
        Of Nemenyi's test at `ALPHA`.
    groups : list of list of str
        Methods that Nemenyi's test does not tell apart.
    left_out : list of str
        Methods that finished no data set.
    failed : list of (data set, method)
        Where a method takes the worst rank because it did not finish.
    """

    ranks: list[tuple[str, float]]
    friedman: Friedman
    critical_difference: float
    groups: list[list[str]]
    left_out: list[str]
    failed: list[tuple[str, str]]


def overall(comparison: Comparison, metric: str | None = None) -> Overall | None:
    """Ranks and tests over the data sets; None where there are not two of both to compare.

    Parameters
    ----------
    comparison : Comparison
    metric : str, optional
        What the ranks go by; the first metric of the comparison by default.

    Returns
    -------
    Overall or None

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.summary import overall
    >>> scores = {"birds": {"a": [0.7], "b": [0.6]}, "genes": {"a": [0.5], "b": [0.5]}}
    >>> overall(from_scores(scores)).ranks
    [('a', 1.25), ('b', 1.75)]
    """
    chosen = find(comparison.metrics, metric) if metric else comparison.metrics[0]
    greater = chosen["greater_is_better"]
    names = [method["name"] for method in comparison.methods]
    sets = [dataset["name"] for dataset in comparison.datasets]
    table = np.array([_means(comparison, name, chosen["name"]) for name in sets], dtype=float)
    known = ~np.isnan(table)
    n, k = int(known.any(axis=1).sum()), int(known.any(axis=0).sum())
    if n < 2 or k < 2:
        return None
    ranks = average_ranks(table, greater_is_better=greater)
    difference = critical_difference(k, n, ALPHA)
    order = [i for i in np.argsort(ranks, kind="stable") if not np.isnan(ranks[i])]
    took_part = known.any(axis=1)[:, None] & known.any(axis=0)
    return Overall(
        ranks=[(names[i], float(ranks[i])) for i in order],
        friedman=friedman(table, greater_is_better=greater),
        critical_difference=difference,
        groups=[[names[i] for i in group] for group in cliques(ranks, difference)],
        left_out=[
            name
            for name, any_at_all in zip(names, known.any(axis=0), strict=True)
            if not any_at_all
        ],
        failed=[(sets[i], names[j]) for i, j in np.argwhere(took_part & ~known)],
    )


def winner(comparison: Comparison) -> str | None:
    """The method with the best score, or the best average rank over several data sets.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str or None
        Its name; None if no method finished a data set.

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.summary import winner
    >>> winner(from_scores({"birds": {"a": [0.7, 0.6], "b": [0.9, None]}}))
    'a'
    """
    whole = overall(comparison)
    if whole is not None:
        return whole.ranks[0][0]
    for dataset in comparison.datasets:
        table = standings(comparison, dataset["name"])
        if table and table[0].best:
            return table[0].name
    return None


def _means(comparison: Comparison, dataset: str, metric: str) -> list[float | None]:
    n_splits = find(comparison.datasets, dataset)["splits"]["n"]
    table = [
        standing_of(comparison, method, metric, results, n_splits)
        for method, results in by_method(comparison, dataset)
    ]
    return [s.scores[metric].mean if s.complete else None for s in table]
