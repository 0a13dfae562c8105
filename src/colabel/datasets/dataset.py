"""One data set: instances, their labels, and the names of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from colabel._terminal import brief, one_line
from colabel._unknown import split_unknown
from colabel.linalg.containers import canonical
from colabel.tables.features import words_of

#: Labels that a notebook shows.
_SHOWN = 10


@dataclass(frozen=True)
class Columns:
    """How rows of a file become rows of X: all that predicting from a new file needs.

    Attributes
    ----------
    names : ndarray of shape (d,) or None
        The features in their order; None where the format has no names.
    text : str or None
        The column of text that `vectorizer` reads.
    vectorizer : TfidfVectorizer or None
        Fitted, with its vocabulary.
    table : TableFeatures or None
        What reads and encodes the columns of a table with more than numbers in it.
    fill : ndarray of shape (d,) or None
        What numbers that are missing in new rows are taken to be.
    """

    names: np.ndarray | None
    n_features: int
    text: str | None = None
    vectorizer: Any = None
    table: Any = None
    fill: np.ndarray | None = None

    @cached_property
    def are_words(self) -> bool:
        """Whether the features are all words of the vectorizer, in its order."""
        words = words_of(self.vectorizer, self.n_features)
        return self.names is not None and np.array_equal(words, self.names)


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset:
    """Instances with many labels each, and what they are called.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d), float64
        The features; sparse where the file was sparse.
    Y : csr_array of shape (n, q)
        The labels, zeros and ones, NaN where a label is unknown; ``Y.toarray()`` for libraries
        that want them dense.
    label_names : ndarray of shape (q,)
    feature_names : ndarray of shape (d,) or None
        None where the format has no names.
    row_names : ndarray of shape (n,) or None
    split : pair of integer arrays or None
        The rows of the standard training part, and those of the test part.
    name : str
    text, vectorizer : str, TfidfVectorizer, or None
        The column of text that X was made of, and what made it; see :attr:`columns`.
    table, fill : TableFeatures, ndarray, or None
        What made X of a table's columns; what gaps in new rows are taken to be.
    separator : str or None
        What stands between the tags of a cell, "json" for lists.
    notes : tuple of str
        What was decided when it was read, a line each.

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> data = load_debtags()
    >>> data.X.shape[0] == data.Y.shape[0] == len(data.row_names)
    True
    >>> data.train.Y.shape[1] == len(data.label_names)
    True
    """

    X: Any
    Y: Any
    label_names: np.ndarray
    feature_names: np.ndarray | None = None
    row_names: np.ndarray | None = None
    split: tuple[np.ndarray, np.ndarray] | None = None
    name: str = ""
    text: str | None = None
    vectorizer: Any = None
    table: Any = None
    fill: np.ndarray | None = None
    separator: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("X", "Y"):
            object.__setattr__(self, name, canonical(getattr(self, name)))
        n, d = self.X.shape
        if self.Y.shape != (n, len(self.label_names)):
            raise ValueError(
                f"Y has the shape {self.Y.shape}; {n} rows of X and {len(self.label_names)} label "
                "names were given"
            )
        for what, names, wanted in (("feature", self.feature_names, d), ("row", self.row_names, n)):
            if names is not None and len(names) != wanted:
                raise ValueError(f"{len(names)} {what} names were given for {wanted} {what}s")
        unique, counts = np.unique(self.label_names, return_counts=True)
        if len(unique) < len(self.label_names):
            raise ValueError(f"label names must differ; twice: {brief(unique[counts > 1])}")

    def __repr__(self) -> str:
        n, d = self.X.shape
        kind = "sparse" if sp.issparse(self.X) else "dense"
        return f"<Dataset {self.name}: {n} rows, {d} features ({kind}), {self.Y.shape[1]} labels>"

    def _repr_html_(self) -> str:
        """Its size, its most frequent labels and what was decided, for a notebook."""
        about = self.describe(1)
        frequent = list(about["label_counts"].items())
        shown = ", ".join(f"{name} ({count})" for name, count in frequent[:_SHOWN])
        more = f", … ({len(frequent)} in all)" if len(frequent) > _SHOWN else ""
        rows = {
            "rows": about["rows"],
            "features": f"{about['features']} ({about['density']:.1%} not zero)",
            "labels": f"{shown}{more}",
            "labels a row": f"{about['cardinality']:.2f}",
            **({"read as": "; ".join(self.notes)} if self.notes else {}),
        }
        cells = "".join(
            f"<tr><th>{name}</th><td>{escape(one_line(value))}</td></tr>"
            for name, value in rows.items()
        )
        return f"<table><caption>{escape(one_line(self.name))}</caption>{cells}</table>"

    @property
    def known(self) -> tuple[Any, int]:
        """The labels with 0 where they are unknown, as whole numbers, and how many of them are."""
        return known_labels(self.Y)

    @property
    def columns(self) -> Columns:
        """How a row of X is made; to be kept with a model."""
        return Columns(
            self.feature_names, self.X.shape[1], self.text, self.vectorizer, self.table, self.fill
        )

    @property
    def train(self) -> Self:
        """The standard training part."""
        return self.select(rows=self._given_split()[0])

    @property
    def test(self) -> Self:
        """The standard test part."""
        return self.select(rows=self._given_split()[1])

    def _given_split(self) -> tuple[np.ndarray, np.ndarray]:
        if self.split is None:
            raise ValueError(
                f"{self.name or 'this data set'} has no standard split; make one with "
                "colabel.datasets.IterativeStratifiedShuffleSplit"
            )
        return self.split

    def select(
        self,
        *,
        rows: ArrayLike | None = None,
        features: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Keep some rows, features or labels, given as positions or as a mask.

        The standard split stays where both of its parts keep a row.
        """
        kept = self
        if rows is not None:
            rows = positions(rows)
            kept = replace(
                kept,
                X=kept.X[rows],
                Y=kept.Y[rows],
                row_names=_take(kept.row_names, rows),
                split=_split_within(kept.split, rows),
            )
        if features is not None:
            features = positions(features)
            names = _take(kept.feature_names, features)
            fill = _take(kept.fill, features)
            kept = replace(kept, X=kept.X[:, features], feature_names=names, fill=fill)
        if labels is not None:
            labels = positions(labels)
            kept = replace(kept, Y=kept.Y[:, labels], label_names=kept.label_names[labels])
        return kept

    def with_test(self, test: Dataset) -> Self:
        """Join a set to test on to this one to train on; the split says which is which.

        Parameters
        ----------
        test : Dataset
            With the same features and labels.
        """
        for what in ("feature_names", "label_names"):
            ours, theirs = getattr(self, what), getattr(test, what)
            if not np.array_equal(ours, theirs):
                raise ValueError(
                    f"the {what} of {self.name} and {test.name} differ; use one header"
                )
        stack = sp.vstack if sp.issparse(self.X) else np.vstack
        both = self.row_names is not None and test.row_names is not None
        n_train, n = self.X.shape[0], self.X.shape[0] + test.X.shape[0]
        return replace(
            self,
            X=stack([self.X, test.X]),
            Y=sp.csr_array(sp.vstack([self.Y, test.Y])),
            row_names=np.concatenate([self.row_names, test.row_names]) if both else None,
            split=first_rows(n_train, n),
        )

    def describe(self, most: int = 20) -> dict[str, Any]:
        """What there is to know at a glance, as plain data.

        Parameters
        ----------
        most : int, default=20
            How many of the most frequent labels the table of `co_occurrence` covers; its pairs are
            those of all labels that most rows have both of, at most six.

        Returns
        -------
        dict
            Numbers, strings, lists and dicts only: it can be written as JSON as it is.
        """
        (n, d), q = self.X.shape, self.Y.shape[1]
        Y, unknown = self.known
        counts = np.asarray(Y.sum(axis=0)).ravel()
        frequent = np.argsort(-counts, kind="stable")
        per_row = np.diff(Y.indptr)
        top = frequent[:most]
        return {
            "name": self.name,
            "rows": n,
            "features": d,
            "labels": q,
            "training_rows": None if self.split is None else len(self.split[0]),
            **_describe_features(self.X),
            "cardinality": float(per_row.mean()) if n else 0.0,
            "label_density": float(per_row.mean() / q) if n and q else 0.0,
            "distinct_label_sets": len({s.tobytes() for s in np.split(Y.indices, Y.indptr[1:-1])}),
            "rows_without_labels": int(np.count_nonzero(per_row == 0)),
            "labels_without_rows": int(np.count_nonzero(counts == 0)),
            "unknown_labels": unknown,
            "label_counts": {str(self.label_names[j]): int(counts[j]) for j in frequent},
            "co_occurrence": {
                "labels": [str(name) for name in self.label_names[top]],
                "counts": (Y[:, top].T @ Y[:, top]).toarray().astype(int).tolist(),
                "pairs": _most_frequent_pairs(Y[:, frequent], self.label_names[frequent]),
            },
        }


