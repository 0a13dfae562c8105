"""What is done to the features first, and what it is worth: the measure behind ``--scale auto``."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from benchmarks.measure import FOLDER, check, table
from colabel import LabelRidgeCV
from colabel.datasets import load, load_debtags
from colabel.metrics import f1, roc_auc
from colabel.scales import SCALERS, kind_of

TRAIN, TEST, SPLITS = 1000, 1500, 2
#: Wide enough for every scale of X.
ALPHAS = np.logspace(-4, 6, 11)
#: What labels must have to be measured: so many training rows, so many test rows.
FEWEST = 10, 5
MEASURES = ("macro F1", "micro F1", "macro AUC")
#: Macro F1 that splits of this size do not tell apart.
NEAR = 0.01


def run():
    paths = sorted(FOLDER.glob("*.svm.xz"))
    check("data sets found, of one or more", max(0, 1 - len(paths)), 0)
    sets = [*map(load, paths), load_debtags()]
    kinds = [kind_of(data) for data in sets]
    found = [measured(data) for data in sets]
    return "\n".join([opening(kinds, found), *details(sets, kinds, found)])


def measured(data):
    """The means over the splits, a row of `MEASURES` for each preparation that fits the data."""
    names = [name for name in SCALERS if name != "tfidf" or data.X.min() >= 0]
    splits = [split(data, seed) for seed in range(SPLITS)]
    print(f"  {data.name}", flush=True)
    return {name: np.mean([scores(name, *part) for part in splits], axis=0) for name in names}


def split(data, seed, most=(TRAIN, TEST)):
    """X and Y of training and of test rows, two thirds and the others if they are not too many."""
    n = data.X.shape[0]
    order = np.random.default_rng(seed).permutation(n)
    size = min(most[0], n * 2 // 3)
    train, test = order[:size], order[size : size + most[1]]
    Y = [data.Y[rows].toarray() for rows in (train, test)]
    kept = np.all([part.sum(axis=0) >= least for part, least in zip(Y, FEWEST, strict=True)], 0)
    return data.X[train], Y[0][:, kept], data.X[test], Y[1][:, kept]


def scaled(name, X_train, X_test):
    if SCALERS[name] is None:
        return X_train, X_test
    scaler = clone(SCALERS[name]).fit(X_train)
    return tuple(sp.csr_array(scaler.transform(X)) for X in (X_train, X_test))


def scores(name, X_train, Y_train, X_test, Y_test):
    X_train, X_test = scaled(name, X_train, X_test)
    model = LabelRidgeCV(ALPHAS, random_state=0, verbose=False).fit(X_train, Y_train)
    predicted = model.predict(X_test)
    auc = roc_auc(Y_test, model.decision_function(X_test))
    return [f1(Y_test, predicted, average=how) for how in ("macro", "micro")] + [auc]


def opening(kinds, found):
    """How often the rule is near the best, and what each preparation would be worth alone."""
    best = [max(row[0] for row in results.values()) for results in found]
    chosen = [results[kind.scale][0] for kind, results in zip(kinds, found, strict=True)]
    lost = np.subtract(best, chosen)
    always = [
        (name, f"{np.mean([r.get(name, r['standard'])[0] for r in found]):.3f}") for name in SCALERS
    ]
    rows = [
        *always,
        ("**auto**", f"{np.mean(chosen):.3f}"),
        ("the best of each", f"{np.mean(best):.3f}"),
    ]
    return (
        f"`LabelRidgeCV` with thresholds, on {TRAIN} rows or two thirds, {SPLITS} splits; labels "
        f"of at least {FEWEST[0]} rows. `--scale auto` is within {NEAR} of the best macro F1 on "
        f"{np.sum(lost <= NEAR)} of {len(lost)} sets, and at most {lost.max():.3f} behind; the "
        "rule was made on these sets, so new ones may be less near. Where values are below 0, "
        "`tfidf` cannot be, and `standard` stands for it in the means.\n\n"
        + table(("always", "mean macro F1"), rows)
    )


def details(sets, kinds, found):
    for position, measure in enumerate(MEASURES):
        rows = []
        for data, kind, results in zip(sets, kinds, found, strict=True):
            cells = {name: row[position] for name, row in results.items()}
            shown = [shown_cell(name, cells, kind) for name in SCALERS]
            rows.append((data.name, kind.name, *shown))
        text = "Bold: the best; with a star: what `--scale auto` takes.\n\n" if not position else ""
        yield f"### {measure}\n\n{text}" + table(("", "taken for", *SCALERS), rows)


def shown_cell(name, cells, kind):
    if name not in cells:
        return "–"
    text = f"{cells[name]:.3f}"
    text = f"**{text}**" if cells[name] == max(cells.values()) else text
    return f"{text}\\*" if name == kind.scale else text


if __name__ == "__main__":
    print(run())
