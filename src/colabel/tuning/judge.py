"""What searches maximise: held-out scores judged by a measure, whatever the measure asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from colabel._indicator import Indicator, indicator_classes
from colabel._labels import show_labels
from colabel.metrics import METRICS, get_scorer, sets
from colabel.metrics._counts import Counts, mean_ratio
from colabel.tuning.calibration import calibrate
from colabel.tuning.sweep import Parts


@dataclass(frozen=True)
class Judge:
    """A measure of held-out rows, greater being better."""

    #: A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    scoring: Any
    #: Whether a row has the one label that scores highest: the classes of a 1-D y, if more than
    #: two.
    one_each: bool = False

    @staticmethod
    def of(scoring: Any, labels: Indicator) -> Judge:
        """For labels as they were given."""
        return Judge(scoring, labels.classes is not None and labels.matrix.shape[1] > 1)

    @property
    def counts(self) -> bool:
        """Whether the measure is a ratio of counts over the rows of a part."""
        return not self.one_each and self._ratio is not None

    @property
    def ranks(self) -> bool:
        """Whether the measure is of rankings, which no cut changes."""
        metric = METRICS.get(self.scoring) if isinstance(self.scoring, str) else None
        return metric is not None and metric.needs != "labels"

    @property
    def _ratio(self) -> sets.Ratio | None:
        metric = METRICS.get(self.scoring) if isinstance(self.scoring, str) else None
        if metric is None or metric.options.get("average") not in ("macro", "micro"):
            return None
        return sets.RATIOS.get(metric.function)

    def of_counts(self, hits: np.ndarray, kept: np.ndarray, parts: Parts) -> list[float]:
        """The measure of each part, from how many rows are above the cuts, labels × parts."""
        micro = METRICS[self.scoring].options["average"] == "micro"
        ratio, found = self._ratio, []
        assert ratio is not None  # see `counts`
        for k, (true, rows) in enumerate(zip(parts.positives.T, parts.sizes, strict=True)):
            tp, given = hits[:, k], kept[:, k]
            counts = Counts(tp, given - tp, true - tp, rows - true - given + tp)
            found.append(mean_ratio(*ratio(counts.pooled() if micro else counts), 0))
        return found

    @property
    def weighs_chances(self) -> bool:
        """Whether the measure is of probabilities, which are made of scores first."""
        metric = METRICS.get(self.scoring) if isinstance(self.scoring, str) else None
        return metric is not None and metric.needs == "probabilities"

    def of_chances(self, truth: np.ndarray, scores: np.ndarray, parts: Parts) -> list[float]:
        """The measure of each part, by probabilities that the others calibrate."""
        found = []
        for k in range(parts.count):
            own = parts.part == k
            others = ~own if parts.count > 1 else own
            of_others, of_own = (
                None if parts.weights is None else parts.weights[rows] for rows in (others, own)
            )
            chances = calibrate(
                scores[others], truth[others], weights=of_others, excludes=self.one_each
            )
            found.append(self._value(truth[own], chances.apply(scores[own]), of_own))
        return found

    def _value(
        self, truth: np.ndarray, prediction: np.ndarray, weights: np.ndarray | None = None
    ) -> float:
        metric, unknown = METRICS[self.scoring], np.isnan(prediction)
        if unknown.any():  # nor is the truth known there
            truth, prediction = np.where(unknown, np.nan, truth), np.where(unknown, 0.0, prediction)
        value = metric(truth, prediction, weights)
        return value if metric.greater_is_better else -value

    def of_parts(
        self, truth: np.ndarray, scores: np.ndarray, cuts: np.ndarray, parts: Parts
    ) -> list[float]:
        """The measure of each part, whose scores are cut by its row of `cuts`."""
        found = []
        if self.weighs_chances:
            return self.of_chances(truth, scores, parts)
        if self.counts:
            return self.of_counts(*parts.count_above(scores, cuts), parts)
        for k in range(parts.count):
            rows = np.flatnonzero(parts.part == k)
            weights = None if parts.weights is None else parts.weights[rows]
            found.append(self(truth[rows], scores[rows], cuts[k], weights))
        return found

    def of_other_parts(
        self, truth: np.ndarray, scores: np.ndarray, parts: Parts, fbr: float
    ) -> list[float]:
        """The measure of each part, whose scores are cut where F1 is the best of the others."""
        if self.ranks:
            return self.of_parts(truth, scores, np.zeros((parts.count, 1)), parts)
        found = parts.cut(scores.T, fbr)
        if self.counts:
            return self.of_counts(found.hits, found.kept, parts)
        # a cut at a score parts equals only from the scores that it was found among
        return self.of_parts(truth, parts.round(scores), found.cuts.T, parts)

    def __call__(
        self,
        truth: np.ndarray,
        scores: np.ndarray,
        cuts: Any = 0.0,
        weights: np.ndarray | None = None,
    ) -> float:
        """The measure of scores that rank as they are, and give labels where above the cuts.

        What has no score is not known, and does not count.
        """
        metric = METRICS.get(self.scoring) if isinstance(self.scoring, str) else None
        unknown = np.isnan(scores)
        if metric is None:
            if unknown.any():
                raise ValueError(
                    f"scoring={self.scoring!r} cannot leave out labels that are unknown (NaN in "
                    "y); use a name of colabel.metrics.METRICS"
                )
            scored = Scored(scores, scores - cuts, self.one_each)
            given = {} if weights is None else {"sample_weight": weights}
            return get_scorer(self.scoring)(scored, scores, truth.astype(int), **given)
        if metric.needs == "labels":
            predicted = show_labels(np.nan_to_num(scores - cuts), self.one_each)
            known = np.where(unknown, np.nan, truth) if unknown.any() else truth
            return self._value(known, predicted, weights)
        if self.weighs_chances:  # with no other rows than these, two numbers a label are of them
            found = calibrate(scores, truth, weights=weights, excludes=self.one_each)
            scores = found.apply(scores)
        return self._value(truth, scores, weights)


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted classifier as scorers see one, with its scores already known."""

    def __init__(self, scores: np.ndarray, decision: np.ndarray, one_each: bool) -> None:
        self.scores = scores
        self.decision = decision
        self.one_each = one_each
        self.classes_ = indicator_classes(scores.shape[1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def uncut_scores(self, X: Any) -> np.ndarray:
        """The scores before they are cut."""
        return self.scores

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores less the cuts."""
        return self.decision

    def predict(self, X: Any) -> np.ndarray:
        """Labels of 0 and 1."""
        return show_labels(self.decision, self.one_each)
