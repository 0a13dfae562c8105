"""Our means beside a paper's."""

from dataclasses import dataclass

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers.protocol import Protocol

#: From so many standard errors on, a difference from the paper is called one.
CLEAR = 2.0


@dataclass(frozen=True)
class Gap:
    """A mean of ours beside the paper's."""

    paper: float
    #: Ours − the paper's.
    value: float
    #: Its standard error, from the standard deviations over splits of both, or of ours alone where
    #: the paper gives none; None with one split.
    error: float | None

    def __str__(self) -> str:
        return f"{self.value:+.4f}" + ("" if self.error is None else f" ± {self.error:.4f}")

    @property
    def is_clear(self) -> bool:
        """Whether it is more than the splits explain."""
        return self.error is None or abs(self.value) > CLEAR * self.error


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
    return Gap(paper, ours.mean - paper, error)
