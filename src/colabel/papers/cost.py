"""What the experiments take, by what they took before."""

# Annotations are not postponed here: msgspec reads them.

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import msgspec

from colabel.comparison.stats.standings import Spread
from colabel.papers.protocol import Protocol
from colabel.papers.reproduction import Reproduction
from colabel.persistence.replacement import replace_file

#: Beside the results, what all of them took together.
WHOLE = "all.json"


@dataclass(frozen=True)
class WholeRun:
    """All experiments, one after the other by one command."""

    #: The day on which it ended.
    ended: str
    #: From its beginning, by the clock on the wall.
    minutes: float
    jobs: int
    cores: int
    #: None for the numbers of splits that are made by default.
    splits: int | None

    @classmethod
    def now(cls, seconds: float, jobs: int, splits: int | None) -> Self:
        """One that ends now."""
        day = datetime.now(UTC).date().isoformat()
        return cls(day, round(seconds / 60, 1), jobs, os.cpu_count() or 1, splits)

    def save(self, folder: Path) -> None:
        """Write it beside the results."""
        with replace_file(folder / WHOLE) as file:
            file.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The last one of a folder, if there was one."""
        path = folder / WHOLE
        return msgspec.json.decode(path.read_bytes(), type=cls) if path.is_file() else None

    def __str__(self) -> str:
        splits = "" if self.splits is None else f" --splits {self.splits}"
        return (
            f"`colabel reproduce all --jobs {self.jobs}{splits}` last ended on {self.ended}, after "
            f"{self.minutes:.0f} minutes on {self.cores} cores."
        )


def minutes_spent(found: Reproduction) -> float:
    """Of one core, on all that a run has results of."""
    return (sum(r.fit_seconds or 0.0 for r in found.results) + found.tuning_seconds) / 60


def minutes_expected(found: Reproduction, protocol: Protocol, splits: int | None = None) -> float:
    """Of one core, with so many splits or those that are made by default."""
    seconds: dict[tuple[str, str], list[float | None]] = {}
    for result in found.results:
        seconds.setdefault((result.dataset, result.method), []).append(result.fit_seconds)
    total = found.tuning_seconds
    for (dataset, _), of in seconds.items():
        source = protocol.sources.get(dataset)
        once = source is not None and source.only_split
        total += (Spread(tuple(of)).mean or 0.0) * (1 if once else splits or protocol.n_splits)
    return total / 60


def forecast(
    folder: Path, protocols: Iterable[Protocol], splits: int | None = None, jobs: int = 1
) -> str:
    """How long experiments will take, by the results of them that are in a folder."""
    total, unknown = 0.0, []
    for protocol in protocols:
        path = folder / f"{protocol.name}.json"
        if path.is_file():
            minutes = minutes_expected(Reproduction.load(path), protocol, splits)
            total += minutes / (1 if protocol.timed else jobs)
        else:
            unknown.append(protocol.name)
    if not total:
        return "how long it takes is not known: there are no results of an earlier run"
    said = f"expected are {total:.0f} minutes, by what earlier runs took"
    return f"{said}, without {', '.join(unknown)}, never run" if unknown else said
