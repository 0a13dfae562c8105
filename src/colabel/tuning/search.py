"""Parameters and thresholds of any classifier, tuned on the same held-out scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import indexable

from colabel._indicator import Indicator, dense_labels
from colabel._labels import Labels, Observed
from colabel._parameters import CountOrZero, Folds, FoldSeed, Scoring
from colabel._rows import AnyRows
from colabel._scores import own_cut
from colabel._sklearn import fit_context
from colabel._weights import SampleWeight
from colabel.linalg.containers import canonical
from colabel.tuning.candidates import (
    Parameters,
    Tried,
    groups_of,
    scores_of_all,
    try_out_of_bag,
    with_parameters,
)
from colabel.tuning.cells import FBR
from colabel.tuning.cut_scores import (
    CutScores,
    fit_quietly,
    per_label_thresholds,
    warn_of_unlearned,
)
from colabel.tuning.edges import End, bounds_of, open_ends, warn_of_ends
from colabel.tuning.engine import PARTS
from colabel.tuning.folds import as_folds
from colabel.tuning.judge import Judge
from colabel.tuning.out_of_fold import is_ours, take_part
from colabel.tuning.routing import FitParams, Passed, rows_that_count, weights_to_pass
from colabel.tuning.sweep import Parts


class OutOfFoldSearch(CutScores):
    """max scoring(Y, scores > t) over parameters and thresholds t, on rows not fitted on.

    What :class:`~colabel.LabelRidgeCV` does for its penalty, for any classifier and any grid. Each
    candidate is fitted once a fold, and its scores of the held-out rows serve twice: the thresholds
    that judge a fold are the best of the other folds, and those of the final model the best of all.
    Nothing is nested, so that K folds and m candidates cost Km + 1 fits. Of a pipeline, the steps
    before the last are fitted once for all parameters of the last.

    Parameters
    ----------
    cv
        Folds, shuffled and stratified if an int; or "oob" for forests, whose rows are scored by the
        trees that have not seen them: m fits in all.
    grid
        Values to try for each parameter, as in scikit-learn's GridSearchCV; {} tunes the thresholds
        only.
    follow
        How many more values to try where the best of a parameter is the last of the grid, one at a
        time. A warning says where the best is the last even so.
    keep_scores
        Whether to keep `held_out_scores_`.

    Attributes
    ----------
    best_params_ : dict
    best_score_ : float
        Its mean score over the folds.
    cv_results_ : dict
        "params", and "mean_test_score" of each.
    held_out_scores_ : ndarray of shape (n, q)
        Only with ``keep_scores=True``. The scores of each row by the best candidate fitted without
        it; NaN where there are none, as of labels that do not vary.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.pipeline import make_pipeline
    >>> from colabel import LabelRidge, OPLS
    >>> from colabel.tuning import OutOfFoldSearch
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = make_pipeline(OPLS(), LabelRidge())
    >>> grid = {"opls__ridge": [0.1, 10.0], "labelridge__alpha": [0.1, 10.0]}
    >>> search = OutOfFoldSearch(model, grid, random_state=0).fit(X, Y)
    >>> sorted(search.best_params_)
    ['labelridge__alpha', 'opls__ridge']
    >>> search.predict(X).shape
    (200, 5)
    """

    grid: dict[str, Any] | list[dict[str, Any]] = field(kw_only=False)
    cv: Folds | Literal["oob"] = 5
    scoring: Scoring = "f1_macro"
    random_state: FoldSeed = None
    follow: CountOrZero = 0
    keep_scores: bool = False

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: AnyRows,
        y: Labels,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
        **params: FitParams,
    ) -> Self:
        """Find parameters and thresholds, and fit with them on all rows."""
        X, _, labels, passed = rows_that_count(self, X, y, sample_weight, observed, params)
        labels.warn_of_constant()
        self._learn(labels, labels.varying)
        rows = _Rows.of(canonical(*indexable(X)), labels, passed)
        cv = PARTS if self.cv == "oob" else self.cv
        folds = as_folds(cv, rows.X, labels.learned, self.random_state, passed.to_split)
        candidates, judged, tried = self._search(rows, folds)
        best = int(np.argmax(judged))
        self.cv_results_ = {"params": candidates, "mean_test_score": judged}
        self.best_params_, self.best_score_ = candidates[best], float(judged[best])
        warn_of_ends(self._ends(candidates, judged), stacklevel=3)
        self.estimator_ = tried.model
        if tried.model is None and self._varying.any():
            model = with_parameters(self.estimator, self.best_params_)
            fitted_on = rows.Y[:, self._varying]
            self.estimator_ = fit_quietly(model, rows.X, fitted_on, **rows.given(None))
        self.thresholds_ = self._cuts(tried.scores, rows)
        self._calibrate(tried.scores, rows.truth, labels, rows.weights)
        if self.keep_scores:
            found, counted = tried.scores, labels.weights
            self.held_out_scores_ = found if counted is None else counted.spread(found)
        self._know_features()
        return self

    @property
    def _takes_unknown(self) -> bool:
        return is_ours(self.estimator)

    def _cuts(self, scores: np.ndarray, rows: _Rows) -> np.ndarray:
        """The best threshold of each label that varies; the classifier's own without scores."""
        known = self._varying & ~np.isnan(scores).all(axis=0)
        cuts = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if known.any():
            truth = rows.truth[:, known]
            cuts[known] = per_label_thresholds(scores[:, known], truth, "f1", FBR, rows.weights)
        warn_of_unlearned(self._varying & ~known, self.label_names_, self.estimator_)
        return cuts

    def _search(self, rows: _Rows, folds: list[Any]) -> tuple[list[Parameters], np.ndarray, Tried]:
        """The candidates, how each is judged, and the best."""
        candidates: list[Parameters] = []
        judged: list[float] = []
        grid, judge = self.grid, self._judge_of(rows, folds)
        for step in range(self.follow + 1):
            try:
                for tried in self._try(rows, folds, grid):
                    candidates.append(tried.parameters)
                    judged.append(judge(tried.scores))
                    if np.argmax(judged) == len(judged) - 1:
                        best = tried
            except ValueError:  # nobody asked for what lies beyond, as more neighbours than rows
                if not step:
                    raise
                break
            grid = self._beyond(candidates, np.array(judged))
            if not grid:
                break
        return candidates, np.array(judged), best

    def _ends(self, candidates: list[Parameters], judged: np.ndarray) -> list[End]:
        return open_ends(candidates, judged, lambda name: bounds_of(self.estimator, name))

    def _beyond(self, candidates: list[Parameters], judged: np.ndarray) -> list[Parameters]:
        """The best candidate with one more value at each end of the grid that it stands at."""
        best = candidates[int(np.argmax(judged))]
        ends = self._ends(candidates, judged)
        return [
            {name: [value] for name, value in {**best, end.name: end.wider}.items()} for end in ends
        ]

    def _try(self, rows: _Rows, folds: list[Any], grid: Any) -> Iterator[Tried]:
        """The candidates, and their scores of every row.

        NaN where a fold lacked the label, or where it is unknown.
        """
        X, Y = rows.X, rows.Y
        if self.cv == "oob":
            given = rows.given(None)
            yield from try_out_of_bag(self.estimator, grid, X, Y, self._varying, given)
            return
        groups = list(groups_of(self.estimator, grid))
        candidates = [{**front, **rear} for front, rears in groups for rear in rears]
        found = [np.full(Y.shape, np.nan) for _ in candidates]
        for train, test in folds:
            varying = _varying(Y[train])
            if not varying.any():
                continue
            own = self.estimator
            parts = (take_part(own, X, train, train), take_part(own, X, test, train))
            scores = scores_of_all(own, groups, parts, Y[train][:, varying], rows.given(train))
            for kept, part in zip(found, scores, strict=True):
                kept[np.ix_(test, varying)] = part
        for parameters, scored in zip(candidates, found, strict=True):
            yield Tried(parameters, rows.of_known(scored))

    def _judge_of(self, rows: _Rows, folds: list[Any]) -> Callable[[np.ndarray], float]:
        """What gives the mean over the folds, of the labels that vary."""
        counted = self._varying | ~self._varying.any()
        judge, some = Judge(self.scoring), rows.columns(counted)
        parts = _parts_of(some, folds)

        def mean(scores: np.ndarray) -> float:
            scores = scores[:, counted]
            if parts is None or (np.isnan(scores) & ~some.unknown).any():
                return self._judge(judge, scores, some, folds)
            return float(np.mean(judge.of_other_parts(some.truth, scores, parts, FBR)))

        return mean

    def _judge(self, judge: Judge, scores: np.ndarray, rows: _Rows, folds: list[Any]) -> float:
        """The same where folds overlap, or leave rows out, or lack labels."""
        judged, truth = [], rows.truth
        for train, test in folds:
            others = np.setdiff1d(np.arange(len(truth)), test)
            of_others, of_test = (
                None if rows.weights is None else rows.weights[some] for some in (others, test)
            )
            cuts = per_label_thresholds(scores[others], truth[others], "f1", FBR, of_others)
            filled = np.where(rows.unknown[test], np.nan, _fill(scores, rows.Y[train], test))
            judged.append(judge(truth[test], filled, np.nan_to_num(cuts), of_test))
        return float(np.mean(judged))


