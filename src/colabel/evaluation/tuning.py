"""Parameters and thresholds of any classifier, tuned on the same held-out scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from colabel._base import LinearScorer
from colabel._validation import (
    FLOATS,
    HasMethods,
    Interval,
    _fit_context,
    as_folds,
    as_labels,
    canonical,
    dense_labels,
    take_rows,
)
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.matrix import DenseMatrix, as_matrix
from colabel.classifiers.edges import End, bounds_of, open_ends, warn_of_ends
from colabel.classifiers.grid import FBR
from colabel.classifiers.judging import Judge
from colabel.classifiers.thresholds import (
    own_cut,
    per_label_thresholds,
    scores_of,
    warn_of_unlearned,
)

Parameters = dict[str, Any]


class OutOfFoldSearch(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """max scoring(Y, scores > t) over parameters and thresholds t, on rows not fitted on.

    What :class:`~colabel.LabelRidgeCV` does for its penalty, for any classifier and any grid. Each
    candidate is fitted once a fold, and its scores of the held-out rows serve twice: the thresholds
    that judge a fold are the best of the other folds, and those of the final model the best of all.
    Nothing is nested, so that K folds and m candidates cost Km + 1 fits. Of a pipeline, the steps
    before the last are fitted once for all parameters of the last.

    Parameters
    ----------
    estimator : classifier with `decision_function` or `predict_proba`
    grid : dict or list of dict
        Values to try for each parameter, as in scikit-learn's GridSearchCV; {} tunes the thresholds
        only.
    cv : int, splitter or iterable, default=5
        Folds, shuffled if an int.
    scoring : str or callable, default="f1_macro"
        A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    random_state : int, RandomState or None, default=None
        Seeds the shuffling of the folds.
    follow : int, default=0
        How many more values to try where the best of a parameter is the last of the grid, one at a
        time. A warning says where the best is the last even so.

    Attributes
    ----------
    estimator_ : classifier
        The best, fitted on all rows and on the labels that vary.
    best_params_ : dict
    best_score_ : float
        Its mean score over the folds.
    cv_results_ : dict
        "params", and "mean_test_score" of each.
    thresholds_ : ndarray of shape (q,)
    classes_ : ndarray of shape (q,)

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.pipeline import make_pipeline
    >>> from colabel import LabelRidge, OPLS
    >>> from colabel.evaluation import OutOfFoldSearch
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = make_pipeline(OPLS(), LabelRidge())
    >>> grid = {"opls__ridge": [0.1, 10.0], "labelridge__alpha": [0.1, 10.0]}
    >>> search = OutOfFoldSearch(model, grid, random_state=0).fit(X, Y)
    >>> sorted(search.best_params_)
    ['labelridge__alpha', 'opls__ridge']
    >>> search.predict(X).shape
    (200, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "grid": [dict, list],
        "cv": ["cv_object"],
        "scoring": [str, callable],
        "random_state": ["random_state"],
        "follow": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any,
        grid: Any,
        *,
        cv: Any = 5,
        scoring: Any = "f1_macro",
        random_state: Any = None,
        follow: int = 0,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.follow = follow

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, Y: Any) -> Self:
        """Find parameters and thresholds, and fit with them on all rows.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1.

        Returns
        -------
        self
        """
        labels = as_labels(self, Y, X)
        labels.warn_of_constant()
        # few classifiers take sparse labels, and some of the others misread them in silence
        matrix = dense_labels(labels.matrix).astype(int)
        self.label_names_, self.classes_ = labels.names, labels.class_list
        X = canonical(*indexable(X))
        folds = as_folds(self.cv, X, labels.learned, self.random_state)
        self._varying = labels.varying
        self._constant = np.where(matrix.any(axis=0), 1.0, -1.0)
        candidates, judged, scores = self._searched(X, matrix, folds)
        best = int(np.argmax(judged))
        self.cv_results_ = {"params": candidates, "mean_test_score": judged}
        self.best_params_, self.best_score_ = candidates[best], float(judged[best])
        warn_of_ends(self._ends(candidates, judged), stacklevel=3)
        self.estimator_ = None
        if self._varying.any():
            model = _with(self.estimator, self.best_params_)
            self.estimator_ = _fitted(model, X, matrix[:, self._varying])
        self.thresholds_ = self._cuts(scores, matrix)
        return self

    def _cuts(self, scores: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """The best threshold of each label that varies; the classifier's own without scores."""
        known = self._varying & ~np.isnan(scores).all(axis=0)
        cuts = np.where(self._varying, own_cut(self.estimator_), 0.0)
        if known.any():
            cuts[known] = per_label_thresholds(scores[:, known], Y[:, known], "f1", FBR)
        warn_of_unlearned(self._varying & ~known, self.label_names_, self.estimator_)
        return cuts

    def _searched(
        self, X: Any, Y: np.ndarray, folds: list[Any]
    ) -> tuple[list[Parameters], np.ndarray, np.ndarray]:
        """The candidates, how each is judged, and the held-out scores of the best."""
        candidates: list[Parameters] = []
        judged, best, grid = np.empty(0), np.empty(0), self.grid
        for _ in range(self.follow + 1):
            tried, found = self._held_out(X, Y, folds, grid)
            values = np.array([self._judge(scores, Y, folds) for scores in found])
            before = len(candidates)
            candidates, judged = [*candidates, *tried], np.append(judged, values)
            if np.argmax(judged) >= before:
                best = found[int(np.argmax(judged)) - before]
            grid = self._beyond(candidates, judged)
            if not grid:
                break
        return candidates, judged, best

    def _ends(self, candidates: list[Parameters], judged: np.ndarray) -> list[End]:
        return open_ends(candidates, judged, lambda name: bounds_of(self.estimator, name))

    def _beyond(self, candidates: list[Parameters], judged: np.ndarray) -> list[Parameters]:
        """The best candidate with one more value at each end of the grid that it stands at."""
        best = candidates[int(np.argmax(judged))]
        ends = self._ends(candidates, judged)
        return [
            {name: [value] for name, value in {**best, end.name: end.wider}.items()} for end in ends
        ]

    def _held_out(
        self, X: Any, Y: Any, folds: list[Any], grid: Any
    ) -> tuple[list[Parameters], list[np.ndarray]]:
        """The candidates, and their scores of every row, NaN where a fold lacked the label."""
        groups = list(_groups(self.estimator, grid))
        candidates = [{**front, **rear} for front, rears in groups for rear in rears]
        found = [np.full(Y.shape, np.nan) for _ in candidates]
        for train, test in folds:
            varying = _varying(Y[train])
            if not varying.any():
                continue
            parts = take_rows(X, train), take_rows(X, test)
            scores = _scores_of_all(self.estimator, groups, parts, Y[train][:, varying])
            for kept, part in zip(found, scores, strict=True):
                kept[np.ix_(test, varying)] = part
        return candidates, found

    def _judge(self, scores: np.ndarray, truth: np.ndarray, folds: list[Any]) -> float:
        """The mean over the folds, of the labels that vary."""
        if self._varying.any():
            scores, truth = scores[:, self._varying], truth[:, self._varying]
        judge, judged = Judge(self.scoring), []
        for train, test in folds:
            others = np.setdiff1d(np.arange(len(truth)), test)
            cuts = np.nan_to_num(per_label_thresholds(scores[others], truth[others], "f1", FBR))
            judged.append(judge(truth[test], _filled(scores, truth[train], test), cuts))
        return float(np.mean(judged))

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the labels less their thresholds, so that a label is predicted above 0.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q)
        """
        return self.uncut_scores(X) - self.thresholds_

    def uncut_scores(self, X: Any) -> np.ndarray:
        """Scores of the labels before thresholds are taken off: what rankings are by.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q)
        """
        check_is_fitted(self)
        scores = np.tile(self._constant, (X.shape[0] if hasattr(X, "shape") else len(X), 1))
        if self.estimator_ is not None:
            learned = scores_of(self.estimator_, X, int(self._varying.sum()))
            scores[:, self._varying] = learned
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a score above their threshold.

        Parameters
        ----------
        X : whatever the classifier takes, with n rows

        Returns
        -------
        ndarray of shape (n, q) of 0 and 1
        """
        return (self.decision_function(X) > 0).astype(int)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags


