"""How far probabilities can be trusted: Brier's loss, and calibration errors.

Of n×q probabilities, those of each label by itself (``average=None``), their mean over labels
("macro"), or all n·q of them as one ("pooled").
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._indicator import dense_labels
from colabel._plotting import PlotAxes, axes
from colabel.metrics._inputs import (
    RowWeights,
    TrueLabels,
    Values,
    check_option,
    check_probabilities,
    read_scores,
)

GivenProbabilities: TypeAlias = Annotated[
    Any, Says("Probabilities of the labels.", "array or DataFrame of shape (n, q)")
]
Average: TypeAlias = Annotated[
    Literal["pooled", "macro"] | None,
    Says("All n·q decisions as one, the mean over labels, or a value for each label."),
]


def brier_loss(
    y_true: TrueLabels,
    y_score: GivenProbabilities,
    *,
    average: Average = "pooled",
    sample_weight: RowWeights = None,
) -> Values:
    """Mean of (y − p)²: at most 1, and lowest for the true probabilities.

    Examples
    --------
    >>> from colabel.metrics import brier_loss
    >>> round(brier_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.1, 0.9]]), 4)
    0.13
    """
    check_option("average", average, ("pooled", "macro", None))
    Y, P, w = read_probabilities(y_true, y_score, sample_weight)
    if average == "pooled":
        Y, P, w = (array.reshape(-1, 1) for array in (Y, P, w))
    values = [np.average((y - p) ** 2, weights=own) for y, p, own in _known_labels(Y, P, w)]
    return np.array(values) if average is None else float(np.mean(values))


def calibration_error(
    y_true: TrueLabels,
    y_score: GivenProbabilities,
    *,
    average: Average = "pooled",
    bins: int = 10,
    sample_weight: RowWeights = None,
) -> Values:
    """Expected calibration error: how far the share of true labels is from what p said, on average.

    Σ n_b |mean y − mean p| / n over bins b of equally many decisions, as many as `bins`: bins of
    equal width are all but empty for rare labels.

    Parameters
    ----------
    bins
        With few decisions in each, chance alone makes an error: some ten rows a bin are needed.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.metrics import calibration_error
    >>> rng = np.random.default_rng(0)
    >>> P = rng.random((2000, 3))
    >>> Y = rng.random((2000, 3)) < P
    >>> bool(calibration_error(Y, P) < 0.02 < 0.1 < calibration_error(Y, P**2))
    True
    """
    check_option("average", average, ("pooled", "macro", None))
    Y, P, w = read_probabilities(y_true, y_score, sample_weight)
    if average == "pooled":
        Y, P, w = (array.reshape(-1, 1) for array in (Y, P, w))
    values = np.array([_bins(y, p, own, bins).error for y, p, own in _known_labels(Y, P, w)])
    return values if average is None else float(np.mean(values))


@dataclass(frozen=True)
class Reliability:
    """What probabilities said, and what came true, in bins of equally many decisions.

    Attributes
    ----------
    predicted, observed, weight : ndarray
        Mean probability, share of true labels, and how much a bin counts.

    Examples
    --------
    >>> from colabel.metrics import reliability
    >>> found = reliability([[1, 0], [0, 1]], [[0.9, 0.2], [0.4, 0.5]], bins=2)
    >>> found.predicted.round(2), found.observed.round(2), round(found.error, 2)
    (array([0.3, 0.7]), array([0., 1.]), 0.3)
    """

    predicted: np.ndarray
    observed: np.ndarray
    weight: np.ndarray

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.weight))

    def plot(self, ax: PlotAxes | None = None) -> PlotAxes:
        """Draw the share of true labels over what was said, beside the diagonal."""
        ax = axes(ax)
        ax.plot([0, 1], [0, 1], color="grey", linestyle=":")
        ax.plot(self.predicted, self.observed, marker="o")
        ax.set(xlabel="predicted probability", ylabel="share of true labels")
        ax.set_title(f"calibration error {self.error:.3f}")
        return ax


def reliability(
    y_true: TrueLabels,
    y_score: GivenProbabilities,
    *,
    bins: int = 10,
    sample_weight: RowWeights = None,
) -> Reliability:
    """The reliability diagram of all n·q decisions.

    Parameters
    ----------
    bins
        Of equally many decisions.

    Examples
    --------
    >>> from colabel.metrics import reliability
    >>> reliability([[1, 0], [0, 1]], [[0.9, 0.2], [0.4, 0.5]], bins=1).observed
    array([0.5])
    """
    Y, P, w = read_probabilities(y_true, y_score, sample_weight)
    return _bins(Y.ravel(), P.ravel(), w.ravel(), bins)


def _known_labels(
    Y: np.ndarray, P: np.ndarray, w: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Labels, probabilities and weights of the rows that count, label by label."""
    empty = np.flatnonzero(w.sum(axis=0) == 0)
    if len(empty):
        raise ValueError(
            f"label {empty[0]} is unknown (NaN) in every row that counts; leave its column out"
        )
    return list(zip(Y.T, P.T, w.T, strict=True))


def _bins(y: np.ndarray, p: np.ndarray, w: np.ndarray, bins: int) -> Reliability:
    """Equal probabilities are never parted."""
    if bins < 1:
        raise ValueError(f"bins={bins}; at least 1 is needed")
    order = np.argsort(p, kind="stable")
    y, p, w = y[order], p[order], w[order]
    middle = np.cumsum(w) - w / 2
    part = np.minimum((bins * middle / w.sum()).astype(int), bins - 1)
    new = np.r_[True, p[1:] != p[:-1]]
    part = part[np.maximum.accumulate(np.where(new, np.arange(len(p)), 0))]  # of the first equal
    total: Callable[[np.ndarray], np.ndarray] = lambda x: np.bincount(part, x, bins)  # noqa: E731
    weight = total(w)
    full = weight > 0
    return Reliability(
        total(w * p)[full] / weight[full], total(w * y)[full] / weight[full], weight[full]
    )


def read_probabilities(
    y_true: Any, y_score: Any, sample_weight: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, probabilities and weights as dense arrays, n×q; weights are 0 where labels are not
    known.
    """
    truth, P = read_scores(y_true, y_score, sample_weight)
    check_probabilities(P)
    w = np.ones(len(P)) if truth.weights is None else truth.weights
    each = truth.of_known(np.repeat(w[:, None], P.shape[1], axis=1))
    return dense_labels(truth.Y).astype(np.float64), P.astype(np.float64), each
