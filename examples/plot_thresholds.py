"""
Thresholds: where to cut
========================

F1 depends on where scores are cut as much as on the scores. ``ThresholdTuner`` finds the best cut
of every label, on scores of rows that the model has not seen, around any classifier.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidge, ThresholdTuner
from colabel.datasets import load_debtags
from colabel.metrics import f1

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
train, test = data.split
train = train[:1000]

# %%
# One cut for each label, one for all, or a number of labels for each row.

values = {"cut at 0": LabelRidge(1.0).fit(X[train], Y[train]).predict(X[test])}
for strategy in ("global", "per-label", "cardinality"):
    tuner = ThresholdTuner(LabelRidge(1.0), strategy=strategy, random_state=0)
    values[strategy] = tuner.fit(X[train], Y[train]).predict(X[test])
for name, found in values.items():
    macro, micro = (f1(Y[test], found, average=average) for average in ("macro", "micro"))
    print(f"{name:12} macro F1 {macro:.3f}   micro F1 {micro:.3f}")

# %%
# The same for one label, at every cut that there is: the line marks the one that was tuned on
# training rows.

tuner = ThresholdTuner(LabelRidge(1.0), random_state=0).fit(X[train], Y[train])
scores = tuner.uncut_scores(X[test])
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for label, colour in zip(
    np.argsort(-Y[train].sum(axis=0))[[0, 10, 30]], ("C0", "C1", "C2"), strict=True
):
    cuts = np.quantile(scores[:, label], np.linspace(0.3, 0.999, 60))
    at = [f1(Y[test][:, [label]], scores[:, [label]] > cut, average="macro") for cut in cuts]
    ax.plot(cuts, at, color=colour, label=data.label_names[label])
    ax.axvline(tuner.thresholds_[label], color=colour, linestyle=":")
ax.set(xlabel="where scores are cut", ylabel="F1 of the label on test rows")
ax.legend()
