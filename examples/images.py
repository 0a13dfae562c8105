"""Scenes in images: how many directions each extractor needs, and what they are worth.

One factorisation of the images serves all extractors; the same ridge follows each.
"""

from found import found_or_generated, halves

import colabel
from colabel.metrics import f1, hamming_loss

EXTRACTORS = {
    "all features": None,
    "PCA": colabel.PCA(0.999),
    "MDDMp": colabel.MDDMp(0.999),
    "LabelCCA": colabel.LabelCCA(0.999),
    "MVMD": colabel.MVMD(0.999),
}


def main():
    data = found_or_generated("scene", rows=2407, features=294, labels=6, cardinality=1.07)
    X, Y, new, truth = halves(data)
    print(f"{X.shape[0]} images to learn from, {X.shape[1]} features, {Y.shape[1]} labels")
    fm = colabel.factor(X)
    for name, extractor in EXTRACTORS.items():
        Z, Znew, kept = fm, new, X.shape[1]
        if extractor is not None:
            extractor.fit(fm, Y)
            Z, Znew, kept = (
                extractor.transform(fm),
                extractor.transform(new),
                extractor.n_components_,
            )
        found = colabel.LabelRidge(0.01).fit(Z, Y).predict(Znew)
        print(
            f"{name:13} {kept:4} directions   Hamming loss {hamming_loss(truth, found):.4f}   "
            f"F1 {f1(truth, found):.4f}"
        )


if __name__ == "__main__":
    main()
