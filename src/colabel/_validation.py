"""Checks of what a person passes in; the only file with private scikit-learn imports."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as class_scores_of_pairs
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_consistent_length,
    validate_data,
)

from colabel._row_blocks import collected_labels, is_dask, row_blocks
from colabel.algebra.crews import ClusterLostError
from colabel.algebra.factor import FactoredMatrix
from colabel.algebra.matrix import as_matrix, canonical

__all__ = [
    "FLOATS",
    "HasMethods",
    "Indicator",
    "Interval",
    "StrOptions",
    "_fit_context",
    "as_array",
    "as_data",
    "as_folds",
    "as_indicator",
    "as_labels",
    "as_penalties",
    "as_rows",
    "canonical",
    "check_scale",
    "class_scores_of_pairs",
    "dense_labels",
    "factor",
    "indicator_classes",
    "listed",
    "positive_probabilities",
    "take_rows",
]

FLOATS = (np.float64, np.float32)
SPARSE_FORMATS = ("csr", "csc")
#: The least and the largest root mean square of rows whose third powers, which iterations form,
#: neither vanish nor overflow; and the largest whose products with a fitted model do not.
SCALES = {np.dtype(np.float64): (1e-50, 1e25, 1e100), np.dtype(np.float32): (1e-10, 1e10, 1e15)}


def _fit_context(*, prefer_skip_nested_validation: bool) -> Callable[..., Any]:
    """Check the parameters before a fit; if it fails or is stopped, leave the estimator as it was.

    What scikit-learn's decorator of this name does, and the second half. It is written out because
    warnings count the frames up to the caller: there is one here, as in scikit-learn's.
    """

    def decorator(fit: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fit)
        def wrapper(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            skip = get_config()["skip_parameter_validation"]
            if not skip:
                estimator._validate_params()
            before = vars(estimator).copy()
            try:
                with config_context(
                    skip_parameter_validation=skip or prefer_skip_nested_validation
                ):
                    return fit(estimator, *args, **kwargs)
            except BaseException as error:
                estimator.__dict__ = before  # in one step, which a second interruption cannot halve
                if isinstance(error, ClusterLostError):
                    stopped = f"{type(estimator).__name__}.{fit.__name__}"
                    raise ClusterLostError(error.why, stopped) from error
                raise

        return wrapper

    return decorator


@dataclass(frozen=True)
class Indicator:
    """Labels as an n×q matrix of zeros and ones.

    Attributes
    ----------
    matrix : ndarray or csr_array of shape (n, q), float64
        Always floating-point: products of small integers overflow silently.
    names : ndarray of shape (q,)
        Column names of a DataFrame, classes of a 1-D target, else "label0", "label1", ...
    classes : ndarray or None
        The classes of a 1-D target; None for an indicator matrix.
    """

    matrix: Any
    names: np.ndarray
    classes: np.ndarray | None = None

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

    @property
    def counts(self) -> np.ndarray:
        """How many rows have each label."""
        return np.asarray(self.matrix.sum(axis=0)).ravel()

    @cached_property
    def varying(self) -> np.ndarray:
        """Which labels some rows have and some have not."""
        counts = self.counts
        return (counts > 0) & (counts < self.matrix.shape[0])

    @property
    def learned(self) -> Indicator:
        """Without the labels that do not vary; with all of them where none varies."""
        varying = self.varying
        if self.classes is not None or varying.all() or not varying.any():
            return self
        return replace(self, matrix=self.matrix[:, varying], names=self.names[varying])

    def spread(self, U: np.ndarray) -> np.ndarray:
        """Columns of the `learned` labels among all, those of labels that do not vary being 0."""
        whole = np.zeros((len(U), len(self.names)), dtype=U.dtype)
        kept = self.varying if len(self.learned.names) < len(self.names) else slice(None)
        whole[:, kept] = U
        return np.where(self.varying, whole, 0.0)

    def warn_of_constant(self) -> None:
        """Say in one warning which labels every row has, or none, and so are predicted constant."""
        counts = self.counts
        constant = (counts == 0) | (counts == self.matrix.shape[0])
        if self.classes is None and constant.any():
            warnings.warn(
                f"{np.count_nonzero(constant)} of {len(counts)} labels have only one value in Y "
                f"and are predicted constant: {listed(self.names[constant])}",
                UserWarning,
                stacklevel=4,
            )

    def without_empty(self) -> Indicator:
        """Leave out the labels that no row has, saying which in one warning."""
        used = self.counts > 0
        if used.all():
            return self
        empty = listed(self.names[~used])
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
        return replace(self, matrix=self.matrix[:, used], names=self.names[used])


def indicator_classes(q: int) -> np.ndarray:
    """What stands in `classes_` for an indicator of q columns."""
    return np.arange(max(q, 2))


def dense_labels(Y: Any) -> np.ndarray:
    """Labels as a dense array, which scores of the same shape are anyway."""
    return Y.toarray() if sp.issparse(Y) else np.asarray(Y)


def positive_probabilities(found: list[np.ndarray], classes: list[np.ndarray]) -> np.ndarray:
    """Probabilities of the labels, n×q, from those of the classes of each label, as forests give.

    A label of one class has one column, which is of 0 or of 1.
    """
    return np.column_stack(
        [p[:, np.asarray(own) == 1].sum(axis=1) for p, own in zip(found, classes, strict=True)]
    )


def listed(names: Any, most: int = 5) -> str:
    """The first few names, for a message."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"


