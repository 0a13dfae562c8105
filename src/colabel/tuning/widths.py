"""Widths of a kernel: each costs a factorisation, on which all other candidates are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._kernels import are_landmarks_chosen
from colabel._rows import as_data
from colabel._terminal import progress
from colabel._weights import Weights
from colabel.linalg.data import CentredData
from colabel.tuning.cells import Cell, Search, search_results
from colabel.tuning.edges import STEPS, open_ends
from colabel.tuning.folds import as_penalties

Gammas: TypeAlias = Annotated[
    Sequence[float] | None,
    "array-like",
    None,
    Says(
        "Widths of the kernel to try. None: `gamma` if that is given; else a quarter to four\n"
        "    times what it is by itself; three more at most where the last of these is best.\n"
        "    Of several, the best is found with a quarter of the landmarks, where there are any."
    ),
]
#: Multiples of the default width that are tried, which comes first.
MULTIPLES = (1.0, 0.25, 0.5, 2.0, 4.0)


@dataclass(frozen=True)
class Searched:
    """What was tried on some data, and how good it was."""

    data: CentredData
    search: Search
    cells: list[Cell]
    #: Folds × cells.
    scores: np.ndarray
    #: Of the rows that penalties stand beside, those that models were fitted on here.
    share: float = 1.0

    @property
    def means(self) -> np.ndarray:
        """The mean score of each cell over the folds."""
        return search_results(self.cells, self.scores)["mean_test_score"]

    @property
    def best_score(self) -> float:
        """Of the best cell."""
        return float(self.means[np.argmax(self.means)])

    @property
    def chosen(self) -> Cell:
        """The penalties of the best cell, for all rows."""
        return self.search.model.rescale(self.cells[int(np.argmax(self.means))], self.share)


class Widths:
    """What an estimator's kernel makes of X, by its width, and what was found with it.

    Without a kernel, or with one that has no width, there is one: None.
    """

    def __init__(self, estimator: Any, X: Any, weights: Weights | None) -> None:
        self._estimator, self._X, self._weights = estimator, X, weights
        given, kernel = estimator.gammas, estimator.kernel
        if given is not None and kernel is None:
            raise ValueError(
                f"gammas={given!r} are widths of a kernel, but kernel=None; set kernel='rbf'"
            )
        self._values = [estimator.gamma] if given is None else as_penalties("gammas", given)
        self._follows_edges = kernel is not None and self._values == [None]
        several = self._follows_edges or len(self._values) > 1
        #: Whether fewer landmarks serve for now.
        self._is_rough = several and are_landmarks_chosen(estimator, X)
        self.cells: list[Cell] = []
        self.scores: list[np.ndarray] = []

    def first(self) -> CentredData:
        """The data of the first width, after which the others are known."""
        data = self._data(self._values[0])
        own = self._estimator.gamma_
        if self._follows_edges and own is not None:
            self._values = [own * multiple for multiple in MULTIPLES]
        return data

    def _data(self, gamma: float | None) -> CentredData:
        return as_data(self._estimator, self._X, self._weights, gamma, is_rough=self._is_rough)

    def search(self, data: CentredData, attempt: Callable[[CentredData], Searched]) -> Searched:
        """What was found with the best width."""
        best = self._keep(attempt(data))
        for gamma in self._others():
            found = self._keep(attempt(self._data(gamma)))
            best = max(best, found, key=lambda one: one.best_score)
        if self._is_rough:
            self._is_rough = False
            gamma = best.data.kernel_map.kernel.gamma  # type: ignore[union-attr]
            best = self._keep(attempt(self._data(gamma)))
        if best.data.kernel_map is not None:
            self._estimator.kernel_map_ = best.data.kernel_map
        return best

    def _others(self) -> Iterator[float | None]:
        enabled = bool(self._estimator.verbose) and len(self._values) > 1
        steps = progress(
            self._values[1:], total=len(self._values), description="widths", enabled=enabled
        )
        yield from steps
        for _ in range(STEPS if self._follows_edges else 0):
            ends = open_ends(self.cells, self._means(), lambda name: (0.0, np.inf))
            wider = [end.wider for end in ends if end.name == "gamma"]
            if not wider:
                return
            yield wider[0]

    def _keep(self, found: Searched) -> Searched:
        """Remember the scores, in the place of rougher ones of the same width."""
        kernel_map = found.data.kernel_map
        gamma = None if kernel_map is None else kernel_map.kernel.gamma
        width = {} if gamma is None else {"gamma": gamma}
        kept = [i for i, cell in enumerate(self.cells) if cell.get("gamma") != gamma]
        self.cells = [self.cells[i] for i in kept] + [{**cell, **width} for cell in found.cells]
        self.scores = [self.scores[i] for i in kept] + list(found.scores.T)
        return found

    def _means(self) -> np.ndarray:
        return search_results(self.cells, np.column_stack(self.scores))["mean_test_score"]
