"""Classifiers whose penalties and thresholds are found on held-out rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import nullcontext
from inspect import signature
from typing import Any, Literal, Self

import numpy as np

from colabel._bases import LinearScorer
from colabel._indicator import Indicator, dense_labels
from colabel._kernels import Kernelised
from colabel._labels import Labels, Observed, as_labels, weigh_rows
from colabel._parameters import Folds, FoldSeed, Scoring, Verbose
from colabel._rows import Rows
from colabel._sklearn import fit_context
from colabel._terminal import progress, watch_iterations
from colabel._weights import SampleWeight
from colabel.linalg.data import CentredData
from colabel.tuning.calibrated import CalibratedLabels
from colabel.tuning.calibration import calibrate_labels
from colabel.tuning.cells import FBR, Axes, Cell, Judged, Model, Search, cells_of, search_results
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.edges import STEPS, End, open_ends, warn_of_ends
from colabel.tuning.engine import hold_out, random_parts
from colabel.tuning.folds import as_folds
from colabel.tuning.judge import Judge
from colabel.tuning.path import Path
from colabel.tuning.routing import Passed, PassesOn, SplitParams, pass_on
from colabel.tuning.widths import Gammas, Searched, Widths


class TunedOnGrid(PassesOn, CalibratedLabels, LinearScorer, Kernelised):
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
        and the final model to 1e-5, which moved scores by less than 2e-4 where it was measured.
        Where products with a dense X in float64 take seconds, candidates are compared by products
        in float32, and held-out scores are exact to about 1e-5 of what leaving out a row changes;
        the model itself is not touched by that.
    thresholds
        Whether each label's threshold is tuned for F1, and on which scores: those of held-out rows
        (in judging, of those in other parts than the row itself: the folds, or five random parts);
        or those of the training rows, as the papers do. None cuts at 0.
    n_jobs
        Folds at a time, in threads.
    keep_scores
        Whether to keep `held_out_scores_`; "level": less what leaving a row out does to the
        intercept, so that rows can be compared, cut and calibrated together.

    Attributes
    ----------
    tuned_on_ : str
        Which rows were held out, in words.
    best_score_ : float
        Of the best candidate, its mean score over the folds.
    cv_results_ : dict
        As scikit-learn's GridSearchCV has it, without times: a fold fits all candidates at once.
    held_out_scores_ : ndarray of shape (n, q)
        Only with `keep_scores`. The scores of each row by a model of the best candidate that has
        not seen it; NaN for rows that are never held out. Where each row is left out by itself, the
        intercept of its model is lower if it has the label: where coefficients are small, that
        alone ranks rows with a label below all others, and "level" takes it out.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide, and off the intercepts; zeros
        without tuning.
    solver_ : str
        The solver of the final model.
    """

    gammas: Gammas = None
    cv: Folds | Literal["loo"] = "loo"
    scoring: Scoring = "f1_macro"
    thresholds: Literal["out-of-fold", "train"] | None = "out-of-fold"
    n_jobs: int | None = None
    keep_scores: bool | Literal["level"] = False
    verbose: Verbose = True
    random_state: FoldSeed = None

    @abstractmethod
    def _candidates(self, data: CentredData, labels: Indicator) -> tuple[Axes, Model]:
        """What to try, and how a candidate is made of ridge solutions."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
        **params: SplitParams,
    ) -> Self:
        """Find the penalties, fit with them on all rows, and tune the thresholds."""
        passed = pass_on(self, params, sample_weight, to_fit=False)
        weights = weigh_rows(self, y, sample_weight)
        widths = Widths(self, X, weights)
        data = widths.first()
        labels = as_labels(self, y, data, weights, observed)
        labels.warn_of_constant()
        with watch_iterations("solving") if self.verbose else nullcontext():
            found = widths.search(data, lambda data: self._try(data, labels, passed))
            del data  # there are others where the width is
            self._tell(widths, found)
            chosen = found.chosen
            U = self._solve(found.data, labels, found.search.solve, **chosen)
        self._keep(U, found.data, labels)
        del U  # as large as the model
        scores = found.search.scores(chosen)
        self._cut_at(self._tune(found.search, scores, X, labels).astype(found.data.dtype))
        self.thresholds_ = np.asarray(self._cuts)
        self.calibration_ = calibrate_labels(
            scores, found.search.truth, labels, self.thresholds_, found.search.weights
        )
        del scores
        if self.keep_scores:
            level = self.keep_scores == "level"
            self.held_out_scores_ = _spread(found.search, chosen, labels, level)
        return self

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        found = self._try(data, labels)
        return self._solve(data, labels, found.search.solve, **found.chosen)

    def _try(self, data: CentredData, labels: Indicator, passed: Passed | None = None) -> Searched:
        """All candidates on some data."""
        axes, model = self._candidates(data, labels)
        search = self._search(model, data, labels, passed or Passed())
        self.tuned_on_ = _describe(self.cv, search, data.shape[0])
        path = search.held_out[0]
        if not isinstance(path, Path) or len(cells_of(axes)) == 1:
            return Searched(data, search, *self._try_all(search, axes))
        few = path.on_fewer_rows(self.random_state)
        if few is not path:
            self.tuned_on_ += f"; penalties by models of {few.n} others"
        cells, scores = self._walk(search.on(few), few, axes)
        path.begin_at(few)
        return Searched(data, search, cells, scores, few.n / path.n)

    def _tell(self, widths: Widths, found: Searched) -> None:
        """Keep what was tried, and what was best."""
        cells, scores = widths.cells, np.column_stack(widths.scores)
        self.cv_results_ = search_results(cells, scores)
        self.best_score_ = found.best_score
        for name, value in found.chosen.items():
            setattr(self, f"{name}_", value)
        warn_of_ends(_ends(cells, scores), stacklevel=4)
        path = found.search.held_out[0]
        if isinstance(path, Path):  # from which all rows begin
            path.prepare(list(found.search.model.ridges(found.chosen, path.n)))

    def _search(self, model: Model, data: CentredData, labels: Indicator, passed: Passed) -> Search:
        judge = Judge.of(self.scoring, labels)
        learned, weights = labels.learned, labels.row_weights
        truth = dense_labels(learned.matrix > 0)  # compared first: sparse ones are a byte each then
        splits = None
        if self.cv != "loo":
            splits = as_folds(self.cv, data, learned, self.random_state, passed.to_split)
        counts = learned.known_weights
        held_out = hold_out(data, truth, splits, self.random_state, self.n_jobs, counts)
        rows = np.concatenate([part.rows for part in held_out])
        if splits is None:
            part = random_parts(len(rows), self.random_state)
        else:
            part = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
        thresholds = None if judge.one_each else self.thresholds
        known = None if counts is None or learned.unknown is None else counts[rows] > 0
        judged = Judged(truth[rows], part, None if weights is None else weights[rows], known)
        return Search(model, judge, thresholds, held_out, judged, verbose=bool(self.verbose))

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

    def _tune(self, search: Search, held_out: Any, X: Any, labels: Indicator) -> np.ndarray:
        """Zeros without tuning, where the highest score decides, and for constant labels."""
        tuned = np.zeros(len(labels.names))
        if search.thresholds is None or not labels.varying.any():
            return tuned
        if search.thresholds == "train":
            # as predictions compute them, for ties to stay ties
            scores = self._uncut(X)[:, labels.varying]
            scores = scores if labels.weights is None else labels.weights.take(scores)
            counts = labels.learned.known_weights
            scores = scores if counts is None else np.where(counts > 0, scores, np.nan)
            Y = dense_labels(labels.learned.matrix)
            tuned[labels.varying] = per_label_thresholds(scores, Y, "f1", FBR, labels.row_weights)
        else:
            cuts = per_label_thresholds(held_out, search.truth, "f1", FBR, search.weights)
            tuned[labels.varying] = cuts
        return tuned


def _spread(search: Search, cell: Cell, labels: Indicator, level: bool) -> np.ndarray:
    """Held-out scores of all rows and labels: NaN where a row is not held out, ±1 of constants."""
    scores = search.scores(cell, level=level, of_known=False)
    found = np.full(labels.matrix.shape, np.nan, dtype=scores.dtype)
    rows = np.concatenate([part.rows for part in search.held_out])
    kept = labels.varying if scores.shape[1] < found.shape[1] else np.ones(found.shape[1], bool)
    found[rows] = np.where(labels.counts > 0, 1.0, -1.0)
    found[np.ix_(rows, kept)] = scores
    return found if labels.weights is None else labels.weights.spread(found)


def _describe(cv: Any, search: Search, n: int) -> str:
    if isinstance(search.held_out[0], Path):
        return f"{len(search.truth)} held-out rows of {n}, for penalties and thresholds"
    folds = len(search.held_out)
    return f"{n} rows, each left out by itself" if cv == "loo" and folds == 1 else f"{folds} folds"


def _ends(cells: list[Cell], scores: np.ndarray) -> list[End]:
    return open_ends(cells, scores.mean(axis=0), lambda name: (0.0, np.inf))
