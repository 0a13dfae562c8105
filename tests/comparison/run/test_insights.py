"""The numbers of the insights are those of the estimators."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from odd_methods import problem
from sklearn.preprocessing import StandardScaler

from colabel import MVMD, PCA, SharedSubspaceClassifierCV
from colabel.comparison.plain import read, to_plain
from colabel.comparison.result import Insights
from colabel.comparison.run import insights
from colabel.comparison.run.insights import InsightTask, cooccurrence
from colabel.comparison.run.worker import Held
from colabel.datasets import Dataset, load_debtags


def dataset(n=90, q=3):
    X, Y = problem(n, q=q)
    names = np.array([f"l{i}" for i in range(q)], object)
    return Dataset(X=X, Y=sp.csr_array(Y), label_names=names, name="p")


def look(*arguments):
    return InsightTask(*arguments).run(Held())


def test_cooccurrence_is_of_the_most_frequent_labels():
    data = load_debtags()
    table = cooccurrence(data)
    counts = (data.Y.T @ data.Y).toarray()
    frequent = np.argsort(-np.diag(counts), kind="stable")[:30]
    assert table.labels == data.label_names[frequent].tolist()
    assert table.counts == counts[np.ix_(frequent, frequent)].tolist()


def test_pictures_are_those_of_the_estimators():
    data = dataset()
    found = look(data, "standard", "mvmd", "f1_macro", 0)
    assert read(json.loads(json.dumps(to_plain(found))), Insights, "") == found
    X, Y = StandardScaler(with_mean=False).fit_transform(data.X), data.Y.toarray()
    spectra = {spectrum.method: spectrum for spectrum in found.spectra}
    assert list(spectra) == ["mvmd", "pca", "label-cca", "hypergraph-spectral"]
    for name, kind in (("mvmd", MVMD), ("pca", PCA)):
        assert_allclose(spectra[name].eigenvalues, kind().fit(X, Y).eigenvalues_, rtol=1e-5)
        assert spectra[name].kept == kind(0.999).fit(X, Y).n_components_
    embedding = found.embedding
    assert_allclose(embedding.points, MVMD(2).fit(X, Y).transform(X), rtol=1e-4, atol=1e-6)
    for j, name in enumerate(data.label_names):
        assert embedding.labels[name] == np.flatnonzero(Y[:, j]).tolist()
    grid = found.grid
    model = SharedSubspaceClassifierCV(cv=3, random_state=0).fit(X, Y)
    i, j = grid.best
    assert (grid.alphas[i], grid.betas[j]) == (model.alpha_, model.beta_)
    assert_allclose(np.ravel(grid.scores), model.cv_results_["mean_test_score"], rtol=1e-5)
    trust = found.trust
    assert len(trust.predicted) == len(trust.observed) <= 20
    assert trust.predicted == sorted(trust.predicted)
    # as many labels as there are, whatever each was given
    assert np.mean(trust.observed) == pytest.approx(Y.mean(), abs=0.02)
    assert trust.error < 0.15


def test_there_are_no_more_points_and_labels_than_can_be_shown(monkeypatch):
    monkeypatch.setattr(insights, "MOST_ROWS", 50)
    monkeypatch.setattr(insights, "MOST_LABELS", 2)
    embedding = look(dataset(), "none", "mddmp", "f1_macro", 0).embedding
    assert len(embedding.points) == 50
    assert len(embedding.labels) == 2
    assert all(max(rows) < 50 for rows in embedding.labels.values())


def test_one_direction_is_drawn_on_a_line():
    embedding = look(dataset(q=1), "none", "mddmp", "f1_macro", 0).embedding
    points = np.array(embedding.points)
    assert not points[:, 1].any()
    assert points[:, 0].any()


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_drawn_is_left_out():
    data = dataset()
    data.Y.data[:] = 0
    with pytest.raises(ValueError, match="labels"):
        look(data, "none", "mvmd", "f1_macro", 0)