def _filled(scores: np.ndarray, known: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Scores of held-out rows; of labels that `known` rows all have, or none, beyond all others."""
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min() - 1.0, finite.max() + 1.0) if len(finite) else (-1.0, 1.0)
    return np.where(np.isnan(scores[test]), np.where(known.all(axis=0), high, low), scores[test])


def _varying(Y: Any) -> np.ndarray:
    counts = np.asarray(Y.sum(axis=0)).ravel()
    return (counts > 0) & (counts < Y.shape[0])


def _last_step(estimator: Any) -> str:
    """The prefix of the parameters of a pipeline's last step; every parameter has an empty one."""
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""


def _groups(estimator: Any, grid: Any) -> Iterator[tuple[Parameters, list[Parameters]]]:
    """Parameters of the steps before the last, each with all parameters of the last."""
    prefix = _last_step(estimator)
    groups: dict[Any, tuple[Parameters, list[Parameters]]] = {}
    for candidate in list(ParameterGrid(grid)):  # kept, so that no identity is used again
        front = {key: value for key, value in candidate.items() if not key.startswith(prefix)}
        rear = {key: value for key, value in candidate.items() if key not in front}
        key = frozenset((name, _identity(value)) for name, value in front.items())
        groups.setdefault(key, (front, []))[1].append(rear)
    yield from groups.values()


def _identity(value: Any) -> Any:
    """The same for values of a grid that are surely equal: scalars by value, others as objects."""
    scalar = value is None or isinstance(value, str | int | float)
    return (type(value), value) if scalar else id(value)


def _with(estimator: Any, parameters: Parameters) -> Any:
    """A clone with these parameters; those that are estimators are cloned as well."""
    return clone(estimator).set_params(**clone(parameters, safe=False))


def _scores_of_all(estimator: Any, groups: Any, parts: tuple[Any, Any], Y: Any) -> list[np.ndarray]:
    """Scores of held-out rows by every candidate fitted on the others."""
    prefix, found = _last_step(estimator), []
    for front, rears in groups:
        model, rows = _with(estimator, front), _Rows(*parts)
        if isinstance(model, Pipeline):
            *before, (_, model) = model.steps
            if before:
                extract = _fitted(Pipeline(before), rows.fitted_on, Y)
                rows = _Extracted(*(_transformed(extract, part) for part in parts))
        for rear in rears:
            last = _with(model, {key.removeprefix(prefix): value for key, value in rear.items()})
            fitted_on, held_out = rows.of(last)
            found.append(scores_of(_fitted(last, fitted_on, Y), held_out, Y.shape[1]))
    return found


def _transformed(extract: Pipeline, X: Any) -> Any:
    """Rows after all steps."""
    # Pipeline.transform refuses a last step that a fit leaves no trace on: here it is not the last
    for _, step in extract.steps:
        X = X if step is None or step == "passthrough" else step.transform(X)
    return X


@dataclass(frozen=True)
class _Rows:
    """Rows to fit a last step on, and held-out ones."""

    fitted_on: Any
    held_out: Any

    def of(self, model: Any) -> tuple[Any, Any]:
        """As they are given to this classifier."""
        return self.fitted_on, self.held_out


@dataclass(frozen=True)
class _Extracted(_Rows):
    """Rows that steps before the last gave, in whatever container these were set to."""

    def of(self, model: Any) -> tuple[Any, Any]:
        """Factored once for all penalties, where the classifier takes that."""
        if isinstance(model, LinearScorer) and model._takes_factored:
            return self._factored
        return super().of(model)

    @cached_property
    def _factored(self) -> tuple[FactoredMatrix, Any]:
        fitted_on, held_out = (
            canonical(check_array(part, accept_sparse="csr", dtype=FLOATS))
            for part in (self.fitted_on, self.held_out)
        )
        if not sparse.issparse(fitted_on):
            # by its Gram, which falls back on QR where it must
            fitted_on = DenseMatrix(fitted_on, rank_by_gram=True)
        return FactoredMatrix(as_matrix(fitted_on)), held_out


def _fitted(model: Any, X: Any, Y: Any) -> Any:
    with warnings.catch_warnings():
        # a single label is a column here, whatever scikit-learn thinks of columns
        warnings.simplefilter("ignore", DataConversionWarning)
        return model.fit(X, Y)
