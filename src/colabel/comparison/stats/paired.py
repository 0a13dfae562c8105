"""Two methods on the same splits of one data set: how far apart, and is it more than luck?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class Difference:
    """How far the scores of two methods lie apart over repeated splits of one data set."""

    #: The mean difference and its confidence interval; the bounds are NaN for one split.
    mean: float
    lower: float
    upper: float
    #: Student's statistic and the two-sided p-value; NaN for one split.
    t: float
    p: float
    #: The splits on which both methods have a score.
    n_splits: int


def corrected_t_test(
    first: ArrayLike, second: ArrayLike, n_train: int, n_test: int, *, confidence: float = 0.95
) -> Difference:
    """Test whether two methods differ on repeated random splits of one data set.

    The splits overlap, so that the plain t-test finds differences that are not there; Nadeau and
    Bengio (2003) multiply the variance of the J differences by 1/J + n_test/n_train, not by 1/J.

    Parameters
    ----------
    first, second : array of shape (J,)
        A score for each split, the same splits for both; None or NaN drops the split.
    n_train, n_test : int
        How many rows a split trains on and tests on.
    confidence : float in (0, 1), default=0.95
        Of the interval.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import corrected_t_test
    >>> found = corrected_t_test([0.72, 0.74, 0.71], [0.70, 0.71, 0.70], 1000, 500)
    >>> round(found.mean, 3), round(found.p, 3)
    (0.02, 0.16)
    """
    if n_train < 1 or n_test < 1:
        raise ValueError(f"a split needs rows to train and to test on; got {n_train}, {n_test}")
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"give each method one score a split; got shapes {a.shape}, {b.shape}")
    d = (a - b)[~np.isnan(a - b)]
    n = len(d)
    mean = float(d.mean()) if n else np.nan
    if n < 2:
        return Difference(mean, np.nan, np.nan, np.nan, np.nan, n)
    error = float(np.sqrt(d.var(ddof=1) * (1 / n + n_test / n_train)))
    rounding = 1e-14 * float(np.nanmax(np.abs([a, b])))
    if error <= rounding:  # the same difference on every split
        same = abs(mean) <= rounding
        return Difference(mean, mean, mean, *((0.0, 1.0) if same else (np.inf * mean, 0.0)), n)
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * error
    p = 2 * float(stats.t.sf(abs(mean) / error, n - 1))
    return Difference(mean, mean - half, mean + half, mean / error, p, n)


def holm(p_values: ArrayLike) -> np.ndarray:
    """Correct p-values for their number, by Holm's (1979) step-down rule.

    Parameters
    ----------
    p_values : array of shape (m,)
        NaN for tests that could not be made; they are not counted.

    Examples
    --------
    >>> from colabel.comparison.stats.ranks import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=float)
    made = np.flatnonzero(~np.isnan(p))
    order = made[np.argsort(p[made], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    p[order] = np.minimum(np.maximum.accumulate(steps), 1) if len(order) else steps
    return p