def _most_frequent_pairs(Y: Any, names: np.ndarray, most: int = 6) -> list[dict[str, Any]]:
    """The labels that most rows have both of; of equals, the first pairs."""
    both = sp.triu(sp.csr_array(Y.T @ Y), k=1, format="coo")
    order = np.lexsort((both.col, both.row, -both.data))[:most]
    return [
        {
            "first": str(names[both.row[i]]),
            "second": str(names[both.col[i]]),
            "rows": int(both.data[i]),
        }
        for i in order
        if both.data[i]
    ]


def _describe_features(X: Any) -> dict[str, Any]:
    n, d = X.shape
    values = X.data if sp.issparse(X) else X
    per_row = np.diff(X.indptr) if sp.issparse(X) else np.count_nonzero(X, axis=1)
    return {
        "sparse": bool(sp.issparse(X)),
        "density": float(np.count_nonzero(values) / (n * d)) if n and d else 0.0,
        "missing_values": int(np.count_nonzero(np.isnan(values))),
        "rows_without_features": int(np.count_nonzero(per_row == 0)),
    }


def known_labels(Y: Any) -> tuple[Any, int]:
    """Labels with 0 where they are unknown, as whole numbers, and how many of them are."""
    known, unknown = split_unknown(sp.csr_array(Y))
    known = canonical(sp.csr_array(known, dtype=np.int64))
    known.eliminate_zeros()
    return known, 0 if unknown is None else int(unknown.sum())


def as_whole(Y: Any) -> Any:
    """Labels as whole numbers, but where some are unknown."""
    return Y if np.isnan(Y.data).any() else Y.astype(np.int64)


def first_rows(n_train: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The split that trains on the first rows and tests on the others."""
    return np.arange(n_train), np.arange(n_train, n)


def as_names(names: Any) -> np.ndarray:
    """Names as an array that keeps each as a plain string."""
    return np.array([str(name) for name in names], dtype=object)


def default_names(count: int, what: str = "label") -> np.ndarray:
    """Names for those that have none: "label0", "label1", ..."""
    return as_names(f"{what}{i}" for i in range(count))


def positions(chosen: ArrayLike) -> np.ndarray:
    """Positions, from positions or from a mask."""
    chosen = np.asarray(chosen)
    return np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.intp)


def _take(names: np.ndarray | None, chosen: np.ndarray) -> np.ndarray | None:
    return None if names is None else names[chosen]


def _split_within(split: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    if split is None:
        return None
    train, test = (np.flatnonzero(np.isin(rows, part)) for part in split)
    return (train, test) if len(train) and len(test) else None
