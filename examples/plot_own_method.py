"""
A method of your own
====================

Ten lines make an extractor: what is to be maximised, under which constraint. It is a scikit-learn
transformer, takes sparse data, and is compared with the others by the same command.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfTransformer

import colabel
from colabel.datasets import load_debtags
from colabel.family import LinearExtractor, NonNegative, TraceProblem, similarity
from colabel.metrics import roc_auc


class Centroids(LinearExtractor):
    """The means of the labels, seen in units in which the data are uncorrelated."""

    ridge: NonNegative = 0.1

    def problem(self, Y):
        """Say what is maximised, and under which constraint."""
        return TraceProblem(similarity.class_means(Y), similarity.IDENTITY, b=self.ridge)


# %%
data = load_debtags()
X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y
train, test = data.split
train = train[:1000]
fm = colabel.factor(X[train])
numbers = (1, 2, 5, 10, 20, 40)
fig, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for kind in (Centroids, colabel.OCM, colabel.PCA):
    values = []
    for k in numbers:
        extractor = kind(k).fit(fm, Y[train])
        ridge = colabel.LabelRidge(0.1).fit(extractor.transform(fm), Y[train])
        values.append(roc_auc(Y[test], ridge.decision_function(extractor.transform(X[test]))))
    ax.semilogx(numbers, values, "o-", label=kind.__name__)
    print(f"{kind.__name__:9} AUC with {numbers[-1]} directions {values[-1]:.3f}")
ax.set(xlabel="directions", ylabel="AUC of test rows")
ax.legend()
