"""Methods compared on data: the same splits and the same tuning for all, whatever happens."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colabel.evaluation.bar import bar
from colabel.evaluation.commands import fit_command
from colabel.evaluation.comparison import Comparison
from colabel.evaluation.contestant import Contestant
from colabel.evaluation.crew import Crew, Job
from colabel.evaluation.drawings import Drawings
from colabel.evaluation.journal import Journal
from colabel.evaluation.kept import journal_of, key_of
from colabel.evaluation.origin import about_method, about_run
from colabel.evaluation.request import FOLDS, Request, journal_file, request
from colabel.evaluation.schedule import Schedule
from colabel.evaluation.trials import Trial, failed
from colabel.metrics import METRICS


@dataclass(frozen=True)
class Progress:
    """How far a comparison is.

    Attributes
    ----------
    done, total : int
        Results, and how many there will be.
    taken : int
        Of those done, how many an earlier run had left in the journal.
    running : list of str
        What is under way.
    latest : dict or None
        The result that came just now.
    seconds_left : float or None
        An estimate.
    """

    done: int
    total: int
    taken: int
    running: list[str]
    latest: dict[str, Any] | None
    seconds_left: float | None


Report = Callable[[Progress], None]


def compare(
    methods: Any = None,
    datasets: Any = None,
    *,
    metrics: Any = None,
    cv: Any = None,
    budget: float | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | Report = True,
    load_options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare methods on data: which is best, and how sure that is.

    Every method is fitted on the same splits, on features scaled in the same way, with its
    parameters and thresholds tuned on the same folds of the training rows. Each fit runs in a
    process of its own kind, so that a method that fails, hangs or dies is reported with the reason
    and costs nothing but its result. Methods that would take minutes a split run only if named; the
    semi-supervised ones do not run at all, as they need rows without labels.

    Parameters
    ----------
    methods : None, sequence of str, or mapping
        Names, such as "mvmd" or "mvmd-svm"; or names with any classifiers of scikit-learn, which
        are run as they are (None stands for the method of that name). None is all that are usual.
    datasets : None, str, path, Dataset, pair (X, Y), or list of these
        None is :func:`colabel.datasets.load_debtags`.
    metrics : sequence of str or None
        Names of :data:`colabel.metrics.METRICS`. Methods are tuned for the first, and ranked by it.
    cv : int, "given", splitter, list of pairs, or None
        An int is a number of random splits that keep the share of each label, two thirds to train;
        "given" is the split that the data comes with. None is 5, or 2 if `quick`.
    budget : float or None
        Seconds for all of it. Slow methods are stopped, and said to be over budget.
    quick : bool, default=False
        A first impression: at most 1500 rows, 2 splits, and fewer parameters to try.
    n_jobs : int or None, default=None
        Processes; None is one a core. Results do not depend on it, but times do.
    random_state : int, default=0
    journal : path or None
        A file, or a folder for one, that results are written to as they come; the same call goes on
        where it was stopped.
    progress : bool or callable, default=True
        Whether to show a bar on a terminal; or what is called with a :class:`Progress`.
    load_options : mapping or None
        How paths are read: options of :func:`colabel.datasets.load`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.dummy import DummyClassifier
    >>> from colabel.evaluation import compare
    >>> X, Y = make_multilabel_classification(n_samples=90, random_state=0)
    >>> methods = {"label-ridge": None, "nothing": DummyClassifier()}
    >>> found = compare(methods, (X, Y), metrics=["f1_macro"], cv=1, n_jobs=1)
    >>> ridge, nothing = (result["scores"]["f1_macro"] for result in found.results)
    >>> ridge > nothing
    True
    """
    asked = request(
        methods,
        datasets,
        metrics=metrics,
        cv=cv,
        budget=budget,
        quick=quick,
        n_jobs=n_jobs,
        random_state=random_state,
        load_options=load_options,
    )
    path = None if journal is None else Path(journal)
    if path is not None and path.is_dir():
        path = journal_file(path, asked)
    with closing(journal_of(path, asked)) as kept:
        if callable(progress):
            return run(asked, kept, progress)
        with bar(progress) as show:
            return run(asked, kept, show)


def run(asked: Request, journal: Journal, report: Report) -> Comparison:
    """Run what the journal does not hold yet, and put all together."""
    return _Run(asked, journal, report).comparison()


