"""Is one method better than another, or was it luck? Tests on tables of scores.

For several data sets: average ranks, Friedman's test and Nemenyi's (Demšar 2006). A table has a
row for each data set and a column for each method. A score that is missing (None or NaN) is a
failure, and takes the worst rank of its row; several share the worst ranks. A method that has no
score at all is left out, and so is a data set on which every method failed. For repeated splits of
one data set there is the t-test of :mod:`colabel.comparison.stats.paired`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from colabel.comparison.stats.paired import Difference, corrected_t_test, holm

__all__ = [
    "Difference",
    "Friedman",
    "average_ranks",
    "cliques",
    "corrected_t_test",
    "critical_difference",
    "friedman",
    "holm",
    "nemenyi",
]

#: A row for each data set, a column for each method.
ScoreTable: TypeAlias = ArrayLike | Sequence[Sequence[float | None]]


@dataclass(frozen=True)
class Friedman:
    """Whether all methods could be equally good."""

    #: Friedman's statistic, of χ² with k − 1 degrees of freedom, and its p-value.
    chi_square: float
    chi_square_p: float
    #: Iman and Davenport's, of F with k − 1 and (k − 1)(N − 1), less conservative.
    f: float
    f_p: float
    #: N and k: those that took part.
    n_datasets: int
    n_methods: int


def average_ranks(scores: ScoreTable, *, greater_is_better: bool = True) -> np.ndarray:
    """The mean over data sets of each method's rank, 1 the best; ties share their ranks.

    A method without any score has the rank NaN; `scores` are those of :func:`friedman`.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, None]]).tolist()
    [1.0, 2.25, 2.75]
    """
    table = _table(scores)
    kept = ~np.isnan(table).all(axis=0)
    averages = np.full(table.shape[1], np.nan)
    if kept.any():
        averages[kept] = _ranks(table, greater_is_better).mean(axis=0)
    return averages


def friedman(
    scores: ScoreTable, *, greater_is_better: bool = True, correct_ties: bool = True
) -> Friedman:
    """Test whether all methods are equally good, by their ranks on several data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        A row for each data set, a column for each method; None or NaN for a failure.
    greater_is_better : bool, default=True
    correct_ties : bool, default=True
        Divide χ² by the share that ties leave of the ranks' variance, as scipy does; the papers
        that follow Demšar (2006) do not.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import friedman
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.5], [0.6, 0.7, 0.5], [0.9, 0.6, 0.4]]
    >>> result = friedman(scores)
    >>> round(result.chi_square, 2), round(result.chi_square_p, 3), round(result.f, 1)
    (6.5, 0.039, 13.0)
    """
    ranks = _ranks(_table(scores), greater_is_better)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"a Friedman test needs 2 data sets and 2 methods with scores; got {n}, {k}"
        )
    largest = n * (k - 1)
    variance = k * (k + 1) / 12
    if correct_ties:
        variance = float(ranks.var(axis=1).mean()) * k / (k - 1)
    spread = n * float(np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2))
    # all equal everywhere: no difference at all, rather than 0/0
    chi_square = min(spread / variance, largest) if variance > 0 else 0.0
    f = (n - 1) * chi_square / (largest - chi_square) if chi_square < largest else np.inf
    return Friedman(
        chi_square=chi_square,
        chi_square_p=float(stats.chi2.sf(chi_square, k - 1)),
        f=float(f),
        f_p=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        n_datasets=n,
        n_methods=k,
    )


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """The difference of average ranks from which Nemenyi's test tells two methods apart.

    Parameters
    ----------
    n_methods, n_datasets : int
    alpha : float in (0, 1), default=0.05
        The chance to tell apart any two of methods that are equally good.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import critical_difference
    >>> round(critical_difference(9, 8), 2)
    4.25
    """
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"a critical difference needs 2 methods and a data set; got {n_methods}, {n_datasets}"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha}")
    quantile = float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf))
    return quantile * _standard_error(n_methods, n_datasets)


def nemenyi(scores: ScoreTable, *, greater_is_better: bool = True) -> np.ndarray:
    """The p-values of Nemenyi's test for all pairs of methods, corrected for their number.

    Parameters
    ----------
    scores, greater_is_better
        As of :func:`friedman`.

    Returns
    -------
    array of shape (k, k)
        Symmetric, 1 on the diagonal; NaN where a method has no score at all.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import nemenyi
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.5], [0.6, 0.7, 0.5], [0.9, 0.6, 0.4]]
    >>> nemenyi(scores).round(3)[0].tolist()
    [1.0, 0.759, 0.036]
    """
    table = _table(scores)
    ranks = _ranks(table, greater_is_better)
    n, k = ranks.shape
    kept = np.flatnonzero(~np.isnan(table).all(axis=0))
    averages = ranks.mean(axis=0)
    gaps = np.abs(averages[:, None] - averages) / _standard_error(k, n) if n else ranks
    different, where = np.unique(gaps, return_inverse=True)  # each takes an integral
    values = np.array(
        [stats.studentized_range.sf(gap, k, np.inf) if gap else 1 for gap in different]
    )
    p = np.full(2 * table.shape[1:], np.nan)
    if n:
        p[np.ix_(kept, kept)] = np.clip(values[where].reshape(k, k), 0, 1)
    return p


def cliques(ranks: ArrayLike, difference: float) -> list[list[int]]:
    """The largest groups of methods whose average ranks lie less than `difference` apart.

    Parameters
    ----------
    ranks : array of shape (k,)
        Average ranks; NaN for a method that is in no group.
    difference : float
        The critical difference.

    Returns
    -------
    list of list of int
        Positions, best first; groups of one are left out.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import cliques
    >>> cliques([3.143, 2.0, 2.893, 1.964], 1.12)
    [[3, 1, 2], [2, 0]]
    """
    values = np.asarray(ranks, dtype=float)
    order = [int(i) for i in np.argsort(values, kind="stable") if not np.isnan(values[i])]
    groups: list[list[int]] = []
    reached = 0
    for start, first in enumerate(order):
        end = sum(values[i] < values[first] + difference for i in order)
        if end > reached and end - start > 1:
            groups.append(order[start:end])
            reached = end
    return groups


def _table(scores: ScoreTable) -> np.ndarray:
    table = np.array(scores, dtype=float)
    if table.ndim != 2:
        raise ValueError(f"scores must have the shape (data sets, methods); got {table.shape}")
    if np.isinf(table).any():
        raise ValueError("scores must be finite; give None or NaN for a method that failed")
    return table


def _ranks(table: np.ndarray, greater_is_better: bool) -> np.ndarray:
    """Ranks of the methods and data sets that take part."""
    failed = np.isnan(table)
    table = table[np.ix_(~failed.all(axis=1), ~failed.all(axis=0))]
    losses = -table if greater_is_better else table
    return stats.rankdata(np.where(np.isnan(losses), np.inf, losses), axis=1)


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return float(np.sqrt(n_methods * (n_methods + 1) / (12 * n_datasets)))
