"""Linear classifiers that share a subspace of the features."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.extmath import svd_flip

from colabel._base import LinearScorer, Projection
from colabel._partial_fit import FittedInParts
from colabel._validation import Indicator, Interval, StrOptions
from colabel.algebra import cost
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.least_squares import ridge_solutions_without_svd
from colabel.algebra.shared_subspace import coefficients, split_labels, subspace
from colabel.algebra.similarity import linear


class SharedSubspaceClassifier(Projection, LinearScorer, FittedInParts):
    """min (1/n)‖X̄U − Ȳ‖² + α‖U − ΘᵀV‖² + β‖U‖² over U, V and ΘΘᵀ = I: labels share a subspace Θ.

    The weights of each label are split into a part in a subspace that all labels share, which is
    not penalised by α, and a part of its own, which is. The optimum has a closed form.

    - ``alpha=0`` is ridge regression, :class:`LabelRidge` with ``alpha=n·β``; without β too, the
      solution of minimum norm.
    - ``beta=0`` is alternating structure optimisation with the least-squares loss, at its optimum.
    - As α grows, Θ spans the directions of :class:`OPLS`; as β grows, those of :class:`MDDMp`.

    (Ji et al. 2008. Their eigenproblem is printed inverted, and their published MATLAB code does
    not return the optimum; see `docs/methods.md`.)

    Parameters
    ----------
    alpha : float, default=0.1
        α ≥ 0, the price of what a label does not share.
    beta : float, default=0.001
        β ≥ 0, the price of all weights. Both stand beside a loss divided by n.
    n_components : int or None, default=None
        The dimension r of the shared subspace. None: 5⌊(q − 1)/5⌋ for q labels that vary, at least
        1.
    solver : {"auto", "factor", "two-stage"}, default="auto"
        "factor" goes through the singular value decomposition of X, "two-stage" through two ridge
        solves; both give the same model. "auto" takes the cheaper.
    tol : float, default=1e-10
        Relative residual at which an iterative solve stops; the direct ones ignore it.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
        Uᵀ.
    intercept_ : ndarray of shape (q,)
    subspace_ : ndarray of shape (n_components_, d)
        Θ, with orthonormal rows.
    mean_ : ndarray of shape (d,)
    n_components_ : int
    classes_ : ndarray
        Column numbers of the labels (0 and 1 for a single column), or the classes of a 1-D y.
    label_names_ : ndarray of shape (q,)
    solver_ : str
        The solver used.
    moments_ : Moments
        The sums over rows that `partial_fit` adds to; `fit` keeps none.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import SharedSubspaceClassifier
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.normal(size=(200, 2))
    >>> X = Z @ rng.normal(size=(2, 30)) + 0.1 * rng.normal(size=(200, 30))
    >>> Y = (Z @ rng.normal(size=(2, 6)) > 0).astype(int)
    >>> model = SharedSubspaceClassifier(n_components=2).fit(X, Y)
    >>> model.transform(X).shape
    (200, 2)
    >>> bool((model.predict(X) == Y).mean() > 0.9)
    True
    """

    _solution = "coef_"
    _projects_on = "subspace_"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"auto", "factor", "two-stage"})],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        beta: float = 0.001,
        n_components: int | None = None,
        *,
        solver: str = "auto",
        tol: float = 1e-10,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.n_components = n_components
        self.solver = solver
        self.tol = tol

    def _coefficients(self, data: FactoredMatrix, labels: Indicator) -> np.ndarray:
        return self._solve(data, labels, self.alpha, self.beta)

    def _solve(
        self, data: FactoredMatrix, labels: Indicator, alpha: float, beta: float
    ) -> np.ndarray:
        n, q = labels.matrix.shape
        targets = linear(labels.learned.matrix)
        r = subspace_dimension(self.n_components, q, data.shape[1], targets.rank)

        def by_svd() -> tuple[np.ndarray, np.ndarray]:
            s = data.svd.s
            F = s[:, None] * targets.times_root(data.svd.left_transpose_dot(targets.labels))
            U, Theta = solution(*ridge_pair(F, s**2 / n, alpha, beta))
            return data.svd.right_dot(U), data.svd.right_dot(Theta)

        def by_ridge() -> tuple[np.ndarray, np.ndarray]:
            ridges = [n * beta, n * (alpha + beta)]
            W1, W2 = ridge_solutions_without_svd(data.core, targets, ridges, tol=self.tol)
            return solution(n * W1, n * W2)

        def solution(W1: np.ndarray, W2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            shared, own = split_labels(W1, W2, r)
            return coefficients(W1, W2, own, n), subspace(W1, shared)

        size = cost.Size.of(data, low_rank=targets.rank)
        routes = {"factor": by_svd, "two-stage": by_ridge}
        (U, Theta), self.solver_ = cost.follow(routes, size, self.solver)
        _, rows = svd_flip(None, data.lift(Theta).T, u_based_decision=False)
        self.subspace_ = rows.astype(data.dtype)
        self.mean_ = data.mean.astype(data.dtype)
        self.n_components_ = len(self.subspace_)
        return labels.spread(data.lift(U))


def subspace_dimension(n_components: int | None, q: int, d: int, varying: int | None = None) -> int:
    """The dimension of the subspace for q labels, `varying` of which vary, and d features."""
    if n_components is None:
        return max(1, 5 * (((q if varying is None else varying) - 1) // 5))
    if n_components > min(q, d):
        raise ValueError(
            f"n_components={n_components} is more than min(n_labels, n_features)={min(q, d)}; "
            "use a smaller number, or None for 5⌊(q − 1)/5⌋"
        )
    return n_components


def ridge_pair(
    F: np.ndarray, variances: np.ndarray, alpha: float, beta: float
) -> tuple[np.ndarray, np.ndarray]:
    """The two ridge solutions where X̄ᵀX̄/n = diag(variances)."""
    return F / (variances + beta)[:, None], F / (variances + alpha + beta)[:, None]
