"""
Penalties: a whole grid on one factorisation
============================================

``SharedSubspaceClassifierCV`` judges every pair of penalties by rows left out one by one, in
closed form. ``plot_grid`` draws what it found.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import SharedSubspaceClassifierCV
from colabel.datasets import load_debtags

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y
rows = data.split[0][:600]
model = SharedSubspaceClassifierCV(random_state=0, verbose=False).fit(X[rows], Y[rows])
print(
    f"best: alpha {model.alpha_:g}, beta {model.beta_:g}, macro F1 {model.best_score_:.3f} held out"
)

# %%
# The lowest row has no penalty of its own for what is not shared: there it is ridge regression.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
model.plot_grid(ax)
