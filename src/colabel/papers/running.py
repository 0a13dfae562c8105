"""An experiment on the processes of a comparison, each result on the disk as it comes."""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from colabel._terminal import Line, line, one_line
from colabel.comparison.plain import read as read_plain
from colabel.comparison.plan.origin import versions
from colabel.comparison.run.journal import Journal
from colabel.comparison.run.pool import Pool
from colabel.comparison.run.schedule import Schedule
from colabel.comparison.run.worker import Held, Reply
from colabel.papers.findings import Findings
from colabel.papers.folder import ORIGINS, MissingDataError, find, read, say_files
from colabel.papers.protocol import Protocol, Split, Values

#: What a run adds to the values of a method.
_REMARKS = {"seconds", "unconverged"}


@dataclass(frozen=True)
class Chosen:
    """What is to be run."""

    #: Titles of the data sets that are there, with their files.
    sets: Mapping[str, Path]
    #: Titles of those that are not, with the names of their files.
    missing: Mapping[str, str]
    n_splits: int

    def splits_of(self, protocol: Protocol, title: str) -> int:
        """One where the paper gives the split."""
        return 1 if protocol.sources[title].only_split else self.n_splits


def choose(
    protocol: Protocol, folder: Path, table: int | None = None, splits: int | None = None
) -> Chosen:
    """Find the data sets of a table, or of all; it is an error if none is there."""
    if table is not None and table not in protocol.tables:
        known = ", ".join(str(number) for number in protocol.tables)
        raise ValueError(f"--table {table}: {protocol.name} has {known}; leave it out for all")
    titles = protocol.sources if table is None else protocol.tables[table]
    files = {title: protocol.sources[title].file for title in titles}
    found = {title: find(folder, name) for title, name in files.items()}
    sets = {title: path for title, path in found.items() if path is not None}
    if not sets:
        which = protocol.name if table is None else f"table {table} of {protocol.name}"
        raise MissingDataError(
            f"no data set of {which} is in {folder}: {say_files(dict.fromkeys(files.values()))}; "
            f"most are had from {ORIGINS}"
        )
    missing = {title: name for title, name in files.items() if title not in sets}
    return Chosen(sets, missing, protocol.n_splits if splits is None else splits)


def journal_of(path: Path | None, protocol: Protocol, chosen: Chosen) -> Journal:
    """The journal of an experiment; it is the same for more splits, which can be added."""
    arguments = {
        "paper": protocol.name,
        "versions": versions(),
        "files": {title: file.stat().st_size for title, file in chosen.sets.items()},
        "methods": list(protocol.methods),
    }

    def check(key: str, value: Any) -> None:
        read_plain(value, dict[str, float | int | str | list[float] | None], key)

    return Journal(path, arguments, check)


@dataclass(frozen=True)
class Attempt:
    """A method on a split, or its tuning on the first; what it gives, or a dict with "error"."""

    dataset: str
    method: str
    split: int
    work: Callable[[Split], Values]

    def prepare(self, held: Held) -> None:
        """Divide the rows before the clock starts."""
        self._split(held)

    def run(self, held: Held) -> Values:
        """Values with their seconds, and in how many fits a solver stopped early."""
        return _attempt(partial(self.work, self._split(held)))

    def _split(self, held: Held) -> Split:
        problem = held.datasets[self.dataset]
        return held.rows((self.dataset, self.split), partial(Split, problem, self.split))


def run(
    protocol: Protocol,
    chosen: Chosen,
    *,
    journal: Journal,
    jobs: int = 1,
    report: Callable[[str], None] | None = None,
) -> Findings:
    """Run an experiment, but for what the journal holds already.

    A method that fails on a split is told in the findings, and the rest goes on; it is tried again
    when the experiment is run again.
    """
    total = len(protocol.methods) * sum(chosen.splits_of(protocol, t) for t in chosen.sets)
    with line(protocol.name, total) as bar:
        run = _Run(protocol, chosen, journal, jobs, report or (lambda key: None), bar)
        for title, path in chosen.sets.items():
            run.on_set(title, path)
        return run.findings


