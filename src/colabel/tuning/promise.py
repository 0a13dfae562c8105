"""Thresholds that keep a promise: conformal risk control (Angelopoulos et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._public import public
from colabel._terminal import brief


@public
@dataclass(frozen=True, eq=False)
class Promise:
    """The scores of the true labels of rows that a model has not seen: all that a promise needs.

    Attributes
    ----------
    scores : ndarray
        Of every true label of every row.
    rows, labels : ndarray of int
        Whose they are.
    n : int
        Rows, those without labels among them: these miss nothing.
    q : int
        Labels.
    ratios : ndarray of shape (n,) or None
        How much likelier each row is among new ones than among these; None: all alike.
    """

    scores: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    n: int
    q: int
    ratios: np.ndarray | None = None

    @staticmethod
    def of(scores: np.ndarray, Y: Any, ratios: np.ndarray | None = None) -> Promise:
        """Of rows with the labels Y."""
        rows, labels = (Y if sp.issparse(Y) else np.asarray(Y)).nonzero()
        return Promise(scores[rows, labels], rows, labels, Y.shape[0], Y.shape[1], ratios)

    @property
    def counts(self) -> np.ndarray:
        """What each row counts, where the new row counts 1: it may be any, the likeliest too."""
        return np.ones(self.n) if self.ratios is None else self.ratios / self.ratios.max()

    def threshold(self, level: float) -> float:
        """The highest t for which sets of labels with scores ≥ t miss a share of at most `level`.

        The largest t with (n R(t) + 1)/(n + 1) ≤ level, R the mean share of a row's labels with
        scores below t. Then E[share] ≤ level for a new row, if all are exchangeable. Where new rows
        are drawn otherwise, n and R are of rows that count as `counts` says (Tibshirani et al.
        2019).
        """
        needed, counts = rows_needed(level), self.counts
        total = float(counts.sum())
        if total < needed * (1 - 1e-12):
            few = f"{self.n} rows"
            few += (
                "" if self.ratios is None else f", by their ratios worth {total:.1f} of the most,"
            )
            raise ValueError(
                f"{few} are too few to promise a recall of {1 - level:g}; {needed} rows "
                "that the classifier has not seen are needed: give more of them, or promise less"
            )
        weights = (counts / np.maximum(np.bincount(self.rows, minlength=self.n), 1))[self.rows]
        return _highest(self.scores, weights, level * (total + 1) - 1.0)

    def label_thresholds(self, level: float, names: Any, *, rare: str = "error") -> np.ndarray:
        """The same for each label by the rows that have it: each is missed in a share ≤ `level`.

        Labels that too few rows have are refused, or put into every set (`rare="include"`).
        """
        each, needed = self.counts[self.rows], rows_needed(level)
        counts = np.bincount(self.labels, each, minlength=self.q)
        few = counts < needed * (1 - 1e-12)
        if few.any() and rare == "error":
            raise ValueError(
                f"{np.count_nonzero(few)} of {self.q} labels have fewer than the {needed} rows "
                f"that a recall of {1 - level:g} for each label needs: "
                f"{brief([f'{names[i]} ({counts[i]:.4g})' for i in np.flatnonzero(few)])}. Give "
                "more rows, promise less, or set rare='include' to put such labels into every set"
            )
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(self.q + 1))
        found = np.full(self.q, -np.inf)
        for label in np.flatnonzero(~few):
            own = order[ends[label] : ends[label + 1]]
            budget = level * (counts[label] + 1) - 1.0
            found[label] = _highest(self.scores[own], each[own], budget)
        return found


def rows_needed(level: float) -> int:
    """The fewest rows n with 1/(n + 1) ≤ level."""
    return ceil(1.0 / level - 1.0 - 1e-9)


def _highest(scores: np.ndarray, weights: np.ndarray, budget: float) -> float:
    """The highest t with at most `budget` of the weights at scores below it; ∞ if all may be."""
    order = np.argsort(scores)
    below = np.cumsum(weights[order])
    # rounding may not turn what is just allowed into what is not
    beyond = np.flatnonzero(below > budget * (1 + 1e-12) + 1e-12)
    return float(scores[order[beyond[0]]]) if len(beyond) else np.inf
