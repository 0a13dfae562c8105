"""What a person would use from scikit-learn instead: time, memory, accuracy, and growth."""

import warnings

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA as SklearnPCA  # noqa: N811
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import colabel
from benchmarks.measure import best_of, check, data, peak_bytes, record, seconds, table
from colabel.metrics import roc_auc


def run():
    return "\n".join([side_by_side(), growth()])


def measured(function, repeats=3):
    """Least seconds, most memory in MB (in a run of its own), and the result."""
    time, result = best_of(function, repeats)
    return time, peak_bytes(function) / 2**20, result


def angle(P, Q):
    """The sine of the largest angle between two spans."""
    P, Q = (linalg.orth(np.asarray(M, dtype=float)) for M in (P, Q))
    return float(np.linalg.norm(P - Q @ (Q.T @ P), 2))


def compared(name, ours, theirs, error, what):
    (time, memory, mine), (their_time, their_memory, other) = measured(ours), measured(theirs)
    record(name, time, their_time)
    return [
        name,
        f"{seconds(time)}, {memory:.0f} MB",
        f"{seconds(their_time)}, {their_memory:.0f} MB",
        f"{their_time / time:.1f}×",
        f"{what} {error(mine, other)}",
    ]


def side_by_side():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 300)) @ rng.normal(size=(300, 300))
    classes = np.argmax(X @ rng.normal(size=(300, 30)), axis=1)
    one_hot = np.eye(30)[classes]
    sparse, Y = data("rcv1subset1")
    fitted, held_out = np.arange(4500), np.arange(4500, 6000)
    Y = Y[:, Y[fitted].any(axis=0)]

    def span(limit):
        def error(mine, other):
            found = angle(mine.components_.T, directions(other))
            check("span", found, limit)
            return f"{found:.0e}"

        return error

    def directions(model):
        return model.scalings_[:, :29] if hasattr(model, "scalings_") else model.components_.T

    def aucs(mine, other):
        scores = (m.decision_function(sparse[held_out]) for m in (mine, other))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return " and ".join(f"{roc_auc(Y[held_out], s, average='macro'):.3f}" for s in scores)

    rows = [
        compared(
            "PCA, sparse rcv1, k=20",
            lambda: colabel.PCA(20, solver="truncated", tol=1e-8, random_state=0).fit(sparse),
            lambda: SklearnPCA(20, svd_solver="arpack", tol=1e-8, random_state=0).fit(sparse),
            span(1e-4),
            "sine of the angle",
        ),
        compared(
            "discriminants of 30 classes, dense 4000×300",
            lambda: colabel.MLDA(weights="binary", ridge=0).fit(X, one_hot),
            lambda: LinearDiscriminantAnalysis(solver="eigen").fit(X, classes),
            span(1e-6),
            "sine of the angle",
        ),
        compared(
            "OPLS and PLS, dense 4000×300, k=10",
            lambda: colabel.OPLS(10).fit(X, one_hot),
            lambda: PLSRegression(10).fit(X, one_hot),
            lambda mine, other: "not the same method",
            "",
        ),
        compared(
            "ridge and SVM for each label, sparse rcv1",
            lambda: colabel.LabelRidge(1.0).fit(sparse[fitted], Y[fitted]),
            lambda: OneVsRestClassifier(LinearSVC()).fit(sparse[fitted], Y[fitted]),
            aucs,
            "macro AUC",
        ),
    ]
    return "### Side by side\n\n" + table(
        ["", "colabel", "scikit-learn", "ratio", "agreement"], rows
    )


def made(n, d, q, per_row=50):
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=per_row / d, format="csr", rng=rng)
    Y = sp.random_array((n, q), density=3 / q, format="csr", rng=rng)
    Y.data[:] = 1
    return X, Y


def growth():
    """Times as one of n, d and q doubles, with the exponent of a power law."""
    base = {"n": 8000, "d": 4000, "q": 40}
    models = {
        "OPLS": colabel.OPLS(ridge=1.0),
        "HypergraphSpectral": colabel.HypergraphSpectral(ridge=1.0),
        "SharedSubspaceClassifier": colabel.SharedSubspaceClassifier(),
        "LabelRidge": colabel.LabelRidge(),
    }
    rows = []
    for name, model in models.items():
        for axis in base:
            times = []
            for factor in (1, 2, 4):
                X, Y = made(**{**base, axis: base[axis] * factor})
                times.append(best_of(lambda m=model, X=X, Y=Y: m.fit(X, Y), 2)[0])
            record(f"{name}, {axis} ×4", times[-1])
            slope = np.polyfit(np.log([1, 2, 4]), np.log(times), 1)[0]
            rows.append([name, axis, *(seconds(t) for t in times), f"{slope:.2f}"])
    start = ", ".join(f"{key}={value}" for key, value in base.items())
    return f"### Growth, from {start} with 50 entries a row\n\n" + table(
        ["", "doubled", "×1", "×2", "×4", "exponent"], rows
    )
