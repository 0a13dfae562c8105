"""Columns that give the labels away, or are labels themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.tables import cells as cell

#: Rows with a label, and rows without it, below which nothing is said: chance could do it.
FEWEST = 5
#: The share of a label's rows that may be taken wrongly by what gives it away.
WRONG = 0.01
#: Rows that a column is tried on before all are looked at.
TRIED = 300


def labels_told_by(values: np.ndarray, Y: Any) -> np.ndarray:
    """The labels that one threshold on a column of numbers gets right, but for a few rows."""
    has = np.asarray(sp.csr_array(Y).todense(), dtype=np.float64)
    total = has.sum(axis=0)
    known = np.isfinite(values)
    order = np.argsort(values[known], kind="stable")
    sorted_values, has = values[known][order], has[known][order]
    below = np.vstack([np.zeros_like(total), np.cumsum(has, axis=0)])
    places = np.arange(len(has) + 1)[:, None]
    # rows without the label above a cut and with it below, and the other way round
    wrong = below + (len(has) - places) - (below[-1] - below)
    is_cut = np.concatenate([[True], sorted_values[1:] > sorted_values[:-1], [True]])
    fewest = np.minimum(wrong[is_cut].min(axis=0), len(has) - wrong[is_cut].max(axis=0))
    in_gaps = total - below[-1]
    return np.flatnonzero(_usual(total, len(values)) & (fewest + in_gaps <= WRONG * total))


def _usual(total: np.ndarray, n: int) -> np.ndarray:
    return (total >= FEWEST) & (total <= n - FEWEST)


def labels_told_by_values(column: Sequence[Any], Y: Any) -> np.ndarray:
    """The labels that the value of a category gets right in all rows."""
    _, codes = np.unique([cell.category(one) for one in column], return_inverse=True)
    n, k = len(codes), int(codes.max()) + 1 if len(codes) else 0
    sizes = np.bincount(codes, minlength=k)
    if (sizes[codes] >= 2).mean() < 0.8:  # values of one row each tell everything
        return np.array([], dtype=np.intp)
    Y = sp.csr_array(Y)
    groups = sp.csr_array((np.ones(n), (codes, np.arange(n))), shape=(k, n))
    positives = np.asarray((groups @ Y.astype(float)).todense())
    wrong = np.minimum(positives, sizes[:, None] - positives).sum(axis=0)
    total = positives.sum(axis=0)
    return np.flatnonzero(_usual(total, n) & (wrong <= WRONG * total))


def is_copy(column: Sequence[Any], tags: Sequence[Sequence[str]], separators: str = "|;,") -> bool:
    """Whether cells hold the tags of their rows, and nothing else."""
    same = 0
    table = str.maketrans(dict.fromkeys(separators, "\n"))
    for one, names in zip(column, tags, strict=True):
        listed = cell.names_in(one)
        held = cell.text(one).translate(table).split("\n") if listed is None else listed
        same += {part.strip() for part in held if part.strip()} == set(names)
    return same >= (1 - WRONG) * len(tags)


def warnings_of(
    numbers: Mapping[str, np.ndarray], others: Mapping[str, Sequence[Any]], Y: Any, names: Any
) -> list[str]:
    """A line for each column that says by itself which labels rows have."""
    found = []
    Y = sp.csr_array(Y, dtype=np.float64, copy=True)
    Y.data = (Y.data == 1).astype(np.float64)  # what is not known is given away by nothing
    Y.eliminate_zeros()
    columns: list[tuple[str, Any, Any]] = [(n, v, labels_told_by) for n, v in numbers.items()]
    columns += [(n, v, labels_told_by_values) for n, v in others.items()]
    first = sp.csr_array(Y[: min(TRIED, Y.shape[0])])
    for name, column, told_by in columns:
        told = told_by(column[: first.shape[0]], first)
        if len(told) and Y.shape[0] > first.shape[0]:
            told = told[told_by(column, Y[:, told])]
        if len(told):
            found.append(_line(name, [str(names[j]) for j in told], len(names)))
    return found


def _line(name: str, labels: list[str], q: int) -> str:
    which = (
        repr(labels[0]) if len(labels) == 1 else f"{len(labels)} of {q} labels ({labels[0]!r}, …)"
    )
    return (
        f"column {name!r} gives away {which} by itself; where it is not known before the labels "
        f"are, leave it out with kinds={{{name!r}: 'drop'}}"
    )
