"""Methods compared on data: the same splits and the same tuning for all, whatever happens."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colabel.comparison.plain import read, to_plain
from colabel.comparison.plan.request import Request
from colabel.comparison.result import ComparisonData, Outcome, Result, outcome_of_failure
from colabel.comparison.run.assembly import assemble
from colabel.comparison.run.insights import InsightJobs
from colabel.comparison.run.journal import VERSION, Journal, fingerprint
from colabel.comparison.run.kept import key_of
from colabel.comparison.run.pool import Job, Pool
from colabel.comparison.run.schedule import Schedule
from colabel.comparison.run.trial import Trial, trials_of
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


def journal_file(folder: str | os.PathLike[str], asked: Request) -> Path:
    """The journal of a comparison in a folder: other arguments or other data have another."""
    key = fingerprint({**asked.identity(), "journal": VERSION})
    return Path(folder) / f"{key}.jsonl"


def run(asked: Request, journal: Journal, report: Report) -> ComparisonData:
    """Run what the journal does not hold yet, and put all together."""
    return _Run(asked, journal, report).comparison()


class _Run:
    """A comparison under way."""

    def __init__(self, asked: Request, journal: Journal, report: Report) -> None:
        self._asked = asked
        self._journal = journal
        self._report = report
        self._trials = trials_of(asked)
        self._taken = sum(key_of(trial) in journal for trial in self._trials)
        self._done = self._taken
        self._running: list[str] = []
        self._not_kept: dict[str, Outcome] = {}
        self._schedule: Schedule | None = None

    def comparison(self) -> ComparisonData:
        begin = time.monotonic()
        self._skip_too_large()
        left = [trial for trial in self._trials if key_of(trial) not in self._journal]
        size = max(1, min(self._asked.jobs, len(left)))
        with Pool(size, self._payload) as pool:
            self._schedule = Schedule(left, size, self._asked.budget, self._take, self._known())
            if left:
                pool.work(self._schedule, self._tick)
            spent = time.monotonic() - begin
            insights = InsightJobs(self._asked, self._journal, self._results(), spent)
            if insights.left:
                pool.work(insights, self._tick)
        self._tick([])
        found = {data.name: insights.of(data) for data in self._asked.datasets}
        return assemble(self._asked, self._results(), found)

    def _skip_too_large(self) -> None:
        for trial in self._trials:
            if key_of(trial) not in self._journal:
                reason = self._asked.too_large(trial.method, trial.dataset)
                if reason is not None:
                    self._keep(trial, outcome_of_failure(reason, "not run"))

    def _known(self) -> dict[tuple[str, str], float]:
        """Seconds of what was run before."""
        found: dict[tuple[str, str], float] = {}
        for trial in self._trials:
            if key_of(trial) in self._journal:
                held = self._outcome(trial)
                if held.fit_seconds is not None:
                    seconds = held.fit_seconds + (held.predict_seconds or 0.0)
                    found.setdefault((trial.dataset, trial.method), seconds)
        return found

    def _payload(self, name: str) -> Any:
        data = self._asked.data(name)
        return data.data.X, data.data.Y, data.splits, data.scale

    def _take(self, trial: Trial, reply: Reply) -> None:
        outcome = reply.value
        if reply.status != "ok":
            outcome = outcome_of_failure(reply.reason or "", reply.status)
        self._keep(trial, outcome, by_machine=reply.by_machine)

    def _keep(self, trial: Trial, outcome: Outcome, *, by_machine: bool = False) -> None:
        if by_machine:  # a kill, or want of memory: the same call tries it again
            self._not_kept[key_of(trial)] = outcome
        else:
            self._journal.add(key_of(trial), to_plain(outcome))
        self._done += 1
        self._say(self._result(trial))

    def _tick(self, running: list[Job]) -> None:
        self._running = [_told(job) for job in running]
        self._say(None)

    def _say(self, latest: Result | None) -> None:
        seconds = None if self._schedule is None else self._schedule.seconds_left()
        total = len(self._trials)
        self._report(Progress(self._done, total, self._taken, self._running, latest, seconds))

    def _outcome(self, trial: Trial) -> Outcome:
        key = key_of(trial)
        return self._not_kept.get(key) or read(self._journal[key], Outcome, "the outcome")

    def _result(self, trial: Trial) -> Result:
        return Result.of(trial.dataset, trial.method, trial.split, self._outcome(trial))

    def _results(self) -> list[Result]:
        """All results, by data set, method and split."""
        methods = [method.name for method in self._asked.methods]
        ordered = sorted(self._trials, key=lambda trial: methods.index(trial.method))
        datasets = [data.name for data in self._asked.datasets]
        ordered.sort(key=lambda trial: datasets.index(trial.dataset))
        return [self._result(trial) for trial in ordered]


def _told(job: Job) -> str:
    if not isinstance(job.task, Trial):
        return f"insights into {job.key[0]}"
    return f"{job.task.method} on {job.key[0]}, split {job.key[1] + 1}"
