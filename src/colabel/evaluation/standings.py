"""Who did how well: the numbers that follow from the results of a comparison.

A method counts on a data set if it finished every split of it. One that did not keeps the means of
the splits that it finished, but cannot be the best, and takes the worst rank there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from colabel.evaluation.comparison import Comparison
from colabel.evaluation.significance import (
    Difference,
    corrected_t_test,
    holm,
)

#: The level of every test.
ALPHA = 0.05
#: A score this near the best, as a share of it, is as good, even where the difference is certain.
MARGIN = 0.01


@dataclass(frozen=True)
class Spread:
    """The values of one number over the splits, None where there is none.

    Examples
    --------
    >>> from colabel.evaluation.standings import Spread
    >>> spread = Spread((0.5, 0.7, None))
    >>> round(spread.mean, 3), round(spread.sd, 3), spread.complete
    (0.6, 0.141, False)
    """

    values: tuple[float | None, ...]

    @property
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
    def complete(self) -> bool:
        """Whether every split has one."""
        return len(self.known) == len(self.values) > 0


@dataclass(frozen=True)
class Standing:
    """One method on one data set.

    Attributes
    ----------
    method : dict
        Of ``Comparison.methods``.
    scores : dict of str to Spread
        For each metric.
    fit, predict : Spread
        Seconds.
    lead : Difference or None
        What the best method is ahead by, positive; None for the best itself and where not both
        finished every split.
    p : float or None
        Of the lead, corrected by Holm's rule for the number of methods; None for one split.
    near : bool
        Within `MARGIN` of the best.
    """

    method: dict[str, Any]
    scores: dict[str, Spread]
    fit: Spread
    predict: Spread
    complete: bool
    best: bool = False
    lead: Difference | None = None
    p: float | None = None
    near: bool = False

    @property
    def name(self) -> str:
        """The method's identifier."""
        return str(self.method["name"])

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


def standings(comparison: Comparison, dataset: str, metric: str | None = None) -> list[Standing]:
    """The methods on one data set, best first; those that did not finish it come last.

    Parameters
    ----------
    comparison : Comparison
    dataset : str
        A name of its data sets.
    metric : str, optional
        What the order goes by; the first metric of the comparison by default.

    Returns
    -------
    list of Standing

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.summary import standings
    >>> birds = {"a": [0.71, 0.73, 0.72], "b": [0.52, 0.55, 0.53], "c": [0.7, 0.74, 0.71]}
    >>> table = standings(from_scores({"birds": birds}), "birds")
    >>> [(row.name, round(row.scores["score"].mean, 2), row.as_good) for row in table]
    [('a', 0.72, False), ('c', 0.72, True), ('b', 0.53, False)]
    """
    chosen = find(comparison.metrics, metric) if metric else comparison.metrics[0]
    splits = find(comparison.datasets, dataset)["splits"]
    table = [
        standing_of(comparison, method, chosen["name"], results, splits["n"])
        for method, results in by_method(comparison, dataset)
    ]
    sign = -1 if chosen["greater_is_better"] else 1

    def place(standing: Standing) -> tuple[bool, float]:
        mean = standing.scores[chosen["name"]].mean
        return not standing.complete, np.inf if mean is None else sign * mean

    return _against_the_best(sorted(table, key=place), chosen, splits)


def pareto_front(table: Iterable[Standing], metric: dict[str, Any]) -> list[str]:
    """The methods that no other beats in both fitting time and score, fastest first.

    Parameters
    ----------
    table : iterable of Standing
    metric : dict
        Of ``Comparison.metrics``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.summary import pareto_front, standings
    >>> scores = from_scores({"birds": {"a": [0.7], "b": [0.6]}})
    >>> pareto_front(standings(scores, "birds"), scores.metrics[0])  # no times are known
    []
    """
    sign = -1 if metric["greater_is_better"] else 1
    points = []
    for standing in table:
        time, quality = standing.fit.mean, standing.scores[metric["name"]].mean
        if standing.complete and time is not None and quality is not None:
            points.append((time, sign * quality, standing.name))
    front: list[str] = []
    lowest = np.inf
    for _, loss, name in sorted(points):
        if loss < lowest:
            front.append(name)
            lowest = loss
    return front


def failures(comparison: Comparison) -> list[dict[str, Any]]:
    """What did not finish, once for each data set, method and reason.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of dict
        With dataset, method, status, reason and the splits.

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> from colabel.evaluation.summary import failures
    >>> found = failures(from_scores({"birds": {"a": [0.7, 0.6], "b": [0.6, None]}}))
    >>> [(failure["method"], failure["splits"]) for failure in found]
    [('b', [1])]
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for result in comparison.results:
        if result["status"] != "ok":
            what = {key: result[key] for key in ("dataset", "method", "status", "reason")}
            entry = found.setdefault(tuple(what.values()), {**what, "splits": []})
            entry["splits"].append(result["split"])
    return list(found.values())


def find(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The metric, method or data set of a name."""
    for item in items:
        if item["name"] == name:
            return item
    raise ValueError(f"there is no {name!r}; there are {[item['name'] for item in items]}")


def by_method(
    comparison: Comparison, dataset: str
) -> list[tuple[dict[str, Any], dict[int, dict[str, Any]]]]:
    """Every method with its results on a data set, by split."""
    results: dict[str, dict[int, dict[str, Any]]] = {m["name"]: {} for m in comparison.methods}
    for result in comparison.results:
        if result["dataset"] == dataset:
            results[result["method"]][result["split"]] = result
    return [(method, results[method["name"]]) for method in comparison.methods]


def standing_of(
    comparison: Comparison,
    method: dict[str, Any],
    metric: str,
    results: dict[int, dict[str, Any]],
    n_splits: int,
) -> Standing:
    """What one method's results on a data set, by split, amount to."""
    done = [results.get(split, {"status": "not run"}) for split in range(n_splits)]
    done = [result if result["status"] == "ok" else {} for result in done]
    scores = {
        m["name"]: Spread(tuple(result.get("scores", {}).get(m["name"]) for result in done))
        for m in comparison.metrics
    }
    fit, predict = (
        Spread(tuple(result.get(key) for result in done))
        for key in ("fit_seconds", "predict_seconds")
    )
    return Standing(method, scores, fit, predict, complete=scores[metric].complete)


def _against_the_best(
    table: list[Standing], metric: dict[str, Any], splits: dict[str, Any]
) -> list[Standing]:
    if not table or not table[0].complete:
        return table
    name, sign = metric["name"], 1 if metric["greater_is_better"] else -1
    best = table[0].scores[name]
    others = [standing for standing in table[1:] if standing.complete]
    leads = [
        corrected_t_test(
            [sign * value for value in best.known],
            [sign * value for value in standing.scores[name].known],
            splits["train_rows"],
            splits["test_rows"],
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
