"""What people really pass in: each gives one clear error, or the sensible result."""

import pickle
import tracemalloc
from functools import cache

import bad_input as forms
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from partly_labelled import hidden, topics
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import colabel
from colabel.semi_supervised import CNMF, SGT, LabelledOnly

X0, Y0, MASK = topics()
LABELS = hidden(Y0, MASK)
EACH = pytest.mark.parametrize(
    "estimator",
    [
        CNMF(random_state=0),
        CNMF(similarity="knn", init="knn-propagation", random_state=0),
        SGT(8, 10),
        LabelledOnly(),
    ],
    ids=["CNMF", "CNMF on a graph", "SGT", "LabelledOnly"],
)


def broken(value):
    X = X0.copy()
    X[3, 2] = value
    return X


BAD_X = {
    "nan": (broken(np.nan), "NaN"),
    "inf": (broken(np.inf), "infinity"),
    "sparse nan": (sp.csr_array(broken(np.nan)), "NaN"),
    "one row": (X0[:1], "1 sample"),
    "no columns": (X0[:, :0], "0 feature"),
    "1-D": (X0[:, 0], "Expected 2D array"),
    "text": (X0.astype(str).astype(object) + "x", "could not convert|convert string"),
    "complex": (X0 + 1j, "Complex data"),
}


@EACH
@pytest.mark.parametrize("bad", BAD_X)
def test_bad_x(estimator, bad):
    X, message = BAD_X[bad]
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, LABELS[: X.shape[0]])


def asymmetric(X):
    A = rbf_kernel(X)
    A[0, 1] += 0.5
    return A


BAD_PARAMETERS = [
    (CNMF(C=-1), "'C' parameter of CNMF.*Got -1"),
    (CNMF(similarity="magic"), "'similarity' parameter of CNMF.*Got 'magic'"),
    (CNMF(class_similarity="magic"), "'class_similarity' parameter.*Got 'magic'"),
    (CNMF(class_similarity=np.eye(4)), r"each of the 5 labels; got the shape \(4, 4\)"),
    (CNMF(class_similarity=-np.eye(5)), "symmetric, finite and ≥ 0; the smallest value is -1"),
    (CNMF(class_similarity=np.triu(np.ones((5, 5)))), "differs from its transpose by 1"),
    (CNMF(n_neighbors=0), "'n_neighbors' parameter.*Got 0"),
    (CNMF(max_iter=0), "'max_iter' parameter.*Got 0"),
    (CNMF(tol=-1e-3), "'tol' parameter.*Got -0.001"),
    (CNMF(init="magic"), "'init' parameter of CNMF must be one of 'propagation'.*Got 'magic'"),
    (CNMF(init=3), "'init' parameter of CNMF.*Got 3"),
    (CNMF(init=np.ones((60, 4))), r"each of 5 labels. Got the shape \(60, 4\)"),
    (CNMF(init=-np.ones((60, 5))), "finite and ≥ 0; the smallest is -1"),
    (CNMF(init=np.full((60, 5), np.nan)), "finite and ≥ 0"),
    (CNMF(cv=1), "'cv' parameter.*Got 1"),
    (CNMF(n_iter_no_change=0), "'n_iter_no_change' parameter.*Got 0"),
    (CNMF(similarity=lambda A, B: -rbf_kernel(A, B)), "Negative.*smallest is -1"),
    (CNMF(similarity=lambda A, B: rbf_kernel(A, B)[:, :3]), r"square; got the shape \(60, 3\)"),
    (CNMF(similarity=lambda A, B: asymmetric(A)), r"symmetric.*differ by 0.5.*\(A \+ A.T\) / 2"),
    (SGT(n_neighbors=0), "'n_neighbors' parameter of SGT.*Got 0"),
    (SGT(n_eigenvectors=0), "'n_eigenvectors' parameter of SGT.*Got 0"),
    (SGT(c=0.0), "'c' parameter of SGT.*Got 0.0"),
    (SGT(similarity="cosine"), "'similarity' parameter of SGT.*Got 'cosine'"),
    (SGT(spectrum="none"), "'spectrum' parameter of SGT.*Got 'none'"),
]


@pytest.mark.parametrize(("model", "message"), BAD_PARAMETERS, ids=lambda p: str(p)[:40])
def test_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X0, LABELS)


def test_negative_features_are_refused_by_the_cosine_alone():
    X = X0 - 2.5
    for container in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match=r"Negative values.*'cosine'.*has -2.5.*'knn'"):
            CNMF().fit(container(X), LABELS)
        model = CNMF(random_state=0).fit(container(X0), LABELS)
        with pytest.raises(ValueError, match="Negative values"):
            model.predict(container(X))
    for similarity in ("knn", "rbf-knn"):
        assert np.isfinite(CNMF(similarity=similarity).fit(X, LABELS).label_scores_).all()


