"""Kernels: where they pay."""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.measure import FOLDER, check, table
from benchmarks.scaling import FEWEST, scaled, split
from colabel import LabelRidgeCV
from colabel.datasets import load
from colabel.metrics import f1, roc_auc
from colabel.scales import kind_of
from colabel.tuning import OutOfFoldSearch

TRAIN, TEST, SPLITS = 1000, 2000, 2
#: Features of which trees take minutes, as `compare` has it.
WIDEST_FOREST = 1500


def forest(seed):
    """100 trees, tuned as in a comparison: leaves and thresholds by out-of-bag votes."""
    return OutOfFoldSearch(
        RandomForestClassifier(random_state=seed),
        {"min_samples_leaf": [1, 3]},
        cv="oob",
        random_state=seed,
    )


METHODS = {
    "ridge": lambda seed: LabelRidgeCV(random_state=seed, verbose=False),
    "kernel ridge": lambda seed: LabelRidgeCV(kernel="rbf", random_state=seed, verbose=False),
    "random forest": forest,
}


def run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grids
        return quality()


def quality():
    paths = sorted(FOLDER.glob("*.svm.xz"))
    check("data sets found, of one or more", max(0, 1 - len(paths)), 0)
    lines = [judge(load(path)) for path in paths]
    opening = (
        f"{SPLITS} random splits of each set into {TRAIN} training and "
        f"{TEST} test rows, or two thirds and a third; labels of at least {FEWEST[0]} training and "
        f"{FEWEST[1]} test rows; features prepared as by `--scale auto`. Ridge regression and its "
        "form with a Gaussian kernel are tuned by leave-one-out with their default grids, the "
        "forest by out-of-bag votes; thresholds of all by the same. Macro F1 and macro AUC of the "
        "test rows, means over the splits; bold the best.\n"
    )
    header = ("", "kind", "rows × features × labels", *(f"F1, {name}" for name in METHODS))
    return "\n".join([opening, table((*header, *(f"AUC, {name}" for name in METHODS)), lines)])


def judge(found):
    print(f"  {found.name}", flush=True)
    scores, shape = [], None
    for seed in range(SPLITS):
        X, Y, X_test, Y_test = split(found, seed, (TRAIN, TEST))
        X, X_test = scaled(kind_of(found).scale, X, X_test)
        shape = shape or (*X.shape, Y.shape[1])
        scores.append([score(make(seed), (X, Y), (X_test, Y_test)) for make in METHODS.values()])
    means = np.mean(scores, axis=0)
    cells = [bold(means[:, i]) for i in range(means.shape[1])]
    kind = kind_of(found).name
    return (found.name, kind, "×".join(map(str, shape)), *cells[0], *cells[1])


def score(model, training, test):
    """Macro F1 and macro AUC of test rows; none of a forest where `compare` would not grow one."""
    (X, Y), (X_test, Y_test) = training, test
    if isinstance(model, OutOfFoldSearch) and X.shape[1] > WIDEST_FOREST:
        return np.nan, np.nan
    model.fit(X, Y)
    X, Y = X_test, Y_test
    ranked = model.uncut_scores(X) if hasattr(model, "uncut_scores") else model.decision_function(X)
    return f1(Y, model.predict(X), average="macro"), roc_auc(Y, ranked, average="macro")


def bold(values):
    best = np.nanmax(values)
    shown = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in values]
    return ["–" if np.isnan(value) else text for value, text in zip(values, shown, strict=True)]


if __name__ == "__main__":
    print(run())
