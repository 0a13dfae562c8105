"""Few labelled texts and many without labels: do the unlabelled ones help?

Debian packages, 100 of 2000 with their tags. Each unlabelled package is given its three highest
tags; F1 over all of them is what unlabelled rows can raise, or lower.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import CNMF, SGT
from colabel.datasets import load_debtags
from colabel.metrics import f1_at
from colabel.semi_supervised import LabelledOnly

ROWS, LABELLED, GIVEN = 2000, 100, 3


def main():
    data = load_debtags()
    rows = np.random.default_rng(0).permutation(data.X.shape[0])[:ROWS]
    X = TfidfTransformer().fit_transform(data.X[rows])
    Y = data.Y.toarray()[rows]
    labelled = np.arange(ROWS) < LABELLED
    print(f"{LABELLED} of {ROWS} packages have their tags, {Y.shape[1]} tags in all")
    models = {
        "ridge on the labelled rows": LabelledOnly(),
        "SGT, over neighbours": SGT(random_state=0),
        "CNMF, random start": CNMF(init="random", early_stopping=False, random_state=0),
        "CNMF, labels spread first": CNMF(random_state=0),
    }
    for name, model in models.items():
        scores = model.fit(X, Y, labelled=labelled).label_scores_[~labelled]
        print(f"{name:27} F1 at {GIVEN} tags {f1_at(Y[~labelled], scores, [GIVEN])[0]:.3f}")


if __name__ == "__main__":
    main()
