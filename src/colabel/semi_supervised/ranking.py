"""Evaluation as in Liu, Jin & Yang (2006): measures at every rank, over random labelled sets."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from colabel._indicator import LabelMatrix
from colabel._parameters import Seed
from colabel._rows import Rows
from colabel._terminal import markdown_table, progress
from colabel.metrics import f1_at, precision_at, recall_at
from colabel.semi_supervised.transducer import Transducer

MEASURES = {"precision": precision_at, "recall": recall_at, "F1": f1_at}


@dataclass(frozen=True)
class RankingCurves:
    """Micro-averaged measures when each row is given its k highest-scored labels.

    Attributes
    ----------
    ranks : ndarray of shape (K,)
        k = 1, …, K.
    values : dict of dict of ndarray of shape (n_splits, K)
        ``values[measure][method]``, the measures being "precision", "recall" and "F1".

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.semi_supervised import RankingCurves
    >>> splits = np.array([[0.3, 0.2], [0.4, 0.3]])
    >>> curves = RankingCurves(np.array([1, 2]), 100, {"recall": {"SGT": splits}})
    >>> curves.mean("recall", "SGT")
    array([0.35, 0.25])
    >>> print(curves.to_markdown())
    | recall at rank | 1         | 2         |
    |----------------|-----------|-----------|
    | SGT            | **0.350** | **0.250** |
    """

    ranks: np.ndarray
    n_labelled: int
    values: Mapping[str, Mapping[str, np.ndarray]]

    def mean(self, measure: str, method: str) -> np.ndarray:
        """The mean over splits at each rank."""
        return self.values[measure][method].mean(axis=0)

    def deviation(self, measure: str, method: str) -> np.ndarray:
        """The standard deviation over splits at each rank."""
        return self.values[measure][method].std(axis=0)

    def to_markdown(self) -> str:
        """A table a measure: a row a method, a column a rank; the highest of each rank is bold."""
        return "\n\n".join(map(self._table, self.values))

    def _table(self, measure: str) -> str:
        means = {name: self.mean(measure, name).round(3) for name in self.values[measure]}
        best = np.max(list(means.values()), axis=0)
        rows = [
            [
                name,
                *(
                    f"**{x:.3f}**" if x == top else f"{x:.3f}"
                    for x, top in zip(mean, best, strict=True)
                ),
            ]
            for name, mean in means.items()
        ]
        return markdown_table([f"{measure} at rank", *self.ranks], rows)


def evaluate_ranking(
    estimators: Mapping[str, Any],
    X: Rows,
    Y: LabelMatrix,
    *,
    n_labelled: int,
    n_splits: int = 10,
    max_rank: int = 15,
    random_state: Seed = None,
    verbose: bool = False,
) -> RankingCurves:
    """Rank the labels of unlabelled rows, over random choices of which rows are labelled.

    Parameters
    ----------
    estimators : mapping of str to estimator
        Classifiers of this package, by name.
    X : array or sparse array of shape (n, d)
    Y : array or sparse array of shape (n, q)
        Labels of all rows.
    n_labelled : int
        How many rows are labelled in a split; the measures are those of the others.
    n_splits : int, default=10
        The same splits for all estimators.
    max_rank : int, default=15
        The highest k, at most the number of labels.
    random_state : int, RandomState or None, default=None
        Chooses the splits.
    verbose : bool, default=False
        Whether to show a progress bar.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.semi_supervised import SGT, LabelledOnly, evaluate_ranking
    >>> X, Y = make_multilabel_classification(60, allow_unlabeled=False, random_state=0)
    >>> curves = evaluate_ranking(
    ...     {"ridge": LabelledOnly(), "SGT": SGT(n_neighbors=10)},
    ...     X, Y, n_labelled=30, n_splits=2, max_rank=3, random_state=0,
    ... )
    >>> curves.values["recall"]["SGT"].shape
    (2, 3)
    """
    n, q = np.shape(Y)
    if not 0 < n_labelled < n:
        raise ValueError(
            f"n_labelled={n_labelled} must be at least 1 and less than the number of rows, {n}"
        )
    rng = check_random_state(random_state)
    masks = [np.isin(np.arange(n), rng.permutation(n)[:n_labelled]) for _ in range(n_splits)]
    ranks = np.arange(1, min(max_rank, q) + 1)
    values: dict[str, dict[str, np.ndarray]] = {
        measure: {name: np.empty((n_splits, len(ranks))) for name in estimators}
        for measure in MEASURES
    }
    runs = [(split, name) for split in range(n_splits) for name in estimators]
    for split, name in progress(runs, total=len(runs), description="ranking", enabled=verbose):
        mask = masks[split]
        with warnings.catch_warnings():
            # a label without a labelled row is part of what is measured
            warnings.filterwarnings("ignore", ".*(predicted constant|no positive row).*")
            model = clone(estimators[name]).fit(X, Y, labelled=mask)
        # of a classifier inside that cuts its scores, those before it does
        uncut = isinstance(model, Transducer)
        scores = model._scores_to_rank(None) if uncut else model.label_scores_
        for measure, at in MEASURES.items():
            values[measure][name][split] = at(Y[~mask], scores[~mask], ranks)
    return RankingCurves(ranks, n_labelled, values)
