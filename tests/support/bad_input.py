"""What people really pass in: what is refused, and the forms that are taken."""

import numpy as np
import pandas as pd
import polars as pl
import problems
import scipy.sparse as sp


def data():
    X, Y = problems.make("tall")
    return X, Y


def broken(X, value):
    X = X.copy()
    X[3, 2] = value
    return X


X0, Y0 = data()
BAD_X = {
    "nan": (broken(X0, np.nan), "NaN"),
    "inf": (broken(X0, np.inf), "infinity"),
    "sparse nan": (sp.csr_array(broken(X0, np.nan)), "NaN"),
    "one row": (X0[:1], "1 sample"),
    "no rows": (X0[:0], "0 sample"),
    "no columns": (X0[:, :0], "0 feature"),
    "1-D": (X0[:, 0], "Expected 2D array"),
    "3-D": (X0[:, :, None], "3"),
    "text": (X0.astype(str).astype(object) + "x", "could not convert|convert string"),
    "complex": (X0 + 1j, "Complex data"),
    "constant": (np.ones_like(X0), "no direction has a positive eigenvalue"),
}
BAD_Y = {
    "missing": (None, "requires y to be passed"),
    "inf": (broken(Y0.astype(float), np.inf), "infinity"),
    "three": (broken(Y0, 3), "only 0 and 1.*found 3"),
    "a half": (broken(Y0.astype(float), 0.5), "only 0 and 1.*found 0.5"),
    "-1, 0 and 1": (broken(Y0, -1), "only 0 and 1.*found -1.*unlabelled"),
    "too short": (Y0[:-1], "inconsistent numbers of samples"),
    "no labels at all": (Y0[:, :0], "shape"),
    "all labels empty": (np.zeros_like(Y0), "no row has any of the 5 labels"),
    "strings": (np.where(Y0, "yes", "no"), "MultiLabelBinarizer"),
    "ragged": ([[1, 0]] * 3 + [[1]] * (len(Y0) - 3), "MultiLabelBinarizer"),
    "a tag beside lists": ([["a", "b"]] * 3 + ["c"] * (len(Y0) - 3), "row 3 is 'c'"),
    "continuous": (X0[:, 0], "Unknown label type: continuous"),
    "3-D": (np.zeros((len(Y0), 2, 2)), "shape"),
}


LABEL_FORMS = {
    "int8": lambda Y: Y.astype(np.int8),
    "uint8": lambda Y: Y.astype(np.uint8),
    "bool": lambda Y: Y.astype(bool),
    "plus-minus one": lambda Y: 2 * Y - 1,
    "float32": lambda Y: Y.astype(np.float32),
    "lists": lambda Y: Y.tolist(),
    "fortran": np.asfortranarray,
    "not contiguous": lambda Y: np.repeat(Y, 2, axis=0)[::2],
    "csr": sp.csr_array,
    "csc matrix": sp.csc_matrix,
    "coo bool": lambda Y: sp.coo_array(Y.astype(bool)),
    "lil": sp.lil_array,
    "dok": sp.dok_array,
    "csr plus-minus one": lambda Y: sp.csr_array(2 * Y - 1),
    "explicit zeros": lambda Y: sp.csr_array(
        (Y.ravel().astype(float), np.tile(np.arange(5), len(Y)), np.arange(0, Y.size + 1, 5))
    ),
    "pandas": lambda Y: pd.DataFrame(Y),
    "pandas bool": lambda Y: pd.DataFrame(Y.astype(bool)),
    "polars": lambda Y: pl.DataFrame(Y, schema=list("abcde")),
}
DATA_FORMS = {
    "lists": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "not contiguous": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed": lambda X: X[::-1][::-1],
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "coo": sp.coo_matrix,
    "bsr": sp.bsr_array,
    "dia": sp.dia_array,
    "lil": sp.lil_matrix,
    "dok": sp.dok_array,
    "pandas": lambda X: pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame(X, schema=[f"f{i}" for i in range(X.shape[1])]),
}


def int64_indices(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def readonly(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def readonly_csr(X):
    X = sp.csr_array(X)
    for part in (X.data, X.indices, X.indptr):
        part.setflags(write=False)
    return X


DATA_FORMS |= {"int64 indices": int64_indices, "read-only": readonly, "read-only csr": readonly_csr}
LABEL_FORMS |= {"read-only": readonly, "read-only csr": readonly_csr, "int64": int64_indices}
