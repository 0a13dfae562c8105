"""Labels that were made wrong are found."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier

import colabel
from colabel import LabelRidgeCV, SharedSubspaceClassifierCV, audit
from colabel.tuning import engine


@pytest.fixture(scope="module")
def flipped():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 12))
    Y = (X[:, :6] @ rng.normal(size=(6, 6)) + 0.5 * rng.normal(size=(500, 6)) > 1.5).astype(int)
    wrong = rng.random(Y.shape) < 0.02
    return X, np.where(wrong, 1 - Y, Y), wrong


@pytest.mark.parametrize("estimator", [None, OneVsRestClassifier(LogisticRegression())])
def test_wrong_labels_are_found(flipped, estimator):
    X, Y, wrong = flipped
    found = audit(X, Y, estimator)
    assert found.suspicion.shape == Y.shape
    assert roc_auc_score(wrong.ravel(), found.suspicion.ravel()) > 0.95


def test_suspicion_is_the_probability_of_the_other_label(flipped):
    X, Y, _ = flipped
    found = audit(X, Y)
    assert np.array_equal(found.given, Y > 0)
    assert np.allclose(
        found.suspicion, np.where(Y > 0, 1 - found.probabilities, found.probabilities)
    )
    # of models that have not seen the row
    model = LabelRidgeCV(random_state=0, keep_scores=True).fit(X, Y)
    for p, s in zip(found.probabilities.T, model.held_out_scores_.T, strict=True):
        assert np.all(np.diff(p[np.argsort(s)]) >= 0)


def test_missing_and_surplus_apart(flipped):
    X, Y, wrong = flipped
    found = audit(X, Y)
    for kind, given in (("missing", 0), ("surplus", 1)):
        frame = found.to_frame(10, kind)
        assert list(frame) == ["row", "label", "given", "probability", "suspicion", "kind"]
        assert (frame.given == given).all()
        assert (frame.kind == kind).all()
        assert len(frame) == 10
        assert frame.suspicion.is_monotonic_decreasing
        best = np.sort(found.suspicion[given == Y])[::-1][:10]
        assert np.allclose(frame.suspicion, best)
    first = found.to_frame(1).iloc[0]
    assert wrong[first.row, list(found.label_names).index(first.label)]
    assert len(found.to_frame()) == Y.size


def test_what_no_model_learns_is_not_suspected():
    X = np.random.default_rng(0).normal(size=(30, 3))
    Y = np.column_stack([X[:, 0] > 0, np.zeros(30), np.ones(30)]).astype(int)
    with pytest.warns(UserWarning, match="predicted constant"):
        found = audit(X, Y)
    assert np.all(found.suspicion[:, 1:] == 0)


def test_the_function_is_not_hidden_by_a_module():
    assert callable(colabel.audit)
    assert callable(colabel.explain)


@pytest.mark.parametrize("kind", [LabelRidgeCV, SharedSubspaceClassifierCV])
def test_all_rows_are_judged_where_data_are_too_large_to_factor(flipped, monkeypatch, kind):
    X, Y, wrong = flipped
    monkeypatch.setattr(engine, "_can_be_factored", lambda *_: False)
    model = kind(random_state=0, verbose=False, keep_scores=True)
    assert np.isnan(clone(model).fit(X, Y).held_out_scores_).all(axis=1).mean() > 0.7  # by itself
    found = audit(X, Y, None if kind is LabelRidgeCV else model)
    assert not np.isnan(found.probabilities).any()
    assert (found.suspicion > 0).all()
    assert roc_auc_score(wrong.ravel(), found.suspicion.ravel()) > 0.95
