"""Cells of a grid: models made of ridge solutions, judged by their scores of held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import rankdata

from colabel._terminal import progress
from colabel.family.ridge import RidgeSolutions
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.held_out import HeldOut
from colabel.tuning.judge import Judge
from colabel.tuning.sweep import Parts

#: Labels whose best F1 is below this are cut at their highest score, as by ThresholdTuner.
FBR = 0.1

#: Memory for scores by penalty that several cells share.
KEPT_BYTES = 2**29

#: The values of each parameter of a grid; its cells are all combinations, the last changing first.
Axes: TypeAlias = dict[str, list[float]]
Cell: TypeAlias = dict[str, float]


@dataclass(frozen=True)
class Model:
    """How a candidate is made of ridge solutions: most of it pays one penalty, a part another."""

    #: The two penalties of a cell, for a number of rows.
    ridges: Callable[[Cell, float], tuple[float, float]]
    #: The combinations of labels that pay the second, from the overlap of the two solutions and the
    #: number of labels that vary. None where the two are the same.
    own: Callable[[np.ndarray, int], np.ndarray] | None = None
    #: What labels are multiplied with to be combined, where they do not count the same.
    scale: np.ndarray | None = None
    #: Whether penalties stand beside a loss that is divided by the number of rows.
    per_row: bool = False
    #: With the last parameter of the axes at a value: values of the first whose ridges are those of
    #: other values of the last, and so cost nothing.
    beside: Callable[[list[float], float], list[float]] | None = None

    def blend(self, part: HeldOut, ridges: tuple[float, float], scores: Any) -> np.ndarray:
        """Scores by the first ridge, but for the combinations of labels that pay the second.

        `scores` gives those of one ridge.
        """
        assert self.own is not None  # where there are two
        scale, overlap = self.scale, part.overlap(*ridges)
        if scale is not None:
            overlap = overlap * np.outer(scale, scale)
        own = self.own(overlap, int(part.targets.varying.sum()))
        left, right = (own, own) if scale is None else (own * scale[:, None], own / scale[:, None])
        most, other = map(scores, ridges)
        left, right = left.astype(most.dtype), right.astype(most.dtype)
        blend = ((other @ left) - (most @ left)) @ right.T
        blend += most
        return blend

    def rescale(self, cell: Cell, share: float) -> Cell:
        """What is the same penalty beside the loss of all rows, when found on a share of them."""
        return {name: value * share for name, value in cell.items()} if self.per_row else cell


@dataclass(frozen=True)
class Judged:
    """Held-out rows: their labels, the part that each is judged in, and what each counts."""

    truth: np.ndarray
    part: np.ndarray
    weights: np.ndarray | None = None
    #: Which labels of a row are known; None: all.
    known: np.ndarray | None = None

    def parts(self) -> Parts:
        """The same, as scores are cut."""
        truth, count = np.ascontiguousarray(self.truth.T), int(self.part.max()) + 1
        known = None if self.known is None else np.ascontiguousarray(self.known.T)
        return Parts(truth, self.part, count, self.weights, known)


class Search:
    """How to judge what is tried: on held-out rows, in parts whose thresholds the others find."""

    def __init__(
        self,
        model: Model,
        judge: Judge,
        thresholds: str | None,
        held_out: list[HeldOut],
        judged: Judged,
        *,
        verbose: bool,
    ) -> None:
        self.model, self.judge, self.held_out, self.verbose = model, judge, held_out, verbose
        self.truth, self.weights, self.known = judged.truth, judged.weights, judged.known
        self.thresholds = thresholds
        self.parts = judged.parts()
        self._kept: dict[tuple[int, float], np.ndarray] = {}

    def on(self, held_out: HeldOut) -> Search:
        """The same judge of the same rows, by other models."""
        other = copy(self)
        other.held_out, other._kept = [held_out], {}
        return other

    def judge_all(self, cells: list[Cell]) -> np.ndarray:
        """How good the cells are, parts × cells."""
        for part in self.held_out:
            part.prepare([b for cell in cells for b in self.model.ridges(cell, part.n)])
        # cells that share their first penalty one after the other
        order = sorted(range(len(cells)), key=lambda i: self.model.ridges(cells[i], 1)[0])
        if self.model.own is None:
            for part in self.held_out:
                part.expect([self.model.ridges(cells[i], part.n)[0] for i in order])
        bar = progress(order, total=len(order), description="trying the grid", enabled=self.verbose)
        judged = np.empty((self.parts.count, len(cells)))
        for i in bar:
            judged[:, i] = self._judge(cells[i])
        self._kept.clear()
        return judged

    def scores(self, cell: Cell, *, level: bool = True, of_known: bool = True) -> np.ndarray:
        """Scores of all held-out rows, one part below the other; with `level`, of one intercept.

        To be judged they are NaN where the label is not known; without `of_known` they are not.
        """
        found = [self._scores(i, cell) for i in range(len(self.held_out))]
        if level:
            for scores, part in zip(found, self.held_out, strict=True):
                part.put_on_level(scores)
        scores = found[0] if len(found) == 1 else np.vstack(found)
        if self.known is None or not of_known:
            return scores
        return np.where(self.known, scores, np.nan)

    def _scores(self, i: int, cell: Cell) -> np.ndarray:
        part = self.held_out[i]
        b, c = self.model.ridges(cell, part.n)
        if self.model.own is None or b == c:
            return part.scores(b)
        return self.model.blend(part, (b, c), partial(self._ridge_scores, i))

    def _ridge_scores(self, i: int, b: float) -> np.ndarray:
        """Scores that several cells are made of, the last ones kept for the next."""
        found = self._kept.pop((i, b), None)
        if found is None:
            found = self.held_out[i].scores(b)
            room = max(2, KEPT_BYTES // (found.nbytes * len(self.held_out)))
            for old in list(self._kept)[: len(self._kept) + 1 - room * len(self.held_out)]:
                del self._kept[old]
        self._kept[i, b] = found
        return found

    def solve(
        self, data: CentredData, targets: Similarity, ridges: list[float]
    ) -> tuple[RidgeSolutions, str]:
        """Ridge solutions of all rows, from what the search has factored if it has."""
        return self.held_out[0].solve_all(data, targets, ridges)

    def _own_scores(self, part: HeldOut, cell: Cell) -> np.ndarray:
        b, c = self.model.ridges(cell, part.n)
        if self.model.own is None or b == c:
            return part.own_scores(b)
        return self.model.blend(part, (b, c), part.own_scores)

    def _judge(self, cell: Cell) -> list[float]:
        scores = self.scores(cell)
        if self.thresholds == "out-of-fold" and self.parts.count > 1:
            return self.judge.of_other_parts(self.truth, scores, self.parts, FBR)
        return self.judge.of_parts(self.truth, scores, self._other_cuts(cell), self.parts)

    def _other_cuts(self, cell: Cell) -> np.ndarray:
        """0 for every part and label; or by the rows that the models are fitted on."""
        cuts = np.zeros((self.parts.count, self.truth.shape[1]))
        if self.thresholds is not None:
            for i, part in enumerate(self.held_out):
                scores, targets = self._own_scores(part, cell), part.targets
                own = per_label_thresholds(scores, targets.Y, "f1", FBR, targets.weights)
                cuts[slice(None) if len(self.held_out) == 1 else i] = own
        return cuts


def search_results(cells: list[Cell], scores: np.ndarray) -> dict[str, Any]:
    """`cv_results_` from scores, folds × cells, with the keys that scikit-learn's searches have.

    A fold with nothing to measure is NaN, and does not count.
    """
    counted = scores[~np.isnan(scores).any(axis=1)]
    mean = counted.mean(axis=0) if len(counted) else np.full(len(cells), np.nan)
    return {
        **{f"param_{name}": np.array([cell[name] for cell in cells]) for name in cells[0]},
        "params": cells,
        **{f"split{i}_test_score": row for i, row in enumerate(scores)},
        "mean_test_score": mean,
        "std_test_score": counted.std(axis=0) if len(counted) else mean,
        "rank_test_score": rankdata(-mean, method="min", nan_policy="omit"),
    }


def cells_of(axes: Axes) -> list[Cell]:
    """All combinations of the values."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
