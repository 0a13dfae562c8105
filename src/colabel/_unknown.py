"""Labels that nobody knows: where they are, in whatever y is given as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


def split_unknown(Y: Any, observed: Any = None) -> tuple[Any, Any]:
    """Labels with something harmless where they are unknown, and where that is; None if nowhere.

    An entry is unknown where it is NaN, or where `observed` is False.
    """
    if observed is not None:
        return _split_observed(Y, observed)
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


def _split_observed(Y: Any, observed: Any) -> tuple[Any, Any]:
    """The same for a mask beside Y, dense or sparse."""
    known = as_mask(Y, observed)
    if sp.issparse(known):
        return _split_by_pattern(Y, known)
    if known.all():
        return Y, None
    if not sp.issparse(Y):
        values, missing = split_unknown(np.where(known, np.asarray(Y), np.nan))
        return values, missing
    values = sp.csr_array(Y)
    return values.multiply(known).tocsr(), ~known


def as_mask(Y: Any, observed: Any) -> Any:
    """Where Y is known, as a dense mask of its shape or a sparse one, checked."""
    known = sp.csr_array(observed) if sp.issparse(observed) else np.asarray(observed)
    if known.dtype != bool or known.ndim != 2 or known.shape != np.shape(Y):
        raise ValueError(
            "observed= must be a boolean mask of the shape of y, True where a label is known; got "
            f"{known.dtype} of shape {known.shape} beside {np.shape(Y)}"
        )
    return known


def _split_by_pattern(Y: Any, observed: Any) -> tuple[Any, Any]:
    """The same where what is known is a pattern: what is not in it is not written out."""
    known = sp.csr_array(observed, copy=True)
    known.sum_duplicates()
    known.eliminate_zeros()
    if known.nnz == np.prod(known.shape):
        return Y, None
    if not sp.issparse(Y):
        return _split_observed(Y, known.toarray())
    return sp.csr_array(Y).multiply(known).tocsr(), AllBut(known)


@dataclass(frozen=True)
class AllBut:
    """A mask that is True everywhere but in a few entries, which alone are held."""

    #: True where the mask is not.
    entries: sp.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        return self.entries.shape

    def sum(self, axis: int | None = None) -> Any:
        """How many entries are True."""
        if axis is None:
            return int(np.prod(self.shape)) - self.entries.nnz
        return self.shape[axis] - np.asarray(self.entries.sum(axis=axis)).ravel()

    def count(self, weights: np.ndarray) -> np.ndarray:
        """What the rows count together in which a column is True."""
        return weights.sum() - np.asarray(self.entries.T @ weights).ravel()

    def __getitem__(self, index: Any) -> AllBut:
        return AllBut(self.entries[index])

    def toarray(self) -> np.ndarray:
        """The mask, with a byte for each entry."""
        return ~self.entries.toarray()


def count_unknown(unknown: Any, weights: np.ndarray) -> np.ndarray:
    """What the rows count together in which each label is unknown."""
    if isinstance(unknown, AllBut):
        return unknown.count(weights)
    if sp.issparse(unknown):
        return np.asarray(unknown.T @ weights).ravel()
    return np.einsum("i,ij->j", weights, unknown)  # with no copy of the mask in float64


def _missing(values: np.ndarray) -> np.ndarray | None:
    if values.dtype.kind == "f":
        return np.isnan(values) if np.isnan(np.sum(values)) else None
    if values.dtype.kind != "O":
        return None
    flat = [_is_missing(value) for value in values.ravel()]
    return np.array(flat, dtype=bool).reshape(values.shape)


def _is_missing(value: Any) -> bool:
    """Of a cell: None, NaN, or the NA of pandas, which need not be there to be imported."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
