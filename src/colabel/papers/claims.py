"""What the papers say of their results, put to ours: functions that make tests of claims."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of
from colabel.papers.protocol import FAILS, HOLDS, UNTESTED, Figure, Verdict

Test = Callable[[ComparisonData], Verdict | None]


def means(
    found: ComparisonData, dataset: str, measure: str, methods: Iterable[str]
) -> dict[str, float]:
    """Means over splits of the methods that finished."""
    spreads = {method: spread_of(found, dataset, method, measure) for method in methods}
    return {method: spread.mean for method, spread in spreads.items() if spread.mean is not None}


def leads(method: str, among: Sequence[str], measure: str, at_least: float | None = None) -> Test:
    """Whether a method has the highest mean on at least a share of the data sets, or on most."""

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
        is_enough = 2 * first > len(ahead) if at_least is None else first >= at_least * len(ahead)
        return (HOLDS if is_enough else FAILS), said

    return test


def above(pairs: Mapping[str, str], measure: str) -> Test:
    """Whether one of each pair has a higher mean than the other, on every data set."""

    def test(found: ComparisonData) -> Verdict | None:
        gaps = _gaps(found, pairs, measure)
        if not len(gaps):
            return None
        said = f"{np.sum(gaps > 0)} of {len(gaps)} cases; by {np.mean(gaps):+.4f} on average"
        return (HOLDS if np.all(gaps > 0) else FAILS), said

    return test


def as_close(
    pairs: Mapping[str, str],
    measure: str | Sequence[str],
    published: Mapping[str, Mapping[str, Figure]],
    theirs: Mapping[str, str] | None = None,
) -> Test:
    """Whether the means of each pair are as near to each other as those that the paper calls close.

    What it calls so is the largest distance in its own table, over all of its data sets, of the
    same pairs or of those that are named for it.
    """
    compared = (theirs or pairs).items()
    limit = max(abs(of[a][0] - of[b][0]) for of in published.values() for a, b in compared)
    measures = [measure] if isinstance(measure, str) else measure

    def test(found: ComparisonData) -> Verdict | None:
        gaps = np.abs(np.concatenate([_gaps(found, pairs, one) for one in measures]))
        if not len(gaps):
            return None
        said = f"at most {np.max(gaps):.4f} apart, {np.mean(gaps):.4f} on average"
        is_close = np.max(gaps) <= limit
        return (HOLDS if is_close else FAILS), f"{said}; in the paper's table at most {limit:.4f}"

    return test


def lifts(methods: Sequence[str], measures: Sequence[str], base: str) -> Test:
    """Whether methods have more by most of several measures than by one that they start from."""

    def test(found: ComparisonData) -> Verdict | None:
        gains = []
        for data in found.datasets:
            for method in methods:
                values = [spread_of(found, data.name, method, one).mean for one in measures]
                start = spread_of(found, data.name, method, base).mean
                gains += [v - start for v in values if v is not None and start is not None]
        if not gains:
            return None
        more = sum(gain > 0 for gain in gains)
        said = f"{more} of {len(gains)} cases; by {np.mean(gains):+.4f} on average"
        return (HOLDS if 2 * more > len(gains) else FAILS), said

    return test


def below(methods: Sequence[str], measure: str, limit: float) -> Test:
    """Whether all means are below a number of the paper."""

    def test(found: ComparisonData) -> Verdict | None:
        of = [means(found, data.name, measure, methods) for data in found.datasets]
        values = [value for one in of for value in one.values()]
        if not values:
            return None
        return (HOLDS if max(values) < limit else FAILS), f"at most {max(values):.3g}"

    return test


def ratio(above: str, under: str, measure: str) -> Test:
    """How many times the mean of one method another's is, where the paper names no limit."""

    def test(found: ComparisonData) -> Verdict | None:
        of = [means(found, data.name, measure, (above, under)) for data in found.datasets]
        times = [one[above] / one[under] for one in of if len(one) == 2]
        if not times:
            return None
        said = f"{above} takes {min(times):.2g} to {max(times):.2g} times what {under} takes"
        return UNTESTED, f"{said}; the paper says no limit"

    return test


def rises(methods: Sequence[str], measure: str) -> Test:
    """Whether means rise from each data set to the next, in the order of the figure."""

    def test(found: ComparisonData) -> Verdict | None:
        steps: list[float] = []
        for method in methods:
            spreads = [spread_of(found, data.name, method, measure) for data in found.datasets]
            steps += np.diff([s.mean for s in spreads if s.mean is not None]).tolist()
        if not steps:
            return None
        up = sum(step > 0 for step in steps)
        return (HOLDS if up == len(steps) else FAILS), f"{up} of {len(steps)} steps go up"

    return test


def grows_less(pairs: Mapping[str, str], measure: str) -> Test:
    """Whether one of each pair grows by a smaller factor, from the first data set to the last."""

    def test(found: ComparisonData) -> Verdict | None:
        ends = [found.datasets[0].name, found.datasets[-1].name]
        first, last = (means(found, end, measure, {*pairs, *pairs.values()}) for end in ends)
        both = [(last[a] / first[a], last[b] / first[b]) for a, b in pairs.items() if a in last]
        if not both or len(found.datasets) < 2:
            return None
        less = sum(a < b for a, b in both)
        said = f"by {np.mean([a for a, _ in both]):.3g} and {np.mean([b for _, b in both]):.3g}"
        right = less == len(both)
        return (HOLDS if right else FAILS), f"{less} of {len(both)} cases; {said} on average"

    return test


def _gaps(found: ComparisonData, pairs: Mapping[str, str], measure: str) -> np.ndarray:
    gaps = []
    for data in found.datasets:
        of = means(found, data.name, measure, {*pairs, *pairs.values()})
        gaps += [of[a] - of[b] for a, b in pairs.items() if a in of and b in of]
    return np.array(gaps)


def moves(methods: Sequence[str], measures: Sequence[str]) -> Test:
    """How far a method's means over several measures are apart, where the paper names no limit."""

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
        return UNTESTED, f"{said}; the paper says no limit"

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
