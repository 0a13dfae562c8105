"""What the experiments take, by what they took before."""

from collections.abc import Iterable
from pathlib import Path

from colabel.comparison.stats.standings import Spread
from colabel.papers.protocol import Protocol
from colabel.papers.reproduction import Reproduction


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
