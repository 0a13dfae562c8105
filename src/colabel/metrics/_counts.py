"""True and false positives and negatives, and means of ratios of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel.metrics._inputs import check_option, read_sets
from colabel.metrics._truth import Truth

Average: TypeAlias = Annotated[
    Literal["samples", "macro", "weighted", "micro"] | None,
    Says(
        "Mean over instances; over labels, each counting 1 or as many as it has positives; one"
        "\n    ratio of all counts; or a value for each label."
    ),
]
Empty = Literal[0, 1, "skip", "mulan"]


@dataclass(frozen=True)
class Counts:
    """An entry for each instance or each label, or one in all."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray
    #: What each entry counts in a mean; None where all count the same.
    weights: np.ndarray | None = None

    def pooled(self) -> Counts:
        """One of each in all."""
        return Counts(*(np.atleast_1d(part.sum()) for part in self.parts))

    @property
    def parts(self) -> tuple[np.ndarray, ...]:
        return self.tp, self.fp, self.fn, self.tn

    @property
    def nothing(self) -> np.ndarray:
        """Where nothing is known."""
        return sum(self.parts) == 0  # type: ignore[return-value]


def count(
    y_true: Any, y_pred: Any, average: Average, sample_weight: Any = None, labels: Any = None
) -> Counts:
    """Count along the rows, down the columns, or over all; a sparse matrix stays sparse."""
    check_option("average", average, ("samples", "macro", "weighted", "micro", None))
    truth, P = read_sets(y_true, y_pred, sample_weight, labels)
    P = truth.of_known(P)
    if average == "samples":
        return Counts(*_count(truth, P, None, 1), truth.weights)
    found = _count(truth, P, truth.weights, 0)
    if truth.weights is not None:  # what no row counts for is exactly 0, not nearly
        found = [
            part * (whole > 0) for part, whole in zip(found, _count(truth, P, None, 0), strict=True)
        ]
    counts = Counts(*found)
    if average == "micro":
        return counts.pooled()
    return Counts(*found, counts.tp + counts.fn) if average == "weighted" else counts


def _count(truth: Truth, P: Any, weights: np.ndarray | None, axis: int) -> list[np.ndarray]:
    """TP, FP, FN and TN of each row or column."""

    def add(M: Any) -> np.ndarray:
        return np.asarray(M.sum(axis=axis) if weights is None else weights @ M).ravel()

    true, given, tp = (add(M) for M in (truth.Y, P, truth.Y * P))
    size = np.full(len(true), truth.shape[axis] if weights is None else truth.total)
    if truth.unknown is not None:
        size = size - add(truth.unknown.astype(np.float64))
    return [tp, given - tp, true - tp, size - true - given + tp]


def ratios(numerator: np.ndarray, denominator: np.ndarray, empty: Any) -> np.ndarray:
    """numerator/denominator, with `empty` (NaN for "skip") in place of 0/0."""
    fill = np.nan if isinstance(empty, str) else empty
    result = np.array(np.broadcast_to(fill, denominator.shape), dtype=np.float64)
    return np.divide(numerator, denominator, out=result, where=denominator > 0)


def mean_ratio(
    numerator: np.ndarray, denominator: np.ndarray, empty: Any, weights: np.ndarray | None = None
) -> float:
    """The mean of the ratios, without those that are NaN."""
    return mean_of(ratios(numerator, denominator, empty), weights)


def mean_of(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The mean of those that are not NaN; a plain one where all weights are 0."""
    kept = ~np.isnan(values)
    if not kept.any():
        raise ValueError(
            f"empty='skip' leaves out all {len(values)} ratios, as each is 0/0; pass empty=0 "
            "or empty=1 to give them a value"
        )
    if weights is None or not weights[kept].any():
        return float(values[kept].mean())
    return float(np.average(values[kept], weights=weights[kept]))
