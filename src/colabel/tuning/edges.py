"""The best of a search at the end of what was tried: how to go on, and how to say so."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from colabel._sklearn import Interval

#: How often a grid of the library's own is left by one more value.
STEPS = 3

Bounds = tuple[float, float]
Candidate = dict[str, Any]


@dataclass(frozen=True)
class End:
    """A parameter whose best value is the last that was tried, and the next one beyond."""

    name: str
    value: float
    wider: float

    def __str__(self) -> str:
        return (
            f"{self.name}={self.value:g}, where a grid that goes on to {self.wider:g} may be better"
        )


def open_ends(
    candidates: Sequence[Candidate], scores: Any, bounds: Callable[[str], Bounds]
) -> list[End]:
    """The ends at which the best candidate stands, where a score beyond might be higher.

    Not 0, nor those that no value can lie beyond (`bounds`), nor those where the value before is as
    good.
    """
    best = int(np.argmax(scores))
    if not np.isfinite(scores[best]):
        return []
    found = []
    for name, value in candidates[best].items():
        line = _line(candidates, scores, best, name)
        beyond = _beyond(line, value, bounds(name)) if _is_number(value) else None
        if beyond is not None:
            found.append(End(name, value, beyond))
    return found


def _line(candidates: Sequence[Candidate], scores: Any, best: int, name: str) -> dict[float, float]:
    """Scores by the values of one parameter, the others being those of the best."""
    others = {key: value for key, value in candidates[best].items() if key != name}
    return {
        candidate[name]: float(score)
        for candidate, score in zip(candidates, scores, strict=True)
        if _is_number(candidate.get(name))
        and candidate.keys() == candidates[best].keys()
        and all(_same(candidate[key], value) for key, value in others.items())
    }


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(np.array_equal(one, other))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _beyond(line: dict[float, float], value: float, bounds: Bounds) -> float | None:
    """The value beyond an end of a line; None inside, at a bound or on a plateau."""
    tried = sorted(line)
    if len(tried) < 2 or value not in (tried[0], tried[-1]) or value in (0, *bounds):
        return None
    before = tried[1] if value == tried[0] else tried[-2]
    if line[before] >= line[value]:
        return None
    low, high = bounds
    ratio = value / before if before else 10.0
    wider = ratio * value if low >= 0 else 2 * value - before
    if not low < wider < high:
        wider = (value + (low if wider <= low else high)) / 2
    if isinstance(value, Integral):
        wider = round(wider)
        return wider if wider != value and low <= wider <= high else None
    return float(f"{wider:.12g}")


def bounds_of(estimator: Any, name: str) -> Bounds:
    """Between what numbers a parameter lies, such as "svm__C" of a pipeline; 0 and ∞ if unsaid."""
    *path, own = name.split("__")
    for step in path:
        estimator = estimator.get_params().get(step, estimator)
    for constraint in getattr(estimator, "_parameter_constraints", {}).get(own, ()):
        if isinstance(constraint, Interval):
            low, high = constraint.left, constraint.right
            return (-np.inf if low is None else low), (np.inf if high is None else high)
    return 0.0, np.inf


def warn_of_ends(ends: Sequence[End], stacklevel: int) -> None:
    """Say in one warning which values are the last of the grid."""
    if ends:
        warnings.warn(
            f"the best of the search is at the edge of its grid: {'; '.join(map(str, ends))}",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
