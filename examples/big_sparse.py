"""A large sparse matrix on a laptop: nothing is ever made dense.

60,000 generated documents of 50 words out of 50,000, with 40 labels. A tenth of a document's words
are those of its labels: directions of largest variance need not find them, others do.
"""

import time

import numpy as np
import scipy.sparse as sp

import colabel
from colabel.metrics import roc_auc

ROWS, WORDS, LENGTH, OWN, LABELS = 60_000, 50_000, 50, 5, 40


def documents(rng):
    """Word counts, and two labels a row; a tenth of the words are those of its labels."""
    labels = rng.integers(LABELS, size=(ROWS, 2))
    own = WORDS // (2 * LABELS)
    places = rng.integers(WORDS // 2, size=(ROWS, LENGTH))
    chosen = np.take_along_axis(labels, rng.integers(2, size=(ROWS, OWN)), axis=1)
    places[:, :OWN] = WORDS // 2 + chosen * own + rng.integers(own, size=chosen.shape)
    starts = np.arange(0, ROWS * LENGTH + 1, LENGTH)
    X = sp.csr_array((np.ones(ROWS * LENGTH), places.ravel(), starts), shape=(ROWS, WORDS))
    X.sum_duplicates()
    Y = np.zeros((ROWS, LABELS), dtype=np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    return X, Y


def main():
    X, Y = documents(np.random.default_rng(0))
    stored = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
    print(f"{ROWS:,} × {WORDS:,}: {stored:.0f} MiB as it is, {ROWS * WORDS / 2**27:.0f} GiB dense")
    half = ROWS // 2
    for extractor in (colabel.PCA(10, random_state=0), colabel.MDDMp(10), colabel.MDDMp()):
        start = time.perf_counter()
        Z = extractor.fit(X[:half], Y[:half]).transform(X)
        model = colabel.LabelRidge(1.0).fit(Z[:half], Y[:half])
        seconds = time.perf_counter() - start
        auc = roc_auc(Y[half:], model.decision_function(Z[half:]))
        name = type(extractor).__name__
        print(
            f"{name:6} {extractor.n_components_:3} directions by the {extractor.solver_} solver, "
            f"and ridge: {seconds:5.1f} s   AUC {auc:.3f}"
        )


if __name__ == "__main__":
    main()
