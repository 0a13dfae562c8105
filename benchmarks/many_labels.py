"""Thousands of labels: fits, predictions and measures that the labels' number must not spoil.

Nothing may be as large as rows × labels. Each step runs in a process of its own, which tells its
time, the most memory it had, and what its answer is checked by.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import normalize

from benchmarks.measure import HERE, check, colabel, memory, record, seconds, table
from colabel import OPLS, LabelRidge, SharedSubspaceClassifier
from colabel.metrics import precision_at
from colabel.persistence import load

ROWS, FEATURES, LABELS = 50_000, 20_000, 5_000
#: Of a row, at most.
ENTRIES, POSITIVES = 100, 5
CHECKED = 3
#: Combinations of labels that are not shared, at most.
UNSHARED = 5


def generated(n, d, q, seed=0):
    """Documents of unit length: half of their words go with their labels, half with no label.

    Labels and words have power-law frequencies.
    """
    rng = np.random.default_rng(seed)
    often = np.cumsum(1.0 / (10.0 + np.arange(q)))
    label = np.searchsorted(often, often[-1] * rng.random((n, POSITIVES)))
    own = np.take_along_axis(label, rng.integers(0, POSITIVES, (n, ENTRIES)), axis=1)
    words = (37 * own + (200 * rng.random((n, ENTRIES)) ** 3).astype(int)) % d
    common = (d * rng.random((n, ENTRIES)) ** 2).astype(int)
    words = np.where(rng.random((n, ENTRIES)) < 0.5, words, common)

    def stack(columns, values, width):
        rows = np.repeat(np.arange(n, dtype=np.int32), columns.shape[1])
        places = (rows, columns.ravel().astype(np.int32))
        return sp.coo_array((values, places), (n, width)).tocsr()

    X = stack(words, 1.0 + rng.exponential(size=words.size), d)
    Y = (stack(label, np.ones(label.size), q) > 0).astype(np.float64)
    return sp.csr_array(normalize(X)), sp.csr_array(Y)


def normal_equations(X, b):
    """X̄ᵀX̄ + bI as an operator of scipy."""
    mean, n = np.asarray(X.mean(axis=0)).ravel(), X.shape[0]

    def dot(v):
        v = v.ravel()
        return X.T @ (X @ v) - n * mean * (mean @ v) + b * v

    return LinearOperator((X.shape[1], X.shape[1]), matvec=dot), mean


def told(seconds, memory, error, limit=1e-6, solver=""):
    """What a step tells."""
    return {"seconds": seconds, "memory": memory, "error": error, "limit": limit, "solver": solver}


def ridge_step(X, Y):
    """LabelRidge, beside conjugate gradients of scipy for some labels."""
    start = time.perf_counter()
    model = LabelRidge().fit(X, Y)
    spent, peak = time.perf_counter() - start, memory()
    B, mean = normal_equations(X, 1.0)
    learned, error = np.flatnonzero(Y.sum(axis=0)), 0.0
    for j in learned[np.linspace(0, len(learned) - 1, CHECKED).astype(int)]:
        y = 2.0 * Y[:, [j]].toarray().ravel()
        W, failed = cg(B, X.T @ y - mean * y.sum(), rtol=1e-10, maxiter=5000)
        assert not failed
        error = max(error, float(np.linalg.norm(model.coef_[j] - W) / np.linalg.norm(W)))
    return seen(spent, peak, model, error)


def seen(spent, peak, model, error):
    return {
        "seconds": spent,
        "memory": peak,
        "solver": model.solver_,
        "error": error,
        "limit": 1e-6,
    }


def opls_step(X, Y):
    """OPLS with all directions: AP = BPΛ for some of them, from first to last."""
    start = time.perf_counter()
    model = OPLS().fit(X, Y)
    spent, peak = time.perf_counter() - start, memory()
    B, mean = normal_equations(X, model.ridge)
    error, n = 0.0, X.shape[0]
    for i in np.linspace(0, model.n_components_ - 1, CHECKED).astype(int):
        p = model.components_[i]
        scores = X @ p - mean @ p
        labels = 2.0 * Y @ (2.0 * (Y.T @ scores) - 2.0 * Y.sum(axis=0) * scores.mean())
        labels -= labels.mean()
        A = X.T @ labels - mean * labels.sum()
        error = max(error, float(np.linalg.norm(A - model.eigenvalues_[i] * (B @ p)) / n))
        error = max(error, abs(float(p @ (B @ p)) - 1.0))
    return seen(spent, peak, model, error)


def precision_step(X, Y):
    """Precision at 5 of random scores, beside a plain sort of some rows."""
    rows = slice(0, 5_000)
    scores = np.random.default_rng(0).random((5_000, Y.shape[1])).round(3)
    start = time.perf_counter()
    found = precision_at(Y[rows], scores, k=5)
    spent, peak = time.perf_counter() - start, memory()
    order = np.argsort(scores, axis=1, kind="stable")[:, -5:]
    plain = np.take_along_axis(Y[rows].toarray(), order, axis=1).mean()
    return {
        "seconds": spent,
        "memory": peak,
        "solver": "",
        "error": abs(found - plain),
        "limit": 1e-12,
    }


def fit_step(X, Y):
    """The command without a search, from a file: the shared subspace, thresholds included.

    (X̄ᵀX̄ + nβI)U is X̄ᵀȲ but for the combinations of labels that are not shared, at most 5, and for
    the residual of 1e-5 to which so large models are solved.
    """
    with TemporaryDirectory() as folder:
        path, file = Path(folder) / "labels.svm", Path(folder) / "labels.skops"
        dump_svmlight_file(X, Y, str(path), multilabel=True, zero_based=False)
        said = colabel("fit", path, "--no-tune", "--scale", "none", "--json", "-o", file)
        model = load(file)
    spent, peak, _ = said
    B, mean = normal_equations(X, X.shape[0] * SharedSubspaceClassifier().beta)
    learned = np.array([int(name.removeprefix("label")) for name in model.label_names])
    mixed = np.random.default_rng(0).standard_normal((len(learned), 2 * UNSHARED))
    T = 2.0 * (Y[:, learned] @ mixed)
    F = X.T @ T - np.multiply.outer(mean, T.sum(axis=0))
    U = getattr(model.estimator, "estimator_", model.estimator).coef_.T @ mixed
    left = np.linalg.svd(np.column_stack([B @ u for u in U.T]) - F, compute_uv=False)
    error = float(left[UNSHARED] / np.linalg.norm(F))
    return told(spent, peak, error, limit=1e-5)


STEPS = {
    "LabelRidge": ridge_step,
    "OPLS": opls_step,
    "`colabel fit --no-tune`": fit_step,
    "precision at 5 of 5,000 rows": precision_step,
}


def measure(name, size):
    """A step in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.many_labels", "--step", name, *map(str, size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=HERE.parent)
    return json.loads(done.stdout)


def run(n=ROWS, d=FEATURES, q=LABELS):
    rows = []
    for name in STEPS:
        found = measure(name, (n, d, q))
        check(name, found["error"], found["limit"])
        record(name, found["seconds"])
        peak = f"{found['memory'] / 1e9:.2f} GB"
        rows.append([name, seconds(found["seconds"]), peak, found["solver"]])
        print(*rows[-1], flush=True)
    return (
        f"{n:,} rows × {d:,} features with at most {ENTRIES} entries a row, {q:,} labels with "
        f"power-law frequencies, at most {POSITIVES} a row, made by a generator. Each step in a "
        "process of its own; memory is the most that the process had, data included.\n\n"
        + table(["step", "time", "memory", "solver"], rows)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", choices=STEPS)
    parser.add_argument("size", type=int, nargs="*", default=(ROWS, FEATURES, LABELS))
    arguments = parser.parse_args()
    if arguments.step is None:
        print(run(*arguments.size))
    else:
        print(json.dumps(STEPS[arguments.step](*generated(*arguments.size))))
