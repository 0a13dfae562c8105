"""One method on one split: what is shared, what is measured, what goes wrong."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from odd_methods import Constant, Failing, problem
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from colabel import metrics
from colabel.catalogue import comparable
from colabel.comparison.run import shared_rows
from colabel.comparison.run.trial import SplitData, Trial
from colabel.comparison.run.worker import Held, Worker, reason_of
from colabel.linalg import data as factor_module

FACTORED = [c for c in comparable().values() if c.factored and c.by_default]
SETTINGS = {"folds": 3, "scoring": "f1_macro", "seed": 0, "quick": True}


def split(X, Y, scale="none"):
    rows = np.random.default_rng(1).permutation(len(Y))
    cut = 2 * len(rows) // 3
    return SplitData(X, sp.csr_array(Y), (rows[:cut], rows[cut:]), scale), rows[:cut], rows[cut:]


def holding(trial, data):
    held = Held()
    held.datasets[trial.dataset] = (None, None, [None], "none")
    held.rows((trial.dataset, trial.split), lambda: data)
    return held


def run(trial, data):
    return trial.run(holding(trial, data))


def trial(method, **more):
    model = method.candidate(**SETTINGS)
    names = ("f1_macro", "auc_macro", "hamming_loss")
    return Trial("data", method.name, 0, model, method.factored, names, **more)


@pytest.mark.parametrize(("n", "d"), [(90, 12), (60, 80)])
def test_rows_are_factored_once_for_all_methods(n, d, monkeypatch):
    data, train, _ = split(*problem(n, d))
    shapes, direct = [], factor_module.svd
    monkeypatch.setattr(factor_module, "svd", lambda X: shapes.append(X.shape) or direct(X))
    methods = [c for c in FACTORED if c.name in ("label-ridge", "shared-subspace", "mddmp", "opls")]
    assert len(methods) == 4
    for method in methods:
        assert run(trial(method), data).status == "ok"
    width = min(len(train), d) if d <= len(train) else len(train) - 1
    of_rows = [shape for shape in shapes if shape[1] in (d, width)]
    folds = [len(fold) for fold, _ in KFold(3).split(train)]
    assert sorted(shape[0] for shape in of_rows) == sorted([*folds, len(train)])


@pytest.mark.parametrize("method", FACTORED, ids=lambda c: c.name)
@pytest.mark.parametrize(("n", "d"), [(90, 8), (60, 90)])
def test_shared_rows_give_what_own_rows_give(method, n, d):
    data, *_ = split(*problem(n, d))
    model = method.candidate(**SETTINGS)
    for other in FACTORED[:3]:  # who came before does not matter
        run(trial(other), data)
    shared = clone(model).fit(data.shared, data.Y_train).decision_function(data.X_test)
    own = clone(model).fit(data.X_train, data.Y_train).decision_function(data.X_test)
    assert_allclose(shared, own, rtol=0, atol=1e-8 * max(1.0, np.abs(own).max()))


def test_rows_that_are_too_large_are_not_factored_for_all(monkeypatch):
    data, *_ = split(*problem())
    monkeypatch.setattr(shared_rows, "LIMIT", 5)
    assert data.shared is None
    assert run(trial(FACTORED[0]), data).status == "ok"


def test_seconds_that_a_method_was_spared_are_counted():
    data, *_ = split(*problem())
    data.shared.ledger._spent[b""] = 100.0
    found = [run(trial(FACTORED[0]), data).fit_seconds for _ in range(2)]
    assert all(100 < seconds < 150 for seconds in found)
    run(trial(comparable()["opls"]), data)
    for key in data.shared.ledger._spent:
        data.shared.ledger._spent[key] = 100.0
    again = run(trial(comparable()["mddmp"]), data).fit_seconds
    assert 400 < again < 450  # all rows, and three folds


@pytest.mark.parametrize(
    ("scale", "scaler"),
    [("standard", StandardScaler(with_mean=False)), ("tfidf", TfidfTransformer())],
)
def test_features_are_scaled_by_the_training_rows(scale, scaler):
    X, Y = problem()
    X = np.abs(np.round(3 * X))
    X = sp.csr_array(X) if scale == "tfidf" else X
    data, train, test = split(X, Y, scale)
    scaler.fit(X[train])
    for found, rows in ((data.X_train, train), (data.X_test, test)):
        expected = scaler.transform(X[rows])
        dense = [part.toarray() if sp.issparse(part) else part for part in (found, expected)]
        assert_allclose(*dense, rtol=0, atol=0)
    assert sp.issparse(data.X_train) == (scale == "tfidf")


def test_measures_are_those_of_the_library():
    X, Y = problem()
    data, train, test = split(X, Y)
    model = OneVsRestClassifier(LogisticRegression())
    names = ("f1_macro", "auc_micro", "hamming_loss")
    found = run(Trial("d", "m", 0, model, False, names), data)
    model.fit(X[train], Y[train])
    labels, scores = model.predict(X[test]), model.decision_function(X[test])
    assert found.scores == {name: metrics.score(name, Y[test], scores, labels) for name in names}
    assert found.label_scores["f1"] == metrics.f1(Y[test], labels, average=None).tolist()
    assert found.chosen == {}


def test_what_is_not_defined_is_none():
    X, Y = problem()
    data, _, test = split(X, Y)
    found = run(Trial("d", "m", 0, Constant(), False, ("f1_macro", "auc_macro")), data)
    assert found.scores["auc_macro"] is None  # it has no scores
    assert found.scores["f1_macro"] == metrics.f1(Y[test], np.ones_like(Y[test]), average="macro")
    Y[:] = 0
    Y[:5, 0] = 1
    data, *_ = split(X, Y)
    data.Y_test[:] = 0
    model = OneVsRestClassifier(LogisticRegression())
    with pytest.warns(UserWarning, match="present in all training examples"):
        found = run(Trial("d", "m", 0, model, False, ("auc_macro",)), data)
    assert found.scores == {"auc_macro": None}
    assert found.label_scores["f1"][1:] == [None, None]


def test_what_is_chosen_is_told():
    data, *_ = split(*problem())
    known = comparable()
    chosen = {name: run(trial(known[name]), data).chosen for name in ("opls", "label-ridge", "knn")}
    assert chosen["opls"].keys() == {"ridge", "alpha", "n_components"}
    assert chosen["label-ridge"].keys() == {"alpha"}
    assert chosen["knn"].keys() == {"n_neighbors"}


def test_what_fails_is_told_in_a_line():
    data, *_ = split(*problem())
    failing, worker = Trial("d", "m", 0, Failing(), False, ("f1_macro",)), Worker(io.BytesIO())
    worker._held = holding(failing, data)
    found = worker._done(failing)
    assert (found.status, found.reason) == ("failed", "RuntimeError: a message of two lines")
    assert found.value is None
    assert not found.by_machine
    assert reason_of(ValueError("x" * 500)) == "x" * 199 + "…"
    assert reason_of(MemoryError()) == "not enough memory"
    assert reason_of(KeyError()) == "KeyError"
    assert reason_of(ValueError("a\x1b[2Jb")) == "a�[2Jb"
