"""How many rows are predicted right, of labels in every form that `fit` takes."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._indicator import Indicator, dense_labels
from colabel._labels import as_indicator
from colabel._tags import read_tags
from colabel._weights import as_weights


def is_of_labels(y: Any) -> bool:
    """Whether it holds several labels a row: a matrix, or lists of tags."""
    return read_tags(y) is not None or np.ndim(y) == 2


def share_right(predicted: Any, y: Any, names: np.ndarray, sample_weight: Any = None) -> float:
    """The share of rows whose labels are predicted as they are, those that are unknown left out."""
    tags = read_tags(y)
    labels = as_indicator(_in_order(y, names)) if tags is None else Indicator(*tags)
    truth, predicted = sp.csr_array(labels.matrix), sp.csr_array(predicted)
    if tags is not None:
        truth, predicted = _by_name(truth, labels.names, predicted, names)
    if truth.shape != predicted.shape:
        raise ValueError(
            f"y has the shape {truth.shape}, and what is predicted {predicted.shape}; give a row "
            "for each of X, and a column for each label that was fitted"
        )
    wrong, counts = abs(truth - predicted), _counts(sample_weight, truth.shape[0])
    if labels.unknown is not None:
        unknown = dense_labels(labels.unknown)
        wrong, counts = wrong.multiply(~unknown), np.where(unknown.all(axis=1), 0.0, counts)
    if not counts.any():
        raise ValueError(f"y is unknown (NaN) in all of its {len(counts)} rows that count")
    right = np.asarray(wrong.sum(axis=1)).ravel() == 0
    return float(np.average(right, weights=counts))


def _counts(sample_weight: Any, n: int) -> np.ndarray:
    weights = as_weights(sample_weight)
    if weights is None:
        return np.ones(n)
    weights.check(n)
    return weights.given


def _in_order(y: Any, names: np.ndarray) -> Any:
    """The columns of a DataFrame in the order of the labels, where they are the same."""
    columns = list(getattr(y, "columns", ()))
    same = len(columns) == len(names) and set(columns) == set(names)
    return y[list(names)] if same and columns != list(names) else y


def _by_name(
    truth: sp.csr_array, tags: np.ndarray, predicted: sp.csr_array, names: np.ndarray
) -> tuple[sp.csr_array, sp.csr_array]:
    """Both with a column for each name, then for each tag that is none, which nobody predicts."""
    column = {name: j for j, name in enumerate(dict.fromkeys([*names, *tags]))}
    place = np.array([column[tag] for tag in tags], dtype=np.intp)
    given = sp.coo_array(truth)
    shape = (truth.shape[0], len(column))
    placed = sp.csr_array((given.data, (given.row, place[given.col])), shape=shape)
    return placed, sp.csr_array(
        (predicted.data, predicted.indices, predicted.indptr),
        shape=(predicted.shape[0], len(column)),
    )
