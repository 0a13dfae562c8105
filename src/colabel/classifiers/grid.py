"""A whole grid of ridge-like models cross-validated on one factorisation a fold.

Every model is made of ridge solutions (X̄ᵀX̄ + bI)⁻¹F. In the coordinates of X̄ = UΣVᵀ they are
divisions by Σ² + b, so that a fold costs one factorisation, and all of its models are applied side
by side in one product. Where X is too large to factor, one Krylov space a fold serves all b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from itertools import product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from colabel._progress import progress
from colabel._validation import (
    Indicator,
    StrOptions,
    _fit_context,
    as_data,
    as_folds,
    as_labels,
    dense_labels,
)
from colabel.algebra import cost
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.least_squares import ridge_solutions_without_svd
from colabel.algebra.matrix import DataMatrix
from colabel.algebra.similarity import linear
from colabel.classifiers.edges import STEPS, open_ends, warn_of_ends
from colabel.classifiers.judging import Judge
from colabel.classifiers.thresholds import per_label_thresholds

#: Scores held at a time, in numbers.
BLOCK = 2**24

#: Memory for the ridges that share a Krylov space, and the residual to which they are solved.
SHIFT_BYTES, TOLERANCE = 2**30, 1e-8

#: Labels whose best F1 is below this are cut at their highest score, as by ThresholdTuner.
FBR = 0.1

Cell = dict[str, float]
#: The values of each parameter of a grid; its cells are all combinations, the last changing first.
Axes = dict[str, list[float]]


@dataclass(frozen=True)
class Model:
    """Coefficients from ridge solutions.

    Attributes
    ----------
    ridges : callable
        Which b a cell needs, for a number of rows.
    combined : callable
        Its coefficients from those solutions (each with q columns) and the number of rows.
    """

    ridges: Callable[[Cell, int], list[float]]
    combined: Callable[[list[np.ndarray], int], np.ndarray]


@dataclass(frozen=True)
class Fold:
    """Training rows with their labels, and held-out rows with theirs."""

    fitted: FactoredMatrix
    Y: np.ndarray
    held_out: DataMatrix
    truth: np.ndarray

    @staticmethod
    def of(data: FactoredMatrix, Y: Any, train: np.ndarray, test: np.ndarray) -> Fold:
        """Some rows factored, where they are not too many for it, others held out."""
        rows = (dense_labels(Y[train]), data[test].core, dense_labels(Y[test]))
        fitted = data[train]
        if min(fitted.core.shape) > cost.DIRECT_LIMIT:
            return IteratedFold(fitted, *rows, {})
        fitted.svd  # noqa: B018  now, so that folds can be factored side by side
        return Fold(fitted, *rows)

    @cached_property
    def varying(self) -> np.ndarray:
        """Which labels are learned; a label that all training rows have, or none, is constant."""
        return (self.Y[0] != self.Y).any(axis=0)

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Be ready for these cells."""

    def scores(self, cells: list[Cell], model: Model, *, own: bool = False) -> np.ndarray:
        """Scores of the held-out rows (or of its `own` training rows), all cells side by side."""
        base = np.tile(2.0 * self.Y.mean(axis=0) - 1.0, len(cells))
        if not self.varying.any():
            return np.tile(base, (len(self.Y if own else self.truth), 1))
        # many small eigenproblems: threads would cost more than they bring
        with threadpool_limits(1):
            C = np.hstack([self._spread(part) for part in self._solutions(cells, model)])
        return (self._own_scores(C) if own else self._held_out_scores(C)) + base

    def _solutions(self, cells: list[Cell], model: Model) -> Iterator[np.ndarray]:
        """Coefficients of each cell, of the labels that vary."""
        svd, n = self.fitted.svd, len(self.Y)
        F = 2.0 * svd.s[:, None] * svd.left_transpose_dot(self.Y[:, self.varying])
        for cell in cells:
            ridges = model.ridges(cell, n)
            yield model.combined([F / (svd.s**2 + b)[:, None] for b in ridges], n)

    def _spread(self, C: np.ndarray) -> np.ndarray:
        """Zeros for labels that do not vary, so that their score is constant to the last bit."""
        if self.varying.all():
            return C
        whole = np.zeros((len(C), len(self.varying)))
        whole[:, self.varying] = C
        return whole

    def _own_scores(self, C: np.ndarray) -> np.ndarray:
        svd = self.fitted.svd
        return svd.left_dot(svd.s[:, None] * C)

    def _held_out_scores(self, C: np.ndarray) -> np.ndarray:
        svd = self.fitted.svd
        if C.shape[1] > len(svd.s):
            return self._held_out_coordinates @ C
        return self._project(svd.right_dot(C))

    @cached_property
    def _held_out_coordinates(self) -> np.ndarray:
        """Held-out rows in the coordinates V of the training rows, for many columns of C."""
        return self._project(self.fitted.svd.right_dot(np.eye(len(self.fitted.svd.s))))

    def _project(self, P: np.ndarray) -> np.ndarray:
        return self.held_out.uncentred_dot(P) - self.fitted.core.mean @ P


