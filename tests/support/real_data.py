"""Real data sets, from a folder beside the repository; tests are skipped by name without them."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def load(name):
    """X (csr), Y (dense 0/1), and the number of rows in the standard training part, or None."""
    if not (FOLDER / f"{name}.json").exists():
        pytest.skip(f"the {name} data set is not in {FOLDER.name}/")
    return read(name)


def read(name, folder=FOLDER):
    about = json.loads((folder / f"{name}.json").read_text())
    with lzma.open(folder / f"{name}.svm.xz") as file:
        X, labels = load_svmlight_file(file, n_features=about["d"], multilabel=True)
    Y = np.zeros((about["n"], about["q"]), dtype=int)
    for row, present in enumerate(labels):
        Y[row, np.asarray(present, dtype=int)] = 1
    return sp.csr_array(X), Y, about.get("n_train")
