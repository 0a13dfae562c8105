"""
Directions to look at
=====================

Each extractor maximises one thing under one constraint. The same programs in Debian along the
first two directions of four of them, coloured by three tags: PCA does not know the labels, the
others do.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

import colabel
from colabel.datasets import load_debtags

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
names = ["works-with::audio", "interface::commandline", "use::gameplaying"]
known = [name for name in names if name in data.label_names]
train, test = data.split
train, test = train[:1500], test[:700]

# %%
extractors = [
    colabel.PCA(2, random_state=0),
    colabel.MDDMp(2),
    colabel.OPLS(2, ridge=1.0),
    colabel.HypergraphSpectral(2, ridge=1.0),
]
fm = colabel.factor(X[train])
fig, axes = plt.subplots(2, 2, figsize=(8, 7), layout="constrained")
for ax, extractor in zip(axes.flat, extractors, strict=True):
    Z = extractor.fit(fm, Y[train]).transform(X[test])
    ax.scatter(*Z.T, s=4, color="0.8")
    for name in known:
        rows = Y[test][:, np.flatnonzero(data.label_names == name)[0]] == 1
        ax.scatter(*Z[rows].T, s=8, label=name)
    ax.set(title=type(extractor).__name__, xticks=[], yticks=[])
    print(f"{type(extractor).__name__}: by the {extractor.solver_} solver")
axes[0, 0].legend(markerscale=2)
