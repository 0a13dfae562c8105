"""The ranking support vector machine for label sets."""

import warnings
from dataclasses import field
from itertools import islice
from typing import Literal, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from colabel._bases import LinearScorer
from colabel._indicator import Indicator, dense_labels
from colabel._kernels import Kernelised
from colabel._labels import Scores
from colabel._parameters import Count, NonNegative, Positive, Verbose
from colabel._rows import Rows
from colabel._terminal import progress
from colabel.classifiers.rank_svm.loss import Pairs
from colabel.classifiers.rank_svm.problem import RankingProblem, regressed_threshold
from colabel.linalg.data import CentredData
from colabel.linalg.kernel_rows import KernelSpace
from colabel.linalg.small import enough_threads


class RankSVM(LinearScorer, Kernelised):
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

    With a kernel, `kernel_map_` keeps the rows that a pair of labels is lost on, where leaving out
    the others costs no more than `tol`; and all of them otherwise.

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
    tol
        Relative accuracy of the objective; the bound that is used is a cautious one.
    max_iter
        The most Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
        The threshold is taken off: W less the direction of t in every row. The ranking scores are
        those of `decision_function` less their mean over labels.
    intercept_ : ndarray of shape (q,)
    threshold_coef_ : ndarray of shape (q,)
    threshold_intercept_ : float
        t(x) = threshold_coef_ f(x) + threshold_intercept_.
    objective_ : float
    n_iter_ : int
        Newton steps taken.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import RankSVM
    >>> rng = np.random.default_rng(0)
    >>> Y = ((X := rng.normal(size=(200, 10))) @ rng.normal(size=(10, 4)) > 0).astype(int)
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
    tol: NonNegative = 1e-3
    max_iter: Count = 500
    verbose: Verbose = False

    def _keep(self, U: np.ndarray, data: CentredData, labels: Indicator) -> Self:
        super()._keep(U, data, labels)
        self.intercept_ = (self._offset - data.mean @ U).astype(data.dtype)
        needed, kernel_map = np.asarray(U.any(axis=1)), data.kernel_map
        if self.kernel is not None and kernel_map is not None and needed.any():
            self.kernel_map_ = kernel_map.keep(needed)
            self.coef_ = np.ascontiguousarray(self.coef_[:, needed])
        return self

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        q, varying = labels.matrix.shape[1], labels.varying
        M, self._offset = np.zeros((data.shape[1], q)), np.where(labels.counts > 0, 1.0, -1.0)
        self.threshold_coef_, self.threshold_intercept_ = np.zeros(q), 0.0
        self._thresholded = np.empty(0, dtype=int)  # the labels that the threshold is taken off
        self.objective_, self.n_iter_ = 0.0, 0
        if varying.any():
            Y = dense_labels(labels.matrix[:, varying])
            counts = labels.known_weights
            unknown = None if counts is None else counts[:, varying] == 0
            with enough_threads(data.core.nnz):
                W, b, F = self._ranking(data, Y, unknown)
            reach = np.abs(F).max()
            if labels.classes is None and self.threshold == "regression" and Y.shape[1] > 1:
                with enough_threads(F.size):
                    a, a0 = regressed_threshold(F, Y > 0, labels.row_weights, unknown)
                self.threshold_coef_[varying], self.threshold_intercept_ = a, a0
                W, b, F = (part - (part @ a)[..., None] for part in (W, b, F))
                b, F = b - a0, F - a0
                self._thresholded = np.flatnonzero(varying)
            M[:, varying], self._offset[varying] = W, b
            # ranked first, or last, with the threshold and without
            self._offset[~varying] *= 1.0 + max(reach, np.abs(F).max())
        return M

    def _ranking(
        self, data: CentredData, Y: np.ndarray, unknown: np.ndarray | None
    ) -> tuple[np.ndarray, ...]:
        """W and b of the ranking scores, and the scores of the training rows."""
        alone = Y.shape[1] == 1
        weights = data.core.weights
        C = self.C if weights is None else self.C * weights[:, None]
        if alone:
            Y = np.hstack([1.0 - Y, Y])
            unknown = None if unknown is None else np.hstack([unknown, unknown])
        pairs = Pairs.of(Y if unknown is None else Y * ~unknown, C, unknown)
        if not pairs.weights.any():
            warnings.warn(
                "no row has one label and lacks another, so there is nothing to rank: all rows get "
                "the same scores",
                UserWarning,
                stacklevel=5,
            )
        problem = RankingProblem(data.core.unweighted, pairs, self.loss, weights)
        steps = islice(problem.steps(self.tol), self.max_iter + 1)
        for _ in progress(
            steps, total=self.max_iter, description="steps of RankSVM", enabled=bool(self.verbose)
        ):
            pass
        if not problem.converged:
            self._warn(problem.error)
        # as many coefficients as rows, but where rows of a given kernel matrix do not count
        is_whole = isinstance(data.space, KernelSpace) and len(data.space.map) == len(Y)
        W = problem.combination(self.tol) if is_whole else None
        W = data.lift(problem.V[:-1]) if W is None else W
        self.objective_, self.n_iter_ = problem.objective, problem.n_iter
        found = W, problem.V[-1], problem.F
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

    def uncut_scores(self, X: Rows) -> Scores:
        """The ranking scores f(x), before the threshold t(x) of the row is taken off."""
        check_is_fitted(self)
        # scores less the threshold of the row, from which nothing more is taken off
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
