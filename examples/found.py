"""Real data where they are found, generated data of the same shape where not."""

import os
from pathlib import Path

from colabel.datasets import load, make_multilabel_subspace


def found_or_generated(name, *, rows, features, labels, cardinality):
    """The data set `name` from a folder of data, or one that is generated, and said to be."""
    folder = Path(os.environ.get("COLABEL_DATA", "data"))
    for path in (folder / f"{name}.arff", folder / f"{name}.svm.xz"):
        if path.is_file():
            return load(path)
    print(
        f"{name} is not in {folder}: going on with generated data of its shape. The real ones: "
        f"{name}.arff and {name}.xml from https://mulan.sourceforge.net/datasets-mlc.html into "
        f"{folder}, or colabel.datasets.load({name!r}), which fetches them from OpenML"
    )
    return make_multilabel_subspace(
        rows,
        features,
        labels,
        n_components=labels // 2,
        cardinality=cardinality,
        noise=0.5,
        random_state=0,
    )


def halves(data):
    """The standard training and test rows, or the first half and the rest."""
    half = data.X.shape[0] // 2
    train, test = data.split or (slice(None, half), slice(half, None))
    X, Y = data.X, data.Y.toarray()
    return X[train], Y[train], X[test], Y[test]
