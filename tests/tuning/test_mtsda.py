"""MtSDA tuned, drawn, and the baselines it is compared with."""

import builtins

import checks
import matplotlib as mpl
import numpy as np
import problems
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from spans import sine

import colabel
from colabel import MtSDA, MtSDACV
from colabel.classifiers import coefficient_path, hsml, lda_svm, plot_path, plot_rho
from colabel.classifiers.mtsda.optimal_scoring import LabelRange
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData
from colabel.metrics import roc_auc

mpl.use("agg")


def quick(**params):
    return MtSDACV(**{"l1s": 4, "l2s": (0.1, 1.0), "random_state": 0, "tol": 1e-4} | params)


def l1_max(X, Y):
    design = standardise(CentredData(as_matrix(X)))
    return LabelRange.of(Y.astype(float)).l1_max(design.X)


@pytest.mark.parametrize("kind", ["tall", "wide"])
def test_above_l1_max_nothing_is_selected_and_below_it_something(kind):
    X, Y = problems.make(kind)
    highest = l1_max(X, Y)
    for seed in range(5):  # whatever Θ
        none = MtSDA(highest * 1.0001, n_init=3, random_state=seed).fit(X, Y)
        assert not none.components_.any()
    # with the scores that point at the feature which attains it
    Xs = (X - X.mean(axis=0)) / X.std(axis=0)
    Q = np.linalg.qr(Y.astype(float))[0]
    gradients = np.linalg.norm(Xs.T @ Q, axis=1) * 2 / np.sqrt(len(X))
    assert highest == pytest.approx(gradients.max(), rel=1e-9)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_the_grid_and_the_final_model(container):
    X, Y = problems.make("tall")
    search = quick(rhos=(0.0, 0.4)).fit(container(X), Y)
    results = search.cv_results_
    assert len(results["params"]) == 4 * 2 * 2
    highest = l1_max(X, Y)
    assert_allclose(np.unique(results["param_l1"]), highest * np.geomspace(0.1, 1, 4))
    best = results["params"][int(np.argmax(results["mean_test_score"]))]
    assert best == {"l1": search.l1_, "l2": search.l2_, "rho": search.rho_}
    assert search.best_score_ == results["mean_test_score"].max()
    assert results["rank_test_score"].min() == 1
    plain = MtSDA(**best, tol=1e-4).fit(container(X), Y)
    assert_array_equal(search.components_, plain.components_)
    assert_array_equal(search.predict(X), plain.predict(X))


def test_scores_are_those_of_fits_from_scratch_up_to_local_optima():
    X, Y = problems.make("tall")
    folds = KFold(3, shuffle=True, random_state=0)
    search = quick(cv=folds, l2s=(0.3,), tol=1e-7).fit(X, Y)
    for i, (train, test) in enumerate(folds.split(X)):
        for j, cell in enumerate(search.cv_results_["params"]):
            model = MtSDA(**cell, tol=1e-7).fit(X[train], Y[train])
            expected = roc_auc(Y[test], model.decision_function(X[test]), average="micro")
            assert search.cv_results_[f"split{i}_test_score"][j] == pytest.approx(
                expected, abs=0.02
            )


def test_given_candidates_are_tried_in_descending_order():
    X, Y = problems.make("tall")
    search = quick(l1s=[0.1, 0.5, 0.2], l2s=[0.1], cv=2).fit(X, Y)
    assert_array_equal(search.cv_results_["param_l1"], [0.5, 0.2, 0.1])


def test_folds_at_a_time_give_the_same():
    X, Y = problems.make("tall")
    one, two = (quick(cv=2, l2s=[0.1], n_jobs=jobs).fit(X, Y) for jobs in (None, 2))
    assert_allclose(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


@pytest.mark.parametrize("scoring", ["f1_macro", "auc_macro", "hamming_loss", "f1_micro"])
def test_other_measures(scoring):
    X, Y = problems.make("tall")
    search = quick(scoring=scoring, cv=2).fit(X, sp.csr_array(Y))
    assert np.isfinite(search.best_score_)


def test_classes():
    X, y = load_iris(return_X_y=True)
    for scoring in ("auc_micro", "f1_macro"):
        search = quick(cv=3, scoring=scoring).fit(X, y)
        assert np.mean(search.predict(X) == y) > 0.8


def test_a_fold_without_positives_does_not_count():
    X, Y = problems.make("tall")
    Y = np.zeros_like(Y)
    Y[20:, :2] = (X[20:, :2] > np.median(X[:, :2], axis=0)).astype(int)
    with pytest.warns(UserWarning, match="3 of 5 labels"):
        search = quick(cv=KFold(3), l2s=[0.1]).fit(X, Y)
    assert np.all(np.isnan(search.cv_results_["split0_test_score"]))
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rhos": [0.0, 1.0]}, r"rho=1 is not between 1/\(1 − p\)"),
        ({"rhos": [-0.5]}, "rho=-0.5 is not between"),
        ({"rhos": []}, "rhos must be a sequence"),
        ({"l1s": [-1.0]}, "l1s must be a sequence of finite numbers"),
        ({"l2s": []}, "l2s must be a sequence"),
        ({"l1s": 0}, "'l1s' parameter of MtSDACV"),
        ({"eps": 1.0}, "'eps' parameter"),
    ],
)
def test_parameters_out_of_range(params, message):
    X, Y = problems.make("tall")
    with pytest.raises(ValueError, match=message):
        quick(**params).fit(X, Y)


