"""Measures of how scores rank the labels of an instance, and of probabilities.

R is the rank of a label among the q of its instance (1 for the highest score), L the number of the
instance's true labels ranked no lower. Equal scores are ranked as ``ties`` says:

- "sklearn", the default: tied labels all have the worst of their ranks, so a tie is an error;
- "mulan": of tied labels the last leads, as in MULAN.

The scores are dense; a sparse y_true is made dense a few rows at a time.
"""

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import numpy as np

from colabel.metrics._counts import mean_of, mean_ratio
from colabel.metrics._inputs import (
    RowWeights,
    Scores,
    TrueLabels,
    check_option,
    check_probabilities,
    read_scores,
    rename,
)
from colabel.metrics._ranked import Ranked, blocks, each_block

Ties = Literal["sklearn", "mulan"]
EmptyRow = Literal[0, 1, "skip"]
Fraction: TypeAlias = tuple[np.ndarray, np.ndarray]


class Ranking(Protocol):
    """A measure that is the mean over instances of a ratio that their ranks give."""

    def __call__(
        self,
        y_true: TrueLabels,
        y_score: Scores,
        *,
        ties: Ties = "sklearn",
        empty: EmptyRow = ...,
        sample_weight: RowWeights = None,
    ) -> float:
        """The mean."""


def _mean_ratio(empty: EmptyRow) -> Callable[[Callable[[Ranked], Fraction]], Ranking]:
    """Make a ratio a measure; `empty` is the value of 0/0 if nothing else is asked."""
    usual = empty

    def measure_of(ratio: Callable[[Ranked], Fraction]) -> Ranking:
        def measure(
            y_true: TrueLabels,
            y_score: Scores,
            *,
            ties: Ties = "sklearn",
            empty: EmptyRow = usual,
            sample_weight: RowWeights = None,
        ) -> float:
            check_option("empty", empty, (0, 1, "skip"))
            found, weights = _per_instance(
                y_true, y_score, ties, lambda ranked: np.column_stack(ratio(ranked)), sample_weight
            )
            return mean_ratio(found[:, 0], found[:, 1], empty, weights)

        return rename(measure, ratio)

    return measure_of


@_mean_ratio(empty=1)
def one_error(ranked: Ranked) -> Fraction:
    """Share of instances whose top-ranked label is not a true one: mean of [min (R − L) > 0].

    Parameters
    ----------
    ties
        Whether any label that is tied at the top and not true is an error, or only the last.
    empty
        The value of an instance without labels; MULAN has 1.

    Examples
    --------
    >>> from colabel.metrics import one_error
    >>> one_error([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    0.5
    """
    right = ranked.relevant & (ranked.rank == ranked.hits)
    return ~right.any(axis=1), np.any(ranked.relevant, axis=1)


def is_error(
    y_true: TrueLabels, y_score: Scores, *, ties: Ties = "sklearn", sample_weight: RowWeights = None
) -> float:
    """Share of instances ranked imperfectly: mean of [Σ (R − L) > 0], Σ over true labels.

    Parameters
    ----------
    ties
        Whether a tie of a true label and another is an error, or the last of them leads.

    Examples
    --------
    >>> from colabel.metrics import is_error
    >>> is_error([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    0.5
    """
    found, weights = _per_instance(y_true, y_score, ties, _count_misordered, sample_weight)
    return mean_of((found > 0).astype(np.float64), weights)


def error_set_size(
    y_true: TrueLabels, y_score: Scores, *, ties: Ties = "sklearn", sample_weight: RowWeights = None
) -> float:
    """Mean number of pairs (true label, other label) in the wrong order: mean of Σ (R − L).

    Parameters
    ----------
    ties
        Whether a tied pair is in the wrong order, or the last of the two leads.

    Examples
    --------
    >>> from colabel.metrics import error_set_size
    >>> error_set_size([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    1.0
    """
    found = _per_instance(y_true, y_score, ties, _count_misordered, sample_weight)
    return mean_of(*found)


@_mean_ratio(empty=0)
def ranking_loss(ranked: Ranked) -> Fraction:
    """Share of pairs (true label, other label) in the wrong order: mean of Σ (R − L) / (t·(q − t)).

    t is the number of labels of the instance.

    Parameters
    ----------
    ties
        Whether a tied pair is in the wrong order, or the last of the two leads.
    empty
        The value of an instance with no label or with all; scikit-learn and MULAN have 0.

    Examples
    --------
    >>> from colabel.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    0.5
    """
    labels = ranked.relevant.sum(axis=1)
    return _count_misordered(ranked), labels * (ranked.sizes - labels)


