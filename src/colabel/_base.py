"""The base classes of the library's estimators."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_array, check_random_state
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import check_is_fitted

from colabel._partial_fit import FittedInParts
from colabel._progress import watched_iterations
from colabel._validation import (
    FLOATS,
    Indicator,
    Interval,
    StrOptions,
    _fit_context,
    as_data,
    as_labels,
    as_rows,
)
from colabel.algebra import cost
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.moments import Moments
from colabel.algebra.trace import Directions, TraceProblem, solve


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Rows projected on the directions of a fitted estimator, which `_projects_on` names."""

    _projects_on = "components_"

    def transform(self, X: Any) -> np.ndarray:
        """Project rows on the directions: (X − mean_) @ directions.T.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, n_components_)
        """
        check_is_fitted(self)
        rows, P = as_rows(self, X), getattr(self, self._projects_on).T
        if isinstance(rows, FactoredMatrix):
            return rows.uncentred_dot(P) - self.mean_ @ P
        return rows @ P - self.mean_ @ P if sparse.issparse(rows) else (rows - self.mean_) @ P

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


_PARAMETERS = """\
n_components : int, float or None, default=None
    Directions to keep: an int that many; a float t in (0, 1) the smallest number whose
    eigenvalues sum to the share t of all; None every positive eigenvalue.
solver : {"auto", "factor", "two-stage", "truncated"}, default="auto"
    How the problem is solved; all give the same directions. "auto" takes the cheapest.
tol : float, default=1e-10
    Relative accuracy of iterative solvers; the direct ones ignore it.
random_state : int, RandomState or None, default=None
    Seeds the start of the "truncated" solver.
"""

_ATTRIBUTES = """\
Attributes
----------
components_ : ndarray of shape (n_components_, d)
    Row i is direction i.
eigenvalues_ : ndarray of shape (n_components_,)
    tr(PᵀAP) direction by direction, descending.
mean_ : ndarray of shape (d,)
n_components_ : int
solver_ : str
    The solver used.
label_names_ : ndarray of shape (q,)
    Names of all labels given, those left out for want of a positive row included.
moments_ : Moments
    The sums over rows that `partial_fit` adds to; `fit` keeps none.
"""


