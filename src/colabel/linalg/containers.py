"""From whatever holds the numbers to a data matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg.dense import DenseMatrix
from colabel.linalg.matrix import DataMatrix
from colabel.linalg.sparse import SparseMatrix


def canonical(X: Any) -> Any:
    """A sparse X that stores each entry once, in order: a copy if this one does not.

    A CSR or CSC matrix may hold an entry as several numbers that add up to it. Products do not
    mind, but squares, distances and norms of what is stored are wrong then.
    """
    if not (sp.issparse(X) and X.format in ("csr", "csc")) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def as_matrix(X: Any, mean: np.ndarray | None = None) -> DataMatrix:
    """The data matrix over whatever holds the numbers: the one place that looks at containers.

    A `mean` is given where X is a block of more rows and centred by theirs.
    """
    if isinstance(X, DataMatrix):
        return X
    return SparseMatrix(X, mean=mean) if sp.issparse(X) else DenseMatrix(X, mean=mean)
