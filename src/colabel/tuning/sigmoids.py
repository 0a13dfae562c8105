"""A sigmoid of the scores of each label, p = 1/(1 + exp(−(a s + b))), all labels at once.

a and b minimise the log loss of held-out rows. Labels count as Platt (2000) has it, as
(n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) in place of 1 and 0: what a label with few positives says is drawn
back, and no slope is infinite. Newton's steps h are shortened to log(1 + r)/r of themselves, r the
largest |a h₁ + h₂| over the rows, after which the loss has fallen for sure, without being looked at
(the third derivative of the logistic loss is at most its second; Bach 2010).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import logit

from colabel.linalg.products import even_cuts, in_threads, thread_count

#: Scores at a time, which stay in the cache.
BLOCK = 2**16
#: The largest step, in units of a standardised score, after which the next would not be seen.
CLOSE = 1e-7
MOST_STEPS = 100
#: How much scores that are alike differ at most, beside their size.
ALIKE = 1e-7
#: The least slope, for a standardised score: next to nothing, and enough to keep an order.
LEAST = 1e-3


@dataclass(frozen=True)
class Sigmoids:
    """a and b of each label."""

    slopes: np.ndarray
    offsets: np.ndarray
    #: Where higher scores do not speak for the label: a is next to 0, so that their order is kept.
    flat: np.ndarray


def fit_sigmoids(scores: np.ndarray, Y: np.ndarray, weights: np.ndarray | None = None) -> Sigmoids:
    """Sigmoids for the columns of scores, n×q, by labels Y of 0 and 1.

    NaN scores count for nothing. `weights` are those of rows, n, or of entries, n×q: 0 for what is
    not observed.
    """
    q = scores.shape[1]
    found = Sigmoids(np.zeros(q), np.zeros(q), np.zeros(q, dtype=bool))
    if not q:
        return found
    step = max(1, BLOCK // max(len(scores), 1))
    cuts = even_cuts(q, max(-(-q // step), min(q, thread_count())))
    in_threads(partial(_fit_some, scores, Y, weights, found), cuts)
    return found


def smoothed_shares(positives: np.ndarray, total: np.ndarray | float) -> np.ndarray:
    """The share of rows with a label by Platt's labels: within (0, 1), whatever it is."""
    high, low = _targets(positives, total - positives)
    return (positives * high + (total - positives) * low) / np.maximum(total, 1e-300)


def _targets(positives: np.ndarray, negatives: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0)


def _fit_some(
    scores: np.ndarray,
    Y: np.ndarray,
    weights: np.ndarray | None,
    found: Sigmoids,
    start: int,
    stop: int,
) -> None:
    part = slice(start, stop)
    s = np.array(scores[:, part].T, dtype=np.float64, order="C")
    truth = np.array(Y[:, part].T, order="C") > 0
    w = _weights(s, weights, part)
    total, positives = w.sum(axis=1), (w * truth).sum(axis=1)
    mean, scale, alike = _standardise(s, w)
    high, low = _targets(positives, total - positives)
    targets = np.where(truth, high[:, None], low[:, None])
    base = logit(np.where(total > 0, smoothed_shares(positives, total), 0.5))
    a, b = _descend(s, w, targets, base)
    flat = alike | (a <= LEAST)
    a, b = np.where(flat, LEAST, a), np.where(flat, base, b)
    found.slopes[part], found.offsets[part] = a / scale, b - a * mean / scale
    found.flat[part] = flat


