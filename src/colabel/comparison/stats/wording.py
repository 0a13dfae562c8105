"""Numbers and names as a report writes them.

Examples
--------
>>> from colabel.comparison.stats.wording import score, seconds, times, chance, join, count_things
>>> score(0.61249), score(12.3456), score(None)
('0.612', '12.35', '–')
>>> seconds(0.0123), seconds(4.25), seconds(125.0), seconds(7300)
('12 ms', '4.2 s', '2 min 5 s', '2 h 2 min')
>>> times(2.345), times(41.7)
('2.3×', '42×')
>>> chance(0.0123), chance(1e-9)
('p = 0.012', 'p < 0.001')
>>> join(["a"]), join(["a", "b", "c"]), join(list("abcd"), most=2)
('a', 'a, b and c', 'a, b and 2 more')
>>> count_things(1, "split"), count_things(3, "split")
('1 split', '3 splits')
"""

from collections.abc import Sequence

NOTHING = "–"


def score(value: float | None) -> str:
    """A score with three decimals, or four digits from 10 on."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"


def seconds(value: float | None) -> str:
    """A time in the unit that suits it."""
    if value is None:
        return NOTHING
    if value < 0.9995:
        return f"{1000 * value:.2g} ms" if value < 0.0995 else f"{value:.2f} s"
    if value < 59.95:
        return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = round(value / 60)
    return f"{minutes // 60} h {minutes % 60} min"


def times(factor: float) -> str:
    """How many times as much."""
    return f"{factor:.1f}×" if factor < 9.95 else f"{factor:.0f}×"


def chance(p: float) -> str:
    """A p-value."""
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def join(names: Sequence[str], most: int = 6) -> str:
    """Names as a sentence lists them."""
    if len(names) <= 1:
        return "".join(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def count_things(n: int, thing: str) -> str:
    """A number of things."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"
