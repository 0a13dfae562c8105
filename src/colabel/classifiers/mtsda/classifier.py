"""Sparse discriminant analysis for labels that overlap."""

from dataclasses import field
from numbers import Real
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._indicator import Indicator
from colabel._parameters import Count, NonNegative
from colabel._sklearn import Interval
from colabel.classifiers.mtsda.discriminant import SparseDiscriminant
from colabel.classifiers.mtsda.penalty import Omega, Penalty
from colabel.linalg.data import CentredData

OmegaMatrix: TypeAlias = Annotated[
    Any,
    "no_validation",
    Says(
        "Ω, symmetric and positive definite, d×d, in the place of (1 − ρ)I + ρ11ᵀ; of features as\n"
        "    they are standardised. Of an operator only products are asked for; none is inverted.",
        "array, sparse array or LinearOperator of shape (d, d), default=None",
    ),
]


class MtSDA(SparseDiscriminant):
    """min (1/n)‖YΘ − X̃B‖² + λ₂ tr(BᵀΩB) + λ₁‖B‖₁ over B and Θ with (YΘ)ᵀ(YΘ)/n = I.

    Multi-task sparse discriminant analysis: combinations YΘ of the labels are predicted by sparse
    combinations X̃B of the standardised features, both learned together. Ω = (1 − ρ)I + ρ11ᵀ, or
    any other that is given.

    - ``rho=0`` is the elastic net penalty; ρ > 0 also keeps the sum of the coefficients small and
      draws those of correlated features together; slightly negative ρ are possible.
    - ``l1=0`` is ridge regression on optimal scores. On one-hot labels with a small λ₂, B spans the
      directions of linear discriminant analysis.
    - ``n_components=1`` on one-hot labels is the first direction of sparse discriminant analysis
      (Clemmensen et al. 2011), which finds the others one by one, not together.

    Labels are predicted by Ŷ = Ȳ + X̃BΘ⁺, cut by one threshold for all of them; with
    ``decode="exact"`` a score is how much closer the closest set of labels with this one is than
    the closest without it, in squared distance. The problem is not convex; elastic nets and scores
    are found in turn, and the objective never rises. Features that are constant are left out. (Han
    et al. 2010. Their step for Θ leaves the range of Y, and their start can be singular; see
    `docs/errata.md`.)

    Parameters
    ----------
    l1
        λ₁ ≥ 0. Both stand beside a loss divided by n: in scikit-learn's ElasticNet, with ρ = 0,
        ``alpha * l1_ratio`` is λ₁/2 and ``alpha * (1 - l1_ratio)`` is λ₂. The paper divides its
        penalties by n too, so that its λ are n times these.
    l2
        λ₂ ≥ 0.
    rho
        ρ with 1/(1 − d) < ρ < 1 for d features.
    decode
        "linear" and "exact" are as for labels that overlap: Ŷ is cut at the threshold with the best
        micro-averaged F1 on the training rows, or the closest of all sets of labels is predicted,
        for at most 20 labels; of a 1-D y, the class of the highest score either way. For a 1-D y
        alone, "nearest-mean" predicts the class whose mean is nearest to the row in the space of
        the directions, by the scatter within classes and the penalty (Eq. 2 of the paper, in which
        the inverse is meant), "nearest-scores" that whose row of Θ is (Eq. 3 and 4).
    warm_start
        Whether to start from the last fit, where its shapes fit; directions keep their order then.
    n_init
        Starts, the first of them from the combinations that vary most with the features, others
        random; the lowest objective is kept.
    random_state
        Seeds the random starts.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MtSDA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> Y = (X[:, :3] + X[:, 1:4] > 0).astype(int)
    >>> model = MtSDA(l1=0.3).fit(X, Y)
    >>> model.selected_features_
    array([0, 1, 2, 3])
    >>> bool((model.predict(X) == Y).mean() > 0.9)
    True
    """

    l1: NonNegative = field(default=0.1, kw_only=False)
    l2: NonNegative = field(default=0.1, kw_only=False)
    rho: Annotated[float, Interval(Real, None, 1, closed="neither")] = field(
        default=0.0, kw_only=False
    )
    n_components: Count | None = field(default=None, kw_only=False)
    omega: OmegaMatrix = None
    decode: Literal["linear", "exact", "nearest-mean", "nearest-scores"] = "linear"  # type: ignore[assignment]
    warm_start: bool = False
    n_init: Count = 1

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        if self.omega is not None and self.rho != 0:
            raise ValueError(
                f"rho={self.rho:g} and omega are two choices of Ω; leave out one of them"
            )
        omega = None if self.omega is None else Omega.of(self.omega, data.shape[1])
        penalty = Penalty(self.l1, self.l2, self.rho, omega)
        return self._solve(data, labels, penalty, warm_start=self.warm_start, n_init=self.n_init)
