"""Files in which some labels are unknown, from reading to predictions."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def unknown(colabel):
    """A table in the folder of the command; how many of its labels are unknown."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    Y = (X @ rng.normal(size=(5, 3)) > 0.4).astype(float)
    N = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(5)])
    for j in range(3):
        frame[f"tag{j}"] = pd.array(N[:, j], dtype="Int64")
    frame.to_csv("t.csv", index=False)
    return int(np.isnan(N).sum())


def test_they_are_counted(colabel, unknown):
    assert f"unknown labels       {unknown} (" in colabel("describe", "t.csv", "--labels", "tag*")


def test_models_learn_from_what_is_known(colabel, unknown):
    said = colabel("fit", "t.csv", "--labels", "tag*", "--hold-out", "0.3", "-o", "m.skops")
    assert "saved in m.skops" in said
    assert "120 rows" in colabel("predict", "m.skops", "t.csv", "-o", "out.csv")
    assert "120 rows, 3 labels" in colabel("audit", "t.csv", "--labels", "tag*")
