"""The best mixture: members that have not seen the rows that they are mixed by."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier

import colabel
from colabel.metrics import roc_auc
from colabel.mixture import MEMBERS
from colabel.mixture.time_limit import OutOfTimeError, TimeLimit
from colabel.tuning import OutOfFoldSearch
from colabel.tuning.calibration import calibrate

X, Y = make_multilabel_classification(240, 12, n_classes=5, random_state=3)
X_NEW, Y_NEW = X[160:], Y[160:]
X, Y = X[:160], Y[:160]
FITS = []
FEW = {
    "label-ridge": None,
    "forest": OutOfFoldSearch(RandomForestClassifier(20), {}, cv="oob"),
    "logistic": OneVsRestClassifier(LogisticRegression(max_iter=1000)),
}


@pytest.fixture(scope="module")
def fitted():
    return colabel.BestOf(FEW, cv=3, random_state=0, keep_scores=True).fit(X, Y)


class Failing(ClassifierMixin, BaseEstimator):
    """Cannot be fitted."""

    def fit(self, X, y):
        raise RuntimeError("of no use\nat all")


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a minute, in small steps."""

    def fit(self, X, y):
        for _ in range(6000):
            time.sleep(0.01)
        raise AssertionError("not stopped")


class Counted(LogisticRegression):
    """Notes each fit."""

    def fit(self, X, y, sample_weight=None):
        FITS.append(X.shape[0])
        return super().fit(X, y)


def test_it_is_the_mixture_of_its_members(fitted):
    assert sum(fitted.weights_.values()) == pytest.approx(1.0)
    assert set(fitted.weights_) | set(fitted.left_out_) == set(FEW)
    by_hand = sum(
        member.weight * member.probabilities(X_NEW, 5) for member in fitted.members_.values()
    )
    assert_allclose(fitted.uncut_scores(X_NEW), logit(by_hand))
    assert_allclose(
        fitted.predict_proba(X_NEW), fitted.calibration_.apply(fitted.uncut_scores(X_NEW))
    )
    above = fitted.uncut_scores(X_NEW) > fitted.thresholds_
    assert_array_equal(fitted.predict(X_NEW), above.astype(int))


def test_labels_are_cut_where_probabilities_expect_the_best_f1():
    """Of all cuts between held-out scores, by expected hits: 2 Σ p above / (how many + Σ p)."""
    model = colabel.BestOf(["label-ridge"], keep_scores=True, random_state=0).fit(X, Y)
    scores = model.held_out_scores_
    P = model.calibration_.apply(scores)
    for s, p, cut in zip(scores.T, P.T, model.thresholds_, strict=True):
        expected = [2.0 * p[s >= one].sum() / ((s >= one).sum() + p.sum()) for one in s]
        above = 2.0 * p[s > cut].sum() / ((s > cut).sum() + p.sum())
        assert above == pytest.approx(max(expected), rel=1e-12)


def test_held_out_scores_are_of_models_without_the_row():
    """In folds, by hand: each row by a classifier of the others, through the same sigmoid."""
    given = OneVsRestClassifier(LogisticRegression(max_iter=1000))
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    model = colabel.BestOf({"own": given}, cv=folds, keep_scores=True).fit(X, Y)
    scores = np.empty(Y.shape)
    for train, test in folds:
        scores[test] = given.fit(X[train], Y[train]).decision_function(X[test])
    expected = logit(model.members_["own"].calibration.apply(scores))
    assert_allclose(model.held_out_scores_, expected)


def test_no_mixture_is_worse_than_its_members_held_out(fitted):
    losses = dict(fitted.log_losses_)
    mixture = losses.pop("mixture")
    assert mixture <= min(losses.values())
    truth = np.where(Y > 0, 1.0, -1.0)
    assert mixture == pytest.approx(np.mean(np.log1p(np.exp(-truth * fitted.held_out_scores_))))


def test_nothing_is_fitted_twice():
    """K folds of one candidate are K + 1 fits, whatever is mixed in the end."""
    FITS.clear()
    one = OneVsRestClassifier(Counted())
    colabel.BestOf({"label-ridge": None, "own": one}, cv=3, random_state=0).fit(X, Y)
    assert len(FITS) == (3 + 1) * Y.shape[1]


