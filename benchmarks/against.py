"""Fits of this checkout in turns with those of another: ``python -m benchmarks.against PATH``.

PATH is the root of the other checkout (a git worktree of the last release). Each has a process of
its own, which makes the same data and fits when asked, some times in a turn; the least counts.
Works are written with names that both versions have. ``--cpu`` counts seconds of CPU on one thread,
for a machine that has other work.
"""

import argparse
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
#: Turns of a work: at least, at most, and until a version has had so many seconds.
LEAST, MOST, ENOUGH = 4, 12, 2.0
#: Fits in a turn, and seconds before it: after a fit, threads of one BLAS wait for work for a
#: while, which slows down what the other version does next.
FITS, PAUSE = 5, 0.2
#: Above this the new is called slower.
LIMIT = 1.05
EXTRACTORS = ("PCA", "MDDMp", "MDDMf", "MVMD", "LabelCCA", "OPLS", "OCM", "MLSI", "MLDA", "DMLDA")


@cache
def dense(n, d, q, dtype="float64"):
    import numpy as np

    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, q))
    X = (Z @ rng.normal(size=(q, d)) + 3 * rng.normal(size=(n, d))).astype(dtype)
    return X, (Z + rng.normal(size=(n, q)) > 1).astype(int)


@cache
def public(name, rows=None):
    import scipy.sparse as sp

    from colabel.datasets import load

    found = load(Path(os.environ["COLABEL_DATA"]) / f"{name}.svm.xz")
    Y = (found.Y.toarray() if sp.issparse(found.Y) else found.Y).astype(int)[:rows]
    X = sp.csr_array(found.X)[:rows]
    X = X.toarray() if X.nnz > 0.5 * X.shape[0] * X.shape[1] else X
    return X, Y[:, (Y.any(axis=0)) & (~Y.all(axis=0))]


def half_labelled(name, rows):
    """As `public`, the labels of every second row unknown."""
    X, Y = public(name, rows)
    Y = Y.copy()
    Y[1::2] = -1
    return X, Y


def works():
    """Of each work, a model to fit and the data it is fitted on; made when asked for."""
    import colabel
    from colabel import semi_supervised

    try:
        from colabel import tuning
    except ImportError:  # 0.1
        from colabel import classifiers as tuning
    made = {}

    def add(name, model, *data):
        made[name] = (model, data)

    tall, enron = (dense, 4000, 300, 30), (public, "enron")
    rcv1, floats = (public, "rcv1subset1", 2500), (dense, 20_000, 384, 100, "float32")
    for name in EXTRACTORS:
        add(f"{name}, dense 4000×300", getattr(colabel, name), *tall)
        add(f"{name}, enron", getattr(colabel, name), *enron)
    for kind in ("clique", "star", "zhou", "cca"):
        model = lambda kind=kind: colabel.HypergraphSpectral(laplacian=kind)  # noqa: E731
        add(f"HypergraphSpectral {kind}, dense 4000×300", model, *tall)
        add(f"HypergraphSpectral {kind}, enron", model, *enron)
    for name, data in (
        ("dense 4000×300", tall),
        ("enron", enron),
        ("rcv1, 2500 rows", rcv1),
        ("20,000×384 float32", floats),
    ):
        add(f"LabelRidge, {name}", colabel.LabelRidge, *data)
        add(f"SharedSubspaceClassifier, {name}", colabel.SharedSubspaceClassifier, *data)
        add(f"OPLS, {name}", colabel.OPLS, *data)
    add("PCA(20), rcv1, 2500 rows", lambda: colabel.PCA(20, random_state=0), *rcv1)
    for name in ("emotions", "scene"):
        for loss in ("hinge", "squared_hinge"):
            model = lambda loss=loss: colabel.ASOClassifier(loss=loss)  # noqa: E731
            add(f"ASO {loss}, {name}", model, public, name, 800)
        add(f"RankSVM, {name}", colabel.RankSVM, public, name, 800)
        add(f"MtSDA, {name}", lambda: colabel.MtSDA(max_iter=20), public, name, 800)
        add(f"LabelRidgeCV, {name}", tuning.LabelRidgeCV, public, name, 800)
        searched = tuning.SharedSubspaceClassifierCV
        add(f"SharedSubspaceClassifierCV, {name}", searched, public, name, 800)
    add("CNMF, scene", semi_supervised.CNMF, half_labelled, "scene", 800)
    return made


def serve(cpu):
    """Fit what is asked for, a name a line, and answer with the seconds."""
    import warnings

    warnings.simplefilter("ignore")
    clock = time.process_time if cpu else time.perf_counter
    known = works()
    print(*known, sep="\t", flush=True)
    for line in sys.stdin:
        model, (data, *arguments) = known[line.rstrip("\n")]
        X, Y = data(*arguments)
        try:
            print(min(seconds(model, X, Y, clock) for _ in range(FITS)), flush=True)
        except Exception as error:  # one version may not know a parameter
            print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)


def seconds(model, X, Y, clock):
    """What a fit takes."""
    fitted = model()
    start = clock()
    fitted.fit(X, Y)
    return clock() - start


class Version:
    """The process of a checkout."""

    def __init__(self, root, cpu):
        environment = {**os.environ, "PYTHONPATH": str(Path(root).resolve() / "src")}
        if cpu:
            environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", *["--cpu"] * cpu],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.works = self.process.stdout.readline().rstrip("\n").split("\t")

    def fit(self, work):
        """Seconds of the fastest fit of a turn; what went wrong, if it did."""
        time.sleep(PAUSE)
        print(work, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        try:
            return float(answer)
        except ValueError:
            return answer


def compared(work, before, after):
    """The least seconds of both; or what either could not do."""
    for version in (before, after):  # makes the data, and compiles
        first = version.fit(work)
        if isinstance(first, str):
            return first
    turns, spent = [], 0.0
    while len(turns) < MOST and (len(turns) < LEAST or spent < ENOUGH):
        turns.append((before.fit(work), after.fit(work)))
        spent += FITS * max(turns[-1])
    return tuple(min(times) for times in zip(*turns, strict=True))


def main(path, names, cpu):
    before, after = Version(path, cpu), Version(HERE, cpu)
    slower = []
    for work in after.works:
        if work not in before.works or not all(name in work for name in names):
            continue
        found = compared(work, before, after)
        if isinstance(found, str):
            print(f"{work}: {found}", flush=True)
            continue
        old, new = found
        mark = "  <- slower" if new > LIMIT * old else ""
        print(
            f"{work:55} {1e3 * old:9.2f} ms {1e3 * new:9.2f} ms {new / old:6.2f}{mark}", flush=True
        )
        if mark:
            slower.append((new / old, work))
    print(f"slower by more than {LIMIT - 1:.0%}: {len(slower)}")
    for ratio, work in sorted(slower, reverse=True):
        print(f"  {ratio:.2f}  {work}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", help="the root of the other checkout")
    parser.add_argument("names", nargs="*", help="parts of the names of works")
    parser.add_argument("--cpu", action="store_true", help="seconds of CPU, on one thread")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.cpu)
    else:
        main(given.path, given.names, given.cpu)