@dataclass(frozen=True)
class IteratedFold(Fold):
    """A fold too large to factor; `solutions` holds the ridge solutions by their b."""

    solutions: dict[float, np.ndarray]

    def prepare(self, cells: list[Cell], model: Model) -> None:
        """Solve for all ridges that the cells need."""
        wanted = sorted({b for cell in cells for b in model.ridges(cell, len(self.Y))})
        wanted = [b for b in wanted if b not in self.solutions]
        if not self.varying.any():
            return
        targets = linear(self.Y[:, self.varying])
        # several at a time share a Krylov space; each takes two arrays of the size of a solution
        together = max(1, SHIFT_BYTES // (16 * self.fitted.core.shape[1] * targets.rank))
        for start in range(0, len(wanted), together):
            some = wanted[start : start + together]
            found = ridge_solutions_without_svd(self.fitted.core, targets, some, tol=TOLERANCE)
            self.solutions.update(zip(some, found, strict=True))

    def _solutions(self, cells: list[Cell], model: Model) -> Iterator[np.ndarray]:
        self.prepare(cells, model)
        n = len(self.Y)
        for cell in cells:
            yield model.combined([self.solutions[b] for b in model.ridges(cell, n)], n)

    def _own_scores(self, C: np.ndarray) -> np.ndarray:
        return self.fitted.core.dot(C)

    def _held_out_scores(self, C: np.ndarray) -> np.ndarray:
        return self._project(C)


@dataclass(frozen=True)
class Search:
    """How to judge what is tried.

    Attributes
    ----------
    model : Model
    judge : Judge
    thresholds : {"train", "out-of-fold", None}
        Which scores each label's threshold is tuned on: those of the fold's own training rows, or
        those of the held-out rows of all other folds.
    folds : list of Fold
    verbose : bool
    """

    model: Model
    judge: Judge
    thresholds: str | None
    folds: list[Fold]
    verbose: bool

    def scores(self, cells: list[Cell]) -> np.ndarray:
        """Scores of the cells, folds × cells."""
        for fold in self.folds:
            fold.prepare(cells, self.model)
        rows, q = sum(len(fold.Y) for fold in self.folds), self.folds[0].Y.shape[1]
        step = max(1, BLOCK // (rows * q))
        chunks = [cells[i : i + step] for i in range(0, len(cells), step)]
        enabled = self.verbose
        bar = progress(chunks, total=len(chunks), description="trying the grid", enabled=enabled)
        return np.hstack([self._judged(chunk) for chunk in bar])

    def _judged(self, cells: list[Cell]) -> np.ndarray:
        found = [fold.scores(cells, self.model) for fold in self.folds]
        judged = []
        for i, fold in enumerate(self.folds):
            cuts = np.broadcast_to(self._cuts(found, i, cells), found[i].shape[1])
            parts = zip(*(np.split(a, len(cells), axis=-1) for a in (found[i], cuts)), strict=True)
            judged.append([self.judge(fold.truth, part, cut) for part, cut in parts])
        return np.array(judged)

    def _cuts(self, found: list[np.ndarray], i: int, cells: list[Cell]) -> Any:
        if self.thresholds is None:
            return 0.0
        others = [j for j in range(len(self.folds)) if j != i]
        if self.thresholds == "train" or not others:
            scores = self.folds[i].scores(cells, self.model, own=True)
            return per_label_thresholds(scores, self.folds[i].Y, "f1", FBR)
        truth = np.vstack([self.folds[j].truth for j in others])
        scores = np.vstack([found[j] for j in others])
        return per_label_thresholds(scores, truth, "f1", FBR)

    def out_of_fold_thresholds(self, cell: Cell) -> np.ndarray:
        """Thresholds for one cell from the held-out rows of all folds."""
        scores = np.vstack([fold.scores([cell], self.model) for fold in self.folds])
        return per_label_thresholds(scores, np.vstack([f.truth for f in self.folds]), "f1", FBR)


def search_results(cells: list[Cell], scores: np.ndarray) -> dict[str, Any]:
    """`cv_results_` from scores, folds × cells, with the keys that scikit-learn's searches have."""
    mean = scores.mean(axis=0)
    return {
        **{f"param_{name}": np.array([cell[name] for cell in cells]) for name in cells[0]},
        "params": cells,
        **{f"split{i}_test_score": row for i, row in enumerate(scores)},
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=0),
        "rank_test_score": rankdata(-mean, method="min").astype(np.int32),
    }


def cells_of(axes: Axes) -> list[Cell]:
    """All combinations of the values."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


class TunedOnGrid:
    """What the tuned classifiers share: search, fit the best on all rows, tune the thresholds.

    A class with it says what to try in `_candidates`, and fits one candidate in `_solve`. The
    thresholds are taken off the scores, so that labels are predicted above 0 as by every other
    scorer.
    """

    _search_constraints: ClassVar[dict[str, list[Any]]] = {
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "thresholds": [StrOptions({"train", "out-of-fold"}), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    # of the final model: where X is factored already, because folds are its rotations, that is used
    solver = "auto"
    tol = TOLERANCE

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self: Any, X: Any, Y: Any) -> Any:
        """Find the penalties, fit with them on all rows, and tune the thresholds.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1. A 1-D y holds one class a row.

        Returns
        -------
        self
        """
        data = as_data(self, X)
        labels = as_labels(self, Y, data)
        labels.warn_of_constant()
        axes, model = self._candidates(data, labels)
        judge = Judge.of(self.scoring, labels)
        thresholds = None if judge.one_each else self.thresholds
        folds = list(self._folds(data, labels.learned))
        search = Search(model, judge, thresholds, folds, bool(self.verbose))
        cells, scores = self._tried(search, axes)
        self.cv_results_ = search_results(cells, scores)
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        for name, value in cells[best].items():
            setattr(self, f"{name}_", value)
        warn_of_ends(_ends(cells, scores), stacklevel=3)
        self._keep(self._solve(data, labels, **cells[best]), data, labels)
        self._cut_at(self._tuned(search, cells[best], X, labels).astype(data.dtype))
        self.thresholds_ = self._cuts
        return self

    def _tried(self: Any, search: Search, axes: Axes) -> tuple[list[Cell], np.ndarray]:
        """The cells of the grid and their scores, folds × cells.

        Where the best lies at the end of a default grid, the grid goes on for some steps.
        """
        cells = cells_of(axes)
        scores = search.scores(cells)
        for _ in range(STEPS):
            ends = [end for end in _ends(cells, scores) if self._has_default_values(end.name)]
            if not ends:
                break
            known = {
                tuple(cell.values()): column for cell, column in zip(cells, scores.T, strict=True)
            }
            for end in ends:
                axes = {**axes, end.name: sorted([*axes[end.name], end.wider])}
            cells = cells_of(axes)
            new = [cell for cell in cells if tuple(cell.values()) not in known]
            columns = zip(new, search.scores(new).T, strict=True)
            known |= {tuple(cell.values()): column for cell, column in columns}
            scores = np.column_stack([known[tuple(cell.values())] for cell in cells])
        return cells, scores

    def _has_default_values(self, name: str) -> bool:
        parameter = signature(type(self)).parameters.get(f"{name}s")
        return parameter is not None and np.array_equal(
            getattr(self, f"{name}s"), parameter.default
        )

    def _folds(self: Any, data: FactoredMatrix, labels: Indicator) -> Iterator[Fold]:
        splits = as_folds(self.cv, data, labels, self.random_state)
        if data.core.is_wide and min(data.core.shape) <= cost.DIRECT_LIMIT:
            data.svd  # noqa: B018  once, before the folds that are its rotations
        jobs = (delayed(Fold.of)(data, labels.matrix, *split) for split in splits)
        folds = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(jobs)
        return progress(
            folds, total=len(splits), description="factoring folds", enabled=bool(self.verbose)
        )

    def _tuned(self: Any, search: Search, cell: Cell, X: Any, labels: Indicator) -> np.ndarray:
        """Zeros without tuning, where the highest score decides, and for constant labels."""
        tuned = np.zeros(len(labels.names))
        if search.thresholds is None or not labels.varying.any():
            return tuned
        if search.thresholds == "train":
            # as predictions compute them, for ties to stay ties
            scores = self._matrix_of_scores(X)[:, labels.varying]
            Y = dense_labels(labels.learned.matrix)
            tuned[labels.varying] = per_label_thresholds(scores, Y, "f1", FBR)
        else:
            tuned[labels.varying] = search.out_of_fold_thresholds(cell)
        return tuned


def _ends(cells: list[Cell], scores: np.ndarray) -> list[Any]:
    return open_ends(cells, scores.mean(axis=0), lambda name: (0.0, np.inf))
