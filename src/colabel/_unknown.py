"""Labels that nobody knows: where they are, in whatever y is given as."""

from __future__ import annotations

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
    """The same for a mask beside Y."""
    if sp.issparse(observed):
        observed = observed.toarray()
    known = np.asarray(observed)
    if known.dtype != bool or known.ndim != 2 or known.shape != np.shape(Y):
        raise ValueError(
            "observed= must be a boolean mask of the shape of y, True where a label is known; got "
            f"{known.dtype} of shape {known.shape} beside {np.shape(Y)}"
        )
    if known.all():
        return Y, None
    if not sp.issparse(Y):
        values, missing = split_unknown(np.where(known, np.asarray(Y), np.nan))
        return values, missing
    unknown = sp.csr_array(~known)
    values = sp.csr_array(Y)
    return values - values.multiply(unknown).tocsr(), unknown


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
