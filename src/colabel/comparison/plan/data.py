"""Data sets as a comparison uses them: read, checked, split."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel import datasets as sets
from colabel._limits import DataSize
from colabel._terminal import brief
from colabel.comparison.plan.commands import reading_arguments
from colabel.comparison.plan.pairs import pair
from colabel.comparison.result import DataFacts, Insights, SplitFacts
from colabel.scales import FeatureKind, done, kind_of

#: The share of the rows that are tested on.
TEST_SIZE = 1 / 3
#: The most rows of a quick comparison.
QUICK_ROWS = 1500
_DEBTAGS = {"source": "load_debtags()", "arguments": "debtags"}


@dataclass(frozen=True)
class Prepared:
    """A data set with its splits."""

    data: sets.Dataset
    splits: list[tuple[np.ndarray, np.ndarray]]
    #: How they were made.
    kind: str
    #: The Python expression that reads the data.
    source: str | None
    #: The rows that there were before a quick comparison took some.
    all_rows: int
    #: The Python expression that reads rows of the same file to predict for.
    new_rows: str | None = None
    #: What makes ``colabel fit`` read the data.
    arguments: str | None = None

    @property
    def name(self) -> str:
        """What the data set is called."""
        return self.data.name

    @cached_property
    def features(self) -> FeatureKind:
        """What the features are, as ``colabel fit`` decides it."""
        return kind_of(self.data)

    @property
    def scale(self) -> str:
        """What is done to X first."""
        return self.features.scale

    @property
    def size(self) -> DataSize:
        """What the costs of methods depend on."""
        X, n = self.data.X, len(self.splits[0][0])
        values = X.nnz if sp.issparse(X) else X.size
        nonzeros = round(values * n / X.shape[0])
        return DataSize(n, X.shape[1], self.data.Y.shape[1], nonzeros, bool(sp.issparse(X)))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the data and the splits."""
        X, Y = self.data.X, sp.csr_array(self.data.Y)
        parts = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
        parts += [Y.data, Y.indices, Y.indptr]
        names = "\0".join(map(str, self.data.label_names))
        rows = [part for split in self.splits for part in split]
        return _hash([np.array([*X.shape, *Y.shape]), *parts, *rows], names)

    def facts(self, insights: Insights) -> DataFacts:
        """What a comparison says of the data."""
        facts = facts_of(self.data, self.splits, self.kind)
        return replace(
            facts,
            insights=insights,
            all_rows=self.all_rows,
            scale=self.scale,
            preparation=f"{self.features.name}, {done(self.features.name, self.scale)}",
        )


def facts_of(
    data: sets.Dataset, splits: list[tuple[np.ndarray, np.ndarray]], kind: str
) -> DataFacts:
    """What there is to say of data and its splits before anything is run."""
    about = data.describe(1)
    train, test = splits[0]
    return DataFacts(
        name=data.name,
        rows=about["rows"],
        features=about["features"],
        labels=about["labels"],
        density=about["label_density"],
        cardinality=about["cardinality"],
        label_names=[str(name) for name in data.label_names],
        label_counts=[int(count) for count in np.asarray(data.known[0].sum(axis=0)).ravel()],
        feature_density=about["density"],
        splits=SplitFacts(
            kind=kind,
            n=len(splits),
            train_rows=len(train),
            test_rows=len(test),
            fingerprint=_hash([part for split in splits for part in split], ""),
        ),
        insights=Insights(),
    )


def prepare(
    datasets: Any, cv: Any, *, quick: bool, seed: int, options: Mapping[str, Any] | None = None
) -> list[Prepared]:
    """Every data set read and split."""
    if datasets is None:
        datasets = [sets.load_debtags()]
    elif isinstance(datasets, Mapping):
        datasets = [_rename(given, name, options or {}) for name, given in datasets.items()]
    elif isinstance(datasets, str | PathLike | sets.Dataset | tuple) or _is_frame(datasets):
        datasets = [datasets]
    found: list[Prepared] = []
    for number, given in enumerate(datasets):
        data, told = _read(given, number, options or {})
        _check(data)
        if any(other.name == data.name for other in found):
            raise ValueError(f"two data sets are called {data.name!r}; give them different names")
        rows = data.X.shape[0]
        if quick and rows > QUICK_ROWS:
            data = _fewer_rows(data, seed)
        splits, kind = _splits(data, cv, seed)
        found.append(Prepared(data, splits, kind, all_rows=rows, **told))
    if not found:
        raise ValueError("there is no data to compare on; name at least one data set")
    return found


