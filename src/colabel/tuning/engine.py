"""Which rows are held out, and by which arithmetic: what the sizes of the data decide."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from colabel.linalg import cost
from colabel.linalg.data import CentredData
from colabel.linalg.descent import TOGETHER
from colabel.tuning import path
from colabel.tuning.fold_scores import RowSplit, make_folds
from colabel.tuning.held_out import HeldOut
from colabel.tuning.known_part import KnownFold, KnownLabelByLabel, KnownOneOut
from colabel.tuning.leave_one_out import LeaveOneOut

#: In how many parts rows that are left out one by one are judged, each by thresholds of the others.
PARTS = 5
#: The share of the rows that is held out where X is too large to factor, and the most of them.
SHARE, MOST = 0.2, 20_000

#: Seconds and bytes of a search that is announced.
LONG, LARGE = 60.0, 2**30
#: Cells that a search judges.
CELLS = 100
#: Iterations on the rows that penalties are tried on, and on all; of each, what is done for a
#: feature and a label beside the product. The first and the last as seen with 40,000 texts; the
#: second is a guess from the first ten iterations on 400,000.
TRIED, WHOLE, BESIDE = 66, 50, 24
#: Bytes of a process that has done nothing yet.
BEGIN = 2**28


def hold_out(
    data: CentredData,
    Y: np.ndarray,
    splits: list[RowSplit] | None,
    random_state: Any,
    jobs: int | None,
    counts: np.ndarray | None = None,
) -> list[HeldOut]:
    """The folds of the splits; without any, every row by itself, or one part of too many.

    `counts` says what each entry of Y counts, where some are unknown.
    """
    core, factor = data.core, _can_be_factored(data, Y.shape[1], splits)
    if counts is not None:
        if splits is None and KnownLabelByLabel.is_cheap(core, Y.shape[1]):
            return [KnownLabelByLabel(data, Y, counts)]
        if splits is None:
            splits = _parts_of_known(data, len(Y), factor, random_state)
        return _hold_out_known(data, Y, counts, splits)
    if splits is not None:
        return make_folds(core, Y, splits, factor=factor, jobs=jobs)
    if factor:
        return [LeaveOneOut.of(data, Y)]
    return [path.Path(_one_part(len(Y), False, random_state)[0], Y, core)]


def _one_part(n: int, factor: bool, random_state: Any) -> list[RowSplit]:
    """The one split of rows that are too many to be factored; none of others."""
    if factor:
        return []
    order, size = check_random_state(random_state).permutation(n), part_size(n)
    return [(np.sort(order[size:]), np.sort(order[:size]))]


def _parts_of_known(data: CentredData, n: int, factor: bool, random_state: Any) -> list[RowSplit]:
    """Which rows are held out together where labels are unknown; none, where each by itself.

    That is not exact then, and where there are more features than rows, so that each row tells much
    of its own score, not near enough: there are folds.
    """
    if factor and data.core.is_wide:
        part = random_parts(n, random_state)
        return [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(PARTS)]
    return _one_part(n, factor, random_state)


def _hold_out_known(
    data: CentredData, Y: np.ndarray, counts: np.ndarray, splits: list[RowSplit]
) -> list[HeldOut]:
    """The same for labels that are known in some rows."""
    if not splits:
        return [KnownOneOut(data, Y, counts)]
    return [KnownFold(data, Y, counts, split) for split in splits]


def part_size(n: int) -> int:
    """How many of n rows are held out where they are held out once."""
    return max(1, min(int(SHARE * n), MOST))


def _can_be_factored(data: CentredData, labels: int, splits: list[RowSplit] | None) -> bool:
    times = 1 if splits is None else len(splits)
    return data.is_factored or cost.Size.of(data.core).can_be_factored(times, labels)


@dataclass(frozen=True)
class Expected:
    """What a search is expected to take, to a factor of two or three."""

    seconds: float
    bytes: float

    @property
    def is_long(self) -> bool:
        """Whether a person should know before it begins."""
        return self.seconds > LONG or self.bytes > LARGE

    def __str__(self) -> str:
        size = f"{max(self.bytes / 2**30, 0.1):.1f} GB of memory"
        if self.seconds <= LONG:
            return f"about a minute or less, and {size}"
        return f"about {self.seconds / 60:.0f} minutes, and {size}"


def expect(size: cost.Size, labels: int, folds: int | None) -> Expected:
    """What tuning and fitting take for data of a size: the choice that `hold_out` makes."""
    own, times = 8.0 * (size.nnz if size.dense else 2 * size.nnz), folds or 1
    if size.can_be_factored(times, labels):
        judged = CELLS * size.n * labels * np.log2(max(size.n, 2)) / cost.VECTOR
        seconds = size.gram + times * size.eigh + judged
        return Expected(seconds, own + 8.0 * (3 * size.small**2 + 6 * size.n * labels))
    if folds is not None:
        seconds = times * cost.ITERATIONS * size.products(8 * labels)
        return Expected(seconds, 2 * own + 4.0 * labels * (8 * size.d + size.n))
    product, beside = size.products(2 * labels), BESIDE * size.d * labels / cost.VECTOR
    tried = min(1.0, path.MOST / size.n) * product + beside
    # X, its training rows and its tiles; labels; arrays of the labels that are solved for together,
    # and some as large as the model
    together = 32.0 * min(labels, TOGETHER) * size.d
    held = 32.0 * size.nnz + 2.0 * size.n * labels + together + 28.0 * labels * size.d
    return Expected(TRIED * tried + WHOLE * (product + beside), BEGIN + held)


def is_long_in_folds(size: cost.Size, labels: int, folds: int) -> bool:
    """Whether fits without folds of rows left out take long, those of least squares at least."""
    return folds * size.block_solve(labels) > LONG


def random_parts(n: int, random_state: Any) -> np.ndarray:
    """Of each of n rows, the number of the part that it is judged in."""
    return check_random_state(random_state).permutation(np.arange(n) % PARTS)
