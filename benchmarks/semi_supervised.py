"""What a constrained factorisation costs as rows grow."""

import multiprocessing
import resource
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity

from benchmarks.measure import check, record, relative, seconds, table
from colabel import CNMF, LabelRidge

ROWS = (12_500, 25_000, 50_000, 100_000)


def documents(n, d=30_000, words=100, q=50, seed=0):
    """Sparse counts, `words` to a row: half of its labels' vocabulary, half of everybody's."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(q, size=(n, 3), dtype=np.int32)
    own = d // (2 * q)
    chosen = np.take_along_axis(labels, rng.integers(3, size=(n, words // 2)), axis=1)
    indices = np.hstack(
        [
            d // 2 + chosen * own + rng.integers(own, size=chosen.shape, dtype=np.int32),
            rng.integers(d // 2, size=(n, words - words // 2), dtype=np.int32),
        ]
    )
    start = np.arange(0, n * words + 1, words, dtype=np.int32)
    X = sp.csr_array((np.ones(n * words), indices.ravel().astype(np.int32), start), shape=(n, d))
    X.sum_duplicates()
    Y = np.zeros((n, q), dtype=np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    return X, Y


def one_fit(n, rounds, queue):
    """Fit in a process of its own, so that its peak memory is that of this fit."""
    X, Y = documents(n)
    model = CNMF(max_iter=rounds, tol=0.0, early_stopping=False)
    labelled = np.arange(n) < min(1000, n // 2)
    warnings.simplefilter("ignore", ConvergenceWarning)
    start = time.perf_counter()
    model.fit(X, Y, labelled=labelled)
    elapsed = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    queue.put((elapsed, peak, bool(np.all(np.diff(model.objective_) <= 0))))


def run(rows=ROWS, rounds=50):
    check_the_implicit_cosine()
    context = multiprocessing.get_context("spawn")
    results = []
    for n in rows:
        queue = context.SimpleQueue()
        process = context.Process(target=one_fit, args=(n, rounds, queue))
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"the fit of {n} rows ended with exit code {process.exitcode}")
        results.append(queue.get())
    elapsed, peaks, monotone = (np.array(part) for part in zip(*results, strict=True))
    if not monotone.all():
        raise AssertionError("the objective rose; not reported")
    exponent = np.polyfit(np.log(rows), np.log(elapsed), 1)[0]
    record(f"CNMF, {rows[-1]} rows", elapsed[-1])
    lines = [
        (f"{n:,}", seconds(t), f"{peak:.2f} GiB")
        for n, t, peak in zip(rows, elapsed, peaks, strict=True)
    ]
    return (
        f"### {rounds} rounds on n × 30,000, 100 words a row, 50 labels\n\n"
        f"Time is n to the power **{exponent:.2f}** (fitted); the start and ‖A‖² are included.\n\n"
        + table(("rows", "time", "peak memory"), lines)
    )


def check_the_implicit_cosine():
    X, Y = documents(400)
    labelled = np.arange(400) < 100
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for similarity in ("cosine", cosine_similarity):
            model = CNMF(
                similarity=similarity, init=LabelRidge(), early_stopping=False, max_iter=20, tol=0.0
            )
            found.append(model.fit(X, Y, labelled=labelled).label_scores_)
    check("implicit cosines", relative(*found), 1e-8)


if __name__ == "__main__":
    print(run())
