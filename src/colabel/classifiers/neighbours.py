"""ML-kNN, which no library kept today has: scikit-multilearn's fails with scikit-learn of now."""

from dataclasses import field
from typing import Any, Self

import numpy as np
from scipy.special import logit
from sklearn.neighbors import NearestNeighbors

from colabel._bases import LabelClassifier
from colabel._indicator import dense_labels
from colabel._labels import Labels, as_labels
from colabel._parameters import Count, Positive
from colabel._rows import Rows, as_array
from colabel._sklearn import fit_context


class MLkNN(LabelClassifier):
    """P(label | c of the k nearest rows have it), by Bayes' rule, for each label by itself.

    Zhang and Zhou (2007): how many of the k neighbours of training rows have a label is counted
    among rows with it and among rows without it; these counts and the share of rows with the label,
    smoothed, give the posterior, whose logit is the score.

    Parameters
    ----------
    n_neighbors
        k; fewer than the training rows.
    smoothing
        What is added to every count; 1 is Laplace's.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import MLkNN
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> MLkNN().fit(X, Y).predict(X).shape
    (100, 5)
    """

    _refuses_weights = "the k nearest rows are counted, and a count has no fractions"

    n_neighbors: Count = field(default=10, kw_only=False)
    smoothing: Positive = field(default=1.0, kw_only=False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Labels) -> Self:
        """Find the neighbours of each row among the others, and count."""
        X = as_array(self, X)
        labels = as_labels(self, y, X)
        labels.warn_of_constant()
        if self.n_neighbors >= X.shape[0]:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} needs more rows than n_samples = {X.shape[0]}; "
                "use fewer neighbours"
            )
        self._know(labels)
        self._Y = dense_labels(labels.matrix).astype(np.int8)
        self.neighbours_ = NearestNeighbors(n_neighbors=self.n_neighbors, algorithm="brute").fit(X)
        found = self._counts(self.neighbours_.kneighbors(return_distance=False))
        has, s, k = self._Y > 0, self.smoothing, self.n_neighbors
        n, q = has.shape
        prior = (s + has.sum(axis=0)) / (2.0 * s + n)
        # ln P(c | label) − ln P(c | no label), and the same of no count: (k + 1)×q
        place = found + (k + 1) * np.arange(q)
        with_it, without = (
            np.bincount(place[rows], minlength=(k + 1) * q).reshape(q, k + 1).T
            for rows in (has, ~has)
        )
        odds = _log_share(with_it, s) - _log_share(without, s)
        self.log_odds_ = logit(prior) + odds
        return self

    def _counts(self, neighbours: np.ndarray) -> np.ndarray:
        """How many of the neighbours (n×k) of each row have each label, n×q."""
        found = np.zeros((len(neighbours), self._Y.shape[1]), dtype=np.intp)
        for column in neighbours.T:  # one neighbour of all rows at a time: k small steps
            found += self._Y[column]
        return found

    def _uncut(self, X: Any) -> np.ndarray:
        X = as_array(self, X, reset=False)
        found = self._counts(self.neighbours_.kneighbors(X, return_distance=False))
        return np.take_along_axis(self.log_odds_, found, axis=0)


def _log_share(counts: np.ndarray, s: float) -> np.ndarray:
    return np.log(s + counts) - np.log(s * len(counts) + counts.sum(axis=0))
