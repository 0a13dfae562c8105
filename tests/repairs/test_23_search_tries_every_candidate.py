"""OutOfFoldSearch: candidates that print alike were one, and the last step got what it cannot take.

Long arrays and lists are abbreviated in print; kernels need rows, not factors, and some steps
give data frames.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from colabel import OPLS, LabelRidge, RankSVM
from colabel.tuning import OutOfFoldSearch, uncut_scores

RNG = np.random.default_rng(0)
D = 2000
X = RNG.normal(size=(60, D))
USED = np.arange(D) == 1000
Y = (X[:, USED] * [1, -1] + 0.01 * RNG.normal(size=(60, 2)) > 0).astype(int)


class Weighted(TransformerMixin, BaseEstimator):
    """Columns times weights; a fit leaves no trace."""

    def __init__(self, weights=1.0):
        self.weights = weights

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X * np.asarray(self.weights)


def weights():
    """Two arrays that print the same; the second shows the column that counts."""
    good, bad = USED.astype(float), np.zeros(D)
    bad[999] = 1.0
    assert repr(good) == repr(bad)  # to be sure
    return [bad, good]


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, tuple])
def test_candidates_that_print_alike_are_all_tried(kind):
    values = [kind(value) for value in weights()]
    model = Pipeline([("weigh", Weighted()), ("ridge", LabelRidge())])
    grid = {"weigh__weights": values, "ridge__alpha": [0.1, 1.0]}
    search = OutOfFoldSearch(model, grid, cv=3, random_state=0).fit(X, Y)
    tried = [candidate["weigh__weights"] for candidate in search.cv_results_["params"]]
    assert sorted(map(id, tried)) == sorted(map(id, values * 2))
    assert search.best_params_["weigh__weights"] is values[1]
    others = [value is not values[1] for value in tried]
    assert search.best_score_ > search.cv_results_["mean_test_score"][others].max() + 0.2


def test_so_are_estimators_that_print_alike_and_they_stay_unfitted():
    steps = [Weighted(value) for value in weights()]
    model = Pipeline([("weigh", Weighted()), ("opls", OPLS(1)), ("ridge", LabelRidge())])
    grid = {"weigh": steps, "opls": [OPLS(1)], "ridge__alpha": [1.0]}
    search = OutOfFoldSearch(model, grid, cv=3, random_state=0).fit(X, Y)
    assert len(search.cv_results_["params"]) == 2
    assert search.best_params_["weigh"] is steps[1]
    assert not hasattr(grid["opls"][0], "components_")


def test_equal_scalars_share_the_steps_before():
    fits = []

    class Counted(Weighted):
        def fit(self, X, y=None):
            fits.append(self.weights)
            return self

    model = Pipeline([("weigh", Counted()), ("ridge", LabelRidge())])
    grid = [
        {"weigh__weights": [1.0, 2.0], "ridge__alpha": [0.1, 1.0]},
        {"weigh__weights": [2.0], "ridge__alpha": [10.0]},
    ]
    search = OutOfFoldSearch(model, grid, cv=2, random_state=0).fit(X, Y)
    assert len(search.cv_results_["params"]) == 5
    assert sorted(fits[:4]) == [1.0, 1.0, 2.0, 2.0]
    assert len(fits) == 5  # the last of the best on all rows


SMALL = RNG.normal(size=(90, 6))
LABELS = (SMALL @ RNG.normal(size=(6, 3)) > 0).astype(int)


def by_itself(model, candidate, rows=SMALL):
    """Held-out scores of one candidate, each fold fitted by the pipeline as it is."""
    grid = {name: [value] for name, value in candidate.items()}
    search = OutOfFoldSearch(OneStep(model), {"model__" + k: v for k, v in grid.items()}, cv=3)
    return search.set_params(random_state=0).fit(rows, LABELS).best_score_


class OneStep(ClassifierMixin, BaseEstimator):
    """A pipeline that does not look like one."""

    def __init__(self, model=None):
        self.model = model

    def fit(self, X, Y):
        self.model.fit(X, Y)
        return self

    def decision_function(self, X):
        return self.model.decision_function(X)

    def uncut_scores(self, X):
        return uncut_scores(self.model, X)


@pytest.mark.parametrize(
    ("last", "grid"),
    [
        (RankSVM(kernel="rbf"), {"last__C": [0.1, 10.0]}),
        (RankSVM(), {"last__kernel": [None, "rbf", "linear"]}),
        (LabelRidge(), {"last__alpha": [0.1, 10.0]}),
        (OneVsRestClassifier(LogisticRegression()), {"last__estimator__C": [0.1, 10.0]}),
    ],
)
@pytest.mark.parametrize("output", ["default", "pandas"])
def test_every_last_step_gets_what_it_takes(last, grid, output):
    model = Pipeline([("scale", StandardScaler().set_output(transform=output)), ("last", last)])
    search = OutOfFoldSearch(model, grid, cv=3, random_state=0).fit(SMALL, LABELS)
    found = search.cv_results_
    for candidate, score in zip(found["params"], found["mean_test_score"], strict=True):
        assert score == pytest.approx(by_itself(model, candidate), abs=1e-6)
    assert search.predict(SMALL).shape == LABELS.shape


def test_a_whole_pipeline_set_to_pandas():
    model = make_pipeline(StandardScaler(), OPLS(2), LabelRidge())
    plain = OutOfFoldSearch(model, {"labelridge__alpha": [0.1, 10.0]}, cv=3, random_state=0)
    plain.fit(SMALL, LABELS)
    model.set_output(transform="pandas")
    framed = OutOfFoldSearch(model, {"labelridge__alpha": [0.1, 10.0]}, cv=3, random_state=0)
    framed.fit(SMALL, LABELS)
    assert_allclose(framed.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_steps_that_give_sparse_rows():
    counts = RNG.poisson(1.0, size=(90, 6))
    model = make_pipeline(TfidfTransformer(), LabelRidge())
    grid = {"labelridge__alpha": [0.1, 10.0]}
    search = OutOfFoldSearch(model, grid, cv=3, random_state=0).fit(sp.csr_array(counts), LABELS)
    for candidate, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        expected = by_itself(model, candidate, sp.csr_array(counts))
        assert score == pytest.approx(expected, abs=1e-6)


def test_sparse_labels_are_those_of_dense_ones():
    dense, sparse = (
        OutOfFoldSearch(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=3, random_state=0).fit(
            SMALL, given
        )
        for given in (LABELS, sp.csr_array(LABELS))
    )
    assert_array_equal(dense.predict(SMALL), sparse.predict(SMALL).toarray())


def test_labels_that_no_split_learns_are_cut_as_the_classifier_cuts_them():
    train = LABELS[:, 0] == 0
    search = OutOfFoldSearch(LabelRidge(), {}, cv=PredefinedSplit(np.where(train, -1, 0)))
    with pytest.warns(UserWarning, match="no threshold can be tuned"):
        search.fit(SMALL, LABELS)
    assert search.thresholds_[0] == 0.0
    assert np.isfinite(search.decision_function(SMALL)).all()
