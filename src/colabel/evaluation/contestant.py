"""A method as a comparison runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from colabel.evaluation.limits import Limit
from colabel.evaluation.methods import Method, Plan
from colabel.evaluation.tuning import OutOfFoldSearch

#: What is tried for the ridge regression behind an extractor, and for the ridge of an extractor.
ALPHAS = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0]
RIDGES = [0.1, 1.0, 10.0, 100.0]

#: How often a grid goes on by a value where its best is the last, and so often in a quick run.
FOLLOW, FOLLOW_QUICKLY = 2, 1


@dataclass(frozen=True)
class Contestant:
    """A method as a comparison runs it.

    Attributes
    ----------
    name, title, kind, about : str
        The kind is "extractor", "classifier" or "baseline".
    estimator : classifier
        Unfitted.
    grid : dict or None
        What to try for each parameter; None for an estimator that is run as it is.
    factored : bool
        Whether it takes rows that are factored once for all.
    by_default : bool
        Whether it runs without being asked for by name.
    tunes_itself : Method or None
        A method of the library that finds its own parameters and thresholds, faster than a search.
    too_large : callable or None
        Why it does not run on data of a size unless asked for; None where it does.
    """

    name: str
    title: str
    kind: str
    about: str
    estimator: Any
    grid: dict[str, list[Any]] | None = None
    factored: bool = False
    by_default: bool = True
    tunes_itself: Method | None = None
    too_large: Limit | None = field(default=None, repr=False)

    def model(self, *, folds: int, scoring: str, seed: int, quick: bool) -> Any:
        """The classifier to fit, which tunes itself."""
        if self.tunes_itself is not None:
            return self.tunes_itself.estimator(Plan(cv=folds, scoring=scoring, seed=seed))
        estimator = _seeded(self.estimator, seed)
        if self.grid is None:
            return estimator
        grid = {name: _fewer(name, tried) for name, tried in self.grid.items()}
        return OutOfFoldSearch(
            estimator,
            grid if quick else self.grid,
            cv=folds,
            scoring=scoring,
            random_state=seed,
            follow=FOLLOW_QUICKLY if quick else FOLLOW,
        )


def _fewer(name: str, tried: list[Any]) -> list[Any]:
    """For a quick run: penalties that cost nothing to try stay, of others every second."""
    if name.endswith("__alpha"):
        return tried
    return [tried[len(tried) // 2]] if name.startswith("extract__") else tried[::2]


def _seeded(estimator: Any, seed: int) -> Any:
    """A clone with every random part of it seeded."""
    estimator = clone(estimator)
    names = [
        name
        for name in estimator.get_params()
        if name == "random_state" or name.endswith("__random_state")
    ]
    return estimator.set_params(**dict.fromkeys(names, seed))
