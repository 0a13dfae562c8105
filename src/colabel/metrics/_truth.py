"""True labels, some of them unknown, in rows that count differently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp


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


def split_unknown(Y: Any) -> tuple[Any, Any]:
    """Labels with something harmless where they are unknown, and where that is; None if nowhere."""
    if sp.issparse(Y):
        if Y.dtype.kind != "f" or not np.isnan(Y.data).any():
            return Y, None
        Y = Y.tocsr(copy=True)
        unknown = sp.csr_array((np.isnan(Y.data), Y.indices, Y.indptr), shape=Y.shape, copy=True)
        unknown.eliminate_zeros()
        Y.data[np.isnan(Y.data)] = -1 if (Y.data == -1).any() else 0
        return Y, unknown
    try:
        values = np.asarray(Y)
    except ValueError:
        return Y, None  # which is said to be ragged
    unknown = _missing(values)
    if unknown is None or values.ndim != 2 or not unknown.any():
        return Y, None
    values = values.copy()
    known = values[~unknown]
    values[unknown] = -1 if (known == -1).any() else 0
    return values, unknown


def _missing(values: np.ndarray) -> np.ndarray | None:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return None
    flat = [_is_missing(value) for value in values.ravel()]
    return np.array(flat, dtype=bool).reshape(values.shape)


def _is_missing(value: Any) -> bool:
    """Of a cell: None, NaN, or the NA of pandas, which need not be there to be imported."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


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
    if labels is None:
        return None
    names = list(getattr(Y, "columns", ()))
    known = {name: i for i, name in reversed([*enumerate(names)])}
    found = [known.get(label, label) for label in np.asarray(labels, dtype=object).ravel()]
    for label, column in zip(np.ravel(labels), found, strict=True):
        is_number = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if not (is_number and 0 <= column < q):
            raise ValueError(
                f"labels holds {label!r}, which is neither a number from 0 to {q - 1} nor the name "
                f"of a column of y_true{f', of which there are {names[:5]}' if names else ''}"
            )
    if not found or len(set(found)) < len(found):
        raise ValueError(f"labels must name at least one label, each once; got {labels!r}")
    return np.array(found, dtype=np.intp)