def _standardise(s: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is taken off the scores and what they are divided by, in place; and which are alike."""
    total = np.maximum(w.sum(axis=1), 1e-300)
    s[w == 0] = 0.0
    mean = (w * s).sum(axis=1) / total
    s -= mean[:, None]
    s *= w > 0
    spread = np.sqrt(np.einsum("ij,ij,ij->i", w, s, s) / total)
    size = np.maximum(np.abs(mean), np.abs(s).max(axis=1, initial=0.0))
    # scores that are one number but for rounding tell nothing: a slope for such differences would
    # be without bounds for others
    alike = spread <= ALIKE * size
    scale = np.where(alike, np.where(size > 0, size, 1.0), spread)
    s /= scale[:, None]
    s[alike] = 0.0
    return mean, scale, alike


def _weights(s: np.ndarray, weights: np.ndarray | None, part: slice) -> np.ndarray:
    known = (~np.isnan(s)).astype(np.float64)
    if weights is None:
        return known
    given = np.asarray(weights, dtype=np.float64)
    return known * (given[None, :] if given.ndim == 1 else given[:, part].T)


def _descend(
    s: np.ndarray, w: np.ndarray, targets: np.ndarray, base: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A and b for standardised scores, a label a row; the labels that are there leave the work."""
    a, b = _begin(s, w, targets, base)
    left = np.arange(len(s))
    for _ in range(MOST_STEPS):
        step_a, step_b, reach = _newton(s, w, targets, a[left], b[left])
        shorter = np.log1p(reach) / np.maximum(reach, 1e-300)
        shorter = np.where(reach < 1e-8, 1.0, shorter)
        a[left] += shorter * step_a
        b[left] += shorter * step_b
        going = reach > CLOSE
        if not going.any():
            break
        if going.sum() <= len(left) // 2:
            left, s, w, targets = left[going], s[going], w[going], targets[going]
    return a, b


def _begin(
    s: np.ndarray, w: np.ndarray, targets: np.ndarray, base: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What two Gaussians of one variance have."""
    share = np.einsum("ij,ij->i", w, targets)
    total = np.maximum(w.sum(axis=1), 1e-300)
    first = np.einsum("ij,ij,ij->i", w, targets, s)
    high, low = first / np.maximum(share, 1e-300), -first / np.maximum(total - share, 1e-300)
    within = 1.0 - (share * high**2 + (total - share) * low**2) / total
    a = np.clip((high - low) / np.maximum(within, 0.05), 0.0, 20.0)
    return a, base - a * (high + low) / 2.0


def _newton(
    s: np.ndarray, w: np.ndarray, targets: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton's step, and how far it moves the score of a row at most."""
    p = a[:, None] * s
    p += b[:, None]
    np.negative(p, out=p)
    np.clip(p, -700.0, 700.0, out=p)
    np.exp(p, out=p)
    p += 1.0
    np.reciprocal(p, out=p)
    residual = p - targets
    residual *= w
    p *= 1.0 - p
    p *= w
    g_a, g_b = np.einsum("ij,ij->i", residual, s), residual.sum(axis=1)
    h_b = p.sum(axis=1)
    p *= s
    h_ab = p.sum(axis=1)
    h_a = np.einsum("ij,ij->i", p, s)
    # never quite singular: a label whose scores are all alike has no slope to find
    tiny = 1e-12 * (h_a + h_b + 1.0)
    h_a, h_b = h_a + tiny, h_b + tiny
    det = h_a * h_b - h_ab**2
    step_a = -(h_b * g_a - h_ab * g_b) / det
    step_b = -(h_a * g_b - h_ab * g_a) / det
    return step_a, step_b, np.abs(step_a) * np.abs(s).max(axis=1, initial=0.0) + np.abs(step_b)


def fit_temperature(scores: np.ndarray, Y: np.ndarray, weights: np.ndarray | None = None) -> float:
    """A > 0 of the probabilities softmax(a s) of classes that exclude each other.

    The class with the highest score stays the likeliest. The class of a row counts as Platt's
    labels do: (n + 1)/(n + K) of it, of K classes.
    """
    known = ~np.isnan(scores).any(axis=1)
    s, Y = scores[known].astype(np.float64), Y[known]
    n, K = s.shape
    s = s - s.mean(axis=1, keepdims=True)
    size = float(np.sqrt(np.mean(s**2))) if n else 0.0
    if size == 0.0:
        return 1.0
    s /= size
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)[known]
    sure = (w.sum() + 1.0) / (w.sum() + K)
    wanted = sure * (Y * s).sum(axis=1) + (1.0 - sure) / max(K - 1, 1) * ((1 - Y) * s).sum(axis=1)
    largest, a = float(np.ptp(s, axis=1).max()), 1.0
    for _ in range(MOST_STEPS):
        p = np.exp(a * (s - s.max(axis=1, keepdims=True)))
        p /= p.sum(axis=1, keepdims=True)
        mean = (p * s).sum(axis=1)
        curvature = float(w @ ((p * s**2).sum(axis=1) - mean**2)) + 1e-300
        step = float(w @ (wanted - mean)) / curvature
        reach = max(abs(step) * largest, 1e-300)
        a = max(a + step * np.log1p(reach) / reach, 1e-3 * a)
        if reach < CLOSE:
            break
    return max(a, 1e-6) / size
