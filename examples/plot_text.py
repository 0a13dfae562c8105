"""
Text: tags for programs
=======================

Programs in Debian are described by words, and people gave them tags. Scores that are cut at 0 find
few of the rare tags; thresholds that are tuned on held-out scores find more, from the same words.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidge, SharedSubspaceClassifierCV
from colabel.datasets import load_debtags
from colabel.metrics import f1, roc_auc

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
train, test = data.split
train = train[:1000]
print(f"{len(train)} programs to learn from, {X.shape[1]} words, {Y.shape[1]} tags")

# %%
# Two models: one cut at 0, one with its penalties and thresholds tuned on rows left out one by one.

models = {
    "ridge, cut at 0": LabelRidge(1.0),
    "shared subspace, tuned": SharedSubspaceClassifierCV(random_state=0, verbose=False),
}
by_tag = {}
for name, model in models.items():
    scores = model.fit(X[train], Y[train]).decision_function(X[test])
    found = (scores > 0).astype(int)
    by_tag[name] = f1(Y[test], found, average=None)
    print(
        f"{name:24} macro F1 {f1(Y[test], found, average='macro'):.3f}   "
        f"micro F1 {f1(Y[test], found, average='micro'):.3f}   "
        f"AUC {roc_auc(Y[test], scores):.3f}"
    )

# %%
# It is the rare tags that gain.

count = Y[train].sum(axis=0)
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), marker in zip(by_tag.items(), "ox", strict=True):
    ax.semilogx(count, values, marker, label=name, alpha=0.8)
ax.set(xlabel="programs with the tag, of 1000", ylabel="F1 of the tag")
ax.legend()

# %%
# What does a program get, and what had people given it?

row = test[0]
given = data.label_names[models["shared subspace, tuned"].predict(X[[row]])[0] == 1]
print(f"{data.row_names[row]}: {', '.join(given)}")
print(f"its own tags: {', '.join(data.label_names[np.flatnonzero(Y[row])])}")
