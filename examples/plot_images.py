"""
Images: how many directions are needed
======================================

Photographs of landscapes, described by colours in the cells of a grid, with the labels beach,
sunset, foliage, field, mountain and urban. One factorisation of the images serves all extractors;
the same ridge regression follows each.
"""

import matplotlib.pyplot as plt
from found import found_or_generated, halves

import colabel
from colabel.metrics import f1, hamming_loss

data = found_or_generated("scene", rows=2407, features=294, labels=6, cardinality=1.07)
X, Y, new, truth = halves(data)
print(f"{X.shape[0]} images to learn from, {X.shape[1]} features, {Y.shape[1]} labels")
fm = colabel.factor(X)

# %%
# ``n_components=0.999`` keeps as many directions as have 99.9% of the eigenvalues.

extractors = {
    "PCA": colabel.PCA(0.999),
    "MDDMp": colabel.MDDMp(0.999),
    "LabelCCA": colabel.LabelCCA(0.999),
    "MVMD": colabel.MVMD(0.999),
}
found = colabel.LabelRidge(0.01).fit(fm, Y).predict(new)
print(f"all features  {X.shape[1]:4} directions   F1 {f1(truth, found):.4f}")
for name, extractor in extractors.items():
    Z = extractor.fit(fm, Y).transform(fm)
    found = colabel.LabelRidge(0.01).fit(Z, Y).predict(extractor.transform(new))
    print(
        f"{name:13} {extractor.n_components_:4} directions   F1 {f1(truth, found):.4f}   "
        f"Hamming loss {hamming_loss(truth, found):.4f}"
    )

# %%
# How F1 grows with the number of directions: those that depend on the labels need fewer.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, kind in {"PCA": colabel.PCA, "MVMD": colabel.MVMD, "LabelCCA": colabel.LabelCCA}.items():
    values = []
    numbers = [k for k in (1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 200) if name != "LabelCCA" or k <= 5]
    for k in numbers:
        extractor = kind(k).fit(fm, Y)
        ridge = colabel.LabelRidge(0.01).fit(extractor.transform(fm), Y)
        values.append(f1(truth, ridge.predict(extractor.transform(new))))
    ax.semilogx(numbers, values, "o-", label=name)
ax.set(xlabel="directions", ylabel="F1 of test images")
ax.legend()