@dataclass(frozen=True)
class _Rows:
    """Rows to search on, as the classifier sees them, and what its fits are given besides."""

    X: Any
    #: Dense, as few classifiers take sparse labels, and some of the others misread them in silence;
    #: NaN where a label is unknown.
    Y: np.ndarray
    #: What each row counts; None where all count the same.
    weights: np.ndarray | None
    passed: Passed

    @classmethod
    def of(cls, X: Any, labels: Indicator, passed: Passed) -> _Rows:
        Y = dense_labels(labels.known_rows(slice(None)))
        return cls(
            X, Y if labels.unknown is not None else Y.astype(int), labels.row_weights, passed
        )

    @cached_property
    def truth(self) -> np.ndarray:
        """The labels, 0 where unknown."""
        return np.nan_to_num(self.Y).astype(int)

    @cached_property
    def unknown(self) -> np.ndarray:
        return np.isnan(self.Y)

    def columns(self, kept: np.ndarray) -> _Rows:
        """Some of the labels."""
        return replace(self, Y=self.Y[:, kept])

    def of_known(self, scores: np.ndarray) -> np.ndarray:
        """Scores, NaN where a label is unknown."""
        return np.where(self.unknown, np.nan, scores) if self.unknown.any() else scores

    def given(self, train: Any) -> dict[str, Any]:
        """What a fit on some rows is given besides; None: on all."""
        weights = weights_to_pass(self.weights, self.passed)
        params = self.passed.of_rows(self.X, train)
        if weights is None:
            return params
        return {"weights": weights if train is None else weights[train], **params}


def _parts_of(some: _Rows, folds: list[Any]) -> Parts | None:
    """The folds as parts of the rows; None where they are not, or one alone."""
    rows = np.concatenate([test for _, test in folds])
    if len(folds) < 2 or not np.array_equal(np.sort(rows), np.arange(len(some.Y))):
        return None
    part = np.empty(len(rows), dtype=np.intp)
    part[rows] = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
    known = np.ascontiguousarray(~some.unknown.T) if some.unknown.any() else None
    truth = np.ascontiguousarray(some.truth.T > 0)
    return Parts(truth, part, len(folds), some.weights, known)


def _fill(scores: np.ndarray, known: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Scores of held-out rows; of labels that `known` rows all have, or none, beyond all others."""
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min() - 1.0, finite.max() + 1.0) if len(finite) else (-1.0, 1.0)
    everywhere = (known == 1).any(axis=0) & ~(known == 0).any(axis=0)
    return np.where(np.isnan(scores[test]), np.where(everywhere, high, low), scores[test])


def _varying(Y: Any) -> np.ndarray:
    """Which labels some of these rows are known to have, and some to lack."""
    return np.asarray((Y == 1).any(axis=0) & (Y == 0).any(axis=0))