def test_a_factored_matrix_is_refused_where_rows_are_compared():
    for model in (CNMF(), SGT()):
        with pytest.raises(TypeError, match="FactoredMatrix does not hold; pass the array"):
            model.fit(colabel.factor(X0), LABELS)


def test_rows_on_a_cluster_are_refused_where_rows_are_compared():
    rows = pytest.importorskip("dask.array").from_array(X0, chunks=(20, -1))
    for model in (CNMF(), SGT()):
        with pytest.raises(TypeError, match=r"needs them in one place; pass X\.compute\(\)"):
            model.fit(rows, LABELS)


def test_new_rows_of_a_precomputed_similarity_have_a_column_a_fitted_row():
    A = rbf_kernel(X0)
    model = CNMF(similarity="precomputed", random_state=0).fit(A, LABELS)
    assert model.predict(A[:3]).shape == (3, 5)
    with pytest.raises(ValueError, match="60 features"):
        model.predict(A[:, :10])


@EACH
def test_not_fitted(estimator):
    for call in ("predict", "decision_function", "rank_labels", "predict_top_k"):
        with pytest.raises(NotFittedError):
            getattr(type(estimator)(), call)(X0)


DATA_FORMS = forms.DATA_FORMS | {"csr matrix": sp.csr_matrix, "int8": lambda X: X.astype(np.int8)}


@cache
def usual(estimator):
    """Scores of the fitted rows and decisions, where these are an array."""
    model = clone(estimator).fit(X0, LABELS)
    return model.label_scores_, model.decision_function(X0)


@EACH
@pytest.mark.parametrize("form", DATA_FORMS)
def test_forms_of_data(estimator, form):
    expected, decisions = usual(estimator)
    given = DATA_FORMS[form](X0)
    model = estimator.fit(given, LABELS)
    assert_allclose(model.label_scores_, expected, atol=1e-7)
    assert_allclose(model.decision_function(given), decisions, atol=1e-7)


@EACH
def test_arguments_are_not_changed(estimator):
    X, Y, S = X0.copy(), LABELS.copy(), sp.csr_array(X0)
    parts = S.data.copy(), S.indices.copy(), S.indptr.copy()
    estimator.fit(X, Y).predict(X)
    estimator.fit(S, Y).predict(S)
    assert_array_equal(X, X0)
    assert_array_equal(Y, LABELS)
    for part, before in zip((S.data, S.indices, S.indptr), parts, strict=True):
        assert_array_equal(part, before)


@EACH
def test_pickles_predict_the_same(estimator):
    model = estimator.fit(X0, LABELS)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.decision_function(X0), model.decision_function(X0), atol=1e-12)


@EACH
@pytest.mark.filterwarnings("ignore:.*predicted constant")
def test_extremes(estimator):
    one_row = np.arange(60) == MASK.argmax()
    many = np.random.default_rng(0).integers(0, 2, size=(60, 90))
    constant, twice = np.ones_like(X0), np.repeat(X0[:30], 2, axis=0)
    two_rows = X0[:2], np.array([[1, 0], [0, 1]])
    cases = [(X0, Y0, one_row), (X0, many, MASK), (constant, Y0, MASK), (twice, Y0, MASK)]
    cases += [(*two_rows, None), (two_rows[0], two_rows[1], np.array([True, False]))]
    for X, Y, labelled in cases:
        model = estimator.fit(X, Y, labelled=labelled)
        assert np.all(np.isfinite(model.label_scores_))
        assert np.all(np.isfinite(model.decision_function(X)))
        assert model.transduction_.shape == Y.shape


@EACH
def test_rows_without_labels(estimator):
    Y = Y0.copy()
    Y[np.flatnonzero(MASK)[:10]] = 0
    model = estimator.fit(X0, hidden(Y, MASK))
    assert np.all(np.isfinite(model.label_scores_))
    assert_array_equal(model.transduction_[MASK], Y[MASK])


@pytest.mark.filterwarnings("ignore:CNMF stopped")
@pytest.mark.parametrize("early_stopping", [False, True])
def test_the_cosine_forms_no_matrix_of_rows_or_of_features(early_stopping):
    rng = np.random.default_rng(0)
    n, d, q = 8_000, 9_000, 6
    X = sp.random_array((n, d), density=8 / d, rng=rng, format="csr")
    Y = rng.integers(0, 2, size=(n, q))
    labelled = np.arange(n) < 200
    model = CNMF(early_stopping=early_stopping, max_iter=5, random_state=0)
    tracemalloc.start()
    model.fit(X, Y, labelled=labelled).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * d / 5, f"{peak / 1e6:.0f} MB"
