"""Tuning holds what one candidate needs, and blocks of stated sizes, whatever is tried."""

import numpy as np
import pytest
import scipy.sparse as sp
from memory import peak_bytes

from colabel import LabelRidgeCV, SharedSubspaceClassifierCV
from colabel.linalg import matrix, products, turned
from colabel.tuning import cells, leave_one_out, sweep
from colabel.tuning.sweep import Parts

NUMBER = 8
PENALTIES = [10.0**i for i in range(-3, 3)]
#: Numbers in a block: far fewer than X has.
BLOCK = 2**15

each = pytest.mark.parametrize("kind", ["ridge", "shared"])


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(leave_one_out, "TOGETHER_BYTES", 1)
    monkeypatch.setattr(matrix, "COORDINATES", BLOCK)
    monkeypatch.setattr(turned, "BLOCK", BLOCK // 100)
    monkeypatch.setattr(sweep, "BLOCK", BLOCK)
    monkeypatch.setattr(cells, "KEPT_BYTES", 1)


def blocks():
    """What sorting takes: as many blocks as there are threads, in three arrays."""
    return 3 * NUMBER * BLOCK * products.thread_count()


def tuned(penalties, cv="loo"):
    return {
        "ridge": LabelRidgeCV(penalties, cv=cv, random_state=0),
        "shared": SharedSubspaceClassifierCV(penalties, penalties, cv=cv, random_state=0),
    }


def peak_of(model, X, Y):
    model.set_params(verbose=False).fit(X[:50], Y[:50])  # what is imported on the way counts not
    return peak_bytes(lambda: model.fit(X, Y))


def tall(n=20_000, d=100, q=6):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, :q] + rng.normal(size=(n, q)) > 0.5).astype(int)


@each
def test_dense_rows_are_not_copied(kind):
    """A candidate takes some arrays of the size of the scores, and X itself is left alone."""
    X, Y = tall()
    peak = peak_of(tuned(PENALTIES[::3])[kind], X, Y)
    assert peak < X.nbytes
    assert peak < 16 * NUMBER * Y.size + blocks()


@each
def test_more_candidates_take_a_number_a_row_and_penalty(kind):
    X, Y = tall(d=20)
    few, many = (peak_of(tuned(values)[kind], X, Y) for values in (PENALTIES[::3], PENALTIES))
    penalties = len(PENALTIES) if kind == "ridge" else len(PENALTIES) * (len(PENALTIES) + 1)
    assert many - few < NUMBER * len(X) * penalties + blocks()


@each
@pytest.mark.parametrize(
    ("n", "d", "cv"), [(250, 20_000, "loo"), (250, 20_000, 3), (20_000, 250, "loo")]
)
def test_sparse_rows_stay_sparse(kind, n, d, cv):
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=8 / d, format="csr", rng=rng)
    Y = rng.integers(0, 2, size=(n, 6))
    peak = peak_of(tuned(PENALTIES[::3], cv)[kind], X, Y)
    assert peak < NUMBER * n * d / 2
    assert peak < NUMBER * max(n, d) ** 2 / 100


def test_thresholds_are_found_in_blocks():
    n, q, count = 10_000, 100, 5
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(q, n))
    parts = Parts(rng.random((q, n)) < 0.2, np.arange(n) % count, count)
    parts.cut(scores, fbr=0.1)  # compiles
    peak = peak_bytes(lambda: parts.cut(scores, fbr=0.1))
    assert peak < blocks()
    assert peak < scores.nbytes
