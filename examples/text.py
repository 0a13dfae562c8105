"""Tags for texts: Debian packages, described by words, and their debtags.

Shows what tuned thresholds are worth, and the tags that a package is given.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import LabelRidge, SharedSubspaceClassifierCV
from colabel.datasets import load_debtags
from colabel.metrics import f1, roc_auc


def main():
    data = load_debtags()
    X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(data.X), data.Y.toarray()
    train, test = data.split
    train = train[:1000]
    models = {
        "ridge, cut at 0": LabelRidge(1.0).fit(X[train], Y[train]),
        "shared subspace, tuned": SharedSubspaceClassifierCV(cv=3, random_state=0, verbose=False),
    }
    models["shared subspace, tuned"].fit(X[train], Y[train])
    print(f"{len(train)} packages to learn from, {X.shape[1]} words, {Y.shape[1]} tags")
    for name, model in models.items():
        scores = model.decision_function(X[test])
        found = (scores > 0).astype(int)
        print(
            f"{name:24} macro F1 {f1(Y[test], found, average='macro'):.3f}   "
            f"micro F1 {f1(Y[test], found, average='micro'):.3f}   "
            f"AUC {roc_auc(Y[test], scores):.3f}"
        )
    row = test[0]
    given = data.label_names[model.predict(X[[row]])[0] == 1]
    print(f"\n{data.row_names[row]}: {', '.join(given)}")
    print(f"its own tags: {', '.join(data.label_names[np.flatnonzero(Y[row])])}")


if __name__ == "__main__":
    main()
