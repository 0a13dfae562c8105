"""Columns of a file by name: which are labels, which make X."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.datasets._files import DataError, unknown
from colabel.datasets.dataset import Columns, as_names
from colabel.datasets.words import WordCounts
from colabel.tables.features import words_of


def pick(path: Path, names: Sequence[str], wanted: Any, what: str = "column") -> list[int]:
    """Positions of the wanted names, in the order of the file.

    `wanted` is a name or several, each with ``*`` for any letters if need be, or a number: n for
    the first n columns, −n for the last n.
    """
    if isinstance(wanted, int | np.integer):
        count, n = int(wanted), len(names)
        if not 0 < abs(count) < n:
            raise DataError.at(path, None, f"{count} labels of {n} {what}s; give 1 to {n - 1}")
        return list(range(n))[:count] if count > 0 else list(range(n))[count:]
    found: set[int] = set()
    position = {name: i for i, name in enumerate(names)}
    for pattern in [wanted] if isinstance(wanted, str) else wanted:
        matches = (
            [position[pattern]]
            if pattern in position
            else [i for i, name in enumerate(names) if fnmatchcase(name, pattern)]
        )
        if not matches:
            raise unknown(path, None, what, pattern, names)
        found.update(matches)
    return sorted(found)


class Documents:
    """Documents that become rows of TF-IDF weights, by our own vectorizer or a given one."""

    def __init__(self, vectorizer: Any = None) -> None:
        self._vectorizer, self._words = vectorizer, WordCounts()
        self._kept: list[str] = []

    def add(self, documents: list[str]) -> None:
        """Some more of them."""
        if self._vectorizer is None:
            self._words.add(documents)
        else:
            self._kept += documents

    def weigh(self, path: Path) -> tuple[Any, Any]:
        """Their weights, and the vectorizer with its vocabulary."""
        try:
            if self._vectorizer is None:
                X, self._vectorizer = self._words.weigh()
            else:
                X = self._vectorizer.fit_transform(self._kept)
        except ValueError as error:
            if "vocabulary" not in str(error):
                raise
            raise DataError.at(path, None, f"no words in the text: {error}") from None
        return _as_floats(X), self._vectorizer


def _as_floats(X: Any) -> Any:
    """What a vectorizer gives: sparse weights, or the points of a sentence encoder."""
    return sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64)


def align(path: Path, X: Any, names: Any, columns: Columns) -> Any:
    """X with the columns that a model knows, in its order; `names` are those that it has."""
    if names is None or columns.names is None:
        if X.shape[1] != columns.n_features:
            raise DataError.at(
                path, None, f"{X.shape[1]} features; the model was fitted on {columns.n_features}"
            )
        return X
    if list(names) == list(columns.names):
        return X
    position = {name: i for i, name in enumerate(names)}
    missing = [name for name in columns.names if name not in position]
    if missing:
        raise unknown(path, None, "feature", missing[0], names)
    return X[:, [position[name] for name in columns.names]]


def documents_as(columns: Columns, path: Path, documents: list[str]) -> Any:
    """Documents as rows of X, by the vocabulary that a model knows."""
    X = _as_floats(columns.vectorizer.transform(documents))
    if columns.are_words:
        return X
    return align(path, X, as_names(words_of(columns.vectorizer, X.shape[1])), columns)
