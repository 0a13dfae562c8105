"""How good a model is on each label, by held-out scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from colabel._indicator import dense_labels
from colabel.metrics import brier_loss, calibration_error, log_loss, roc_auc
from colabel.tuning.calibration import calibrate
from colabel.tuning.cells import FBR
from colabel.tuning.engine import PARTS, random_parts
from colabel.tuning.sweep import Parts


@dataclass(frozen=True, eq=False)
class HeldOutQuality:
    """Measures of each label, NaN where a label cannot be judged; and of all probabilities.

    Thresholds are those of other parts of the rows, so that none is judged by what it was tuned on.
    """

    rows: int
    positives: np.ndarray
    auc: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    f1: np.ndarray
    #: Of the probabilities of all labels: per decision.
    log_loss: float
    brier_loss: float
    calibration_error: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data, None for what is not known."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                found[name] = [None if np.isnan(x) else float(x) for x in value]
            else:
                found[name] = None if np.isnan(value) else value
        found["positives"] = [int(x) for x in self.positives]
        return found


def held_out_quality(scores: np.ndarray, Y: Any, random_state: Any = 0) -> HeldOutQuality:
    """From the scores of held-out rows, n×q, NaN for rows and labels that have none."""
    held = ~np.isnan(scores).all(axis=1)
    S, given = scores[held], dense_labels(Y)[held]
    truth, unknown = given > 0, np.isnan(given)
    positives, total = truth.sum(axis=0), (~unknown).sum(axis=0)
    known = ~np.isnan(S).any(axis=0) & (positives > 0) & (positives < total)
    auc, precision, recall, f1 = (np.full(len(known), np.nan) for _ in range(4))
    loss = brier = error = np.nan
    if known.any():
        S, T = S[:, known].astype(np.float64), given[:, known]
        judged = np.where(unknown[:, known], np.nan, S)
        hits, kept = _cut(judged, truth[:, known], random_state)
        true = positives[known]
        auc[known] = roc_auc(T, S, average=None)
        precision[known] = hits / np.maximum(kept, 1)
        recall[known], f1[known] = hits / true, 2.0 * hits / (kept + true)
        P = calibrate(judged, T).apply(S)
        loss, brier = float(log_loss(T, P, average="macro")), float(brier_loss(T, P))
        error = float(calibration_error(T, P))
    rows = int(held.sum())
    return HeldOutQuality(rows, positives, auc, precision, recall, f1, loss, brier, error)


def _cut(scores: np.ndarray, truth: np.ndarray, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """How many rows of each label are above the best cut of other parts: right ones, and all."""
    part = random_parts(len(scores), random_state)
    known = ~np.isnan(scores.T)
    parts = Parts(
        np.ascontiguousarray(truth.T),
        part,
        int(part.max()) + 1,
        known=None if known.all() else np.ascontiguousarray(known),
    )
    if parts.count < PARTS:  # fewer rows than parts
        return truth.sum(axis=0), truth.sum(axis=0)
    found = parts.cut(scores.T, FBR)
    return found.hits.sum(axis=1), found.kept.sum(axis=1)
