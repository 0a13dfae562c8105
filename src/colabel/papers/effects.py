"""What the differences from a paper change, measured, and which gaps that explains."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from colabel._terminal import markdown_table
from colabel.comparison.result import MetricFacts
from colabel.comparison.stats.standings import Spread, spread_of
from colabel.papers import protocol as paper
from colabel.papers.earlier import said_of_counts
from colabel.papers.gaps import CLEAR, Estimate, Gap, all_gaps
from colabel.papers.protocol import Difference, Otherwise, Protocol
from colabel.papers.reproduction import Reproduction

UNKNOWN, NOT_MEASURED = "unknown", "not measured"
CLOSED, HALVED, OTHER_DATA = "closed by", "halved by", "other data, effect not known"


@dataclass(frozen=True)
class Results:
    """Of the tables, of the experiment of choices, and by the earlier protocol, as there are."""

    tables: Reproduction
    choices: Reproduction | None
    before: Reproduction | None = None

    def change(self, other: Otherwise, dataset: str, measure: str) -> Estimate | None:
        """Of a method on a data set; None where it was not run both ways."""
        found = self._where_both_ran(other)
        if found is None:
            return None
        title = dataset if other.sets is None else other.sets.get(dataset)
        judged = measure if other.measures is None else other.measures.get(measure)
        known = {data.name for data in found.datasets}
        measured = {metric.name for metric in found.metrics}
        if not {dataset, title} <= known or not {measure, judged} <= measured:
            return None
        before = spread_of(found, dataset, other.method, measure)
        after = spread_of(found, str(title), other.variant, str(judged))
        return _paired(before, after) if title == dataset else _apart(before, after)

    def _where_both_ran(self, other: Otherwise) -> Reproduction | None:
        if other.measures is not None:
            return self.tables
        if self.choices is not None:
            return self.choices
        there = {method.name for method in self.tables.methods}
        return self.tables if {other.method, other.variant} <= there else None


def _paired(before: Spread, after: Spread) -> Estimate | None:
    """On the same splits."""
    pairs = zip(before.values, after.values, strict=True)
    gains = Spread(tuple(None if a is None or b is None else b - a for a, b in pairs))
    return None if gains.mean is None else Estimate(gains.mean, gains.error)


def _apart(before: Spread, after: Spread) -> Estimate | None:
    """On other data."""
    if before.mean is None or after.mean is None:
        return None
    errors = (before.error, after.error)
    error = None if None in errors else float(np.hypot(*errors))  # type: ignore[arg-type]
    return Estimate(after.mean - before.mean, error)


def differences(results: Results, protocol: Protocol) -> str:
    """In what a run differs from the paper, and what doing it otherwise was seen to change."""
    if not protocol.differs:
        return ""
    rows = list(_fewer_splits(results.tables, protocol))
    rows += [(one.what, _effect(one, results, protocol)) for one in protocol.differs]
    head = ["what", "what the other way changes"]
    return "Differs from the paper, or chooses where the paper does not say, in\n\n" + (
        markdown_table(head, rows)
    )


def _fewer_splits(found: Reproduction, protocol: Protocol) -> Iterator[tuple[str, str]]:
    """How wide errors are, where the paper makes more splits."""
    number = max(data.splits.n for data in found.datasets)
    if number >= protocol.paper_splits:
        return
    parts = []
    for measure in protocol.measures:
        spreads = (
            spread_of(found, data.name, method, measure.name)
            for data in found.datasets
            for method in protocol.methods
        )
        errors = [spread.error for spread in spreads if spread.error is not None]
        parts += [f"{measure.name} {np.mean(errors):.4f}"] if errors else []
    wide = f"standard errors of our means, on average: {', '.join(parts)}"
    yield (
        f"splits: {number}; the paper has {protocol.paper_splits}",
        wide if parts else NOT_MEASURED,
    )


def _effect(one: Difference, results: Results, protocol: Protocol) -> str:
    if one.effect is not None:
        return one.effect(results.tables) or NOT_MEASURED
    parts: list[str] = []
    for other in one.otherwise:
        for measure in protocol.measures:
            parts += _said(results, other, measure.name)
    why = one.unseen or (paper.NO_DATA if one.other_data else "")
    return "; ".join(parts) or (f"{NOT_MEASURED}: {why}" if why else NOT_MEASURED)


def _said(results: Results, other: Otherwise, measure: str) -> Iterator[str]:
    both = (results.tables, results.choices)
    titles = dict.fromkeys(data.name for of in both if of is not None for data in of.datasets)
    seen = {title: results.change(other, title, measure) for title in titles}
    sets = ", ".join(f"{title} {by}" for title, by in seen.items() if by is not None)
    if sets:
        yield f"{measure} of {other.method}: {sets}"


def causes_of(results: Results, protocol: Protocol) -> dict[tuple[str, str, str], list[str]]:
    """By data set, measure and cause, the figures that are not the paper's."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for (dataset, method, measure), by in all_gaps(results.tables, protocol):
        if by.is_clear:
            cause = _cause(results, protocol, dataset, method, measure, by)
            grouped.setdefault((dataset, measure, cause), []).append(f"{method} {by.value:+.4f}")
    return grouped


