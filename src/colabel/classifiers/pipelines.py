"""The baselines that the papers compare with, ready to use, of scikit-learn's parts and ours."""

from __future__ import annotations

from typing import Any, Self

from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import check_array

from colabel._validation import _fit_context
from colabel.classifiers.edges import bounds_of, open_ends, warn_of_ends
from colabel.classifiers.ridge import LabelRidge
from colabel.classifiers.thresholds import ThresholdTuner
from colabel.extractors import OPLS, HypergraphSpectral, LabelCCA
from colabel.metrics import get_scorer

_RIDGES = [10.0**i for i in range(-6, 2)]
_COSTS = [10.0**i for i in range(-5, 6)]
#: What Ji et al. (2008) try for each baseline, by the steps of its pipeline; for the baselines that
#: they do not have, the same ridges and costs.
GRIDS = {
    "cca": {"ridge": _RIDGES},
    "hypergraph": {"ridge": _RIDGES},
    "ridge": {"alpha": [10.0**i for i in range(-6, 1)]},
    "svm": {"estimator__C": _COSTS},
    "lda_svm": {"estimator__lda__ridge": _RIDGES, "estimator__svm__C": _COSTS},
}


def cca_ridge(ridge: float = 0.1, alpha: float = 1.0) -> Pipeline:
    """Canonical correlation analysis with the labels, then ridge regression on its directions.

    Parameters
    ----------
    ridge : float, default=0.1
        Of :class:`~colabel.LabelCCA`.
    alpha : float, default=1.0
        Of :class:`~colabel.LabelRidge`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_ridge
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cca_ridge().fit(X, Y).predict(X).shape
    (100, 5)
    """
    return Pipeline([("cca", LabelCCA(ridge=ridge, label_ridge=0.0)), ("ridge", LabelRidge(alpha))])


def cca_svm(ridge: float = 0.1, C: float = 1.0) -> Pipeline:
    """Canonical correlation analysis with the labels, then a linear SVM for each label.

    Parameters
    ----------
    ridge : float, default=0.1
        Of :class:`~colabel.LabelCCA`.
    C : float, default=1.0
        Of scikit-learn's LinearSVC.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_svm
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cca_svm().fit(X, Y).predict(X).shape
    (100, 5)
    """
    return Pipeline([("cca", LabelCCA(ridge=ridge, label_ridge=0.0)), ("svm", _svm(C))])


def linear_svm(C: float = 1.0) -> Pipeline:
    """A linear SVM for each label, one against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Of scikit-learn's LinearSVC.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import linear_svm
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> linear_svm().fit(X, Y).predict(X).shape
    (100, 5)
    """
    return Pipeline([("svm", _svm(C))])


def _svm(C: float) -> OneVsRestClassifier:
    return OneVsRestClassifier(LinearSVC(C=C, random_state=0))


def lda_svm(ridge: float = 0.1, C: float = 1.0) -> Pipeline:
    """Linear discriminant analysis and then a linear SVM, for each label by itself.

    For one label the direction of :class:`~colabel.OPLS` is that of discriminant analysis, with the
    ridge added to the scatter within classes: the scatters within and in all differ by a multiple
    of the product of that direction's right-hand side with itself. It takes a sparse X.

    Parameters
    ----------
    ridge : float, default=0.1
        What is added to the scatter; it is not scaled by the number of rows.
    C : float, default=1.0
        Of scikit-learn's LinearSVC.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import lda_svm
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> lda_svm().fit(X, Y).predict(X).shape
    (100, 5)
    """
    one_label = Pipeline([("lda", OPLS(1, ridge=ridge)), ("svm", LinearSVC(C=C, random_state=0))])
    return Pipeline([("lda_svm", OneVsRestClassifier(one_label))])


def hsml(ridge: float = 0.1, C: float = 1.0, *, laplacian: str = "clique") -> Pipeline:
    """Hypergraph spectral learning, then a linear SVM for each label on its directions.

    Parameters
    ----------
    ridge : float, default=0.1
        Of :class:`~colabel.HypergraphSpectral`.
    C : float, default=1.0
        Of scikit-learn's LinearSVC.
    laplacian : {"clique", "star", "zhou", "cca"}, default="clique"
        Of :class:`~colabel.HypergraphSpectral`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import hsml
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> hsml().fit(X, Y).predict(X).shape
    (100, 5)
    """
    embedding = HypergraphSpectral(laplacian=laplacian, ridge=ridge)
    return Pipeline([("hypergraph", embedding), *linear_svm(C).steps])


def tuned(
    pipeline: Pipeline,
    *,
    cv: Any = 5,
    scoring: Any = "f1_macro",
    thresholds: str | None = "train",
    n_jobs: int | None = None,
) -> GridSearchCV:
    """A baseline with its parameters and thresholds tuned as the papers tune them.

    Parameters
    ----------
    pipeline : Pipeline
        From one of the functions above; what is tried for each step is in `GRIDS`.
    cv : int, splitter or iterable, default=5
    scoring : str or callable, default="f1_macro"
        A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    thresholds : {"train", "out-of-fold", None}, default="train"
        Whether each label's threshold is tuned for F1, on the scores of the training rows or on
        out-of-fold ones.
    n_jobs : int or None, default=None

    Returns
    -------
    GridSearchCV

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_ridge, tuned
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> search = tuned(cca_ridge(), cv=2).fit(X, Y)
    >>> sorted(search.best_params_)
    ['estimator__cca__ridge', 'estimator__ridge__alpha']
    """
    prefix, model = "", pipeline
    if thresholds is not None:
        folds = "train" if thresholds == "train" else 5
        prefix, model = "estimator__", ThresholdTuner(pipeline, cv=folds, random_state=0)
    grid = {
        f"{prefix}{step}__{name}": values
        for step in pipeline.named_steps
        for name, values in GRIDS[step].items()
    }
    return TunedBaseline(model, grid, cv=cv, scoring=get_scorer(scoring), n_jobs=n_jobs)


class TunedBaseline(GridSearchCV):
    """scikit-learn's search, which says where the best is at the edge of its grid.

    Examples
    --------
    >>> from colabel.classifiers import linear_svm, tuned
    >>> tuned(linear_svm(), cv=2).cv
    2
    """

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Try every candidate, and fit the best on all rows.

        Parameters
        ----------
        X : array or sparse array of shape (n, d)
        y : array or sparse array of shape (n, q)
        **params
            As of scikit-learn's GridSearchCV.

        Returns
        -------
        self
        """
        check_array(X, accept_sparse=True)  # or every fit would fail by itself
        super().fit(X, y, **params)
        scores = self.cv_results_["mean_test_score"]
        ends = open_ends(
            self.cv_results_["params"], scores, lambda name: bounds_of(self.estimator, name)
        )
        warn_of_ends(ends, stacklevel=2)
        return self
