"""The linear family: each method is one choice of A and B in

    max tr(PᵀAP)  subject to  PᵀBP = I.

X̄ is the centred data, Ȳ = H(2Y − 1) the centred ±1 labels. Papers are cited by authors and year;
`docs/mathematics` gives the full references.
"""

from typing import Annotated

from colabel._documents import Says
from colabel._indicator import LabelMatrix
from colabel._labels import Labels
from colabel._parameters import NonNegative, Positive, Share
from colabel._rows import Rows
from colabel.family import LinearExtractor, Ridge, TraceProblem, similarity
from colabel.family.problem import Task
from colabel.family.residual import residual
from colabel.family.shrinkage import shrink
from colabel.family.similarity import Weights
from colabel.linalg.data import CentredData


class MDDMp(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to PᵀP = I: directions that depend most on the labels.

    Dependence is the Hilbert-Schmidt criterion with linear kernels; the projections are
    orthonormal. It is :class:`MVMD` with ``beta=1`` and :class:`MDDMf` with ``beta=0``; at most as
    many directions as labels (Zhang & Zhou 2010; Xu et al. 2016).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import PCA, MDDMp
    >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [3.0, 1.0]
    >>> Y = X[:, 1:] > 0  # which depends on the feature that varies less
    >>> [abs(m.fit(X, Y).components_[0]).argmax().item() for m in (PCA(1), MDDMp(1))]
    [0, 1]
    """

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        return TraceProblem(similarity.linear(Y))


class MDDMf(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to Pᵀ(βX̄ᵀX̄ + (1 − β)I)P = I: dependence, uncorrelated features.

    ``beta=0`` is :class:`MDDMp`. For 0 < β ≤ 1 it spans what :class:`OPLS` spans with
    ``ridge=(1 − β)/β``, and its eigenvalues are those of OPLS divided by β (Zhang & Zhou 2010).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MDDMf
    >>> X = np.cumsum(np.random.default_rng(0).normal(size=(300, 6)), axis=1)
    >>> Z = MDDMf(beta=1.0).fit(X, X[:, :3] > 0).transform(X)
    >>> bool(np.allclose(Z.T @ Z, np.eye(3)))  # uncorrelated, as X is not
    True
    """

    beta: Annotated[Share, Says("β: orthonormal directions (0) or uncorrelated features (1).")] = (
        0.5
    )

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        T = similarity.Similarity(diag=self.beta)
        return TraceProblem(similarity.linear(Y), T, b=1.0 - self.beta)


class MVMD(LinearExtractor):
    """max tr(Pᵀ((1 − β)X̄ᵀX̄ + βX̄ᵀȲȲᵀX̄)P) subject to PᵀP = I: variance and dependence at once.

    ``beta=0`` is :class:`PCA`, ``beta=1`` is :class:`MDDMp`. Between them there can be more
    directions than labels (Xu et al. 2016).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MVMD
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 10)), rng.integers(0, 2, size=(100, 2))
    >>> [MVMD(beta=beta).fit(X, Y).n_components_ for beta in (0.5, 1.0)]
    [10, 2]
    """

    beta: Annotated[Share, Says("β: variance (0) or dependence on the labels (1).")] = 0.5

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        return TraceProblem(similarity.linear(Y, weight=self.beta, diag=1.0 - self.beta))

    def residual(self, X: Rows, y: Labels) -> float:
        """What the directions leave of rows and labels: J(P), the least for their number.

        (1 − β)‖X̄ − X̄PPᵀ‖² + β‖ȲᵀX̄ − ȲᵀX̄PPᵀ‖² (Eq. 30 to 35 of the paper). Of the rows that were
        fitted it is what the eigenvalues of the directions that are not kept add up to.
        """
        return residual(self, X, y)


class LabelCCA(LinearExtractor):
    """max tr(PᵀX̄ᵀȲ(ȲᵀȲ + γ_yI)⁻¹ȲᵀX̄P) subject to Pᵀ(X̄ᵀX̄ + γ_xI)P = I: canonical correlations.

    Without ridges, ``eigenvalues_`` are the squared canonical correlations of X and Y, collinear
    labels being met by the pseudo-inverse, and it is :class:`HypergraphSpectral` with
    ``laplacian="cca"``. On one-hot labels it spans the discriminants of LDA.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import LabelCCA
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> Y = X[:, :2] + [[0, 1]] * X[:, 2:] ** 2 > [0, 1]  # the second is noisy
    >>> np.sqrt(LabelCCA(ridge=0.0, label_ridge=0.0).fit(X, Y).eigenvalues_).round(1)
    array([0.8, 0.6])
    """

    ridge: Ridge = 0.1
    label_ridge: Annotated[NonNegative, Says("γ_y, what the ridge γ_x is, for ȲᵀȲ.")] = 0.1

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        S = similarity.canonical(Y, self.label_ridge)
        return TraceProblem(S, similarity.IDENTITY, b=self.ridge)


class OPLS(LinearExtractor):
    """max tr(PᵀX̄ᵀȲȲᵀX̄P) subject to Pᵀ(X̄ᵀX̄ + γI)P = I: orthonormalised partial least squares.

    The directions from which a linear model predicts the labels best. :class:`MDDMf` spans the same
    with ``beta=1/(1 + ridge)``; so does the shared subspace classifier as its α grows (Ji et al.
    2008).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import LabelRidge, OPLS
    >>> X = np.random.default_rng(0).normal(size=(300, 1000))
    >>> Y = X[:, :4] + X[:, 1:5] > 0
    >>> Z = OPLS().fit(X, Y).transform(X)  # four features in place of a thousand
    >>> Z.shape, bool((LabelRidge().fit(Z, Y).predict(Z) == Y).all())
    ((300, 4), True)
    """

    ridge: Ridge = 0.1

    def problem(self, Y: LabelMatrix) -> TraceProblem:
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
    >>> X, Y = rng.normal(size=(100, 10)), np.eye(3)[rng.integers(0, 3, size=100)]
    >>> P = OCM().fit(X, Y).components_
    >>> centroids = Y.T @ (X - X.mean(axis=0))
    >>> bool(np.allclose(centroids @ P.T @ P, centroids))  # all lie in what P spans
    True
    """

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        return TraceProblem(similarity.class_means(Y))


class MLSI(LinearExtractor):
    """max tr(PᵀX̄ᵀX̄P) subject to Pᵀ(X̄ᵀ((1 − β)X̄X̄ᵀ + βȲȲᵀ + γ_kI)⁻¹X̄ + γI)P = I: latent semantics.

    Multi-label informed latent semantic indexing. No n×n matrix is inverted: with
    M = X̄ᵀ(βȲȲᵀ + γ_kI)⁻¹X̄ the constraint is M(I + (1 − β)M)⁻¹ + γI, and the inner inverse is one of
    label size (Yu et al. 2005; Xu et al. 2016; Liu et al. 2006).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import MLSI
    >>> counts, Y = make_multilabel_classification(n_features=40, random_state=0)
    >>> MLSI(n_components=10, beta=0.9).fit(counts, Y).transform(counts).shape
    (100, 10)
    """

    beta: Annotated[Share, Says("β: semantics of the data alone (0) or of the labels (1).")] = 0.5
    ridge: Ridge = 0.1
    kernel_ridge: Annotated[Positive, Says("γ_k, which is added before the inversion.")] = 0.1

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        T = similarity.label_noise_inverse(Y, self.beta, self.kernel_ridge)
        return TraceProblem(similarity.IDENTITY, T, b=self.ridge, c=1.0 - self.beta)


class MLDA(LinearExtractor):
    """max tr(PᵀXᵀS_bXP) subject to Pᵀ(XᵀS_wX + γI)P = I: discriminants for overlapping classes.

    S_w = diag(Z1) − ZN⁻¹Zᵀ and S_b = ZN⁻¹Zᵀ − (Z1)(Z1)ᵀ/n₊, with Z the weights of instances in
    classes, N its column sums and n₊ their total. At most q − 1 directions; the rows without
    a single label stand as its second class. On one-hot labels with ``ridge=0`` it is linear
    discriminant analysis (Wang et al. 2010; Xu et al. 2016).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from colabel import MLDA
    >>> X, y = load_iris(return_X_y=True)  # three classes, four features
    >>> Z = MLDA(weights="binary", ridge=0.0).fit(X, y).transform(X)
    >>> Z.shape, [round(KNeighborsClassifier().fit(x, y).score(x, y), 2) for x in (X, Z)]
    ((150, 2), [0.97, 0.97])
    """

    weights: Weights = "correlation"
    ridge: Ridge = 0.1
    shrinkage: Annotated[
        Share,
        Says(
            "s: B is (1 − s)M + s·tr(M)/d·I + γI with M = XᵀS_wX, as scikit-learn's LDA shrinks it"
            '\n    (whose solver "eigen" does so with XᵀS_bX too). Not with a kernel, as d counts.'
        ),
    ] = 0.0

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        if Y.shape[1] == 1:
            Y = similarity.with_complement(Y)
        Z = similarity.class_weights(Y, self.weights)
        return TraceProblem(Z.between, Z.within, b=self.ridge)

    def _task(self, data: CentredData, Y: LabelMatrix) -> Task:
        return shrink(super()._task(data, Y), self.shrinkage)


class DMLDA(LinearExtractor):
    """max tr(PᵀXᵀS_b'XP) subject to Pᵀ(XᵀS_wX + γI)P = I: instances far from classes not theirs.

    XᵀS_b'X sums (x_i − m_k)(x_i − m_k)ᵀ over the classes k that instance i is not in, so that there
    can be as many directions as features; S_w is that of :class:`MLDA` (Xu et al. 2016, whose
    printed matrix is not symmetric: its symmetric part is meant).

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import DMLDA, MLDA
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 8)), rng.integers(0, 2, size=(100, 3))
    >>> [method.fit(X, Y).n_components_ for method in (MLDA(), DMLDA())]
    [2, 8]
    """

    weights: Weights = "binary"
    ridge: Ridge = 0.1

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        Z = similarity.class_weights(Y, self.weights)
        return TraceProblem(Z.apart, Z.within, b=self.ridge)
