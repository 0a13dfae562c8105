"""Who is run next, and for how long: a budget shared out so that a slow method cannot eat it all.

Without a budget every trial is run, those of one split after each other, as they share its rows.
With one, each method is first run on one split of each data set, in at most half of the time; what
takes longer than its share is stopped. What is left goes to the methods that can finish all of
their splits, the cheapest first. What is left then goes to those that were stopped, which get at
least twice the time that they had, and last to single splits, as long as there is time.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from colabel.comparison.result import Outcome
from colabel.comparison.run.pool import Job
from colabel.comparison.run.worker import Held, Reply

#: How many times the seconds of its first split a trial may take, and the seconds it may always.
_PATIENCE, _LEAST = 3.0, 2.0
#: How many times the seconds that it had a trial gets that was stopped, and what is worth a try.
_MORE, _WORTH = 2.0, 1.25
#: The share of a budget that is for trials; the rest is for what follows them.
_FOR_TRIALS = 0.92


@dataclass(frozen=True)
class Attempt(ABC):
    """A method on a split of a data set: what a process is asked to do, and a journal keeps."""

    dataset: str
    method: str
    split: int

    @property
    def key(self) -> str:
        """Under which its outcome is kept."""
        return json.dumps([self.dataset, self.method, self.split])

    @abstractmethod
    def prepare(self, held: Held) -> None:
        """Do what others would have done as well, before the clock starts."""

    @abstractmethod
    def run(self, held: Held) -> Outcome:
        """Fit and measure; what it raises is the reason of a failure."""


Keep = Callable[[Any, Reply], None]
#: A data set and a method.
Pair = tuple[str, str]


@dataclass(frozen=True)
class _Stopped:
    """How a trial ended that took too long, the seconds that it had, and how often."""

    reply: Reply
    seconds: float
    times: int


class Schedule:
    """The trials that are left to run.

    Parameters
    ----------
    trials : sequence of Attempt
    jobs : int
        Worker processes.
    budget : float or None
        Seconds for all of them.
    keep : callable
        Takes each trial with what came of it.
    known : dict
        Seconds of methods on data sets that were run before.
    """

    def __init__(
        self,
        trials: Sequence[Attempt],
        jobs: int,
        budget: float | None,
        keep: Keep,
        known: dict[Pair, float] | None = None,
    ) -> None:
        self._left = list(trials)
        self._jobs = jobs
        self._keep = keep
        self._begin: float | None = None
        self._budget = None if budget is None else _FOR_TRIALS * budget
        self._said = budget
        self._seconds = dict(known or {})
        self._first: set[int] = set()
        self._running: dict[int, tuple[Attempt, float]] = {}
        self._stopped: dict[int, _Stopped] = {}
        if budget is not None:
            self._first = self._first_of_each()

    def _first_of_each(self) -> set[int]:
        found: dict[Pair, Attempt] = {}
        for trial in self._left:
            found.setdefault(_pair(trial), trial)
        return {id(trial) for pair, trial in found.items() if pair not in self._seconds}

    def seconds_left(self) -> float | None:
        """An estimate of what the trials that are left will take; None where nothing is known."""
        left = [*self._left, *(trial for trial, _ in self._running.values())]
        known = [self._seconds.get(_pair(trial)) for trial in left]
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
        candidates = self._left if self._budget is None else self._worth_it()
        if not candidates:
            if not self._running:
                self._give_up()
            return None

        def order(trial: Attempt) -> tuple[bool, bool]:
            key = (trial.dataset, trial.split)
            return key != current, key in others

        trial = min(candidates, key=order)
        limit = self._limit(trial)
        self._left.remove(trial)
        expected = self._seconds.get(_pair(trial), 0.0 if limit is None else limit)
        self._running[id(trial)] = (trial, expected)
        return Job((trial.dataset, trial.split), trial, limit)

    def finish(self, job: Job, reply: Reply, seconds: float) -> None:
        """Take a result; a trial that was stopped waits for what the others leave."""
        trial: Any = job.task
        self._running.pop(id(trial))
        self._first.discard(id(trial))
        if reply.status == "over budget":
            before = self._stopped.get(id(trial))
            times = 1 if before is None else before.times + 1
            self._stopped[id(trial)] = _Stopped(reply, seconds, times)
            self._left.append(trial)
            return
        if self._stopped.pop(id(trial), None) is not None:
            self._seconds[_pair(trial)] = seconds
        self._seconds.setdefault(_pair(trial), seconds)
        self._keep(trial, reply)

    def _remaining(self) -> float:
        if self._budget is None:
            return float("inf")
        now = time.monotonic()
        return self._budget - (now - (now if self._begin is None else self._begin))

    def _limit(self, trial: Attempt) -> float | None:
        if self._budget is None:
            return None
        remaining = self._remaining()
        if id(trial) in self._first:
            half = remaining - self._budget / 2
            return max(_LEAST, self._jobs * half / max(len(self._first), 1))
        if id(trial) in self._stopped:
            return self._second_chance(trial)
        usual = self._seconds.get(_pair(trial), 0.0)
        return min(max(_LEAST, _PATIENCE * usual), max(remaining, _LEAST))

    def _second_chance(self, trial: Attempt) -> float:
        """An equal share of what is left, and more than it had."""
        waiting = sum(id(other) in self._stopped for other in self._left)
        share = self._jobs * self._remaining() / max(waiting, 1)
        had = self._stopped[id(trial)].seconds
        return min(max(share, _MORE * had), self._remaining())

    def _worth_it(self) -> list[Attempt]:
        """What there is time for now; of the rules, the first that finds something."""
        if self._remaining() <= 0:
            return []
        first = [trial for trial in self._left if id(trial) in self._first]
        return first or self._finishing() or self._stopped_ones() or self._single_ones()

    def _finishing(self) -> list[Attempt]:
        """All that is left of the methods that can finish, the cheapest first."""
        remaining = self._remaining()
        time_left = self._jobs * remaining - sum(cost for _, cost in self._running.values())
        found: list[Attempt] = []
        left = self._known_pairs()
        for pair in sorted(left, key=lambda pair: self._seconds[pair] * len(left[pair])):
            time_left -= self._seconds[pair] * len(left[pair])
            if time_left < 0:
                break
            if self._seconds[pair] <= remaining:
                found += left[pair]
        return found

    def _stopped_ones(self) -> list[Attempt]:
        """One that was stopped, the least often, where there is more time for it than it had."""
        held = self._stopped
        waiting = [
            trial
            for trial in self._left
            if id(trial) in held and self._remaining() > _WORTH * held[id(trial)].seconds
        ]
        return [min(waiting, key=lambda trial: held[id(trial)].times)] if waiting else []

    def _single_ones(self) -> list[Attempt]:
        """Of a method that cannot finish, the splits that fit."""
        left = self._known_pairs()
        fitting = [pair for pair in left if self._seconds[pair] <= self._remaining()]
        return left[min(fitting, key=lambda pair: self._seconds[pair])] if fitting else []

    def _known_pairs(self) -> dict[Pair, list[Attempt]]:
        """The trials that are left of each method whose time is known, and of which none waits."""
        waiting = {_pair(trial) for trial in self._left if id(trial) in self._stopped}
        waiting |= {
            _pair(trial) for trial, _ in self._running.values() if id(trial) in self._stopped
        }
        found: dict[Pair, list[Attempt]] = {}
        for trial in self._left:
            pair = _pair(trial)
            if pair in self._seconds and pair not in waiting:
                found.setdefault(pair, []).append(trial)
        return found

    def _give_up(self) -> None:
        """Say of all that is left why there is no time for it."""
        waiting = {_pair(trial) for trial in self._left if id(trial) in self._stopped}
        remaining, left = self._remaining(), self._left
        self._left = []
        for trial in left:
            if id(trial) in self._stopped:
                self._keep(trial, self._stopped[id(trial)].reply)
            elif _pair(trial) in waiting:
                self._keep(trial, _over("it was stopped on another split"))
            elif remaining <= 0:
                reason = f"the budget of {self._said:g} s was used up"
                self._keep(trial, _over(reason))
            else:
                each = self._seconds.get(_pair(trial), 0.0)
                reason = f"a split takes {each:.3g} s, and {remaining:.3g} s of the budget are left"
                self._keep(trial, _over(reason))


def _pair(trial: Attempt) -> Pair:
    return trial.dataset, trial.method


def _over(reason: str) -> Reply:
    return Reply(reason=reason, status="over budget")