def as_indicator(Y: Any) -> Indicator:
    """Read Y in any of its accepted forms; see :class:`Indicator`.

    A 2-D Y holds 0/1, booleans or ±1, dense or sparse, or is a DataFrame of such columns. A 1-D y
    holds one class a row: two classes give one column, more give one each.
    """
    Y = collected_labels(Y)
    names = getattr(Y, "columns", None)
    if sp.issparse(Y):
        matrix = sp.csr_array(Y, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        values = matrix.data
    else:
        Y = _as_array(Y)
        if Y.ndim == 1:
            return _binarised(Y)
        matrix = values = Y
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(f"Y must have the shape (rows, labels); got {matrix.shape}")
    check_array(values.reshape(1, -1), ensure_min_features=0, input_name="Y")  # NaN, inf
    strange = values[(values != 0) & (values != 1)]
    if len(strange) and np.all(strange == -1) and not _has_zeros(matrix, values):
        matrix = (matrix > 0).astype(np.float64)
    elif len(strange):
        if matrix.shape[1] == 1 and not sp.issparse(matrix):
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected; it is read as one "
                "class a row. Pass y.ravel() to say so yourself.",
                DataConversionWarning,
                stacklevel=2,
            )
            return _binarised(matrix.ravel())
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
    if Y.ndim == 1:
        return Y
    try:
        return Y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"Y must hold only 0 and 1 (or booleans, or −1 and 1); got dtype {Y.dtype}. Turn tags "
            "into an indicator matrix with sklearn.preprocessing.MultiLabelBinarizer"
        ) from None


def _has_zeros(matrix: Any, values: np.ndarray) -> bool:
    return bool(np.prod(matrix.shape) > np.count_nonzero(values))


def _label_names(names: Any, q: int) -> np.ndarray:
    return np.array([f"label{i}" for i in range(q)] if names is None else list(names), dtype=object)


def _binarised(y: np.ndarray) -> Indicator:
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


def as_data(estimator: Any, X: Any) -> FactoredMatrix:
    """Check X for fit, and remember its features in the estimator."""
    frame = getattr(X, "_meta", None)  # of Dask's DataFrames, one of pandas without rows
    X = row_blocks(X) if is_dask(X) else X
    if isinstance(X, FactoredMatrix):
        _check_feature_names(estimator, frame, reset=True)
        estimator.n_features_in_ = X.shape[1]
        check_scale(X)
        return X
    X = _validated(estimator, X, reset=True, ensure_min_samples=2)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        data = FactoredMatrix(as_matrix(X))
        size = _row_size(data)
    least, largest, _ = SCALES[np.dtype(X.dtype)]
    if not least <= size <= largest:
        check_scale(X)
    return data


