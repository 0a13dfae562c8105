"""A million rows: how long methods take on sparse data too large to factor, and in what memory."""

import argparse
import threading
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import check, record, seconds, table
from colabel import OPLS, HypergraphSpectral, SharedSubspaceClassifier

ROWS, FEATURES, ENTRIES, LABELS = 1_000_000, 100_000, 100, 100
TOL = 1e-5
#: The price of the weights beside a loss divided by n, as in SharedSubspaceClassifier.
BETA = 1e-3


def generated(n, d, entries, q, seed=0):
    """Documents of two topics each in float32: a word has a topic, and a topic has three labels."""
    rng = np.random.default_rng(seed)
    topics = max(2, q // 2)
    indptr = np.arange(0, n * entries + 1, entries, dtype=np.int64)
    indices = np.empty(n * entries, dtype=np.int32)
    data = np.empty(n * entries, dtype=np.float32)
    labels = []
    for start in range(0, n, 20_000):
        rows = min(20_000, n - start)
        topic = rng.integers(0, topics, size=(rows, 2))
        chosen = np.take_along_axis(topic, rng.integers(0, 2, size=(rows, entries)), axis=1)
        # half of the words by topic, from the frequent to the rare; half by no topic at all
        own = (chosen * (d // topics) + (d // topics) * rng.random((rows, entries)) ** 3).astype(
            int
        )
        common = (d * rng.random((rows, entries)) ** 2).astype(int)
        words = np.where(rng.random((rows, entries)) < 0.5, own, common)
        words.sort(axis=1)
        # no word twice: later ones move up
        words = np.minimum(np.maximum.accumulate(words - np.arange(entries), axis=1), d - entries)
        words += np.arange(entries)
        part = slice(start * entries, (start + rows) * entries)
        indices[part] = words.ravel()
        data[part] = (1 + rng.exponential(size=rows * entries)).astype(np.float32) / entries**0.5
        kind = (topic[:, :1] * 2 + rng.integers(0, 3, size=(rows, 3))) % q
        kind[:, 2] = (topic[:, 1] * 2) % q
        found = sp.coo_array(
            (np.ones(3 * rows), (np.repeat(np.arange(rows), 3), kind.ravel())), (rows, q)
        )
        labels.append((found.tocsr() > 0).astype(np.int8))
    X = sp.csr_array((data, indices, indptr.astype(np.int32)), shape=(n, d))
    return X, sp.vstack(labels, format="csr")


class Memory:
    """The most memory that the process had while the block ran, above what it had before."""

    def __enter__(self):
        self.before, self.most, self._done = resident(), 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self):
        while not self._done.wait(0.02):
            self.most = max(self.most, resident())

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()


def resident():
    """Bytes in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def residual(model, X, Y, ridge):
    """How far the directions are from solving their problem: the largest share of AP − BPΛ."""
    P, mean = model.components_.T.astype(float), model.mean_.astype(float)
    scores = X @ P.astype(np.float32) - (mean @ P).astype(np.float32)
    B = X.T @ scores - np.outer(mean, scores.sum(axis=0)) + ridge * P
    T = 2.0 * Y.astype(np.float32)
    F = (X.T @ T).toarray() - np.outer(mean, T.sum(axis=0))
    A = F @ (F.T @ P)
    return float(np.linalg.norm(A - B * model.eigenvalues_) / np.linalg.norm(A))


def run(n=ROWS, d=FEATURES, entries=ENTRIES, q=LABELS):
    print(f"making {n}×{d} with {entries} entries a row and {q} labels", flush=True)
    X, Y = generated(n, d, entries, q)
    size = sum(part.nbytes for A in (X, Y) for part in (A.data, A.indices, A.indptr))
    ridge = BETA * n
    models = {
        "OPLS": OPLS(ridge=ridge, tol=TOL),
        "HypergraphSpectral": HypergraphSpectral(ridge=ridge, tol=TOL),
        "SharedSubspaceClassifier": SharedSubspaceClassifier(beta=BETA, tol=TOL),
    }
    rows, times = [], {}
    for name, model in models.items():
        with Memory() as memory, warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            start = time.perf_counter()
            model.fit(X, Y)
            spent = time.perf_counter() - start
        if name == "OPLS":
            check(name, residual(model, X, Y, ridge), 1e-2)
        record(name, spent)
        times[name] = spent
        used = memory.most - memory.before + size
        rows.append([name, seconds(spent), f"{used / 2**30:.2f} GiB", f"{used / size:.2f}×"])
        print(*rows[-1], flush=True)
    shared, beside = times["SharedSubspaceClassifier"], times["OPLS"]
    record("SharedSubspaceClassifier beside OPLS", shared, beside)
    return (
        f"{n:,} rows × {d:,} features, {entries} entries a row, {q} labels, float32, made by a "
        f"generator ({size / 2**30:.2f} GiB with the labels); a ridge of {BETA:g} n, residuals to "
        f"{TOL:g}. Memory is the most that the process had in the fit, the data included. "
        f"SharedSubspaceClassifier takes {shared / beside:.2f} times as long as OPLS.\n\n"
        + table(["method", "time", "memory", "of the data's"], rows)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--features", type=int, default=FEATURES)
    arguments = parser.parse_args()
    print(run(arguments.rows, arguments.features))
