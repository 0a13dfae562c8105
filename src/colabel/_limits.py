"""Data for which a method takes minutes a split, and so does not run unless it is named."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class DataSize:
    """What the cost of a method depends on; the rows are those to train on."""

    rows: int
    features: int
    labels: int
    nonzeros: int
    sparse: bool


Limit = Callable[[DataSize], str | None]

#: The share of entries that are not zero from which on a dense array is the smaller one.
FULL = 2 / 3


def svms(size: DataSize) -> str | None:
    """Linear SVMs on as many extracted features as there are labels."""
    directions = min(size.labels, size.features, size.rows)
    return _above("rows × labels × directions", size.rows * size.labels * directions, 3e7)


def discriminants(size: DataSize) -> str | None:
    """A discriminant analysis for each label."""
    small = min(size.rows, size.features)
    work = size.labels * float(small) ** 2 * max(size.rows, size.features)
    return _above("operations for the labels' discriminant analyses", work, 1e11)


def forest(size: DataSize) -> str | None:
    """A hundred trees on sparse features: a second or two for each million."""
    work = size.rows * size.labels * size.features**0.5
    return _above("rows × labels × √features", work, 1e8) if size.sparse else None


def boosting(size: DataSize) -> str | None:
    """A hundred trees for each label, on rows that are dense."""
    if size.sparse and size.nonzeros < FULL * size.rows * size.features:
        return "rows are mostly zeros and sparse, and boosted trees need dense ones"
    return _above("rows × features × labels", size.rows * size.features * size.labels, 2e7)


def chains(size: DataSize) -> str | None:
    """Several chains, of as many logistic regressions as there are labels, in folds."""
    return _above("values × labels", size.nonzeros * size.labels, 1.5e7)


def sparse_directions(size: DataSize) -> str | None:
    """Elastic nets for every label, in rounds."""
    return _above("rows × features × labels", size.rows * size.features * size.labels, 1e8)


def margins(size: DataSize) -> str | None:
    """Rounds of margin classifiers."""
    return _above("values × labels", size.nonzeros * size.labels, 1.5e7)


def kernels(size: DataSize) -> str | None:
    """A kernel on rows most of whose features are zero."""
    zeros = size.rows * size.features - size.nonzeros
    reason = "rows are mostly zeros, on which a kernel seldom pays: not unless asked for by name"
    return reason if 2 * zeros > size.rows * size.features else None


def _above(what: str, value: float, limit: float) -> str | None:
    if value <= limit:
        return None
    return f"{value:,.0f} {what} are more than {limit:,.0f}: too slow unless asked for by name"
