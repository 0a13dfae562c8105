"""From X̄ = UΣVᵀ every problem is a t×t one: the only way to all eigenpairs."""

from collections.abc import Callable
from typing import Any, TypeAlias

import joblib
import numpy as np
from scipy import linalg

from colabel.family.low_rank_part import directions_of, zero_of
from colabel.family.problem import Solution, Task, TraceProblem, how_many
from colabel.family.solver import Solver
from colabel.linalg import small
from colabel.linalg.low_rank import Similarity
from colabel.linalg.rank import rounding
from colabel.linalg.svd import SVD, leading_svd

#: Leading eigenpairs are found by themselves where they are at most one in so many, of a side of at
#: least so much; that takes so large a share of the time of all.
FEW, LARGE, LEADING = 4, 1000, 0.5

#: What factored data remember of their last problem: by name, the similarities' hash and the rest.
Memo: TypeAlias = dict[str, tuple[str, Any]]


class Factor(Solver[Task, Solution]):
    """The directions P = VC with C from a t×t eigenproblem; the second on the same data is cheap.

    [not factored yet] (Gram + eigh(m)) + eigh(m) for each of A and B that is neither diagonal in
    the coordinates of X̄ = UΣVᵀ nor of low rank + products with the directions.
    """

    name = "factor"

    def applies(self, task: Task) -> str:
        return ""

    def seconds(self, task: Task) -> float:
        size, k = task.size, task.wanted or task.rank or task.size.small
        seconds = size.eigh * task.problem.reduced_eighs + size.products(task.rank + k)
        if task.data.is_factored:
            return seconds
        return seconds + size.gram + size.eigh * (LEADING if _needs_few(task) else 1.0)

    def solve(self, task: Task) -> Solution:
        few = leading_svd(task.data.core, task.wanted or 0) if _needs_few(task) else None
        was_factored = task.data.is_factored  # and so may have another problem to solve
        svd = few or task.data.factorise().svd
        memo = svd.reduced if was_factored and len(svd.s) <= small.SMALL else None
        C, lam = _coordinates(task.problem, svd, memo)
        k = how_many(lam, task.n_components)
        return svd.right_dot(C[..., :k]), lam[:k]


def _needs_few(task: Task) -> bool:
    """Whether directions are singular vectors, and few of them are wanted of data not factored."""
    problem = task.problem
    is_diagonal = problem.S.is_isotropic and problem.T.is_isotropic
    is_large = task.size.small >= max(LARGE, FEW * (task.wanted or task.size.small))
    return is_diagonal and is_large and not task.data.is_factored


def _coordinates(
    problem: TraceProblem, svd: SVD, memo: Memo | None
) -> tuple[np.ndarray, np.ndarray]:
    """All C with a positive eigenvalue, a vector if it is diagonal; and the eigenvalues."""
    if not len(svd.s):
        return np.empty((0, 0)), np.empty(0)
    E, w = _whitening(problem, svd, memo)

    def unwhiten(M: np.ndarray) -> np.ndarray:
        return w[:, None] * M if E is None else E @ (w[:, None] * M)

    eps = np.finfo(svd.X.dtype).eps
    S = problem.S
    if S.is_low_rank:
        Q, size, _ = directions_of(_scores(S, svd), zero_of(S, svd.X), orthonormal=True)
        left, root, _ = small.thin_svd(w[:, None] * (Q * size if E is None else E.T @ (Q * size)))
        # whitening keeps the rank, but for what it leaves out where B is singular
        kept = root > max(left.shape) * eps * root.max(initial=0.0)
        return unwhiten(left[:, kept]), root[kept] ** 2
    if S.is_isotropic and E is None:
        lam = float(S.diag) * (svd.s * w) ** 2
        if np.all(lam[:-1] >= lam[1:]):
            return w, lam
        order = np.argsort(-lam, kind="stable")
        return np.diag(w)[:, order], lam[order]
    A = _reduced(problem, svd, E, memo)
    if A is None:
        return np.empty((len(svd.s), 0)), np.empty(0)
    lam, Q = small.eigh(w[:, None] * A * w, overwrite=True)
    lam, Q = lam[::-1], Q[:, ::-1]
    kept = lam > len(lam) * eps * max(lam[0], 0.0)
    return unwhiten(Q[:, kept]), lam[kept]


def _scores(S: Similarity, svd: SVD) -> np.ndarray:
    """ΣUᵀF."""
    return svd.s[:, None] * S.times_root(svd.left_transpose_dot(S.labels))


def _project(S: Similarity, svd: SVD) -> np.ndarray:
    """VᵀX̄ᵀSX̄V, t×t."""
    M = (
        np.diag(S.diag * svd.s**2)
        if np.ndim(S.diag) == 0
        else svd.weighted_gram(np.asarray(S.diag))
    )
    if S.labels is not None:
        F = _scores(S, svd)
        M += S.sign * (F @ F.T)
    return M


def _whitening(
    problem: TraceProblem, svd: SVD, memo: Memo | None
) -> tuple[np.ndarray | None, np.ndarray]:
    """E and w with WᵀVᵀBVW = I for W = E diag(w), on the range of B if B is singular.

    E, which no penalty changes, is None for the identity.
    """
    T = problem.T
    if T.is_isotropic:
        return None, 1.0 / np.sqrt(problem.saturate(T.diag * svd.s**2))
    mu, E = _kept(memo, "T", [T], lambda: small.eigh(_project(T, svd), overwrite=True))
    mu = np.maximum(mu, 0.0)
    if problem.b == 0:
        kept = mu > rounding(svd.X.dtype, T.size, float(svd.s[0] ** 2))
        if not kept.any():
            raise ValueError(
                "the constraint B is zero: with ridge=0 it needs rows that vary within their "
                "classes; set a ridge above 0"
            )
        mu, E = mu[kept], E[:, kept]
    return E, 1.0 / np.sqrt(problem.saturate(mu))


def _reduced(
    problem: TraceProblem, svd: SVD, E: np.ndarray | None, memo: Memo | None
) -> np.ndarray | None:
    """EᵀVᵀAVE, or None where A is zero."""
    S, T = problem.S, problem.T

    def reduce() -> np.ndarray | None:
        A = _project(S, svd)
        if linalg.norm(A) <= rounding(svd.X.dtype, S.size, float(svd.s @ svd.s)):
            return None
        return A if E is None else E.T @ (A @ E)

    # another β of MVMD is another A; and with b = 0, E may have fewer columns
    return reduce() if E is None or problem.b == 0 else _kept(memo, "A", [S, T], reduce)


def _kept(memo: Memo | None, name: str, of: list[Similarity], make: Callable[[], Any]) -> Any:
    """What was made last for the same similarities."""
    if memo is None:
        return make()
    key = joblib.hash([(each.diag, each.labels, each.root, each.sign) for each in of])
    if memo.get(name, ("", None))[0] != key:
        memo.pop(name, None)  # before there is another
        memo[name] = key, make()
    return memo[name][1]
