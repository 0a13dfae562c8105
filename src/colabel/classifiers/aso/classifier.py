"""Alternating structure optimisation: margin classifiers that share a subspace."""

import warnings
from dataclasses import field
from itertools import islice
from typing import Literal, Self

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import svd_flip

from colabel._bases import LinearScorer
from colabel._class_weights import ClassWeight, LabelWeight, weights_of_labels
from colabel._indicator import Indicator, dense_labels
from colabel._parameters import Count, CountOrZero, NonNegative, Positive, Seed, Verbose
from colabel._terminal import progress
from colabel.classifiers.aso.alternation import Alternation
from colabel.classifiers.aso.hinge import LOSSES
from colabel.classifiers.shared_subspace import subspace_dimension
from colabel.linalg.data import CentredData
from colabel.linalg.small import enough_threads


class ASOClassifier(LinearScorer):
    """min Σ_ℓ (1/n) Σ_i φ(y_iℓ (u_ℓᵀx_i + b_ℓ)) + α‖u_ℓ − Θᵀv_ℓ‖² + β‖u_ℓ‖², ΘΘᵀ = I.

    A linear classifier for each label ℓ, with y = ±1. Its weights have a part in a subspace Θ that
    all labels share, which only β penalises, and a part of its own, which α penalises too.
    Intercepts are not penalised. φ is the hinge, its square, or least squares.

    - ``loss="least_squares"`` is :class:`SharedSubspaceClassifier`, which has a closed form; the
      rounds here approach it.
    - ``n_components=0``, and one label, is a linear SVM for each label: scikit-learn's LinearSVC
      with ``C=1/(2(α + β)n)``, but for its penalty on the intercept. With as many components as
      labels it is that with ``C=1/(2βn)``, and without β nothing is penalised.

    The problem is not convex: weights for a given subspace and the subspace for given weights are
    found in turn, and the objective never rises. Without β the shared part is free, so more rounds
    fit the training rows ever more closely; `max_iter` is a penalty of its own where data are few.
    (Ando & Zhang 2005; as a baseline with the hinge, Ji et al. 2008, who leave the hinge with both
    penalties for later work.)

    Parameters
    ----------
    alpha
        α > 0, the price of what a label does not share, beside a loss divided by n.
    beta
        β ≥ 0, the price of all weights, beside the same loss.
    n_components
        The dimension of the shared subspace. None: 5⌊(q − 1)/5⌋, at least 1, for q labels that
        are not constant, and 0 for one.
    loss
        φ(m) = max(0, 1 − m), max(0, 1 − m)² or (1 − m)². The squares are several times faster.
    init
        Whether the first round shares nothing, or a random subspace.
    tol
        Stop when a round lowers the objective by no more than this share of its value without
        features. The weights of a round are found to a quarter of that, or of the last gain.
    max_iter
        The most rounds.
    n_jobs
        Labels are divided among so many threads.
    random_state
        Seeds the random start.

    Attributes
    ----------
    coef_ : ndarray of shape (q, d)
        Uᵀ.
    intercept_ : ndarray of shape (q,)
    subspace_ : ndarray of shape (n_components_, d)
        Θ, with orthonormal rows.
    objective_ : ndarray of shape (n_iter_,)
        After each round, over the labels that are not constant.
    n_components_, n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import ASOClassifier
    >>> from colabel.datasets import make_multilabel_subspace
    >>> data = make_multilabel_subspace(n_labels=6, n_components=2, random_state=0)
    >>> model = ASOClassifier(n_components=2).fit(data.X, data.Y)
    >>> bool(model.score(data.X, data.Y) > 0.9)  # rows with all six labels right
    True
    >>> bool(np.all(np.diff(model.objective_) < 1e-12))
    True
    """

    alpha: Positive = field(default=0.001, kw_only=False)
    n_components: CountOrZero | None = field(default=None, kw_only=False)
    beta: NonNegative = 0.0
    class_weight: ClassWeight = None
    label_weight: LabelWeight = None
    loss: Literal["hinge", "squared_hinge", "least_squares"] = "hinge"
    init: Literal["independent", "random"] = "independent"
    tol: NonNegative = 1e-3
    max_iter: Count = 100
    n_jobs: int | None = None
    verbose: Verbose = False
    random_state: Seed = None

    def coefficients(self, data: CentredData, labels: Indicator) -> np.ndarray:
        q, varying = labels.matrix.shape[1], labels.varying
        r = self._dimension(q, int(varying.sum()), data.shape[1])
        U, self._offset = np.zeros((data.core.shape[1], q)), np.where(labels.counts > 0, 1.0, -1.0)
        Theta = np.empty((0, len(U)))
        self.objective_ = np.empty(0)
        if varying.any():
            found = self._alternate(data, labels, varying, r)
            U[:, varying], self._offset[varying] = found.weights.U, found.weights.c
            Theta, self.objective_ = found.Theta, np.array(found.objective)
        self.n_iter_ = len(self.objective_)
        _, Theta = svd_flip(None, data.lift(Theta.T).T, u_based_decision=False)
        self.subspace_ = Theta.astype(data.dtype)
        self.n_components_ = len(Theta)
        return data.lift(U)

    def _dimension(self, q: int, varying: int, d: int) -> int:
        """The dimension of the subspace: of q labels, only those that vary need one."""
        if self.n_components is None:
            return max(0, min(subspace_dimension(None, varying, d), varying - 1, d))
        return min(subspace_dimension(self.n_components, q, d), varying)

    def _alternate(
        self, data: CentredData, labels: Indicator, varying: np.ndarray, r: int
    ) -> Alternation:
        signs = 2.0 * dense_labels(labels.matrix[:, varying]) - 1.0
        known = labels.known_weights
        known = None if known is None else known[:, varying]
        X, loss, counts = data.core.unweighted, LOSSES[self.loss], data.core.weights
        start = np.empty((0, X.shape[1]))
        if self.init == "random" and r > 0:
            rng = check_random_state(self.random_state)
            start = linalg.qr(rng.normal(size=(X.shape[1], r)), mode="economic")[0].T
        state = Alternation(
            X,
            signs,
            loss,
            self.alpha,
            r,
            start,
            tol=self.tol,
            beta=self.beta,
            n_jobs=self.n_jobs,
            counts=counts,
            known=known,
            worth=weights_of_labels(self.label_weight, labels),
        )
        rounds = islice(state.rounds(), self.max_iter)
        shown = progress(
            rounds, total=self.max_iter, description="rounds of ASO", enabled=bool(self.verbose)
        )
        with enough_threads(X.nnz):
            for _ in shown:
                pass
        if not state.converged:
            warnings.warn(
                f"ASOClassifier stopped after max_iter={self.max_iter} rounds, the last of which "
                f"lowered the objective by a share of {state.change:.1e}, beside tol={self.tol:g}; "
                "a larger max_iter, tol or alpha makes it converge",
                ConvergenceWarning,
                stacklevel=5,
            )
        return state

    def _keep(self, U: np.ndarray, data: CentredData, labels: Indicator) -> Self:
        super()._keep(U, data, labels)
        self.intercept_ = (self._offset - data.mean @ U).astype(data.dtype)
        return self
