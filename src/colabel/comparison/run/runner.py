"""Methods compared on data: the same splits and the same tuning for all, whatever happens."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from colabel._terminal import line
from colabel.comparison.plain import read, to_plain
from colabel.comparison.plan.request import Request
from colabel.comparison.result import ComparisonData, Outcome, Result, outcome_of_failure
from colabel.comparison.run.assembly import assemble
from colabel.comparison.run.insights import InsightJobs
from colabel.comparison.run.journal import VERSION, Journal, fingerprint
from colabel.comparison.run.pool import Job, Pool
from colabel.comparison.run.schedule import Attempt, Schedule
from colabel.comparison.run.trial import trials_of
from colabel.comparison.run.worker import Reply


@dataclass(frozen=True)
class Progress:
    """How far a comparison is."""

    #: Results, and how many there will be.
    done: int
    total: int
    #: Of those done, how many an earlier run had left in the journal.
    taken: int
    #: What is under way.
    running: list[str]
    #: The result that came just now.
    latest: Result | None
    #: An estimate.
    seconds_left: float | None


Report = Callable[[Progress], None]


def say_nothing(state: Progress) -> None:
    """What is called where nobody wants to know."""


@contextmanager
def progress_bar(what: str) -> Iterator[Report]:
    """What shows on a terminal how far a run is, and nothing elsewhere."""
    with line(what, None, patience=0.0) as shown:
        yield lambda state: shown.update(state.done, state.total, "; ".join(state.running) or what)


def journal_file(folder: str | os.PathLike[str], asked: Request) -> Path:
    """The journal of a comparison in a folder: other arguments or other data have another."""
    key = fingerprint({**asked.identity(), "journal": VERSION})
    return Path(folder) / f"{key}.jsonl"


def run(asked: Request, journal: Journal, report: Report) -> ComparisonData:
    """Run what the journal does not hold yet, and put all together."""
    begin = time.monotonic()
    runner = Runner(trials_of(asked), [method.name for method in asked.methods], journal, report)
    for trial in runner.left():
        reason = asked.too_large(trial.method, trial.dataset)
        if reason is not None:
            runner.keep(trial, outcome_of_failure(reason, "not run"))
    size = max(1, min(asked.jobs, len(runner.left())))
    with Pool(size, partial(_payload, asked)) as pool:
        runner.work(pool, asked.budget)
        spent = time.monotonic() - begin
        insights = InsightJobs(asked, journal, runner.results(), spent)
        if insights.left:
            pool.work(insights, runner.tick)
    runner.tick([])
    found = {data.name: insights.of(data) for data in asked.datasets}
    return assemble(asked, runner.results(), found)


def _payload(asked: Request, name: str) -> Any:
    data = asked.data(name)
    return data.data.X, data.data.Y, data.splits, data.scale


class Runner:
    """Attempts on worker processes, but for those that the journal holds.

    Parameters
    ----------
    attempts : sequence of Attempt
        In the order in which they are begun.
    methods : sequence of str
        The order of the results on a data set.
    journal : Journal
        Takes each outcome as it comes.
    report : callable
        Called with how far all is.
    retries : bool, default=False
        Whether no failure is kept, so that the same call tries it again; else it is one for want of
        memory, or by a kill, alone that is tried again.
    """

    def __init__(
        self,
        attempts: Sequence[Attempt],
        methods: Sequence[str],
        journal: Journal,
        report: Report,
        *,
        retries: bool = False,
    ) -> None:
        self._attempts = attempts
        self._methods = list(methods)
        self._journal = journal
        self._report = report
        self._retries = retries
        self._taken = sum(attempt.key in journal for attempt in attempts)
        self._done = self._taken
        self._running: list[str] = []
        self._not_kept: dict[str, Outcome] = {}
        self._schedule: Schedule | None = None

    def left(self) -> list[Attempt]:
        """Those without an outcome."""
        known = self._journal, self._not_kept
        return [a for a in self._attempts if not any(a.key in outcomes for outcomes in known)]

    def work(self, pool: Pool, budget: float | None = None) -> None:
        """Run what is left, in so many seconds."""
        left = self.left()
        self._schedule = Schedule(left, pool.size, budget, self._take, self._known())
        if left:
            pool.work(self._schedule, self.tick)

    def keep(self, attempt: Attempt, outcome: Outcome, *, by_machine: bool = False) -> None:
        """Take an outcome, to the journal unless it shall be tried again."""
        if by_machine or (self._retries and outcome.status != "ok"):
            self._not_kept[attempt.key] = outcome
        else:
            self._journal.add(attempt.key, to_plain(outcome))
        self._done += 1
        self._say(self._result(attempt))

    def tick(self, running: list[Job]) -> None:
        """Say what is under way."""
        self._running = [_told(job) for job in running]
        self._say(None)

    def outcome(self, attempt: Attempt) -> Outcome:
        """What became of one."""
        held = self._not_kept.get(attempt.key)
        return held or read(self._journal[attempt.key], Outcome, "the outcome")

    def results(self) -> list[Result]:
        """All results, by data set, method and split."""
        datasets = list(dict.fromkeys(attempt.dataset for attempt in self._attempts))
        ordered = sorted(self._attempts, key=lambda a: self._methods.index(a.method))
        ordered.sort(key=lambda attempt: datasets.index(attempt.dataset))
        return [self._result(attempt) for attempt in ordered]

    def _known(self) -> dict[tuple[str, str], float]:
        """Seconds of what was run before."""
        found: dict[tuple[str, str], float] = {}
        for attempt in self._attempts:
            if attempt.key in self._journal:
                held = self.outcome(attempt)
                if held.fit_seconds is not None:
                    seconds = held.fit_seconds + (held.predict_seconds or 0.0)
                    found.setdefault((attempt.dataset, attempt.method), seconds)
        return found

    def _take(self, attempt: Attempt, reply: Reply) -> None:
        outcome = reply.value
        if reply.status != "ok":
            outcome = outcome_of_failure(reply.reason or "", reply.status)
        self.keep(attempt, outcome, by_machine=reply.by_machine)

    def _say(self, latest: Result | None) -> None:
        seconds = None if self._schedule is None else self._schedule.seconds_left()
        total = len(self._attempts)
        self._report(Progress(self._done, total, self._taken, self._running, latest, seconds))

    def _result(self, attempt: Attempt) -> Result:
        return Result.of(attempt.dataset, attempt.method, attempt.split, self.outcome(attempt))


def _told(job: Job) -> str:
    if not isinstance(job.task, Attempt):
        return f"insights into {job.key[0]}"
    return f"{job.task.method} on {job.key[0]}, split {job.key[1] + 1}"
