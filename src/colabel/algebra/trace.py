"""max tr(PᵀAP) subject to PᵀBP = I, solved three ways that agree.

`factor`
    From X̄ = UΣVᵀ every problem is a t×t one. The only way to all eigenpairs, and free for the
    second problem on the same data.
`two-stage`
    For A = FFᵀ of low rank: one block solve BW = F and one eigenproblem as small as the number of
    labels give the exact directions.
`truncated`
    The leading k directions by Lanczos iteration, on operators only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from colabel.algebra import cost
from colabel.algebra.cost import SingularError
from colabel.algebra.factor import SVD, FactoredMatrix
from colabel.algebra.least_squares import NormalEquations, ridge_solutions
from colabel.algebra.matrix import DataMatrix
from colabel.algebra.rank import rounding
from colabel.algebra.similarity import NOTHING, Similarity, whitened

#: Directions P over `core`, and their eigenvalues.
Solution = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class TraceProblem:
    """A = X̄ᵀSX̄ and B = M(I + cM)⁻¹ + bI with M = X̄ᵀTX̄.

    c = 0 for every method but MLSI, whose constraint is a resolvent of M.
    """

    S: Similarity
    T: Similarity = NOTHING
    b: float = 1.0
    c: float = 0.0

    @property
    def has_plain_constraint(self) -> bool:
        """Whether B = bI."""
        return self.T.is_isotropic and self.T.diag == 0

    @property
    def reduced_eighs(self) -> int:
        """Eigenproblems that are left in the coordinates of X̄ = UΣVᵀ."""
        diagonal = self.S.is_isotropic and self.T.is_isotropic
        return int(not self.T.is_isotropic) + int(not (self.S.is_low_rank or diagonal))

    def saturate(self, mu: np.ndarray) -> np.ndarray:
        """Eigenvalues of B from those of M."""
        return mu / (1.0 + self.c * mu) + self.b


@dataclass(frozen=True)
class Directions:
    """P (d×k) with its eigenvalues, largest first, and the solver that found them."""

    P: np.ndarray
    eigenvalues: np.ndarray
    solver: str


def solve(
    problem: TraceProblem,
    data: FactoredMatrix,
    n_components: int | float | None = None,
    solver: str = "auto",
    tol: float = 1e-10,
    rng: np.random.RandomState | None = None,
) -> Directions:
    """Solve a trace problem for the wanted number of directions (see :func:`how_many`)."""
    S = problem.S
    if S.is_low_rank and not S.rank:
        how_many(np.empty(0), n_components)  # says that there are none
    size = cost.Size.of(
        data,
        low_rank=S.rank if S.is_low_rank else 0,
        n_components=n_components,
        plain_constraint=problem.has_plain_constraint,
        reduced_eighs=problem.reduced_eighs,
    )
    routes: dict[str, Callable[[], Solution]] = {
        "factor": lambda: by_factor(problem, data.svd, n_components),
        "two-stage": lambda: by_two_stage(problem, data.core, n_components, tol),
        "truncated": lambda: by_truncated(problem, data.core, n_components, tol, rng),
    }
    (P, lam), used = cost.follow(routes, size, solver)
    return Directions(data.lift(P), lam, used)


def least_squares_directions(
    problem: TraceProblem,
    data: FactoredMatrix,
    n_components: int | float | None = None,
    solver: str = "auto",
    tol: float = 1e-10,
) -> Directions:
    """Argmin ‖X̄W − H‖² + b‖W‖², H the leading left singular vectors of the centred root of S.

    The columns of H are ordered by the eigenvalues of S, which are returned with them.
    """
    basis, lam = whitened(problem.S)
    k = how_many(lam, n_components)
    H = replace(basis, root=basis.root_matrix[:, :k])
    (W,), used = ridge_solutions(data, H, [problem.b], solver=solver, tol=tol)
    return Directions(data.lift(W), lam[:k], used)


def how_many(lam: np.ndarray, n_components: int | float | None) -> int:
    """How many of the positive eigenvalues `lam` (descending) to keep.

    None keeps all; an int that many; a share in (0, 1) the smallest number whose sum is at least
    that share of the sum of all.
    """
    if not len(lam):
        raise ValueError(
            "no direction has a positive eigenvalue: nothing in X varies with the labels; check "
            "for constant features and for labels that all rows have"
        )
    if n_components is None:
        return len(lam)
    if isinstance(n_components, (int, np.integer)):
        if n_components > len(lam):
            warnings.warn(
                f"n_components={n_components}, but only {len(lam)} directions have a positive "
                f"eigenvalue; keeping {len(lam)}",
                UserWarning,
                stacklevel=2,
            )
        return min(int(n_components), len(lam))
    reached = np.cumsum(lam) >= n_components * np.sum(lam)
    return int(np.argmax(reached)) + 1


def by_factor(problem: TraceProblem, svd: SVD, n_components: int | float | None = None) -> Solution:
    """The directions P = VC with C from a t×t eigenproblem."""
    C, lam = _coordinates(problem, svd)
    k = how_many(lam, n_components)
    return svd.right_dot(C[:, :k]), lam[:k]


def _coordinates(problem: TraceProblem, svd: SVD) -> tuple[np.ndarray, np.ndarray]:
    """All C with a positive eigenvalue, and the eigenvalues."""
    if not len(svd.s):
        return np.empty((0, 0)), np.empty(0)
    W = _whitening(problem, svd)

    def whiten(M: np.ndarray) -> np.ndarray:
        return W[:, None] * M if W.ndim == 1 else W.T @ M

    def unwhiten(M: np.ndarray) -> np.ndarray:
        return W[:, None] * M if W.ndim == 1 else W @ M

    eps = np.finfo(svd.X.dtype).eps
    S = problem.S
    if S.is_low_rank:
        Q, size, _ = _directions_of(_scores(S, svd), _zero(S, svd.X), orthonormal=True)
        left, root, _ = linalg.svd(whiten(Q * size), full_matrices=False, check_finite=False)
        # whitening keeps the rank, but for what it leaves out where B is singular
        kept = root > max(left.shape) * eps * root.max(initial=0.0)
        return unwhiten(left[:, kept]), root[kept] ** 2
    if S.is_isotropic and W.ndim == 1:
        lam = float(S.diag) * (svd.s * W) ** 2
        order = np.argsort(-lam, kind="stable")
        return np.diag(W)[:, order], lam[order]
    A = _projected(S, svd)
    if linalg.norm(A) <= rounding(svd.X.dtype, S.size, float(svd.s @ svd.s)):
        return np.empty((len(svd.s), 0)), np.empty(0)
    lam, Q = linalg.eigh(whiten(whiten(A).T), driver="evd", check_finite=False)
    lam, Q = lam[::-1], Q[:, ::-1]
    kept = lam > len(lam) * eps * max(lam[0], 0.0)
    return unwhiten(Q[:, kept]), lam[kept]


def _zero(S: Similarity, X: DataMatrix) -> float:
    """Below this a singular value of F = X̄ᵀTR is rounding: what all solvers call zero."""
    return rounding(X.dtype, X.scale, S.factor_size)


def _scores(S: Similarity, svd: SVD) -> np.ndarray:
    """ΣUᵀF."""
    return svd.s[:, None] * S.times_root(svd.left_transpose_dot(S.labels))


def _projected(S: Similarity, svd: SVD) -> np.ndarray:
    """VᵀX̄ᵀSX̄V, t×t."""
    M = np.diag(S.diag * svd.s**2) if np.ndim(S.diag) == 0 else svd.weighted(np.asarray(S.diag))
    if S.labels is not None:
        F = _scores(S, svd)
        M += S.sign * (F @ F.T)
    return M


def _whitening(problem: TraceProblem, svd: SVD) -> np.ndarray:
    """W with Wᵀ(VᵀBV)W = I, a vector if it is diagonal; on the range of B if B is singular."""
    T = problem.T
    if T.is_isotropic:
        return 1.0 / np.sqrt(problem.saturate(T.diag * svd.s**2))
    mu, Q = linalg.eigh(_projected(T, svd), driver="evd", check_finite=False)
    mu = np.maximum(mu, 0.0)
    if problem.b == 0:
        kept = mu > rounding(svd.X.dtype, T.size, float(svd.s[0] ** 2))
        if not kept.any():
            raise ValueError(
                "the constraint B is zero: with ridge=0 it needs rows that vary within their "
                "classes; set a ridge above 0"
            )
        mu, Q = mu[kept], Q[:, kept]
    return Q / np.sqrt(problem.saturate(mu))


def by_two_stage(
    problem: TraceProblem, X: DataMatrix, n_components: int | float | None, tol: float
) -> Solution:
    """The directions of a low-rank A = FFᵀ: BW = F, then an eigenproblem as small as FᵀW."""
    S = problem.S
    F = S.times_root(X.tdot(S.labels)).astype(np.float64, copy=False)
    Q, size, Z = _directions_of(F, _zero(S, X), orthonormal=problem.has_plain_constraint)
    if problem.has_plain_constraint or not len(size):
        P, lam = Q / np.sqrt(problem.b or 1.0), size**2 / (problem.b or 1.0)
    else:
        # Q = X̄ᵀTRZ/size, as a similarity's factor again
        basis = replace(S, root=S.root_matrix @ (Z / size))
        equations = NormalEquations(X, problem.T, problem.b, tol=tol)
        W = equations.solve_rows(basis, Q)
        # FᵀB⁻¹F through a root of QᵀB⁻¹Q, so that small eigenvalues keep their digits
        N = Q.T @ W
        root = linalg.cholesky((N + N.T) / 2, check_finite=False) * size
        _, sigma, Ct = linalg.svd(root, check_finite=False)
        P, lam = (W * size) @ (Ct.T / sigma), sigma**2
    k = how_many(lam, n_components)
    return P[:, :k], lam[:k]


def _directions_of(
    F: np.ndarray, zero: float, *, orthonormal: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, s and Z with F = Q diag(s) Zᵀ and Z orthonormal, those with s ≤ `zero` left out.

    It goes through FᵀF, which is small, where that loses nothing: where all eigenvalues are far
    from rounding, and Q need not be orthonormal.
    """
    if not orthonormal:
        lam, Z = linalg.eigh(F.T @ F, check_finite=False)
        if lam[0] > max(1e-8 * lam[-1], zero**2):
            size = np.sqrt(lam)
            return F @ (Z / size), size, Z
    Q, size, Zt = linalg.svd(F, full_matrices=False, check_finite=False)
    kept = size > zero
    return Q[:, kept], size[kept], Zt[kept].T


