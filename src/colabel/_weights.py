"""Weights of rows as a person passes them in.

A row of weight 0 is left out, before anything else is made of it; the others count as their weights
say, which is a property of the rows (:mod:`colabel.linalg.weighted`) and of the sums over labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array
from sklearn.utils.validation import has_fit_parameter

from colabel._documents import Says
from colabel._row_blocks import collect_labels
from colabel._sklearn import take_rows

SampleWeight: TypeAlias = Annotated[
    ArrayLike | None,
    Says(
        "What each row counts: the model is that of rows which stand as many times as their\n"
        "    weight says, and of no row of weight 0. None: all count 1.",
        "array of shape (n,), default=None",
    ),
]

RowWeights: TypeAlias = Annotated[
    ArrayLike | None, Says("What each row counts; None counts each once.", "array of shape (n,)")
]


@dataclass(frozen=True)
class Weights:
    """What each of n rows counts, none less than 0."""

    given: np.ndarray
    #: What they are called by the person who gives them.
    name: str = "sample_weight"

    @cached_property
    def kept(self) -> np.ndarray | None:
        """Numbers of the rows that count; None: all."""
        return None if self.given.all() else np.flatnonzero(self.given)

    @cached_property
    def values(self) -> np.ndarray:
        """What they count."""
        return self.given if self.kept is None else self.given[self.kept]

    def take(self, rows: Any) -> Any:
        """The rows that count, of whatever holds them."""
        return rows if self.kept is None else take_rows(rows, self.kept)

    def spread(self, found: np.ndarray) -> np.ndarray:
        """What was found of the rows that count, for all rows: NaN for the others."""
        if self.kept is None:
            return found
        whole = np.full((len(self.given), *found.shape[1:]), np.nan, dtype=found.dtype)
        whole[self.kept] = found
        return whole

    def renumber(self, splits: list[tuple[Any, Any]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Splits of all rows as splits of those that count."""
        if self.kept is None:
            return splits
        number = np.cumsum(self.given > 0) - 1
        return [
            tuple(number[part[self.given[part] > 0]] for part in map(np.asarray, split))
            for split in splits
        ]

    def check(self, n: int) -> None:
        """Refuse weights of other than n rows."""
        if len(self.given) != n:
            raise ValueError(
                f"{self.name} has {len(self.given)} numbers, and X has {n} rows: one is needed "
                "for each"
            )


def as_weights(sample_weight: Any, name: str = "sample_weight") -> Weights | None:
    """Check weights, by the name they are given; None where none are, and all rows count alike."""
    if sample_weight is None:
        return None
    given: np.ndarray = check_array(
        collect_labels(sample_weight),
        ensure_2d=False,
        dtype=np.float64,
        ensure_min_samples=0,
        input_name=name,
    )
    if given.ndim != 1:
        raise ValueError(f"{name} must have the shape (rows,), one number a row; got {given.shape}")
    if np.any(given < 0):
        raise ValueError(
            f"{name} holds {given.min():g} for row {int(given.argmin())}, and no row counts "
            "less than 0; give 0 to leave a row out"
        )
    if not given.any():
        raise ValueError(f"{name} is zero for every row: nothing is left to fit on")
    return Weights(given, name)


def weights_for(model: Any, weights: np.ndarray | None) -> dict[str, np.ndarray]:
    """Weights as a classifier takes them, or each step of a pipeline that does."""
    if weights is None:
        return {}
    # no isinstance: sklearn.pipeline imports rich, which no estimator needs
    steps = getattr(model, "steps", None)
    last = model if steps is None else steps[-1][1]
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"sample_weight was given, and {type(last).__name__} takes none; leave it out, or use "
            "a classifier whose fit has it"
        )
    if steps is None:
        return {"sample_weight": weights}
    return {
        f"{name}__sample_weight": weights
        for name, step in steps
        if hasattr(step, "fit") and has_fit_parameter(step, "sample_weight")
    }
