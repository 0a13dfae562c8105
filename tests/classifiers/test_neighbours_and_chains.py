"""ML-kNN against the formulas of Zhang and Zhou, ensembles of chains against chains."""

import checks
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.utils.estimator_checks import parametrize_with_checks

import colabel
from colabel.classifiers import ChainEnsemble, MLkNN

X, Y = make_multilabel_classification(90, 6, n_classes=4, random_state=1)
X = X + np.random.default_rng(0).uniform(0, 1e-3, X.shape)  # no two rows are as near to a third
X_NEW = X[60:]
X, Y = X[:60], Y[:60]


def nearest(x, rows, k):
    return np.argsort(np.linalg.norm(rows - x, axis=1))[:k]


def posterior(k, s):
    """Zhang and Zhou (2007), label by label, row by row."""
    n, q = Y.shape
    P = np.zeros((len(X_NEW), q))
    for label in range(q):
        prior = (s + Y[:, label].sum()) / (2 * s + n)
        with_it, without = np.zeros(k + 1), np.zeros(k + 1)
        for i in range(n):
            others = np.delete(np.arange(n), i)
            near = others[nearest(X[i], X[others], k)]
            (with_it if Y[i, label] else without)[Y[near, label].sum()] += 1
        for i, x in enumerate(X_NEW):
            c = Y[nearest(x, X, k), label].sum()
            one = prior * (s + with_it[c]) / (s * (k + 1) + with_it.sum())
            none = (1 - prior) * (s + without[c]) / (s * (k + 1) + without.sum())
            P[i, label] = one / (one + none)
    return P


@pytest.mark.parametrize(("k", "s"), [(5, 1.0), (10, 0.3)])
def test_ml_knn_is_the_papers(k, s):
    model = MLkNN(k, s).fit(X, Y)
    expected = posterior(k, s)
    assert_allclose(expit(model.decision_function(X_NEW)), expected, rtol=1e-10)
    assert_array_equal(model.predict(X_NEW), (expected > 0.5).astype(int))
    sparse = MLkNN(k, s).fit(sp.csr_array(X), Y)
    assert_allclose(sparse.decision_function(sp.csr_array(X_NEW)), logit(expected), rtol=1e-9)


def test_too_many_neighbours():
    with pytest.raises(ValueError, match="n_neighbors=60 needs more rows than"):
        MLkNN(60).fit(X, Y)


def test_an_ensemble_is_the_mean_of_its_chains():
    base = LogisticRegression(max_iter=1000)
    model = ChainEnsemble(base, 3, random_state=4).fit(X, Y)
    orders = {tuple(chain.order_) for chain in model.chains_}
    assert len(orders) == 3
    by_hand = [ClassifierChain(base, order=list(order)).fit(X, Y) for order in orders]
    expected = np.mean([chain.predict_proba(X_NEW) for chain in by_hand], axis=0)
    assert_allclose(expit(model.decision_function(X_NEW)), expected)


@pytest.mark.parametrize("hold", [colabel.factor, lambda X: colabel.row_blocks([X[:30], X[30:]])])
@pytest.mark.parametrize("model", [MLkNN(3), ChainEnsemble(LogisticRegression(), 2)])
def test_rows_that_are_not_in_one_array_are_refused(model, hold):
    name = type(model).__name__
    with pytest.raises(TypeError, match=f"{name} needs the rows themselves, in one array; got"):
        model.fit(hold(X), Y)


@parametrize_with_checks(
    [MLkNN(3), ChainEnsemble(LogisticRegression(max_iter=1000), 2, random_state=0)]
)
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
