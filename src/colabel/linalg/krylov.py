"""Conjugate gradients for (A + bI)W = F: many right-hand sides, and many shifts b, at once.

One product with A serves all columns in an iteration, and a column that has converged costs nothing
more. It serves all shifts as well: the Krylov space of a column does not depend on b, and the
residuals of a larger shift are multiples ζ of those of the smallest, so that its solution follows
by two vector operations an iteration (Jegerlehner 1996).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from colabel.linalg import products

#: The products AV with a symmetric A that has no negative eigenvalue.
Operator = Callable[[np.ndarray], np.ndarray]

MAX_ITER = 2_000
#: Iterations without a lower residual after which rounding is held to have the last word. That of
#: conjugate gradients may well rise first, and the longer, the worse the condition number is.
PATIENCE = 500
#: What the arrays of the columns that are solved at a time may take.
WORK_BYTES = 2**30
#: Told after each iteration which share of the way is done, for a progress bar.
OBSERVER: ContextVar[Callable[[float], None]] = ContextVar("observer", default=lambda share: None)
#: Residuals that grow by more tell of a matrix that is singular to rounding: no condition number
#: below that allows it.
HOPELESS = 1e10
#: Columns that have converged are taken out when they are so large a share of those left.
DROP = 0.1


def solve(A: Operator, F: np.ndarray, shifts: list[float], *, tol: float) -> list[np.ndarray]:
    """W with ‖F − (A + bI)W‖ ≤ tol·‖F‖ for each shift b, column by column.

    So W is within tol·‖F‖/b of the solution. Where rounding, or `MAX_ITER` iterations, end it
    before that, a ConvergenceWarning tells the residual reached.
    """
    parts = column_parts(F, 2 + 3 * len(set(shifts)))
    found, residuals, iterations = [], [], 0
    for number, part in enumerate(parts):
        token = OBSERVER.set(_part_of(OBSERVER.get(), number, len(parts)))
        try:
            block = np.ascontiguousarray(F[:, part], dtype=np.float64)
            solutions, residual, passed = attempt(A, block, shifts, tol=tol)
        finally:
            OBSERVER.reset(token)
        found.append(solutions)
        residuals.append(residual)
        iterations = max(iterations, passed)
    warn_if_above(tol, np.concatenate(residuals), F, f"{iterations} iterations")
    return found[0] if len(parts) == 1 else join_columns(found)


def column_parts(F: np.ndarray, arrays: int) -> list[slice]:
    """Columns to work on at a time, so that so many arrays of their size stay bounded."""
    step = max(1, WORK_BYTES // (8 * max(1, len(F)) * arrays))
    return [slice(start, start + step) for start in range(0, F.shape[1], step)] or [slice(0, 0)]


def join_columns(parts: list[list[np.ndarray]]) -> list[np.ndarray]:
    """For each shift, its solutions side by side; the parts are given up on the way."""
    return [np.hstack([part.pop(0) for part in parts]) for _ in range(len(parts[0]))]


def _part_of(observer: Callable[[float], None], number: int, parts: int) -> Callable[[float], None]:
    return lambda share: observer((number + share) / parts)


def attempt(
    A: Operator, F: np.ndarray, shifts: list[float], *, tol: float
) -> tuple[list[np.ndarray], np.ndarray, int]:
    """As `solve`, but silent: the residuals for the smallest shift, and the iterations, too."""
    norms = np.sqrt(np.einsum("ij,ij->j", F, F))
    distinct = sorted(set(shifts))
    state = _State.of(F, np.flatnonzero(norms), distinct)
    residual = state.run(A, distinct[0], tol * norms)
    found = dict(zip(distinct, (shift.solution for shift in state.shifts), strict=True))
    return [found[b] for b in shifts], residual, state.iterations


def warn_if_above(tol: float, residual: np.ndarray, F: np.ndarray, after: str) -> None:
    """Say how far columns are from ‖residual‖ ≤ tol·‖F‖, if any is."""
    norms = np.sqrt(np.einsum("ij,ij->j", F, F, dtype=np.float64))
    worst = float(np.max(residual / np.where(norms > 0, norms, 1.0), initial=0.0))
    if not worst <= tol:  # nor is NaN
        warnings.warn(
            f"conjugate gradients stopped after {after} with "
            f"{np.count_nonzero(~(residual <= tol * norms))} of {len(norms)} columns above "
            f"tol={tol:g} (worst relative residual {worst:.1e}); a larger ridge or a larger tol "
            "makes it converge",
            ConvergenceWarning,
            stacklevel=3,
        )


@dataclass
class _Shift:
    """Solutions W and directions D of the open columns for one shift, and their ζ now and before.

    `solution` has the columns that are closed.
    """

    extra: float
    solution: np.ndarray
    W: np.ndarray
    D: np.ndarray
    zeta: np.ndarray
    before: np.ndarray
    is_open: bool = True

    def follow(self, R: np.ndarray, step: _Step) -> None:
        """One iteration further, given what the smallest shift did."""
        # The three-term recurrence of ζ: it needs the last two steps of the smallest shift, and no
        # product of its own.
        factor = step.length * step.last_ratio * (self.before - self.zeta)
        factor += self.before * step.last_length * (1.0 + self.extra * step.length)
        share = _divide(self.before * step.last_length, factor)  # of ζ to the one before
        zeta = share * self.zeta
        _follow(self.W, self.D, R, share * step.length, share**2 * step.ratio, zeta)
        self.before, self.zeta = self.zeta, zeta

    def close(self, columns: np.ndarray, done: np.ndarray) -> None:
        """Keep the solutions of those columns that are done, and go on with the others."""
        if not self.is_open:
            return
        self.solution[:, columns[done]] = self.W[:, done]
        self.W, self.D = _columns(self.W, ~done), _columns(self.D, ~done)
        self.zeta, self.before = self.zeta[~done], self.before[~done]


@dataclass
class _Step:
    """Step lengths and ratios of squared residuals for the smallest shift, with the last ones."""

    length: np.ndarray
    ratio: np.ndarray
    last_length: np.ndarray
    last_ratio: np.ndarray

    def next(self, length: np.ndarray, ratio: np.ndarray) -> _Step:
        return _Step(length, ratio, self.length, self.ratio)

    def of(self, kept: np.ndarray) -> _Step:
        return _Step(*(getattr(self, name)[kept] for name in _Step.__dataclass_fields__))


@dataclass
class _State:
    """The open columns, their residuals R for the smallest shift, and all shifts."""

    columns: np.ndarray
    R: np.ndarray
    shifts: list[_Shift]
    iterations: int = 0
    history: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, F: np.ndarray, columns: np.ndarray, shifts: Iterable[float]) -> _State:
        R = F[:, columns]
        ones = np.ones(len(columns))
        first, *_ = shifts
        made = [
            _Shift(b - first, np.zeros_like(F), np.zeros_like(R), R.copy(), ones, ones)
            for b in shifts
        ]
        return cls(columns, R, made)

    def run(self, A: Operator, shift: float, target: np.ndarray) -> np.ndarray:
        """Iterate until all columns are at their targets; the residuals of the smallest shift."""
        residual, goal = np.zeros_like(target), target[self.columns]
        rho = np.einsum("ij,ij->j", self.R, self.R)
        limit = HOPELESS**2 * rho
        # A step before the first, after which the first ζ is that of a plain one.
        step = _Step(np.ones_like(rho), np.zeros_like(rho), np.ones_like(rho), np.zeros_like(rho))
        while self._goes_on(np.sqrt(rho) / goal):
            D = self.shifts[0].D
            AD = A(D)
            length = _divide(rho, _curvature(D, AD, shift))
            previous, rho = rho, _reduce(self.R, AD, length)
            step = step.next(length, _divide(rho, previous))
            for each in self.shifts:
                if each.is_open:
                    each.follow(self.R, step)
            self._close_shifts(rho, goal)
            # A column that blows up would take the digits of all sums below with it.
            hopeless = rho > limit
            done = (np.sqrt(rho) <= goal) | hopeless
            # Taking columns out copies all arrays: not for every column that converges.
            if done.mean() > DROP or hopeless.any():
                residual[self.columns[done]] = np.sqrt(rho[done])
                self._close_columns(done)
                rho, goal, limit, step = rho[~done], goal[~done], limit[~done], step.of(~done)
        residual[self.columns] = np.sqrt(rho)
        self._close_columns(np.ones(len(rho), dtype=bool))
        return residual

    def _goes_on(self, excess: np.ndarray) -> bool:
        """Whether a column is above its target, and there is still progress."""
        if not np.any(excess > 1.0) or self.iterations >= MAX_ITER:
            return False
        # a sum, in which columns that are closed count as being at their targets
        self.history.append(float(np.log(np.maximum(excess, 1.0)).sum()))
        OBSERVER.get()(1.0 - min(self.history[-1] / self.history[0], 1.0))
        # Logarithms, so that a column far from its target does not hide that another falls.
        before, recent = self.history[:-PATIENCE], self.history[-PATIENCE:]
        if before and min(recent) >= min(before) - 0.01 * len(excess):
            return False
        self.iterations += 1
        return True

    def _close_shifts(self, rho: np.ndarray, goal: np.ndarray) -> None:
        """End the larger shifts whose columns have all converged before the smallest."""
        for shift in self.shifts[1:]:
            # ζ times the residual of the smallest shift is the residual of this one.
            if shift.is_open and np.all(np.abs(shift.zeta) * np.sqrt(rho) <= goal):
                shift.close(self.columns, np.ones(len(rho), dtype=bool))
                shift.is_open = False

    def _close_columns(self, done: np.ndarray) -> None:
        for shift in self.shifts:
            shift.close(self.columns, done)
        self.columns, self.R = self.columns[~done], _columns(self.R, ~done)


def _columns(A: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(A[:, kept])


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a/b, and 0 where a column came to its end exactly."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _curvature(D: np.ndarray, AD: np.ndarray, shift: float) -> np.ndarray:
    """⟨d, (A + shift·I)d⟩ for each column; AD becomes (A + shift·I)D."""
    fast = products.compiled(10 * D.size)
    if fast is None:
        AD += shift * D
        return np.einsum("ij,ij->j", D, AD)
    return _sum_parts(fast.curvature, D, AD, shift)


def _reduce(R: np.ndarray, AD: np.ndarray, length: np.ndarray) -> np.ndarray:
    """‖r‖² for each column of R, which becomes R − AD diag(length)."""
    fast = products.compiled(10 * R.size)
    if fast is None:
        R -= AD * length
        return np.einsum("ij,ij->j", R, R)
    return _sum_parts(fast.reduce, R, AD, length)


def _sum_parts(compiled: Callable[..., None], A: np.ndarray, *others: Any) -> np.ndarray:
    """What a compiled loop sums over the rows of A, a number a column, by all threads."""

    def part(start: int, stop: int) -> np.ndarray:
        found = np.zeros(A.shape[1])
        compiled(A, *others, found, start, stop)
        return found

    return np.sum(products.in_threads(part, products.even_cuts(*_parts(A))), axis=0)


def _follow(
    W: np.ndarray,
    D: np.ndarray,
    R: np.ndarray,
    length: np.ndarray,
    keep: np.ndarray,
    add: np.ndarray,
) -> None:
    """W becomes W + D diag(length), and then D becomes D diag(keep) + R diag(add)."""
    fast = products.compiled(10 * D.size)
    if fast is None:
        W += D * length
        D *= keep
        D += R * add
        return
    arrays = (W, D, R, length, keep, add)
    products.in_threads(lambda a, b: fast.follow(*arrays, a, b), products.even_cuts(*_parts(D)))


def _parts(A: np.ndarray) -> tuple[int, int]:
    return len(A), products.thread_count()
