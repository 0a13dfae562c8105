"""X from the columns of a table, which come some rows at a time: as numbers, words, or both."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from colabel._terminal import brief
from colabel.datasets._columns import Documents
from colabel.datasets._files import DataError
from colabel.tables import TableFeatures
from colabel.tables.cells import number, numbers
from colabel.tables.cells import text as as_text
from colabel.tables.features import words_of
from colabel.tables.kinds import IS_ID, NEEDS_SKRUB, numbers_rows
from colabel.tables.leaks import is_copy, warnings_of
from colabel.tables.wording import lines


class NotNumbersError(DataError):
    """A cell that is no number, or that is empty, where columns of numbers are expected."""


class Collector(Protocol):
    """What becomes of the columns that are features."""

    columns: list[str]

    def add(self, block: Any) -> None:
        """Some more rows."""

    def finish(self, path: Path) -> dict[str, Any]:
        """The parts of a :class:`Dataset` that say what X is."""

    def leaks(self, Y: Any, names: Any, tags: Any) -> list[str]:
        """What is to be said of columns that give labels away."""


class Numbers:
    """Columns of numbers; `complete` where a gap, or a number of the row, is to be noticed."""

    def __init__(self, columns: list[str], *, complete: bool) -> None:
        self.columns, self._complete = columns, complete
        self._parts: list[np.ndarray] = []

    def add(self, block: Any) -> None:
        """Some more rows."""
        part = np.column_stack([block.numbers(name) for name in self.columns])
        if self._complete and np.isnan(part).any():
            raise NotNumbersError.at(block.path, None, "values are missing")
        self._parts.append(part)

    def finish(self, path: Path) -> dict[str, Any]:
        """X as it is, but for columns that only number the rows."""
        X = np.concatenate(self._parts)
        named = enumerate(self.columns) if self._complete else ()
        ids = [name for j, name in named if numbers_rows(name, X[:, j])]
        kept = [j for j, name in enumerate(self.columns) if name not in ids]
        if ids and kept:
            _tell_ids(path, dict.fromkeys(ids, "number"))
            X, self.columns = X[:, kept], [self.columns[j] for j in kept]
        self._X = X
        notes = [f"left out: {brief(ids)} ({IS_ID})"] if ids and kept else []
        fill = X.mean(axis=0) if self._complete else None
        return {"X": X, "feature_names": self.columns, "fill": fill, "notes": notes}

    def leaks(self, Y: Any, names: Any, tags: Any) -> list[str]:
        """Of columns that one threshold on which is a label."""
        columns = {name: self._X[:, j] for j, name in enumerate(self.columns)}
        if not self._complete:
            return []
        return warnings_of(columns, {}, Y, names)


class Words:
    """One column of text; no text is kept."""

    def __init__(self, column: str, vectorizer: Any, left_out: list[str]) -> None:
        self.columns, self._documents = [column], Documents(vectorizer)
        self._left_out = left_out

    def add(self, block: Any) -> None:
        """Some more rows."""
        self._documents.add(block.texts(self.columns[0]))

    def finish(self, path: Path) -> dict[str, Any]:
        """The weights of the words."""
        X, vectorizer = self._documents.weigh(path)
        names = words_of(vectorizer, X.shape[1])
        told = {"text": self.columns[0], "vectorizer": vectorizer}
        return {"X": X, "feature_names": names, "notes": only_texts(self._left_out), **told}

    def leaks(self, Y: Any, names: Any, tags: Any) -> list[str]:
        """Nothing: no text is kept."""
        return []


class Raw:
    """Columns of any kind, kept as they are until all rows are there."""

    def __init__(
        self, columns: list[str], kinds: dict[str, str], vectorizer: Any, left_out: list[str]
    ) -> None:
        self.columns, self._kinds, self._vectorizer = columns, kinds, vectorizer
        self._left_out = left_out
        self._cells: dict[str, list[Any]] = {name: [] for name in columns}

    def add(self, block: Any) -> None:
        """Some more rows."""
        for name, cells in self._cells.items():
            cells.append(block.columns[name])

    def finish(self, path: Path) -> dict[str, Any]:
        """Recognise, and encode."""
        cells = {name: _join(parts) for name, parts in self._cells.items()}
        self._cells = cells
        features = TableFeatures(kinds=self._kinds, text=self._vectorizer)
        try:
            X = features.fit_transform(cells)
        except (ValueError, ImportError) as error:
            raise DataError.at(path, None, str(error)) from None
        self._plan = features.plan_
        ids = [column.name for column in features.plan_ if column.note == IS_ID]
        _tell_ids(path, {n: "text" if np.isnan(number(cells[n][0])) else "number" for n in ids})
        by = "TF-IDF" if self._vectorizer is None else type(self._vectorizer).__name__
        notes = [*lines(features.plan_, by), *only_texts(self._left_out)]
        used = [column for column in features.plan_ if column.kind != "drop"]
        if len(used) == 1 and used[0].kind == "text":
            return {**self._words(path, used[0].name, cells), "notes": notes}
        names = features.get_feature_names_out()
        return {"X": X, "feature_names": names, "table": features, "notes": notes}

    def _words(self, path: Path, name: str, cells: dict[str, list[Any]]) -> dict[str, Any]:
        """Of one text and nothing else, as if it had been asked for: features are its words."""
        words = Words(name, self._vectorizer, [])
        words._documents.add([as_text(one) for one in cells[name]])
        return words.finish(path)

    def leaks(self, Y: Any, names: Any, tags: Any) -> list[str]:
        """Of columns that are used."""
        of = {kind: [c for c in self._plan if c.kind == kind] for kind in ("number", "category")}
        values = {c.name: numbers(self._cells[c.name], c.decimal) for c in of["number"]}
        found = warnings_of(values, {c.name: self._cells[c.name] for c in of["category"]}, Y, names)
        texts = [c.name for c in self._plan if c.kind == "text"] if tags is not None else []
        copies = [name for name in texts if is_copy(self._cells[name], tags)]
        return found + [
            f"column {name!r} holds the labels themselves; leave it out with "
            f"kinds={{{name!r}: 'drop'}}"
            for name in copies
        ]


def _join(parts: list[Any]) -> Any:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [one for part in parts for one in part]


def only_texts(left_out: Sequence[str]) -> list[str]:
    """What a person is told who asks for texts alone."""
    if not left_out:
        return []
    return [f"left out: {brief(list(left_out))}, as only texts were asked for with text="]


def _tell_ids(path: Path, names: dict[str, str]) -> None:
    for name, kind in names.items():
        way = f"kinds={{{name!r}: {kind!r}}} keeps it"
        line = f"{path.name}: column {name!r} is left out as {IS_ID}; {way}"
        warnings.warn(line, UserWarning, stacklevel=4)


def needs_skrub(error: DataError) -> DataError:
    """What cannot be read, and what to install so that it can."""
    return DataError(f"{error}; or have columns recognised: {NEEDS_SKRUB.partition('; ')[2]}")
