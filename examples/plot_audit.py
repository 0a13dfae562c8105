"""
Labels that are probably wrong
==============================

``audit`` gives every entry of Y the probability of the opposite, by models that have not seen its
row. Here 2% of the entries of real data are turned round, to see how many of them it finds first.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import roc_auc_score

from colabel import audit
from colabel.datasets import load_debtags

data = load_debtags()
X = TfidfTransformer(sublinear_tf=True).fit_transform(data.X[:1500])
Y = data.Y[:1500].toarray()
turned = np.random.default_rng(0).random(Y.shape) < 0.02
found = audit(X, np.where(turned, 1 - Y, Y))
auc = roc_auc_score(turned.ravel(), found.suspicion.ravel())
print(f"AUC of finding what was turned round: {auc:.3f}")

# %%
order = np.argsort(-found.suspicion, axis=None)
share = np.cumsum(turned.ravel()[order]) / turned.sum()
looked_at = np.arange(1, turned.size + 1) / turned.size
fig, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.plot(looked_at, share, label="the most suspicious first")
ax.plot([0, 1], [0, 1], ":", color="grey", label="in any order")
ax.set(
    xlabel="share of the entries looked at", ylabel="share of the wrong ones found", xlim=(0, 0.5)
)
ax.legend()

# %%
# Without any slip of ours: tags that people probably forgot.

for one in audit(X, pd.DataFrame(Y, columns=data.label_names)).suspects(5, "missing"):
    print(f"{data.row_names[one.row]:20} {one.label}")
