"""What a paper's experiment is made of: data sets, splits, methods, measures, published figures."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from colabel._indicator import dense_labels
from colabel._rows import factor
from colabel.comparison.result import ComparisonData, MetricFacts
from colabel.datasets import CoveringShuffleSplit
from colabel.datasets.dataset import Dataset
from colabel.linalg.data import CentredData

#: What a method reaches on a split, by measure.
Scores = dict[str, float]
#: What tuning finds, by the name of the parameter.
Parameters = Mapping[str, str | int | float | bool | None]
RowSplit = tuple[np.ndarray, np.ndarray]
FactoredFold = tuple[np.ndarray, np.ndarray, CentredData, CentredData]
#: A mean and its standard deviation over splits, None where the paper gives none.
Figure = tuple[float, float | None]
#: measure → data set → method.
Published = Mapping[str, Mapping[str, Mapping[str, Figure]]]


@dataclass(eq=False)
class Problem:
    """A data set as a paper prepares it, and how its rows are divided."""

    data: Dataset
    #: The training and the test rows of the split of a number.
    divide: Callable[[int], RowSplit]
    #: What a search of the methods tries here.
    candidates: Sequence[float] = ()
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def X(self) -> Any:
        """All rows."""
        return self.data.X

    @cached_property
    def Y(self) -> np.ndarray:
        """Labels of all rows, dense."""
        return dense_labels(self.data.Y).astype(int)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What all splits share, made when it is first asked for."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


@dataclass(eq=False)
class Split:
    """RowSplit to learn from and rows to be judged on."""

    problem: Problem
    number: int
    _kept: dict[str, list[FactoredFold]] = field(default_factory=dict, repr=False)

    @cached_property
    def rows(self) -> RowSplit:
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
    def factored(self) -> CentredData:
        """The training rows, factored once for all methods."""
        return self._timed_factor[0]

    @property
    def factor_seconds(self) -> float:
        """How long that took, of the processor."""
        return self._timed_factor[1]

    @cached_property
    def _timed_factor(self) -> tuple[CentredData, float]:
        X, begin = self.X, time.process_time()
        found = factor(X)
        return found, time.process_time() - begin

    def folds(self, number: int) -> list[RowSplit]:
        """Folds of the training rows, the same for all methods."""
        return list(self.splitter(number).split(self.X))

    def factored_folds(self, number: int) -> list[FactoredFold]:
        """RowSplit of the folds, with both parts of each factored once for all methods."""
        key = f"{number} folds"
        if key not in self._kept:
            fm = self.factored
            self._kept[key] = [(*fold, fm[fold[0]], fm[fold[1]]) for fold in self.folds(number)]
        return self._kept[key]

    def splitter(self, number: int) -> KFold:
        """What makes :meth:`folds`."""
        return KFold(number, shuffle=True, random_state=self.number)


#: From a split, and the parameters that all splits share, to what is reached.
Method = Callable[[Split, Parameters], Scores]


@dataclass(frozen=True)
class Procedure:
    """How a method is run on a split."""

    #: With the parameters that `tune` found.
    run: Method
    #: From the first split to parameters, which all splits share; None where each split is tuned by
    #: itself, or nothing is.
    tune: Callable[[Split], Parameters] | None = None


@dataclass(frozen=True)
class Source:
    """A data set of a paper: the name of its file, and how the paper prepares it."""

    file: str
    prepare: Callable[[Dataset], Problem]
    #: Whether the paper gives the split, so that there is one.
    only_split: bool = False
    #: The methods that are run on it; None: all.
    methods: Sequence[str] | None = None


def measure(name: str, *, greater_is_better: bool = True, about: str = "") -> MetricFacts:
    """A column of a paper's tables, or a number that is told elsewhere."""
    return MetricFacts(name, name, greater_is_better, about)


#: Counted for every method.
UNCONVERGED = measure(
    "unconverged",
    greater_is_better=False,
    about="fits whose solver stopped at its limit of iterations",
)


#: holds, does not, or cannot be tested; and by how much.
Verdict = tuple[str, str]
HOLDS, FAILS, UNTESTED = "holds", "does not hold", "cannot be tested"
#: What stands there where the experiment is yet to be run.
NOT_RUN = "not run"


