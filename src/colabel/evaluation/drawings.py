"""The pictures of the data sets, drawn by the workers once the results are there."""

from __future__ import annotations

from typing import Any

from colabel.evaluation.crew import Job
from colabel.evaluation.journal import Journal
from colabel.evaluation.kept import key_of_pictures
from colabel.evaluation.pictures import DEFAULT, cooccurrence
from colabel.evaluation.prepared import Prepared
from colabel.evaluation.request import Request
from colabel.metrics import METRICS

_PICTURE_SECONDS = 60.0


class Drawings:
    """The pictures that are left to draw."""

    def __init__(
        self, asked: Request, journal: Journal, results: list[dict[str, Any]], spent: float
    ) -> None:
        self._asked = asked
        self._journal = journal
        self._best = {data.name: _best_extractor(asked, data, results) for data in asked.datasets}
        self.left = [data for data in asked.datasets if self._key(data) not in journal]
        rest = float("inf") if asked.budget is None else asked.budget - spent
        self._limit = max(min(_PICTURE_SECONDS, rest / max(len(self.left), 1)), 1.0)

    def _key(self, data: Prepared) -> str:
        return key_of_pictures(data.name, self._best[data.name])

    def next(self, current: Any, others: set[Any]) -> Job | None:
        """The next picture to draw."""
        if not self.left:
            return None
        data, asked = self.left.pop(0), self._asked
        best, scoring = self._best[data.name], asked.metrics[0]
        order = ("pictures", data.data, data.scale, best, scoring, asked.seed)
        return Job((data.name, -1), order, self._limit)

    def finish(self, job: Job, result: dict[str, Any], seconds: float) -> None:
        """Keep what was drawn; a picture that could not be is left out."""
        (data,) = (data for data in self._asked.datasets if data.name == job.key[0])
        if not result.get("by_machine"):  # else the same call tries it again
            self._journal.add(self._key(data), result.get("pictures", {}))

    def pictures(self, data: Prepared) -> dict[str, Any]:
        """All pictures of a data set, those that could be drawn."""
        return {"cooccurrence": cooccurrence(data.data), **self._journal.get(self._key(data), {})}


def _best_extractor(asked: Request, data: Prepared, results: list[dict[str, Any]]) -> str:
    """The extractor that did best by the first metric, followed by ridge regression."""
    extractors = {c.name for c in asked.contestants if c.kind == "extractor"}
    metric, found = asked.metrics[0], {}
    for name in extractors:
        scores = [
            result["scores"].get(metric)
            for result in results
            if result["dataset"] == data.name and result["method"] == name
        ]
        if None not in scores:
            sign = 1.0 if METRICS[metric].greater_is_better else -1.0
            found[name] = sign * sum(scores) / len(scores)
    best = max(sorted(found), key=lambda name: found[name], default=DEFAULT)
    return best.removesuffix("-svm")
