"""Fitting in parts: rows that come in batches, or lie in several places."""

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length

from colabel._indicator import Indicator
from colabel._labels import Labels, _as_array, as_indicator, as_labels
from colabel._parameters import Estimator
from colabel._row_blocks import collect_labels, is_dask
from colabel._rows import Rows, as_array, as_data, as_rows, check_scale
from colabel._sklearn import fit_context
from colabel._tags import read_tags
from colabel._terminal import brief
from colabel._weights import SampleWeight, as_weights
from colabel.linalg import cost
from colabel.linalg.data import CentredData
from colabel.linalg.moments import Moments


def _sums_suffice(estimator: Any) -> bool:
    """Whether the estimator can be fitted from sums over rows; else an error that says why not."""
    reason, kind = estimator._needs_rows, type(estimator)
    if getattr(estimator, "kernel", None) is not None:
        reason = f"kernel={estimator.kernel!r} compares the rows themselves"
    if getattr(estimator, "class_weight", None) is not None:
        reason = f"class_weight={estimator.class_weight!r} makes entries of a row count differently"
    if not reason and _definer(kind, "fit") is not _definer(kind, "_fit_moments"):
        reason = f"the fit of {kind.__name__} needs the rows themselves"
    if reason:
        raise AttributeError(
            f"{reason}, and partial_fit keeps only sums over them; use fit, with "
            "colabel.row_blocks for rows that do not fit into memory"
        )
    return True


def _definer(kind: type, name: str) -> type:
    return next(parent for parent in kind.__mro__ if name in vars(parent))


