"""Labels as a person passes them in, read into one form; and scores turned into labels again."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length

from colabel._class_weights import weights_of_classes, weights_of_entries
from colabel._documents import Says
from colabel._indicator import Indicator
from colabel._row_blocks import collect_labels
from colabel._sklearn import count_rows
from colabel._tags import read_tags
from colabel._unknown import split_unknown
from colabel._weights import Weights, as_weights
from colabel.linalg.products import even_cuts, in_threads, thread_count

#: What y can be: an n×q matrix, array or DataFrame of 0 and 1, booleans or ±1, or one class a row.
Labels: TypeAlias = Annotated[
    ArrayLike | sp.sparray | sp.spmatrix | None,
    Says(
        "Labels as 0/1, booleans or ±1, NaN where one is unknown. A 1-D y holds one class a row,\n"
        "    or a list of tags.",
        "array, sparse array or DataFrame of shape (n, q)",
    ),
]
Observed: TypeAlias = Annotated[
    Any,
    Says(
        "Where labels are known: for a sparse y, which cannot hold NaN where they are not.",
        "boolean array of the shape of y, default=None",
    ),
]
Scores: TypeAlias = Annotated[
    np.ndarray, Says(kind="ndarray of shape (n, q), or (n,) for a 1-D y of two classes")
]
Predictions: TypeAlias = Annotated[
    Any,
    Says(
        kind="ndarray of shape (n, q) of 0 and 1, a csr_array where y was sparse, or an ndarray "
        "of shape (n,) of classes for a 1-D y"
    ),
]

#: Not set_output, which scikit-learn has for transform alone; a parameter of predict goes through a
#: pipeline too.
AsFrame: TypeAlias = Annotated[
    bool,
    Says("Whether to give a DataFrame of pandas, with the names of the labels and the index of X."),
]

#: Entries of y at a time.
LOOKED_AT = 2**15
#: Entries from which on several threads look at them: calling these takes as long as so many.
SHARED_FROM = 2**18


def as_indicator(Y: Any, observed: Any = None) -> Indicator:
    """Read Y in any of its accepted forms; see :class:`Indicator`.

    A 2-D Y holds 0/1, booleans or ±1, dense or sparse, or is a DataFrame of such columns; NaN where
    a label is unknown, or whatever where it is not `observed`. A 1-D y holds one class a row: two
    classes give one column, more give one each; or lists of tags, which give a column each, in
    a sparse matrix.
    """
    Y = collect_labels(Y)
    tags = read_tags(Y)
    if tags is not None and tags[0].shape[1]:
        return Indicator(*tags)
    names = getattr(Y, "columns", None)
    Y, unknown = split_unknown(Y, observed)
    if unknown is not None:
        known = as_indicator(Y)
        return replace(known, names=_label_names(names, Y.shape[1]), unknown=unknown)
    if sp.issparse(Y):
        matrix = sp.csr_array(Y, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        values = matrix.data
    else:
        given = _as_array(Y)
        if given.ndim == 1:
            return _binarise(given)
        matrix = values = _as_floats(given)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(f"Y must have the shape (rows, labels); got {matrix.shape}")
    if all(in_threads(partial(_are_labels, values), _cuts(values))):
        return Indicator(matrix, _label_names(names, matrix.shape[1]))
    check_array(values.reshape(1, -1), ensure_min_features=0, input_name="Y")  # NaN, inf
    strange = values[(values != 0) & (values != 1)]
    if np.all(strange == -1) and not _has_zeros(matrix, values):
        matrix = (matrix > 0).astype(np.float64)
    else:
        if matrix.shape[1] == 1 and not sp.issparse(matrix):
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected; it is read as one "
                "class a row. Pass y.ravel() to say so yourself.",
                DataConversionWarning,
                stacklevel=2,
            )
            return _binarise(matrix.ravel())
        hint = " (rows of −1 for unlabelled rows are for the semi-supervised classifiers only)"
        raise ValueError(
            f"Y must hold only 0 and 1 (or booleans, or −1 and 1); found {strange[0]:g}"
            + (hint if np.any(strange == -1) else "")
        )
    return Indicator(matrix, _label_names(names, matrix.shape[1]))


def _as_array(Y: Any) -> np.ndarray:
    try:
        Y = np.asarray(Y)
    except ValueError:
        raise ValueError(
            "Y is ragged; turn lists of tags into an indicator matrix with "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(tags)"
        ) from None
    return Y


def _as_floats(Y: np.ndarray) -> np.ndarray:
    """A copy in float64."""
    try:
        if Y.dtype.kind not in "biuf" or Y.ndim != 2:
            return Y.astype(np.float64)
        floats = np.empty(Y.shape)
        in_threads(partial(_copy_rows, Y, floats), _cuts(Y))
        return floats
    except (TypeError, ValueError):
        raise ValueError(
            f"Y must hold only 0 and 1 (or booleans, or −1 and 1); got dtype {Y.dtype}. Turn tags "
            "into an indicator matrix with sklearn.preprocessing.MultiLabelBinarizer"
        ) from None


def _cuts(entries: np.ndarray) -> np.ndarray:
    """Between which rows threads share them, where there are enough."""
    return even_cuts(len(entries), thread_count() if entries.size >= SHARED_FROM else 1)


def _copy_rows(Y: np.ndarray, floats: np.ndarray, start: int, stop: int) -> None:
    floats[start:stop] = Y[start:stop]


def _are_labels(values: np.ndarray, start: int, stop: int) -> bool:
    """Whether all are 0 or 1, some at a time so that what is in between stays in the cache."""
    step = max(1, LOOKED_AT // max(1, values[:1].size))
    for first in range(start, stop, step):
        some = values[first : min(first + step, stop)]
        allowed = some == 0
        allowed |= some == 1
        if not allowed.all():
            return False
    return True


def _has_zeros(matrix: Any, values: np.ndarray) -> bool:
    return bool(np.prod(matrix.shape) > np.count_nonzero(values))


def _label_names(names: Any, q: int) -> np.ndarray:
    return np.array([f"label{i}" for i in range(q)] if names is None else list(names), dtype=object)


def _binarise(y: np.ndarray) -> Indicator:
    if y.dtype.kind == "O" and len(y) and isinstance(y[0], (list, tuple, set, frozenset)):
        raise ValueError(
            "y holds one set of tags a row; turn them into an indicator matrix with "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)"
        )
    if y.dtype.kind == "f":
        check_array(y.reshape(1, -1), ensure_min_features=0, input_name="y")
    if type_of_target(y, input_name="y").startswith("continuous"):
        raise ValueError(
            "Unknown label type: continuous. y must hold one class a row, or be an n×q matrix of 0 "
            f"and 1; got values such as {y[0]!r}"
        )
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) <= 2:
        matrix = (codes[:, None] == len(classes) - 1).astype(np.float64)
        return Indicator(matrix, classes[-1:].astype(object), classes)
    return Indicator(np.eye(len(classes))[codes], classes.astype(object), classes)


def as_labels(
    estimator: Any, Y: Any, data: Any, weights: Weights | None = None, observed: Any = None
) -> Indicator:
    """Check Y for fit against the rows of X, those of weight 0 being left out of both."""
    if Y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; "
            "call fit(X, Y) with an n×q matrix of labels"
        )
    if weights is None:
        labels = as_indicator(Y, observed)
        check_consistent_length(data, labels.matrix)
    else:
        Y = collect_labels(Y)
        weights.check(count_rows(Y))
        kept = None if observed is None else weights.take(observed)
        labels = replace(as_indicator(weights.take(Y), kept), weights=weights)
    by_class = weights_of_entries(getattr(estimator, "class_weight", None), labels)
    labels = labels if by_class is None else replace(labels, class_weights=by_class)
    if labels.unknown is not None and not getattr(estimator, "_takes_unknown", False):
        raise ValueError(
            f"y has {int(labels.unknown.sum())} labels that are unknown (NaN), and "
            f"{type(estimator).__name__} cannot learn from rows that are known in part: leave such "
            "rows out, or use a classifier that can, such as LabelRidge"
        )
    return labels


def weigh_rows(estimator: Any, Y: Any, sample_weight: Any) -> Weights | None:
    """What rows count: as they are given, and of a 1-D y by their class, as the estimator says."""
    weights, by_class = as_weights(sample_weight), getattr(estimator, "class_weight", None)
    if by_class is None or Y is None or (getattr(Y, "ndim", 1) == 2 and Y.shape[1] > 1):
        return weights
    Y = collect_labels(Y)
    if weights is not None:
        weights.check(count_rows(Y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say is said when labels are read
        labels = as_indicator(Y if weights is None else weights.take(Y))
    if labels.classes is None:
        return weights
    if weights is None:
        return Weights(weights_of_classes(by_class, labels), "class_weight")
    given = weights.given.copy()
    kept = slice(None) if weights.kept is None else weights.kept
    given[kept] *= weights_of_classes(by_class, replace(labels, weights=weights))
    return replace(weights, given=given)


def show_labels(scores: np.ndarray, one_each: bool) -> np.ndarray:
    """Labels of 0 and 1: where scores (n×q) are positive, or the highest of each row."""
    if not one_each:
        return (scores > 0).astype(int)
    return (np.arange(scores.shape[1]) == np.argmax(scores, axis=1)[:, None]).astype(int)


def decide(scores: np.ndarray, classes: np.ndarray, is_multilabel: bool) -> np.ndarray:
    """Labels from scores: 0/1 where they are positive, or one class a row for a 1-D y."""
    above = (scores > 0).astype(int)
    if is_multilabel:
        return above
    if scores.ndim == 1:
        return classes[np.minimum(above, len(classes) - 1)]
    return classes[np.argmax(scores, axis=1)]
