"""Runs of the factorisation: from a start to the round where it stops."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from colabel._public import public
from colabel.metrics import average_precision
from colabel.semi_supervised.cnmf.factorisation import (
    FLOOR,
    Factorisation,
    class_similarity,
    update,
)
from colabel.semi_supervised.cnmf.starts import Start, shares, start, unit_shares
from colabel.semi_supervised.graphs import CosineSimilarity, NeighbourGraph, RowSimilarity

Bar = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(frozen=True)
class Setting:
    """What runs on the same rows share, whichever of them are labelled."""

    X: Any
    A: RowSimilarity
    squared_norm: float
    #: How to compare labels, or their similarities.
    B: Any
    C: float
    init: Any
    n_neighbors: int

    def begin(
        self, given: np.ndarray, rows: np.ndarray, rng: np.random.RandomState
    ) -> tuple[Factorisation, Start, np.ndarray]:
        """The problem with the labels of `rows`, its start, and the confidences there.

        Labels are NaN where they are unknown; such confidences start as those of unlabelled rows.
        """
        Y, unknown = np.nan_to_num(given), np.isnan(given)
        B = class_similarity(Y, self.B) if isinstance(self.B, str) else self.B
        known, free = unit_shares(Y), unknown if unknown.any() else None
        A, squared = self.A, self.squared_norm
        problem = Factorisation(A, B.astype(Y.dtype), self.C, rows, known, squared, free)
        begin = start(self.init, self.X, given, rows, self._ground, self.n_neighbors, rng)
        P = begin.fit(self.X).astype(Y.dtype)
        started = np.where(unknown, unit_shares(P[rows]), 0.0)
        P[rows] = started + known * (1.0 - started.sum(axis=1, keepdims=True))
        return problem, begin, shares(P, Y.sum(axis=0))

    @cached_property
    def connected(self) -> np.ndarray:
        """Whether a row is similar to any, as a column; one that is not has T = 0."""
        return self.A.degrees[:, None] > 0

    @cached_property
    def _ground(self) -> RowSimilarity:
        """What labels spread over at the start: A, or a neighbour graph, made once."""
        wants_graph = isinstance(self.init, str) and self.init == "knn-propagation"
        if wants_graph and isinstance(self.A, CosineSimilarity):
            return NeighbourGraph(self.X, self.n_neighbors, "knn")
        return self.A


@public
@dataclass(frozen=True)
class Extension:
    """Confidences of new rows: as many updates as the fit took, with all but their T fixed."""

    begin: Start
    #: How many labelled rows have each label.
    counts: np.ndarray
    #: What the start was multiplied by.
    scale: float
    A: RowSimilarity
    #: TB, as A carries it to new rows.
    carried: np.ndarray
    #: BTᵀTB.
    BGB: np.ndarray
    C: float
    n_iter: int

    def of(self, X: Any) -> np.ndarray:
        """T̂ of new rows; of a row that is similar to none, its start."""
        P = shares(self.begin.new(X).astype(X.dtype), self.counts)
        V = self.A.collect(X, self.carried)
        T = self.scale * P
        for _ in range(self.n_iter):
            T = np.maximum(update(T, T @ self.BGB, V, self.C, T), FLOOR * self.scale)
        return np.where(V.any(axis=1, keepdims=True), T / T.sum(axis=1, keepdims=True), P)


def descend(
    problem: Factorisation, T: np.ndarray, max_iter: int, tol: float, bar: Bar
) -> tuple[np.ndarray, np.ndarray, bool]:
    """T after at most `max_iter` rounds, the objectives, and whether they changed less than tol."""
    objectives: list[float] = []
    for T, objective in bar(islice(problem.rounds(T), max_iter + 1), max_iter + 1):  # noqa: B020
        objectives.append(objective)
        if len(objectives) > 1 and objectives[-2] - objective <= tol * objectives[-2]:
            return T, np.array(objectives), True
    return T, np.array(objectives), False


@dataclass(frozen=True)
class HiddenRun:
    """A run without the labels of some rows, which it is to rank."""

    problem: Factorisation
    #: Where it starts.
    T: np.ndarray
    #: The hidden rows that have labels.
    rows: np.ndarray
    #: Their labels.
    Y: np.ndarray
    #: Hidden rows without labels, in which there is nothing to rank.
    others: np.ndarray

    @property
    def hidden(self) -> np.ndarray:
        """Both."""
        return np.r_[self.rows, self.others]


def ranking_of_hidden(
    runs: list[HiddenRun], max_iter: int, patience: int, bar: Bar
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Average precision of the hidden rows of all runs, at the start and after each round.

    The runs go on side by side until it was no better for `patience` rounds. With it, T̂ of the
    hidden rows of each where it was best.
    """
    together = zip(*(run.problem.rounds(run.T) for run in runs), strict=True)
    sizes = [len(run.rows) for run in runs]
    scores: list[float] = []
    for states in bar(islice(together, max_iter + 1), max_iter + 1):
        of_runs = [
            average_precision(run.Y, T[run.rows]) for run, (T, _) in zip(runs, states, strict=True)
        ]
        scores.append(float(np.average(of_runs, weights=sizes)))
        if np.argmax(scores) == len(scores) - 1:
            best = [
                run.problem.normalise(T)[run.hidden]
                for run, (T, _) in zip(runs, states, strict=True)
            ]
        if len(scores) - 1 - int(np.argmax(scores)) >= patience:
            break
    return np.array(scores), best


def threshold_for(scores: np.ndarray, per_row: float) -> float:
    """The threshold that a row's scores exceed `per_row` times on average."""
    ordered = np.sort(scores, axis=None)[::-1]
    wanted = min(max(round(per_row * len(scores)), 1), len(ordered))
    after = ordered[wanted] if wanted < len(ordered) else 0.0
    return float(ordered[wanted - 1] + after) / 2.0
