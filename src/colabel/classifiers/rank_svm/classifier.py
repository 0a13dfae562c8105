"""The ranking support vector machine for label sets."""

import warnings
from collections.abc import Callable
from dataclasses import field
from itertools import islice
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from colabel._bases import LinearScorer
from colabel._labels import Indicator, Labels, Scores, as_labels, dense_labels
from colabel._parameters import Count, Finite, NonNegative, Positive, Verbose
from colabel._public import public
from colabel._rows import Rows, as_data, as_rows
from colabel._sklearn import fit_context
from colabel._terminal import progress
from colabel.classifiers.rank_svm.loss import Pairs
from colabel.classifiers.rank_svm.problem import RankingProblem, regressed_threshold
from colabel.linalg.data import CentredData
from colabel.linalg.kernel_rows import kernel_rows
from colabel.linalg.small import enough_threads

#: As in scikit-learn's `kernel_metrics`.
Kernel: TypeAlias = Literal[
    "additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "precomputed",
    "rbf", "sigmoid",
]  # fmt: skip


@public
class RankSVM(LinearScorer):
    """min ½‖W‖² + C Σ_i 1/(|Y_i||Ȳ_i|) Σ φ(f_k(x_i) − f_l(x_i)) over pairs k ∈ Y_i, l ∉ Y_i.

    Linear scores f(x) = Wx + b that rank the labels Y_i of an instance above the others, with φ
    the squared hinge or the hinge. Instances that have all labels or none have no pairs and do not
    count. Biases are not penalised. A threshold t(x), a linear function of the scores that is
    fitted to the best cut of each training row, tells how many labels to predict.

    - Of one label, or a 1-D y of two classes, the one is ranked against the other: a linear SVM.
    - On a 1-D y of more classes it is a multi-class SVM of pairwise margins, and the highest score
      decides.
    - ``kernel="linear"`` is the same as no kernel, at a cost that grows with the cube of n.

    It is solved in the primal by Newton's method, in O(nq log q) beside the products with X, not
    O(nq²). (Elisseeff & Weston 2001, who solve the dual of the hinge.)

    Parameters
    ----------
    C
        The price of ranking an instance wrongly, beside ½‖W‖².
    loss
        φ(m) = max(0, 1 − m)², or without the square as in the paper, which takes several times as
        long.
    threshold
        "regression" fits t(x) by least squares; "zero" predicts the labels that score above the
        mean of all, which ranks but hardly cuts: for use with :class:`ThresholdTuner`, or where
        only the ranking counts.
    kernel
        None: linear, for any number of rows. A name of scikit-learn's `kernel_metrics`, a function
        of two rows, or "precomputed": for few rows, as an n×n matrix is factored.
    gamma
    degree
    coef0
        Of the kernels that have them, as in scikit-learn.
    tol
        Relative accuracy of the objective; the bound that is used is a cautious one.
    max_iter
        The most Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
        Without a kernel. The threshold is taken off: W less the direction of t in every row. The
        ranking scores are those of `decision_function` less their mean over labels.
    dual_coef_ : ndarray of shape (n, q)
        With a kernel: scores are K(x, X_fit_) @ dual_coef_ + intercept_.
    intercept_ : ndarray of shape (q,)
    threshold_coef_ : ndarray of shape (q,)
    threshold_intercept_ : float
        t(x) = threshold_coef_ f(x) + threshold_intercept_.
    X_fit_ : array or sparse array of shape (n, d)
        With a kernel: the training rows.
    objective_ : float
    n_iter_ : int
        Newton steps taken.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import RankSVM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> Y = (X @ rng.normal(size=(10, 4)) > 0).astype(int)
    >>> model = RankSVM().fit(X, Y)
    >>> Y[:2]
    array([[0, 1, 1, 1],
           [1, 1, 0, 1]])
    >>> model.predict_ranking(X[:2])
    array([[4, 3, 1, 2],
           [2, 1, 4, 3]])
    """

    C: Positive = field(default=1.0, kw_only=False)
    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    threshold: Literal["regression", "zero"] = "regression"
    kernel: Kernel | Callable[..., Any] | None = None
    gamma: NonNegative | None = None
    degree: NonNegative = 3
    coef0: Finite = 1.0
    tol: NonNegative = 1e-3
    max_iter: Count = 500
    verbose: Verbose = False

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Labels) -> Self:
        """Fit the scores and the threshold.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
            With ``kernel="precomputed"`` the n×n kernel matrix.
        """
        data = as_data(self, X)
        labels = as_labels(self, y, data)
        labels.warn_of_constant()
        if self.kernel is not None:
            self.X_fit_ = as_rows(self, X)
            if self.kernel == "precomputed" and data.shape[0] != data.shape[1]:
                raise ValueError(
                    "with kernel='precomputed' X is the kernel matrix of the training rows, one "
                    f"column for each of them; got the shape {data.shape}"
                )
            data = kernel_rows(self._kernel_to(self.X_fit_), data.dtype)
        self._keep(self.coefficients(data, labels), data, labels)
        self.intercept_ = (self._offset - data.mean @ self.coef_.T).astype(data.dtype)
        if self.kernel is not None:
            self.dual_coef_ = self.coef_.T
            del self.coef_
        return self

    @property
    def _takes_factored(self) -> bool:
        """Whether X may be a FactoredMatrix: a kernel needs the rows themselves."""
        return self.kernel is None

    def _kernel_to(self, X: Any) -> np.ndarray:
        """Kernel values of rows (m×n) with the training rows, in float64."""
        if isinstance(X, CentredData):
            raise ValueError(
                f"kernel={self.kernel!r} needs the rows themselves, but X is a FactoredMatrix: "
                "pass the array it was made of, or set kernel=None"
            )
        rows, fitted = (part.astype(np.float64, copy=False) for part in (X, self.X_fit_))
        if self.kernel == "precomputed":
            return rows.toarray() if sp.issparse(rows) else rows
        settings = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        given = {name: value for name, value in settings.items() if value is not None}
        named = {} if callable(self.kernel) else {"filter_params": True, **given}
        return pairwise_kernels(rows, fitted, metric=self.kernel, **named)

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        n, q = labels.matrix.shape
        varying = (labels.counts > 0) & (labels.counts < n)
        M, self._offset = np.zeros((data.core.shape[1], q)), np.sign(2.0 * labels.counts - n)
        self.threshold_coef_, self.threshold_intercept_ = np.zeros(q), 0.0
        self._thresholded = np.empty(0, dtype=int)  # the labels that the threshold is taken off
        self.objective_, self.n_iter_ = 0.0, 0
        if varying.any():
            Y = dense_labels(labels.matrix[:, varying])
            with enough_threads(data.core.nnz):
                W, b, F = self._ranking(data, Y)
            reach = np.abs(F).max()
            if labels.classes is None and self.threshold == "regression" and Y.shape[1] > 1:
                with enough_threads(F.size):
                    a, a0 = regressed_threshold(F, Y > 0)
                self.threshold_coef_[varying], self.threshold_intercept_ = a, a0
                W, b, F = (part - (part @ a)[..., None] for part in (W, b, F))
                b, F = b - a0, F - a0
                self._thresholded = np.flatnonzero(varying)
            M[:, varying], self._offset[varying] = W, b
            # ranked first, or last, with the threshold and without
            self._offset[~varying] *= 1.0 + max(reach, np.abs(F).max())
        return data.lift(M)

    def _ranking(self, data: CentredData, Y: np.ndarray) -> tuple[np.ndarray, ...]:
        """W and b of the ranking scores, and the scores of the training rows."""
        alone = Y.shape[1] == 1
        pairs = Pairs.of(np.hstack([1.0 - Y, Y]) if alone else Y, self.C)
        if not pairs.weights.any():
            warnings.warn(
                "no row has one label and lacks another, so there is nothing to rank: all rows get "
                "the same scores",
                UserWarning,
                stacklevel=5,
            )
        problem = RankingProblem(data.core, pairs, self.loss)
        steps = islice(problem.steps(self.tol), self.max_iter + 1)
        for _ in progress(
            steps, total=self.max_iter, description="steps of RankSVM", enabled=bool(self.verbose)
        ):
            pass
        if not problem.converged:
            self._warn(problem.error)
        self.objective_, self.n_iter_ = problem.objective, problem.n_iter
        found = problem.V[:-1], problem.V[-1], problem.F
        if alone:
            return tuple(part[..., 1:] - part[..., :1] for part in found)
        return tuple(part - part.mean(axis=-1, keepdims=True) for part in found)

    def _warn(self, error: float) -> None:
        warnings.warn(
            f"RankSVM stopped after max_iter={self.max_iter} Newton steps with a relative error of "
            f"up to {error:.1e}, more than tol={self.tol:g}; a larger max_iter or tol, or a "
            "smaller C, makes it converge",
            ConvergenceWarning,
            stacklevel=6,
        )

    def _uncut(self, X: Any) -> np.ndarray:
        """Scores less the threshold of the row, n×q, from which nothing more is taken off."""
        if self.kernel is None:
            return super()._uncut(X)
        K = self._kernel_to(as_rows(self, X)).astype(self.dual_coef_.dtype, copy=False)
        return K @ self.dual_coef_ + self.intercept_

    def uncut_scores(self, X: Rows) -> Scores:
        """The ranking scores f(x), before the threshold t(x) of the row is taken off.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
            With ``kernel="precomputed"`` kernel values with the training rows.
        """
        check_is_fitted(self)
        scores = self._uncut(X)
        if len(self._thresholded):
            # ranking scores sum to zero over labels, until one number is taken off all of them
            cut = self._thresholded
            scores[:, cut] -= scores[:, cut].mean(axis=1, keepdims=True)
        return self._shape(scores)

    def predict_ranking(self, X: Rows) -> np.ndarray:
        """Ranks of the labels: 1 for the most relevant. Of equals, the first label comes first."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])[:, -len(self.classes_) :]
        return rankdata(-scores, method="ordinal", axis=1).astype(int)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