def _read(
    given: Any, number: int, options: Mapping[str, Any]
) -> tuple[sets.Dataset, dict[str, Any]]:
    """A data set, and how it is read in Python and on the command line."""
    if isinstance(given, sets.Dataset):
        told = _DEBTAGS if given.name == "debtags" else {"source": None}
        return given if given.name else replace(given, name=f"data{number + 1}"), told
    if isinstance(given, str | PathLike):
        path = fspath(given)
        return sets.load(path, **options), _told(path, options)
    if _is_frame(given):
        return replace(sets.load(given, **options), name=f"data{number + 1}"), {"source": None}
    if isinstance(given, tuple | list) and len(given) == 2:
        X, Y = given
        return pair(X, Y, f"data{number + 1}", options), {"source": None}
    raise TypeError(
        "a data set must be a name, a path, a Dataset, a DataFrame or a pair (X, y); got "
        f"{type(given).__name__}"
    )


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") and not isinstance(given, sets.Dataset)


def _rename(given: Any, name: str, options: Mapping[str, Any]) -> sets.Dataset:
    data, _ = _read(given, 0, options)
    return replace(data, name=name)


def _told(path: str, options: Mapping[str, Any]) -> dict[str, Any]:
    of_rows = {n: v for n, v in options.items() if n in ("zero_based", "encoding", "format")}
    is_file = path not in sets.NAMES or Path(path).exists()
    return {
        "source": f"load({path!r}{_keywords(options)})",
        "new_rows": f"stream({path!r}, data.columns{_keywords(of_rows)})" if is_file else None,
        "arguments": reading_arguments(path, options),
    }


def _keywords(options: Mapping[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in options.items())


def _check(data: sets.Dataset) -> None:
    n, d = data.X.shape
    if n < 6 or d < 1:
        raise ValueError(f"{data.name} has {n} rows and {d} features; at least 6 and 1 are needed")
    values = data.X.data if sp.issparse(data.X) else data.X
    if not np.isfinite(values).all():
        columns = np.flatnonzero(~np.isfinite(np.asarray(data.X.sum(axis=0))).ravel())
        names = columns if data.feature_names is None else data.feature_names[columns]
        raise ValueError(
            f"{data.name}: values are missing in {brief(names)}; fill them in, or leave the "
            "columns out with ignore="
        )


def _fewer_rows(data: sets.Dataset, seed: int) -> sets.Dataset:
    try:
        splitter = sets.CoveringShuffleSplit(1, train_size=QUICK_ROWS, random_state=seed)
        rows, _ = next(splitter.split(data.X, data.Y))
    except ValueError:  # more labels than so many rows can have
        rows = np.random.RandomState(seed).permutation(data.X.shape[0])[:QUICK_ROWS]
    return data.select(rows=np.sort(rows))


def _splits(data: sets.Dataset, cv: Any, seed: int) -> tuple[list[Any], str]:
    if isinstance(cv, str):
        if cv != "given":
            raise ValueError(f'cv={cv!r}: use a number of splits, "given", or a splitter')
        if data.split is None:
            raise ValueError(f"{data.name} has no split of its own; use a number of splits")
        return list(sets.GivenSplit(*data.split).split(data.X)), "given"
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 1:
            raise ValueError(f"cv={cv}: there must be at least 1 split")
        cv = sets.IterativeStratifiedShuffleSplit(int(cv), test_size=TEST_SIZE, random_state=seed)
        kind = "stratified shuffle splits, 2/3 to train"
    else:
        kind = type(cv).__name__
    Y = data.Y.toarray()
    splits = list(cv.split(data.X, Y)) if hasattr(cv, "split") else list(cv)
    if not splits:
        raise ValueError("cv gives no splits; at least one is needed")
    return [(np.asarray(train), np.asarray(test)) for train, test in splits], kind


def _hash(arrays: list[Any], text: str) -> str:
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]
