"""A whole grid of ridge-like models cross-validated on one factorisation a fold."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata

from colabel._bases import LinearScorer
from colabel._labels import Indicator, Labels, as_labels, dense_labels
from colabel._parameters import Folds, FoldSeed, Scoring, Verbose
from colabel._rows import Rows, as_data
from colabel._sklearn import fit_context
from colabel._terminal import progress
from colabel.linalg import cost
from colabel.linalg.data import CentredData
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.edges import STEPS, End, open_ends, warn_of_ends
from colabel.tuning.folds import as_folds
from colabel.tuning.held_out import TOLERANCE, Cell, Fold, Model
from colabel.tuning.judge import Judge

#: Scores held at a time, in numbers.
BLOCK = 2**24

#: Labels whose best F1 is below this are cut at their highest score, as by ThresholdTuner.
FBR = 0.1

#: The values of each parameter of a grid; its cells are all combinations, the last changing first.
Axes: TypeAlias = dict[str, list[float]]


@dataclass(frozen=True)
class Search:
    """How to judge what is tried."""

    model: Model
    judge: Judge
    #: Which scores each label's threshold is tuned on: those of the fold's own training rows, or
    #: those of the held-out rows of all other folds.
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


class TunedOnGrid(LinearScorer):
    """What the tuned classifiers share: search, fit the best on all rows, tune the thresholds.

    A class with it says what to try in `_candidates`, and fits one candidate in `_solve`. The
    thresholds are taken off the scores, so that labels are predicted above 0 as by every other
    scorer.

    Parameters
    ----------
    thresholds
        Whether each label's threshold is tuned for F1, and on which scores: those of the held-out
        rows of the other folds, and of all folds for the final model; or those of the training
        rows, as the papers do. None cuts at 0.
    n_jobs
        Folds at a time, in threads.

    Attributes
    ----------
    best_score_ : float
        Of the best candidate, its mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a fold fits all candidates at once.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide, and off the intercepts; zeros
        without tuning.
    solver_ : str
        The solver of the final model.
    """

    cv: Folds = 5
    scoring: Scoring = "f1_macro"
    thresholds: Literal["out-of-fold", "train"] | None = "out-of-fold"
    n_jobs: int | None = None
    verbose: Verbose = True
    random_state: FoldSeed = None

    @abstractmethod
    def _candidates(self, data: CentredData, labels: Indicator) -> tuple[Axes, Model]:
        """What to try, and how a candidate is made of ridge solutions."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Labels) -> Self:
        """Find the penalties, fit with them on all rows, and tune the thresholds."""
        data = as_data(self, X)
        labels = as_labels(self, y, data)
        labels.warn_of_constant()
        self._keep(self.coefficients(data, labels), data, labels)
        search, best = self.__dict__.pop("_searched")
        self._cut_at(self._tuned(search, best, X, labels).astype(data.dtype))
        self.thresholds_ = self._cuts
        return self

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        axes, model = self._candidates(data, labels)
        judge = Judge.of(self.scoring, labels)
        thresholds = None if judge.one_each else self.thresholds
        if data.core.is_wide and min(data.core.shape) <= cost.DIRECT_LIMIT:
            data = data.factorise()  # once, before the folds that are its rotations
        folds = list(self._folds(data, labels.learned))
        search = Search(model, judge, thresholds, folds, bool(self.verbose))
        cells, scores = self._tried(search, axes)
        self.cv_results_ = search_results(cells, scores)
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        for name, value in cells[best].items():
            setattr(self, f"{name}_", value)
        warn_of_ends(_ends(cells, scores), stacklevel=4)
        self._searched = search, cells[best]
        return self._solve(data, labels, **cells[best], solver="auto", tol=TOLERANCE)

    def _tried(self, search: Search, axes: Axes) -> tuple[list[Cell], np.ndarray]:
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

    def _folds(self, data: CentredData, labels: Indicator) -> Iterator[Fold]:
        splits = as_folds(self.cv, data, labels, self.random_state)
        jobs = (delayed(Fold.of)(data, labels.matrix, *split) for split in splits)
        folds = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(jobs)
        return progress(
            folds, total=len(splits), description="factoring folds", enabled=bool(self.verbose)
        )

    def _tuned(self, search: Search, cell: Cell, X: Any, labels: Indicator) -> np.ndarray:
        """Zeros without tuning, where the highest score decides, and for constant labels."""
        tuned = np.zeros(len(labels.names))
        if search.thresholds is None or not labels.varying.any():
            return tuned
        if search.thresholds == "train":
            # as predictions compute them, for ties to stay ties
            scores = self._uncut(X)[:, labels.varying]
            Y = dense_labels(labels.learned.matrix)
            tuned[labels.varying] = per_label_thresholds(scores, Y, "f1", FBR)
        else:
            tuned[labels.varying] = search.out_of_fold_thresholds(cell)
        return tuned


def _ends(cells: list[Cell], scores: np.ndarray) -> list[End]:
    return open_ends(cells, scores.mean(axis=0), lambda name: (0.0, np.inf))
