"""Who works on blocks of data: threads of this process, or Dask with whatever scheduler there is.

A block may be anything; a function of it runs where the block is, and results are added there
before anything is sent.
"""

from __future__ import annotations

import operator
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from colabel.linalg import products

#: A function of a block and of what belongs to it alone.
Part = Callable[..., Any]


class ClusterLostError(RuntimeError):
    """Those who work on the blocks are gone.

    Parameters
    ----------
    why : str
    fit : str or None
        The method that stopped for it, which left its estimator as it was.
    """

    def __init__(self, why: str, fit: str | None = None) -> None:
        stopped = "the work on the blocks of X" if fit is None else fit
        way_out = "the estimator is as it was, start a cluster and fit again"
        super().__init__(f"{stopped} stopped: {why}" + (f"; {way_out}" if fit else ""))
        self.why = why


def compute(*tasks: Any) -> tuple[Any, ...]:
    """What Dask makes of delayed objects; a cluster that is lost on the way is called so.

    Dask's own errors name a task by its key, which says nothing to those who called a fit.
    """
    import dask

    with warnings.catch_warnings():
        # directions are part of the graph, so that it survives a worker that held them
        warnings.filterwarnings("ignore", message="Sending large graph")
        try:
            return tuple(dask.compute(*tasks))
        except Exception as error:
            why = _loss(error)
            if why is None:
                raise
            raise ClusterLostError(why) from error


def _loss(error: Exception) -> str | None:
    """Why a cluster is gone, None for an error that came from the work itself."""
    distributed = sys.modules.get("distributed")
    if distributed is None:  # other schedulers are threads of this process
        return None
    if isinstance(error, CancelledError):
        reason = getattr(error, "reason", None)
        told = "" if reason in (None, "", "unknown") else f" ({reason})"
        return f"the Dask cluster was closed, or its work was cancelled{told}"
    if isinstance(error, distributed.KilledWorker):
        return "the workers of the Dask cluster died, perhaps for want of memory"
    if isinstance(error, distributed.comm.CommClosedError):
        return "the connection to the Dask cluster was lost"
    return None


class Executor(ABC):
    """Those who hold the blocks and work on them."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of blocks."""

    @abstractmethod
    def each(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> list[Any]:
        """function(block, *own[i], *shared) for every block i."""

    @abstractmethod
    def total(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> Any:
        """The sum of these."""

    @abstractmethod
    def pairs(self, function: Part, *shared: Any) -> list[tuple[int, int, Any]]:
        """function(block i, block j, *shared) with i and j, for j up to i."""

    @abstractmethod
    def map(self, function: Part, own: Sequence[tuple[Any, ...] | None]) -> Executor:
        """One that holds function(block, *own[i]) instead, made when it is needed.

        Blocks whose own is None are left out.
        """


@dataclass(frozen=True)
class Threads(Executor):
    """Blocks that a thread loads when it comes to them, and forgets."""

    loaders: list[Callable[[], Any]]

    def __len__(self) -> int:
        return len(self.loaders)

    def each(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> list[Any]:
        found: list[Any] = [None] * len(self)

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                found[i] = function(self.loaders[i](), *own[i], *shared)

        products.in_threads(work, products.even_cuts(len(self), products.thread_count()))
        return found

    def total(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> Any:
        def work(start: int, stop: int) -> Any:
            parts = (function(self.loaders[i](), *own[i], *shared) for i in range(start, stop))
            return reduce(operator.iadd, parts)

        cuts = products.even_cuts(len(self), products.thread_count())
        return reduce(operator.iadd, products.in_threads(work, cuts))

    def pairs(self, function: Part, *shared: Any) -> list[tuple[int, int, Any]]:
        found = []
        for i, load in enumerate(self.loaders):
            block = load()
            others = (block if j == i else self.loaders[j]() for j in range(i + 1))
            found += [(i, j, function(block, other, *shared)) for j, other in enumerate(others)]
        return found

    def map(self, function: Part, own: Sequence[tuple[Any, ...] | None]) -> Threads:
        def loader(load: Callable[[], Any], arguments: tuple[Any, ...]) -> Any:
            return function(load(), *arguments)

        pairs = zip(self.loaders, own, strict=True)
        return Threads([partial(loader, load, mine) for load, mine in pairs if mine is not None])


@dataclass(frozen=True)
class Dask(Executor):
    """Blocks as delayed objects; a worker that dies is replaced, as nothing is kept on it."""

    blocks: list[Any]

    def __len__(self) -> int:
        return len(self.blocks)

    def each(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> list[Any]:
        return list(compute(*self._delayed(function, own, *shared)))

    def total(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> Any:
        import dask

        add, parts = dask.delayed(operator.add), self._delayed(function, own, *shared)
        while len(parts) > 1:  # neighbours first, so that few parts wait at a time
            pairs = zip(parts[::2], parts[1::2], strict=False)
            rest = parts[len(parts) // 2 * 2 :]
            parts = [add(a, b) for a, b in pairs] + rest
        return compute(*parts)[0]

    def pairs(self, function: Part, *shared: Any) -> list[tuple[int, int, Any]]:
        import dask

        numbers = [(i, j) for i in range(len(self)) for j in range(i + 1)]
        work, common = dask.delayed(function), self._shared(shared)
        tasks = [work(self.blocks[i], self.blocks[j], *common) for i, j in numbers]
        found = compute(*tasks)
        return [(i, j, part) for (i, j), part in zip(numbers, found, strict=True)]

    def map(self, function: Part, own: Sequence[tuple[Any, ...] | None]) -> Dask:
        pairs = zip(self.blocks, own, strict=True)
        kept = [(block, mine) for block, mine in pairs if mine is not None]
        return Dask(Dask([block for block, _ in kept])._delayed(function, [m for _, m in kept]))

    def _delayed(self, function: Part, own: Sequence[tuple[Any, ...]], *shared: Any) -> list[Any]:
        import dask

        work, common = dask.delayed(function), self._shared(shared)
        return [work(block, *mine, *common) for block, mine in zip(self.blocks, own, strict=True)]

    @staticmethod
    def _shared(values: tuple[Any, ...]) -> list[Any]:
        """Each value once in the graph, not once a block."""
        import dask

        return [dask.delayed(value, traverse=False) for value in values]
