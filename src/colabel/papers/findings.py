"""What an experiment found, as plain data, and what can be said of it."""

import time
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from colabel.papers.protocol import Figure, Measure, Protocol, Values


@dataclass
class Findings:
    """Results of a run, in plain data that JSON holds."""

    paper: str
    created: str
    #: Data sets that were not there, with the names of their files.
    missing: dict[str, str]
    #: Size and number of splits of the data sets that were.
    sets: dict[str, dict[str, int]] = field(default_factory=dict)
    #: ``values[set][method][split]``, the split as a string.
    values: dict[str, dict[str, dict[str, Values]]] = field(default_factory=dict)
    #: ``tuned[set][method]``: parameters that all splits share.
    tuned: dict[str, dict[str, Values]] = field(default_factory=dict)
    #: Set, split and method that failed, with the reason.
    failures: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, paper: str, missing: dict[str, str]) -> Self:
        """Nothing found yet."""
        return cls(paper, time.strftime("%Y-%m-%d"), missing)

    def add(self, key: str, values: Values) -> None:
        """Keep what a method gave on a split, or that it failed."""
        title, split, method = key.rsplit("/", 2)
        if "error" in values:
            self.failures.append(f"{method} on {title}, split {split}: {values['error']}")
            return
        self.values.setdefault(title, {}).setdefault(method, {})[split] = values

    def of(self, title: str, method: str, measure: str) -> dict[str, Any]:
        """The values of a measure by split."""
        found = self.values.get(title, {}).get(method, {})
        splits = [split for split in sorted(found, key=int) if measure in found[split]]
        return {split: found[split][measure] for split in splits}

    def mean(self, title: str, method: str, measure: str) -> float | None:
        """The mean over splits; None without any."""
        found = list(self.of(title, method, measure).values())
        return float(np.mean(found)) if found else None

    def deviation(self, title: str, method: str, measure: str) -> float | None:
        """The standard deviation over splits; None for fewer than two."""
        found = list(self.of(title, method, measure).values())
        return float(np.std(found, ddof=1)) if len(found) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """From what :meth:`to_dict` gave."""
        return cls(**data)


@dataclass(frozen=True)
class Gap:
    """A mean of ours beside the paper's."""

    ours: float
    paper: float
    #: Ours − the paper's.
    value: float
    #: Its standard error, from the standard deviations over splits of both, or of ours alone where
    #: the paper gives none; None with one split.
    error: float | None


def difference(
    findings: Findings, protocol: Protocol, title: str, method: str, measure: str
) -> Gap | None:
    """Our mean beside the paper's; None where either is missing."""
    found = list(findings.of(title, method, measure).values())
    published = protocol.published.get(measure, {}).get(title, {}).get(method)
    if not found or published is None:
        return None
    paper, deviation = published
    ours = float(np.mean(found))
    error = standard_error(found)
    if error is not None and deviation is not None:
        error = float(np.hypot(error, deviation / protocol.paper_splits**0.5))
    return Gap(ours, paper, ours - paper, error)


def standard_error(values: list[float]) -> float | None:
    """Of the mean; None for fewer than two values."""
    return float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else None


def best_methods(findings: Findings, protocol: Protocol, title: str, measure: Measure) -> list[str]:
    """The best method, and those that are level with it over splits.

    Level is a mean difference of less than two standard errors, split by split. With one split
    there is only the best.
    """
    sign = 1.0 if measure.greater_is_better else -1.0
    means = {m: findings.mean(title, m, measure.name) for m in protocol.methods}
    ordered = sorted(
        (name for name, mean in means.items() if mean is not None),
        key=lambda name: -sign * (means[name] or 0.0),
    )
    if not ordered:
        return []
    top = findings.of(title, ordered[0], measure.name)
    level = [ordered[0]]
    for name in ordered[1:]:
        other = findings.of(title, name, measure.name)
        gaps = [sign * (top[split] - other[split]) for split in top if split in other]
        error = standard_error(gaps)
        if error is not None and np.mean(gaps) < 2 * error:
            level.append(name)
    return level


def published_best(protocol: Protocol, title: str, measure: Measure) -> tuple[str, Figure] | None:
    """The method that the paper has best, and its figure."""
    found = protocol.published.get(measure.name, {}).get(title, {})
    if not found:
        return None
    sign = 1.0 if measure.greater_is_better else -1.0
    name = max(found, key=lambda method: sign * found[method][0])
    return name, found[name]
