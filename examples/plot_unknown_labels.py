"""
Labels that nobody knows
========================

Of many tables it is known of some rows only whether they have a label. NaN is such an entry: it
counts for nothing, and its row still counts for the other labels. Taking it for "no" costs
little while few entries are hidden, since thresholds are tuned, and much where most are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidgeCV
from colabel.datasets import load_debtags
from colabel.metrics import f1

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
train, test = data.split
train = train[:600]
labels = np.flatnonzero(Y[train].sum(axis=0) >= 30)
Y = Y[:, labels]

# %%
shares = [0.0, 0.4, 0.8]
values = {"unknown": [], "taken for no": []}
for share in shares:
    hidden = np.random.default_rng(0).random((len(train), len(labels))) < share
    for name, filling in (("unknown", np.nan), ("taken for no", 0.0)):
        seen = np.where(hidden, filling, Y[train])
        model = LabelRidgeCV(cv=3, random_state=0).fit(X[train], seen)
        values[name].append(f1(Y[test], model.predict(X[test]), average="macro"))
    both = "   ".join(f"{name} {found[-1]:.3f}" for name, found in values.items())
    print(f"{share:.0%} of the entries hidden, macro F1:   {both}")

# %%
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, found in values.items():
    ax.plot(shares, found, "o-", label=name)
ax.set(xlabel="share of the entries that are hidden", ylabel="macro F1 of test rows")
ax.legend()
