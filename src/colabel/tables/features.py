"""One transformer from the raw rows of any table to a matrix, sparse where that is smaller."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from colabel._parameters import Estimator
from colabel.tables.kinds import NEEDS_SKRUB, ColumnPlan, check_kinds, is_available, recognise
from colabel.tables.steps import (
    FillGaps,
    ReadCategories,
    ReadDates,
    ReadNumbers,
    ReadTexts,
    ReadVectors,
)


class TableFeatures(TransformerMixin, Estimator):
    """Raw rows of a table as rows of a matrix: each column recognised, read and encoded.

    Numbers (also ``1,234.5``) are standardised, gaps being filled with the mean and marked in a
    column of their own. Categories become a column of 0 and 1 for each value; a value that is new
    is 0 in all. Dates become numbers, and points on circles for what comes around again (skrub's
    DatetimeEncoder). Texts are weighted by TF-IDF, lists of numbers scaled to length 1. Columns
    that are empty, the same in every row, or that only say which row it is are left out; `plan_`
    says so. In new rows a gap, an empty text and a category that was never seen are no errors.

    skrub recognises and encodes dates; numbers are not read by its ToFloat, which gives seven
    digits, nor texts by its StringEncoder, whose eleven megabytes go into every model. Of it a
    model holds DatetimeEncoder and its circles only, as formats of dates are kept as text.

    Parameters
    ----------
    kinds
        What columns are, where that is known: from names to "number", "category", "date", "text",
        "embedding" or "drop".
    text
        A transformer from texts to numbers, fitted for each column of text; None is
        ``TfidfVectorizer()``. :class:`SentenceEncoder` is another.

    Attributes
    ----------
    plan_ : list of ColumnPlan
        What each column was taken for, in the order of the table.
    encoder_ : ColumnTransformer
        What reads and encodes them.

    Examples
    --------
    >>> from colabel.tables import TableFeatures
    >>> table = {
    ...     "price": ["1,200", "", "80", "75.5"],
    ...     "product": ["phone", "phone", "cable", "cable"],
    ...     "body": ["it broke in a week", "no answer from you", "too short", "the wrong plug"],
    ... }
    >>> features = TableFeatures().fit(table)
    >>> [column.said() for column in features.plan_]
    ['price (1 gap filled and marked)', 'product (2 values)', 'body']
    >>> new = {"price": ["?"], "product": ["lamp"], "body": [""]}
    >>> features.transform(new).shape == (1, len(features.get_feature_names_out()))
    True
    """

    kinds: dict[str, str] | None = None
    text: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Recognise the columns, and learn how to encode them.

        Parameters
        ----------
        X : DataFrame, mapping from names to columns, or array of shape (n, p)
        y : ignored
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and the matrix of the rows that it was fitted on."""
        table = columns_of(X)
        kinds = self.kinds or {}
        check_kinds(kinds, list(table))
        if not is_available() and set(table) - {n for n, k in kinds.items() if k == "text"}:
            raise ImportError(NEEDS_SKRUB)
        self.plan_ = [recognise(name, table[name], kinds.get(name)) for name in table]
        self.feature_names_in_ = np.array(list(table), dtype=object)
        self.n_features_in_ = len(table)
        self.encoder_ = ColumnTransformer(_encoders(self._used, self.text))
        if not self._used:
            left = "; ".join(column.said() for column in self.plan_)
            raise ValueError(f"no column is left to learn from: {left}")
        return _plain(self.encoder_.fit_transform(self._cells(table)))

    @property
    def _used(self) -> list[ColumnPlan]:
        return [column for column in self.plan_ if column.kind != "drop"]

    @property
    def wanted(self) -> list[str]:
        """The columns that new rows need to have."""
        check_is_fitted(self)
        return [column.name for column in self._used]

    def transform(self, X: Any) -> Any:
        """The matrix of new rows; columns that were left out need not be there.

        Parameters
        ----------
        X : DataFrame, mapping from names to columns, or array of shape (n, p)
        """
        check_is_fitted(self)
        return _plain(self.encoder_.transform(self._cells(columns_of(X, self.feature_names_in_))))

    def _cells(self, table: Mapping[str, Any]) -> np.ndarray:
        """Raw cells, a row each, of the columns that are used."""
        missing = [name for name in self.wanted if name not in table]
        if missing:
            raise ValueError(f"no column is named {missing[0]!r}, which the model was fitted on")
        found = np.empty((len(table[self.wanted[0]]), len(self.wanted)), dtype=object)
        for j, name in enumerate(self.wanted):
            # one by one, or lists of numbers would become rows of an array
            found[:, j] = np.fromiter(table[name], dtype=object, count=len(found))
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of the matrix: ``price``, ``product=phone``, ``body:week``."""
        check_is_fitted(self)
        found: list[str] = []
        for name, fitted, places in self.encoder_.transformers_:
            if name == "remainder":
                continue
            columns = [self._used[j].name for j in np.atleast_1d(places)]
            width = self.encoder_.output_indices_[name]
            found += _NAMES[name.partition(":")[0]](fitted, columns, width.stop - width.start)
        return np.array(found, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def columns_of(X: Any, names: Sequence[str] | np.ndarray | None = None) -> dict[str, Any]:
    """A table as columns by name, each a list of cells or an array of numbers."""
    if isinstance(X, Mapping):
        return {str(name): column for name, column in X.items()}
    if hasattr(X, "columns"):  # of pandas or polars
        return {str(name): _column(X[name]) for name in X.columns}
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"a table has rows and columns; got an array of shape {X.shape}")
    if names is None:
        names = [f"x{j}" for j in range(X.shape[1])]
    if len(names) != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features; {len(names)} are expected")
    return dict(zip(names, X.T, strict=True))


def _column(series: Any) -> Any:
    values = series.to_numpy()
    if values.dtype.kind == "b":
        return values.astype(np.float64)
    return values if values.dtype.kind in "fiu" else list(series)


def _encoders(used: list[ColumnPlan], text: Any) -> list[tuple[str, Any, Any]]:
    """For ColumnTransformer: numbers, dates and categories together, texts one by one."""
    places = {kind: [j for j, c in enumerate(used) if c.kind == kind] for kind in _NAMES}
    of = {kind: [used[j] for j in places[kind]] for kind in _NAMES}
    found: list[tuple[str, Any, Any]] = []
    if of["number"]:
        names, decimals = [c.name for c in of["number"]], [c.decimal for c in of["number"]]
        found.append(("number", _filled(ReadNumbers(names, decimals)), places["number"]))
    if of["date"]:
        names, formats = [c.name for c in of["date"]], [list(c.formats) for c in of["date"]]
        found.append(("date", _filled(ReadDates(names, formats)), places["date"]))
    if of["category"]:
        one_hot = OneHotEncoder(handle_unknown="ignore")
        steps = [("read", ReadCategories()), ("encode", one_hot)]
        found.append(("category", Pipeline(steps), places["category"]))
    for j in places["embedding"]:
        steps = [("read", ReadVectors(used[j].name, used[j].size)), ("encode", Normalizer())]
        found.append((f"embedding:{used[j].name}", Pipeline(steps), j))
    for j in places["text"]:
        encoder = TfidfVectorizer() if text is None else clone(text)
        steps = [("read", ReadTexts()), ("encode", encoder)]
        found.append((f"text:{used[j].name}", Pipeline(steps), j))
    return found


def _filled(reader: Any) -> Pipeline:
    return Pipeline([("read", reader), ("fill", FillGaps()), ("scale", StandardScaler())])


def _plain(X: Any) -> Any:
    return sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)


def _marked(fitted: Any, names: list[str], width: int) -> list[str]:
    return [*names, *(f"{names[j]} is missing" for j in fitted["fill"].marked_)]


def _categories(fitted: Any, names: list[str], width: int) -> list[str]:
    found = zip(names, fitted["encode"].categories_, strict=True)
    return [f"{name}={value or 'missing'}" for name, values in found for value in values]


def _numbered(fitted: Any, names: list[str], width: int) -> list[str]:
    return [f"{names[0]}[{i}]" for i in range(width)]


def _words(fitted: Any, names: list[str], width: int) -> list[str]:
    return [f"{names[0]}:{word}" for word in words_of(fitted["encode"], width)]


def words_of(vectorizer: Any, width: int) -> list[str]:
    """What the columns are called that a vectorizer makes; numbers where it has no names."""
    try:
        return [str(word) for word in vectorizer.get_feature_names_out()]
    except AttributeError:  # also of a pipeline, one of whose steps has none
        return [f"{i}" for i in range(width)]


_NAMES: dict[str, Any] = {
    "number": _marked,
    "date": lambda fitted, names, width: _marked(fitted, fitted["read"].part_names(), width),
    "category": _categories,
    "embedding": _numbered,
    "text": _words,
}
