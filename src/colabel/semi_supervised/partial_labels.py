"""How to say that a row is unlabelled: one convention, read and checked in one place.

- a row of NaN alone in a dense Y (NaN beside other values is a label that is unknown), or of −1
  alone in one of 0 and 1, or a −1 in a 1-D y that has two other classes at least;
- or ``labelled=``, a mask with a value a row, beside any Y; what Y says of the other rows is not
  looked at. For a sparse Y and for a Y of −1 and 1 there is no other way but
- ``observed=``, a mask with a value an entry: a row is labelled where one of its labels is known.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_consistent_length

from colabel._indicator import Indicator, dense_labels
from colabel._labels import as_indicator, as_labels
from colabel._tags import read_tags
from colabel._unknown import as_mask, split_unknown
from colabel._weights import Weights


@dataclass(frozen=True)
class PartialLabels:
    """Labels of some of the rows."""

    #: The labels of the labelled rows, in their order.
    known: Indicator
    labelled: np.ndarray
    #: What all rows count; None where all count the same.
    weights: np.ndarray | None = None

    @property
    def matrix(self) -> np.ndarray:
        """The labels of the labelled rows as a dense matrix of 0 and 1, 0 where unknown."""
        return dense_labels(self.known.matrix)

    @property
    def unknown(self) -> np.ndarray | None:
        """Which labels of the labelled rows are unknown; None where all are known."""
        return None if self.known.unknown is None else dense_labels(self.known.unknown)

    @property
    def given(self) -> np.ndarray:
        """The labels of the labelled rows, NaN where unknown."""
        return dense_labels(self.known.known_rows(slice(None)))

    def known_alone(self, scores: np.ndarray) -> np.ndarray:
        """Scores of the labelled rows, NaN where a label is unknown."""
        return scores if self.unknown is None else np.where(self.unknown, np.nan, scores)

    @property
    def rows(self) -> np.ndarray:
        """Numbers of the labelled rows."""
        return np.flatnonzero(self.labelled)


def read_partial_labels(
    estimator: Any,
    X: Any,
    Y: Any,
    labelled: Any = None,
    observed: Any = None,
    weights: Weights | None = None,
) -> PartialLabels:
    """Check Y, and which of its rows are labelled, against the rows of X.

    A labelled row of weight 0 is as good as unlabelled.
    """
    if Y is None:
        as_labels(estimator, Y, X)  # says that it is missing
    tags = read_tags(Y)
    Y, names = (Y, getattr(Y, "columns", None)) if tags is None else tags
    values = Y.tocsr() if sp.issparse(Y) else _array(Y)
    check_consistent_length(X, values)
    known_entries = None if observed is None else as_mask(values, observed)
    mask = _labelled_rows(values, labelled, known_entries)
    if weights is not None:
        weights.check(len(mask))
        mask = mask & (weights.given > 0)
    if not mask.any():
        raise ValueError(
            f"none of the {len(mask)} rows is labelled: every row is −1 or NaN, or labelled= is "
            "False everywhere; give the labels of at least one row, of a weight above 0"
        )
    counted = None if weights is None else Weights(weights.given[mask])
    entries = None if known_entries is None else known_entries[mask]
    rows = np.empty((np.count_nonzero(mask), 1))
    known = as_labels(estimator, values[mask], rows, counted, entries)
    if names is not None and len(names) == len(known.names):
        known = replace(known, names=np.array(list(names), dtype=object))
    return PartialLabels(known, mask, None if weights is None else weights.given)


def _array(Y: Any) -> Any:
    try:
        return np.asarray(Y)
    except ValueError:
        as_indicator(Y)  # says what is wrong with it
        raise


def _as_mask(labelled: Any, n: int) -> np.ndarray:
    mask = np.asarray(labelled)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"labelled= must be a boolean mask with a value for each of the {n} rows; got "
            f"{mask.dtype} of shape {mask.shape}. Make one of row numbers with "
            f"np.isin(np.arange({n}), rows)"
        )
    return mask


def _labelled_rows(values: Any, labelled: Any, known: Any) -> np.ndarray:
    if labelled is None and known is None:
        return _known_rows(values)
    n = values.shape[0]
    mask = np.ones(n, dtype=bool) if labelled is None else _as_mask(labelled, n)
    return mask if known is None else mask & (np.asarray(known.sum(axis=1)).ravel() > 0)


def _known_rows(values: Any) -> np.ndarray:
    """The rows that are marked by neither NaN nor −1."""
    _, unknown = (None, None) if sp.issparse(values) else split_unknown(values)
    if unknown is None or values.ndim != 2:
        return _unmark(values)
    rows = ~unknown.all(axis=1)
    rest = values[rows]
    if rest.dtype.kind == "f" and not np.isnan(rest).any():
        rows[rows] = _unmark(rest)
    return rows


def _unmark(values: Any) -> np.ndarray:
    """The rows that are not marked by −1."""
    everything = np.ones(values.shape[0], dtype=bool)
    if sp.issparse(values):
        if np.any(values.data == -1) and values.nnz < np.prod(values.shape):
            raise ValueError(
                "a sparse Y cannot mark unlabelled rows by −1; pass labelled=, a boolean mask with "
                "a value a row, and leave those rows empty"
            )
        return everything
    if values.dtype.kind not in "if" or values.ndim not in (1, 2):
        return everything
    minus = np.asarray(values == -1)
    if values.ndim == 1:
        others = np.unique(values[~minus])
        return everything if len(others) == 1 or not minus.any() else ~minus
    return _unmark_rows(values, minus)


def _unmark_rows(values: np.ndarray, minus: np.ndarray) -> np.ndarray:
    whole = np.asarray(minus.all(axis=1))
    mixed = minus.any(axis=1) & ~whole
    if whole.all():
        return ~whole
    zeros = np.any(values == 0)
    if mixed.any() and zeros:
        row = np.flatnonzero(mixed)[0]
        raise ValueError(
            f"row {row} of Y has −1 beside other values ({np.count_nonzero(mixed)} rows in all); a "
            "row is labelled or unlabelled as a whole. Mark an unlabelled row by −1 in every "
            "column, and labels that are missing one by one by NaN"
        )
    if whole.any() and not zeros and np.all(values[~whole] ** 2 == 1):
        raise ValueError(
            f"Y holds only −1 and 1, and {np.count_nonzero(whole)} of its {len(whole)} rows −1 "
            "alone: they are unlabelled, or they are labelled and have no label. Pass labelled=, "
            "a boolean mask with a value a row, to say which"
        )
    return ~whole
