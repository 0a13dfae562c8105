"""Each row's labels in the order of their scores: what every measure of a ranking is made of.

R is the rank of a label (1 is best), L how many of the relevant labels stand at that rank or above.
Then R − L irrelevant labels stand above a relevant one, L/R is the precision down to it, and so on.
Read down the columns instead of along the rows, the same two numbers rank the instances of a label.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

TieRule = Literal["worst", "first", "last"]
BLOCK = 2**20  # entries worked on at once, so that temporaries stay small


@dataclass(frozen=True)
class Ranked:
    """Rows sorted by score, best first; three arrays of shape (rows, labels)."""

    relevant: np.ndarray
    rank: np.ndarray
    hits: np.ndarray

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Row sums of the values of relevant labels."""
        return np.where(self.relevant, values, 0).sum(axis=1)


def blocks(Y: Any, scores: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Consecutive rows of Y, as dense booleans, with their scores."""
    n, q = scores.shape
    for rows in gen_batches(n, max(1, BLOCK // q)):
        part = Y[rows] > 0
        yield part.toarray() if sp.issparse(part) else part, np.ascontiguousarray(scores[rows])


def by_label(Y: Any, scores: np.ndarray) -> tuple[Any, np.ndarray]:
    """Y and scores with a row for each label."""
    return (Y.T.tocsr() if sp.issparse(Y) else Y.T), scores.T


def each_block(
    Y: Any, scores: np.ndarray, ties: TieRule, statistic: Callable[[Ranked], np.ndarray]
) -> np.ndarray:
    """A statistic of ranked rows, computed block by block and joined."""
    parts = [statistic(rank_rows(part, s, ties)) for part, s in blocks(Y, scores)]
    return np.concatenate(parts)


def rank_rows(Y: np.ndarray, scores: np.ndarray, ties: TieRule) -> Ranked:
    """Sort each row. Tied labels share their worst rank, or the first or last of them leads."""
    if ties == "first":
        order = np.argsort(-scores, axis=1, kind="stable")
    else:
        order = np.argsort(scores, axis=1, kind="stable")[:, ::-1]
    relevant = np.take_along_axis(Y, order, axis=1)
    hits = np.cumsum(relevant, axis=1)
    q = scores.shape[1]
    if ties != "worst":
        return Ranked(relevant, np.broadcast_to(np.arange(1, q + 1), hits.shape), hits)
    ordered = np.take_along_axis(scores, order, axis=1)
    ends = np.full(hits.shape, q - 1)
    ends[:, :-1] = np.where(ordered[:, :-1] != ordered[:, 1:], np.arange(q - 1), q - 1)
    last_tied = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return Ranked(relevant, last_tied + 1, np.take_along_axis(hits, last_tied, axis=1))
