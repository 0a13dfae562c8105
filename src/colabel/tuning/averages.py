"""Where to cut scores for a measure that is averaged over labels or rows, or is anybody's own.

A measure of each label by itself is the best where each label is cut best (:mod:`colabel._cuts`).
What joins them is here, and exact too: micro-averages with a threshold a label, by Dinkelbach's
method; one threshold, or one number of labels, for means over labels or rows, by one sort.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from colabel import _cuts
from colabel._indicator import dense_labels

Average: TypeAlias = Literal["macro", "micro", "weighted", "samples"]
#: (y_true, y_pred) → a number, greater being better; with sample_weight= where rows count
#: differently.
OwnMeasure: TypeAlias = Callable[..., float]
#: Cuts that a measure of one's own is asked of at most.
MOST_CUTS = 1000


@dataclass(frozen=True)
class Entries:
    """Scores of rows and labels, NaN where there is none or the label is unknown, and the truth."""

    scores: np.ndarray
    Y: np.ndarray
    #: What each row counts; None where all count 1.
    weights: np.ndarray | None = None
    #: Which labels are measured; None: all. The others have scores, which are ranked with theirs.
    measured: np.ndarray | None = None

    @property
    def known(self) -> np.ndarray:
        """Which entries are measured, as 0 and 1."""
        known = ~np.isnan(self.scores)
        return (known if self.measured is None else known & self.measured).astype(np.float64)


def micro_thresholds(entries: Entries, beta: float) -> np.ndarray:
    """A threshold a label, with the best F-measure of all decisions together.

    F = N/D, N = (1 + β²) Σ hits and D = β² Σ positives + Σ kept, is above f where N − fD > 0, which
    each label makes as large as it can by itself. From any f, the F of the cuts that do is the next
    one; it rises until it is the highest.
    """
    cuts = _cuts.AllCuts(entries.scores.T, dense_labels(entries.Y).T, entries.weights)
    labels, gain = np.arange(len(cuts.hits)), (1.0 + beta**2) * cuts.hits
    positives = beta**2 * cuts.hits[:, -1].sum()
    f = 0.0
    while True:
        best = cuts.best(gain - f * cuts.kept)
        total = positives + cuts.kept[labels, best].sum()
        higher = gain[labels, best].sum() / total if total > 0 else 0.0
        if higher <= f:
            return cuts.thresholds(best)
        f = higher


def averaged_threshold(entries: Entries, metric: _cuts.CutMetric, average: Average) -> float:
    """One threshold for all labels, with the best mean of the metric over labels or rows.

    From the highest score down, each entry that is kept changes the metric of one label, or row.
    """
    if average == "micro":
        return _cuts.best_global_threshold(entries.scores, entries.Y, metric, entries.weights)
    known = np.flatnonzero(~np.isnan(entries.scores.ravel()))
    values = entries.scores.ravel()[known]
    order = np.argsort(-values, kind="stable")
    steps = _Steps.of(entries, average, known[order])
    means = np.concatenate([[0.0], np.cumsum(steps.gains(metric))])
    one = _cuts.AllCuts(values[None], np.zeros((1, len(values))), None)
    return float(one.thresholds(one.best(means[None]))[0])


def averaged_k(entries: Entries, metric: _cuts.CutMetric, average: Average) -> int:
    """The number of labels a row, from 1, with the best mean of the metric over labels or rows."""
    n, q = entries.scores.shape
    filled = np.where(np.isnan(entries.scores), -np.inf, entries.scores)
    order = np.argsort(-filled, axis=1, kind="stable").T  # the first of each row, the second, …
    steps = _Steps.of(entries, average, (order + q * np.arange(n)).ravel())
    means = np.cumsum(steps.gains(metric).reshape(q, n).sum(axis=1))
    return int(np.argmax(means)) + 1


@dataclass(frozen=True)
class _Steps:
    """Entries in the order in which they are kept, each of a label or a row: its group."""

    group: np.ndarray
    counts: np.ndarray
    hits: np.ndarray
    #: What the metric of each group counts in the mean.
    shares: np.ndarray

    @classmethod
    def of(cls, entries: Entries, average: Average, order: np.ndarray) -> "_Steps":
        """For entries of the flat matrix."""
        n, q = entries.scores.shape
        rows, labels = np.divmod(order, q)
        Y, each = dense_labels(entries.Y), entries.known
        weights = np.ones(n) if entries.weights is None else entries.weights
        if average != "samples":  # within a row all entries count the same
            each = each * weights[:, None]
        counts, hits = each.ravel()[order], (Y * each).ravel()[order]
        if average == "samples":
            return cls(rows, counts, hits, weights)
        if average == "micro":
            return cls(np.zeros(len(order), dtype=np.intp), counts, hits, np.ones(1))
        return cls(
            labels, counts, hits, np.ones(q) if average == "macro" else (Y * each).sum(axis=0)
        )

    def gains(self, metric: _cuts.CutMetric) -> np.ndarray:
        """What each entry adds to the mean of the metric when it is kept, but for a factor."""
        by_group = np.argsort(self.group, kind="stable")
        group = self.group[by_group]
        first = np.r_[True, group[1:] != group[:-1]]
        starts = np.flatnonzero(first)
        sizes = np.diff(np.r_[starts, len(group)])
        after, before, whole = [], [], []
        for counts in (self.hits[by_group], self.counts[by_group]):
            sums = np.cumsum(counts)
            base = np.repeat(sums[starts] - counts[starts], sizes)
            after.append(sums - base)
            before.append(sums - base - counts)
            whole.append(np.repeat(after[-1][starts + sizes - 1], sizes))
        then, now = (
            _cuts.measure(metric, *counts, empty=0.0, whole=whole) for counts in (after, before)
        )
        gains = np.empty(len(group))
        gains[by_group] = (then - now) * self.shares[group]
        return gains


def own_thresholds(entries: Entries, measure: OwnMeasure) -> np.ndarray:
    """A threshold a label, each with the best value of the measure of that label alone."""
    found = []
    for scores, truth in zip(entries.scores.T, dense_labels(entries.Y).T, strict=True):
        known = ~np.isnan(scores)
        weights = None if entries.weights is None else entries.weights[known]
        one = Entries(scores[known], truth[known].astype(int), weights)
        try:
            found.append(own_threshold(one, measure))
        except ValueError as error:
            raise ValueError(
                f"metric={getattr(measure, '__name__', measure)} failed on one label alone, which "
                "strategy='per-label' gives it, y_true and y_pred of shape (n,): use a metric that "
                "takes these, such as scikit-learn's, or strategy='global' for one of n×q labels, "
                f"such as those of colabel.metrics. It said: {error}"
            ) from error
    return np.array(found)


def own_threshold(entries: Entries, measure: OwnMeasure) -> float:
    """One threshold for all scores, with the best value of the measure."""
    values = entries.scores[~np.isnan(entries.scores)]
    cuts = _cuts.AllCuts(values[None], np.zeros((1, len(values))), None).candidates(MOST_CUTS)
    return float(cuts[_best(entries, measure, (entries.scores > cut for cut in cuts))])


def own_k(entries: Entries, measure: OwnMeasure) -> int:
    """The number of labels a row, from 1, with the best value of the measure."""
    filled = np.where(np.isnan(entries.scores), -np.inf, entries.scores)
    return 1 + _best(
        entries, measure, (_cuts.top_k(filled, k + 1) for k in range(entries.scores.shape[1]))
    )


def _best(entries: Entries, measure: OwnMeasure, predictions: Any) -> int:
    """The number of the best prediction; of equals, the first."""
    unknown = np.isnan(entries.scores)
    truth = dense_labels(entries.Y).astype(int)
    truth = np.where(unknown, np.nan, truth) if unknown.any() else truth
    kept = ... if entries.measured is None else (slice(None), entries.measured)
    given = {} if entries.weights is None else {"sample_weight": entries.weights}
    values = [measure(truth[kept], found[kept].astype(int), **given) for found in predictions]
    return int(np.argmax(values))
