"""One factorisation of the training rows of a split, for all methods that can use it."""

import time
from typing import Any

import numpy as np

from colabel._rows import factor
from colabel.linalg.data import CentredData, FactoredMatrix

#: The longest smaller side of X that is factored for all; above it each method goes its own way.
LIMIT = 5000


class Ledger:
    """Seconds of factoring that a method was spared, because another had done it before."""

    def __init__(self) -> None:
        self._spent: dict[bytes, float] = {}
        self._seen: set[bytes] = set()
        self.spared = 0.0

    def open(self) -> None:
        """Begin the account of another method."""
        self._seen.clear()
        self.spared = 0.0

    def spend(self, key: bytes, seconds: float) -> None:
        """Note what a factorisation took."""
        self._spent[key] = seconds
        self._seen.add(key)

    def spare(self, key: bytes) -> None:
        """Note that it was used again; a method alone would have done it once."""
        if key not in self._seen:
            self._seen.add(key)
            self.spared += self._spent.get(key, 0.0)


class SharedRows(FactoredMatrix):
    """A :class:`~colabel.FactoredMatrix` that remembers its row subsets.

    Methods that are cross-validated on the same folds then share the factorisations of the folds,
    too. Every subset that could be trained on is factored at once, so that what a method finds does
    not depend on who came before.
    """

    def __init__(self, whole: FactoredMatrix, seconds: float) -> None:
        super().__init__(whole.core, whole.svd, whole.space)
        self.ledger = Ledger()
        self.ledger.spend(b"", seconds)
        self._subsets: dict[bytes, CentredData] = {}

    def open_account(self) -> None:
        """Another method begins; the factorisation of all rows is spared it."""
        self.ledger.open()
        self.ledger.spare(b"")

    def __getitem__(self, rows: Any) -> CentredData:
        index = np.arange(len(self))[rows[0] if isinstance(rows, tuple) else rows]
        key = np.ascontiguousarray(index).tobytes()
        if key in self._subsets:
            self.ledger.spare(key)
            return self._subsets[key]
        subset = super().__getitem__(rows)
        if 2 * len(index) >= len(self):
            begin = time.perf_counter()
            subset.factorise()
            self.ledger.spend(key, time.perf_counter() - begin)
        self._subsets[key] = subset
        return subset


def share_rows(X: Any) -> SharedRows | None:
    """X factored for all, or None where it is too large for that."""
    if min(X.shape) > LIMIT:
        return None
    begin = time.perf_counter()
    whole = factor(X)
    return SharedRows(whole, time.perf_counter() - begin)