def count_causes(causes: Mapping[tuple[str, str, str], Sequence[str]]) -> str:
    """How many figures have a cause of each kind."""
    counts = {
        start: sum(len(cells) for key, cells in causes.items() if key[2].startswith(start))
        for start in (CLOSED, HALVED, OTHER_DATA, UNKNOWN)
    }
    return ", ".join(f"{start} {count}" for start, count in counts.items())


def gaps_section(results: Results, protocol: Protocol) -> str:
    """How many figures are the paper's, and the cause of each that is not, where one is known."""
    if not any(True for _ in all_gaps(results.tables, protocol)):
        return ""
    head = f"## Gaps\n\n{said_of_counts(results.tables, results.before, protocol)}"
    grouped = causes_of(results, protocol)
    if not grouped:
        return head
    words = (
        f"Causes of the other {sum(map(len, grouped.values()))}: {count_causes(grouped)}. A gap is "
        "closed by a difference whose change, clear by itself, leaves it within two standard "
        "errors, halved by one that leaves less than half of it; changes are measured for one "
        "method of a kind. Ours less the paper's:"
    )
    rows = [(*key, ", ".join(cells)) for key, cells in grouped.items()]
    table = markdown_table(["data", "measure", "cause", "figures"], rows)
    return f"{head} {words}\n\n{table}"


def _cause(
    results: Results, protocol: Protocol, dataset: str, method: str, measure: str, by: Gap
) -> str:
    closing, halving = [], []
    for one, other in _that_change(protocol, method):
        moved = results.change(other, dataset, measure)
        if moved is None or not moved.is_clear:  # a change by chance is the cause of nothing
            continue
        left = abs(by.value + moved.value)
        if left <= CLEAR * (by.error or 0.0):
            closing.append(one.what)
        elif left <= abs(by.value) / 2:
            halving.append(one.what)
    data = [one.what for one in protocol.differs if dataset in one.other_data]
    if closing:
        return f"{CLOSED}: {_first(closing)}"
    if halving:
        return f"{HALVED}: {_first(halving)}"
    return f"{OTHER_DATA}: {data[0]}" if data else UNKNOWN


def _first(causes: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(causes))


def _that_change(protocol: Protocol, method: str) -> Iterator[tuple[Difference, Otherwise]]:
    for one in protocol.differs:
        for other in one.otherwise:
            if method in (other.stands_for or (other.method,)):
                yield one, other


def experiment(
    of: str,
    citation: str,
    sources: Mapping[str, paper.Source],
    methods: Mapping[str, paper.Method | paper.Procedure],
    measures: Sequence[MetricFacts],
    n_splits: int = 2,
) -> Protocol:
    """Methods of a paper beside themselves run otherwise, on few splits."""
    return Protocol(
        name=f"{of}_choices",
        citation=f"{citation}: what is open, done otherwise",
        about=(
            "{splits} splits of the paper's experiment, with methods as on its page and with what "
            "the paper leaves open, or cannot be as it was there, done otherwise."
        ),
        sources=sources,
        tables={},
        methods={
            name: run if isinstance(run, paper.Procedure) else paper.Procedure(run)
            for name, run in methods.items()
        },
        measures=measures,
        published={},
        n_splits=n_splits,
        paper_splits=n_splits,
    )
