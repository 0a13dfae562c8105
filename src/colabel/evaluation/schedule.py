"""Who is run next, and for how long: a budget shared out so that a slow method cannot eat it all.

Without a budget every trial is run, those of one split after each other, as they share its rows.
With one, each method is first run on one split of each data set, in at most half of the time. Then
what is left goes to the methods from the fastest on, as long as the other splits of a method cost
no more than an equal share of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from colabel.evaluation.crew import Job
from colabel.evaluation.trials import Trial, failed

#: How many times the seconds of its first split a trial may take, and the seconds it may always.
_PATIENCE, _LEAST = 3.0, 2.0
#: The share of a budget that is for trials; the rest is for what follows them.
_FOR_TRIALS = 0.92

Keep = Callable[[Trial, dict[str, Any]], None]


class Schedule:
    """The trials that are left to run.

    Parameters
    ----------
    trials : list of Trial
    jobs : int
        Worker processes.
    budget : float or None
        Seconds for all of them.
    keep : callable
        Takes each trial with its result.
    known : dict
        Seconds of methods on data sets that were run before.
    """

    def __init__(
        self,
        trials: list[Trial],
        jobs: int,
        budget: float | None,
        keep: Keep,
        known: dict[tuple[str, str], float] | None = None,
    ) -> None:
        self._left = list(trials)
        self._jobs = jobs
        self._keep = keep
        self._begin: float | None = None
        self._budget = None if budget is None else _FOR_TRIALS * budget
        self._said = budget
        self._seconds = dict(known or {})
        self._first: set[int] = set()
        self._running: dict[int, Trial] = {}
        if budget is not None:
            self._first = self._first_of_each()

    def _first_of_each(self) -> set[int]:
        found: dict[tuple[str, str], Trial] = {}
        for trial in self._left:
            found.setdefault((trial.dataset, trial.method), trial)
        return {id(trial) for pair, trial in found.items() if pair not in self._seconds}

    def seconds_left(self) -> float | None:
        """An estimate of what the trials that are left will take; None where nothing is known."""
        left = [*self._left, *self._running.values()]
        known = [self._seconds.get((trial.dataset, trial.method)) for trial in left]
        measured = list(self._seconds.values())
        if not measured:
            return None
        usual = sum(measured) / len(measured)
        estimate = sum(usual if value is None else value for value in known) / self._jobs
        return estimate if self._budget is None else min(estimate, max(self._remaining(), 0.0))

    def next(self, current: Any, others: set[Any]) -> Job | None:
        """The next job for a worker that has the rows of `current`; None if there is none now."""
        if self._begin is None:
            self._begin = time.monotonic()  # now that there is someone to work
        self._refuse()
        candidates = [trial for trial in self._left if not self._first or id(trial) in self._first]
        if not candidates:
            return None

        def order(trial: Trial) -> tuple[bool, bool]:
            key = (trial.dataset, trial.split)
            return key != current, key in others

        trial = min(candidates, key=order)
        self._left.remove(trial)
        self._running[id(trial)] = trial
        return Job((trial.dataset, trial.split), ("trial", trial), self._limit(trial))

    def finish(self, job: Job, result: dict[str, Any], seconds: float) -> None:
        """Take a result."""
        trial = job.order[1]
        self._running.pop(id(trial))
        self._first.discard(id(trial))
        self._seconds.setdefault((trial.dataset, trial.method), seconds)
        self._keep(trial, result)
        if result["status"] == "over budget":
            self._drop_method(trial, "it was stopped on another split")
        if self._budget is not None and not self._first:
            self._share_out()

    def _remaining(self) -> float:
        if self._budget is None:
            return float("inf")
        now = time.monotonic()
        return self._budget - (now - (now if self._begin is None else self._begin))

    def _limit(self, trial: Trial) -> float | None:
        if self._budget is None:
            return None
        if id(trial) in self._first:
            half = self._remaining() - self._budget / 2
            return max(_LEAST, self._jobs * half / max(len(self._first), 1))
        usual = self._seconds.get((trial.dataset, trial.method), 0.0)
        return min(max(_LEAST, _PATIENCE * usual), max(self._remaining(), _LEAST))

    def _refuse(self) -> None:
        if self._budget is not None and self._remaining() <= 0:
            self._drop(list(self._left), f"the budget of {self._said:g} s was used up")

    def _share_out(self) -> None:
        """Admit methods from the fastest on, those that cost no more than an equal share."""
        pairs = sorted(
            {(trial.dataset, trial.method) for trial in self._left},
            key=lambda pair: self._seconds.get(pair, 0.0),
        )
        time_left = self._jobs * self._remaining()
        time_left -= sum(
            self._seconds.get((t.dataset, t.method), 0.0) for t in self._running.values()
        )
        for place, pair in enumerate(pairs):
            own = [trial for trial in self._left if (trial.dataset, trial.method) == pair]
            cost = self._seconds.get(pair, 0.0) * len(own)
            share = time_left / (len(pairs) - place)
            if cost > share:
                each = self._seconds[pair]
                self._drop(
                    own, f"a split takes {each:.3g} s, and its share of the budget is {share:.3g} s"
                )
            else:
                time_left -= cost

    def _drop_method(self, trial: Trial, reason: str) -> None:
        pair = (trial.dataset, trial.method)
        self._drop([other for other in self._left if (other.dataset, other.method) == pair], reason)

    def _drop(self, trials: list[Trial], reason: str) -> None:
        for trial in trials:
            self._left.remove(trial)
            self._first.discard(id(trial))
            self._keep(trial, failed(reason, "over budget"))
