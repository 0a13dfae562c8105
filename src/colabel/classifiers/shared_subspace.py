"""Linear classifiers that share a subspace of the features: a closed form of two ridge solutions.

    min (1/n)‖X̄U − Ȳ‖² + α‖U − ΘᵀV‖² + β‖U‖²   over U, V and ΘΘᵀ = I

With F = X̄ᵀȲ they are W₁ = (X̄ᵀX̄/n + βI)⁻¹F and W₂ = (X̄ᵀX̄/n + (α + β)I)⁻¹F. W₂ᵀW₁ is symmetric,
= CΛCᵀ, and the columns of Θᵀ span W₁C_r for its r leading eigenvectors. With Woodbury's identity
that leaves

    U = (W₁C_rC_rᵀ + W₂(I − C_rC_rᵀ))/n:

the r combinations of labels that are shared pay β, all others α + β.

Other targets ȲR in the place of Ȳ change which combinations these are, and so Θ. For a given Θ, U
is the same whatever R is, as the columns of U depend on Ȳ linearly, each on its own: the solution
for ȲR is UR. So coefficients are told for ±1, and α = 0 is the same ridge regression for all.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.utils.extmath import svd_flip

from colabel._bases import LinearScorer, Projection
from colabel._class_weights import ClassWeight, LabelWeight, weights_of_labels
from colabel._documents import Says
from colabel._in_parts import FittedInParts
from colabel._indicator import Indicator
from colabel._kernels import Kernelised
from colabel._parameters import Count, NonNegative, Residual
from colabel.family.choose import RidgeSolverName, SolveRidge, solve_ridge
from colabel.family.partly_known import EachOnItsRows
from colabel.family.similarity import canonical, class_means, linear
from colabel.linalg import small
from colabel.linalg.data import CentredData
from colabel.linalg.low_rank import Similarity

Targets: TypeAlias = Annotated[
    Literal["signs", "scaled", "whitened"],
    Says(
        'What Θ is found from: ±1 ("signs"); each label divided by the root of how many rows have\n'
        '    it, so that frequent ones do not outweigh the others ("scaled"); or combinations of\n'
        '    labels that are uncorrelated ("whitened"). Scores are of ±1 with all of them.'
    ),
]
_TARGETS = {"signs": linear, "scaled": class_means, "whitened": canonical}


def split_labels(N: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """From N = W₂ᵀW₁, combinations of labels: at most r that are shared (C_r), and all others.

    Fewer than r are shared where the labels do not span as many directions of the features; the
    others would change nothing.
    """
    lam, C = small.eigh((N + N.T) / 2, overwrite=True)
    rank = np.count_nonzero(lam > len(lam) * np.finfo(N.dtype).eps * max(lam[-1], 0.0))
    r = min(r, int(rank))
    C = C[:, ::-1]
    return C[:, :r], C[:, r:]


def coefficients(W1: np.ndarray, W2: np.ndarray, own: np.ndarray) -> np.ndarray:
    """U from W₁/n and W₂/n, the labels' combinations `own` being those that are not shared; there
    are few of them.
    """
    U = (W2 @ own - W1 @ own) @ own.T
    U += W1
    return U


def subspace(W1: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Θᵀ, an orthonormal basis of W₁C_r."""
    spanned = (shared.T @ W1.T).T  # in the order in which it is factorised in its own place
    return small.orthonormal(spanned)


@dataclass(frozen=True)
class TargetsOf:
    """What Θ is found from: the targets ȲR of labels, in which each counts as `weights` say.

    A label that counts v times is v equal targets, as good as one that is √v times as large.
    """

    labels: Indicator
    kind: Targets
    weights: np.ndarray | None = None

    @property
    def scale(self) -> np.ndarray | None:
        """√v; None where it changes nothing: whitened, no label is larger than another."""
        none = self.weights is None or self.kind == "whitened"
        return None if none else np.sqrt(np.asarray(self.weights))

    def factor(self) -> Similarity:
        """ȲR, as the factor of a similarity, but for the scale; constant labels are ±1."""
        make = _TARGETS[self.kind] if self.labels.varying.all() else linear
        return make(self.labels.weighted)

    def weigh(self, W: np.ndarray) -> np.ndarray:
        """Solutions for the targets, from those before they are scaled."""
        return W if self.scale is None else W * self.scale

    def from_signs(self, W: np.ndarray) -> np.ndarray:
        """Solutions for the targets, from those of ±1 labels that were found one by one."""
        labels = self.labels
        if self.kind == "whitened" and labels.varying.all():
            return W @ (np.asarray(self.factor().root) / 2.0)
        if self.kind == "scaled" and labels.varying.all():
            W = W / (2.0 * np.sqrt(labels.plain_shares * labels.total))
        return self.weigh(W)

    def in_signs(self, U: np.ndarray, targets: Similarity) -> np.ndarray:
        """Coefficients of ±1 labels, which 2HY are, from those of the targets HYR."""
        U, R = U if self.scale is None else U / self.scale, np.asarray(targets.root)
        if R.ndim == 2:
            return U @ (2.0 * linalg.pinv(R))
        return U if np.all(R == 2.0) else U * (2.0 / R)


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