@dataclass(frozen=True)
class Claim:
    """Something that a paper says of its results."""

    text: str
    #: The table, figure or section.
    where: str
    #: What results say of it; None where no data here can test it.
    test: Callable[[ComparisonData], Verdict | None] | None = None
    #: Why it cannot be tested.
    reason: str = "the data are not to be had"

    def judge(self, found: ComparisonData | None) -> Verdict:
        """What became of it; results are None where the experiment is yet to be run."""
        if self.test is not None and found is None:
            return NOT_RUN, ""
        verdict = self.test(found) if self.test is not None and found is not None else None
        return (UNTESTED, self.reason) if verdict is None else verdict


@dataclass(frozen=True)
class Otherwise:
    """A method run in another way, beside itself, to see what that changes."""

    #: As in the tables, and as in the experiment of choices.
    method: str
    variant: str
    #: Methods of the tables that it changes alike; None: itself alone.
    stands_for: Sequence[str] | None = None
    #: Where the data are prepared otherwise: the titles of both; None where the method is.
    sets: Mapping[str, str] | None = None
    #: Where the same run is judged otherwise, in the experiment of the tables: both measures.
    measures: Mapping[str, str] | None = None


#: Why the effect of other data is not known.
NO_DATA = "the paper's data are not to be had"


@dataclass(frozen=True)
class Difference:
    """In what a run is not the paper's, or what the paper does not say."""

    what: str
    #: How it was done otherwise.
    otherwise: Sequence[Otherwise] = ()
    #: From the results of the tables to what it was seen to change.
    effect: Callable[[ComparisonData], str] | None = None
    #: Sets of which the paper had other data.
    other_data: Sequence[str] = ()
    #: Why nobody can see here what it changes.
    unseen: str = ""


@dataclass(frozen=True)
class Protocol:
    """An experiment of a paper."""

    #: As on the command line.
    name: str
    #: Authors, year and title.
    citation: str
    #: What is done, and in what it differs from the paper; ``{splits}`` is their number.
    about: str
    #: By the titles of the data sets in the paper.
    sources: Mapping[str, Source]
    #: The data sets of each table.
    tables: Mapping[int, Sequence[str]]
    methods: Mapping[str, Procedure]
    #: The columns of its tables.
    measures: Sequence[MetricFacts]
    #: The paper's figures: measure, data set, method.
    published: Published
    #: How many splits are made where none are asked for.
    n_splits: int
    #: How many the paper made, for the errors of its means.
    paper_splits: int
    #: What else the methods give, for the further sections.
    further: Sequence[MetricFacts] = ()
    #: Further sections: from the results, and the folder for pictures or None, to markdown.
    more: Callable[[ComparisonData, Path | None], str] | None = None
    #: Whether these need matplotlib.
    draws: bool = False
    #: Whether seconds are measured, so that nothing may run beside it.
    timed: bool = False
    #: From the results to what they say of the paper's claim, in a sentence or two.
    words: Callable[[ComparisonData], str] | None = None
    #: In what it is not the paper's.
    differs: Sequence[Difference] = ()
    #: The experiment that measures what these change.
    choices: "Protocol | None" = None
    #: The day on which what is run was last changed: older results are of another protocol.
    since: str = ""
    #: What the paper says of its results.
    claims: Sequence[Claim] = ()

    @property
    def metrics(self) -> list[MetricFacts]:
        """All that is known of a method on a split."""
        return [*self.measures, *self.further, UNCONVERGED]


def split_with_every_label(Y: Any, size: int) -> Callable[[int], RowSplit]:
    """Random splits with `size` training rows that have every label."""

    def divide(number: int) -> RowSplit:
        splitter = CoveringShuffleSplit(1, train_size=size, random_state=number)
        train, test = next(splitter.split(Y, Y))
        return train, test

    return divide


def plain_random(n: int, size: int) -> Callable[[int], RowSplit]:
    """Random splits with `size` training rows."""

    def divide(number: int) -> RowSplit:
        order = np.random.default_rng(number).permutation(n)
        return order[:size], order[size:]

    return divide


def best(candidates: Sequence[Any], scores: Sequence[Sequence[Any]]) -> Any:
    """The candidate with the highest mean of `scores`, which is folds × candidates."""
    return candidates[int(np.argmax(np.mean(scores, axis=0)))]


def figures(text: str) -> dict[str, dict[str, Figure]]:
    """A published table, typed with bars: columns are data sets, rows are methods."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    (_, *titles), *lines = rows
    return {
        title: {method: _figure(cells[i]) for method, *cells in lines}
        for i, title in enumerate(titles)
    }


def _figure(cell: str) -> Figure:
    mean, _, deviation = cell.partition("±")
    return float(mean), float(deviation) if deviation else None
