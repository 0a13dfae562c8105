"""Labels as people have them, lists of tags, read into a matrix; and predictions as names again."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._terminal import brief

_LISTS = (list, tuple, set, frozenset)


def read_tags(Y: Any, names: Any = None) -> tuple[sp.csr_array, np.ndarray] | None:
    """A matrix with a column for each tag, and the tags, sorted; None where Y holds no tags.

    Tags come as a list, tuple or set for each row, in a list, a Series or a 1-D array. In lists of
    lists they are strings: numbers there are an indicator matrix. With `names`, these are all tags.
    """
    rows = _rows_of(Y)
    if rows is None:
        return None
    for i, row in enumerate(rows):
        if not isinstance(row, (*_LISTS, np.ndarray)):
            raise ValueError(
                f"y holds a list of tags a row, but row {i} is {row!r}; give a row without tags as "
                "[], and one with a single tag as a list too"
            )
    found = {tag for row in rows for tag in row}
    try:
        tags = sorted(found) if names is None else list(names)
    except TypeError:
        kinds = brief(sorted({type(tag).__name__ for tag in found}))
        raise ValueError(f"tags must be of one type, to be sorted; got {kinds}") from None
    column = {tag: j for j, tag in enumerate(tags)}
    if names is not None and not found <= column.keys():
        new = brief(sorted(found - column.keys(), key=str))
        raise ValueError(f"y holds the tags {new}, which are not among {brief(tags)}")
    indices = [sorted({column[tag] for tag in row}) for row in rows]
    starts = np.cumsum([0, *map(len, indices)])
    flat = np.array([j for row in indices for j in row], dtype=np.intp)
    matrix = sp.csr_array((np.ones(len(flat)), flat, starts), shape=(len(rows), len(tags)))
    return matrix, np.array([*tags, None], dtype=object)[:-1]


def _rows_of(Y: Any) -> Sequence[Any] | None:
    """The lists of tags; None where Y is something else."""
    if sp.issparse(Y) or hasattr(Y, "columns"):
        return None
    if isinstance(Y, list | tuple):
        return Y if len(Y) and _are_tags(Y) else None
    if isinstance(Y, np.ndarray):
        held = list(Y) if Y.dtype.kind == "O" and Y.ndim == 1 else []
    else:  # a Series of pandas or polars
        held = list(Y) if hasattr(Y, "to_numpy") and hasattr(Y, "to_list") else []
    if any(isinstance(row, _LISTS) for row in held):
        return held
    if any(hasattr(row, "to_list") for row in held):  # of polars, whose lists are Series
        return [row.to_list() for row in held]
    return None


def _are_tags(rows: Sequence[Any]) -> bool:
    """Whether lists are of tags, and not rows of a matrix."""
    if any(isinstance(row, set | frozenset) for row in rows):
        return True
    lists = [row for row in rows if isinstance(row, list | tuple)]
    words = [tag for row in lists for tag in row if isinstance(tag, str)]
    if not words:
        return False
    is_matrix = len(lists) == len(rows) and len({len(row) for row in lists}) == 1
    return not (is_matrix and all(_is_number(word) for word in words))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def names_of(predicted: Any, names: np.ndarray) -> list[list[Any]]:
    """Of each row of a matrix of 0 and 1, the names of its labels; of a vector, its classes."""
    if not sp.issparse(predicted) and predicted.ndim == 1:
        return [[label] for label in predicted.tolist()]
    rows: Iterable[np.ndarray]
    if sp.issparse(predicted):
        predicted = sp.csr_array(predicted)
        predicted.eliminate_zeros()
        predicted.sort_indices()
        rows = np.split(predicted.indices, predicted.indptr[1:-1])
    else:
        rows = (np.flatnonzero(row) for row in predicted)
    return [names[row].tolist() for row in rows]


def as_frame(predicted: Any, names: np.ndarray, X: Any) -> Any:
    """Predictions as a DataFrame of pandas, with the index of X where it has one.

    A vector of classes becomes a Series.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "as_frame=True needs pandas, which is not installed: pip install pandas"
        ) from None
    index = X.index if isinstance(X, pd.DataFrame) else None
    if sp.issparse(predicted):
        return pd.DataFrame.sparse.from_spmatrix(predicted, index=index, columns=names)
    if predicted.ndim == 1:
        return pd.Series(predicted, index=index)
    return pd.DataFrame(predicted, index=index, columns=names)
