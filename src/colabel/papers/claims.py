"""What the papers say of their results, put to ours: functions that make tests of claims."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers.protocol import FAILS, HOLDS, Verdict

Test = Callable[[ComparisonData], Verdict | None]


def means(
    found: ComparisonData, dataset: str, measure: str, methods: Iterable[str]
) -> dict[str, float]:
    """Means over splits of the methods that finished."""
    spreads = {method: spread_of(found, dataset, method, measure) for method in methods}
    return {method: spread.mean for method, spread in spreads.items() if spread.mean is not None}


def leads(method: str, among: Sequence[str], measure: str) -> Test:
    """Whether a method has the highest mean on most data sets."""

    def test(found: ComparisonData) -> Verdict | None:
        ahead = []
        for data in found.datasets:
            of = means(found, data.name, measure, {method, *among})
            if method in of and len(of) > 1:
                ahead.append(of[method] - max(v for name, v in of.items() if name != method))
        if not ahead:
            return None
        first = sum(gap > 0 for gap in ahead)
        said = f"first on {first} of {len(ahead)} sets; ahead by {np.mean(ahead):+.4f} on average"
        return (HOLDS if 2 * first > len(ahead) else FAILS), said

    return test


def above(pairs: Mapping[str, str], measure: str, share: float = 1.0) -> Test:
    """Whether one of each pair has a higher mean than the other, in so large a share of cases."""

    def test(found: ComparisonData) -> Verdict | None:
        gaps = _gaps(found, pairs, measure)
        if not len(gaps):
            return None
        said = f"{np.sum(gaps > 0)} of {len(gaps)} cases; by {np.mean(gaps):+.4f} on average"
        return (HOLDS if np.mean(gaps > 0) >= share else FAILS), said

    return test


def close(pairs: Mapping[str, str], measure: str, within: float) -> Test:
    """Whether the means of each pair are within a distance of each other."""

    def test(found: ComparisonData) -> Verdict | None:
        gaps = np.abs(_gaps(found, pairs, measure))
        if not len(gaps):
            return None
        said = f"{np.mean(gaps):.4f} apart on average, at most {np.max(gaps):.4f}"
        return (
            HOLDS if np.max(gaps) <= within else FAILS
        ), f"{said}; called close up to {within:g}"

    return test


def _gaps(found: ComparisonData, pairs: Mapping[str, str], measure: str) -> np.ndarray:
    gaps = []
    for data in found.datasets:
        of = means(found, data.name, measure, {*pairs, *pairs.values()})
        gaps += [of[a] - of[b] for a, b in pairs.items() if a in of and b in of]
    return np.array(gaps)


def steady(methods: Sequence[str], measures: Sequence[str], within: float) -> Test:
    """Whether a method's means over several measures stay within a distance of each other."""

    def test(found: ComparisonData) -> Verdict | None:
        ranges = []
        for data in found.datasets:
            for method in methods:
                values = [spread_of(found, data.name, method, one).mean for one in measures]
                known = [value for value in values if value is not None]
                ranges += [max(known) - min(known)] if known else []
        if not ranges:
            return None
        said = f"{np.mean(ranges):.4f} between the extremes on average, at most {max(ranges):.4f}"
        return (HOLDS if max(ranges) <= within else FAILS), f"{said}; unchanged up to {within:g}"

    return test


def ordered(methods: Sequence[str], measure: str) -> Test:
    """Whether means fall from one method to the next, on all data sets."""

    def test(found: ComparisonData) -> Verdict | None:
        right, last = [], ""
        for data in found.datasets:
            of = means(found, data.name, measure, methods)
            if len(of) == len(methods):
                right.append(all(np.diff([of[name] for name in methods]) <= 0))
                last = ", ".join(f"{name} {of[name]:.3g}" for name in methods)
        if not right:
            return None
        said = f"so on {sum(right)} of {len(right)} sets; on the last: {last}"
        return (HOLDS if all(right) else FAILS), said

    return test
