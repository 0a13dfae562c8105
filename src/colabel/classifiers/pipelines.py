"""The baselines that the papers compare with, ready to use, of scikit-learn's parts and ours."""

from typing import Annotated, TypeAlias

from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from colabel._documents import Says
from colabel.classifiers.ridge import LabelRidge
from colabel.extractors import OPLS, LabelCCA
from colabel.family.similarity import Laplacian
from colabel.hypergraph import HypergraphSpectral

CCARidge: TypeAlias = Annotated[float, Says("Of :class:`~colabel.LabelCCA`.")]
GraphRidge: TypeAlias = Annotated[float, Says("Of :class:`~colabel.HypergraphSpectral`.")]
Scatter: TypeAlias = Annotated[
    float, Says("What is added to the scatter; it is not scaled by the number of rows.")
]
Alpha: TypeAlias = Annotated[float, Says("Of :class:`~colabel.LabelRidge`.")]
Cost: TypeAlias = Annotated[float, Says("Of scikit-learn's LinearSVC.")]


def cca_ridge(ridge: CCARidge = 0.1, alpha: Alpha = 1.0) -> Pipeline:
    """Canonical correlation analysis with the labels, then ridge regression on its directions.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_ridge
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cca_ridge().fit(X, Y).predict(X).shape
    (100, 5)
    """
    return Pipeline([("cca", LabelCCA(ridge=ridge, label_ridge=0.0)), ("ridge", LabelRidge(alpha))])


def cca_svm(ridge: CCARidge = 0.1, C: Cost = 1.0) -> Pipeline:
    """Canonical correlation analysis with the labels, then a linear SVM for each label.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_svm
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cca_svm().fit(X, Y).predict(X).shape
    (100, 5)
    """
    return Pipeline([("cca", LabelCCA(ridge=ridge, label_ridge=0.0)), ("svm", _svm(C))])


def linear_svm(C: Cost = 1.0) -> Pipeline:
    """A linear SVM for each label, one against the rest.

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


def lda_svm(ridge: Scatter = 0.1, C: Cost = 1.0) -> Pipeline:
    """Linear discriminant analysis and then a linear SVM, for each label by itself.

    For one label the direction of :class:`~colabel.OPLS` is that of discriminant analysis, with the
    ridge added to the scatter within classes: the scatters within and in all differ by a multiple
    of the product of that direction's right-hand side with itself. It takes a sparse X.

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


def hsml(ridge: GraphRidge = 0.1, C: Cost = 1.0, *, laplacian: Laplacian = "clique") -> Pipeline:
    """Hypergraph spectral learning, then a linear SVM for each label on its directions.

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
