"""Solutions that start from others are the solutions of the equations."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from colabel.linalg import descent, products
from colabel.linalg.containers import as_matrix

RNG = np.random.default_rng(0)
X = sp.random_array((90, 40), density=0.2, format="csr", rng=RNG)
F = RNG.normal(size=(40, 11))
F[:, 3] = 0.0


def solution(b):
    centred = X.toarray() - X.toarray().mean(axis=0)
    return np.linalg.solve(centred.T @ centred + b * np.eye(40), F)


@pytest.fixture(params=[True, False], ids=["compiled", "plain"])
def _loops(request, monkeypatch):
    limit = 0 if request.param else np.inf
    monkeypatch.setattr(products, "COMPILED_FROM", limit)


@pytest.mark.usefixtures("_loops")
@pytest.mark.parametrize("rows", [X, X.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize("labels", [8, 100])
@pytest.mark.parametrize("start", ["nothing", "near", "there"])
@pytest.mark.parametrize("tol", [1e-10, 1e-5, 1e-4])
def test_residuals(rows, labels, start, tol, monkeypatch):
    monkeypatch.setattr(descent, "BLOCK_BYTES", labels * 4 * 40)
    given = {"nothing": 0.0 * F, "near": solution(1.0), "there": solution(0.3)}[start]
    found = descent.descend(as_matrix(rows), F, 0.3, given, tol)
    assert found.dtype == (np.float64 if tol < 1e-4 else np.float32)
    centred = X.toarray() - X.toarray().mean(axis=0)
    residual = F - centred.T @ (centred @ found) - 0.3 * found
    rounding = 1e-6 if found.dtype == np.float32 else 0.0
    limit = (1.01 * tol + rounding) * np.linalg.norm(F, axis=0)
    assert np.all(np.linalg.norm(residual, axis=0) <= limit)
    if tol < 1e-6:
        assert_allclose(found, solution(0.3), atol=1e-8 * np.abs(F).max())


def test_blocks_cover_all_labels(monkeypatch):
    monkeypatch.setattr(descent, "BLOCK_BYTES", 20 * 4 * 40)
    parts = descent.label_blocks(40, 67)
    assert [i for part in parts for i in range(67)[part]] == list(range(67))
    sizes = [len(range(67)[part]) for part in parts]
    assert sizes == [24, 24, 19]  # of 20, at most half as many more, by the eight


def test_too_few_iterations_are_said(monkeypatch):
    monkeypatch.setattr(descent, "MAX_ITER", 2)
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        descent.descend(as_matrix(X), F, 1e-3, 0.0 * F, 1e-10)


@pytest.mark.parametrize("tol", [1e-10, 1e-4])
def test_features_that_no_row_has(tol):
    wide = sp.csr_array(sp.hstack([sp.csr_array((90, 20)), X, sp.csr_array((90, 5))]))
    at, zeros = slice(20, 60), np.zeros((65, 11))
    given, start = zeros.copy(), zeros + 1.0
    given[at] = F
    found = descent.descend(as_matrix(wide), given, 0.3, start, tol)
    assert_allclose(found[at], solution(0.3), atol=100 * tol * np.abs(F).max())
    assert not found[:20].any()
    assert not found[60:].any()


def test_column_scatter():
    centred = X.toarray() - X.toarray().mean(axis=0)
    assert_allclose(as_matrix(X).column_scatter, np.sum(centred**2, axis=0), atol=1e-12)
