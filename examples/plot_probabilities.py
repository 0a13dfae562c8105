"""
Probabilities: is nine of ten nine of ten?
==========================================

``predict_proba`` of the classifiers that tune themselves comes from scores of rows that a model
has not seen. Of all tags that are given 70%, about 70% should be there. A forest is beside them,
as it is and through ``ProbabilityCalibrator``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidgeCV, ProbabilityCalibrator
from colabel.datasets import load_debtags
from colabel.metrics import log_loss, reliability

data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
train, test = data.split
train = train[:700]
forest = RandomForestClassifier(30, max_features=0.05, random_state=0)

# %%
said = {"LabelRidgeCV": LabelRidgeCV(random_state=0).fit(X[train], Y[train]).predict_proba(X[test])}
of_each = forest.fit(X[train], Y[train]).predict_proba(X[test])
said["forest, as it is"] = np.column_stack([p[:, 1] for p in of_each])
calibrated = ProbabilityCalibrator(forest, cv=3).fit(X[train], Y[train])
said["forest, calibrated"] = calibrated.predict_proba(X[test])

# %%
fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
for ax, (name, P) in zip(axes, said.items(), strict=True):
    found = reliability(Y[test], P)
    found.plot(ax)
    ax.set_title(f"{name}\ncalibration error {found.error:.3f}")
    print(f"{name:20} calibration error {found.error:.3f}   log loss {log_loss(Y[test], P):.3f}")
