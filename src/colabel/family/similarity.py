"""Similarities of instances that labels define: what S and T of a trace problem can be.

Each is a :class:`Similarity`, diag(d) ± FFᵀ, which is never formed. ``linear(Y)`` is ȲȲᵀ, and so
on; one of your own is ``Similarity(diag, labels, root)``.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._documents import Says
from colabel._parameters import Penalties
from colabel.linalg import small
from colabel.linalg.low_rank import (
    IDENTITY,
    NOTHING,
    Similarity,
    column_squares,
    joint_counts,
    row_total,
    totals,
)
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.rank import rounding
from colabel.linalg.weighted_labels import WeightedLabels, scale_rows

__all__ = [
    "IDENTITY",
    "NOTHING",
    "ClassWeights",
    "Similarity",
    "canonical",
    "centred_label_gram",
    "class_means",
    "class_weights",
    "hypergraph",
    "inverse_label_root",
    "label_noise_inverse",
    "linear",
    "whiten",
    "with_complement",
]

Weights: TypeAlias = Annotated[
    Literal["correlation", "binary"],
    Says(
        'Z: the labels as they are ("binary"), or shared out among correlated labels and divided by'
        '\n    the number of labels of the row ("correlation").'
    ),
]
Laplacian: TypeAlias = Annotated[
    Literal["clique", "star", "zhou", "cca"],
    Says(
        "Clique expansion, star expansion, Zhou's normalised Laplacian, or the projection on the\n"
        "    labels, which makes it canonical correlation analysis."
    ),
]

EdgeWeights: TypeAlias = Annotated[
    Penalties | None,
    Says(
        "w(e), what each label counts as a hyperedge, by label; None: 1 each. Not for\n"
        '    laplacian="cca", which has no hyperedges.'
    ),
]

#: Eigenvalues that are closer than this share of the largest are equal.
EQUAL = 1e-10


def centred_label_gram(Y: Any) -> np.ndarray:
    """ȲᵀȲ with Ȳ = H(2Y − 1), from the co-occurrence counts YᵀY."""
    counts = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel()
    return 4.0 * (joint_counts(Y) - np.outer(counts, counts) / row_total(Y))


def inverse_label_root(Y: Any, shift: float = 0.0) -> np.ndarray:
    """R with RRᵀ = (ȲᵀȲ + shift·I)⁻¹; the pseudo-inverse on the range of ȲᵀȲ when shift is 0."""
    lam, Q = small.eigh(centred_label_gram(Y))
    if shift == 0:
        kept = lam > rounding(np.float64, 4.0 * column_squares(Y).sum())
        lam, Q = lam[kept], Q[:, kept]
    return Q / np.sqrt(np.maximum(lam, 0.0) + shift)


def linear(Y: Any, weight: float = 1.0, diag: float = 0.0) -> Similarity:
    """diag·I + weight·ȲȲᵀ."""
    root = np.full(Y.shape[1], 2.0 * np.sqrt(weight))
    return Similarity(diag, Y, root) if weight else Similarity(diag)


def canonical(Y: Any, ridge: float = 0.0) -> Similarity:
    """Ȳ(ȲᵀȲ + ridge·I)⁻¹Ȳᵀ: the projection on the labels, of CCA."""
    return Similarity(0.0, Y, 2.0 * inverse_label_root(Y, ridge))


def class_means(Y: Any) -> Similarity:
    """YN⁻¹Yᵀ, N the label counts: X̄ᵀSX̄ is the scatter of the label means."""
    return Similarity(0.0, Y, 1.0 / np.sqrt(totals(Y)))


def label_noise_inverse(Y: Any, beta: float, noise: float) -> Similarity:
    """(noise·I + beta·ȲȲᵀ)⁻¹, by Woodbury's identity with q×q inverses only."""
    if beta == 0:
        return Similarity(1.0 / noise)
    root = 2.0 * inverse_label_root(Y, noise / beta) / np.sqrt(noise)
    return Similarity(1.0 / noise, Y, root, sign=-1)


