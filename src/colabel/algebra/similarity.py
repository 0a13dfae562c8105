"""Similarities of instances that labels define, kept as diag(d) ± FFᵀ and never formed.

F = T·R: a label matrix T (n×q, sparse where the labels are) times a small root R. Algorithms use F
only through X̄ᵀF = (X̄ᵀT)R. As X̄ᵀ1 = 0, no T needs centring, and Ȳ = H(2Y − 1) may be given as 2Y.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from colabel.algebra.rank import rounding


@dataclass(frozen=True)
class Similarity:
    """S = diag(d) ± (TR)(TR)ᵀ.

    Attributes
    ----------
    diag : float or ndarray of shape (n,)
    labels : array or sparse array of shape (n, q), optional
        T. None: no low-rank part.
    root : ndarray of shape (q,) or (q, k), optional
        R, a vector standing for a diagonal matrix; None for the identity.
    sign : {1, -1}
    """

    diag: float | np.ndarray = 0.0
    labels: Any = None
    root: np.ndarray | None = None
    sign: int = 1

    @property
    def is_low_rank(self) -> bool:
        """Whether S = FFᵀ."""
        return self.labels is not None and self.sign > 0 and not np.any(self.diag)

    @property
    def is_isotropic(self) -> bool:
        """Whether S is a multiple of the identity."""
        return self.labels is None and np.ndim(self.diag) == 0

    @property
    def rank(self) -> int:
        """The number of columns of F."""
        if self.labels is None:
            return 0
        if self.root is not None and self.root.ndim == 2:
            return self.root.shape[1]
        return int(self.labels.shape[1])

    @property
    def root_matrix(self) -> np.ndarray:
        """R as a q×k matrix."""
        R = np.ones(self.labels.shape[1]) if self.root is None else self.root
        return np.diag(R) if R.ndim == 1 else R

    @property
    def factor_size(self) -> float:
        """What F = TR is rounded relative to: the size of its terms, which can cancel in F."""
        R = np.ones(self.labels.shape[1]) if self.root is None else self.root
        terms = R**2 if R.ndim == 1 else np.einsum("ij,ij->i", R, R)
        return float(np.sqrt(_column_squares(self.labels) @ terms))

    @property
    def size(self) -> float:
        """A bound on the eigenvalues of S, which is positive semi-definite if the sign is −."""
        size = float(np.max(np.abs(self.diag)))
        return size + self.factor_size**2 if self.labels is not None and self.sign > 0 else size

    def times_root(self, M: np.ndarray) -> np.ndarray:
        """M·R, for M = X̄ᵀT or anything else with q columns."""
        if self.root is None:
            return M
        return M @ self.root if self.root.ndim == 2 else M * self.root

    def dot(self, V: np.ndarray) -> np.ndarray:
        """S·V."""
        result = V * np.reshape(self.diag, (-1, 1))
        if self.labels is None:
            return result
        R = self.root_matrix
        return result + self.sign * np.asarray(self.labels @ (R @ (R.T @ (self.labels.T @ V))))

    def scaled(self, factor: float) -> Similarity:
        """factor·S, for factor ≥ 0."""
        root = None if self.labels is None else np.sqrt(factor) * self.root_matrix
        return replace(self, diag=factor * self.diag, root=root)


NOTHING = Similarity()
IDENTITY = Similarity(diag=1.0)


def centred_label_gram(Y: Any) -> np.ndarray:
    """ȲᵀȲ with Ȳ = H(2Y − 1), from the co-occurrence counts YᵀY."""
    counts = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel()
    return 4.0 * (_joint_counts(Y) - np.outer(counts, counts) / Y.shape[0])


def inverse_label_root(Y: Any, shift: float = 0.0) -> np.ndarray:
    """R with RRᵀ = (ȲᵀȲ + shift·I)⁻¹; the pseudo-inverse on the range of ȲᵀȲ when shift is 0."""
    lam, Q = linalg.eigh(centred_label_gram(Y))
    if shift == 0:
        kept = lam > rounding(np.float64, 4.0 * _column_squares(Y).sum())
        lam, Q = lam[kept], Q[:, kept]
    return Q / np.sqrt(np.maximum(lam, 0.0) + shift)


def linear(Y: Any, weight: float = 1.0, diag: float = 0.0) -> Similarity:
    """diag·I + weight·ȲȲᵀ."""
    root = np.full(Y.shape[1], 2.0 * np.sqrt(weight))
    return Similarity(diag, Y, root) if weight else Similarity(diag)


def correlated(Y: Any, ridge: float = 0.0) -> Similarity:
    """Ȳ(ȲᵀȲ + ridge·I)⁻¹Ȳᵀ: the projection on the labels, of CCA."""
    return Similarity(0.0, Y, 2.0 * inverse_label_root(Y, ridge))


def class_means(Y: Any) -> Similarity:
    """YN⁻¹Yᵀ, N the label counts: X̄ᵀSX̄ is the scatter of the label means."""
    return Similarity(0.0, Y, 1.0 / np.sqrt(_totals(Y)))


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
    class_totals: np.ndarray
    instance_totals: np.ndarray

    def _root(self, scale: np.ndarray) -> np.ndarray:
        return scale if self.C is None else self.C * scale

    @property
    def between(self) -> Similarity:
        """S_b = ZN⁻¹Zᵀ − ssᵀ/n₊, of rank at most q − 1."""
        scale = 1.0 / np.sqrt(self.class_totals)
        v = np.sqrt(self.class_totals / self.class_totals.sum())
        root = np.diag(scale) if self.C is None else self.C * scale
        return Similarity(0.0, self.T, root - np.outer(root @ v, v))

    @property
    def within(self) -> Similarity:
        """S_w = diag(s) − ZN⁻¹Zᵀ."""
        root = self._root(1.0 / np.sqrt(self.class_totals))
        return Similarity(self.instance_totals, self.T, root, sign=-1)

    @property
    def apart(self) -> Similarity:
        """S_b' of DMLDA: each instance against the means of the classes that it is not in.

        The terms with a factor 1 vanish against X̄; what is left is diag(q − s) + Z(nN⁻² + N⁻¹)Zᵀ.
        """
        N = self.class_totals
        root = self._root(np.sqrt(self.T.shape[0] / N**2 + 1.0 / N))
        return Similarity(len(N) - self.instance_totals, self.T, root)


def class_weights(Y: Any, kind: str) -> ClassWeights:
    """The weights of MLDA: `binary` Z = Y, or `correlation` Z_i = Cy_i/‖y_i‖₁, C label cosines."""
    if kind == "binary":
        return ClassWeights(Y, None, _totals(Y), _totals(Y, axis=1))
    joint = _joint_counts(Y)
    norms = np.sqrt(np.diag(joint))
    C = joint / np.outer(norms, norms)
    T = _scale_rows(Y, _inverse_where_positive(_totals(Y, axis=1)))
    return ClassWeights(T, C, _totals(T) @ C, np.asarray(T @ C.sum(axis=1)).ravel())


def with_complement(Y: Any) -> Any:
    """A single label beside its complement, if any row is without it."""
    dense = Y.toarray() if sp.issparse(Y) else Y
    return np.hstack([dense, 1.0 - dense]) if np.any(dense == 0) else Y


def hypergraph(Y: Any, laplacian: str) -> Similarity:
    """S = H₀H₀ᵀ of a hypergraph whose vertices are instances and whose hyperedges are labels."""
    if laplacian == "cca":
        return correlated(Y)
    edge_sizes = _totals(Y)
    if laplacian == "clique":
        vertex_degrees, root = Y @ edge_sizes, np.ones(len(edge_sizes))
    elif laplacian == "star":
        # The column sums of M = YD_e⁻¹ are all one.
        vertex_degrees, root = Y @ (1.0 / edge_sizes), 1.0 / edge_sizes
    else:
        vertex_degrees, root = _totals(Y, axis=1), 1.0 / np.sqrt(edge_sizes)
    scale = np.sqrt(_inverse_where_positive(np.asarray(vertex_degrees).ravel()))
    return Similarity(0.0, _scale_rows(Y, scale), root)


def whitened(S: Similarity) -> tuple[Similarity, np.ndarray]:
    """The similarity HFFᵀH with its non-zero eigenvalues replaced by ones, and those eigenvalues.

    The new F is, up to centring, the orthonormal basis of left singular vectors of the old, in
    descending order of the singular values.
    """
    joint = _joint_counts(S.labels)
    mean = _totals(S.labels) / S.labels.shape[0]
    joint = joint - S.labels.shape[0] * np.outer(mean, mean)
    lam, Q = linalg.eigh(S.times_root(S.times_root(joint).T))
    kept = np.flatnonzero(lam > rounding(np.float64, S.factor_size**2))[::-1]
    return replace(S, root=S.root_matrix @ (Q[:, kept] / np.sqrt(lam[kept]))), lam[kept]


def _joint_counts(T: Any) -> np.ndarray:
    """TᵀT, dense: it is q×q."""
    joint = T.T @ T
    return joint.toarray() if sp.issparse(joint) else joint


def _column_squares(T: Any) -> np.ndarray:
    """The diagonal of TᵀT."""
    if isinstance(T, np.ndarray):
        return np.einsum("ij,ij->j", T, T)
    if sp.issparse(T):
        return _totals(T.multiply(T))
    return np.diag(_joint_counts(T))  # sums in the place of rows


def _totals(M: Any, axis: int = 0) -> np.ndarray:
    return np.asarray(M.sum(axis=axis), dtype=np.float64).ravel()


def _inverse_where_positive(x: np.ndarray) -> np.ndarray:
    """1/x, and 0 where x is 0: an instance without labels has degree 0 and is left out."""
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0)


def _scale_rows(Y: Any, scale: np.ndarray) -> Any:
    return Y.multiply(scale[:, None]).tocsr() if sp.issparse(Y) else Y * scale[:, None]
