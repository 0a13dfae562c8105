"""The spectral graph transducer: arrays in, arrays out.

For each label, min wᵀDw + c(Vw − γ)ᵀC(Vw − γ) subject to wᵀw = n, with V the eigenvectors of the
graph Laplacian that are orthogonal to 1, for its smallest eigenvalues, which D holds or replaces
(Joachims 2003). With G = D + cVᵀCV and b = cVᵀCγ the minimum is w = (G − λI)⁻¹b for the smallest λ
with wᵀw = n, which lies below all eigenvalues g of G: a root of the secular equation
Σ β_i²/(g_i − λ)² = n, β = Qᵀb, G = Q diag(g) Qᵀ. It is found by Newton's method on 1/‖w‖, which is
concave, so that no step but the first can pass the root; Joachims takes it as an eigenvalue of a
matrix twice as large as G.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import gen_batches
from sklearn.utils.extmath import svd_flip

from colabel.linalg.lanczos import extreme
from colabel.linalg.products import BLOCK_BYTES

#: Up to this many rows all eigenvectors are computed directly.
DIRECT_LIMIT = 2_000

#: Eigenvalues closer than this share of the largest are one eigenvalue.
TIES = 1e-7

NEWTON_STEPS = 100


def graph_weights(W: Any) -> Any:
    """Symmetric weights of a graph, from each row's similarities to its neighbours.

    Each row is divided by its sum, so that no row has more say than another, and the result is
    averaged with its transpose.
    """
    W = sp.csr_array(W, dtype=np.float64)
    W = W - sp.diags_array(W.diagonal())
    totals = np.asarray(W.sum(axis=1)).ravel()
    inverse = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
    W = sp.diags_array(inverse) @ W
    W = sp.csr_array((W + W.T) / 2.0)
    W.eliminate_zeros()
    return W


def laplacian_eigenvectors(
    W: Any, k: int, tol: float, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest eigenvalues of diag(W1) − W, and eigenvectors (n×k), all orthogonal to 1.

    A graph in several parts has the eigenvalue 0 for each, with vectors that are constant in every
    part: they are written down, and the parts are solved one by one. Rows without a neighbour are
    left out: they have zeros.
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    linked = np.flatnonzero(degrees > 0)
    W, d = W[linked][:, linked], degrees[linked]
    m = len(d)
    k = min(k, m - 1)
    V = np.zeros((len(degrees), max(k, 0)))
    if k < 1:
        return np.empty(0), V
    count, member = connected_components(W, directed=False)
    between = _between_parts(member, count, min(k, count - 1))
    lam, within = _within_parts(W, d, member, k - between.shape[1], tol, rng)
    E, _ = svd_flip(np.hstack([between, within]), None)
    V = V[:, : E.shape[1]]
    V[linked] = E - E.mean(axis=0)
    return np.concatenate([np.zeros(between.shape[1]), np.maximum(lam, 0.0)]), V


def _between_parts(member: np.ndarray, count: int, k: int) -> np.ndarray:
    """Orthonormal vectors (m×k) that are constant in each part and orthogonal to 1.

    Each tells a part from all smaller ones, the largest first.
    """
    sizes = np.bincount(member, minlength=count)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(count, dtype=int)
    rank[order] = np.arange(count)
    own = sizes[order][:k].astype(np.float64)
    smaller = len(member) - np.cumsum(own)
    at = rank[member][:, None]
    high, low = (np.sqrt(a / (b * (a + b))) for a, b in ((smaller, own), (own, smaller)))
    return np.where(at == np.arange(k), high, np.where(at > np.arange(k), -low, 0.0))


def _within_parts(
    W: Any, d: np.ndarray, member: np.ndarray, k: int, tol: float, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest eigenvalues whose vectors are orthogonal to 1 in every part, with these."""
    if k < 1:
        return np.empty(0), np.zeros((len(d), 0))
    parts = [np.flatnonzero(member == part) for part in range(member.max() + 1)]
    found = [_of_part(W[rows][:, rows], d[rows], k, tol, rng) for rows in parts]
    values = np.concatenate([lam for lam, _ in found])
    smallest = np.sort(np.argsort(values, kind="stable")[:k])
    E, start = np.zeros((len(d), len(smallest))), 0
    for rows, (lam, own) in zip(parts, found, strict=True):
        chosen = (smallest >= start) & (smallest < start + len(lam))
        E[np.ix_(rows, np.flatnonzero(chosen))] = own[:, smallest[chosen] - start]
        start += len(lam)
    order = np.argsort(values[smallest], kind="stable")
    return values[smallest][order], E[:, order]