def by_truncated(
    problem: TraceProblem,
    X: DataMatrix,
    n_components: int | float | None,
    tol: float,
    rng: np.random.RandomState | None,
) -> Solution:
    """The leading directions with a positive eigenvalue, by Lanczos iteration."""
    tol = max(tol, 10 * float(np.finfo(X.dtype).eps))
    k = _wanted(problem, X, n_components)
    rows_only = X.is_wide and problem.S.is_isotropic and problem.has_plain_constraint
    d = X.shape[0] if rows_only else X.shape[1]

    def operator(dot: Callable[[np.ndarray], np.ndarray]) -> LinearOperator:
        return LinearOperator((d, d), matvec=lambda v: dot(v.reshape(d, 1)), dtype=np.float64)

    B = {}
    if not problem.has_plain_constraint:
        X = X.astype(np.float64)  # the condition of B would eat what float32 has
        apply, solve_for = _constraint(problem, X, tol)
        B = {"M": operator(apply), "Minv": operator(solve_for)}
    if rows_only:  # X̄ᵀX̄ has the eigenvalues of X̄X̄ᵀ, which is smaller
        A = operator(lambda v: float(problem.S.diag) * X.outer_dot(v))
    else:
        A = operator(lambda v: X.similarity_dot(problem.S, v))
    lam, P = _lanczos(A, B, k, tol, rng)
    zero = rounding(X.dtype, problem.S.size, X.scatter_scale**2)
    if len(lam) and lam[0] <= zero * float(P[:, 0] @ P[:, 0]):  # all of A is rounding
        lam, P = lam[:0], P[:, :0]
    if not B:
        lam, P = lam / problem.b, P / np.sqrt(problem.b)
    lam, P = _resolved(lam, P, k, max(d * float(np.finfo(X.dtype).eps), tol))
    kept = how_many(lam, n_components if isinstance(n_components, float) else None)
    lam, P = lam[:kept], P[:, :kept]
    if rows_only:
        return X.tdot(P / np.sqrt(lam * problem.b / float(problem.S.diag))), lam
    return P, lam


