"""The papers' baselines, tuned as the papers tune them."""

from typing import Any, Literal, Self

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

from colabel._labels import Labels
from colabel._parameters import Folds, Scoring
from colabel._rows import Rows
from colabel._sklearn import fit_context
from colabel.metrics import get_scorer
from colabel.tuning.edges import bounds_of, open_ends, warn_of_ends
from colabel.tuning.thresholds import ThresholdTuner

_RIDGES = [10.0**i for i in range(-6, 2)]
_COSTS = [10.0**i for i in range(-5, 6)]
#: What Ji et al. (2008) try for each baseline, by the steps of its pipeline; for the baselines that
#: they do not have, the same ridges and costs.
GRIDS = {
    "cca": {"ridge": _RIDGES},
    "hypergraph": {"ridge": _RIDGES},
    "ridge": {"alpha": [10.0**i for i in range(-6, 1)]},
    "svm": {"estimator__C": _COSTS},
    "lda_svm": {"estimator__lda__ridge": _RIDGES, "estimator__svm__C": _COSTS},
}


def make_search(
    pipeline: Pipeline,
    *,
    cv: Folds = 5,
    scoring: Scoring = "f1_macro",
    thresholds: Literal["train", "out-of-fold"] | None = "train",
    n_jobs: int | None = None,
) -> GridSearchCV:
    """A baseline with its parameters and thresholds tuned as the papers tune them.

    Parameters
    ----------
    pipeline : Pipeline
        Of :mod:`colabel.classifiers`; what is tried for each step is in `GRIDS`.
    cv : int, splitter or iterable, default=5
    scoring : str or callable, default="f1_macro"
        A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn.
    thresholds : {"train", "out-of-fold", None}, default="train"
        Whether each label's threshold is tuned for F1, on the scores of the training rows or on
        out-of-fold ones.
    n_jobs : int or None, default=None

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel.classifiers import cca_ridge
    >>> from colabel.tuning import make_search
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> search = make_search(cca_ridge(), cv=2).fit(X, Y)
    >>> sorted(search.best_params_)
    ['estimator__cca__ridge', 'estimator__ridge__alpha']
    """
    prefix, model = "", pipeline
    if thresholds is not None:
        folds = "train" if thresholds == "train" else 5
        prefix, model = "estimator__", ThresholdTuner(pipeline, cv=folds, random_state=0)
    grid = {
        f"{prefix}{step}__{name}": values
        for step in pipeline.named_steps
        for name, values in GRIDS[step].items()
    }
    return TunedBaseline(model, grid, cv=cv, scoring=get_scorer(scoring), n_jobs=n_jobs)


class TunedBaseline(GridSearchCV):
    """scikit-learn's search, which says where the best is at the edge of its grid.

    Examples
    --------
    >>> from colabel.classifiers import linear_svm
    >>> from colabel.tuning import make_search
    >>> make_search(linear_svm(), cv=2).cv
    2
    """

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Rows, y: Labels = None, **params: Any) -> Self:
        """Try every candidate, and fit the best on all rows.

        Parameters
        ----------
        X : array or sparse array of shape (n, d)
        y : array or sparse array of shape (n, q)
        **params
            As of scikit-learn's GridSearchCV.
        """
        check_array(X, accept_sparse=True)  # or every fit would fail by itself
        super().fit(X, y, **params)
        scores = self.cv_results_["mean_test_score"]
        ends = open_ends(
            self.cv_results_["params"], scores, lambda name: bounds_of(self.estimator, name)
        )
        warn_of_ends(ends, stacklevel=2)
        return self
