"""What a person does with an extractor besides fitting it."""

import numpy as np
import pandas as pd
import polars as pl
import problems
import pytest
import scipy.sparse as sp
from methods import CASES, ONE_EACH
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import colabel

each = pytest.mark.parametrize("case", ONE_EACH, ids=str)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("share", [0.3, 0.8, 0.999])
def test_share_keeps_the_smallest_sufficient_number(case, share):
    X, Y = problems.make("tall")
    all_of_them = case.make().fit(X, Y).eigenvalues_
    model = case.make(n_components=share).fit(X, Y)
    k = model.n_components_
    assert all_of_them[:k].sum() >= share * all_of_them.sum()
    assert all_of_them[: k - 1].sum() < share * all_of_them.sum()


@each
def test_transform_is_the_projection_of_the_contract(case):
    X, Y = problems.make("wide")
    model = case.make(n_components=3).fit(X, Y)
    expected = (X - model.mean_) @ model.components_.T
    assert_allclose(model.transform(X), expected, atol=1e-10)
    assert_allclose(model.transform(sp.csr_array(X)), expected, atol=1e-10)
    assert_allclose(model.transform(colabel.factor(X)), expected, atol=1e-8)
    assert_allclose(case.make(n_components=3).fit_transform(X, Y), expected, atol=1e-10)


@each
def test_inverse_transform_is_a_right_inverse_of_minimum_norm(case):
    X, Y = problems.make("tall")
    model = case.make(n_components=3).fit(X, Y)
    Z = model.transform(X)
    back = model.inverse_transform(Z)
    assert back.shape == X.shape
    assert_allclose(model.transform(back), Z, atol=1e-8)
    expected = Z @ np.linalg.pinv(model.components_.T) + model.mean_
    assert_allclose(back, expected, atol=1e-8)


def test_inverse_transform_reconstructs_what_pca_keeps():
    X, _ = problems.make("rank-deficient wide")
    model = colabel.PCA().fit(X)
    assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-10)


def test_inverse_transform_names_a_wrong_width():
    X, _ = problems.make("tall")
    with pytest.raises(ValueError, match=r"5 columns.*n_components_=2"):
        colabel.PCA(2).fit(X).inverse_transform(X[:, :5])


@each
def test_names_and_set_output(case):
    X, Y = problems.make("tall")
    frame = pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])
    labels = pd.DataFrame(Y, columns=["sea", "sky", "sand", "sun", "surf"])
    model = case.make(n_components=2).set_output(transform="pandas").fit(frame, labels)
    name = type(model).__name__.lower()
    assert list(model.transform(frame).columns) == [f"{name}0", f"{name}1"]
    assert list(model.feature_names_in_) == list(frame.columns)
    if case.estimator is not colabel.PCA:
        assert list(model.label_names_) == list(labels.columns)
        assert list(case.make().fit(X, pl.DataFrame(labels.to_dict("list"))).label_names_) == list(
            labels.columns
        )
    polars = case.make(n_components=2).set_output(transform="polars").fit(X, Y).transform(X)
    assert isinstance(polars, pl.DataFrame)


@each
def test_signs_are_fixed(case):
    X, Y = problems.make("wide")
    for solver in case.solvers:
        P = case.make(n_components=3, solver=solver, random_state=0).fit(X, Y).components_
        largest = np.argmax(np.abs(P), axis=1)
        assert np.all(P[np.arange(3), largest] > 0)


@each
def test_in_a_pipeline_and_a_grid_search(case):
    X, Y = problems.make("tall")
    pipeline = make_pipeline(case.make(), LinearRegression())
    grid = {f"{type(case.make()).__name__.lower()}__n_components": [1, 2]}
    assert GridSearchCV(pipeline, grid, cv=3).fit(X, Y).best_score_ <= 1


@each
@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_cross_validation_on_a_factored_matrix(case, kind):
    """scikit-learn's splitters take rows of it, and the scores are those of the data."""
    X, Y = problems.make(kind)
    pipeline = make_pipeline(case.make(n_components=2), LinearRegression())
    plain = cross_val_score(pipeline, X, Y, cv=3)
    factored = cross_val_score(pipeline, colabel.factor(sp.csr_array(X)), Y, cv=3)
    assert_allclose(factored, plain, rtol=1e-6)


def test_solver_and_seed_of_truncated_are_reproducible():
    X, Y = problems.make("tall")
    models = [colabel.MVMD(3, solver="truncated", random_state=7).fit(X, Y) for _ in range(2)]
    assert_allclose(models[0].components_, models[1].components_, rtol=1e-12)
