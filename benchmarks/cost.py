"""The rates that solvers are chosen by, measured here beside those that stand in cost.py."""

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import best_of, table
from colabel.linalg import cost, products, small
from colabel.linalg.containers import as_matrix

MEANING = {
    "DENSE_PRODUCT": "a dense Gram",
    "STREAM": "entries of a dense X, times a vector",
    "CHOLESKY": "a Cholesky factorisation, of m³/3",
    "EIGH": "all eigenpairs, of 9m³",
    "SPARSE_PRODUCT": "a sparse X times 100 columns",
    "SCATTERED": "a sparse Gram, of nnz²/max(n, d)",
    "NARROW_PRODUCT": "a dense basis times 20 columns",
    "VECTOR": "adding vectors",
}


def rate(work, function):
    function()  # compiles, or reads what is compiled
    return work / best_of(function, 5)[0]


def rates():
    """Operations a second, by the name of the constant."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 1000))
    dense, v = as_matrix(X), rng.normal(size=(1000, 1))
    G = dense.gram()
    sparse = sp.random_array((20_000, 4000), density=0.005, format="csr", rng=rng)
    columns, V = sparse.T.tocsr(), rng.normal(size=(4000, 100))
    basis, narrow = rng.normal(size=(8000, 400)), rng.normal(size=(400, 20))
    W, D = rng.normal(size=(2, 20_000, 100))

    def add():
        np.add(W, D, out=W)

    return {
        "DENSE_PRODUCT": rate(8000 * 1000**2, dense.gram),
        "STREAM": rate(X.size, lambda: dense.dot(v)),
        "CHOLESKY": rate(1000**3 / 3, lambda: small.cholesky_solver(G)),
        "EIGH": rate(9 * 1000**3, lambda: small.eigh(G)),
        "SPARSE_PRODUCT": rate(sparse.nnz * 100, lambda: products.dot(sparse, V)),
        "SCATTERED": rate(sparse.nnz**2 / 20_000, lambda: products.outer(columns, sparse)),
        "NARROW_PRODUCT": rate(basis.size * 20, lambda: basis @ narrow),
        "VECTOR": rate(W.size, add),
    }


def run():
    rows = [
        (
            name,
            MEANING[name],
            f"{found:.1e}",
            f"{getattr(cost, name):.0e}",
            f"{found / getattr(cost, name):.1f}",
        )
        for name, found in rates().items()
    ]
    return (
        "Operations a second; `src/colabel/linalg/cost.py` holds the second figure. Only ratios "
        "between the constants change a choice.\n\n"
        + table(("constant", "of", "here", "in cost.py", "ratio"), rows)
    )


if __name__ == "__main__":
    print(run())
