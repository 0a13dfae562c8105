"""Label problems with what trips a measure: ties, an empty row, an empty label."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp


def problem(seed=0, n=40, q=7, tied=True):
    """Y, predicted sets and scores; row 0 has no label and no row has label 2."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, q)) < 0.4).astype(int)
    scores = 0.3 * Y + rng.random((n, q))
    if tied:
        scores = np.round(4 * scores) / 4
        scores[3] = 0.5
    sets = (scores >= 0.6).astype(int)
    Y[0] = sets[0] = 0
    Y[:, 2] = sets[:, 2] = 0
    assert tied == any(len(set(row)) < q for row in scores)
    return Y, sets, scores


FORMS = {
    "lists": lambda Y: Y.tolist(),
    "bool": lambda Y: Y.astype(bool),
    "int8": lambda Y: Y.astype(np.int8),
    "float": lambda Y: Y.astype(float),
    "signs": lambda Y: 2 * Y - 1,
    "csr_array": sp.csr_array,
    "csc_matrix": sp.csc_matrix,
    "coo bool": lambda Y: sp.coo_array(Y.astype(bool)),
    "explicit zeros": lambda Y: sp.csr_array(
        (Y.ravel(), np.tile(np.arange(Y.shape[1]), len(Y)), np.arange(len(Y) + 1) * Y.shape[1]),
        shape=Y.shape,
    ),
    "pandas": pd.DataFrame,
    "polars": lambda Y: pl.DataFrame(Y, schema=[f"tag{j}" for j in range(Y.shape[1])]),
}
