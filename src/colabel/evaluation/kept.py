"""What the journal of a comparison holds: outcomes of methods on splits, and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from colabel.evaluation.comparison import check_outcome, check_pictures
from colabel.evaluation.journal import Journal
from colabel.evaluation.plain_data import refuse
from colabel.evaluation.request import Request
from colabel.evaluation.trials import Trial


def key_of(trial: Trial) -> str:
    """Under which a trial's outcome is kept."""
    return json.dumps([trial.dataset, trial.method, trial.split])


def key_of_pictures(dataset: str, best: str) -> str:
    """Under which the pictures of a data set are kept, of which one is of the best extractor."""
    return json.dumps(["pictures", dataset, best])


def journal_of(path: Any, asked: Request) -> Journal:
    """The journal of a comparison in a file; one that it cannot have written is refused."""
    return Journal(path, asked.identity(), _checker(asked))


def _checker(asked: Request) -> Callable[[str, Any], None]:
    """What refuses a line of a file that someone edited, or that is of something else."""
    trials = {key_of(trial): trial for trial in asked.trials()}
    labels = {data.name: data.data.Y.shape[1] for data in asked.datasets}

    def check(key: str, value: Any) -> None:
        if key in trials:
            check_outcome(value, labels[trials[key].dataset], set(asked.metrics), "the outcome")
        elif key.startswith('["pictures", '):
            check_pictures(value, "the pictures")
        else:
            raise refuse("the key", "a data set, a method and a split of this comparison", key)

    return check
