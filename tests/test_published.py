"""Figures that the papers publish, from the same data."""

from functools import cache

import pytest
from real_data import load

import colabel


@cache
def training_rows():
    """Sparse, dense and factored."""
    X, Y, n_train = load("scene")
    X = X[:n_train]
    return (X, X.toarray(), colabel.factor(X)), Y[:n_train]


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        (colabel.PCA(0.999), 271),
        (colabel.MLSI(0.999), 276),
        (colabel.DMLDA(0.999), 294),
        (colabel.MDDMp(0.999), 5),
        (colabel.MDDMf(0.999), 6),
        (colabel.LabelCCA(0.999), 6),
        (colabel.MLDA(0.999), 5),
        (colabel.MVMD(0.999), 47),
    ],
    ids=lambda value: type(value).__name__,
)
def test_directions_kept_on_scene(model, kept):
    """Xu et al. 2016: share 0.999, β = 0.5, γ = 0.1, the 1211 training rows."""
    containers, Y = training_rows()
    for container in containers:
        assert model.fit(container, Y).n_components_ == kept
