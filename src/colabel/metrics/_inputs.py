"""What a measure is given (true labels, predicted sets, scores), read and checked in one place.

Two rules hold for all measures. A row of weight w counts as w rows; one of weight 0 is left out. An
entry of y_true that is NaN (None or pandas' NA) is unknown, and the measure is that of the entries
that are left, as if the row had no such label: it is neither right nor wrong, takes no rank, and
none of the k places. Rows of which nothing is known are left out of means over rows, and labels of
which nothing is known of means over labels.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from colabel._documents import Says
from colabel._labels import as_indicator
from colabel._tags import read_tags
from colabel._unknown import split_unknown
from colabel._weights import RowWeights as RowWeights
from colabel.metrics._truth import Truth, as_weights, columns_of

_MATRIX = "array, sparse array or DataFrame of shape (n, q)"
TrueLabels: TypeAlias = Annotated[Any, Says("True labels, NaN where unknown.", _MATRIX)]
PredictedLabels: TypeAlias = Annotated[Any, Says("Predicted labels.", _MATRIX)]
Scores: TypeAlias = Annotated[
    Any, Says("Scores, higher for likelier labels.", "array or DataFrame of shape (n, q)")
]
Subset: TypeAlias = Annotated[
    Sequence[Any] | np.ndarray | None,
    Says(
        "Measure these labels alone: numbers of columns, or names where y_true is a DataFrame.",
        "sequence or None",
    ),
]
Values: TypeAlias = Annotated[
    float | np.ndarray, Says(kind="float, or ndarray of shape (q,) for ``average=None``")
]


def rename(measure: Any, formula: Callable[..., Any]) -> Any:
    """A measure under the name, and with the documentation, of the formula it averages."""
    # not functools.wraps: the signature is to be the measure's
    measure.__name__ = measure.__qualname__ = formula.__name__
    measure.__doc__ = formula.__doc__
    return measure


def read_truth(y_true: Any, sample_weight: Any = None) -> Truth:
    """True labels, what is unknown of them, and what their rows count; no row is left out yet."""
    given, unknown = split_unknown(y_true)
    Y = read_labels("y_true", given)
    return Truth(Y, unknown, as_weights(sample_weight, Y.shape[0]))


def read_labels(name: str, Y: Any) -> Any:
    """One label matrix, n×q float64, sparse where it was given sparse."""
    if read_tags(Y) is not None:
        raise ValueError(
            f"{name} holds lists of tags, and two of them need not have the same ones; make both a "
            "matrix with MultiLabelBinarizer(classes=model.label_names_)"
        )
    try:
        labels = as_indicator(Y)
    except ValueError as error:
        hint = "; make sets of scores first, as in scores >= 0.5" if name == "y_pred" else ""
        raise ValueError(f"{name}: {error}{hint}") from None
    if labels.unknown is not None:
        raise ValueError(f"{name} contains NaN; what is predicted is known: 0 or 1 for each label")
    if labels.classes is not None:
        raise ValueError(
            f"{name} must be an n×q matrix of 0 and 1; got one class a row ({len(labels.matrix)} "
            f"rows). Pass a single label as a column, {name}.reshape(-1, 1), and classes through "
            "sklearn.preprocessing.LabelBinarizer"
        )
    return labels.matrix


def read_sets(
    y_true: Any, y_pred: Any, sample_weight: Any = None, labels: Any = None
) -> tuple[Truth, Any]:
    """What is true, and the predicted labels, n×q float64, sparse where they were given sparse."""
    truth, P = read_truth(y_true, sample_weight), read_labels("y_pred", y_pred)
    _check_alike(y_true, y_pred, truth.Y.shape, P.shape, "y_pred")
    return truth.select(P, columns_of(labels, y_true, P.shape[1]))


def read_scores(
    y_true: Any, y_score: Any, sample_weight: Any = None, labels: Any = None
) -> tuple[Truth, np.ndarray]:
    """What is true, and the dense n×q scores."""
    truth, scores = read_truth(y_true, sample_weight), _dense("y_score", y_score)
    _check_alike(y_true, y_score, truth.Y.shape, scores.shape, "y_score")
    missing = np.argwhere(np.isnan(scores))
    if len(missing):
        i, j = missing[0]
        raise ValueError(
            f"y_score has {len(missing)} NaN of {scores.size} values, the first at row {i}, "
            f"label {j}; every label needs a score, so leave these rows out or mend the estimator"
        )
    return truth.select(scores, columns_of(labels, y_true, scores.shape[1]))


def check_probabilities(scores: np.ndarray) -> None:
    """Refuse scores that are none."""
    low, high = scores.min(), scores.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"y_score must hold probabilities in [0, 1]; got values from {low:g} to {high:g}. "
            "Calibrate the classifier with colabel.ProbabilityCalibrator(classifier)"
        )


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
