"""Parameters and thresholds of any classifier, tuned on the same held-out scores."""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import indexable

from colabel._indicator import dense_labels
from colabel._labels import Labels, as_labels
from colabel._parameters import CountOrZero, Folds, FoldSeed, Scoring
from colabel._rows import AnyRows
from colabel._scores import own_cut
from colabel._sklearn import fit_context, take_rows
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
        Folds, shuffled if an int; or "oob" for forests, whose rows are scored by the trees that
        have not seen them: m fits in all.
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
    def fit(self, X: AnyRows, y: Labels) -> Self:
        """Find parameters and thresholds, and fit with them on all rows."""
        labels = as_labels(self, y, X)
        labels.warn_of_constant()
        # few classifiers take sparse labels, and some of the others misread them in silence
        matrix = dense_labels(labels.matrix).astype(int)
        self._learn(labels, labels.varying)
        X = canonical(*indexable(X))
        cv = PARTS if self.cv == "oob" else self.cv
        folds = as_folds(cv, X, labels.learned, self.random_state)
        candidates, judged, tried = self._search(X, matrix, folds)
        best = int(np.argmax(judged))
        self.cv_results_ = {"params": candidates, "mean_test_score": judged}
        self.best_params_, self.best_score_ = candidates[best], float(judged[best])
        warn_of_ends(self._ends(candidates, judged), stacklevel=3)
        self.estimator_ = tried.model
        if tried.model is None and self._varying.any():
            model = with_parameters(self.estimator, self.best_params_)
            self.estimator_ = fit_quietly(model, X, matrix[:, self._varying])
        self.thresholds_ = self._cuts(tried.scores, matrix)
        self._calibrate(tried.scores, matrix, labels)
        if self.keep_scores:
            self.held_out_scores_ = tried.scores
        self._know_features()
        return self

    def _cuts(self, scores: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """The best threshold of each label that varies; the classifier's own without scores."""
        known = self._varying & ~np.isnan(scores).all(axis=0)
        cuts = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if known.any():
            cuts[known] = per_label_thresholds(scores[:, known], Y[:, known], "f1", FBR)
        warn_of_unlearned(self._varying & ~known, self.label_names_, self.estimator_)
        return cuts

    def _search(
        self, X: Any, Y: np.ndarray, folds: list[Any]
    ) -> tuple[list[Parameters], np.ndarray, Tried]:
        """The candidates, how each is judged, and the best."""
        candidates: list[Parameters] = []
        judged: list[float] = []
        grid, judge = self.grid, self._judge_of(Y, folds)
        for _ in range(self.follow + 1):
            for tried in self._try(X, Y, folds, grid):
                candidates.append(tried.parameters)
                judged.append(judge(tried.scores))
                if np.argmax(judged) == len(judged) - 1:
                    best = tried
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

    def _try(self, X: Any, Y: Any, folds: list[Any], grid: Any) -> Iterator[Tried]:
        """The candidates, and their scores of every row, NaN where a fold lacked the label."""
        if self.cv == "oob":
            yield from try_out_of_bag(self.estimator, grid, X, Y, self._varying)
            return
        groups = list(groups_of(self.estimator, grid))
        candidates = [{**front, **rear} for front, rears in groups for rear in rears]
        found = [np.full(Y.shape, np.nan) for _ in candidates]
        for train, test in folds:
            varying = _varying(Y[train])
            if not varying.any():
                continue
            parts = take_rows(X, train), take_rows(X, test)
            scores = scores_of_all(self.estimator, groups, parts, Y[train][:, varying])
            for kept, part in zip(found, scores, strict=True):
                kept[np.ix_(test, varying)] = part
        yield from (Tried(*pair) for pair in zip(candidates, found, strict=True))

    def _judge_of(self, Y: np.ndarray, folds: list[Any]) -> Callable[[np.ndarray], float]:
        """What gives the mean over the folds, of the labels that vary."""
        counted = self._varying | ~self._varying.any()
        truth, judge, parts = Y[:, counted], Judge(self.scoring), _parts_of(Y[:, counted], folds)

        def mean(scores: np.ndarray) -> float:
            scores = scores[:, counted]
            if parts is None or np.isnan(scores).any():
                return self._judge(judge, scores, truth, folds)
            return float(np.mean(judge.of_other_parts(truth, scores, parts, FBR)))

        return mean

    def _judge(
        self, judge: Judge, scores: np.ndarray, truth: np.ndarray, folds: list[Any]
    ) -> float:
        """The same where folds overlap, or leave rows out, or lack labels."""
        judged = []
        for train, test in folds:
            others = np.setdiff1d(np.arange(len(truth)), test)
            cuts = np.nan_to_num(per_label_thresholds(scores[others], truth[others], "f1", FBR))
            judged.append(judge(truth[test], _fill(scores, truth[train], test), cuts))
        return float(np.mean(judged))


def _parts_of(Y: np.ndarray, folds: list[Any]) -> Parts | None:
    """The folds as parts of the rows; None where they are not, or one alone."""
    rows = np.concatenate([test for _, test in folds])
    if len(folds) < 2 or not np.array_equal(np.sort(rows), np.arange(len(Y))):
        return None
    part = np.empty(len(rows), dtype=np.intp)
    part[rows] = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
    return Parts(np.ascontiguousarray(Y.T > 0), part, len(folds))


def _fill(scores: np.ndarray, known: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Scores of held-out rows; of labels that `known` rows all have, or none, beyond all others."""
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min() - 1.0, finite.max() + 1.0) if len(finite) else (-1.0, 1.0)
    return np.where(np.isnan(scores[test]), np.where(known.all(axis=0), high, low), scores[test])


def _varying(Y: Any) -> np.ndarray:
    counts = np.asarray(Y.sum(axis=0)).ravel()
    return (counts > 0) & (counts < Y.shape[0])
