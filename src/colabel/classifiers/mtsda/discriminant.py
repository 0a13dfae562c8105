"""Sparse discriminant directions, and labels from them, of whatever penalties."""

import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from colabel._bases import LinearScorer, Projection
from colabel._cuts import best_global_threshold
from colabel._indicator import Indicator
from colabel._parameters import Count, NonNegative, Seed, Verbose
from colabel._terminal import progress
from colabel.classifiers.mtsda import optimal_scoring as scoring
from colabel.classifiers.mtsda.nearest import Points, closeness, from_means, from_scores
from colabel.classifiers.mtsda.penalty import Penalty
from colabel.classifiers.mtsda.predictors import Standardised, standardise
from colabel.linalg.data import CentredData
from colabel.linalg.weighted_labels import scale_rows

#: R and, where known, B.
Start: TypeAlias = tuple[np.ndarray, np.ndarray | None]

#: The most labels whose 2^J sets are tried one by one.
EXACT_LIMIT = 20

#: Elastic nets are solved to this share of `tol`, but not closer than rounding lets them.
INNER_SHARE, INNER_FLOOR = 1e-2, 1e-10


class SparseDiscriminant(Projection, LinearScorer):
    """Sparse discriminant directions, of whatever penalties.

    Parameters
    ----------
    n_components
        The number k of combinations, at most q. None: the rank of Y, without constant labels.
    max_iter
        The most rounds of elastic nets and scores.
    tol
        Stop when a round lowers the objective by no more than this share.
    standardize
        Whether to divide features by their standard deviations. They are centred in any case.
    decode
        "linear" cuts Ŷ at the threshold with the best micro-averaged F1 on the training rows;
        :class:`ThresholdTuner` has other ways. "exact" predicts the set y of labels for which yΘ
        is closest to the row of X̃B (plus the mean of YΘ), out of all 2^q, for at most 20 labels. A
        1-D y is decoded by the highest score either way.
    label_means
        Whether Ŷ = Ȳ + X̃BΘ⁺, so that a label which no feature predicts is scored by how frequent
        it is; or X̃BΘ⁺ alone, as the paper prints it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, d)
        Directions in the units of X: Bᵀ divided by ``scale_``. In order of what they explain.
    scores_ : ndarray of shape (q, n_components_)
        Θ; zero for constant labels.
    intercept_ : ndarray of shape (q,)
        With the threshold taken off. Neither is what ``decode="exact"`` decides by.
    threshold_ : float
        Where Ŷ is cut; ``decision_function`` is Ŷ less this.
    objective_ : ndarray of shape (n_iter_,)
        After each round.
    n_nonzero_ : ndarray of shape (n_components_,)
        The number of features in each direction.
    selected_features_ : ndarray of int
        The features in any of them.
    mean_, scale_ : ndarray of shape (d,)
    n_components_, n_iter_ : int
    """

    max_iter: Count = 300
    tol: NonNegative = 1e-6
    standardize: bool = True
    decode: Literal["linear", "exact"] = "linear"
    label_means: bool = True
    verbose: Verbose = False
    random_state: Seed = None

    # from where rows are measured (a comment, as an annotation would declare a parameter)
    _points = None  # type: Points | None

    def _solve(
        self,
        data: CentredData,
        labels: Indicator,
        penalty: Penalty,
        *,
        warm_start: bool = False,
        n_init: int = 1,
    ) -> np.ndarray:
        penalty.check(data.shape[1])
        varying = self._varying_labels(labels)
        design = standardise(data, self.standardize)
        penalty = penalty.of(design.features)
        Y = mean_weighted(labels)[:, varying]
        space = scoring.LabelRange.of(Y)
        k = space.rank if self.n_components is None else min(self.n_components, space.rank)
        first = self._first_start(design, space, Y, k, varying, warm_start)
        starts = [first, *self._random_starts(space, k, n_init - 1)]
        runs = (self._alternate(design, space, penalty, *start) for start in starts)
        state, self.objective_ = min(runs, key=lambda run: run[1][-1])
        self._warn_if_unfinished(state)
        self.n_iter_ = len(self.objective_)
        self._price = penalty.quadratic(state.B)
        return self._keep_directions(state, design, space, varying, data)

    def _varying_labels(self, labels: Indicator) -> np.ndarray:
        """Which labels are learned: those that some rows have and some have not."""
        q = labels.matrix.shape[1]
        if self.n_components is not None and self.n_components > q:
            raise ValueError(
                f"n_components={self.n_components} is more than the {q} labels; use a smaller "
                "number, or None for the rank of Y"
            )
        varying = labels.varying
        if self.decode not in ("linear", "exact") and labels.classes is None:
            raise ValueError(
                f"decode={self.decode!r} predicts one class a row, and is for a 1-D y; use "
                "decode='linear' or 'exact' for labels that overlap"
            )
        if self.decode == "exact" and labels.classes is None and varying.sum() > EXACT_LIMIT:
            raise ValueError(
                f"decode='exact' tries all sets of labels, 2^{varying.sum()} here; it is for at "
                f"most {EXACT_LIMIT} labels: use decode='linear'"
            )
        return varying

    def _first_start(
        self,
        design: Standardised,
        space: scoring.LabelRange,
        Y: Any,
        k: int,
        varying: np.ndarray,
        warm_start: bool,
    ) -> Start:
        if warm_start and hasattr(self, "components_"):
            shapes = (k, self.n_features_in_), (len(varying), k)
            if (self.components_.shape, self.scores_.shape) == shapes:
                B = self.components_[:, design.features] * design.scale
                return space.coordinates(Y @ self.scores_[varying]), B.T.astype(np.float64)
        return space.find_leading(design.X, k), None

    def _random_starts(self, space: scoring.LabelRange, k: int, n: int) -> Iterator[Start]:
        rng = check_random_state(self.random_state)
        for _ in range(n):
            yield space.coordinates(rng.normal(size=(len(space.Q), k))), None

    def _alternate(
        self,
        design: Standardised,
        space: scoring.LabelRange,
        penalty: Penalty,
        R: np.ndarray,
        B: np.ndarray | None = None,
    ) -> tuple[scoring.State, np.ndarray]:
        """The last state, and the objective of all."""
        if not R.size:  # no label varies
            return scoring.State(np.zeros((len(design.features), 0)), R, 0.0, 0.0), np.zeros(1)
        states = progress(
            islice(
                scoring.rounds(design.X, space, penalty, R, B, tol=self._inner_tol), self.max_iter
            ),
            total=self.max_iter,
            description="rounds of MtSDA",
            enabled=bool(self.verbose),
        )
        state, objective = scoring.run_until_settled(states, self.tol)
        # directions keep their order where they continue earlier ones
        return (scoring.settle(state, design.X, space) if B is None else state), objective

    @property
    def _inner_tol(self) -> float:
        return max(INNER_SHARE * self.tol, INNER_FLOOR)

    def _warn_if_unfinished(self, state: scoring.State) -> None:
        fall = scoring.last_fall(self.objective_)
        if state.residual > 1.001 * self._inner_tol:
            what = (
                "elastic nets whose coefficients violate their optimality conditions by a share of "
                f"{state.residual:.1e} of the largest gradient; a larger l2 makes them converge"
            )
        elif fall > self.tol and state.R.size:
            what = (
                f"max_iter={self.max_iter} rounds, the last of which lowered the objective by a "
                f"share of {fall:.1e}, more than tol={self.tol:g}; a larger max_iter or tol makes "
                "it converge"
            )
        else:
            return
        warnings.warn(
            f"{type(self).__name__} stopped with {what}", ConvergenceWarning, stacklevel=6
        )

    def _keep_directions(
        self,
        state: scoring.State,
        design: Standardised,
        space: scoring.LabelRange,
        varying: np.ndarray,
        data: CentredData,
    ) -> np.ndarray:
        """Set what the directions are; the coefficients of the labels."""
        used = np.flatnonzero(state.B.any(axis=1))
        selected, (k, d) = design.features[used], (state.R.shape[1], data.shape[1])
        directions = (state.B[used] / design.scale[used, None]).T
        Theta = space.scores(state.R)
        decoder = np.zeros((k, len(varying)))
        if k:
            decoder[:, varying] = linalg.pinv(Theta)
        U = np.zeros((d, len(varying)))
        U[selected] = directions.T @ decoder
        self.components_ = np.zeros((k, d), dtype=data.dtype)
        self.components_[:, selected] = directions
        self.scores_ = np.zeros((len(varying), k), dtype=data.dtype)
        self.scores_[varying] = Theta
        self.scale_ = np.ones(d, dtype=data.dtype)
        self.scale_[design.features] = design.scale
        self.mean_ = data.mean.astype(data.dtype)
        self.n_components_ = k
        self.n_nonzero_ = np.count_nonzero(directions, axis=1)
        self.selected_features_ = selected
        return U

    def _keep(self, U: np.ndarray, data: CentredData, labels: Indicator) -> Self:
        super()._keep(U, data, labels)
        varying = labels.varying
        base = labels.shares if self.label_means else np.where(varying, 0.0, labels.shares)
        intercept = np.where(varying, base - data.mean @ U, 2 * base - 1).astype(data.dtype)
        self.threshold_ = 0.0
        if self.decode == "exact":
            self.threshold_ = 0.5  # what it comes to for a single label
        elif self.decode != "linear":
            self.threshold_ = 0.0  # the nearest class is chosen
        elif varying.any():
            scores = data.uncentred_dot(self.coef_.T) + intercept
            if labels.known_weights is not None:
                scores = np.where(labels.known_weights > 0, scores, np.nan)
            self.threshold_ = best_global_threshold(
                scores[:, varying], labels.matrix[:, varying], weights=labels.row_weights
            )
        self.intercept_ = intercept
        self._cut_at(np.where(varying, self.threshold_, 0.0).astype(data.dtype))
        if self._decodes_exactly:
            self._cuts = np.zeros_like(self._cuts)  # margins are decided by at 0
        self._score_mean = base @ self.scores_
        self._points = self._class_points(data, labels, self.__dict__.pop("_price"))
        return self

    def _class_points(
        self, data: CentredData, labels: Indicator, price: np.ndarray
    ) -> Points | None:
        """From where rows are measured, where the nearest class is predicted."""
        if self.decode in ("linear", "exact"):
            return None
        if str(self.decode) == "nearest-scores":  # which only MtSDA declares
            return from_scores(self.scores_.astype(float), self._score_mean)
        B = self.components_.T.astype(float)
        return from_means(data.uncentred_dot(B) - data.mean @ B, labels, price)

    @property
    def _decodes_exactly(self) -> bool:
        return self.decode == "exact" and self._is_multilabel

    def _uncut(self, X: Any) -> np.ndarray:
        if self._points is not None:
            return closeness(self.transform(X), self._points)
        scores = super()._uncut(X)
        if self._decodes_exactly:
            varying = self.scores_.any(axis=1)
            Z = self.transform(X) + self._score_mean
            scores[:, varying] = scoring.label_margins(Z, self.scores_[varying])
        return scores


def mean_weighted(labels: Indicator) -> Any:
    """Y, its rows times the roots of weights whose mean is 1: losses are divided by n then."""
    weights = labels.row_weights
    if weights is None:
        return labels.filled
    return scale_rows(labels.filled, np.sqrt(weights * (len(weights) / labels.total)))
