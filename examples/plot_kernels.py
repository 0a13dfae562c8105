"""
Kernels: where no straight line will do
=======================================

Two labels of points in the plane, neither of which a straight line tells. With ``kernel="rbf"``
the same classifier, tuned the same way, sees them; its width is chosen for the price of one
factorisation each.
"""

import matplotlib.pyplot as plt
import numpy as np

from colabel import LabelRidgeCV

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 2))
Y = np.column_stack([np.hypot(*X.T) < 1, X[:, 0] * X[:, 1] > 0]).astype(int)
train, test = X[:300], X[300:]

# %%
models = {
    "linear": LabelRidgeCV(random_state=0).fit(train, Y[:300]),
    'kernel="rbf"': LabelRidgeCV(kernel="rbf", random_state=0).fit(train, Y[:300]),
}
for name, model in models.items():
    right = (model.predict(test) == Y[300:]).mean()
    print(f"{name:14} {right:.2f} of the labels are right")

# %%
at = np.linspace(-2.5, 2.5, 120)
grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
fig, axes = plt.subplots(2, 2, figsize=(7, 6.5), layout="constrained", sharex=True, sharey=True)
for row, (name, model) in zip(axes, models.items(), strict=True):
    scores = model.decision_function(grid)
    for label, ax in enumerate(row):
        ax.contourf(at, at, scores[:, label].reshape(120, 120) > 0, levels=1, alpha=0.25)
        ax.scatter(*test.T, c=Y[300:, label], s=6, cmap="coolwarm")
        ax.set_title(f"{name}, label {label}")
