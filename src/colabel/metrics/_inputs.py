"""What a measure is given (true labels, predicted sets, scores), read and checked in one place."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._documents import Says
from colabel._labels import as_indicator

_MATRIX = "array, sparse array or DataFrame of shape (n, q)"
TrueLabels: TypeAlias = Annotated[Any, Says("True labels.", _MATRIX)]
PredictedLabels: TypeAlias = Annotated[Any, Says("Predicted labels.", _MATRIX)]
GivenScores: TypeAlias = Annotated[
    Any, Says("Scores, higher for likelier labels.", "array or DataFrame of shape (n, q)")
]
Values: TypeAlias = Annotated[
    float | np.ndarray, Says(kind="float, or ndarray of shape (q,) for ``average=None``")
]


def read_labels(name: str, Y: Any) -> Any:
    """One label matrix, n×q float64, sparse where it was given sparse."""
    try:
        labels = as_indicator(Y)
    except ValueError as error:
        hint = "; make sets of scores first, as in scores >= 0.5" if name == "y_pred" else ""
        raise ValueError(f"{name}: {error}{hint}") from None
    if labels.classes is not None:
        raise ValueError(
            f"{name} must be an n×q matrix of 0 and 1; got one class a row ({len(labels.matrix)} "
            f"rows). Pass a single label as a column, {name}.reshape(-1, 1), and classes through "
            "sklearn.preprocessing.LabelBinarizer"
        )
    return labels.matrix


def read_sets(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both label matrices, n×q float64, each sparse where it was given sparse."""
    Y, P = read_labels("y_true", y_true), read_labels("y_pred", y_pred)
    _check_alike(y_true, y_pred, Y.shape, P.shape, "y_pred")
    return Y, P


def read_scores(y_true: Any, y_score: Any) -> tuple[Any, np.ndarray]:
    """The label matrix, sparse where it was given sparse, and the dense n×q scores."""
    Y, scores = read_labels("y_true", y_true), _dense("y_score", y_score)
    _check_alike(y_true, y_score, Y.shape, scores.shape, "y_score")
    missing = np.argwhere(np.isnan(scores))
    if len(missing):
        i, j = missing[0]
        raise ValueError(
            f"y_score has {len(missing)} NaN of {scores.size} values, the first at row {i}, "
            f"label {j}; every label needs a score, so leave these rows out or mend the estimator"
        )
    return Y, scores


def check_option(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Refuse a value that is not one of those allowed."""
    if value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be one of {choices}; got {value!r}")


def _dense(name: str, scores: Any) -> np.ndarray:
    if sp.issparse(scores):
        raise ValueError(
            f"{name} must be dense, as every label needs a score; got a sparse matrix with "
            f"{scores.nnz} stored values. Pass {name}.toarray() if absent means 0"
        )
    scores = np.asarray(scores)
    if scores.ndim == 3:
        raise ValueError(
            f"{name} must have the shape (rows, labels); got {scores.shape}. Of a list of class "
            "probabilities take np.stack([p[:, 1] for p in probabilities], axis=1)"
        )
    if scores.dtype.kind not in "fiubO":
        raise ValueError(f"{name} must hold real numbers; got dtype {scores.dtype}")
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def _check_alike(y_true: Any, other: Any, true_shape: Any, shape: Any, name: str) -> None:
    if tuple(true_shape) != tuple(shape):
        raise ValueError(
            f"y_true has the shape {tuple(true_shape)} and {name} {tuple(shape)}; both need one "
            "row an instance and one column a label"
        )
    if true_shape[0] == 0:
        raise ValueError("y_true has 0 rows; a measure needs at least 1")
    ours, theirs = (list(getattr(given, "columns", ())) for given in (y_true, other))
    if ours != theirs and set(ours) == set(theirs):
        raise ValueError(
            f"y_true has the columns {ours[:5]} and {name} the same in another order, "
            f"{theirs[:5]}; pass {name}[list(y_true.columns)]"
        )
