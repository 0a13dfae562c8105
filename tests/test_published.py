"""Figures that the papers publish, from the same data."""

import pytest
from real_data import load

import colabel


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
    X, Y, n_train = load("scene")
    for container in (X[:n_train], X[:n_train].toarray(), colabel.factor(X[:n_train])):
        assert model.fit(container, Y[:n_train]).n_components_ == kept
