"""How much features and labels depend on each other."""

from typing import Any

from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from colabel._labels import as_indicator
from colabel.linalg.containers import as_matrix
from colabel.metrics._inputs import TrueLabels


def hsic(X: Any, y: TrueLabels) -> float:
    """The Hilbert-Schmidt criterion with linear kernels: (n − 1)⁻² tr(HXXᵀH Y±Y±ᵀ).

    0 where no feature is correlated with any label. Of rows projected on directions it is what
    these keep of the dependence: :class:`~colabel.MDDMp` keeps most, and its eigenvalues add up to
    (n − 1)² times this. (Eq. 16 of Xu et al. 2016, labels being −1 and 1.)

    Parameters
    ----------
    X : array or sparse array of shape (n, d)
        Features, or rows projected on directions.
    y : array, sparse array or DataFrame of shape (n, q)
        Labels.

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
    rows = check_array(X, accept_sparse="csr", ensure_min_samples=2)
    Y = as_indicator(y).matrix
    check_consistent_length(rows, Y)
    cross = 2.0 * as_matrix(rows).tdot(Y)
    return float((cross**2).sum()) / (rows.shape[0] - 1) ** 2
