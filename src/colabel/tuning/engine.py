"""Which rows are held out, and by which arithmetic: what the sizes of the data decide."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from colabel.linalg import cost
from colabel.linalg.data import CentredData
from colabel.tuning.fold_scores import RowSplit, make_folds
from colabel.tuning.held_out import HeldOut
from colabel.tuning.leave_one_out import LeaveOneOut
from colabel.tuning.path import Path

#: In how many parts rows that are left out one by one are judged, each by thresholds of the others.
PARTS = 5
#: The share of the rows that is held out where X is too large to factor, and the most of them.
SHARE, MOST = 0.2, 20_000


def hold_out(
    data: CentredData,
    Y: np.ndarray,
    splits: list[RowSplit] | None,
    random_state: Any,
    jobs: int | None,
) -> list[HeldOut]:
    """The folds of the splits; without any, every row by itself, or one part of too many."""
    core, factor = data.core, _can_be_factored(data, Y.shape[1], splits)
    if splits is not None:
        return make_folds(core, Y, splits, factor=factor, jobs=jobs)
    if factor:
        return [LeaveOneOut.of(data, Y)]
    order = check_random_state(random_state).permutation(len(Y))
    size = max(1, min(int(SHARE * len(Y)), MOST))
    return [Path((np.sort(order[size:]), np.sort(order[:size])), Y, core)]


def _can_be_factored(data: CentredData, labels: int, splits: list[RowSplit] | None) -> bool:
    times = 1 if splits is None else len(splits)
    return data.is_factored or cost.Size.of(data.core).can_be_factored(times, labels)


def random_parts(n: int, random_state: Any) -> np.ndarray:
    """Of each of n rows, the number of the part that it is judged in."""
    return check_random_state(random_state).permutation(np.arange(n) % PARTS)
