"""Shrinkage of the scatter within classes, and a penalty for each label."""

import numpy as np
import pytest
import scipy.sparse as sp
import transcriptions as direct
from scipy import linalg
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import colabel
from colabel import MLDA, LabelRidge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 6)) @ RNG.normal(size=(6, 6))
Y = RNG.integers(0, 2, size=(50, 4))
FORMS = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "factored": colabel.factor,
    "blocks": lambda rows: colabel.row_blocks([rows[:20], rows[20:]]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", ["factor", "two-stage", "truncated"])
@pytest.mark.parametrize("shrinkage", [0.1, 0.5, 1.0])
def test_one_hot_labels_give_sklearns_discriminants(shrinkage, solver, form):
    flowers, y = load_iris(return_X_y=True)
    # solver="eigen" shrinks the scatter between classes too
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(flowers, y)
    model = MLDA(2, weights="binary", ridge=0.0, shrinkage=shrinkage, solver=solver)
    model.fit(FORMS[form](flowers), np.eye(3)[y])
    spanned = theirs.coef_ - theirs.coef_.mean(axis=0)
    assert np.linalg.matrix_rank(spanned) == 2
    left = spanned - spanned @ linalg.pinv(model.components_) @ model.components_
    assert np.abs(left).max() < 1e-8 * np.abs(spanned).max()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weights", ["binary", "correlation"])
@pytest.mark.parametrize("wide", [False, True])
def test_equals_the_transcription(weights, form, wide):
    rows = np.hstack([X, RNG.normal(size=(50, 60))]) if wide else X
    d = rows.shape[1]
    between, within = direct.mlda(rows, Y, weights=weights, ridge=0.0)
    B = 0.7 * within + 0.3 * np.trace(within) / d * np.eye(d) + 0.2 * np.eye(d)
    lam = linalg.eigh(between, B, eigvals_only=True)[::-1][:3]
    found = MLDA(3, weights=weights, ridge=0.2, shrinkage=0.3).fit(FORMS[form](rows), Y)
    np.testing.assert_allclose(found.eigenvalues_, lam, rtol=1e-9)
    P = found.components_
    np.testing.assert_allclose(P @ B @ P.T, np.eye(3), atol=1e-9)


def test_shrinkage_is_not_for_kernels():
    with pytest.raises(ValueError, match="under a kernel have none: use ridge"):
        MLDA(shrinkage=0.5, kernel="rbf").fit(X, Y)


@pytest.mark.parametrize("form", FORMS)
def test_a_penalty_for_each_label(form):
    alphas = [0.1, 1.0, 10.0, 0.0]
    model = LabelRidge(alphas).fit(FORMS[form](X), Y)
    for j, alpha in enumerate(alphas):
        alone = LabelRidge(alpha).fit(X, Y)
        np.testing.assert_allclose(model.coef_[j], alone.coef_[j], atol=1e-10)
        np.testing.assert_allclose(model.intercept_[j], alone.intercept_[j], atol=1e-10)


def test_penalties_of_labels_that_vary():
    constant = np.hstack([Y[:, :1], np.ones((50, 1)), Y[:, 1:]])
    with pytest.warns(UserWarning, match="only one value"):
        model = LabelRidge([0.1, 7.0, 1.0, 10.0, 3.0]).fit(X, constant)
    expected = LabelRidge([0.1, 1.0, 10.0, 3.0]).fit(X, Y).coef_
    np.testing.assert_allclose(model.coef_[[0, 2, 3, 4]], expected, atol=1e-12)


def test_penalties_in_parts():
    whole = LabelRidge([0.1, 1.0, 10.0, 3.0]).fit(X, Y)
    parts = (
        LabelRidge([0.1, 1.0, 10.0, 3.0]).partial_fit(X[:20], Y[:20]).partial_fit(X[20:], Y[20:])
    )
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-9)


def test_penalties_that_do_not_fit():
    with pytest.raises(ValueError, match="alpha has 2 values for 4 labels; give one for each"):
        LabelRidge([1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha must be a sequence of finite numbers ≥ 0"):
        LabelRidge([1.0, -2.0, 1.0, 1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="one penalty at a time"):
        LabelRidge([1.0] * 4, solver="two-stage").fit(X, Y)