# --- plots ------------------------------------------------------------------------------------


def test_paths_are_fits_in_descending_order_and_end_at_zero():
    X, Y = problems.make("tall")
    highest = l1_max(X, Y)
    l1s, paths = coefficient_path(MtSDA(l2=0.1), X, Y, highest * np.geomspace(0.05, 1.001, 8))
    assert np.all(np.diff(l1s) < 0)
    assert not paths[0].any()
    assert np.count_nonzero(paths[-1]) > np.count_nonzero(paths[2])
    steps = np.abs(np.diff(paths, axis=0)).max(axis=(1, 2))
    assert steps.max() < 0.6  # continued, not in another order or with other signs
    ax = plot_path(l1s, paths, names=[f"f{i}" for i in range(12)])
    assert len(ax.lines) == np.count_nonzero(paths[:, 0].any(axis=0)) + 1
    assert ax.get_xscale() == "log"


def test_rho_is_drawn_with_its_bounds():
    X, Y = problems.make("tall")
    search = quick(rhos=(0.0, 0.3, 0.6), cv=3, l2s=[0.1]).fit(X, Y)
    ax = search.plot_rho()
    assert_allclose(ax.lines[0].get_xdata(), [0.0, 0.3, 0.6])
    assert "auc_micro" in ax.get_ylabel()
    values = np.array([[0.7, 0.8, 0.9], [0.6, 0.6, 0.6]])
    ax = plot_rho([0.1, 0.2], values, baseline=0.75)
    assert_allclose(ax.lines[0].get_ydata(), [0.8, 0.6])
    (bars,) = ax.collections
    assert_allclose(np.ptp(bars.get_segments()[0][:, 1]), 2 * 1.96 * values[0].std() / np.sqrt(3))


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"colabel\[plot\]"):
        plot_rho([0.1], [[0.5]])


# --- baselines --------------------------------------------------------------------------------


def test_lda_svm_is_discriminant_analysis_for_each_label():
    X, Y = problems.make("tall", condition=4.0)
    model = lda_svm(ridge=1e-9).fit(X, Y)
    for label, one in enumerate(model.named_steps["lda_svm"].estimators_):
        lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, Y[:, label])
        assert sine(one.named_steps["lda"].components_.T, lda.scalings_[:, :1]) < 1e-6
    assert lda_svm().fit(sp.csr_array(X), Y).predict(X).shape == Y.shape


def test_lda_svm_adds_its_ridge_to_the_scatter_within_classes():
    X, Y = problems.make("wide")
    model = lda_svm(ridge=0.7).fit(X, Y)
    for label, one in enumerate(model.named_steps["lda_svm"].estimators_):
        parts = [X[Y[:, label] == value] for value in (0, 1)]
        within = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in parts)
        difference = parts[1].mean(axis=0) - parts[0].mean(axis=0)
        direction = np.linalg.solve(within + 0.7 * np.eye(X.shape[1]), difference)
        assert sine(one.named_steps["lda"].components_.T, direction[:, None]) < 1e-6


def test_hsml_is_its_parts():
    X, Y = problems.make("tall")
    for laplacian in ("clique", "zhou"):
        embedding = colabel.HypergraphSpectral(laplacian=laplacian, ridge=0.3).fit(X, Y)
        svm = OneVsRestClassifier(LinearSVC(C=0.5, random_state=0)).fit(embedding.transform(X), Y)
        found = hsml(0.3, 0.5, laplacian=laplacian).fit(sp.csr_array(X), Y)
        assert_array_equal(found.predict(X), svm.predict(embedding.transform(X)))


@parametrize_with_checks([MtSDACV(l1s=2, l2s=(0.1,), cv=2, tol=1e-3)])
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
