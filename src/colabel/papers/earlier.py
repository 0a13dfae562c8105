"""Results of a protocol that was changed since, kept to count by: before and after."""

from dataclasses import replace
from pathlib import Path

from colabel.comparison.result import ComparisonData
from colabel.papers.gaps import CLEAR, all_gaps
from colabel.papers.protocol import Protocol
from colabel.papers.reproduction import Reproduction

#: Beside the results of today.
FOLDER = "earlier"


def date_of(found: Reproduction) -> str:
    """The day on which it was run."""
    return (found.meta.created or "")[:10]


def is_outdated(found: Reproduction, protocol: Protocol) -> bool:
    """Whether what is run was changed since."""
    return date_of(found) < protocol.since


def set_aside(folder: Path, protocol: Protocol) -> None:
    """Keep what is about to be written over, if it is of an earlier protocol; the first stays."""
    kept, aside = _paths(folder, protocol)
    if kept.is_file() and not aside.is_file() and protocol.published:
        found = Reproduction.load(kept)
        if is_outdated(found, protocol):
            aside.parent.mkdir(exist_ok=True)
            found.save(aside)


def load_earlier(folder: Path | None, protocol: Protocol) -> Reproduction | None:
    """What was found by an earlier protocol, if that is kept."""
    if folder is None or not protocol.published:
        return None
    aside = _paths(folder, protocol)[1]
    return Reproduction.load(aside) if aside.is_file() else None


def _paths(folder: Path, protocol: Protocol) -> tuple[Path, Path]:
    name = f"{protocol.name}.json"
    return folder / name, folder / FOLDER / name


def count(found: ComparisonData, protocol: Protocol) -> tuple[int, int]:
    """How many of the paper's figures ours are within two standard errors of, and of how many."""
    gaps = [by for _, by in all_gaps(found, protocol)]
    return sum(not by.is_clear for by in gaps), len(gaps)


def first_splits(found: Reproduction, number: int) -> Reproduction:
    """As if no more splits had been made."""
    return replace(
        found,
        datasets=[
            replace(data, splits=replace(data.splits, n=min(number, data.splits.n)))
            for data in found.datasets
        ],
        results=[result for result in found.results if result.split < number],
    )


def said_of_counts(found: Reproduction, before: Reproduction | None, protocol: Protocol) -> str:
    """How many figures are the paper's, now and by the earlier protocol."""
    now, of = count(found, protocol)
    said = f"{now} of {of} figures are within {CLEAR:g} standard errors of the paper's."
    if before is None:
        return said
    then, of_then = count(before, protocol)
    numbers = [max(data.splits.n for data in one.datasets) for one in (before, found)]
    said += (
        f" By the protocol of {date_of(before)} it was {then} of {of_then}, with {numbers[0]} "
        "splits."
    )
    if numbers[0] == numbers[1]:
        return said
    least = min(numbers)
    counts = [count(first_splits(one, least), protocol)[0] for one in (before, found)]
    return (
        f"{said} The fewer splits, the wider the errors: with the first {least} of both, "
        f"{counts[0]} before and {counts[1]} now."
    )
