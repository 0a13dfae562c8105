"""The numbers behind the pictures of a data set in a report."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from colabel import SharedSubspaceClassifierCV, factor
from colabel._validation import dense_labels
from colabel.datasets import Dataset
from colabel.evaluation.contestants import SHARE
from colabel.evaluation.methods import find
from colabel.evaluation.scales import SCALERS
from colabel.evaluation.trials import failed, reason_of

#: The extractor that rows are drawn by where none was best.
DEFAULT = "mvmd"
#: Whose eigenvalues are shown beside those of the best.
SPECTRA = ("pca", "mvmd", "label-cca", "hypergraph-spectral")
MOST_LABELS, MOST_EIGENVALUES, MOST_ROWS = 30, 200, 1500
_FOLDS = 3


def cooccurrence(data: Dataset) -> dict[str, Any]:
    """How often the most frequent labels occur together.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    dict
        "labels" and "counts", and the "pairs" of labels that most rows have both of.

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> from colabel.evaluation.pictures import cooccurrence
    >>> table = cooccurrence(load_debtags())
    >>> len(table["labels"]), table["counts"][0][0] >= table["counts"][1][1]
    (30, True)
    """
    return data.describe(MOST_LABELS)["co_occurrence"]


def drawn(data: Dataset, scale: str, best: str, scoring: str, seed: int) -> dict[str, Any]:
    """Spectra, an embedding and a grid of penalties, from at most 1500 rows.

    Parameters
    ----------
    data : Dataset
    scale : {"standard", "unit", "tfidf", "none"}
        What is done to X first.
    best : str
        The extractor that rows are embedded by.
    scoring : str
        What the grid shows.
    seed : int

    Returns
    -------
    dict
        The pictures under "pictures", and a "status" as results have one.
    """
    try:
        rows = np.arange(data.X.shape[0])
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.random.RandomState(seed).permutation(rows)[:MOST_ROWS])
        data = data.select(rows=rows)
        X = data.X if SCALERS[scale] is None else clone(SCALERS[scale]).fit_transform(data.X)
        fm, Y = factor(sp.csr_array(X) if sp.issparse(X) else X), dense_labels(data.Y)
        kept = np.asarray(Y.any(axis=0))  # in a part of the rows a label may be missing
        pictures = {
            "spectra": [_spectrum(name, fm, Y[:, kept], seed) for name in _spectra_of(best)],
            "embedding": _embedding(best, fm, data, kept, seed),
            "grid": _grid(fm, Y[:, kept], scoring, seed),
        }
    except Exception as error:
        return {**failed(reason_of(error)), "pictures": {}}
    return {"status": "ok", "pictures": pictures}


def _spectra_of(best: str) -> list[str]:
    return [best, *(name for name in SPECTRA if name != best)][: len(SPECTRA)]


def _spectrum(name: str, fm: Any, Y: np.ndarray, seed: int) -> dict[str, Any]:
    eigenvalues = find(name).plain(random_state=seed).fit(fm, Y).eigenvalues_
    shares = np.cumsum(eigenvalues) / eigenvalues.sum()
    return {
        "method": name,
        "eigenvalues": [_rounded(value) for value in eigenvalues[:MOST_EIGENVALUES]],
        "kept": int(np.argmax(shares >= SHARE)) + 1,
    }


def _embedding(name: str, fm: Any, data: Dataset, kept: np.ndarray, seed: int) -> dict[str, Any]:
    Y = dense_labels(data.Y)
    model = find(name).plain(random_state=seed).fit(fm, Y[:, kept])
    points = model.transform(fm)[:, :2]
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    frequent = np.argsort(-Y.sum(axis=0), kind="stable")[:MOST_LABELS]
    return {
        "method": name,
        "points": [[_rounded(x), _rounded(y)] for x, y in points],
        "labels": {
            str(data.label_names[j]): np.flatnonzero(Y[:, j]).tolist() for j in frequent if kept[j]
        },
    }


def _grid(fm: Any, Y: np.ndarray, scoring: str, seed: int) -> dict[str, Any]:
    model = SharedSubspaceClassifierCV(
        cv=_FOLDS, scoring=scoring, verbose=False, random_state=seed
    ).fit(fm, Y)
    alphas, betas, scores = model.grid_scores()
    i, j = np.unravel_index(np.argmax(scores), scores.shape)
    return {
        "alphas": alphas,
        "betas": betas,
        "scores": [[_rounded(value) for value in row] for row in scores],
        "metric": scoring,
        "best": [int(i), int(j)],
    }


def _rounded(value: Any) -> float:
    """Six digits: more than a picture can show, and fewer than sums in another order change."""
    return float(f"{float(value):.6g}")
