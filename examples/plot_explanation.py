"""
Why does a program get its tags?
================================

``explain`` splits a score exactly into what each word adds, through TF-IDF and all: the bars
below, with the base, sum to the score. With a shared subspace it also says how much of it goes
through what labels share.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from colabel import SharedSubspaceClassifier, explain
from colabel.datasets import load_debtags

data = load_debtags()
train, test = data.split
train = train[:1000]
model = make_pipeline(
    TfidfTransformer(sublinear_tf=True), SharedSubspaceClassifier(1.0, 0.01, n_components=10)
)
model.fit(data.X[train], data.Y[train])
row = test[0]
found = explain(model, data.X[[row]])

# %%
best = found.scores[0].argsort()[::-1][:3]
fig, axes = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained")
for ax, label in zip(axes, best, strict=True):
    parts = found.strongest(0, label, 8)
    names = [str(part[0]) for part in parts]
    words = [data.feature_names[int(n[1:])] if n[1:].isdigit() else n for n in names]
    ax.barh(words, [part[1] for part in parts])
    ax.invert_yaxis()
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set_title(
        f"{data.label_names[label]}\nscore {found.scores[0, label]:+.2f}", fontsize="medium"
    )
    most = next(word for word in words if word != "(base)")
    print(f"{data.row_names[row]}, {data.label_names[label]}: most through {most}")
