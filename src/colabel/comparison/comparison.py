"""What a person calls and gets: methods compared, and the outcome to read, keep and show."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, TypeAlias

from colabel._labels import Labels
from colabel._public import public
from colabel.comparison.plan.request import request
from colabel.comparison.report.markdown import markdown
from colabel.comparison.report.notebook import notebook
from colabel.comparison.report.page import html
from colabel.comparison.result import ComparisonData
from colabel.comparison.run.kept import journal_of
from colabel.comparison.run.runner import Report, journal_file, progress_bar, run, say_nothing
from colabel.datasets import Dataset, load

#: Whatever :func:`compare` takes as one data set, or as several.
Data: TypeAlias = "str | os.PathLike[str] | Dataset | Any"
Methods: TypeAlias = Sequence[str] | Mapping[str, Any] | None


@public
@dataclass(frozen=True)
class Comparison(ComparisonData):
    """Which methods were compared, on which data, and how each did on each split.

    It can be written as JSON and read again as it was; malformed data is refused.

    Attributes
    ----------
    meta : RunFacts
        Title, date, versions, machine, seed, and the arguments: what was asked for.
    metrics : list of MetricFacts
        The ranking goes by the first.
    results : list of Result
        One for each data set, method and split.

    Examples
    --------
    >>> from colabel.comparison.from_scores import from_scores
    >>> found = from_scores({"birds": {"a": [0.71, 0.73], "b": [0.52, 0.55]}})
    >>> found.results[0].method, found.results[0].scores
    ('a', {'score': 0.71})
    >>> from colabel import Comparison
    >>> Comparison.from_dict({**found.to_dict(), "meta": {}})
    Traceback (most recent call last):
    ValueError: meta lacks title; add what is missing
    """

    def to_markdown(self) -> str:
        """Verdict, tables, failures and versions as markdown."""
        return markdown(self)

    def to_html(self) -> str:
        """The report as a web page of one file that loads nothing from the network."""
        return html(self)

    def _repr_html_(self) -> str:
        """The verdict and the tables, for a notebook."""
        return notebook(self)


@public
def compare(
    data: Data = None,
    y: Labels = None,
    *,
    methods: Methods = None,
    metrics: Sequence[str] | None = None,
    cv: Any = None,
    budget: float | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | Report = True,
    load_options: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Comparison:
    """Compare methods on data: which is best, and how sure that is.

    Every method is fitted on the same splits, on features scaled in the same way, with its
    parameters and thresholds tuned on training rows that a candidate has not seen: on folds, the
    same for all, or row by row where a method has that for nothing (least squares, forests). Each
    fit runs in a process of its own kind, so that a method that fails, hangs or dies is reported
    with the reason and costs nothing but its result. Methods that would take minutes a split run
    only if named; the semi-supervised ones do not run at all, as they need rows without labels.

    Parameters
    ----------
    data : str, path, Dataset, DataFrame, X, pair (X, y), list or mapping of these, or None
        A file, the name of a set, a table in memory, rows with `y` beside them (numbers, a
        DataFrame of any columns, or texts), or several; a mapping gives each its name. None is
        :func:`colabel.datasets.load_debtags`.
    y : array, sparse array or DataFrame of shape (n, q), or lists of tags, optional
        The labels, where `data` are rows.
    methods : None, sequence of str, or mapping
        Names, such as "mvmd" or "mvmd-svm"; or names with any classifiers of scikit-learn, which
        are run as they are, and extractors of :mod:`colabel.family`, which ridge regression follows
        (None stands for the method of that name). None is all that are usual.
    metrics : sequence of str or None
        Names of :data:`colabel.metrics.METRICS`. Methods are tuned for the first, and ranked by it.
    cv : int, "given", splitter, list of pairs, or None
        An int is a number of random splits that keep the share of each label, two thirds to train;
        "given" is the split that the data comes with. None is 5, or 2 if `quick`.
    budget : float or None
        Seconds for all of it. Slow methods are stopped, and said to be over budget.
    quick : bool, default=False
        A first impression: at most 1500 rows, 2 splits, and fewer parameters to try.
    n_jobs : int or None, default=None
        Processes; None is one a core. Results do not depend on it, but times do.
    random_state : int, default=0
    journal : path or None
        A file, or a folder for one, that results are written to as they come; the same call goes on
        where it was stopped.
    progress : bool or callable, default=True
        Whether to show a bar on a terminal; or what is called with a :class:`Progress`.
    load_options : mapping or None
        How files and tables are read: options of :func:`colabel.datasets.load`.
    **reading
        The same, one by one: ``compare("tickets.csv", label_column="tags")``.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.dummy import DummyClassifier
    >>> from colabel import compare
    >>> X, Y = make_multilabel_classification(n_samples=90, random_state=0)
    >>> methods = {"label-ridge": None, "nothing": DummyClassifier()}
    >>> found = compare(X, Y, methods=methods, metrics=["f1_macro"], cv=1, n_jobs=1)
    >>> ridge, nothing = (result.scores["f1_macro"] for result in found.results)
    >>> ridge > nothing
    True
    """
    for name in reading.keys() - signature(load).parameters.keys():
        raise TypeError(f"compare() got an unexpected keyword argument {name!r}")
    asked = request(
        data,
        y,
        methods=methods,
        metrics=metrics,
        cv=cv,
        budget=budget,
        quick=quick,
        n_jobs=n_jobs,
        random_state=random_state,
        load_options={**(load_options or {}), **reading},
    )
    path = None if journal is None else Path(journal)
    if path is not None and path.is_dir():
        path = journal_file(path, asked)
    with closing(journal_of(path, asked)) as kept:
        if callable(progress):
            return Comparison(**vars(run(asked, kept, progress)))
        with progress_bar("comparing") if progress else nullcontext(say_nothing) as show:
            return Comparison(**vars(run(asked, kept, show)))
