"""An experiment, split by split and method by method, each result on the disk as it comes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from colabel._progress import progress
from colabel.evaluation.journal import Journal
from colabel.evaluation.origin import versions
from colabel.reproduction.findings import Findings
from colabel.reproduction.folder import ORIGINS, MissingDataError, expected, find, read
from colabel.reproduction.protocol import Method, Problem, Protocol, Split, Values

#: What a run adds to the values of a method.
_REMARKS = {"seconds", "unconverged"}
#: A method's key in the journal, with what it gave or a dict with "error".
Outcome = tuple[str, Values]


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    Attributes
    ----------
    sets : mapping of str to Path
        Titles of the data sets that are there, with their files.
    missing : mapping of str to str
        Titles of those that are not, with the names of their files.
    n_splits : int
    """

    sets: Mapping[str, Path]
    missing: Mapping[str, str]
    n_splits: int

    def splits_of(self, protocol: Protocol, title: str) -> int:
        """One where the paper gives the split."""
        return 1 if protocol.sources[title].only_split else self.n_splits


def plan(
    protocol: Protocol, folder: Path, table: int | None = None, splits: int | None = None
) -> Plan:
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
            f"no data set of {which} is in {folder}: {expected(dict.fromkeys(files.values()))}; "
            f"most are had from {ORIGINS}"
        )
    missing = {title: name for title, name in files.items() if title not in sets}
    return Plan(sets, missing, protocol.n_splits if splits is None else splits)


def journal_arguments(protocol: Protocol, chosen: Plan) -> dict[str, Any]:
    """What results depend on; the number of splits is not among it, so more can be added."""
    return {
        "paper": protocol.name,
        "versions": versions(),
        "files": {title: path.stat().st_size for title, path in chosen.sets.items()},
        "methods": list(protocol.methods),
    }


def run(
    protocol: Protocol, chosen: Plan, *, journal: Journal, jobs: int = 1, verbose: bool = False
) -> Findings:
    """Run an experiment, but for what the journal holds already.

    A method that fails on a split is told in the findings, and the rest goes on; it is tried again
    when the experiment is run again.

    Parameters
    ----------
    protocol : Protocol
    chosen : Plan
    journal : Journal
    jobs : int, default=1
        Splits at a time, each in a process of its own.
    verbose : bool, default=False
        Whether to show a bar with the time left.

    Returns
    -------
    Findings
    """
    findings = Findings.begin(protocol.name, dict(chosen.missing))
    total = len(protocol.methods) * sum(chosen.splits_of(protocol, t) for t in chosen.sets)
    results = _all_results(protocol, chosen, journal, findings, jobs)
    for key, values in progress(results, total=total, description=protocol.name, enabled=verbose):
        if "error" not in values and key not in journal:
            journal.add(key, values)
        findings.add(key, values)
    return findings


def _all_results(
    protocol: Protocol, chosen: Plan, journal: Journal, findings: Findings, jobs: int
) -> Iterator[Outcome]:
    for title, path in chosen.sets.items():
        data = read(path.parent, protocol.sources[title].file)
        problem = protocol.sources[title].prepare(data)
        n_splits = chosen.splits_of(protocol, title)
        (n, d), q = problem.X.shape, problem.Y.shape[1]
        findings.sets[title] = {"rows": n, "features": d, "labels": q, "splits": n_splits}
        tuned = dict(_tuned(protocol, title, problem, journal))
        findings.tuned[title] = {
            name: values for name, values in tuned.items() if values and "error" not in values
        }
        for number in range(n_splits):
            for method in protocol.methods:
                key = _key(title, number, method)
                if key in journal:
                    yield key, journal[key]
        todo = [
            [m for m in protocol.methods if _key(title, number, m) not in journal]
            for number in range(n_splits)
        ]
        if jobs == 1:
            for number, names in enumerate(todo):
                yield from _on_split(protocol, title, Split(problem, number), names, tuned)
        else:
            yield from _side_by_side(protocol, title, problem, todo, tuned, jobs)


def _side_by_side(
    protocol: Protocol,
    title: str,
    problem: Problem,
    todo: list[list[str]],
    tuned: Mapping[str, Values],
    jobs: int,
) -> Iterator[Outcome]:
    def work(number: int, names: list[str]) -> list[Outcome]:
        return list(_on_split(protocol, title, Split(problem, number), names, tuned))

    tasks = (delayed(work)(number, names) for number, names in enumerate(todo) if names)
    for outcomes in Parallel(n_jobs=jobs, return_as="generator")(tasks):
        yield from outcomes


def _tuned(
    protocol: Protocol, title: str, problem: Problem, journal: Journal
) -> Iterator[tuple[str, Values]]:
    """Parameters that all splits share, from the first split."""
    first = Split(problem, 0)
    for name, method in protocol.methods.items():
        key = f"{title}/tuning/{name}"
        if method.tune is None:
            yield name, {}
        elif key in journal:
            yield name, journal[key]
        else:
            found = _attempt(partial(method.tune, first))
            if "error" not in found:
                found = {name: found[name] for name in found.keys() - _REMARKS}
                journal.add(key, found)
            yield name, found


def _on_split(
    protocol: Protocol,
    title: str,
    split: Split,
    names: Sequence[str],
    tuned: Mapping[str, Values],
) -> Iterator[Outcome]:
    for name in names:
        yield _key(title, split.number, name), _outcome(protocol.methods[name], split, tuned[name])


def _outcome(method: Method, split: Split, parameters: Values) -> Values:
    if "error" in parameters:
        return {"error": f"tuning: {parameters['error']}"}
    return _attempt(partial(method.run, split, parameters))


def _attempt(work: Callable[[], Values]) -> Values:
    """Values with their seconds, and in how many fits a solver stopped early; or the error."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            values = dict(work())
        except Exception as error:
            return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
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
