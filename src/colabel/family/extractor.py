"""The base of every linear extractor: a subclass is its problem, and its own parameters."""

from abc import ABC, abstractmethod
from dataclasses import field
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils import check_array, check_random_state
from sklearn.utils.extmath import svd_flip
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from colabel._bases import Projection
from colabel._in_parts import FittedInParts
from colabel._indicator import Indicator, LabelMatrix
from colabel._kernels import Kernelised
from colabel._labels import Labels, Observed, as_labels
from colabel._parameters import Count, Fraction, NonNegative, Seed, as_penalties
from colabel._rows import FLOATS, Rows, as_data
from colabel._sklearn import fit_context
from colabel._terminal import watch_iterations
from colabel._weights import SampleWeight, as_weights
from colabel.family.choose import SolverName, solve
from colabel.family.problem import Directions, Task, TraceProblem
from colabel.linalg.data import CentredData
from colabel.linalg.moments import UNSEEN_LABELS, Moments, RowsNeededError


def _rows_come_back(extractor: Any) -> bool:
    if extractor.kernel is None and not extractor.n_landmarks_:
        return True
    raise AttributeError("rows cannot be had back from their images under a kernel")


def _fix_signs(P: np.ndarray, data: CentredData) -> np.ndarray:
    """Directions as rows, the largest coefficient of each positive.

    With a kernel the coefficients are of rows, and divided among those that are repeated: there it
    is the largest projection of a row that is positive.
    """
    if data.kernel_map is None:
        return svd_flip(None, P.T, u_based_decision=False)[1]
    Z = data.uncentred_dot(P) - data.mean @ P
    return svd_flip(Z, P.T.copy(), u_based_decision=True)[1]


class LinearExtractor(Projection, Kernelised, FittedInParts, ABC):
    """Directions P that solve max tr(PᵀAP) subject to PᵀBP = I, and rows projected on them.

    A subclass says what its problem is, in :meth:`problem`; everything else is here.

    Parameters
    ----------
    n_components
        Directions to keep: an int that many; a float t in (0, 1) the smallest number whose
        eigenvalues sum to the share t of all; None every positive eigenvalue.
    solver
        How the problem is solved; all give the same directions. "auto" takes the cheapest.
    tol
        Relative accuracy of iterative solvers; the direct ones ignore it.
    random_state
        Seeds the start of the "truncated" solver, and the choice of landmarks.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, d)
        Row i is direction i.
    eigenvalues_ : ndarray of shape (n_components_,)
        tr(PᵀAP) direction by direction, descending.
    mean_ : ndarray of shape (d,)
    n_components_ : int
    label_names_ : ndarray of shape (q,)
        Names of all labels given, those left out for want of a positive row included.
    """

    n_components: Count | Fraction | None = field(default=None, kw_only=False)
    solver: SolverName = "auto"
    tol: NonNegative = 1e-10
    random_state: Seed = None

    _solution = "components_"
    # whether the problem depends on them (a comment, as an annotation would declare a parameter)
    _uses_labels = True
    _takes_unknown = True

    @abstractmethod
    def problem(self, Y: LabelMatrix) -> TraceProblem:
        """The trace problem that labels Y (n×q in {0, 1}, dense or sparse) define."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Rows,
        y: Labels = None,
        sample_weight: SampleWeight = None,
        *,
        observed: Observed = None,
    ) -> Self:
        """Find the directions."""
        weights = as_weights(sample_weight)
        data = as_data(self, X, weights)
        if not self._uses_labels:
            return self._keep(self._directions(data, None), data)
        labels = as_labels(self, y, data, weights, observed)
        self.label_names_ = labels.names
        return self._keep(self._directions(data, self._with_rows(labels)), data)

    def _fit_moments(self, data: CentredData, labels: Indicator | None) -> None:
        Y = None if labels is None else self._with_rows(labels)
        self._keep(self._directions(data, Y), data)

    def _with_rows(self, labels: Indicator) -> Any:
        """The labels that some row has, as similarities see them."""
        self._has_rows = labels.counts > 0
        return labels.without_empty().weighted

    def _of_labels(self, name: str) -> np.ndarray | None:
        """A parameter that has a number ≥ 0 for each label: of the labels that some row has."""
        if getattr(self, name) is None:
            return None
        found = np.array(as_penalties(name, getattr(self, name)))
        if len(found) != len(self._has_rows):
            raise ValueError(
                f"{name} has {len(found)} values for {len(self._has_rows)} labels; give one a label"
            )
        return found[self._has_rows]

    @property
    def _needs_rows(self) -> str:  # type: ignore[override]
        try:
            self.problem(UNSEEN_LABELS if self._uses_labels else None)
        except (RowsNeededError, AttributeError, ValueError):
            return f"{type(self).__name__} weighs single rows by their labels"
        return ""

    def _too_little(self, moments: Moments) -> str:
        if moments.rows == 1:
            return "one row has no directions"
        return "" if not len(moments.counts) or moments.counts.any() else "no row has a label"

    def _directions(self, data: CentredData, Y: LabelMatrix) -> Directions:
        task = self._task(data, Y)
        with watch_iterations(f"fitting {type(self).__name__}"):
            return solve(task, self.solver)

    def _task(self, data: CentredData, Y: LabelMatrix) -> Task:
        self._check_n_components(data)
        rng = check_random_state(self.random_state)
        return Task(self.problem(Y), data, self.n_components, self.tol, rng)

    def _check_n_components(self, data: CentredData) -> None:
        limit = min(data.shape)
        if isinstance(self.n_components, Integral) and self.n_components > limit:
            raise ValueError(
                f"n_components={self.n_components} is more than min(n_samples, n_features)="
                f"{limit}; use a smaller number, or None for all positive eigenvalues"
            )

    def _keep(self, found: Directions, data: CentredData) -> Self:
        self.__dict__.pop("moments_", None)  # of other rows
        components = _fix_signs(found.P, data)
        self.components_ = components.astype(data.dtype)
        self.eigenvalues_ = found.eigenvalues.astype(data.dtype)
        self.mean_ = data.mean.astype(data.dtype)
        self.n_components_ = len(components)
        self.solver_ = found.solver
        return self

    @available_if(_rows_come_back)
    def inverse_transform(self, Z: ArrayLike) -> np.ndarray:
        """The smallest rows, measured from the mean, that `transform` takes to Z.

        (Z @ pinv(components_.T)) + mean_. Where B = I the directions are orthonormal, and this is
        the orthogonal reconstruction Z @ components_ + mean_.
        """
        check_is_fitted(self)
        given: np.ndarray = check_array(Z, dtype=FLOATS)
        if given.shape[1] != self.n_components_:
            raise ValueError(
                f"Z has {given.shape[1]} columns, but {type(self).__name__} was fitted with "
                f"n_components_={self.n_components_} directions"
            )
        # pinv(P) = (PᵀP)⁻¹Pᵀ through a QR of P, whose condition number is not squared
        Q, R = linalg.qr(self.components_.T, mode="economic")
        return linalg.solve_triangular(R, given.T, trans="T").T @ Q.T + self.mean_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self._uses_labels
        tags.target_tags.multi_output = True
        return tags
