"""The images of rows under a kernel as features, for any pipeline."""

from dataclasses import field
from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from colabel._kernels import Kernelised, KernelName, Landmarks, kernel_of
from colabel._labels import Labels
from colabel._row_blocks import is_dask, row_blocks
from colabel._rows import Rows, as_array, as_rows, row_parts
from colabel._sklearn import fit_context
from colabel.linalg.data import CentredData
from colabel.linalg.landmarks import LandmarkSpace, blocks_of, landmark_rows
from colabel.linalg.products import BLOCK_BYTES


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Kernelised):
    """min ‖K − FFᵀ‖ by pivoted Cholesky: features F whose inner products are a kernel's values.

    A linear model of them is the kernel model, at a cost that grows with the number of rows and not
    with its cube. Rows become landmarks with probabilities in proportion to what others leave of
    them (Chen, Epperly, Tropp & Webber 2023). With ``n_landmarks=None`` all rows are landmarks,
    and F is exact. The estimators of this library take a `kernel` of their own; this is for others.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from colabel import KernelFeatures
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X**2).sum(axis=1) < 1  # which is inside of a circle
    >>> model = make_pipeline(KernelFeatures(n_landmarks=50, random_state=0), RidgeClassifier())
    >>> [round(classifier.fit(X, y).score(X, y), 1) for classifier in (RidgeClassifier(), model)]
    [0.6, 1.0]
    """

    _refuses_weights = (
        "features are values of a kernel, which do not depend on what rows count; give weights to "
        "the estimator behind it"
    )

    kernel: KernelName = field(default="rbf", kw_only=False)
    n_landmarks: Landmarks = 1000

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Labels = None) -> Self:
        """Choose the landmarks."""
        rows = self._read(X, reset=True)
        rng = check_random_state(self.random_state)
        kernel = kernel_of(self, rows, None, rng)
        data = landmark_rows(kernel, rows, self.n_landmarks or rows.shape[0], rng, rows.dtype)
        space = cast(LandmarkSpace, data.space)
        self.kernel_map_, self.root_ = space.map, space.L
        return self

    def transform(self, X: Rows) -> np.ndarray:
        """F: kernel values with the landmarks, made uncorrelated by a triangular solve."""
        check_is_fitted(self)
        rows, space = self._read(X, reset=False), LandmarkSpace(self.kernel_map_, self.root_)
        if isinstance(rows, CentredData):
            given = blocks_of(rows).given
            return np.vstack(given.each(space.coordinates, [()] * len(given))).astype(rows.dtype)
        found = np.empty((rows.shape[0], len(self.root_)), dtype=rows.dtype)
        start = 0
        for part in row_parts(rows, max(1, BLOCK_BYTES // (8 * len(self.root_)))):
            found[start : start + part.shape[0]] = space.coordinates(part)
            start += part.shape[0]
        return found

    def _read(self, X: Rows, *, reset: bool) -> Any:
        """Rows in an array, or in blocks."""
        X = row_blocks(X) if is_dask(X) else X
        if not isinstance(X, CentredData):
            rows = as_array(self, X, reset=reset, ensure_min_samples=2 if reset else 1)
            return rows.tocsr() if sparse.issparse(rows) else rows
        if reset:
            self.n_features_in_ = X.shape[1]
        return X if reset else as_rows(self, X)

    @property
    def _n_features_out(self) -> int:
        return len(self.root_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
