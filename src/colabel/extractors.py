"""The linear family: eleven methods, each one choice of A and B in

    max tr(PᵀAP)  subject to  PᵀBP = I.

X̄ is the centred data, Ȳ = H(2Y − 1) the centred ±1 labels. Papers are cited by authors and year;
`docs/methods.md` gives the full references.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

from colabel._base import LinearExtractor
from colabel._validation import Interval, StrOptions, _fit_context, as_data
from colabel.algebra import similarity
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.trace import Directions, TraceProblem, least_squares_directions

_SHARE = [Interval(Real, 0, 1, closed="both")]
_NONNEGATIVE = [Interval(Real, 0, None, closed="left")]
_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class PCA(LinearExtractor):
    """max tr(PᵀX̄ᵀX̄P) subject to PᵀP = I: the directions of largest variance.

    Labels are not used. It is :class:`MVMD` with ``beta=0``.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import PCA
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> PCA(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    def _problem(self, Y: Any) -> TraceProblem:
        return TraceProblem(similarity.IDENTITY)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, Y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
        Y : ignored

        Returns
        -------
        self
        """
        data = as_data(self, X)
        return self._keep(self._directions(data, None), data)

    def _fit_moments(self, data: FactoredMatrix, labels: Any) -> None:
        self._keep(self._directions(data, None), data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class MDDMp(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to PᵀP = I: directions that depend most on the labels.

    Dependence is the Hilbert-Schmidt criterion with linear kernels; the projections are
    orthonormal. It is :class:`MVMD` with ``beta=1`` and :class:`MDDMf` with ``beta=0``; at most as
    many directions as labels (Zhang & Zhou 2010; Xu et al. 2016).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MDDMp
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> MDDMp(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    def _problem(self, Y: Any) -> TraceProblem:
        return TraceProblem(similarity.linear(Y))


class MDDMf(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to Pᵀ(βX̄ᵀX̄ + (1 − β)I)P = I: dependence, uncorrelated features.

    ``beta=0`` is :class:`MDDMp`. For 0 < β ≤ 1 it spans what :class:`OPLS` spans with
    ``ridge=(1 − β)/β``, and its eigenvalues are those of OPLS divided by β (Zhang & Zhou 2010).

    Parameters
    ----------
    beta : float, default=0.5
        β in [0, 1]: between orthonormal directions (0) and uncorrelated features (1).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MDDMf
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> MDDMf(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "beta": _SHARE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        beta: float = 0.5,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.beta = beta

    def _problem(self, Y: Any) -> TraceProblem:
        T = similarity.Similarity(diag=self.beta)
        return TraceProblem(similarity.linear(Y), T, b=1.0 - self.beta)


class MVMD(LinearExtractor):
    """max tr(Pᵀ((1 − β)X̄ᵀX̄ + βX̄ᵀȲȲᵀX̄)P) subject to PᵀP = I: variance and dependence at once.

    ``beta=0`` is :class:`PCA`, ``beta=1`` is :class:`MDDMp`. Between them there can be more
    directions than labels (Xu et al. 2016).

    Parameters
    ----------
    beta : float, default=0.5
        β in [0, 1]: between variance (0) and dependence on the labels (1).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MVMD
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> MVMD(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "beta": _SHARE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        beta: float = 0.5,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.beta = beta

    def _problem(self, Y: Any) -> TraceProblem:
        return TraceProblem(similarity.linear(Y, weight=self.beta, diag=1.0 - self.beta))


class LabelCCA(LinearExtractor):
    """max tr(PᵀX̄ᵀȲ(ȲᵀȲ + γ_yI)⁻¹ȲᵀX̄P) subject to Pᵀ(X̄ᵀX̄ + γ_xI)P = I: canonical correlations.

    Without ridges, ``eigenvalues_`` are the squared canonical correlations of X and Y, collinear
    labels being met by the pseudo-inverse, and it is :class:`HypergraphSpectral` with
    ``laplacian="cca"``. On one-hot labels it spans the discriminants of LDA.

    Parameters
    ----------
    ridge : float, default=0.1
        γ_x ≥ 0, the multiple of I that is added to X̄ᵀX̄; it is not scaled by the number of rows.
    label_ridge : float, default=0.1
        γ_y ≥ 0, the same for ȲᵀȲ.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import LabelCCA
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> LabelCCA(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "ridge": _NONNEGATIVE,
        "label_ridge": _NONNEGATIVE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        ridge: float = 0.1,
        label_ridge: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.ridge = ridge
        self.label_ridge = label_ridge

    def _problem(self, Y: Any) -> TraceProblem:
        S = similarity.correlated(Y, self.label_ridge)
        return TraceProblem(S, similarity.IDENTITY, b=self.ridge)


class OPLS(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to Pᵀ(X̄ᵀX̄ + γI)P = I: orthonormalised partial least squares.

    The directions from which a linear model predicts the labels best. :class:`MDDMf` spans the same
    with ``beta=1/(1 + ridge)``; so does the shared subspace classifier as its α grows (Ji et al.
    2008).

    Parameters
    ----------
    ridge : float, default=0.1
        γ ≥ 0, the multiple of I that is added to B; it is not scaled by the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import OPLS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> OPLS(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "ridge": _NONNEGATIVE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        ridge: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.ridge = ridge

    def _problem(self, Y: Any) -> TraceProblem:
        return TraceProblem(similarity.linear(Y), similarity.IDENTITY, b=self.ridge)


class OCM(LinearExtractor):
    """max tr(PᵀX̄ᵀYN⁻¹YᵀX̄P) subject to PᵀP = I: the orthogonal centroid method.

    N holds the label counts, so that A is the scatter of the label means around the mean, each
    weighted by how many rows have the label (Ji et al. 2008).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import OCM
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> OCM(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    def _problem(self, Y: Any) -> TraceProblem:
        return TraceProblem(similarity.class_means(Y))


class MLSI(LinearExtractor):
    """max tr(PᵀX̄ᵀX̄P) subject to Pᵀ(X̄ᵀ((1 − β)X̄X̄ᵀ + βȲȲᵀ + γ_kI)⁻¹X̄ + γI)P = I: latent semantics.

    Multi-label informed latent semantic indexing. No n×n matrix is inverted: with
    M = X̄ᵀ(βȲȲᵀ + γ_kI)⁻¹X̄ the constraint is M(I + (1 − β)M)⁻¹ + γI, and the inner inverse is one of
    label size (Yu et al. 2005; Xu et al. 2016; Liu et al. 2006).

    Parameters
    ----------
    beta : float, default=0.5
        β in [0, 1]: between latent semantics of the data alone (0) and of the labels (1).
    ridge : float, default=0.1
        γ ≥ 0, the multiple of I that is added to B.
    kernel_ridge : float, default=0.1
        γ_k > 0, the multiple of I that is added to the matrix on instances before it is inverted.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MLSI
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> MLSI(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "beta": _SHARE,
        "ridge": _NONNEGATIVE,
        "kernel_ridge": _POSITIVE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        beta: float = 0.5,
        ridge: float = 0.1,
        kernel_ridge: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.beta = beta
        self.ridge = ridge
        self.kernel_ridge = kernel_ridge

    def _problem(self, Y: Any) -> TraceProblem:
        T = similarity.label_noise_inverse(Y, self.beta, self.kernel_ridge)
        return TraceProblem(similarity.IDENTITY, T, b=self.ridge, c=1.0 - self.beta)


class MLDA(LinearExtractor):
    """max tr(PᵀXᵀS_bXP) subject to Pᵀ(XᵀS_wX + γI)P = I: discriminants for overlapping classes.

    S_w = diag(Z1) − ZN⁻¹Zᵀ and S_b = ZN⁻¹Zᵀ − (Z1)(Z1)ᵀ/n₊, with Z the weights of instances in
    classes, N its column sums and n₊ their total. At most q − 1 directions; the rows without
    a single label stand as its second class. On one-hot labels with ``ridge=0`` it is linear
    discriminant analysis (Wang et al. 2010; Xu et al. 2016).

    Parameters
    ----------
    weights : {"correlation", "binary"}, default="correlation"
        Z: the labels as they are ("binary"), or shared out among correlated labels and divided by
        the number of labels of the row ("correlation").
    ridge : float, default=0.1
        γ ≥ 0, the multiple of I that is added to B; it is not scaled by the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MLDA
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> MLDA(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "weights": [StrOptions({"correlation", "binary"})],
        "ridge": _NONNEGATIVE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        weights: str = "correlation",
        ridge: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.weights = weights
        self.ridge = ridge

    def _needs_rows(self) -> str:
        return "the weight of a row in its classes depends on all of its labels"

    def _problem(self, Y: Any) -> TraceProblem:
        if Y.shape[1] == 1:
            Y = similarity.with_complement(Y)
        Z = similarity.class_weights(Y, self.weights)
        return TraceProblem(Z.between, Z.within, b=self.ridge)


class DMLDA(LinearExtractor):
    """max tr(PᵀXᵀS_b'XP) subject to Pᵀ(XᵀS_wX + γI)P = I: instances far from classes not theirs.

    XᵀS_b'X sums (x_i − m_k)(x_i − m_k)ᵀ over the classes k that instance i is not in, so that there
    can be as many directions as features; S_w is that of :class:`MLDA` (Xu et al. 2016, whose
    printed matrix is not symmetric: its symmetric part is meant).

    Parameters
    ----------
    weights : {"binary", "correlation"}, default="binary"
        Z, as in :class:`MLDA`.
    ridge : float, default=0.1
        γ ≥ 0, the multiple of I that is added to B; it is not scaled by the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import DMLDA
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> DMLDA(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "weights": [StrOptions({"correlation", "binary"})],
        "ridge": _NONNEGATIVE,
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        weights: str = "binary",
        ridge: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.weights = weights
        self.ridge = ridge

    def _needs_rows(self) -> str:
        return "the weight of a row in its classes depends on all of its labels"

    def _problem(self, Y: Any) -> TraceProblem:
        Z = similarity.class_weights(Y, self.weights)
        return TraceProblem(Z.apart, Z.within, b=self.ridge)


class HypergraphSpectral(LinearExtractor):
    """max tr(PᵀX̄ᵀSX̄P) subject to Pᵀ(X̄ᵀX̄ + λI)P = I: embed rows so that those sharing labels meet.

    Instances are the vertices of a hypergraph and each label is a hyperedge; S = I − Laplacian is
    the normalised similarity of the vertices. ``laplacian="cca"`` is :class:`LabelCCA` without
    a label ridge.

    ``approximate=True`` is the least-squares form: W = argmin ‖X̄W − H‖² + λ‖W‖² with H the left
    singular vectors of the centred root of S. It replaces the singular values by ones, so it is
    another method, and no faster: the exact one costs the same solve (Sun et al. 2008).

    Parameters
    ----------
    laplacian : {"clique", "star", "zhou", "cca"}, default="clique"
        Clique expansion, star expansion, Zhou's normalised Laplacian, or the projection on the
        labels, which makes it canonical correlation analysis.
    ridge : float, default=0.1
        λ ≥ 0, the multiple of I that is added to B; it is not scaled by the number of rows.
    approximate : bool, default=False
        Whether to fit the least-squares form. ``eigenvalues_`` are then those of S, by which its
        directions are ordered.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import HypergraphSpectral
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(100, 4))
    >>> X = Y @ rng.normal(size=(4, 10)) + rng.normal(size=(100, 10))
    >>> HypergraphSpectral(n_components=2).fit(X, Y).transform(X).shape
    (100, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearExtractor._parameter_constraints,
        "laplacian": [StrOptions({"clique", "star", "zhou", "cca"})],
        "ridge": _NONNEGATIVE,
        "approximate": ["boolean"],
    }

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        laplacian: str = "clique",
        ridge: float = 0.1,
        approximate: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components, solver=solver, tol=tol, random_state=random_state)
        self.laplacian = laplacian
        self.ridge = ridge
        self.approximate = approximate

    def _needs_rows(self) -> str:
        if self.laplacian == "cca":
            return ""
        return f"laplacian={self.laplacian!r} weighs a row by its labels ('cca' does not)"

    def _problem(self, Y: Any) -> TraceProblem:
        S = similarity.hypergraph(Y, self.laplacian)
        return TraceProblem(S, similarity.IDENTITY, b=self.ridge)

    def _directions(self, data: FactoredMatrix, Y: Any) -> Directions:
        if not self.approximate:
            return super()._directions(data, Y)
        self._check_n_components(data)
        return least_squares_directions(
            self._problem(Y), data, self.n_components, self.solver, self.tol
        )
