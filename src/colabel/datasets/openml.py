"""Ten data sets by name from OpenML, through scikit-learn and its cache."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import fetch_openml

from colabel.datasets._files import DataError, shown
from colabel.datasets.dataset import Dataset, as_names

#: OpenML's numbers of the multi-label sets that it took over from MULAN and MEKA.
NUMBERS = {
    "birds": 40588,
    "emotions": 40589,
    "enron": 40590,
    "genbase": 40591,
    "image": 40592,
    "langlog": 40593,
    "reuters": 40594,
    "scene": 40595,
    "slashdot": 40596,
    "yeast": 40597,
}
_ONE, _ZERO = ("TRUE", "1", "1.0"), ("FALSE", "0", "0.0")


def read(name: str) -> Dataset:
    """Fetch a data set, or take it from scikit-learn's cache."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")
            found = fetch_openml(data_id=NUMBERS[name], as_frame=False, parser="liac-arff")
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise DataError.at(
            name,
            None,
            f"it is not in scikit-learn's cache, and OpenML cannot be reached ({reason}); connect "
            "once to fetch it, or load a file",
        ) from None
    except ValueError as error:
        raise DataError.at(name, None, f"what OpenML sent cannot be read: {error}") from None
    X = found.data
    return Dataset(
        X=sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, dtype=np.float64),
        Y=_labels(name, found.target),
        label_names=as_names(found.target_names),
        feature_names=as_names(found.feature_names),
    )


def _labels(name: str, target: Any) -> sp.csr_array:
    cells = np.char.upper(np.asarray(target).astype(str))
    strange = cells[~np.isin(cells, [*_ONE, *_ZERO])]
    if len(strange):
        raise DataError.at(name, None, f"a label is {shown(str(strange[0]))}, not TRUE or FALSE")
    ones = np.isin(cells, _ONE).astype(np.int64)
    return sp.csr_array(ones.reshape(len(ones), -1))
