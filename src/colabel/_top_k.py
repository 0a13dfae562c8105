"""The k highest scores of each row, without sorting all of them."""

from typing import Literal

import numpy as np


def top_places(scores: np.ndarray, k: int, ties: Literal["first", "last"] = "first") -> np.ndarray:
    """The places of the k highest scores of each row, n×k, the highest first.

    Of equal scores the first or the last one leads, as if all were sorted.
    """
    q = scores.shape[1]
    if 2 * k >= q:
        return _sort(scores, ties)[:, :k]
    chosen = np.argpartition(scores, q - k, axis=1)[:, q - k :]
    chosen.sort(axis=1)  # so that a stable sort breaks ties by place
    highest = np.take_along_axis(scores, chosen, axis=1)
    places = np.take_along_axis(chosen, _sort(highest, ties), axis=1)
    # a partition takes any of those that tie with the last one chosen; NaN is never equal
    least = highest.min(axis=1, keepdims=True)
    open_ = np.flatnonzero(np.count_nonzero(scores >= least, axis=1) != k)
    places[open_] = _sort(scores[open_], ties)[:, :k]
    return places


def _sort(scores: np.ndarray, ties: str) -> np.ndarray:
    if ties == "first":
        return np.argsort(-scores, axis=1, kind="stable")
    return np.argsort(scores, axis=1, kind="stable")[:, ::-1]
