"""The speed and the memory of MtSDA beside scikit-learn's elastic nets."""

import numpy as np
from sklearn.linear_model import ElasticNet
from sklearn.preprocessing import StandardScaler

from benchmarks.measure import best_of, check, peak_bytes, seconds, table, training_pages
from colabel import MtSDA
from colabel.classifiers.mtsda.optimal_scoring import LabelRange
from colabel.classifiers.mtsda.predictors import standardise
from colabel.linalg.data import CentredData
from colabel.linalg.matrix import as_matrix


def run(rows=1000, l1=0.1, l2=0.1, rho=0.0, repeats=3):
    """One fit, against the same rounds with scikit-learn's ElasticNet on dense data."""
    X, Y = training_pages(rows)
    ours, model = best_of(lambda: MtSDA(l1, l2, rho).fit(X, Y), repeats)
    dense = standardised_and_dense(X)
    theirs, (objective, n_rounds) = best_of(lambda: elastic_nets(X, dense, Y, l1, l2), 1)
    check("objective of MtSDA", abs(model.objective_[-1] / objective - 1), 1e-5)
    peak = peak_bytes(lambda: MtSDA(l1, l2, rho).fit(X, Y))
    given = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    coefficients = model.coef_.nbytes + model.components_.nbytes
    lines = [
        ("colabel MtSDA", seconds(ours), "1", f"{model.objective_[-1]:.6f}", model.n_iter_),
        (
            "scikit-learn ElasticNet a task, dense",
            seconds(theirs),
            f"{theirs / ours:.1f}",
            f"{objective:.6f}",
            n_rounds,
        ),
    ]
    share = model.n_nonzero_.mean() / X.shape[1]
    return (
        f"### A fit on Arts, {X.shape[0]}×{X.shape[1]}, {Y.shape[1]} labels, λ₁={l1}, λ₂={l2}\n\n"
        f"{share:.1%} of the features in a direction, on average. Memory at most "
        f"{(peak - coefficients) / given:.1f} times the sparse input, and the coefficients.\n\n"
        + table(("", "fit", "times ours", "objective", "rounds"), lines)
    )


def standardised_and_dense(X):
    """Columns that vary, by features: what coordinate descent reads."""
    dense = X.toarray()
    return np.asfortranarray(StandardScaler().fit_transform(dense[:, dense.std(axis=0) > 0]))


def elastic_nets(X, dense, Y, l1, l2, tol=1e-6, inner_tol=1e-5, max_iter=300):
    """The alternation from the same start and with the same stop; its objective and rounds."""
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
    values = []
    for _ in range(max_iter):
        T = space.targets(R)
        B = np.column_stack(
            [net.fit(dense, y - y.mean()).coef_ for net, y in zip(nets, T.T, strict=True)]
        )
        fitted = dense @ B
        objective = np.sum((T - fitted) ** 2) / n + l2 * np.sum(B**2) + l1 * np.abs(B).sum()
        values.append(objective)
        if len(values) > 1 and values[-2] - objective <= tol * values[-2]:
            break
        U, _, Vt = np.linalg.svd(space.Q.T @ fitted, full_matrices=False)
        R = U @ Vt
    return objective, len(values)


if __name__ == "__main__":
    print(run())
