"""Where to cut held-out scores, for every part of the rows by the others, from one sort a label.

Folds judge each other: the threshold of a label that is applied to one part of the rows is the best
one of all other parts. One descending walk over the sorted scores keeps the counts of every part,
and those of the others are what is left of the total. So that a plain sort is enough, whether a row
has the label, and the part it is in, travel in the lowest bits of its score: float32 has room for
them, and of a float64 they replace what rounding has made of it anyway.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from colabel._cuts import best_cuts
from colabel.linalg import products

#: Scores that are sorted at a time, in numbers.
BLOCK = 2**22
#: Rows that are transposed at a time, so that they stay in the cache.
TILE = 512
#: Scores from which on the compiled loop is used.
COMPILED_FROM = 500_000


@dataclass(frozen=True)
class PartCuts:
    """For each label and part: the best cut of the other parts, and what it keeps of this one."""

    cuts: np.ndarray
    #: How many rows of the part are above the cut, and how many of them have the label.
    kept: np.ndarray
    hits: np.ndarray


@dataclass(frozen=True)
class Parts:
    """Labels of rows, which are divided into parts."""

    #: Labels × rows.
    truth: np.ndarray
    #: Of each row, the number of its part.
    part: np.ndarray
    count: int
    #: What each row counts; None where all count the same.
    weights: np.ndarray | None = None
    #: Which labels are known, labels × rows; None: all. Scores of others are NaN.
    known: np.ndarray | None = None

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many rows each part has; where some are unknown, parts × labels."""
        if self.known is not None:
            return self._count(self.known.T).T
        return np.bincount(self.part, self.weights, minlength=self.count)

    @cached_property
    def positives(self) -> np.ndarray:
        """How many of them have a label, labels × parts."""
        return self._count(self.truth.T)

    def count_above(self, scores: np.ndarray, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of scores (rows × labels) above the cuts of their part: those with the label, and all."""
        above = scores > cuts[self.part]
        return self._count(above & self.truth.T), self._count(above)

    def _count(self, chosen: np.ndarray) -> np.ndarray:
        rows = [np.flatnonzero(self.part == k) for k in range(self.count)]
        if self.weights is None:
            return np.stack([chosen[some].sum(axis=0) for some in rows], axis=1)
        return np.stack([self.weights[some] @ chosen[some] for some in rows], axis=1)

    @property
    def mask(self) -> int:
        """The lowest bits, which hold label and part."""
        return 2 ** (1 + max(1, (self.count - 1).bit_length())) - 1

    def round(self, scores: np.ndarray) -> np.ndarray:
        """Scores as they are sorted: without the lowest bits."""
        rounded = scores.astype(np.float64)
        bits = rounded.view(np.int64)
        bits &= ~self.mask
        return rounded

    def cut(self, scores: np.ndarray, fbr: float) -> PartCuts:
        """Cut the scores (labels × rows) of each part where F1 is the best of the others.

        A label whose best F1 is below `fbr` is cut at the highest score of the others.
        """
        if self.weights is not None or self.known is not None:
            return self._cut_by_entries(self.round(scores.T), fbr)
        shape = (len(scores), self.count)
        found = PartCuts(np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.int64))
        step = max(1, BLOCK // scores.shape[1])
        cuts = products.even_cuts(
            len(scores), max(-(-len(scores) // step), products.thread_count())
        )
        products.in_threads(lambda a, b: self._cut(scores, fbr, found, a, b), cuts)
        return found

    def _cut_by_entries(self, scores: np.ndarray, fbr: float) -> PartCuts:
        """The same where rows count differently, or labels are unknown: a sort for each part."""
        truth, cuts = self.truth.T, []
        for k in range(self.count):
            others = np.flatnonzero(self.part != k)
            weights = None if self.weights is None else self.weights[others]
            found, best = best_cuts(scores[others], truth[others], "f1", weights)
            highest = np.fmax.reduce(scores[others], axis=0)
            cuts.append(np.where((best <= 0) | (best < fbr), highest, found))
        hits, kept = self.count_above(scores, np.array(cuts))
        return PartCuts(np.transpose(cuts), kept, hits)

    def _cut(self, scores: np.ndarray, fbr: float, found: PartCuts, a: int, b: int) -> None:
        compiled = _compiled() if scores.size >= COMPILED_FROM else None
        packed = self._pack(scores[a:b], self._codes[a:b])
        bits = packed.view(np.int64)
        if compiled is None:
            packed.sort(axis=1)
        else:
            compiled.sort(bits, np.uint64(self.mask))
        codes = (bits & self.mask).astype(np.int32)
        bits &= ~self.mask
        run = sweep if compiled is None else compiled.sweep
        run(packed, codes, self.count, fbr, found.cuts[a:b], found.hits[a:b], found.kept[a:b])

    @cached_property
    def _codes(self) -> np.ndarray:
        """Twice the part, plus the label."""
        return (self.part << 1).astype(np.uint8 if self.count < 2**7 else np.int32) | self.truth

    def _pack(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        packed = np.empty(scores.shape)
        for start in range(0, scores.shape[1], TILE):  # the scores are transposed
            rows = slice(start, start + TILE)
            packed[:, rows] = scores[:, rows]
        packed += 0.0  # of the two zeros, one
        bits = packed.view(np.int64)
        bits &= ~self.mask
        bits |= codes
        return packed


@cache
def _compiled() -> Any:
    """The compiled loop, or None without a numba that works here."""
    try:
        from colabel.tuning import compiled_sweep
    except (ImportError, RuntimeError):
        return None
    return compiled_sweep


def sweep(
    ascending: np.ndarray,
    codes: np.ndarray,
    parts: int,
    fbr: float,
    cuts: np.ndarray,
    hits: np.ndarray,
    kept: np.ndarray,
) -> None:
    """Fill `cuts`, `hits` and `kept` from sorted scores; codes are twice the part, plus label."""
    scores, label, part = ascending[:, ::-1], codes[:, ::-1] & 1, codes[:, ::-1] >> 1
    ends = np.ones(scores.shape, bool)  # no cut parts equal scores
    np.not_equal(scores[:, :-1], scores[:, 1:], out=ends[:, :-1])
    places, rows = np.arange(scores.shape[1]), np.arange(len(scores))
    for k in range(parts):
        others = part != k
        hit = np.cumsum(label * others, axis=1)
        f1 = 2.0 * hit / np.maximum(hit[:, -1:] + np.cumsum(others, axis=1), 1)
        f1[~ends] = 0.0
        best = np.argmax(f1, axis=1)
        none = (f1[rows, best] <= 0) | (f1[rows, best] < fbr)
        best = np.where(none, -1, best)
        # the last of the others that is kept, and the first that is not
        above = np.where(others & (places <= best[:, None]), places, 0).max(axis=1)
        below = np.where(others & (places > best[:, None]), places, len(places)).min(axis=1)
        all_kept = below == len(places)
        low, high = scores[rows, np.where(all_kept, 0, below)], scores[rows, above]
        middle = high / 2 + low / 2
        cut = np.where(middle < high, middle, low)
        cut = np.where(all_kept, np.nextafter(high, -np.inf), np.where(none, low, cut))
        own = ~others & (scores > cut[:, None])
        cuts[:, k] = cut
        kept[:, k], hits[:, k] = own.sum(axis=1), (own & (label == 1)).sum(axis=1)