def test_members_that_fail_are_left_out_by_name():
    model = colabel.BestOf({"bad": Failing(), "label-ridge": None}).fit(X, Y)
    assert list(model.weights_) == ["label-ridge"]
    assert model.left_out_ == {"bad": "failed: of no use at all"}
    with pytest.raises(ValueError, match="could be fitted: bad: failed: of no use"):
        colabel.BestOf({"bad": Failing()}).fit(X, Y)


def test_members_that_are_too_slow_are_stopped():
    members = {"label-ridge": None, "slow": Slow(), "also": Slow()}
    model = colabel.BestOf(members, budget=0.4).fit(X, Y)
    assert list(model.weights_) == ["label-ridge"]
    assert "for a budget of 0.4 s" in model.left_out_["slow"]
    time.sleep(0.05)  # nothing comes afterwards
    assert set(model.left_out_) == {"slow", "also"}


def test_a_spent_budget_leaves_the_others_out():
    members = {"label-ridge": None, "logistic-regression": None}
    model = colabel.BestOf(members, budget=1e-9).fit(X, Y)
    assert model.left_out_ == {"logistic-regression": "the budget of 1e-09 s was spent"}


def test_sparse_rows_stay_sparse(monkeypatch):
    noise = sp.random_array((160, 300), density=0.02, rng=0)
    rare = sp.csr_array(sp.hstack([sp.csr_array(Y[:, :1].astype(float)), noise]))

    def refuse(self, *args, **kwargs):
        raise AssertionError("made dense")

    model = colabel.BestOf(["label-ridge", "logistic-regression", "gradient-boosting"], cv=2)
    with monkeypatch.context() as patch:
        patch.setattr(sp.csr_array, "toarray", refuse)
        model.fit(rare, Y)
        scores = model.decision_function(rare)
    assert "X is sparse" in model.left_out_["gradient-boosting"]
    assert scores.shape == Y.shape


def test_full_rows_may_be_sparse():
    dense = colabel.BestOf(["gradient-boosting"], cv=2, random_state=0).fit(X + 1.0, Y)
    full = colabel.BestOf(["gradient-boosting"], cv=2, random_state=0)
    full.fit(sp.csr_array(X + 1.0), Y)
    assert_array_equal(full.predict(sp.csr_array(X_NEW + 1.0)), dense.predict(X_NEW + 1.0))


@pytest.mark.filterwarnings("ignore:1 of 5 labels have only one value")
def test_constant_labels():
    other = Y.copy()
    other[:, 2] = 1
    model = colabel.BestOf(FEW, cv=3, random_state=0).fit(X, other)
    assert model.predict(X_NEW)[:, 2].all()
    assert (model.predict_proba(X_NEW)[:, 2] > 0.95).all()
    left = colabel.BestOf(FEW, cv=3, random_state=0).fit(X, other[:, [0, 1, 3, 4]])
    assert_allclose(model.uncut_scores(X_NEW)[:, [0, 1, 3, 4]], left.uncut_scores(X_NEW))


def test_classes_of_one_each():
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.7]))]
    model = colabel.BestOf(FEW, cv=3, random_state=0).fit(X, y)
    assert_allclose(model.predict_proba(X_NEW).sum(axis=1), 1.0)
    assert np.mean(model.predict(X) == y) > 0.8


def test_names_that_there_are_not():
    with pytest.raises(ValueError, match="there is no 'forest'; use 'quick', label-ridge, "):
        colabel.BestOf(["forest"]).fit(X, Y)
    with pytest.raises(ValueError, match="needs at least one"):
        colabel.BestOf([]).fit(X, Y)


def test_a_saved_mixture_is_the_same(tmp_path):
    model = colabel.BestOf(cv=2, random_state=0).fit(X, Y)
    assert set(model.weights_) | set(model.left_out_) == set(MEMBERS)
    colabel.save(model, tmp_path / "m.skops")
    again = colabel.load(tmp_path / "m.skops")
    assert_array_equal(again.decision_function(X_NEW), model.decision_function(X_NEW))
    assert set(again.members_) == set(model.weights_)
    for member in again.members_.values():
        inside = getattr(member.model, "estimator_", member.model)
        assert not hasattr(inside, "oob_decision_function_")


