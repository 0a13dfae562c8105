"""
Large and sparse: nothing is made dense
=======================================

30,000 generated documents of 50 words out of 50,000, with 40 labels. A tenth of a document's words
are those of its labels: directions of largest variance need not find them, others do.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import colabel
from colabel.metrics import roc_auc

ROWS, WORDS, LENGTH, OWN, LABELS = 30_000, 50_000, 50, 5, 40


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


X, Y = documents(np.random.default_rng(0))
stored = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
print(f"{ROWS:,} × {WORDS:,}: {stored:.0f} MiB as it is, {ROWS * WORDS / 2**27:.0f} GiB dense")

# %%
half = ROWS // 2
extractors = [colabel.PCA(10, random_state=0), colabel.MDDMp(10), colabel.MDDMp()]
seconds, aucs, names = [], [], []
for extractor in extractors:
    start = time.perf_counter()
    Z = extractor.fit(X[:half], Y[:half]).transform(X)
    model = colabel.LabelRidge(1.0).fit(Z[:half], Y[:half])
    seconds.append(time.perf_counter() - start)
    aucs.append(roc_auc(Y[half:], model.decision_function(Z[half:])))
    names.append(f"{type(extractor).__name__}, {extractor.n_components_} directions")
    print(f"{names[-1]:21} by the {extractor.solver_} solver, and ridge: AUC {aucs[-1]:.3f}")

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 2.5), layout="constrained", sharey=True)
left.barh(names, aucs)
left.set(xlabel="AUC of the other half", xlim=(0.4, 1))
left.invert_yaxis()
right.barh(names, seconds, color="tab:orange")
right.set(xlabel="seconds")