class LinearExtractor(Projection, FittedInParts, BaseEstimator, ABC):
    """Directions P that solve max tr(PᵀAP) subject to PᵀBP = I, and rows projected on them.

    A subclass says what its problem is, in :meth:`_problem`; everything else is here. What its
    docstring need not repeat (the common parameters and attributes) is put before its examples.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__:
            before, examples, after = inspect.cleandoc(cls.__doc__).partition("Examples\n---")
            heading = "" if "\nParameters\n" in before else "Parameters\n----------\n"
            own = before.rstrip("\n") + "\n" * (2 if heading else 1) + heading
            cls.__doc__ = f"{own}{_PARAMETERS}\n{_ATTRIBUTES}\n{examples}{after}\n"

    _solution = "components_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "solver": [StrOptions({"auto", *cost.SOLVERS})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    @abstractmethod
    def _problem(self, Y: Any) -> TraceProblem:
        """The trace problem that labels Y (n×q in {0, 1}, dense or sparse) define."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, Y: Any) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1. A 1-D y holds one class a row.

        Returns
        -------
        self
        """
        data = as_data(self, X)
        labels = as_labels(self, Y, data)
        self.label_names_ = labels.names
        return self._keep(self._directions(data, labels.without_empty().matrix), data)

    def _fit_moments(self, data: FactoredMatrix, labels: Indicator) -> None:
        self._keep(self._directions(data, labels.without_empty().matrix), data)

    def _too_little(self, moments: Moments) -> str:
        if moments.n == 1:
            return "one row has no directions"
        return "" if not len(moments.counts) or moments.counts.any() else "no row has a label"

    def _directions(self, data: FactoredMatrix, Y: Any) -> Directions:
        self._check_n_components(data)
        rng = check_random_state(self.random_state)
        problem = self._problem(Y)
        with watched_iterations(f"fitting {type(self).__name__}"):
            return solve(problem, data, self.n_components, self.solver, self.tol, rng)

    def _check_n_components(self, data: FactoredMatrix) -> None:
        limit = min(data.shape)
        if isinstance(self.n_components, Integral) and self.n_components > limit:
            raise ValueError(
                f"n_components={self.n_components} is more than min(n_samples, n_features)="
                f"{limit}; use a smaller number, or None for all positive eigenvalues"
            )

    def _keep(self, found: Directions, data: FactoredMatrix) -> Self:
        self.__dict__.pop("moments_", None)  # of other rows
        _, components = svd_flip(None, found.P.T, u_based_decision=False)
        self.components_ = components.astype(data.dtype)
        self.eigenvalues_ = found.eigenvalues.astype(data.dtype)
        self.mean_ = data.mean.astype(data.dtype)
        self.n_components_ = len(components)
        self.solver_ = found.solver
        return self

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The smallest rows, measured from the mean, that `transform` takes to Z.

        (Z @ pinv(components_.T)) + mean_. Where B = I the directions are orthonormal, and this is
        the orthogonal reconstruction Z @ components_ + mean_.

        Parameters
        ----------
        Z : array of shape (n, n_components_)

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=FLOATS)
        if Z.shape[1] != self.n_components_:
            raise ValueError(
                f"Z has {Z.shape[1]} columns, but {type(self).__name__} was fitted with "
                f"n_components_={self.n_components_} directions"
            )
        # pinv(P) = (PᵀP)⁻¹Pᵀ through a QR of P, whose condition number is not squared
        Q, R = linalg.qr(self.components_.T, mode="economic")
        return linalg.solve_triangular(R, Z.T, trans="T").T @ Q.T + self.mean_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


class LinearScorer(ClassifierMixin, BaseEstimator, ABC):
    """One linear score a label, f(x) = coef_ x + intercept_; a label is predicted where f(x) > 0.

    A subclass says what the coefficients are, in :meth:`_coefficients`. Scores are fitted to ±1, so
    that a label which every row has, or none, gets a constant score of its sign. One that tunes
    where its scores are cut says so by :meth:`_cut_at`.
    """

    # what is taken off the scores, and the intercepts before it was; None where nothing is
    _cuts: Any = None
    _uncut_intercept: Any = None

    @property
    def _takes_factored(self) -> bool:
        """Whether X may be a FactoredMatrix, which holds no rows."""
        return True

    @abstractmethod
    def _coefficients(self, data: FactoredMatrix, labels: Indicator) -> np.ndarray:
        """Coefficients U (d×q) of the centred data."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, Y: Any) -> Self:
        """Fit one score a label.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
        Y : array, sparse array or DataFrame of shape (n, q)
            Labels as 0/1, booleans or ±1. A 1-D y holds one class a row, and `predict` returns
            classes then.

        Returns
        -------
        self
        """
        data = as_data(self, X)
        labels = as_labels(self, Y, data)
        labels.warn_of_constant()
        with watched_iterations(f"fitting {type(self).__name__}"):
            U = self._coefficients(data, labels)
        return self._keep(U, data, labels)

    def _fit_moments(self, data: FactoredMatrix, labels: Indicator) -> None:
        labels.warn_of_constant()
        self._keep(self._coefficients(data, labels), data, labels)

    def _keep(self, U: np.ndarray, data: FactoredMatrix, labels: Indicator) -> Self:
        for name in ("moments_", "_cuts", "_uncut_intercept"):  # of other rows
            self.__dict__.pop(name, None)
        self.label_names_ = labels.names
        self.classes_ = labels.class_list
        self._is_multilabel = labels.classes is None
        self.coef_ = U.T.astype(data.dtype)
        base = 2.0 * labels.counts / labels.matrix.shape[0] - 1.0
        self.intercept_ = (base - data.mean @ U).astype(data.dtype)
        return self

    def _cut_at(self, cuts: np.ndarray) -> None:
        """Predict a label where its score is above its cut.

        The cuts are taken off the scores, not only off the intercepts, as that would round: a score
        that is equal to its cut is not above it.
        """
        self._cuts, self._uncut_intercept = cuts, self.intercept_
        self.intercept_ = self.intercept_ - cuts

    def _matrix_of_scores(self, X: Any) -> np.ndarray:
        """Scores before they are cut, n×q."""
        check_is_fitted(self)
        X = as_rows(self, X)
        product = X.uncentred_dot if isinstance(X, FactoredMatrix) else X.__matmul__
        uncut = self.intercept_ if self._uncut_intercept is None else self._uncut_intercept
        return product(self.coef_.T) + uncut

    def _shaped(self, scores: np.ndarray) -> np.ndarray:
        return scores if self._is_multilabel or scores.shape[1] > 1 else scores[:, 0]

    def uncut_scores(self, X: Any) -> np.ndarray:
        """Scores of the labels before anything is taken off them to decide: what rankings are by.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, q), or (n,) for a 1-D y of two classes
        """
        return self._shaped(self._matrix_of_scores(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the labels, less their thresholds where these are tuned.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, q), or (n,) for a 1-D y of two classes
        """
        scores = self._matrix_of_scores(X)
        return self._shaped(scores if self._cuts is None else scores - self._cuts)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a positive score; for a 1-D y, the class with the largest.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, q) of 0 and 1, or (n,) of classes for a 1-D y
        """
        return decide(self.decision_function(X), self.classes_, self._is_multilabel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def shown_labels(scores: np.ndarray, one_each: bool) -> np.ndarray:
    """Labels of 0 and 1: where scores (n×q) are positive, or the highest of each row."""
    if not one_each:
        return (scores > 0).astype(int)
    return (np.arange(scores.shape[1]) == np.argmax(scores, axis=1)[:, None]).astype(int)


def decide(scores: np.ndarray, classes: np.ndarray, is_multilabel: bool) -> np.ndarray:
    """Labels from scores: 0/1 where they are positive, or one class a row for a 1-D y."""
    above = (scores > 0).astype(int)
    if is_multilabel:
        return above
    if scores.ndim == 1:
        return classes[np.minimum(above, len(classes) - 1)]
    return classes[np.argmax(scores, axis=1)]
