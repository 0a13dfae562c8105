"""What tuned fits have to be before they are timed: equal to refits, and to brute force."""

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.metrics import f1_score, precision_recall_curve

from benchmarks.measure import check, relative
from colabel import LabelRidge, LabelRidgeCV
from colabel.tuning.grid import FBR


def check_tuned_ridge(model, X, Y, rows, limit):
    """Of a LabelRidgeCV that keeps its scores: these, its thresholds and its coefficients."""
    refitted = LabelRidge(model.alpha_).fit(X, Y)
    check("coefficients of LabelRidgeCV", relative(model.coef_, refitted.coef_), limit)
    check_left_out(model, X, Y, rows, limit)
    check_thresholds(model, Y)


def check_left_out(model, X, Y, rows, limit):
    """Held-out scores of some rows are those of models refitted without each of them."""
    chosen = np.random.default_rng(0).choice(X.shape[0], rows, replace=False)
    expected = []
    for i in chosen:
        others = np.arange(X.shape[0]) != i
        refitted = LabelRidge(model.alpha_).fit(X[others], Y[others])
        expected.append(refitted.decision_function(X[[i]])[0])
    found = model.held_out_scores_[chosen]
    check("leave-one-out scores", relative(found, np.array(expected)), limit)


def check_thresholds(model, Y, labels=3):
    """F1 at the thresholds of the most frequent labels is the best of all cuts."""
    n, share = len(Y), Y.mean(axis=0)
    scores = model.held_out_scores_ + (2 * Y - 2 * share) / (n - 1)  # of one intercept
    # in float32, neighbours may change places
    limit = 1e-9 if model.held_out_scores_.dtype == np.float64 else 1e-3
    for j in np.argsort(-share)[:labels]:
        precision, recall, _ = precision_recall_curve(Y[:, j], scores[:, j])
        best = np.max(2 * precision * recall / np.maximum(precision + recall, 1e-300))
        if best >= FBR:
            found = f1_score(Y[:, j], scores[:, j] > model.thresholds_[j])
            check("F1 at the threshold", best - found, limit)


def check_against_ridge_cv(X, Y, alphas):
    """Squared errors of left-out rows are scikit-learn's, for each penalty."""
    theirs = RidgeCV(alphas, store_cv_results=True).fit(X, 2.0 * Y - 1)
    for i, alpha in enumerate(alphas):
        model = LabelRidgeCV([alpha], thresholds=None, keep_scores=True, verbose=False).fit(X, Y)
        errors = (2.0 * Y - 1 - model.held_out_scores_) ** 2
        check(f"errors with {alpha:g}", relative(errors, theirs.cv_results_[..., i]), 1e-8)


def check_same_fit(model, refitted, limit):
    """The coefficients are those of the plain estimator with the penalties that were chosen."""
    check(f"coefficients of {type(model).__name__}", relative(model.coef_, refitted.coef_), limit)
