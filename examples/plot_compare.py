"""
Which of them? Ask the data
===========================

``colabel.compare`` fits methods on the same splits, tunes each inside of them, and says which is
best and how sure that is. ``to_html()`` is the whole report.
"""

import matplotlib.pyplot as plt
import numpy as np

import colabel
from colabel.datasets import load_debtags

data = load_debtags()
rows = data.split[0][:400]
comparison = colabel.compare(
    data.X[rows],
    data.Y[rows],
    methods=["label-ridge", "pca", "opls", "ocm"],
    metrics=["f1_macro"],
    quick=True,
    n_jobs=1,
    progress=False,
)

# %%
# A dot for each split; the methods are close, and two splits are few.

scores = {}
for result in comparison.results:
    scores.setdefault(result.method, []).append(result.scores["f1_macro"])
names = sorted(scores, key=lambda name: np.mean(scores[name]))
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for place, name in enumerate(names):
    ax.plot(scores[name], [place] * len(scores[name]), "o", color="C0", alpha=0.6)
    ax.plot(np.mean(scores[name]), place, "|", color="black", markersize=18)
ax.set_yticks(range(len(names)), names)
ax.set(xlabel="macro F1 of test rows")

# %%
# What the report says of it, for a terminal or a page:

print(comparison.to_markdown().split("##")[0])
