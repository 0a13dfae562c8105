"""Who did how well: the numbers that follow from the results of a comparison.

A method counts on a data set if it finished every split of it. One that did not keeps the means of
the splits that it finished, but cannot be the best, and takes the worst rank there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from colabel.comparison.result import (
    ComparisonData,
    DataFacts,
    MethodFacts,
    MetricFacts,
    Result,
    SplitFacts,
)
from colabel.comparison.stats.ranks import Difference, corrected_t_test, holm

#: The level of every test.
ALPHA = 0.05
#: A score this near the best, as a share of it, is as good, even where the difference is certain.
MARGIN = 0.01


@dataclass(frozen=True)
class Spread:
    """The values of one number over the splits, None where there is none."""

    values: tuple[float | None, ...]

    @cached_property
    def known(self) -> list[float]:
        """Those that there are."""
        return [value for value in self.values if value is not None]

    @property
    def mean(self) -> float | None:
        """Their mean."""
        return float(np.mean(self.known)) if self.known else None

    @property
    def sd(self) -> float | None:
        """Their standard deviation (n − 1); None for fewer than two."""
        return float(np.std(self.known, ddof=1)) if len(self.known) > 1 else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None for fewer than two."""
        return None if self.sd is None else self.sd / len(self.known) ** 0.5

    @property
    def complete(self) -> bool:
        """Whether every split has one."""
        return len(self.known) == len(self.values) > 0


@dataclass(frozen=True)
class Standing:
    """One method on one data set, judged by one metric."""

    method: MethodFacts
    metric: str
    #: By split, None for one that did not finish.
    results: tuple[Result | None, ...]
    best: bool = False
    #: What the best method is ahead by, positive; None for the best itself and where not both
    #: finished every split.
    lead: Difference | None = None
    #: Of the lead, corrected by Holm's rule for the number of methods; None for one split.
    p: float | None = None
    #: Within `MARGIN` of the best.
    near: bool = False

    @property
    def name(self) -> str:
        """The method's identifier."""
        return self.method.name

    @cached_property
    def score(self) -> Spread:
        """By the metric that it is judged by."""
        return self.by(self.metric)

    def by(self, metric: str) -> Spread:
        """By any metric."""
        return Spread(tuple(None if r is None else r.scores.get(metric) for r in self.results))

    @cached_property
    def fit(self) -> Spread:
        """Seconds."""
        return Spread(tuple(None if r is None else r.fit_seconds for r in self.results))

    @property
    def complete(self) -> bool:
        """Whether it finished every split."""
        return self.score.complete

    @property
    def as_good(self) -> bool:
        """Not the best, but within a margin of it that does not matter; never of a single split."""
        return self.p is not None and self.near

    @property
    def is_open(self) -> bool:
        """Behind by more than that, but not for certain: the interval of the lead reaches 0."""
        if self.p is None or self.lead is None or self.near:
            return False
        return self.p >= ALPHA and self.lead.lower <= 0

    @property
    def is_level(self) -> bool:
        """Not the best, but not told apart from it either: as good, or behind by chance perhaps."""
        return self.as_good or self.is_open


def standings(
    comparison: ComparisonData, dataset: str, metric: str | None = None
) -> list[Standing]:
    """The methods on one data set, best first; those that did not finish it come last."""
    chosen = comparison.metric(metric)
    data = comparison.dataset(dataset)
    table = [standing_of(comparison, data, m, chosen.name) for m in comparison.methods]
    sign = -1 if chosen.greater_is_better else 1

    def place(standing: Standing) -> tuple[bool, float]:
        mean = standing.score.mean
        return not standing.complete, np.inf if mean is None else sign * mean

    return _against_the_best(sorted(table, key=place), chosen, data.splits)


def pareto_front(table: Iterable[Standing], metric: MetricFacts) -> list[str]:
    """The methods that no other beats in both fitting time and score, fastest first."""
    sign = -1 if metric.greater_is_better else 1
    points = []
    for standing in table:
        time, quality = standing.fit.mean, standing.by(metric.name).mean
        if standing.complete and time is not None and quality is not None:
            points.append((time, sign * quality, standing.name))
    front: list[str] = []
    lowest = np.inf
    for _, loss, name in sorted(points):
        if loss < lowest:
            front.append(name)
            lowest = loss
    return front


@dataclass(frozen=True)
class Failure:
    """What did not finish, and why."""

    dataset: str
    method: str
    status: str
    reason: str | None
    splits: tuple[int, ...]


def failures(comparison: ComparisonData) -> list[Failure]:
    """What did not finish, once for each data set, method and reason."""
    found: dict[tuple[str, str, str, str | None], list[int]] = {}
    for result in comparison.results:
        if result.status != "ok":
            what = (result.dataset, result.method, result.status, result.reason)
            found.setdefault(what, []).append(result.split)
    return [Failure(*what, tuple(splits)) for what, splits in found.items()]


def standing_of(
    comparison: ComparisonData, data: DataFacts, method: MethodFacts, metric: str
) -> Standing:
    """One method on one data set, beside no other."""
    return Standing(method, metric, _finished(comparison, data, method.name))


def spread_of(comparison: ComparisonData, dataset: str, method: str, metric: str) -> Spread:
    """The values of a metric on the splits of a data set; none of a method that took no part."""
    results = _finished(comparison, comparison.dataset(dataset), method)
    return Spread(
        tuple(None if result is None else result.scores.get(metric) for result in results)
    )


def _finished(
    comparison: ComparisonData, data: DataFacts, method: str
) -> tuple[Result | None, ...]:
    found = {
        result.split: result
        for result in comparison.results
        if (result.dataset, result.method, result.status) == (data.name, method, "ok")
    }
    return tuple(map(found.get, range(data.splits.n)))


def _against_the_best(
    table: list[Standing], metric: MetricFacts, splits: SplitFacts
) -> list[Standing]:
    if not table or not table[0].complete:
        return table
    sign = 1 if metric.greater_is_better else -1
    best = table[0].score
    others = [standing for standing in table[1:] if standing.complete]
    # The test takes splits to be as alike as their test rows. Where most rows are tested on, scores
    # vary by the few that are trained on, of which two splits share less: there it is half.
    n_test = min(splits.test_rows, splits.train_rows)
    leads = [
        corrected_t_test(
            [sign * value for value in best.known],
            [sign * value for value in standing.score.known],
            splits.train_rows,
            n_test,
        )
        for standing in others
    ]
    corrected = holm([lead.p for lead in leads])
    margin = MARGIN * abs(best.mean or 0.0)
    judged = [
        replace(standing, lead=lead, p=None if np.isnan(p) else float(p), near=lead.mean <= margin)
        for standing, lead, p in zip(others, leads, corrected, strict=True)
    ]
    return [replace(table[0], best=True), *judged, *table[1 + len(others) :]]
