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
    """

    scores: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    n: int
    q: int

    @staticmethod
    def of(scores: np.ndarray, Y: Any) -> Promise:
        """Of rows with the labels Y."""
        rows, labels = (Y if sp.issparse(Y) else np.asarray(Y)).nonzero()
        return Promise(scores[rows, labels], rows, labels, Y.shape[0], Y.shape[1])

    def threshold(self, level: float) -> float:
        """The highest t for which sets of labels with scores ≥ t miss a share of at most `level`.

        The largest t with (n R(t) + 1)/(n + 1) ≤ level, R the mean share of a row's labels with
        scores below t. Then E[share] ≤ level for a new row, if all are exchangeable.
        """
        needed = rows_needed(level)
        if self.n < needed:
            raise ValueError(
                f"{self.n} rows are too few to promise a recall of {1 - level:g}; {needed} rows "
                "that the classifier has not seen are needed: give more of them, or promise less"
            )
        weights = 1.0 / np.bincount(self.rows, minlength=self.n)[self.rows]
        return _highest(self.scores, weights, level * (self.n + 1) - 1.0)

    def label_thresholds(self, level: float, names: Any, *, rare: str = "error") -> np.ndarray:
        """The same for each label by the rows that have it: each is missed in a share ≤ `level`.

        Labels that too few rows have are refused, or put into every set (`rare="include"`).
        """
        counts, needed = np.bincount(self.labels, minlength=self.q), rows_needed(level)
        few = counts < needed
        if few.any() and rare == "error":
            raise ValueError(
                f"{np.count_nonzero(few)} of {self.q} labels have fewer than the {needed} rows "
                f"that a recall of {1 - level:g} for each label needs: "
                f"{brief([f'{names[i]} ({counts[i]})' for i in np.flatnonzero(few)])}. Give more "
                "rows, promise less, or set rare='include' to put such labels into every set"
            )
        order = np.argsort(self.labels, kind="stable")
        parts = np.split(self.scores[order], np.cumsum(counts)[:-1])
        found = np.full(self.q, -np.inf)
        for label in np.flatnonzero(~few):
            part = parts[label]
            found[label] = _highest(part, np.ones(len(part)), level * (len(part) + 1) - 1.0)
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