class _Run:
    """A comparison under way."""

    def __init__(self, asked: Request, journal: Journal, report: Report) -> None:
        self._asked = asked
        self._journal = journal
        self._report = report
        self._trials = asked.trials()
        self._taken = sum(key_of(trial) in journal for trial in self._trials)
        self._done = self._taken
        self._running: list[str] = []
        self._not_kept: dict[str, dict[str, Any]] = {}
        self._schedule: Schedule | None = None

    def comparison(self) -> Comparison:
        begin = time.monotonic()
        self._skip_too_large()
        left = [trial for trial in self._trials if key_of(trial) not in self._journal]
        size = max(1, min(self._asked.jobs, len(left)))
        with Crew(size, self._payload) as crew:
            self._schedule = Schedule(left, size, self._asked.budget, self._keep, self._known())
            if left:
                crew.work(self._schedule, self._tick)
            spent = time.monotonic() - begin
            drawings = Drawings(self._asked, self._journal, self._results(), spent)
            if drawings.left:
                crew.work(drawings, self._tick)
        self._tick([])
        return self._together(drawings)

    def _skip_too_large(self) -> None:
        for trial in self._trials:
            if key_of(trial) not in self._journal:
                reason = self._asked.too_large(trial)
                if reason is not None:
                    self._keep(trial, failed(reason, "not run"))

    def _known(self) -> dict[tuple[str, str], float]:
        """Seconds of what was run before."""
        found: dict[tuple[str, str], float] = {}
        for trial in self._trials:
            held = self._journal.get(key_of(trial), {})
            if held.get("fit_seconds") is not None:
                seconds = held["fit_seconds"] + held["predict_seconds"]
                found.setdefault((trial.dataset, trial.method), seconds)
        return found

    def _payload(self, name: str) -> Any:
        (data,) = (data for data in self._asked.datasets if data.name == name)
        return data.data.X, data.data.Y, data.splits, data.scale

    def _keep(self, trial: Trial, result: dict[str, Any]) -> None:
        key, by_machine = key_of(trial), result.pop("by_machine", False)
        if by_machine:  # a kill, or want of memory: the same call tries it again
            self._not_kept[key] = result
        else:
            self._journal.add(key, result)
        self._done += 1
        self._say(self._result(trial))

    def _tick(self, running: list[Job]) -> None:
        self._running = [_told(job) for job in running]
        self._say(None)

    def _say(self, latest: dict[str, Any] | None) -> None:
        seconds = None if self._schedule is None else self._schedule.seconds_left()
        total = len(self._trials)
        self._report(Progress(self._done, total, self._taken, self._running, latest, seconds))

    def _result(self, trial: Trial) -> dict[str, Any]:
        where = {"dataset": trial.dataset, "method": trial.method, "split": trial.split}
        key = key_of(trial)
        held = self._not_kept[key] if key in self._not_kept else self._journal[key]
        return {**where, **held}

    def _results(self) -> list[dict[str, Any]]:
        """All results, by data set, method and split."""
        methods = [contestant.name for contestant in self._asked.contestants]
        ordered = sorted(self._trials, key=lambda trial: methods.index(trial.method))
        datasets = [data.name for data in self._asked.datasets]
        ordered.sort(key=lambda trial: datasets.index(trial.dataset))
        return [self._result(trial) for trial in ordered]

    def _together(self, drawings: Drawings) -> Comparison:
        asked = self._asked
        datasets = [
            {**data.facts(), "pictures": drawings.pictures(data)} for data in asked.datasets
        ]
        results = self._results()
        return Comparison(
            meta=_meta(asked),
            metrics=[_about_metric(name) for name in asked.metrics],
            methods=[_about_method(asked, c, results) for c in asked.contestants],
            datasets=datasets,
            results=results,
        )


def _told(job: Job) -> str:
    if job.order[0] != "trial":
        return f"pictures of {job.key[0]}"
    return f"{job.order[1].method} on {job.key[0]}, split {job.key[1] + 1}"


def _about_metric(name: str) -> dict[str, Any]:
    metric = METRICS[name]
    title = name.replace("_", " ").replace("f1", "F1").replace("auc", "AUC")
    return {
        "name": name,
        "title": title,
        "about": metric.description,
        "greater_is_better": metric.greater_is_better,
    }


def _about_method(
    asked: Request, contestant: Contestant, results: list[dict[str, Any]]
) -> dict[str, Any]:
    """Code and command are for the first data set."""
    data = asked.datasets[0]
    where = (data.name, contestant.name)
    chosen = [r["chosen"] for r in results if (r["dataset"], r["method"]) == where]
    plan = {"scoring": asked.metrics[0], "seed": asked.seed}
    command = fit_command(contestant, data.arguments, chosen, **plan)
    return about_method(contestant, asked.model(contestant), data, command)


def _meta(asked: Request) -> dict[str, Any]:
    names = ", ".join(data.name for data in asked.datasets)
    arguments = {
        "data": [data.name for data in asked.datasets],
        "methods": [contestant.name for contestant in asked.contestants],
        "metrics": list(asked.metrics),
        "splits": [len(data.splits) for data in asked.datasets],
        "folds": FOLDS,
        "budget": asked.budget,
        "quick": asked.quick,
        "jobs": asked.jobs,
    }
    title = f"{len(asked.contestants)} methods on {names}"
    return {"title": title, **about_run(), "seed": asked.seed, "arguments": arguments}
