"""Our means beside a paper's, and how many are the same within the error."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers.protocol import Protocol

#: From so many standard errors on, a difference from the paper is called one.
CLEAR = 2.0


@dataclass(frozen=True)
class Estimate:
    """A difference of means over splits."""

    value: float
    #: Its standard error; None with one split.
    error: float | None

    def __str__(self) -> str:
        return f"{self.value:+.4f}" + ("" if self.error is None else f" ± {self.error:.4f}")

    @property
    def is_clear(self) -> bool:
        """Whether it is more than the splits explain; never of a single one."""
        return self.error is not None and abs(self.value) > CLEAR * self.error


@dataclass(frozen=True)
class Gap(Estimate):
    """A mean of ours less the paper's.

    Its error is from the standard deviations over splits of both, or of ours alone where the paper
    gives none.
    """

    paper: float

    @property
    def is_clear(self) -> bool:
        """Whether it is more than the splits explain; of a single one it is not explained."""
        return self.error is None or super().is_clear


def gap(
    found: ComparisonData, protocol: Protocol, dataset: str, method: str, measure: str
) -> Gap | None:
    """Our mean beside the paper's; None where either is missing."""
    published = protocol.published.get(measure, {}).get(dataset, {}).get(method)
    if published is None:
        return None
    paper, deviation = published
    ours = spread_of(found, dataset, method, measure)
    if ours.mean is None:
        return None
    error = ours.error
    if error is not None and deviation is not None:
        error = float(np.hypot(error, deviation / protocol.paper_splits**0.5))
    return Gap(ours.mean - paper, error, paper)


def all_gaps(
    found: ComparisonData, protocol: Protocol
) -> Iterator[tuple[tuple[str, str, str], Gap]]:
    """Data set, method and measure of every figure that the paper gives, and how far ours is."""
    there = {method.name for method in found.methods}
    for data in found.datasets:
        for measure in protocol.measures:
            for method in protocol.methods:
                if method in there:
                    by = gap(found, protocol, data.name, method, measure.name)
                    if by is not None:
                        yield (data.name, method, measure.name), by
