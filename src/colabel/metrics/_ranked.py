"""Each row's labels in the order of their scores: what every measure of a ranking is made of.

R is the rank of a label (1 is best), L how many of the relevant labels stand at that rank or above.
Then R − L irrelevant labels stand above a relevant one, L/R is the precision down to it, and so on.
Read down the columns instead of along the rows, the same two numbers rank the instances of a label;
an instance of weight w takes w ranks then.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from colabel.metrics._truth import Truth

TieRule = Literal["worst", "first", "last"]
BLOCK = 2**20  # entries worked on at once, so that temporaries stay small


@dataclass(frozen=True)
class Ranked:
    """Rows sorted by score, best first, entries that are unknown last; of shape (rows, labels)."""

    relevant: np.ndarray
    rank: np.ndarray
    hits: np.ndarray
    #: None where all are.
    known: np.ndarray | None = None
    #: What each entry counts; None where all count 1.
    weights: np.ndarray | None = None

    def sum(self, values: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
        """Row sums of the values of relevant labels, or of others, each times what it counts."""
        values = values if self.weights is None else values * self.weights
        return np.where(self.relevant if where is None else where, values, 0).sum(axis=1)

    @property
    def irrelevant(self) -> np.ndarray:
        return ~self.relevant if self.known is None else self.known & ~self.relevant

    @property
    def sizes(self) -> np.ndarray | int:
        """How many labels of a row are known."""
        return self.relevant.shape[1] if self.known is None else self.known.sum(axis=1)


def blocks(
    truth: Truth, scores: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None, slice]]:
    """Consecutive rows: dense booleans, scores, which entries are known, and which rows."""
    n, q = scores.shape
    for rows in gen_batches(n, max(1, BLOCK // q)):
        part = _dense(truth.Y[rows] > 0)
        known = None if truth.unknown is None else ~_dense(truth.unknown[rows])
        yield part, np.ascontiguousarray(scores[rows]), known, rows


def _dense(part: Any) -> np.ndarray:
    return part.toarray() if sp.issparse(part) else part


def by_label(truth: Truth, scores: np.ndarray) -> tuple[Truth, np.ndarray]:
    """The same with a row for each label; the weights are those of columns then."""
    turned = (
        None if M is None else (M.T.tocsr() if sp.issparse(M) else M.T)
        for M in (truth.Y, truth.unknown)
    )
    return Truth(*turned, truth.weights), scores.T


def each_block(
    truth: Truth,
    scores: np.ndarray,
    ties: TieRule,
    statistic: Callable[[Ranked], np.ndarray],
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """A statistic of ranked rows, computed block by block and joined; `weights` are of columns."""
    parts = [
        statistic(rank_rows(part, s, ties, known, weights))
        for part, s, known, _ in blocks(truth, scores)
    ]
    return np.concatenate(parts)


def rank_rows(
    Y: np.ndarray,
    scores: np.ndarray,
    ties: TieRule,
    known: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> Ranked:
    """Sort each row. Tied labels share their worst rank, or the first or last of them leads."""
    if ties == "first":
        order = np.argsort(-scores, axis=1, kind="stable")
    else:
        order = np.argsort(scores, axis=1, kind="stable")[:, ::-1]
    if known is not None:
        last = np.argsort(~np.take_along_axis(known, order, axis=1), axis=1, kind="stable")
        order = np.take_along_axis(order, last, axis=1)
        known = np.take_along_axis(known, order, axis=1)
    relevant = np.take_along_axis(Y, order, axis=1)
    rank, hits, counted = _positions(relevant, order, known, weights)
    if ties != "worst":
        return Ranked(relevant, rank, hits, known, counted)
    ordered, q = np.take_along_axis(scores, order, axis=1), scores.shape[1]
    parted = ordered[:, :-1] != ordered[:, 1:]
    if known is not None:
        parted |= known[:, :-1] != known[:, 1:]
    ends = np.full(hits.shape, q - 1)
    ends[:, :-1] = np.where(parted, np.arange(q - 1), q - 1)
    last_tied = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    worst = last_tied + 1 if weights is None else np.take_along_axis(rank, last_tied, axis=1)
    return Ranked(relevant, worst, np.take_along_axis(hits, last_tied, axis=1), known, counted)


def _positions(
    relevant: np.ndarray, order: np.ndarray, known: np.ndarray | None, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Ranks and hits of sorted rows, and what each entry counts."""
    if weights is None:
        ranks = np.broadcast_to(np.arange(1, relevant.shape[1] + 1), relevant.shape)
        return ranks, np.cumsum(relevant, axis=1), None
    counted = weights[order] if known is None else weights[order] * known
    return np.cumsum(counted, axis=1), np.cumsum(counted * relevant, axis=1), counted
