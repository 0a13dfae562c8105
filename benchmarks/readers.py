"""How fast files are read, beside the readers that people use."""

import lzma
from pathlib import Path
from tempfile import TemporaryDirectory

import arff
from sklearn.datasets import load_svmlight_file
from writers import as_arff

from benchmarks.measure import FOLDER, best_of, check, record, seconds, table
from colabel.datasets import load


def run(repeats=5):
    """Times of both on the same files, what is read being compared first."""
    data = load(FOLDER / "rcv1subset1.svm.xz")
    with TemporaryDirectory() as folder:
        svmlight, sparse_arff = Path(folder) / "rcv1.svm", Path(folder) / "rcv1.arff"
        svmlight.write_bytes(lzma.decompress((FOLDER / "rcv1subset1.svm.xz").read_bytes()))
        sparse_arff.write_text(as_arff(data))
        pairs = (
            ("svmlight", svmlight, "scikit-learn", with_scikit_learn),
            ("sparse ARFF", sparse_arff, "liac-arff, features and labels in one", with_liac_arff),
        )
        lines = []
        for kind, path, peer, read in pairs:
            ours, found = best_of(lambda path=path: load(path), repeats)
            check(f"X from {kind}", abs(found.X - data.X).max(), 0.0)
            check(f"Y from {kind}", abs(found.Y - data.Y).max(), 0.0)
            theirs, _ = best_of(lambda path=path, read=read: read(path), repeats)
            record(f"reading {kind}", ours, theirs)
            lines.append((kind, seconds(ours), peer, seconds(theirs), f"{theirs / ours:.2f}×"))
    n, d = data.X.shape
    opening = f"rcv1subset1, {n}×{d}, {data.X.nnz} entries, {data.Y.shape[1]} labels.\n\n"
    return opening + table(("", "colabel", "peer", "its time", "ratio"), lines)


def with_scikit_learn(path):
    return load_svmlight_file(str(path), multilabel=True)


def with_liac_arff(path):
    with path.open() as file:
        return arff.load(file, return_type=arff.COO)


if __name__ == "__main__":
    print(run())
