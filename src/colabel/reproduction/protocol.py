"""What a paper's experiment is made of: data sets, splits, methods, measures, published figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import KFold

from colabel._validation import factor
from colabel.algebra.factor import FactoredMatrix
from colabel.datasets import CoveringShuffleSplit
from colabel.datasets.dataset import Dataset

if TYPE_CHECKING:
    from colabel.reproduction.findings import Findings

#: What a method reaches on a split: a number, or several, by measure.
Values = dict[str, Any]
Rows = tuple[np.ndarray, np.ndarray]
FactoredFold = tuple[np.ndarray, np.ndarray, FactoredMatrix, FactoredMatrix]
#: A mean and its standard deviation over splits, None where the paper gives none.
Figure = tuple[float, float | None]
#: measure → data set → method.
Published = Mapping[str, Mapping[str, Mapping[str, Figure]]]


@dataclass(eq=False)
class Problem:
    """A data set as a paper prepares it, and how its rows are divided.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n, d)
    Y : ndarray of shape (n, q) of 0 and 1
    divide : callable
        The training and the test rows of the split of a number.
    settings : dict
        What the methods do differently here, such as the candidates of a search.
    """

    X: Any
    Y: np.ndarray
    divide: Callable[[int], Rows]
    settings: Values = field(default_factory=dict)
    _kept: Values = field(default_factory=dict, repr=False)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What all splits share, made when it is first asked for."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


@dataclass(eq=False)
class Split:
    """Rows to learn from and rows to be judged on."""

    problem: Problem
    number: int
    _kept: Values = field(default_factory=dict, repr=False)

    @cached_property
    def rows(self) -> Rows:
        """The training rows and the test rows."""
        return self.problem.divide(self.number)

    @cached_property
    def X(self) -> Any:
        """The training rows."""
        return self.problem.X[self.rows[0]]

    @cached_property
    def Y(self) -> np.ndarray:
        """Labels of the training rows."""
        return self.problem.Y[self.rows[0]]

    @cached_property
    def new(self) -> Any:
        """The test rows."""
        return self.problem.X[self.rows[1]]

    @cached_property
    def truth(self) -> np.ndarray:
        """Labels of the test rows."""
        return self.problem.Y[self.rows[1]]

    @cached_property
    def factored(self) -> FactoredMatrix:
        """The training rows, factored once for all methods."""
        return factor(self.X)

    def folds(self, number: int) -> list[Rows]:
        """Folds of the training rows, the same for all methods."""
        return list(self.splitter(number).split(self.X))

    def factored_folds(self, number: int) -> list[FactoredFold]:
        """Rows of the folds, with both parts of each factored once for all methods."""
        key = f"{number} folds"
        if key not in self._kept:
            fm = self.factored
            self._kept[key] = [(*fold, fm[fold[0]], fm[fold[1]]) for fold in self.folds(number)]
        return self._kept[key]

    def splitter(self, number: int) -> KFold:
        """What makes :meth:`folds`."""
        return KFold(number, shuffle=True, random_state=self.number)


@dataclass(frozen=True)
class Method:
    """How a method is run on a split.

    Attributes
    ----------
    run : callable
        From the split, and the parameters that `tune` found, to values.
    tune : callable or None
        From the first split to parameters, which all splits share; None where each split is tuned
        by itself, or nothing is.
    """

    run: Callable[[Split, Values], Values]
    tune: Callable[[Split], Values] | None = None


@dataclass(frozen=True)
class Source:
    """A data set of a paper: the name of its file, and how the paper prepares it.

    Attributes
    ----------
    file : str
    prepare : callable
    only_split : bool
        Whether the paper gives the split, so that there is one.
    """

    file: str
    prepare: Callable[[Dataset], Problem]
    only_split: bool = False


@dataclass(frozen=True)
class Measure:
    """A column of a paper's tables."""

    name: str
    greater_is_better: bool = True


@dataclass(frozen=True)
class Protocol:
    """An experiment of a paper.

    Attributes
    ----------
    name : str
        As on the command line.
    citation : str
        Authors, year and title.
    about : str
        What is done, and in what it differs from the paper; ``{splits}`` is their number.
    sources : mapping of str to Source
        By the titles of the data sets in the paper.
    tables : mapping of int to sequence of str
        The data sets of each table.
    methods : mapping of str to Method
    measures : sequence of Measure
    published : mapping
        The paper's figures: measure, data set, method.
    n_splits : int
        How many splits are made where none are asked for.
    paper_splits : int
        How many the paper made, for the errors of its means.
    more : callable or None
        Further sections: from the findings, and the folder for pictures or None, to markdown.
    words : callable or None
        From the findings to what they say of the paper's claim, in a sentence or two.
    """

    name: str
    citation: str
    about: str
    sources: Mapping[str, Source]
    tables: Mapping[int, Sequence[str]]
    methods: Mapping[str, Method]
    measures: Sequence[Measure]
    published: Published
    n_splits: int
    paper_splits: int
    more: Callable[[Findings, Path | None], str] | None = None
    words: Callable[[Findings], str] | None = None


def covering(Y: np.ndarray, size: int) -> Callable[[int], Rows]:
    """Random splits with `size` training rows that have every label."""

    def divide(number: int) -> Rows:
        splitter = CoveringShuffleSplit(1, train_size=size, random_state=number)
        train, test = next(splitter.split(Y, Y))
        return train, test

    return divide


def plain_random(n: int, size: int) -> Callable[[int], Rows]:
    """Random splits with `size` training rows."""

    def divide(number: int) -> Rows:
        order = np.random.default_rng(number).permutation(n)
        return order[:size], order[size:]

    return divide


def best(candidates: Sequence[Any], scores: Sequence[Sequence[Any]]) -> Any:
    """The candidate with the highest mean of `scores`, which is folds × candidates."""
    return candidates[int(np.argmax(np.mean(scores, axis=0)))]


def figures(text: str) -> dict[str, dict[str, Figure]]:
    """A published table, typed with bars: columns are data sets, rows are methods.

    Examples
    --------
    >>> from colabel.reproduction.protocol import figures
    >>> figures('''
    ...     method | Arts      | Health
    ...     SVM    | .77 ± .01 | .86
    ... ''')
    {'Arts': {'SVM': (0.77, 0.01)}, 'Health': {'SVM': (0.86, None)}}
    """
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    (_, *titles), *lines = rows
    return {
        title: {method: _figure(cells[i]) for method, *cells in lines}
        for i, title in enumerate(titles)
    }


def _figure(cell: str) -> Figure:
    mean, _, deviation = cell.partition("±")
    return float(mean), float(deviation) if deviation else None