def _lanczos(
    A: LinearOperator,
    B: dict[str, LinearOperator],
    k: int,
    tol: float,
    rng: np.random.RandomState | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues, descending, and their eigenvectors."""
    v0 = (rng or np.random.RandomState()).standard_normal(A.shape[0])
    try:
        lam, P = eigsh(A, k=k, which="LA", tol=tol, v0=v0, **B)
    except ArpackNoConvergence as error:
        lam, P = error.eigenvalues, error.eigenvectors
        warnings.warn(
            f"Lanczos iteration found {len(lam)} of {k} directions to tol={tol:g}; a larger tol, "
            "fewer directions or solver='factor' will do",
            ConvergenceWarning,
            stacklevel=3,
        )
    except ArpackError:  # it starts from A·v0, which is zero
        return np.empty(0), np.empty((A.shape[0], 0))
    order = np.argsort(-lam)
    return lam[order], P[:, order]


def _resolved(
    lam: np.ndarray, P: np.ndarray, k: int, share: float
) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues that are large enough to be told from zero, saying so if some are not."""
    clear = lam > share * lam.max(initial=0.0)
    found = np.count_nonzero(clear)
    if 0 < found < k:
        warnings.warn(
            f"only {found} of {k} directions have an eigenvalue above {share:.0e} of the largest, "
            "which is as far as Lanczos iteration can tell; solver='factor' finds smaller ones, if "
            "there are any",
            UserWarning,
            stacklevel=3,
        )
    return lam[clear], P[:, clear]


def _wanted(problem: TraceProblem, X: DataMatrix, n_components: int | float | None) -> int:
    """How many directions to iterate for: as many as there are, if no number was given."""
    S = problem.S
    if not S.is_low_rank:
        if X.scatter_scale <= rounding(X.dtype, X.scale):
            how_many(np.empty(0), n_components)
        return int(n_components or 0)
    F = S.times_root(X.tdot(S.labels)).astype(np.float64, copy=False)
    size = linalg.svdvals(F, check_finite=False)
    share = isinstance(n_components, float)
    return how_many(size[size > _zero(S, X)], None if share else n_components)


def _constraint(
    problem: TraceProblem, X: DataMatrix, tol: float
) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]:
    """B and B⁻¹ as functions."""
    if problem.b == 0:
        raise SingularError("it has no ridge")

    def equations(scale: float, shift: float) -> NormalEquations:
        T = problem.T.scaled(scale)
        return NormalEquations(X, T, shift, tol=tol / 10)

    if problem.c == 0:
        B = equations(1.0, problem.b)
        return B.dot, B.solve
    # B = M(I + cM)⁻¹ + bI, so B⁻¹ = (I + cM)((1 + cb)M + bI)⁻¹
    M, resolvent = equations(1.0, 0.0), equations(problem.c, 1.0)
    outer = equations(1.0 + problem.c * problem.b, problem.b)
    return (
        lambda v: M.dot(resolvent.solve(v)) + problem.b * v,
        lambda v: resolvent.dot(outer.solve(v)),
    )