@dataclass(frozen=True)
class ClassWeights:
    """Z = TC, the weight of each instance in each class, with its sums; T is n×q, C is q×q or I."""

    T: Any
    C: np.ndarray | None
    classtotals: np.ndarray
    instancetotals: np.ndarray

    def _root(self, scale: np.ndarray) -> np.ndarray:
        return scale if self.C is None else self.C * scale

    @property
    def between(self) -> Similarity:
        """S_b = ZN⁻¹Zᵀ − ssᵀ/n₊, of rank at most q − 1."""
        scale = 1.0 / np.sqrt(self.classtotals)
        v = np.sqrt(self.classtotals / self.classtotals.sum())
        if self.C is not None:
            root = self.C * scale
            return Similarity(0.0, self.T, root - np.outer(root @ v, v))
        root = np.outer(-scale * v, v)
        root.flat[:: len(v) + 1] += scale
        return Similarity(0.0, self.T, root)

    @property
    def within(self) -> Similarity:
        """S_w = diag(s) − ZN⁻¹Zᵀ."""
        root = self._root(1.0 / np.sqrt(self.classtotals))
        return Similarity(self.instancetotals, self.T, root, sign=-1)

    @property
    def apart(self) -> Similarity:
        """S_b' of DMLDA: each instance against the means of the classes that it is not in.

        The terms with a factor 1 vanish against X̄; what is left is diag(q − s) + Z(nN⁻² + N⁻¹)Zᵀ.
        """
        N = self.classtotals
        root = self._root(np.sqrt(row_total(self.T) / N**2 + 1.0 / N))
        return Similarity(len(N) - self.instancetotals, self.T, root)


def class_weights(Y: Any, kind: Weights) -> ClassWeights:
    """The weights of MLDA: `binary` Z = Y, or `correlation` Z_i = Cy_i/‖y_i‖₁, C label cosines."""
    if kind == "binary":
        return ClassWeights(Y, None, totals(Y), totals(Y, axis=1))
    joint = joint_counts(Y)
    norms = np.sqrt(np.diag(joint))
    C = joint / np.outer(norms, norms)
    T = _scale_rows(Y, _inverse_where_positive(totals(Y, axis=1)))
    return ClassWeights(T, C, totals(T) @ C, np.asarray(T @ C.sum(axis=1)).ravel())


def with_complement(Y: Any) -> Any:
    """A single label beside its complement, if any row is without it."""
    if isinstance(Y, WeightedLabels):
        return replace(Y, matrix=with_complement(Y.matrix))
    dense = Y.toarray() if sp.issparse(Y) else Y
    return np.hstack([dense, 1.0 - dense]) if np.any(dense == 0) else Y


def hypergraph(Y: Any, laplacian: Laplacian, edge_weights: np.ndarray | None = None) -> Similarity:
    """S = H₀H₀ᵀ of a hypergraph whose vertices are instances and whose hyperedges are labels."""
    if laplacian == "cca":
        if edge_weights is not None:
            raise ValueError(
                "laplacian='cca' is a projection on the labels and has no hyperedges to weigh; "
                "leave out edge_weights, or use laplacian='clique', 'star' or 'zhou'"
            )
        return canonical(Y)
    edge_sizes = totals(Y)
    w = np.ones(len(edge_sizes)) if edge_weights is None else edge_weights
    if laplacian == "clique":
        vertex_degrees, root = Y @ (w * edge_sizes), np.sqrt(w)
    elif laplacian == "star":
        # The column sums of M = YD_e⁻¹W are w.
        vertex_degrees, root = Y @ (w / edge_sizes), np.sqrt(w) / edge_sizes
    else:
        vertex_degrees, root = Y @ w, np.sqrt(w / edge_sizes)
    scale = np.sqrt(_inverse_where_positive(np.asarray(vertex_degrees).ravel()))
    return Similarity(0.0, _scale_rows(Y, scale), root)


def whiten(S: Similarity, X: DataMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Z such that HFZ has orthonormal columns, and the non-zero eigenvalues of HFFᵀH.

    These are the left singular vectors of HF, in descending order of the singular values. H centres
    as the rows of X are.
    """
    means = X.means(S.labels)
    joint = joint_counts(S.labels) - X.total * np.outer(means, means)
    lam, Q = small.eigh(S.times_root(S.times_root(joint).T))
    kept = np.flatnonzero(lam > rounding(np.float64, S.factor_size**2))[::-1]
    lam, Q = lam[kept], Q[:, kept]
    return _settle_equal(lam, Q) / np.sqrt(lam), lam


def _settle_equal(lam: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Eigenvectors of descending eigenvalues, those of equal ones turned to be lower triangular.

    Any others would be as good, and rounding would choose them.
    """
    ends = np.flatnonzero(lam[:-1] - lam[1:] > EQUAL * lam[:1]) + 1
    for part in np.split(np.arange(len(lam)), ends):
        if len(part) > 1:
            R = np.linalg.qr(Q[:, part].T)[1]
            Q[:, part] = (R * np.where(np.diag(R) < 0, -1.0, 1.0)[:, None]).T
    return Q


def _inverse_where_positive(x: np.ndarray) -> np.ndarray:
    """1/x, and 0 where x is 0: an instance without labels has degree 0 and is left out."""
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0)


def _scale_rows(Y: Any, scale: np.ndarray) -> Any:
    return Y.scale_rows(scale) if isinstance(Y, WeightedLabels) else scale_rows(Y, scale)