@dataclass
class _Run:
    """An experiment under way."""

    protocol: Protocol
    chosen: Chosen
    journal: Journal
    jobs: int
    report: Callable[[str], None]
    bar: Line

    def __post_init__(self) -> None:
        self.findings = Findings.begin(self.protocol.name, dict(self.chosen.missing))

    def on_set(self, title: str, path: Path) -> None:
        source = self.protocol.sources[title]
        problem = source.prepare(read(path.parent, source.file))
        n_splits = self.chosen.splits_of(self.protocol, title)
        (n, d), q = problem.X.shape, problem.Y.shape[1]
        self.findings.sets[title] = {"rows": n, "features": d, "labels": q, "splits": n_splits}
        keys = [(number, name) for number in range(n_splits) for name in self.protocol.methods]
        left = []
        for number, name in keys:
            if (key := _key(title, number, name)) in self.journal:
                self._find(key, self.journal[key])
            else:
                left.append((number, name))
        with Pool(max(1, min(self.jobs, len(left))), lambda _: problem) as pool:
            self._work(pool, title, self._tune(pool, title), left)

    def _work(
        self, pool: Pool, title: str, tuned: dict[str, Values], left: list[tuple[int, str]]
    ) -> None:
        tasks = []
        for number, name in left:
            if "error" in tuned[name]:
                reason = f"tuning: {tuned[name]['error']}"
                self._find(_key(title, number, name), {"error": reason})
            else:
                work = partial(_with, self.protocol.methods[name].run, tuned[name])
                tasks.append(Attempt(title, name, number, work))
        if tasks:
            pool.work(Schedule(tasks, self.jobs, None, self._take), lambda running: None)

    def _tune(self, pool: Pool, title: str) -> dict[str, Values]:
        """Parameters that all splits share, from the first split."""
        found: dict[str, Values] = {name: {} for name in self.protocol.methods}
        tasks = []
        for name, method in self.protocol.methods.items():
            key = f"{title}/tuning/{name}"
            if key in self.journal:
                found[name] = self.journal[key]
            elif method.tune is not None:
                tasks.append(Attempt(title, name, 0, method.tune))

        def take(task: Attempt, reply: Reply) -> None:
            values = _values(reply)
            if "error" not in values:
                values = {name: values[name] for name in values.keys() - _REMARKS}
                self.journal.add(f"{title}/tuning/{task.method}", values)
            found[task.method] = values

        if tasks:
            pool.work(Schedule(tasks, self.jobs, None, take), lambda running: None)
        shown = {name: of for name, of in found.items() if of and "error" not in of}
        self.findings.tuned[title] = shown
        return found

    def _take(self, task: Attempt, reply: Reply) -> None:
        key, values = _key(task.dataset, task.split, task.method), _values(reply)
        if "error" not in values:
            self.journal.add(key, values)
        self._find(key, values)

    def _find(self, key: str, values: Values) -> None:
        self.findings.add(key, values)
        self.bar.advance()
        self.report(key)


def _with(work: Callable[[Split, Values], Values], parameters: Values, split: Split) -> Values:
    return work(split, parameters)


def _values(reply: Reply) -> Values:
    return {"error": reply.reason} if reply.status != "ok" else reply.value


def _attempt(work: Callable[[], Values]) -> Values:
    """Values with their seconds, and in how many fits a solver stopped early; or the error."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            values = dict(work())
        except Exception as error:
            return {"error": f"{type(error).__name__}: {one_line(error)}"}
    strange = [name for name, value in values.items() if not _is_finite(value)]
    if strange:
        return {"error": f"{strange[0]} is {values[strange[0]]}, not a finite number"}
    values["seconds"] = round(time.perf_counter() - start, 3)
    early = sum(issubclass(warning.category, ConvergenceWarning) for warning in seen)
    return {**values, "unconverged": early} if early else values


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float | list) or bool(np.all(np.isfinite(value)))


def _key(title: str, number: int, method: str) -> str:
    return f"{title}/{number}/{method}"
