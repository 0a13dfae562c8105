"""
Genes: functions that go together
=================================

Genes of yeast, described by how they are expressed, with fourteen groups of functions. Most genes
have several, and some functions nearly always come together.
"""

import matplotlib.pyplot as plt
import numpy as np
from found import found_or_generated, halves

import colabel
from colabel.metrics import f1, ranking_loss, roc_auc

data = found_or_generated("yeast", rows=2417, features=103, labels=14, cardinality=4.24)
X, Y, new, truth = halves(data)
X, Y = X[:800], Y[:800]
print(f"{X.shape[0]} genes to learn from, {X.shape[1]} features, {Y.shape[1]} labels")

# %%
# Which functions go together?

alike = np.corrcoef(Y.T)
fig, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
shown = ax.imshow(alike, cmap="RdBu_r", vmin=-1, vmax=1)
ax.set_xticks(range(len(alike)), data.label_names, rotation=90)
ax.set_yticks(range(len(alike)), data.label_names)
fig.colorbar(shown, label="correlation of labels")
np.fill_diagonal(alike, 0)
first, second = np.unravel_index(np.argmax(alike), alike.shape)
names = data.label_names
print(f"most alike: {names[first]} and {names[second]}, correlation {alike.max():.2f}")

# %%
# Classifiers that can, and that cannot, use that; and one that sees more than straight lines.

models = {
    "ridge, cut at 0": colabel.LabelRidge(1.0),
    "ridge, tuned": colabel.LabelRidgeCV(verbose=False, random_state=0),
    "shared subspace, tuned": colabel.SharedSubspaceClassifierCV(verbose=False, random_state=0),
    "RankSVM": colabel.RankSVM(1.0),
    "kernel ridge, tuned": colabel.LabelRidgeCV(kernel="rbf", verbose=False, random_state=0),
}
values = {}
for name, model in models.items():
    scores = model.fit(X, Y).uncut_scores(new)
    values[name] = f1(truth, model.predict(new), average="macro")
    print(
        f"{name:24} macro F1 {values[name]:.3f}   "
        f"ranking loss {ranking_loss(truth, scores):.3f}   AUC {roc_auc(truth, scores):.3f}"
    )

# %%
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(values), list(values.values()))
ax.invert_yaxis()
ax.set(xlabel="macro F1 of test genes")
