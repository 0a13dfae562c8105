"""The speed and the memory of MtSDA beside scikit-learn's elastic nets."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import best_of, check, peak_bytes, record, seconds, table, training_pages
from colabel import MtSDA
from colabel.classifiers.mtsda.optimal_scoring import LabelRange
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg.containers import as_matrix
from colabel.linalg.data import CentredData


def run(rows=1000, l1=0.1, l2=0.1, rho=0.0, rounds=2, repeats=3):
    """One fit; and its first rounds, against the same with scikit-learn's ElasticNet, dense."""
    X, Y = training_pages(rows)
    whole, model = best_of(lambda: MtSDA(l1, l2, rho).fit(X, Y), repeats)
    record(f"MtSDA, {rows} pages", whole)
    ours, first = best_of(lambda: first_rounds(X, Y, l1, l2, rho, rounds), repeats)
    dense = standardised_and_dense(X)
    theirs, objective = best_of(lambda: elastic_nets(X, dense, Y, l1, l2, rounds), 1)
    check("objective of MtSDA", abs(first.objective_[-1] / objective - 1), 1e-5)
    record(f"MtSDA, {rounds} rounds", ours, theirs)
    peak = peak_bytes(lambda: MtSDA(l1, l2, rho).fit(X, Y))
    given = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    coefficients = model.coef_.nbytes + model.components_.nbytes
    lines = [
        ("colabel MtSDA", seconds(whole), "", f"{model.objective_[-1]:.6f}", model.n_iter_),
        ("... its first rounds", seconds(ours), "1", f"{first.objective_[-1]:.6f}", rounds),
        (
            "scikit-learn ElasticNet a task, dense",
            seconds(theirs),
            f"{theirs / ours:.1f}",
            f"{objective:.6f}",
            rounds,
        ),
    ]
    share = model.n_nonzero_.mean() / X.shape[1]
    return (
        f"### A fit on Arts, {X.shape[0]}×{X.shape[1]}, {Y.shape[1]} labels, λ₁={l1}, λ₂={l2}\n\n"
        f"{share:.1%} of the features in a direction, on average. Memory at most "
        f"{(peak - coefficients) / given:.1f} times the sparse input, and the coefficients.\n\n"
        + table(("", "fit", "times ours", "objective", "rounds"), lines)
    )


def first_rounds(X, Y, l1, l2, rho, rounds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MtSDA(l1, l2, rho, max_iter=rounds).fit(X, Y)


def standardised_and_dense(X):
    """Columns that vary, by features: what coordinate descent reads."""
    dense = X.toarray()
    return np.asfortranarray(StandardScaler().fit_transform(dense[:, dense.std(axis=0) > 0]))


def elastic_nets(X, dense, Y, l1, l2, rounds, inner_tol=1e-5):
    """The objective after some rounds of the alternation from the same start."""
    n = len(dense)
    space = LabelRange.of(Y.astype(float))
    R = space.lead(standardise(CentredData(as_matrix(X))).X, space.rank)
    alpha = l1 / 2 + l2
    shared = {
        "fit_intercept": False,
        "warm_start": True,
        "copy_X": False,
        "tol": inner_tol,
        "max_iter": 100_000,
    }
    nets = [ElasticNet(alpha=alpha, l1_ratio=l1 / 2 / alpha, **shared) for _ in range(space.rank)]
    for _ in range(rounds):
        T = space.targets(R)
        B = np.column_stack(
            [net.fit(dense, y - y.mean()).coef_ for net, y in zip(nets, T.T, strict=True)]
        )
        fitted = dense @ B
        objective = np.sum((T - fitted) ** 2) / n + l2 * np.sum(B**2) + l1 * np.abs(B).sum()
        U, _, Vt = np.linalg.svd(space.Q.T @ fitted, full_matrices=False)
        R = U @ Vt
    return objective


if __name__ == "__main__":
    print(run())
