"""Sparse labels give what dense ones give, and nothing as large as rows × labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from memory import peak_bytes
from sklearn.metrics import f1_score, get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import colabel
from colabel import LabelRidge, SharedSubspaceClassifier, ThresholdTuner, _bases
from colabel.linalg import small

FAMILY = [
    colabel.MDDMp(),
    colabel.OPLS(),
    colabel.LabelCCA(label_ridge=0.1),
    colabel.MLDA(weights="binary"),
    colabel.DMLDA(n_components=3),
    colabel.HypergraphSpectral(laplacian="zhou"),
]
CLASSIFIERS = [
    LabelRidge(),
    SharedSubspaceClassifier(n_components=3),
    ThresholdTuner(LabelRidge(), cv=2, random_state=0),
    ThresholdTuner(LabelRidge(), "top-k", k=2, cv=2, random_state=0),
]
# more labels than rows, than features, and than either
SIZES = [(60, 20, 12), (40, 15, 50), (30, 90, 40), (20, 10, 30)]
sizes = pytest.mark.parametrize("size", SIZES, ids=str)


def problem(n, d, q, entries=6, positives=3, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(sp.random(n, d, density=min(1.0, entries / d), random_state=rng))
    places = rng.integers(0, q, size=(n, positives))
    Y = sp.coo_array((np.ones(places.size), (np.repeat(np.arange(n), positives), places.ravel())))
    Y = sp.csr_array(Y, shape=(n, q))
    Y.data[:] = 1.0
    return X, Y


quietly = pytest.mark.filterwarnings("ignore:.*labels have:UserWarning")


@quietly
@sizes
@pytest.mark.parametrize("extractor", FAMILY, ids=lambda model: type(model).__name__)
def test_sparse_labels_give_the_directions_of_dense_ones(extractor, size):
    X, Y = problem(*size)
    sparse, dense = (extractor.__class__(**extractor.get_params()) for _ in range(2))
    sparse.fit(X, Y), dense.fit(X, Y.toarray())
    lam = dense.eigenvalues_
    assert sparse.n_components_ == dense.n_components_
    assert np.allclose(sparse.eigenvalues_, lam, rtol=1e-8, atol=1e-10 * lam[0])
    scores = [(model.transform(X) * np.sqrt(model.eigenvalues_)) for model in (sparse, dense)]
    outer = [Z @ Z.T for Z in scores]
    assert np.allclose(*outer, atol=1e-7 * np.abs(outer[1]).max())


@quietly
@sizes
@pytest.mark.parametrize("model", CLASSIFIERS, ids=["ridge", "subspace", "cuts", "top-k"])
def test_sparse_labels_give_the_predictions_of_dense_ones(model, size, monkeypatch):
    X, Y = problem(*size)
    dense = model.fit(X, Y.toarray())
    expected, scores = dense.predict(X), dense.decision_function(X)
    sparse = model.fit(X, Y)
    assert np.allclose(sparse.decision_function(X), scores, atol=1e-9)
    found = sparse.predict(X)
    assert sp.issparse(found)
    assert found.shape == Y.shape
    assert np.array_equal(found.toarray(), expected)
    monkeypatch.setattr(_bases, "SCORES_AT_A_TIME", 7 * Y.shape[1])
    for rows in (X, X.tocsc(), X.toarray()):
        assert np.array_equal(sparse.predict(rows).toarray(), expected)


def test_scikit_learn_judges_sparse_predictions():
    X, Y = problem(200, 30, 8)
    model = make_pipeline(MaxAbsScaler(), LabelRidge()).fit(X, Y)
    dense = make_pipeline(MaxAbsScaler(), LabelRidge()).fit(X, Y.toarray())
    expected = f1_score(Y.toarray(), dense.predict(X), average="micro", zero_division=0)
    assert f1_score(Y, model.predict(X), average="micro", zero_division=0) == expected
    for name in ("accuracy", "f1_samples"):
        score = get_scorer(name)
        assert score(model, X, Y) == score(dense, X, Y.toarray())


@quietly
@pytest.mark.parametrize("model", [LabelRidge(), colabel.OPLS(), colabel.MDDMp(n_components=5)])
def test_no_fit_is_as_large_as_rows_times_labels(model):
    n, d, q = 30_000, 40, 600
    X, Y = problem(n, d, q)
    peak = peak_bytes(lambda: model.fit(X, Y))
    assert peak < 8 * n * q / 5, f"{peak / 1e6:.0f} MB"


@quietly
def test_no_fit_is_as_large_as_labels_squared():
    n, d, q = 2_000, 30, 4_000
    X, Y = problem(n, d, q)
    for model in (LabelRidge(), colabel.MDDMp(n_components=5, solver="truncated")):
        peak = peak_bytes(lambda model=model: model.fit(X, Y))
        assert peak < 8 * q * q / 4, f"{peak / 1e6:.0f} MB"


@quietly
def test_predictions_are_made_some_rows_at_a_time(monkeypatch):
    n, d, q = 20_000, 30, 500
    X, Y = problem(n, d, q)
    model = LabelRidge().fit(X, Y)
    monkeypatch.setattr(_bases, "SCORES_AT_A_TIME", 2**18)
    peak = peak_bytes(lambda: model.predict(X))
    assert peak < 8 * n * q / 5, f"{peak / 1e6:.0f} MB"


@pytest.mark.parametrize("m", [1, 5, small.PANEL, 2 * small.PANEL + 3])
def test_cholesky_by_panels(m):
    rng = np.random.default_rng(m)
    A = rng.normal(size=(m, m + 5))
    B, F = A @ A.T + np.eye(m), rng.normal(size=(m, 3))
    factor = small.Cholesky.of(B.copy())
    L = np.tril(factor.L)
    assert np.allclose(L @ L.T, B, atol=1e-12 * np.abs(B).max())
    assert np.allclose(B @ factor.solve(F), F, atol=1e-9)
    assert np.allclose(B @ factor.solve(np.ones((m, 2), np.float32)), 1.0, atol=1e-9)
    assert np.allclose(L @ factor.forward(F.copy()), F, atol=1e-10)
    assert np.allclose(L.T @ factor.back(F.copy()), F, atol=1e-10)
    with pytest.raises(np.linalg.LinAlgError):
        small.Cholesky.of(-np.eye(m))