@_mean_ratio(empty=1)
def average_precision(ranked: Ranked) -> Fraction:
    """Mean precision down to each true label of an instance: mean of Σ (L / R) / t.

    t is the number of labels of the instance. This is scikit-learn's
    ``label_ranking_average_precision_score``; for its ``average_precision_score``, which ranks the
    instances of a label, see :func:`mean_average_precision`.

    Parameters
    ----------
    ties
        Whether tied labels all have the worst of their ranks, or the last leads.
    empty
        The value of an instance without labels: scikit-learn has 1, MULAN leaves it out ("skip").

    Examples
    --------
    >>> from colabel.metrics import average_precision
    >>> average_precision([[1, 0, 0], [0, 1, 0]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    0.75
    """
    return ranked.sum(ranked.hits / ranked.rank), ranked.relevant.sum(axis=1)


def coverage(
    y_true: TrueLabels,
    y_score: Scores,
    *,
    ties: Ties = "sklearn",
    first: Literal[0, 1] = 0,
    sample_weight: RowWeights = None,
) -> float:
    """How far down the ranking all true labels are covered: mean of max R − 1.

    Parameters
    ----------
    ties
        Whether tied labels all have the worst of their ranks, or the last leads.
    first
        What the top of the ranking counts: 0 in the papers and MULAN, 1 in scikit-learn's
        ``coverage_error``. An instance without labels counts 0 in both.

    Examples
    --------
    >>> from colabel.metrics import coverage
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]])
    1.0
    >>> coverage([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.8, 0.7, 0.1]], first=1)
    2.0
    """
    check_option("first", first, (0, 1))

    def depth(ranked: Ranked) -> np.ndarray:
        return np.where(ranked.relevant, ranked.rank - 1 + first, 0).max(axis=1)

    return mean_of(*_per_instance(y_true, y_score, ties, depth, sample_weight))


def log_loss(
    y_true: TrueLabels,
    y_score: Scores,
    *,
    eps: float = 1e-8,
    average: Literal["sum", "macro"] | None = "sum",
    sample_weight: RowWeights = None,
) -> float | np.ndarray:
    """Surprise at the true labels: mean over instances of −Σ (y ln p + (1 − y) ln (1 − p)).

    The sum over labels is not divided by q, as in MULAN's "Logarithmic Loss". scikit-learn's
    ``log_loss`` reads a label matrix as classes and is another number.

    Parameters
    ----------
    y_score : array or DataFrame of shape (n, q)
        Probabilities.
    eps
        Probabilities are moved to between eps and 1 − eps.
    average
        The sum over labels, their mean, or a value for each.

    Examples
    --------
    >>> from colabel.metrics import log_loss
    >>> round(log_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.1, 0.9]]), 4)
    0.7985
    """
    if not 0 < eps < 0.5:
        raise ValueError(f"eps must lie in (0, 0.5); got {eps}")
    truth, scores = read_scores(y_true, y_score, sample_weight)
    check_probabilities(scores)
    check_option("average", average, ("sum", "macro", None))
    total, counted = np.zeros(scores.shape[1]), np.zeros(scores.shape[1])
    for relevant, part, known, rows in blocks(truth, scores):
        p = np.clip(part.astype(np.float64), eps, 1 - eps)
        logs = np.log(np.where(relevant, p, 1 - p))
        each = np.ones(len(logs)) if truth.weights is None else truth.weights[rows]
        total -= each @ (logs if known is None else logs * known)
        counted += each.sum() if known is None else each @ known
    if average == "sum":
        return float(total.sum() / truth.total)
    values = np.divide(total, counted, out=np.full(len(total), np.nan), where=counted > 0)
    return values if average is None else float(np.nanmean(values))


def _count_misordered(ranked: Ranked) -> np.ndarray:
    return ranked.sum(ranked.rank - ranked.hits)


def _per_instance(
    y_true: TrueLabels,
    y_score: Scores,
    ties: Ties,
    statistic: Callable[[Ranked], np.ndarray],
    sample_weight: RowWeights,
) -> tuple[np.ndarray, np.ndarray | None]:
    """A statistic of each row that counts, and what it counts."""
    check_option("ties", ties, ("sklearn", "mulan"))
    truth, scores = read_scores(y_true, y_score, sample_weight)
    found = each_block(truth, scores, "last" if ties == "mulan" else "worst", statistic)
    return found, truth.weights
