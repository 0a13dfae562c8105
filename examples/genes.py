"""Functions of genes: labels that go together, and classifiers that can and cannot use that."""

import numpy as np
from found import found_or_generated, halves

import colabel
from colabel.metrics import f1, ranking_loss, roc_auc


def main():
    data = found_or_generated("yeast", rows=2417, features=103, labels=14, cardinality=4.24)
    X, Y, new, truth = halves(data)
    print(f"{X.shape[0]} genes to learn from, {X.shape[1]} features, {Y.shape[1]} labels")
    alike = np.corrcoef(Y.T)
    np.fill_diagonal(alike, 0)
    first, second = np.unravel_index(np.argmax(alike), alike.shape)
    names = data.label_names
    print(f"most alike: {names[first]} and {names[second]}, correlation {alike.max():.2f}\n")
    models = {
        "ridge": colabel.LabelRidge(1.0),
        "ridge, thresholds tuned": colabel.LabelRidgeCV(verbose=False, random_state=0),
        "shared subspace, tuned": colabel.SharedSubspaceClassifierCV(verbose=False, random_state=0),
        "RankSVM": colabel.RankSVM(1.0),
    }
    for name, model in models.items():
        scores = model.fit(X, Y).uncut_scores(new)
        print(
            f"{name:24} macro F1 {f1(truth, model.predict(new), average='macro'):.3f}   "
            f"ranking loss {ranking_loss(truth, scores):.3f}   AUC {roc_auc(truth, scores):.3f}"
        )


if __name__ == "__main__":
    main()
