"""What is done to the features first, by what their values are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from colabel.datasets import Dataset
from colabel.preparation import AsinhScaler

SCALES = ("auto", "standard", "asinh", "unit", "tfidf", "none")
#: What is done to X first, by name; "auto" is one of them.
SCALERS: dict[str, Any] = {
    # every method centres by itself, and so leaves sparse data sparse
    "standard": StandardScaler(with_mean=False),
    "asinh": AsinhScaler(),
    "unit": Normalizer(),
    "tfidf": TfidfTransformer(),
    "none": None,
}
#: What was done to X, as a sentence says it.
DONE = {
    "standard": "standardised",
    "asinh": "standardised and far values drawn in",
    "unit": "rows scaled to length 1",
    "tfidf": "weighted by TF-IDF",
    "none": "left as they are",
}


@dataclass(frozen=True)
class FeatureKind:
    """What features are, and what is done to them first."""

    #: As a sentence says it.
    name: str
    #: The best, or near it, over the sets of ``benchmarks/scaling.py``.
    scale: str


TEXT = FeatureKind("text", "none")  # has its weights from the vectorizer
COUNTS = FeatureKind("counts", "tfidf")
PRESENCE = FeatureKind("zeros and ones", "tfidf")
WEIGHTS = FeatureKind("sparse weights", "unit")
MEASUREMENTS = FeatureKind("measurements", "standard")
FAR = FeatureKind("measurements with far values", "asinh")

#: The share of entries from which on zero is a value like others, not what is absent.
MOSTLY = 0.5
#: The fewest columns of a vocabulary; fewer are a table, whatever numbers are in it.
WORDS = 100
#: The kurtosis of the middle column from which on values are far. Seen: 41 (birds), where drawing
#: them in adds .03 to .05 of macro F1 held out of training rows; at most 10 in four other sets,
#: where it changes it by -.014 to .008.
KURTOSIS = 25.0
#: Entries that it is estimated from.
SAMPLED = 20_000_000


def kind_of(data: Dataset) -> FeatureKind:
    """What the features are, by their values alone: dense or sparse X makes no difference.

    Of many columns (at least 100) most of whose entries are 0 and none below, a row is a bag of
    things: whole numbers are counts, or presence where all are 1; other numbers are weights. All
    else are measurements, each column in a unit of its own: also small tables of whole numbers. Of
    measurements that are seldom 0, half of the columns may have a kurtosis of 25 or more: they have
    values so far from the others that they hide these.
    What was given as text is known to be words, and has its weights already unless it was counted.

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> from colabel.scales import kind_of
    >>> kind_of(load_debtags())
    FeatureKind(name='counts', scale='tfidf')
    """
    X = data.X
    values = X.data[X.data != 0] if sp.issparse(X) else X[X != 0]
    n, d = X.shape
    is_text = data.text is not None and values.size > 0
    is_bag = d >= WORDS and 0 < values.size <= MOSTLY * n * d and values.min() >= 0
    if not (is_text or is_bag):
        is_full = values.size > MOSTLY * n * d
        return FAR if is_full and _kurtosis(X) >= KURTOSIS else MEASUREMENTS
    if not np.array_equal(values, np.round(values)):
        return TEXT if is_text else WEIGHTS
    return COUNTS if values.max() > 1 else PRESENCE


def _kurtosis(X: Any) -> float:
    """Of the middle column; 0 where none varies."""
    n, d = X.shape
    some = X[:: -(-n * d // SAMPLED)]
    some = some.toarray() if sp.issparse(some) else np.asarray(some, dtype=np.float64)
    with np.errstate(all="ignore"):  # of columns that do not vary
        apart = some - some.mean(axis=0)
        apart /= np.abs(apart).max(axis=0)  # so that no power overflows
        fourth = np.mean(apart**4, axis=0) / np.mean(apart**2, axis=0) ** 2
    known = fourth[np.isfinite(fourth)]
    return float(np.median(known)) if len(known) else 0.0


def scale_first(model: Any, scale: str) -> Any:
    """The model behind what is done to X first."""
    scaler = SCALERS[scale]
    return model if scaler is None else Pipeline([("scale", clone(scaler)), ("model", model)])
