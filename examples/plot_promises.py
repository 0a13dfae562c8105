"""
Sets with a promise
===================

``LabelSets`` finds sets that miss at most a given share of a row's labels, on average over new
rows: a guarantee for any classifier, if new rows are drawn as those of calibration were. A better
classifier needs smaller sets for it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidge, LabelSets
from colabel.datasets import load_debtags

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
train, test = data.split
fitted, kept_back = train[:1500], train[1500:2500]


def missed(Y, sets):
    """The mean share of a row's labels that are not in its set."""
    return np.mean(((Y == 1) & (sets == 0)).sum(axis=1) / np.maximum(Y.sum(axis=1), 1))


# %%
levels = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4]
models = {
    "ridge, 1500 programs": LabelRidge(1.0).fit(X[fitted], Y[fitted]),
    "ridge, 150 programs": LabelRidge(1.0).fit(X[fitted[:150]], Y[fitted[:150]]),
}
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for name, model in models.items():
    shares, sizes = [], []
    for level in levels:
        promise = LabelSets(model, recall=1 - level).fit(X[kept_back], Y[kept_back])
        sets = promise.predict(X[test])
        shares.append(missed(Y[test], sets))
        sizes.append(sets.sum(axis=1).mean())
        if level == 0.1:
            print(f"{name}: {shares[-1]:.3f} missed, {sizes[-1]:.1f} tags in a set")
    left.plot(levels, shares, "o-", label=name)
    right.plot(levels, sizes, "o-", label=name)
left.plot(levels, levels, ":", color="grey", label="what was promised")
left.set(xlabel="share that may be missed", ylabel="share missed of test rows")
right.set(xlabel="share that may be missed", ylabel="tags in a set")
left.legend()
