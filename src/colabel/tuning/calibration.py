"""From scores to probabilities: what held-out scores say of each label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit, logit, softmax
from sklearn.isotonic import IsotonicRegression

from colabel._indicator import Indicator, dense_labels
from colabel._public import public
from colabel._terminal import brief
from colabel.tuning.sigmoids import fit_sigmoids, fit_temperature, smoothed_shares

Form = Literal["sigmoid", "isotonic"]
#: Rows with a label, and without it, from which on isotonic regression is trusted.
ISOTONIC_FROM = 50


@public
@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities of labels from their scores, each label by itself.

    Attributes
    ----------
    slopes, offsets : ndarray of shape (q,)
        Of the sigmoid 1/(1 + exp(−(slope · score + offset))).
    kinds : ndarray of str of shape (q,)
        "sigmoid"; "isotonic"; "share" where held-out scores do not tell rows with the label from
        others, so that every row has the share of rows with the label (but for a thousandth,
        which keeps the order of scores); "constant" for a label that
        did not vary; "softmax" for classes that exclude each other.
    steps : tuple of (label, scores, probabilities)
        The corners of the isotonic ones.
    """

    slopes: np.ndarray
    offsets: np.ndarray
    kinds: np.ndarray
    steps: tuple[tuple[int, np.ndarray, np.ndarray], ...] = ()

    @property
    def excludes(self) -> bool:
        """Whether a row has one of the classes: probabilities of a row sum to 1."""
        return bool(np.all(self.kinds == "softmax"))

    def apply(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities, n×q, of scores that nothing was taken off."""
        z = self.logits(scores)
        return softmax(z, axis=1) if self.excludes else expit(z)

    def logits(self, scores: np.ndarray) -> np.ndarray:
        """ln(p/(1 − p)), above 0 where p > ½; of classes that exclude each other, ln p and more."""
        z = scores * self.slopes.astype(scores.dtype) + self.offsets.astype(scores.dtype)
        for label, x, y in self.steps:
            z[:, label] = logit(np.interp(scores[:, label], x, y))
        return z


def calibrate(
    scores: np.ndarray,
    Y: Any,
    form: Form = "sigmoid",
    weights: np.ndarray | None = None,
    *,
    excludes: bool = False,
) -> Calibration:
    """The calibration of held-out scores, n×q, of rows with the labels Y; NaN where there is none.

    `weights` of rows or of entries. Isotonic regression is for labels with enough rows on either
    side; the others get a sigmoid.
    """
    truth, q = dense_labels(Y) > 0, scores.shape[1]
    if excludes:
        a = fit_temperature(scores, truth.astype(np.float64), weights)
        return Calibration(np.full(q, a), np.zeros(q), np.full(q, "softmax"))
    found = fit_sigmoids(scores, truth, weights)
    kinds = np.where(found.flat, "share", "sigmoid").astype("<U8")
    steps = _isotonic(scores, truth, weights, kinds) if form == "isotonic" else ()
    return Calibration(found.slopes, found.offsets, kinds, steps)


def calibrate_around(
    scores: np.ndarray, Y: np.ndarray, cut: float, weights: np.ndarray | None = None
) -> Calibration:
    """Of the two classes of a 1-D y, by the scores of the second: p is ½ where it is predicted."""
    z = scores - cut
    a = 2.0 * fit_temperature(np.hstack([-z, z]), np.hstack([1.0 - Y, Y]), weights)
    return Calibration(np.array([a]), np.array([-a * cut]), np.array(["sigmoid"]))


def calibrate_labels(
    scores: np.ndarray,
    Y: Any,
    labels: Indicator,
    cuts: np.ndarray | None,
    weights: np.ndarray | None = None,
) -> Calibration:
    """The calibration of labels as they were given, from held-out scores of those that vary.

    What is predicted for a 1-D y is the likelier class: with two of them the sigmoid is ½ at the
    cut, with more it is softmax(a s).
    """
    if labels.classes is None or not labels.varying.any():
        return with_constants(calibrate(scores, Y, weights=weights), labels)
    if scores.shape[1] == 1:
        truth = dense_labels(Y).astype(np.float64)
        return calibrate_around(scores, truth, 0.0 if cuts is None else float(cuts[0]), weights)
    return calibrate(scores, Y, weights=weights, excludes=True)


def _isotonic(
    scores: np.ndarray, truth: np.ndarray, weights: np.ndarray | None, kinds: np.ndarray
) -> tuple[tuple[int, np.ndarray, np.ndarray], ...]:
    """Isotonic regressions where both kinds of rows suffice; `kinds` says which."""
    known = ~np.isnan(scores)
    w = np.broadcast_to(1.0 if weights is None else np.atleast_2d(weights.T).T, scores.shape)
    w = np.where(known, w, 0.0)
    positives, total = (w * truth).sum(axis=0), w.sum(axis=0)
    enough = np.minimum(positives, total - positives) >= ISOTONIC_FROM
    steps = []
    for label in np.flatnonzero(enough):
        rows = w[:, label] > 0
        high = (positives[label] + 1.0) / (positives[label] + 2.0)
        low = 1.0 / (total[label] - positives[label] + 2.0)
        wanted = np.where(truth[rows, label], high, low)  # so that no probability is 0 or 1
        curve = IsotonicRegression(out_of_bounds="clip")
        curve.fit(scores[rows, label], wanted, sample_weight=w[rows, label])
        steps.append((int(label), curve.X_thresholds_, curve.y_thresholds_))
    kinds[enough] = "isotonic"
    return tuple(steps)


def with_constants(found: Calibration, labels: Indicator) -> Calibration:
    """The calibration of the labels that vary, among all: a constant label has its share."""
    varying = labels.varying
    if len(found.slopes) == len(varying):
        return found
    share = smoothed_shares(labels.totals, float(labels.total))
    slopes, offsets = np.zeros(len(varying)), logit(share)
    slopes[varying], offsets[varying] = found.slopes, found.offsets
    kinds = np.full(len(varying), "constant")
    kinds[varying] = found.kinds
    places = np.flatnonzero(varying)
    steps = tuple((int(places[label]), x, y) for label, x, y in found.steps)
    return Calibration(slopes, offsets, kinds, steps)


def warn_of_fallbacks(found: Calibration, names: np.ndarray) -> None:
    """Say once which labels have too few rows for isotonic regression."""
    fewer = (found.kinds == "sigmoid") | (found.kinds == "share")
    if fewer.any():
        warnings.warn(
            f"{np.count_nonzero(fewer)} of {len(names)} labels have fewer than {ISOTONIC_FROM} "
            "held-out rows with the label or without it, too few for method='isotonic', and are "
            f"calibrated by a sigmoid: {brief(names[fewer])}",
            UserWarning,
            stacklevel=4,
        )