def as_rows(estimator: Any, X: Any) -> Any:
    """Check X for transform or predict: a FactoredMatrix, a dense array or a sparse one."""
    if is_dask(X):
        _check_feature_names(estimator, X._meta, reset=False)
        X = row_blocks(X)
    if isinstance(X, FactoredMatrix):
        _check_n_features(estimator, X, reset=False)
        return X
    return as_array(estimator, X, reset=False)


def as_array(
    estimator: Any,
    X: Any,
    *,
    reset: bool = True,
    **params: Any,
) -> Any:
    """Check X: a dense array or a sparse one, of which each entry is stored once."""
    X = _validated(estimator, X, reset=reset, **params)
    check_scale(X, fitting=reset)
    return X


def _validated(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: Any = SPARSE_FORMATS,
    dtype: Any = FLOATS,
    **params: Any,
) -> Any:
    """As `as_array`, but for the scale, which data matrices know without another look at X."""
    return canonical(
        validate_data(estimator, X, accept_sparse=accept_sparse, dtype=dtype, **params)
    )


def check_scale(X: Any, *, fitting: bool = True) -> None:
    """Refuse data, in an array or factored, whose squares would overflow or vanish."""
    if np.dtype(X.dtype) not in SCALES:
        return
    size = _row_size(X)
    least, largest, given = SCALES[np.dtype(X.dtype)]
    low, high = (least, largest) if fitting else (0.0, given)
    if not (low <= size <= high or size == 0):
        other = ", or give it in float64" if X.dtype == np.float32 else ""
        raise ValueError(
            f"the rows of X are of size {size:.0e}, and {X.dtype} can square and multiply what is "
            f"between {low:g} and {high:g}: divide X by a constant, or standardise it{other}"
        )


def _row_size(X: Any) -> float:
    """The root mean square of the norms of rows, roughly where it cannot be squared."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if isinstance(X, FactoredMatrix):
            return float(X.core.scale / np.sqrt(X.shape[0]))
        entries = X.data if sp.issparse(X) else X.ravel(order="K")
        squares = float(np.vdot(entries, entries))
        if 0 < squares < np.inf:
            return float(np.sqrt(squares / X.shape[0]))
        return float(np.abs(entries).max(initial=0.0))


def as_labels(estimator: Any, Y: Any, data: Any) -> Indicator:
    """Check Y for fit against the rows of X."""
    if Y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; "
            "call fit(X, Y) with an n×q matrix of labels"
        )
    labels = as_indicator(Y)
    check_consistent_length(data, labels.matrix)
    return labels


def as_folds(cv: Any, X: Any, labels: Indicator, random_state: Any = None) -> list[Any]:
    """Pairs of training and test rows, for any `cv` that scikit-learn takes; an int is shuffled."""
    y = labels.codes
    if isinstance(cv, Integral):
        splitter = KFold if labels.classes is None else StratifiedKFold
        rng = check_random_state(random_state)
        cv = splitter(int(cv), shuffle=True, random_state=rng)
    return list(check_cv(cv).split(np.zeros((labels.matrix.shape[0], 1)) if X is None else X, y))


def as_penalties(name: str, values: Any) -> list[float]:
    """A non-empty list of finite numbers, none of them negative."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found) or not np.all(np.isfinite(found) & (found >= 0)):
        raise ValueError(f"{name} must be a sequence of finite numbers ≥ 0; got {values!r}")
    return found.tolist()


def factor(X: Any) -> FactoredMatrix:
    """Factor the centred data once, for every method and every hyperparameter.

    X̄ = UΣVᵀ of the data with its column means taken off. The result is accepted as X by every
    extractor, and ``fm[rows]`` by splitters and cross-validation.

    Parameters
    ----------
    X : array, sparse array, DataFrame, Dask array or FactoredMatrix of shape (n, d)

    Returns
    -------
    FactoredMatrix

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import factor
    >>> factor(np.eye(4)).singular_values.round(6)
    array([1., 1., 1.])
    """
    if is_dask(X):
        data = row_blocks(X)
    elif isinstance(X, FactoredMatrix):
        data = X
    else:
        X = check_array(X, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, ensure_min_samples=2)
        check_scale(X)
        data = FactoredMatrix(as_matrix(canonical(X)))
    data.svd  # noqa: B018  computed now, as the name of this function says
    return data
