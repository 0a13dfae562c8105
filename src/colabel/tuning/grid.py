"""A whole grid of ridge-like models judged on held-out scores, which one factorisation gives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from inspect import signature
from itertools import product
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.stats import rankdata

from colabel._bases import LinearScorer
from colabel._labels import Indicator, Labels, as_labels, dense_labels
from colabel._parameters import Folds, FoldSeed, Scoring, Verbose
from colabel._rows import Rows, as_data
from colabel._sklearn import fit_context
from colabel._terminal import progress, watch_iterations
from colabel.family.ridge import RidgeSolutions
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.edges import STEPS, End, open_ends, warn_of_ends
from colabel.tuning.engine import hold_out, random_parts
from colabel.tuning.folds import as_folds
from colabel.tuning.held_out import HeldOut
from colabel.tuning.judge import Judge
from colabel.tuning.path import Path
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
    ridges: Callable[[Cell, int], tuple[float, float]]
    #: The combinations of labels that pay the second, from the overlap of the two solutions and the
    #: number of labels that vary. None where the two are the same.
    own: Callable[[np.ndarray, int], np.ndarray] | None = None
    #: Whether penalties stand beside a loss that is divided by the number of rows.
    per_row: bool = False
    #: With the last parameter of the axes at a value: values of the first whose ridges are those of
    #: other values of the last, and so cost nothing.
    beside: Callable[[list[float], float], list[float]] | None = None

    def rescale(self, cell: Cell, share: float) -> Cell:
        """What is the same penalty beside the loss of all rows, when found on a share of them."""
        return {name: value * share for name, value in cell.items()} if self.per_row else cell


class Search:
    """How to judge what is tried: on held-out rows, in parts whose thresholds the others find."""

    def __init__(
        self,
        model: Model,
        judge: Judge,
        thresholds: str | None,
        held_out: list[HeldOut],
        truth: np.ndarray,
        part: np.ndarray,
        *,
        verbose: bool,
    ) -> None:
        self.model, self.judge, self.held_out, self.verbose = model, judge, held_out, verbose
        self.truth = truth
        self.thresholds = thresholds
        self.parts = Parts(np.ascontiguousarray(truth.T), part, int(part.max()) + 1)
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
        bar = progress(order, total=len(order), description="trying the grid", enabled=self.verbose)
        judged = np.empty((self.parts.count, len(cells)))
        for i in bar:
            judged[:, i] = self._judge(cells[i])
        self._kept.clear()
        return judged

    def scores(self, cell: Cell, *, level: bool = True) -> np.ndarray:
        """Scores of all held-out rows, one part below the other, by models of one intercept."""
        found = [self._scores(i, cell) for i in range(len(self.held_out))]
        if level:
            found = [
                scores + part.level if np.any(part.level) else scores
                for scores, part in zip(found, self.held_out, strict=True)
            ]
        return found[0] if len(found) == 1 else np.vstack(found)

    def _scores(self, i: int, cell: Cell) -> np.ndarray:
        part = self.held_out[i]
        b, c = self.model.ridges(cell, part.n)
        if self.model.own is None or b == c:
            return part.scores(b)
        own = self.model.own(part.overlap(b, c), int(part.targets.varying.sum()))
        return _blend(self._ridge_scores(i, b), self._ridge_scores(i, c), own)

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
        own = self.model.own(part.overlap(b, c), int(part.targets.varying.sum()))
        return _blend(part.own_scores(b), part.own_scores(c), own)

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
                own = per_label_thresholds(self._own_scores(part, cell), part.targets.Y, "f1", FBR)
                cuts[slice(None) if len(self.held_out) == 1 else i] = own
        return cuts

    def held_out_thresholds(self, cell: Cell) -> np.ndarray:
        """Thresholds for one cell from all held-out rows."""
        return per_label_thresholds(self.scores(cell), self.truth, "f1", FBR)


def _blend(most: np.ndarray, other: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The scores `most`, but for the combinations of labels `own`, in which they are `other`."""
    own = own.astype(most.dtype)
    blend = ((other @ own) - (most @ own)) @ own.T
    blend += most
    return blend


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
    cv
        Which rows a candidate is judged on: "loo" leaves out each row by itself, in closed form,
        for the price of one factorisation; an int makes that many shuffled folds, and so on. Where
        X is too large to factor, "loo" holds out a fifth of the rows, at most 20,000, for penalties
        and thresholds both: penalties are tried one after the other, the strongest first, until the
        next is worse, by models of the other rows, at most 40,000; thresholds come from the best of
        them fitted on all other rows. Such candidates are solved to a relative residual of 1e-3,
        and the final model to 1e-5, which moves its scores in the fourth digit at most.
    thresholds
        Whether each label's threshold is tuned for F1, and on which scores: those of held-out rows
        (in judging, of those in other parts than the row itself: the folds, or five random parts);
        or those of the training rows, as the papers do. None cuts at 0.
    n_jobs
        Folds at a time, in threads.
    keep_scores
        Whether to keep `held_out_scores_`.

    Attributes
    ----------
    tuned_on_ : str
        Which rows were held out, in words.
    best_score_ : float
        Of the best candidate, its mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a fold fits all candidates at once.
    held_out_scores_ : ndarray of shape (n, q)
        Only with ``keep_scores=True``. The scores of each row by a model of the best candidate that
        has not seen it; NaN for rows that are never held out.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide, and off the intercepts; zeros
        without tuning.
    solver_ : str
        The solver of the final model.
    """

    cv: Folds | Literal["loo"] = "loo"
    scoring: Scoring = "f1_macro"
    thresholds: Literal["out-of-fold", "train"] | None = "out-of-fold"
    n_jobs: int | None = None
    keep_scores: bool = False
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
        with watch_iterations("solving") if self.verbose else nullcontext():
            U = self.coefficients(data, labels)
        self._keep(U, data, labels)
        del U  # as large as the model
        search, best = self.__dict__.pop("_searched")
        self._cut_at(self._tune(search, best, X, labels).astype(data.dtype))
        self.thresholds_ = self._cuts
        if self.keep_scores:
            self.held_out_scores_ = _spread(search, best, labels)
        return self

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        axes, model = self._candidates(data, labels)
        search = self._search(model, data, labels)
        self.tuned_on_ = _describe(self.cv, search, data.shape[0])
        path, share = search.held_out[0], 1.0
        if isinstance(path, Path) and len(cells_of(axes)) > 1:
            few = path.on_fewer_rows(self.random_state)
            if few is not path:
                self.tuned_on_ += f"; penalties by models of {few.n} others"
            cells, scores = self._walk(search.on(few), few, axes)
            path.begin_at(few)
            share = few.n / path.n
        else:
            cells, scores = self._try_all(search, axes)
        self.cv_results_ = search_results(cells, scores)
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        chosen = model.rescale(cells[best], share)
        for name, value in chosen.items():
            setattr(self, f"{name}_", value)
        warn_of_ends(_ends(cells, scores), stacklevel=4)
        self._searched = search, chosen
        if isinstance(path, Path) and (search.thresholds is not None or self.keep_scores):
            path.prepare(list(model.ridges(chosen, path.n)))  # from which all rows begin
        return self._solve(data, labels, search.solve, **chosen)

    def _search(self, model: Model, data: CentredData, labels: Indicator) -> Search:
        judge = Judge.of(self.scoring, labels)
        learned = labels.learned
        truth = dense_labels(learned.matrix > 0)  # compared first: sparse ones are a byte each then
        splits = None if self.cv == "loo" else as_folds(self.cv, data, learned, self.random_state)
        held_out = hold_out(data, truth, splits, self.random_state, self.n_jobs)
        rows = np.concatenate([part.rows for part in held_out])
        if splits is None:
            part = random_parts(len(rows), self.random_state)
        else:
            part = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
        thresholds = None if judge.one_each else self.thresholds
        return Search(
            model, judge, thresholds, held_out, truth[rows], part, verbose=bool(self.verbose)
        )

    def _try_all(self, search: Search, axes: Axes) -> tuple[list[Cell], np.ndarray]:
        """The cells of the grid and their scores, folds × cells.

        Where the best lies at the end of a default grid, the grid goes on for some steps.
        """
        cells = cells_of(axes)
        scores = search.judge_all(cells)
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
            columns = zip(new, search.judge_all(new).T, strict=True)
            known |= {tuple(cell.values()): column for cell, column in columns}
            scores = np.column_stack([known[tuple(cell.values())] for cell in cells])
        return cells, scores

    def _show_progress(self, steps: list[float], description: str) -> Iterator[float]:
        return progress(
            steps, total=len(steps), description=description, enabled=bool(self.verbose)
        )

    def _walk(self, search: Search, path: Path, axes: Axes) -> tuple[list[Cell], np.ndarray]:
        """As `_try_all`, from strong penalties down, and no further than it pays."""
        *others, last = axes
        least = {name: min(axes[name]) for name in others}
        ridge = {search.model.ridges({**least, last: v}, path.n)[0]: v for v in axes[last]}
        cells: list[Cell] = []
        scores: list[np.ndarray] = []
        ridges = path.worth_trying(list(ridge))
        for b in self._show_progress(ridges, "trying penalties"):
            cells.append({**least, last: ridge[b]})
            scores.append(search.judge_all(cells[-1:])[:, 0])
            means = search_results(cells, np.column_stack(scores))["mean_test_score"]
            if means[-1] < means.max():
                break
        best = cells[int(np.argmax(means))]
        for name in others:
            tried = axes[name]
            if search.model.beside is not None and self._has_default_values(name):
                tried = search.model.beside([cell[last] for cell in cells], best[last])
            new = [{**best, name: value} for value in tried if value != best[name]]
            cells += new
            scores += list(search.judge_all(new).T)
        return cells, np.column_stack(scores)

    def _has_default_values(self, name: str) -> bool:
        parameter = signature(type(self)).parameters.get(f"{name}s")
        return parameter is not None and np.array_equal(
            getattr(self, f"{name}s"), parameter.default
        )

    def _tune(self, search: Search, cell: Cell, X: Any, labels: Indicator) -> np.ndarray:
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
            tuned[labels.varying] = search.held_out_thresholds(cell)
        return tuned


def _spread(search: Search, cell: Cell, labels: Indicator) -> np.ndarray:
    """Held-out scores of all rows and labels: NaN where a row is not held out, ±1 of constants."""
    scores = search.scores(cell, level=False)
    found = np.full(labels.matrix.shape, np.nan, dtype=scores.dtype)
    rows = np.concatenate([part.rows for part in search.held_out])
    kept = labels.varying if scores.shape[1] < found.shape[1] else np.ones(found.shape[1], bool)
    found[rows] = np.where(labels.counts > 0, 1.0, -1.0)
    found[np.ix_(rows, kept)] = scores
    return found


def _describe(cv: Any, search: Search, n: int) -> str:
    if isinstance(search.held_out[0], Path):
        return f"{len(search.truth)} held-out rows of {n}, for penalties and thresholds"
    return f"{n} rows, each left out by itself" if cv == "loo" else f"{len(search.held_out)} folds"


def _ends(cells: list[Cell], scores: np.ndarray) -> list[End]:
    return open_ends(cells, scores.mean(axis=0), lambda name: (0.0, np.inf))
