"""The directions of largest variance, and what they explain."""

from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from colabel._documents import Says
from colabel._indicator import LabelMatrix
from colabel._rows import Ignored, Rows, as_rows, rows_dot
from colabel.family import LinearExtractor, TraceProblem, similarity
from colabel.family.problem import Directions
from colabel.linalg.data import CentredData


def _has_density(extractor: Any) -> bool:
    if extractor.kernel is None:
        return True
    raise AttributeError("images of rows under a kernel have no density; use kernel=None")


class PCA(LinearExtractor):
    """max tr(PᵀX̄ᵀX̄P) subject to PᵀP = I: the directions of largest variance.

    Labels are not used, and need not be given. It is :class:`MVMD` with ``beta=0``.

    Attributes
    ----------
    explained_variance_ : ndarray of shape (n_components_,)
        Variances of the rows along the directions, ``eigenvalues_ / (n − 1)``.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same as shares of the variance of all rows.
    noise_variance_ : float
        The mean variance of the directions that are left out, of min(n, d) in all.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import PCA
    >>> X = np.random.default_rng(0).normal(size=(200, 20)) * 0.5 ** np.arange(20)
    >>> model = PCA(n_components=0.9).fit(X)  # for nine tenths of the variance
    >>> model.explained_variance_ratio_.round(2)
    array([0.73, 0.21])
    """

    whiten: Annotated[
        bool,
        Says(
            "Whether to divide the directions, in ``components_`` too, by the deviations of the"
            "\n    rows along them, so that projections have unit variance."
        ),
    ] = False

    _uses_labels = False

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        """The trace problem, which depends on no labels."""
        return TraceProblem(similarity.IDENTITY)

    def _keep(self, found: Directions, data: CentredData) -> Self:
        super()._keep(found, data)
        n, total = data.core.total, data.core.scatter_scale**2
        kept, left = float(found.eigenvalues.sum()), min(data.shape) - self.n_components_
        self.explained_variance_ = self.eigenvalues_ / (n - 1)
        self.explained_variance_ratio_ = self.eigenvalues_ / self.eigenvalues_.dtype.type(total)
        self.noise_variance_ = max(total - kept, 0.0) / ((n - 1) * left) if left > 0 else 0.0
        if self.whiten:
            self.components_ = self.components_ / np.sqrt(self.explained_variance_)[:, None]
        return self

    @available_if(_has_density)
    def score_samples(self, X: Rows) -> np.ndarray:
        """Log-likelihood of each row under the model that the directions are of.

        A normal distribution with the mean and the variances of the rows of the fit, those of all
        directions that are left out being `noise_variance_` (Tipping & Bishop 1999). Where that is
        0, densities are of the space that the directions span, and −∞ for rows off it.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        k, d, noise = self.n_components_, len(self.mean_), self.noise_variance_
        Z = rows_dot(self, X, self.components_.T, self.mean_)
        lam = np.asarray(self.explained_variance_, dtype=np.float64)
        along, beside = Z**2 if self.whiten else Z**2 / lam, np.zeros(len(Z))
        rounding = d * float(np.finfo(self.mean_.dtype).eps)
        if k < d:
            rest = _squares(self, X) - along @ lam
            if noise > rounding * lam[0]:
                beside = rest / noise + (d - k) * np.log(noise)
            else:  # what is off the directions is impossible
                d, off = k, rest > np.sqrt(rounding) * (along @ lam + lam[0])
                beside[off] = np.inf
        constant = d * np.log(2.0 * np.pi) + np.log(lam).sum()
        return -0.5 * (constant + along.sum(axis=1) + beside)

    @available_if(_has_density)
    def score(self, X: Rows, y: Ignored = None) -> float:
        """The mean of `score_samples`, which choices of n_components can be compared by."""
        return float(np.mean(self.score_samples(X)))


def _squares(model: PCA, X: Any) -> np.ndarray:
    """‖x − mean‖² of each row."""
    rows, mean = as_rows(model, X), model.mean_
    if isinstance(rows, CentredData):
        raise TypeError("score needs the rows themselves; pass the array that was factored")
    if sp.issparse(rows):
        return rows.power(2).sum(axis=1) - 2.0 * (rows @ mean) + mean @ mean
    return np.square(rows - mean).sum(axis=1)
