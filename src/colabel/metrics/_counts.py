"""True and false positives and negatives, and means of ratios of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel.metrics._inputs import check_option, read_sets

Average: TypeAlias = Annotated[
    Literal["samples", "macro", "micro"] | None,
    Says(
        "Mean over instances, mean over labels, one ratio of all counts, or a value for each label."
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

    def pooled(self) -> Counts:
        """One of each in all."""
        return Counts(*(np.atleast_1d(part.sum()) for part in (self.tp, self.fp, self.fn, self.tn)))


def count(y_true: Any, y_pred: Any, average: Average) -> Counts:
    """Count along the rows, down the columns, or over all; a sparse matrix stays sparse."""
    check_option("average", average, ("samples", "macro", "micro", None))
    Y, P = read_sets(y_true, y_pred)
    n, q = Y.shape
    axis, size = {"samples": (1, q), "micro": (None, n * q)}.get(str(average), (0, n))
    true, given, tp = (np.atleast_1d(M.sum(axis=axis)) for M in (Y, P, Y * P))
    return Counts(tp, given - tp, true - tp, size - true - given + tp)


def ratios(numerator: np.ndarray, denominator: np.ndarray, empty: Any) -> np.ndarray:
    """numerator/denominator, with `empty` (NaN for "skip") in place of 0/0."""
    fill = np.nan if isinstance(empty, str) else empty
    result = np.array(np.broadcast_to(fill, denominator.shape), dtype=np.float64)
    return np.divide(numerator, denominator, out=result, where=denominator > 0)


def mean_ratio(numerator: np.ndarray, denominator: np.ndarray, empty: Any) -> float:
    """The mean of the ratios, without those that are NaN."""
    values = ratios(numerator, denominator, empty)
    values = values[~np.isnan(values)]
    if not len(values):
        raise ValueError(
            f"empty='skip' leaves out all {len(denominator)} ratios, as each is 0/0; pass empty=0 "
            "or empty=1 to give them a value"
        )
    return float(values.mean())