def _of_part(
    W: Any, d: np.ndarray, k: int, tol: float, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest of a connected graph, or all, without that of the constant vector.

    It is set aside by adding a multiple of 11ᵀ that lifts it above all others, which are at most
    twice the largest degree.
    """
    m = len(d)
    k = min(k, m - 1)
    lift = 3.0 * d.max() / m
    if m <= DIRECT_LIMIT or 3 * k > m:
        L = np.diag(d + lift) + lift * (1.0 - np.eye(m)) - W.toarray()
        return linalg.eigh(L, subset_by_index=[0, k - 1])
    return _by_lanczos(W, d, lift, k, tol, rng)


def _by_lanczos(
    W: Any, d: np.ndarray, lift: float, k: int, tol: float, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    m = len(d)
    L = LinearOperator(
        (m, m), matvec=lambda v: d * np.ravel(v) - W @ np.ravel(v) + lift * np.sum(v), dtype=float
    )
    v0, advice = rng.standard_normal(m), "or a smaller n_eigenvectors,"
    lam, E = extreme(L, k, tol, v0, advice=advice, which="SA", maxiter=20 * m)
    order = np.argsort(lam)
    return lam[order], E[:, order]


def squares(lam: np.ndarray) -> np.ndarray:
    """1, 4, 9, … in place of ascending eigenvalues; equal ones share the mean of theirs.

    So that the result does not depend on which basis of an eigenspace was found.
    """
    values = np.arange(1.0, len(lam) + 1.0) ** 2
    if not len(lam):
        return values
    new = np.concatenate([[0], np.cumsum(np.diff(lam) > TIES * lam[-1])])
    return (np.bincount(new, values) / np.bincount(new))[new]


def quadratic_forms(
    V: np.ndarray, D: np.ndarray, Y: np.ndarray, c: float
) -> tuple[np.ndarray, np.ndarray]:
    """G (q×k×k) and b (q×k) of all labels; V and Y are those of the labelled rows.

    A label's two classes weigh the same in C, and γ is what a standardised label would be.
    """
    rows, k = V.shape
    share = Y.mean(axis=0)
    present, absent = 0.5 / share, 0.5 / (1.0 - share)
    costs = np.where(Y > 0, present, absent)
    gamma = np.where(Y > 0, np.sqrt((1.0 - share) / share), -np.sqrt(share / (1.0 - share)))
    outer = np.zeros((Y.shape[1], k * k))
    for part in gen_batches(rows, max(1, BLOCK_BYTES // (8 * k * k))):
        products = (V[part, :, None] * V[part, None, :]).reshape(-1, k * k)
        outer += costs[part].T @ products
    G = c * outer.reshape(-1, k, k) + np.diag(D)
    return G, c * (costs * gamma).T @ V


def secular(G: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """For each label the w with wᵀw = n that minimises ½wᵀGw − bᵀw (q×k), and its multiplier λ."""
    g, Q = np.linalg.eigh(G)
    beta = np.einsum("qki,qk->qi", Q, b)
    gaps, radius = g - g[:, :1], np.sqrt(n)
    lowest = gaps <= TIES * np.maximum(np.abs(g[:, -1:]), np.finfo(float).tiny)
    gaps = np.where(lowest, 0.0, gaps)

    def length(mu: np.ndarray) -> np.ndarray:
        return np.linalg.norm(_over(beta, gaps + mu[:, None]), axis=1)

    # the root μ = g₁ − λ lies between |β₁|/√n and |β|/√n
    mu = np.linalg.norm(beta, axis=1) / radius
    least = np.linalg.norm(np.where(lowest, beta, 0.0), axis=1) / radius
    for _ in range(NEWTON_STEPS):
        size = length(mu)
        slope = np.sum(_over(beta**2, (gaps + mu[:, None]) ** 3), axis=1)
        step = _over(size**2 * (radius - size), slope * radius)
        after = np.maximum(mu - step, least)
        if np.all(np.abs(after - mu) <= 4 * np.finfo(float).eps * mu):
            break
        mu = after
    w = _over(beta, gaps + mu[:, None])
    # where b has no part along the lowest eigenvectors w may be too short even at μ = 0
    missing = np.sqrt(np.maximum(n - np.sum(w**2, axis=1), 0.0))
    short = missing > 1e-6 * radius
    w[:, 0] += np.where(short, missing, 0.0)
    return np.einsum("qki,qi->qk", Q, w), g[:, 0] - mu


def _over(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x/y, and 0 where y is 0."""
    return np.divide(x, y, out=np.zeros_like(x), where=y != 0)
