"""A paper's experiment on the processes and the journal of a comparison, and what it found."""

# Annotations are not postponed here: msgspec reads them.

import json
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from colabel.comparison.plain import read as read_plain
from colabel.comparison.plan.data import facts_of
from colabel.comparison.plan.origin import facts_of_run, versions
from colabel.comparison.result import (
    ComparisonData,
    DataFacts,
    MethodFacts,
    Outcome,
    Result,
    outcome_of_failure,
)
from colabel.comparison.run.journal import Journal
from colabel.comparison.run.pool import Pool
from colabel.comparison.run.runner import Report, Runner, say_nothing
from colabel.comparison.run.schedule import Attempt
from colabel.comparison.run.worker import Held
from colabel.papers.folder import Chosen, read
from colabel.papers.protocol import (
    UNCONVERGED,
    Parameters,
    Problem,
    Procedure,
    Protocol,
    Scores,
    Split,
)


@dataclass(frozen=True)
class Reproduction(ComparisonData):
    """How the methods of a paper did on the data of it that are there.

    The metrics are the measures of the paper's tables, and what else is told of a split; what a
    result says was chosen was tuned on the first split.
    """

    #: The name of the protocol.
    paper: str
    #: Data sets that were not there, with the names of their files.
    missing: dict[str, str]
    #: What tuning on the first split took, of the processor, for all methods.
    tuning_seconds: float = 0.0


@dataclass(frozen=True)
class PaperTrial(Attempt):
    """A method of a paper on a split, with parameters that all splits share."""

    procedure: Procedure
    parameters: Parameters

    def prepare(self, held: Held) -> None:
        """Divide the rows."""
        self._split(held).rows  # noqa: B018  computed now

    def run(self, held: Held) -> Outcome:
        """What it reaches, and in how many fits a solver stopped early."""
        split = self._split(held)
        begin = time.process_time()  # what else the machine does meanwhile is not counted
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            scores, chosen = self._work(split)
        seconds = round(time.process_time() - begin, 3)
        for name, value in scores.items():
            if not np.isfinite(value):
                raise ValueError(f"{name} is {value}, not a finite number")
        early = sum(issubclass(warning.category, ConvergenceWarning) for warning in seen)
        return Outcome(
            status="ok",
            reason=None,
            scores={**scores, UNCONVERGED.name: early},
            label_scores={},
            chosen=dict(chosen),
            fit_seconds=seconds,  # of all that is done on a split
            predict_seconds=None,
        )

    def _work(self, split: Split) -> tuple[Scores, Parameters]:
        return self.procedure.run(split, self.parameters), self.parameters

    def _split(self, held: Held) -> Split:
        problem = held.datasets[self.dataset]
        return held.rows((self.dataset, self.split), partial(Split, problem, self.split))


@dataclass(frozen=True)
class Tuning(PaperTrial):
    """The search for these parameters, on the first split."""

    @property
    def key(self) -> str:
        """Not that of the method on that split."""
        return json.dumps([self.dataset, self.method, "tuning"])

    def _work(self, split: Split) -> tuple[Scores, Parameters]:
        assert self.procedure.tune is not None  # else there is no such attempt
        return {}, self.procedure.tune(split)


def journal_of(path: Path | None, protocol: Protocol, chosen: Chosen) -> Journal:
    """The journal of an experiment; it is the same for more splits, which can be added."""
    metrics = [metric.name for metric in protocol.metrics]
    arguments = {
        "paper": protocol.name,
        "versions": versions(),
        "files": {title: file.stat().st_size for title, file in chosen.sets.items()},
        "methods": list(protocol.methods),
        "metrics": metrics,
    }

    def check(key: str, value: Any) -> None:
        outcome = read_plain(value, Outcome, "the outcome")
        outcome.check(0, set(metrics), "the outcome")

    return Journal(path, arguments, check)


def run(
    protocol: Protocol,
    chosen: Chosen,
    *,
    journal: Journal,
    jobs: int = 1,
    report: Report = say_nothing,
    command: str = "",
) -> Reproduction:
    """Run an experiment, but for what the journal holds already.

    A method that fails on a split is told in the results, and the rest goes on; it is tried again
    when the experiment is run again.
    """
    problems = {title: _prepare(protocol, chosen, title) for title in chosen.sets}
    facts = [_facts(protocol, chosen, title, problem) for title, problem in problems.items()]
    size = min(jobs, len(protocol.methods) * sum(data.splits.n for data in facts))
    make = partial(
        Runner, methods=list(protocol.methods), journal=journal, report=report, retries=True
    )
    with Pool(size, problems.__getitem__) as pool:
        tuned = _tune(protocol, facts, make, pool)
        results = _run_all(protocol, facts, tuned, make, pool)
    arguments = {"command": command, "splits": chosen.n_splits, "jobs": jobs}
    return Reproduction(
        meta=facts_of_run(protocol.citation, None, arguments),
        metrics=protocol.metrics,
        methods=[MethodFacts(name, name, "classifier", "", "") for name in protocol.methods],
        datasets=facts,
        results=results,
        paper=protocol.name,
        missing=dict(chosen.missing),
        tuning_seconds=sum(outcome.fit_seconds or 0.0 for outcome in tuned.values()),
    )


def _prepare(protocol: Protocol, chosen: Chosen, title: str) -> Problem:
    source = protocol.sources[title]
    return source.prepare(read(chosen.sets[title].parent, source.file))


def _facts(protocol: Protocol, chosen: Chosen, title: str, problem: Problem) -> DataFacts:
    splits = [problem.divide(number) for number in range(chosen.splits_of(protocol, title))]
    is_given = protocol.sources[title].only_split and problem.data.split is not None
    return facts_of(replace(problem.data, name=title), splits, "given" if is_given else "random")


def _run_all(
    protocol: Protocol,
    facts: Iterable[DataFacts],
    tuned: Mapping[tuple[str, str], Outcome],
    make: Callable[..., Runner],
    pool: Pool,
) -> list[Result]:
    """Every method on every split, split by split, where its tuning did not fail."""
    chosen = {key: outcome.chosen for key, outcome in tuned.items()}
    trials = [
        PaperTrial(data.name, name, split, method, chosen.get((data.name, name), {}))
        for data in facts
        for split in range(data.splits.n)
        for name, method in _methods_on(protocol, data)
    ]
    runner = make(trials)
    for trial in runner.left():
        tuning = tuned.get((trial.dataset, trial.method))
        if tuning is not None and tuning.status != "ok":
            runner.keep(trial, outcome_of_failure(f"tuning: {tuning.reason}"))
    runner.work(pool)
    return runner.results()


def _methods_on(protocol: Protocol, data: DataFacts) -> list[tuple[str, Procedure]]:
    chosen = protocol.sources[data.name].methods
    return [(n, m) for n, m in protocol.methods.items() if chosen is None or n in chosen]


def _tune(
    protocol: Protocol, facts: Iterable[DataFacts], make: Callable[..., Runner], pool: Pool
) -> dict[tuple[str, str], Outcome]:
    """What tuning finds, for each data set and method that has some."""
    tunings = [
        Tuning(data.name, name, 0, method, {})
        for data in facts
        for name, method in _methods_on(protocol, data)
        if method.tune is not None
    ]
    runner = make(tunings)
    runner.work(pool)
    return {(tuning.dataset, tuning.method): runner.outcome(tuning) for tuning in tunings}
