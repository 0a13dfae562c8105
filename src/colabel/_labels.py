"""Labels as a person passes them in, read into one form; and scores turned into labels again."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length

from colabel._documents import Says
from colabel._row_blocks import collect_labels
from colabel._sklearn import count_rows
from colabel._tags import read_tags
from colabel._terminal import brief
from colabel._unknown import split_unknown
from colabel._weights import Weights
from colabel.linalg.low_rank import row_total, totals
from colabel.linalg.products import even_cuts, in_threads, thread_count
from colabel.linalg.weighted_labels import WeightedLabels

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
#: What an estimator makes of them: zeros and ones, n×q.
LabelMatrix: TypeAlias = np.ndarray | sp.csr_array
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


@dataclass(frozen=True)
class Indicator:
    """Labels as an n×q matrix of zeros and ones."""

    #: Always floating-point: products of small integers overflow silently.
    matrix: LabelMatrix
    #: Column names of a DataFrame, classes of a 1-D target, else "label0", "label1", ...
    names: np.ndarray
    #: The classes of a 1-D target; None for an indicator matrix.
    classes: np.ndarray | None = None
    #: What rows count; None where all count the same.
    weights: Weights | None = None
    #: Where a label is unknown, n×q, dense or sparse as the matrix, which is 0 there; else None.
    unknown: Any = None

    @property
    def class_list(self) -> np.ndarray:
        """What scikit-learn calls `classes_`: for an indicator, the numbers of its columns.

        A single column has the classes 0 and 1: of [0] alone, scikit-learn takes 0 for the class
        that high scores speak for.
        """
        return indicator_classes(self.matrix.shape[1]) if self.classes is None else self.classes

    @property
    def codes(self) -> np.ndarray:
        """What a splitter stratifies by: a dense indicator, or the class of each row as an int."""
        dense = dense_labels(self.matrix)
        if self.classes is None:
            return dense.astype(int)
        return dense[:, 0].astype(int) if dense.shape[1] == 1 else np.argmax(dense, axis=1)

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows have each label."""
        return np.asarray(self.matrix.sum(axis=0)).ravel()

    @property
    def row_weights(self) -> np.ndarray | None:
        """What each of these rows counts."""
        return None if self.weights is None else self.weights.values

    @property
    def weighted(self) -> Any:
        """The labels as similarities see them, with what rows count."""
        weights, filled = self.row_weights, self.filled
        return filled if weights is None else WeightedLabels(filled, weights)

    @cached_property
    def filled(self) -> LabelMatrix:
        """The labels, with its mean over the known rows where a label is not known.

        Less this mean, an unknown label is 0: it says nothing.
        """
        if self.unknown is None:
            return self.matrix
        if sp.issparse(self.matrix):
            return (self.matrix + sp.csr_array(self.unknown.multiply(self.shares))).tocsr()
        return np.where(self.unknown, self.shares, self.matrix)

    @cached_property
    def known_weights(self) -> np.ndarray | None:
        """What each entry counts, n×q, 0 where it is not known; None where all are known."""
        if self.unknown is None:
            return None
        known = 1.0 - dense_labels(self.unknown)
        return known if self.row_weights is None else known * self.row_weights[:, None]

    @property
    def in_rows(self) -> Any:
        """The labels as rows of the data are multiplied with them: W^½Y."""
        return self.weighted.in_rows if self.weights is not None else self.filled

    @cached_property
    def total(self) -> float:
        """How many rows there are, or what they count together."""
        weights = self.row_weights
        return row_total(self.matrix) if weights is None else float(weights.sum())

    @property
    def totals(self) -> np.ndarray:
        """How many rows have each label, or what they count together."""
        weights = self.row_weights
        return totals(self.matrix if weights is None else WeightedLabels(self.matrix, weights))

    @cached_property
    def shares(self) -> np.ndarray:
        """Which part of all that rows count has each label, of those in which it is known."""
        if self.unknown is None:
            return self.totals / self.total
        weights = np.ones(self.matrix.shape[0]) if self.row_weights is None else self.row_weights
        known = self.total - np.asarray(self.unknown.T @ weights).ravel()
        return np.divide(self.totals, known, out=np.zeros(len(known)), where=known > 0)

    @cached_property
    def varying(self) -> np.ndarray:
        """Which labels some rows have and some have not."""
        # of sums that are known without their rows, all is what rounding made of it
        unknown = 0 if self.unknown is None else np.asarray(self.unknown.sum(axis=0)).ravel()
        known = (row_total(self.matrix) - unknown) * (1.0 - 1e-12)
        return (self.counts > 0) & (self.counts < known)

    def known_rows(self, rows: Any) -> Any:
        """Labels of some rows as they were given, NaN where they are unknown."""
        if self.unknown is None:
            return self.matrix[rows]
        unknown = dense_labels(self.unknown[rows])
        return np.where(unknown, np.nan, dense_labels(self.matrix[rows]))

    def _columns(self, kept: np.ndarray) -> Indicator:
        """Some of the labels."""
        unknown = None if self.unknown is None else self.unknown[:, kept]
        return replace(self, matrix=self.matrix[:, kept], names=self.names[kept], unknown=unknown)

    @property
    def learned(self) -> Indicator:
        """Without the labels that do not vary; with all of them where none varies."""
        varying = self.varying
        if self.classes is not None or varying.all() or not varying.any():
            return self
        return self._columns(varying)

    def spread(self, U: np.ndarray) -> np.ndarray:
        """Columns of the `learned` labels among all, those of labels that do not vary being 0."""
        varying = self.varying
        if varying.all():
            return U
        whole = np.zeros((len(U), len(varying)), dtype=U.dtype)
        whole[:, varying] = U if U.shape[1] < len(varying) else U[:, varying]
        return whole

    def warn_of_constant(self) -> None:
        """Say in one warning which labels every row has, or none, and so are predicted constant."""
        constant = ~self.varying
        if self.classes is None and constant.any():
            warnings.warn(
                f"{np.count_nonzero(constant)} of {len(constant)} labels have only one value in Y "
                f"and are predicted constant: {brief(self.names[constant])}",
                UserWarning,
                stacklevel=4,
            )

    def without_empty(self) -> Indicator:
        """Leave out the labels that no row has, saying which in one warning."""
        used = self.counts > 0
        if used.all():
            return self
        empty = brief(self.names[~used])
        if not used.any():
            raise ValueError(
                f"no row has any of the {len(used)} labels ({empty}): nothing to learn"
            )
        warnings.warn(
            f"{np.count_nonzero(~used)} of {len(used)} labels have no positive row and are left "
            f"out: {empty}",
            UserWarning,
            stacklevel=4,
        )
        return self._columns(used)


def indicator_classes(q: int) -> np.ndarray:
    """What stands in `classes_` for an indicator of q columns."""
    return np.arange(max(q, 2))


def dense_labels(Y: Any) -> np.ndarray:
    """Labels as a dense array, which scores of the same shape are anyway."""
    return Y.toarray() if sp.issparse(Y) else np.asarray(Y)


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
    if all(in_threads(partial(_are_labels, values), even_cuts(len(values), thread_count()))):
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
        in_threads(partial(_copy_rows, Y, floats), even_cuts(len(Y), thread_count()))
        return floats
    except (TypeError, ValueError):
        raise ValueError(
            f"Y must hold only 0 and 1 (or booleans, or −1 and 1); got dtype {Y.dtype}. Turn tags "
            "into an indicator matrix with sklearn.preprocessing.MultiLabelBinarizer"
        ) from None


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
    if labels.unknown is not None and not getattr(estimator, "_takes_unknown", False):
        raise ValueError(
            f"y has {int(labels.unknown.sum())} labels that are unknown (NaN), and "
            f"{type(estimator).__name__} cannot learn from rows that are known in part: leave such "
            "rows out, or use a classifier that can, such as LabelRidge"
        )
    return labels


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
