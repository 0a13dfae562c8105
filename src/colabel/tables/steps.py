"""From raw cells to what scikit-learn's encoders take: one step for each kind of column."""

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from colabel._public import public
from colabel.tables import cells as cell
from colabel.tables.dates import parse


class _Reader(TransformerMixin):
    """Columns of raw cells in; nothing is learned of them here."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


@public
class ReadNumbers(_Reader, BaseEstimator):
    """Cells as numbers, NaN where there is none.

    Parameters
    ----------
    names, decimals : sequences of str
        Of the columns; what stands before the fractions in each.
    """

    def __init__(self, names: Sequence[str] = (), decimals: Sequence[str] = ()) -> None:
        self.names, self.decimals = names, decimals

    def transform(self, X: Any) -> np.ndarray:
        """Parse the cells."""
        parts = [cell.numbers(X[:, j], decimal) for j, decimal in enumerate(self.decimals)]
        for j, (name, values) in enumerate(zip(self.names, parts, strict=True)):
            _tell_odd(name, X[:, j], np.isnan(values), "number")
        return np.column_stack(parts)


@public
class FillGaps(TransformerMixin, BaseEstimator):
    """Gaps as the means of their columns, and a mark behind them for each column that had one.

    A gap that is the mean says nothing once data are centred; the mark may. Scikit-learn's imputer
    does the same, but what it is fitted to changes from version to version, and models are to last.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.tables.steps import FillGaps
    >>> FillGaps().fit_transform(np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]]))
    array([[1., 5., 0.],
           [2., 5., 1.],
           [3., 5., 0.]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the means, 0 of a column without a number, and the columns with gaps."""
        known = ~np.isnan(X)
        self.means_ = np.where(known, X, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        self.marked_ = np.flatnonzero(~known.all(axis=0))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Fill the gaps, and mark them."""
        gaps = np.isnan(X)
        return np.hstack([np.where(gaps, self.means_, X), gaps[:, self.marked_]])


def _tell_odd(name: str, column: Any, unread: np.ndarray, kind: str) -> None:
    """Warn of what is there and could not be read."""
    odd = next((column[i] for i in np.flatnonzero(unread) if not cell.is_gap(column[i])), None)
    if odd is not None:
        warnings.warn(
            f"column {name!r} holds {str(odd)[:40]!r}, which is no {kind}; it counts as a gap",
            UserWarning,
            stacklevel=2,
        )


@public
class ReadCategories(_Reader, BaseEstimator):
    """Cells as names of categories, "" where there is none."""

    def transform(self, X: Any) -> np.ndarray:
        """Read the cells."""
        found = np.empty(X.shape, dtype=object)
        for j in range(X.shape[1]):
            found[:, j] = [cell.category(one) for one in X[:, j]]
        return found


@public
class ReadTexts(_Reader, BaseEstimator):
    """Cells of one column as texts, "" where there is none."""

    def transform(self, X: Any) -> list[str]:
        """Read the cells."""
        return [cell.text(one) for one in X]


@public
class ReadVectors(_Reader, BaseEstimator):
    """Lists of numbers as rows of a matrix, of zeros where there is none.

    Parameters
    ----------
    name : str
        Of the column.
    size : int
        How many numbers a list has.
    """

    def __init__(self, name: str = "", size: int = 0) -> None:
        self.name, self.size = name, size

    def transform(self, X: Any) -> np.ndarray:
        """Read the cells."""
        found = np.zeros((len(X), self.size))
        for i, one in enumerate(X):
            values = cell.vector(one)
            if values is not None and len(values) == self.size:
                found[i] = values
            elif not cell.is_gap(one):
                raise ValueError(
                    f"column {self.name!r} holds {str(one)[:40]!r} in row {i + 1}; a list of "
                    f"{self.size} numbers is expected"
                )
        return found


@public
class ReadDates(_Reader, BaseEstimator):
    """Dates as numbers by skrub's DatetimeEncoder: the time, and what comes around again.

    Years and seconds are numbers; months, days, weekdays and hours are points on circles, so that
    December is beside January.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    formats : sequence of sequences of str
        How the dates of each are written.
    """

    def __init__(self, names: Sequence[str] = (), formats: Sequence[Sequence[str]] = ()) -> None:
        self.names, self.formats = names, formats

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out which columns have hours."""
        from skrub import DatetimeEncoder

        self.encoders_ = [
            DatetimeEncoder(add_weekday=True, periodic_encoding="circular").fit(times)
            for times in self._times(X)
        ]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Read the cells; NaN where there is no date."""
        times = self._times(X)
        for j, (name, column) in enumerate(zip(self.names, times, strict=True)):
            _tell_odd(name, X[:, j], column.isna().to_numpy(), "date as those of the training")
        parts = [
            np.asarray(encoder.transform(column), dtype=np.float64)
            for encoder, column in zip(self.encoders_, times, strict=True)
        ]
        return np.hstack(parts)

    def _times(self, X: Any) -> list[Any]:
        return [
            parse(X[:, j], formats).rename(name)
            for j, (name, formats) in enumerate(zip(self.names, self.formats, strict=True))
        ]

    def part_names(self) -> list[str]:
        """Names of the columns of numbers."""
        return [name for encoder in self.encoders_ for name in encoder.all_outputs_]
