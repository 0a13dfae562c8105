"""True labels, some of them unknown, in rows that count differently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._indicator import numbers_of


@dataclass(frozen=True)
class Truth:
    """What is true of n rows and q labels."""

    #: n×q of 0 and 1, sparse where it was given sparse; 0 where unknown.
    Y: Any
    #: n×q, True where an entry is unknown, sparse where Y is; None where all are known.
    unknown: Any = None
    #: What each row counts; None where all count 1.
    weights: np.ndarray | None = None

    def select(self, other: Any, columns: np.ndarray | None) -> tuple[Truth, Any]:
        """The rows that count and have an entry that is known, some columns; and those of other."""
        Y, unknown, weights = self.Y, self.unknown, self.weights
        if columns is not None:
            Y, other = Y[:, columns], other[:, columns]
            unknown = None if unknown is None else unknown[:, columns]
        if weights is None and unknown is None:
            return Truth(Y), other
        kept = np.ones(Y.shape[0], dtype=bool) if weights is None else weights > 0
        if unknown is not None:
            kept &= np.asarray(unknown.sum(axis=1)).ravel() < Y.shape[1]
            if not kept.any():
                raise ValueError(
                    f"y_true is unknown (NaN) in all of its {len(kept)} rows that count; a measure "
                    "needs at least one label that is known"
                )
        if not kept.all():
            Y, other = Y[kept], other[kept]
            unknown = None if unknown is None else unknown[kept]
        return Truth(Y, unknown, None if weights is None else weights[kept]), other

    @property
    def shape(self) -> tuple[int, int]:
        return self.Y.shape

    def of_known(self, M: Any) -> Any:
        """M, with 0 where the truth is unknown."""
        if self.unknown is None:
            return M
        if sp.issparse(M):
            return M - M.multiply(self.unknown).tocsr()
        unknown = self.unknown.toarray() if sp.issparse(self.unknown) else self.unknown
        return np.where(unknown, 0, M)

    @cached_property
    def total(self) -> float:
        """What all rows count."""
        return float(self.Y.shape[0] if self.weights is None else self.weights.sum())

    @cached_property
    def known_rows(self) -> np.ndarray:
        """In how many rows each label is known."""
        n, q = self.shape
        none = np.zeros(q) if self.unknown is None else self.unknown.sum(axis=0)
        return n - np.asarray(none).ravel()

    def flat(self) -> Truth:
        """All decisions as those of one label."""
        unknown = None if self.unknown is None else self.unknown.reshape((-1, 1))
        weights = None if self.weights is None else np.repeat(self.weights, self.shape[1])
        return Truth(self.Y.reshape((-1, 1)), unknown, weights)


def as_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Weights of n rows, checked; None if none are given."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.shape != (n,) or weights.dtype.kind not in "fiub":
        raise ValueError(
            f"sample_weight must hold a number for each of the {n} rows; got {weights.dtype} of "
            f"shape {weights.shape}"
        )
    weights = weights.astype(np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError(
            "sample_weight must hold finite numbers ≥ 0 that are not all 0; got values from "
            f"{weights.min(initial=0):g} to {weights.max(initial=0):g}"
        )
    return weights


def columns_of(labels: Any, Y: Any, q: int) -> np.ndarray | None:
    """Numbers of columns, given as such or as names of a DataFrame's; None if all are meant."""
    return None if labels is None else numbers_of(labels, getattr(Y, "columns", ()), q)
