"""The rates that solvers are chosen by, measured here beside those that stand in cost.py."""

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import best_of, note, table
from colabel.linalg import cost, products, small
from colabel.linalg.containers import as_matrix

MEANING = {
    "DENSE_PRODUCT": "a dense Gram, 20,000×1000",
    "STREAM": "entries of a dense X, times a vector",
    "CHOLESKY": "a Cholesky factorisation, of m³/3, m = 3000",
    "EIGH": "all eigenpairs, of 9m³, m = 1500",
    "SPARSE_PRODUCT": "a sparse X times 100 columns, and Xᵀ times the result",
    "SCATTERED": "a sparse Gram, of pairs of entries that meet",
    "NARROW_PRODUCT": "a dense basis times 20 columns",
    "VECTOR": "passes over blocks of vectors",
}
#: How far from the others the ratio of one may be, before it is said.
DRIFT = 2.0


def texts(n=6000, d=50_000, words=100):
    """Rows of words as frequent as Zipf's law has them."""
    rng = np.random.default_rng(0)
    share = np.cumsum(1.0 / np.arange(1, d + 1))
    found = np.searchsorted(share, share[-1] * rng.random(n * words))
    X = sp.coo_array((np.ones(n * words), (np.repeat(np.arange(n), words), found)), (n, d))
    return X.tocsr()


def rate(work, function):
    function()  # compiles, or reads what is compiled
    return work / best_of(function, 5)[0]


def rates():
    """Operations a second, by the name of the constant."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 1000))
    dense, v = as_matrix(X), rng.normal(size=(1000, 1))
    A = rng.normal(size=(3000, 3000))
    G = A @ A.T + 3000 * np.eye(3000)
    words = as_matrix(texts())
    V = rng.normal(size=(words.shape[0], 100))
    basis, narrow = rng.normal(size=(8000, 400)), rng.normal(size=(400, 20))
    W, D = rng.normal(size=(2, 20_000, 100))

    def add():
        products.centre(W, D[:, 0], D[0])

    return {
        "DENSE_PRODUCT": rate(len(X) * 1000**2, dense.gram),
        "STREAM": rate(X.size, lambda: dense.dot(v)),
        "CHOLESKY": rate(3000**3 / 3, lambda: small.Cholesky.of(G.copy())),
        "EIGH": rate(9 * 1500**3, lambda: small.eigh(G[:1500, :1500])),
        "SPARSE_PRODUCT": rate(2 * words.nnz * 100, lambda: words.outer_dot(V)),
        "SCATTERED": rate(words.pairs, words.outer),
        "NARROW_PRODUCT": rate(basis.size * 20, lambda: basis @ narrow),
        "VECTOR": rate(2 * W.size, add),
    }


def run():
    found = rates()
    ratios = {name: rate / getattr(cost, name) for name, rate in found.items()}
    # a machine that is faster in everything makes the same choices
    typical = float(np.median(list(ratios.values())))
    for name, ratio in ratios.items():
        off = max(ratio / typical, typical / ratio)
        if off > DRIFT:
            note(f"cost.{name} is {off:.1f} times off beside the others: {found[name]:.1e} here")
    rows = [
        (name, MEANING[name], f"{rate:.1e}", f"{getattr(cost, name):.1e}", f"{ratios[name]:.2f}")
        for name, rate in found.items()
    ]
    return (
        "Operations a second; `src/colabel/linalg/cost.py` holds the second figure. Only ratios "
        f"between the constants change a choice; one that is more than {DRIFT:g} times off beside "
        "the others is named at the end of a run.\n\n"
        + table(("constant", "of", "here", "in cost.py", "ratio"), rows)
    )


if __name__ == "__main__":
    print(run())
