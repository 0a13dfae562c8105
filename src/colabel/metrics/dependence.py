"""How much features and labels depend on each other."""

from dataclasses import replace
from typing import Any

from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from colabel._indicator import Indicator
from colabel._labels import as_indicator
from colabel._weights import as_weights
from colabel.linalg.containers import as_matrix
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.weighted import WeightedRows
from colabel.metrics._inputs import RowWeights, TrueLabels


def hsic(X: Any, y: TrueLabels, *, sample_weight: RowWeights = None) -> float:
    """The Hilbert-Schmidt criterion with linear kernels: (n − 1)⁻² tr(HXXᵀH Y±Y±ᵀ).

    0 where no feature is correlated with any label. Of rows projected on directions it is what
    these keep of the dependence: :class:`~colabel.MDDMp` keeps most, and its eigenvalues add up to
    (n − 1)² times this. (Eq. 16 of Xu et al. 2016, labels being −1 and 1.) Less its mean over the
    rows where it is known, an unknown label is 0, as it is to extractors.

    Parameters
    ----------
    X : array or sparse array of shape (n, d)
        Features, or rows projected on directions.
    y : array, sparse array or DataFrame of shape (n, q)
        Labels, NaN where unknown.
    sample_weight : array of shape (n,)
        What each row counts; None counts each once.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import PCA, MDDMp
    >>> from colabel.metrics import hsic
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [3.0, 1.0]
    >>> Y = X[:, 1:] > 0  # which depends on the feature that varies less
    >>> [round(hsic(method.fit(X, Y).transform(X), Y), 1) for method in (PCA(1), MDDMp(1))]
    [0.0, 0.6]
    """
    rows, labels = _read(X, y, sample_weight)
    cross = 2.0 * rows.tdot(labels.in_rows)
    return float((cross**2).sum()) / (labels.total - 1) ** 2


def _read(X: Any, y: Any, sample_weight: Any) -> tuple[DataMatrix, Indicator]:
    """The rows that count, and their labels."""
    rows, labels = check_array(X, accept_sparse="csr", ensure_min_samples=2), as_indicator(y)
    check_consistent_length(rows, labels.matrix)
    weights = as_weights(sample_weight)
    if weights is None:
        return as_matrix(rows), labels
    weights.check(rows.shape[0])
    unknown = None if labels.unknown is None else weights.take(labels.unknown)
    kept = replace(labels, matrix=weights.take(labels.matrix), weights=weights, unknown=unknown)
    return WeightedRows(as_matrix(weights.take(rows)), weights.values), kept
