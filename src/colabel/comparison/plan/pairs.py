"""Rows and their labels, as a person has them in memory, as one data set."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils import check_array

from colabel._labels import as_indicator
from colabel.datasets import Dataset
from colabel.datasets.dataset import as_whole
from colabel.tables import TableFeatures
from colabel.tables.features import columns_of


def pair(X: Any, Y: Any, name: str, options: Mapping[str, Any]) -> Dataset:
    """A data set of X, which may be numbers, a DataFrame of any columns or texts, and labels."""
    for key in options.keys() - {"kinds"}:
        raise ValueError(f"{key}= says how a file is read; X and y are read already, leave it out")
    labels = as_indicator(Y)
    return Dataset(
        **_features(X, options.get("kinds")),
        Y=as_whole(sp.csr_array(labels.known_rows(slice(None)))),
        label_names=np.array([str(label) for label in labels.names], dtype=object),
        name=name,
    )


def _features(X: Any, kinds: Mapping[str, str] | None) -> dict[str, Any]:
    if _are_texts(X):
        vectorizer = TfidfVectorizer()
        weights = sp.csr_array(vectorizer.fit_transform(X))
        names = vectorizer.get_feature_names_out().astype(object)
        return {"X": weights, "feature_names": names, "text": "text", "vectorizer": vectorizer}
    names = getattr(X, "columns", None)
    if names is not None and (kinds or not _are_numbers(X)):
        table = TableFeatures(kinds=None if kinds is None else dict(kinds))
        rows = table.fit_transform(X)
        return {"X": rows, "feature_names": table.get_feature_names_out(), "table": table}
    return {
        "X": check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2),
        "feature_names": None if names is None else np.array([str(c) for c in names], dtype=object),
    }


def _are_texts(X: Any) -> bool:
    """Whether X is a list, a Series or an array of strings."""
    if sp.issparse(X) or hasattr(X, "columns") or getattr(X, "ndim", 1) != 1 or len(X) == 0:
        return False
    return all(isinstance(one, str) for one in X)


def _are_numbers(frame: Any) -> bool:
    """Whether all columns are numbers, and complete."""
    columns = columns_of(frame).values()
    return all(isinstance(one, np.ndarray) and not np.isnan(one).any() for one in columns)
