"""Where the factorisation starts: confidences of all rows, and the same for new ones."""

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from colabel._public import public
from colabel.semi_supervised.graphs import CosineSimilarity, RowSimilarity
from colabel.semi_supervised.labelled_rows import LabelModel, fit_indicator

#: The share of the label frequencies in every start, so that no confidence begins at zero, where
#: a multiplicative update would leave it.
SMOOTHING = 0.01

#: The share of a row's confidences that comes from its neighbours when labels spread on a graph.
SPREAD = 0.8
SPREAD_ROUNDS = 50

NAMES = ("propagation", "knn-propagation", "random")


class Start(ABC):
    """Confidences that are not negative, a row an instance."""

    @abstractmethod
    def fit(self, X: Any) -> np.ndarray:
        """Of the rows of the fit, X."""

    @abstractmethod
    def new(self, X: Any) -> np.ndarray:
        """Of new rows."""


@public
class NeighbourStart(Start):
    """The mean of the confidences of the nearest rows that have any, weighted by similarity."""

    def __init__(
        self, similarity: RowSimilarity, rows: np.ndarray, values: np.ndarray, k: int
    ) -> None:
        self.similarity, self.rows, self.values, self.k = similarity, rows, values, k

    def fit(self, X: Any) -> np.ndarray:
        """The values of the nearest rows, or a row's own if every row has some."""
        if len(self.rows) == self.similarity.shape[0]:
            return self.values
        return self.new(None)

    def new(self, X: Any) -> np.ndarray:
        """The values of the nearest rows."""
        return self.similarity.neighbours(X, self.rows, self.k) @ self.values


@public
class ModelStart(Start):
    """What a classifier fitted on the labelled rows is confident of."""

    def __init__(self, model: LabelModel) -> None:
        self.model = model

    def fit(self, X: Any) -> np.ndarray:
        """The classifier's confidences."""
        return self.model.confidences(X)

    new = fit


@public
class GivenStart(Start):
    """An array, which says nothing of new rows: they start from the label frequencies."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def fit(self, X: Any) -> np.ndarray:
        """The array."""
        return self._values

    def new(self, X: Any) -> np.ndarray:
        """Nothing."""
        return np.zeros((X.shape[0], self._values.shape[1]), dtype=self._values.dtype)


def start(
    init: Any,
    X: Any,
    Y: np.ndarray,
    rows: np.ndarray,
    similarity: RowSimilarity,
    n_neighbors: int,
    rng: np.random.RandomState,
) -> Start:
    """The start of a name, from an array, or from an estimator; Y are the labels of `rows`.

    Labels spread over the similarity, or, with the implicit cosine, come from the nearest `rows`.
    """
    if isinstance(init, str):
        if init == "random":
            return GivenStart(rng.uniform(size=(X.shape[0], Y.shape[1])).astype(X.dtype))
        values = unit_shares(np.nan_to_num(Y)).astype(X.dtype)
        if isinstance(similarity, CosineSimilarity):
            return NeighbourStart(similarity, rows, values, n_neighbors)
        spread_values = spread(similarity, rows, values)
        return NeighbourStart(similarity, np.arange(X.shape[0]), spread_values, n_neighbors)
    if hasattr(init, "fit"):
        with warnings.catch_warnings():
            # constant labels have been named already
            warnings.filterwarnings("ignore", ".*predicted constant.*", UserWarning)
            return ModelStart(fit_indicator(init, X[rows], Y))
    return GivenStart(init)


def check_init(estimator: Any, init: Any, n: int, q: int) -> Any:
    """The `init` parameter; an array as a checked one of floats."""
    if hasattr(init, "fit") or (isinstance(init, str) and init in NAMES):
        return init
    values = None if isinstance(init, str) else np.asarray(init)
    if values is None or values.dtype.kind not in "fiub" or values.shape != (n, q):
        got = repr(init) if values is None or values.ndim == 0 else f"the shape {values.shape}"
        raise ValueError(
            f"The 'init' parameter of {type(estimator).__name__} must be one of "
            f"{', '.join(map(repr, NAMES))}, a classifier, or an array of confidences with a row "
            f"for each of {n} instances and a column for each of {q} labels. Got {got} instead."
        )
    if not np.all(np.isfinite(values)) or values.min() < 0:
        raise ValueError(
            "init holds confidences, which must be finite and ≥ 0; the smallest is "
            f"{values.min():g}, the largest {values.max():g}"
        )
    return values


def spread(similarity: RowSimilarity, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """F = αSF + (1 − α)F₀ with S = D^{-1/2}AD^{-1/2}, F₀ the values of `rows` and 0 elsewhere."""
    degrees = similarity.degrees
    scale = np.sqrt(np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0))[:, None]
    seeds = np.zeros((len(degrees), values.shape[1]), dtype=similarity.dtype)
    seeds[rows] = (1.0 - SPREAD) * values
    F = seeds
    for _ in range(SPREAD_ROUNDS):
        F = SPREAD * (scale * similarity.dot(scale * F)) + seeds
    return F


def shares(F: np.ndarray, frequencies: np.ndarray, smoothing: float = SMOOTHING) -> np.ndarray:
    """Rows of F that sum to one, a little of the label frequencies mixed in; those alone if 0."""
    prior = frequencies / frequencies.sum()
    totals = F.sum(axis=1, keepdims=True)
    own = np.divide(F, totals, out=np.tile(prior.astype(F.dtype), (len(F), 1)), where=totals > 0)
    return (1.0 - smoothing) * own + (smoothing * prior).astype(F.dtype)


def unit_shares(Y: np.ndarray) -> np.ndarray:
    """Rows of Y that sum to one; a row without labels stays zero."""
    totals = Y.sum(axis=1, keepdims=True)
    return np.divide(Y, totals, out=np.zeros_like(Y), where=totals > 0)
