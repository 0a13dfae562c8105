"""
Sparse directions: which words matter
=====================================

``MtSDA`` predicts combinations of labels by few features. As its penalty falls, words come in one
by one; ``plot_path`` draws them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import MtSDA
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
