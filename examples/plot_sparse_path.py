"""
Sparse directions: which words matter
=====================================

``MtSDA`` predicts combinations of labels by few features. As its penalty falls, words come in one
by one; ``plot_path`` draws them. ``plot_rho`` draws what ρ gains, which pulls the coefficients of
correlated words together: little here, and less than folds differ by.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import MtSDA, MtSDACV
from colabel.classifiers import coefficient_path, plot_path
from colabel.datasets import load_debtags

data = load_debtags()
X = TfidfTransformer(sublinear_tf=True).fit_transform(data.X)
rows = data.split[0][:600]
common = np.argsort(-np.asarray(data.X[rows].sum(axis=0)).ravel())[:200]
words = np.asarray(data.feature_names)[common]
Y = data.Y[rows].toarray()
Y = Y[:, Y.sum(axis=0) >= 40]

# %%
l1s, paths = coefficient_path(
    MtSDA(n_components=3, l2=0.01), X[rows][:, common].toarray(), Y, np.geomspace(0.02, 0.3, 12)
)
for l1, path in list(zip(l1s, paths, strict=True))[::3]:
    used = words[path.any(axis=0)]
    print(f"λ₁ {l1:.3f}: {len(used):3} of {len(words)} words, such as {', '.join(used[:4])}")

# %%
fig, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
plot_path(l1s, paths, names=words, ax=ax)

# %%
tuned = MtSDACV([0.03], [0.05], [0.0, 0.3, 0.6, 0.9], n_components=3, cv=3, random_state=0)
tuned.fit(X[rows][:, common].toarray(), Y)
print(f"best ρ: {tuned.rho_:g}, {tuned.scoring} {tuned.best_score_:.3f} held out")
fig, ax = plt.subplots(figsize=(7.5, 3.5), layout="constrained")
tuned.plot_rho(ax)
