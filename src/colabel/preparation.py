"""Preparing data as the papers do, with scikit-learn's transformers and two of our own.

TF-IDF with unit rows is scikit-learn's ``TfidfTransformer()``, and ``StandardScaler(with_mean=
False)`` standardises without densifying: the methods here centre by themselves, implicitly.
"""

from dataclasses import field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from colabel._parameters import Count, CountOrZero, Estimator
from colabel._rows import Ignored, Rows, as_array
from colabel._sklearn import fit_context
from colabel.datasets.dataset import Dataset


class FrequentColumns(SelectorMixin, Estimator):
    """Keep the columns that are not zero in enough rows: words in a text, or labels.

    Fitted on X it drops rare words or keeps the most frequent ones; fitted on Y it drops rare
    labels.

    Parameters
    ----------
    min_rows
        The fewest rows in which a column that stays is not zero.
    most
        Of these, keep only so many, the most frequent; of equals, the first.

    Attributes
    ----------
    counts_ : ndarray of shape (d,)
        The number of rows in which each column is not zero.

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> from colabel.preparation import FrequentColumns
    >>> data = load_debtags()
    >>> FrequentColumns(min_rows=100).fit_transform(data.X).shape
    (4178, 255)
    >>> labels = FrequentColumns(most=3).fit(data.Y)
    >>> labels.get_feature_names_out(data.label_names).tolist()
    ['devel::library', 'interface::commandline', 'interface::graphical']
    """

    min_rows: CountOrZero = field(default=1, kw_only=False)
    most: Count | None = None

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Ignored = None) -> Self:
        """Count."""
        X = as_array(self, X, dtype="numeric")
        self.counts_ = _nonzero_rows(X)
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        enough: np.ndarray = self.counts_ >= self.min_rows
        if self.most is not None:
            ranked = np.argsort(-self.counts_, kind="stable")
            enough = enough & np.isin(np.arange(len(enough)), ranked[: self.most])
        return enough

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class AsinhScaler(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """arsinh(x/s), s a column's standard deviation: measurements with their far values drawn in.

    Near 0 it is x/s, far from it ±log(2|x|/s), so that a few huge values do not decide alone how
    far rows are from each other. Zeros stay zeros, and sparse X sparse.

    Attributes
    ----------
    scale_ : ndarray of shape (d,)
        The standard deviations, 1 for columns that do not vary.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.preparation import AsinhScaler
    >>> X = np.array([[0.0], [1.0], [1e6]])
    >>> AsinhScaler().fit_transform(X).round(1).ravel()
    array([0. , 0. , 1.5])
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Ignored = None) -> Self:
        """Find the standard deviations."""
        X = as_array(self, X)
        self.scale_ = StandardScaler(with_mean=False).fit(X).scale_.astype(X.dtype)
        return self

    def transform(self, X: Any) -> Any:
        """Draw far values in."""
        check_is_fitted(self)
        X = as_array(self, X, reset=False)
        if not sp.issparse(X):
            return np.arcsinh(X / self.scale_)
        X = X.tocsr(copy=True)
        X.data = np.arcsinh(X.data / self.scale_[X.indices])
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _nonzero_rows(X: Any) -> np.ndarray:
    if not sp.issparse(X):
        return np.count_nonzero(X, axis=0)
    stored = sp.csc_array(X, copy=True)
    stored.eliminate_zeros()
    return np.diff(stored.indptr)


def prepare_yahoo(data: Dataset, *, min_label_rows: int = 100, min_word_rows: int = 5) -> Dataset:
    """Prepare counts of words as Ji et al. (2008) prepared the Yahoo web pages.

    Labels of few pages go, then pages without a label, then words in few of the pages that stay;
    TF-IDF follows, and rows of length 1.

    Parameters
    ----------
    data : Dataset
        With counts as X.
    min_label_rows : int, default=100
    min_word_rows : int, default=5

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> from colabel.preparation import prepare_yahoo
    >>> prepare_yahoo(load_debtags(), min_label_rows=200, min_word_rows=10)
    <Dataset debtags: 4159 rows, 2273 features (sparse), 24 labels>
    """
    data = data.select(labels=FrequentColumns(min_label_rows).fit(data.Y).get_support())
    data = data.select(rows=np.asarray(data.Y.sum(axis=1)).ravel() > 0)
    data = data.select(features=FrequentColumns(min_word_rows).fit(data.X).get_support())
    weights = TfidfTransformer().fit_transform(data.X)
    return replace(data, X=sp.csr_array(weights))
