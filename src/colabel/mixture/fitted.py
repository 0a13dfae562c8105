"""A member of a mixture after its fit: what it says of new rows, and said of those held out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from colabel._public import public
from colabel._scores import own_cut, scores_of
from colabel.tuning.calibration import Calibration, calibrate
from colabel.tuning.cut_scores import CutScores
from colabel.tuning.sigmoids import smoothed_shares

#: Shares of votes count as if there had been a thousandth of a vote more for either side.
LEAST = 1e-3


@public
@dataclass(frozen=True, eq=False)
class FittedMember:
    """A classifier of a mixture, with what its scores are worth and how much it counts.

    Attributes
    ----------
    model : classifier
    calibration : Calibration
        Of its held-out scores.
    weight : float
        Its part of the mixture.
    """

    model: Any
    calibration: Calibration
    weight: float = 0.0

    def probabilities(self, X: Any, q: int) -> np.ndarray:
        """Of its q labels, n×q."""
        return self.of_scores(scores_of(self.model, X, q))

    def of_scores(self, scores: np.ndarray) -> np.ndarray:
        """Of scores as the classifier gives them."""
        return self.calibration.apply(_unbounded(scores, self.model))


def fit_member(model: Any, X: Any, Y: np.ndarray) -> tuple[FittedMember, np.ndarray]:
    """A classifier fitted once, and its probabilities of rows that it has not seen.

    They are NaN in rows that are never held out. Where folds had not enough rows to learn a label,
    it has its share of the rows. Y is NaN where a label is unknown.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single members: what counts is the mixture
        model = model.fit(X, Y)
    scores = vars(model).pop("held_out_scores_")
    model.set_params(keep_scores=False)
    _let_go(model)
    known = np.where(np.isnan(Y), np.nan, scores)  # what is unknown calibrates nothing
    found = FittedMember(model, calibrate(_unbounded(known, model), Y))
    P = found.of_scores(scores)
    seen = np.isnan(P)
    if seen.any():
        share = smoothed_shares(np.nansum(Y, axis=0), np.sum(~np.isnan(Y), axis=0))
        P = np.where(seen & ~seen.all(axis=1)[:, None], share, P)
    return found, P


def _unbounded(scores: np.ndarray, model: Any) -> np.ndarray:
    """Scores as a sigmoid wants them: of probabilities and shares of votes, ln(p/(1 − p))."""
    scores = scores.astype(np.float64, copy=False)
    inside = model.estimator_ if isinstance(model, CutScores) else model
    if own_cut(inside) == 0.0:
        return scores
    return logit((scores + LEAST) / (1.0 + 2.0 * LEAST))


def _let_go(model: Any) -> None:
    """Votes that a forest keeps of every training row serve no prediction."""
    inside = getattr(model, "estimator_", None)
    if inside is not None:
        vars(inside).pop("oob_decision_function_", None)