class FittedInParts(Estimator):
    """`partial_fit` and `merge`, for estimators that need only sums over rows.

    A class with it does in `_fit_moments`, for data and labels known by their moments, what its
    `fit` does for rows. The solvers are the same, and so is the result, to rounding.

    Attributes
    ----------
    solver_ : str
        The solver used.
    moments_ : Moments
        The sums over rows that `partial_fit` adds to; `fit` keeps none.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import OPLS
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(90, 5)), rng.integers(0, 2, size=(90, 3))
    >>> whole = OPLS().fit(X, Y)
    >>> monday = OPLS().partial_fit(X[:30], Y[:30]).partial_fit(X[30:50], Y[30:50])
    >>> tuesday = OPLS().partial_fit(X[50:], Y[50:])
    >>> both = monday.merge(tuesday)
    >>> bool(np.allclose(both.components_, whole.components_))
    True
    """

    #: What only an estimator with a solution has.
    _solution: ClassVar[str]

    #: Why sums over rows are not enough; empty if they are.
    _needs_rows = ""

    @abstractmethod
    def _fit_moments(self, data: CentredData, labels: Any) -> None:
        """What `fit` does for rows, for data and labels known by their moments."""

    def _too_little(self, moments: Moments) -> str:
        """Why there is nothing to be solved yet; empty if there is."""
        return ""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._solution)

    @available_if(_sums_suffice)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: Rows,
        y: Labels = None,
        classes: ArrayLike | None = None,
        *,
        sample_weight: SampleWeight = None,
        solve: bool = True,
    ) -> Self:
        """Add rows to those that were given before, and fit on all of them.

        Only sums over rows are kept, in ``moments_``: a d×d matrix, for at most 12000 features. The
        order and the sizes of the batches do not matter, and the result is that of `fit` on all
        rows at once, to rounding; but the sums square the condition number of X, and a warning says
        where that costs more than half of the digits. What `fit` would refuse is refused, and the
        rows are not added then; but a single row, or rows without labels, can come first. After
        `fit`, which keeps no sums, it starts anew, and says so. Delete ``moments_`` from a model
        that will see no more rows, to make it small.

        Parameters
        ----------
        X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
            One row is enough.
        y : array, sparse array or DataFrame of shape (n, q)
            Labels as in `fit`, the same ones in every batch.
        classes : array, optional
            For a 1-D y, all classes there are, or all tags, in the first call; without it they are
            those of the first batch. An n×q matrix of labels needs none.
        solve : bool, default=True
            Whether to solve the problem now. With False the rows are only added, which costs less,
            and the estimator stays as it was fitted before, if it was.

        Returns
        -------
        self
        """
        if self.__sklearn_is_fitted__() and not hasattr(self, "moments_"):
            warnings.warn(
                f"partial_fit forgets the rows that this {type(self).__name__} was fitted on: fit "
                "keeps no moments_ to add to. Give those rows to partial_fit too",
                UserWarning,
                stacklevel=3,
            )
        weights = as_weights(sample_weight)
        X = self._read_rows(X)
        labels = self._read_labels(X, y, classes)
        Y = None if labels is None else labels.matrix
        if weights is None:
            added = Moments.of(X, Y)
        else:
            weights.check(X.shape[0])
            added = Moments.of(
                X if weights.kept is None else X[weights.kept],
                Y if Y is None or weights.kept is None else Y[weights.kept],
                weights.values,
            )
        if hasattr(self, "moments_"):
            added = vars(self)["moments_"] + added
        elif labels is not None:
            self.label_names_, self._known_classes = labels.names, labels.classes
        self.moments_ = added
        return self._solve_moments() if solve else self

    @available_if(_sums_suffice)
    def merge(self, other: Self) -> Self:
        """A new estimator, fitted on the rows of both.

        Parameters
        ----------
        other : estimator of the same class
            Fitted by `partial_fit` as this one, with the same parameters, features and labels.

        Returns
        -------
        estimator
        """
        self._check_mergeable(other)
        merged = clone(self)
        for model in (other, self):
            for name in ("n_features_in_", "feature_names_in_", "label_names_", "_known_classes"):
                if hasattr(model, name):
                    setattr(merged, name, getattr(model, name))
        merged.moments_ = self.moments_ + other.moments_
        return merged._solve_moments()

    def _solve_moments(self) -> Self:
        moments = self.moments_
        reason = self._too_little(moments)
        if reason:
            warnings.warn(f"{reason}: waiting for more rows", UserWarning, stacklevel=4)
            return self
        check_scale(moments.data)
        labels = None
        if hasattr(self, "label_names_"):
            labels = Indicator(moments.labels, self.label_names_, self._known_classes)
        self._fit_moments(moments.data, labels)
        self.moments_ = moments  # which a fit on rows leaves behind
        return self

    def _read_rows(self, X: Any) -> Any:
        """Check a batch of X, the first one as `fit` does and others against it."""
        first = not hasattr(self, "moments_")
        if is_dask(X) or isinstance(X, CentredData):
            X = as_data(self, X) if first else as_rows(self, X)
        else:
            X = as_array(self, X, reset=first)
        if X.shape[1] > cost.DIRECT_LIMIT:
            raise ValueError(
                f"X has {X.shape[1]} features, and partial_fit keeps a square matrix of them, for "
                f"at most {cost.DIRECT_LIMIT}; use fit (with colabel.row_blocks, if the rows do "
                "not fit into memory) or fewer features, as colabel.preparation.FrequentColumns "
                "selects them"
            )
        return X

    def _read_labels(self, X: Any, Y: Any, classes: Any) -> Indicator | None:
        """Check a batch of labels; None where they are not used."""
        if not self.__sklearn_tags__().target_tags.required:
            return None
        first = not hasattr(self, "moments_")
        tags = read_tags(Y, classes if first else self.label_names_)
        if tags is not None:  # a batch need not have all of them
            check_consistent_length(X, tags[0])
            return Indicator(*tags)
        given = None if classes is None else np.unique(classes)
        known = given if first else self._known_classes
        labels = as_labels(self, Y, X) if known is None else _encode(self, X, Y, known)
        if labels.unknown is not None:
            raise ValueError(
                f"y has {int(labels.unknown.sum())} labels that are unknown (NaN), and partial_fit "
                "keeps only sums over rows, from which they cannot be left out; use fit"
            )
        if labels.classes is None and not (
            given is None or np.array_equal(given, labels.class_list)
        ):
            raise ValueError(
                f"classes are for a 1-D y, but Y is a matrix of {len(labels.names)} labels, which "
                f"needs none; got classes={brief(given)}"
            )
        if not first:
            self._check_labels(labels, Y, given)
        return labels

    def _check_labels(self, labels: Indicator, Y: Any, given: np.ndarray | None) -> None:
        """Labels of a batch against those of the first."""
        known = self._known_classes
        if (labels.classes is None) != (known is None):
            kinds = "a matrix of labels", "one class a row"
            raise ValueError(
                f"Y holds {kinds[labels.classes is not None]}, and that of the first batch held "
                f"{kinds[known is not None]}"
            )
        if known is not None and given is not None and not np.array_equal(given, known):
            raise ValueError(
                f"classes={brief(given)} differ from those of the first batch, {brief(known)}"
            )
        named = getattr(Y, "columns", None) is not None
        same = len(labels.names) == len(self.label_names_)
        if not same or (named and list(labels.names) != list(self.label_names_)):
            raise ValueError(
                f"Y has {len(labels.names)} labels ({brief(labels.names)}), and that of the first "
                f"batch {len(self.label_names_)} ({brief(self.label_names_)}); every batch needs "
                "the same labels in the same order"
            )

    def _check_mergeable(self, other: Any) -> None:
        if type(other) is not type(self):
            raise TypeError(
                f"{type(self).__name__} can be merged with its like only; got "
                f"{type(other).__name__}"
            )
        for model, which in ((self, "this"), (other, "the other")):
            if not hasattr(model, "moments_"):
                raise ValueError(f"{which} {type(self).__name__} was not fitted by partial_fit")
        mine, others = self.get_params(), other.get_params()
        for name in mine.keys() - {"random_state"}:
            if not np.array_equal(mine[name], others[name]):
                raise ValueError(
                    f"{name}={mine[name]!r} here and {others[name]!r} in the other; set_params "
                    "makes them equal"
                )
        for name in ("n_features_in_", "feature_names_in_", "label_names_", "_known_classes"):
            here: Any = getattr(self, name, None)
            there: Any = getattr(other, name, None)
            unnamed = name == "feature_names_in_" and (here is None or there is None)
            if not (unnamed or np.array_equal(here, there)):
                what = name.strip("_").replace("_", " ")
                raise ValueError(f"the {what} differ: {here} here and {there} in the other")


def _encode(estimator: Any, X: Any, Y: Any, known: np.ndarray) -> Indicator:
    """Labels of a 1-D y whose classes are known, not all of which need be in it."""
    Y = collect_labels(Y)
    y = None if Y is None or sp.issparse(Y) else _as_array(Y)
    if y is None or y.ndim != 1:
        return as_labels(estimator, Y, X)
    # thrice, as few rows of many classes would look like a regression target
    all_of_them = np.tile(known, 3)
    labels = as_indicator(np.concatenate([all_of_them, y]))
    found = labels.class_list
    if not np.array_equal(found, known):
        raise ValueError(
            f"y holds the classes {brief(np.setdiff1d(found, known))}, which are not among those "
            f"of the first call, {brief(known)}; give all there are as classes in the first call"
        )
    matrix = labels.matrix[len(all_of_them) :]
    check_consistent_length(X, matrix)
    return replace(labels, matrix=matrix, classes=known)
