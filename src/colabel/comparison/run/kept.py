"""What the journal of a comparison holds: outcomes of methods on splits, and insights."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from colabel.comparison.plain import read, refuse
from colabel.comparison.plan.request import Request
from colabel.comparison.result import Insights, Outcome
from colabel.comparison.run.journal import Journal
from colabel.comparison.run.trial import trials_of


def key_of_insights(dataset: str, best: str) -> str:
    """Under which the insights into a data set are kept, one of them by the best extractor."""
    return json.dumps(["insights", dataset, best])


def journal_of(path: Path | None, asked: Request) -> Journal:
    """The journal of a comparison in a file; one that it cannot have written is refused."""
    return Journal(path, asked.identity(), _checker(asked))


def _checker(asked: Request) -> Callable[[str, Any], None]:
    """What refuses a line of a file that someone edited, or that is of something else."""
    trials = {trial.key: trial for trial in trials_of(asked)}
    labels = {data.name: data.data.Y.shape[1] for data in asked.datasets}
    metrics = set(asked.metrics)

    def check(key: str, value: Any) -> None:
        if key in trials:
            outcome = read(value, Outcome, "the outcome")
            outcome.check(labels[trials[key].dataset], metrics, "the outcome")
            outcome.check_done(metrics, "the outcome")
        elif key.startswith('["insights", '):
            read(value, Insights, "the insights").check("the insights")
        else:
            raise refuse("the key", "a data set, a method and a split of this comparison", key)

    return check