class SharedSubspaceScorer(Projection, LinearScorer, Kernelised, FittedInParts):
    """Scores with a subspace that all labels share, of whatever penalties.

    Parameters
    ----------
    n_components
        The dimension r of the shared subspace. None: 5⌊(q − 1)/5⌋ for q labels that vary, at least
        1.

    Attributes
    ----------
    subspace_ : ndarray of shape (n_components_, d)
        Θ, with orthonormal rows.
    mean_ : ndarray of shape (d,)
    n_components_ : int
    """

    class_weight: ClassWeight = None
    label_weight: LabelWeight = None

    _solution = "coef_"
    _projects_on = "subspace_"
    _not_for_predict = ("subspace_", "moments_")

    def _solve(
        self,
        data: CentredData,
        labels: Indicator,
        solve: SolveRidge,
        alpha: float,
        beta: float,
        kind: Targets = "signs",
    ) -> np.ndarray:
        n, q = labels.total, labels.matrix.shape[1]
        learned = labels.learned
        aims = TargetsOf(learned, kind, weights_of_labels(self.label_weight, labels))
        if learned.counts_entries:
            r = subspace_dimension(self.n_components, q, data.shape[1], learned.matrix.shape[1])
            return labels.spread(self._solve_known(data.with_axes(), aims, r, alpha, beta))
        targets = aims.factor()
        r = subspace_dimension(self.n_components, q, data.shape[1], targets.rank)
        ridges = [n * beta, n * (alpha + beta)]
        found, self.solver_ = solve(data, targets, ridges)
        # each divided by n, which the subspace does not depend on
        W1, W2 = map(aims.weigh, found.coordinates)
        shared, own = split_labels(W2.T @ W1, r)
        U = aims.in_signs(coefficients(W1, W2, own), targets)
        del W2
        found.coordinates.clear()  # each is as large as the model
        Theta = subspace(W1, shared)
        del W1
        self._keep_subspace(data, found.expand(Theta))
        return labels.spread(data.lift(found.expand(U)))

    def _solve_known(
        self, data: CentredData, aims: TargetsOf, r: int, alpha: float, beta: float
    ) -> np.ndarray:
        """The same where entries of a row count differently: each solution is of a label's rows."""
        n, each = aims.labels.total, np.ones(aims.labels.matrix.shape[1])
        known, self.solver_ = EachOnItsRows(data, aims.labels), "two-stage"
        U = known.solve(n * beta * each)
        W1, W2 = map(aims.from_signs, (U, known.solve(n * (alpha + beta) * each, U)))
        Theta = subspace(W1, split_labels(W2.T @ W1, r)[0])
        del W1, W2  # each is as large as the model
        self._keep_subspace(data, Theta)
        return data.lift(known.solve(n * (alpha + beta) * each, U, Theta.T, n * alpha))

    def _keep_subspace(self, data: CentredData, Theta: np.ndarray) -> None:
        _, rows = svd_flip(None, data.lift(Theta).T, u_based_decision=False)
        self.subspace_ = rows.astype(data.dtype, copy=False)
        self.mean_ = data.mean.astype(data.dtype)
        self.n_components_ = len(self.subspace_)


class SharedSubspaceClassifier(SharedSubspaceScorer):
    """min (1/n)‖X̄U − Ȳ‖² + α‖U − ΘᵀV‖² + β‖U‖² over U, V and ΘΘᵀ = I: labels share a subspace Θ.

    The weights of each label are split into a part in a subspace that all labels share, which is
    not penalised by α, and a part of its own, which is. The optimum has a closed form.

    - ``alpha=0`` is ridge regression, :class:`LabelRidge` with ``alpha=n·β``; without β too, the
      solution of minimum norm.
    - ``beta=0`` is alternating structure optimisation with the least-squares loss, at its optimum.
    - As α grows, Θ spans the directions of :class:`OPLS`; as β grows, those of :class:`MDDMp`.
    - With ``targets="scaled"`` and one-hot labels, these are the discriminants of LDA and the
      directions of :class:`OCM`, whatever their number. With ±1 that holds for LDA with q − 1
      directions only, as they span all that the labels do.
    - With ``targets="whitened"``, Θ spans those of :class:`LabelCCA` as α grows.

    Where labels are unknown in some rows, or entries count by their class, W₁ and W₂, the two ridge
    solutions that Θ is found from, are those of each label's own rows, and U is the optimum for
    this Θ over the entries that count, beside a loss that is divided by the number of all rows.

    (Ji et al. 2008, whose section 4.2 has scaled targets for its claims of LDA, and ±1 in all else.
    Their eigenproblem is printed inverted, and their published MATLAB code does not return the
    optimum; see `docs/errata.md`.)

    Parameters
    ----------
    alpha
        α ≥ 0, the price of what a label does not share.
    beta
        β ≥ 0, the price of all weights. Both stand beside a loss divided by n.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
        Uᵀ.
    intercept_ : ndarray of shape (q,)

    Examples
    --------
    >>> from scipy.linalg import subspace_angles
    >>> from colabel import SharedSubspaceClassifier
    >>> from colabel.datasets import make_multilabel_subspace
    >>> data = make_multilabel_subspace(n_rows=2000, n_components=2, random_state=0)
    >>> model = SharedSubspaceClassifier(n_components=2).fit(data.X, data.Y)
    >>> found = subspace_angles(model.subspace_.T, data.subspace.T)  # what the labels share
    >>> model.transform(data.X).shape, bool(found.max() < 0.3)
    ((2000, 2), True)
    """

    alpha: NonNegative = field(default=0.1, kw_only=False)
    beta: NonNegative = field(default=0.001, kw_only=False)
    n_components: Count | None = field(default=None, kw_only=False)
    targets: Targets = "signs"
    solver: RidgeSolverName = "auto"
    tol: Residual = 1e-10

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        solve = partial(solve_ridge, solver=self.solver, tol=self.tol)
        return self._solve(data, labels, solve, self.alpha, self.beta, self.targets)