def test_a_limit_around_the_mixture_is_not_its_own():
    model = colabel.BestOf({"slow": Slow()}, verbose=False)
    with pytest.raises(OutOfTimeError), TimeLimit(0.1):
        model.fit(X, Y)


def partly_known(share=0.3):
    hidden = np.random.default_rng(0).random(Y.shape) < share
    return np.where(hidden, np.nan, Y)


def test_what_is_unknown_is_neither_learned_from_nor_judged_by():
    """With one member, the calibration and the cuts are those of its scores where Y is known."""
    N = partly_known()
    model = colabel.BestOf(["label-ridge"], keep_scores=True, random_state=0).fit(X, N)
    ridge = clone(model.members_["label-ridge"].model).set_params(keep_scores="level").fit(X, N)
    held_out = np.where(np.isnan(N), np.nan, ridge.held_out_scores_)
    member = calibrate(held_out, N)
    assert_allclose(model.members_["label-ridge"].calibration.slopes, member.slopes)
    scores = logit(member.apply(held_out))
    whole = calibrate(scores, N)
    assert_allclose(model.calibration_.offsets, whole.offsets)
    P, told = member.apply(held_out), ~np.isnan(N)
    losses = -np.where(N[told] > 0, np.log(P[told]), np.log1p(-P[told]))
    assert model.log_losses_["label-ridge"] == pytest.approx(losses.mean())
    for j, cut in enumerate(model.thresholds_):
        known = told[:, j]
        s, p = scores[known, j], whole.apply(scores)[known, j]
        values = [2 * p[s > t].sum() / ((s > t).sum() + p.sum()) for t in np.append(s, s.min() - 1)]
        assert 2 * p[s > cut].sum() / ((s > cut).sum() + p.sum()) == pytest.approx(max(values))


def test_members_that_need_every_label_are_left_out_by_name():
    N = partly_known()
    members = {**FEW, "own": colabel.LabelRidge(0.5)}
    model = colabel.BestOf(members, cv=3, random_state=0).fit(X, N)
    why = "some labels are unknown, and it needs all"
    assert {name for name, reason in model.left_out_.items() if reason == why} == {
        "forest",
        "logistic",
    }
    assert {"label-ridge", "own"} >= set(model.weights_)
    with pytest.raises(ValueError, match="no member of the mixture could be fitted: forest: some"):
        colabel.BestOf({"forest": FEW["forest"]}).fit(X, N)


def test_a_sparse_y_says_by_observed_what_is_known():
    N = partly_known()
    model = colabel.BestOf(["label-ridge", "kernel-ridge"], random_state=0)
    dense = clone(model).fit(X, N)
    observed = ~np.isnan(N)
    given = sp.csr_array(np.nan_to_num(N))
    for known in (observed, sp.csr_array(observed)):
        sparse = clone(model).fit(X, given, observed=known)
        assert_allclose(sparse.uncut_scores(X_NEW), dense.uncut_scores(X_NEW))
        assert_allclose(sparse.thresholds_, dense.thresholds_)


def test_a_member_of_tiny_coefficients_is_not_judged_by_its_intercepts():
    """A row that is left out lowers the intercept of its labels, and so would rank below others."""
    strong = colabel.LabelRidgeCV(alphas=[1e9], scoring="auc_macro", random_state=0)
    plain = clone(strong).set_params(keep_scores=True).fit(X, Y).held_out_scores_
    level = clone(strong).set_params(keep_scores="level").fit(X, Y).held_out_scores_
    assert roc_auc(Y, plain) < 0.05  # worse than chance
    assert roc_auc(Y, level) > 0.7
    signs = 2.0 * Y - 1.0
    assert_allclose(level - plain, (signs - signs.mean(axis=0)) / (len(Y) - 1), atol=1e-9)
    model = colabel.BestOf({"strong": strong, "label-ridge": None}, random_state=0).fit(X, Y)
    shares = Y.mean(axis=0)
    entropy = -np.mean(shares * np.log(shares) + (1 - shares) * np.log(1 - shares))
    assert model.log_losses_["strong"] < 0.9 * entropy
