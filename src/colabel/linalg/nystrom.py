"""A preconditioner for (A + bI)W = F from the leading eigenpairs of A.

They come from one product with a random block: a Nyström approximation (Frangella, Tropp & Udell
2023), which serves every b. It takes the leading eigenvalues out of the condition number; what it
costs is two dense products an iteration. So it pays for small b and data whose products are dear.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from colabel.linalg import krylov
from colabel.linalg.krylov import Operator

#: Conjugate gradients with a lower bound on iterations are left alone; it is often twice too high.
FEW = 200
#: Steps of Lanczos' iteration from which eigenvalues are estimated; of the Ritz values that these
#: give, the first half are near enough to the largest eigenvalues.
STEPS = 16
NARROWEST, WIDEST = 20, 1000
#: Solves and checks of the true residual, at most.
REFINEMENTS = 4


@dataclass(frozen=True)
class Sketch:
    """Orthonormal U (m×l) and eigenvalues λ, descending, with A ≈ U diag(λ) Uᵀ."""

    U: np.ndarray
    lam: np.ndarray

    def root(self, b: float) -> Callable[[np.ndarray], np.ndarray]:
        """C with C(A + bI)C of condition about (λ_l + b)/b."""
        scale = np.sqrt((self.lam[-1] + b) / (self.lam + b)) - 1.0
        return lambda V: V + self.U @ (scale[:, None] * (self.U.T @ V))


def sketch(A: Operator, m: int, width: int, seed: int = 0) -> Sketch:
    """From AΩ for a random orthonormal Ω."""
    omega = np.random.default_rng(seed).standard_normal((m, width))
    omega = np.ascontiguousarray(linalg.qr(omega, mode="economic")[0])
    image = A(omega)
    # keeps the root real, whatever precision A works in
    nu = np.sqrt(m) * float(np.finfo(image.dtype).eps) * np.linalg.norm(image)
    image = image.astype(np.float64, copy=False)
    image += nu * omega
    root = linalg.cholesky(omega.T @ image)
    U, s, _ = linalg.svd(linalg.solve_triangular(root, image.T, trans="T").T, full_matrices=False)
    return Sketch(U, np.maximum(s**2 - nu, 0.0))


def iterations(largest: float, b: float, tol: float) -> float:
    """How many iterations conjugate gradients take, by their classical bound."""
    return 0.5 * np.sqrt((largest + b) / b) * np.log(2.0 / tol) if b > 0 else np.inf


def expected_iterations(leading: np.ndarray, b: float, tol: float) -> float:
    """How many iterations conjugate gradients are likely to take, given `leading_eigenvalues`.

    They see through k outlying eigenvalues by themselves, in k iterations.
    """
    seen = leading[: max(1, len(leading) // 2)]
    return min(k + iterations(float(lam), b, tol) for k, lam in enumerate(seen))


def sketch_if_it_pays(
    A: Operator, m: int, shifts: list[float], tol: float, product: float, dense_rate: float
) -> Sketch | None:
    """The sketch, if the seconds that it saves are more than it costs.

    `product` is what a product of A with one column costs, `dense_rate` the multiplications a
    second of dense ones. Without a sketch, one Krylov space serves all shifts.
    """
    width = int(np.clip(product * dense_rate / (8 * m), 0, min(m // 4, WIDEST)))
    if width < NARROWEST or iterations(largest_eigenvalue(A, m), min(shifts), tol) < FEW:
        return None
    found = sketch(A, m, width)
    # conjugate gradients see through k outlying eigenvalues by themselves, in k iterations
    plain = min(k + iterations(lam, min(shifts), tol) for k, lam in enumerate(found.lam))
    # what a random block leaves of A is rather like the eigenvalue in the middle than the last
    left = float(found.lam[width // 2])
    preconditioned = sum(iterations(left, b, tol) for b in shifts)
    apply = 8 * m * width / dense_rate
    return found if preconditioned * (product + apply) < plain * product else None


def solve(
    A: Operator, F: np.ndarray, shifts: list[float], found: Sketch, *, tol: float
) -> list[np.ndarray]:
    """As :func:`colabel.linalg.krylov.solve`, a shift at a time.

    The residuals are the true ones. No method gets them below the rounding of a product with W, so
    that this is accepted as well.
    """
    parts = [
        np.ascontiguousarray(F[:, part], dtype=np.float64) for part in krylov.column_parts(F, 10)
    ]
    return [np.hstack([_solve(A, part, b, found, tol) for part in parts]) for b in shifts]


def _solve(A: Operator, F: np.ndarray, b: float, found: Sketch, tol: float) -> np.ndarray:
    C, target = found.root(b), tol * np.linalg.norm(F, axis=0)
    W, R, left = np.zeros_like(F), F, np.linalg.norm(F, axis=0)
    for _ in range(REFINEMENTS):
        if np.all(left <= target):
            return W
        share = float(np.min(target[left > 0] / left[left > 0]))

        def precondition(V: np.ndarray) -> np.ndarray:
            CV = C(V)
            return C(A(CV) + b * CV)

        (Y,), _, _ = krylov.attempt(precondition, C(R), [0.0], tol=min(0.5, share / 2))
        W += C(Y)
        AW = A(W)
        R = F - (AW + b * W)
        left = np.linalg.norm(R, axis=0)
    rounding = 10 * float(np.finfo(AW.dtype).eps) * (found.lam[0] + b)
    left[left <= rounding * np.linalg.norm(W, axis=0)] = 0.0
    krylov.warn_if_above(tol, left, F, f"{REFINEMENTS} preconditioned solves")
    return W


def largest_eigenvalue(A: Operator, m: int) -> float:
    """Of an m×m operator: hardly too small."""
    return float(leading_eigenvalues(A, m, STEPS // 2)[0])


def leading_eigenvalues(A: Operator, m: int, steps: int = STEPS) -> np.ndarray:
    """Ritz values of some steps of Lanczos' iteration, descending: none is too large."""
    V, H = np.zeros((m, min(steps, m))), np.zeros((min(steps, m),) * 2)
    v = np.random.default_rng(0).standard_normal(m)
    scale = 0.0
    for i in range(V.shape[1]):
        V[:, i] = v / np.linalg.norm(v)
        v = A(V[:, i : i + 1])[:, 0].astype(np.float64)
        scale = max(scale, float(np.linalg.norm(v)))
        for _ in range(2):  # once leaves what rounding brings back of those before
            known = V[:, : i + 1].T @ v
            v -= V[:, : i + 1] @ known
            H[: i + 1, i] += known
        if np.linalg.norm(v) <= m * float(np.finfo(np.float64).eps) * scale:
            break
    found = H[: i + 1, : i + 1]
    return np.maximum(linalg.eigvalsh(found, lower=False)[::-1], 0.0)
