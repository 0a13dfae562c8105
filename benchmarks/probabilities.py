"""How far probabilities can be trusted, beside calibrated logistic regression."""

import warnings

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from benchmarks.measure import FOLDER, check, table
from benchmarks.scaling import FEWEST, scaled, split
from colabel import LabelRidgeCV, SharedSubspaceClassifierCV
from colabel.datasets import load
from colabel.metrics import calibration_error, log_loss
from colabel.scales import kind_of

SETS = ("scene", "yeast", "emotions", "enron", "birds", "bibtex")
TRAIN, TEST, SPLITS = 1000, 2000, 5
OURS, BARE, PEER = "LabelRidgeCV", "its scores, not calibrated", "logistic regression, calibrated"
SHARED = "SharedSubspaceClassifierCV"
TUNED = "LabelRidgeCV(scoring='log_loss')"
LOGISTIC = "logistic regression as it is"


def run():
    paths = [FOLDER / f"{name}.svm.xz" for name in SETS]
    check("data sets found, of six", sum(not path.exists() for path in paths), 0)
    found = {path.name.split(".")[0]: measured(load(path)) for path in paths}
    opening = (
        f"{SPLITS} random splits of each set into {TRAIN} training and {TEST} test rows, or two "
        f"thirds and a third; labels of at least {FEWEST[0]} training and {FEWEST[1]} test rows; "
        "features prepared as by `--scale auto`. Logistic regression is one-vs-rest with "
        "scikit-learn's `CalibratedClassifierCV(method='sigmoid', cv=5)`. Scores that are not "
        "calibrated are moved from ±1 to 0 and 1, and clipped.\n"
    )
    tables = [judged(what, {name: means[i] for name, means in found.items()})
              for i, what in enumerate(("Log loss, mean over labels",
                                        "Calibration error, all decisions pooled",
                                        "Calibration error, mean over labels"))]  # fmt: skip
    return "\n".join([opening, *tables])


def measured(data):
    """Three measures of each way, means and standard errors of the splits."""
    print(f"  {data.name}", flush=True)
    found = []
    for seed in range(SPLITS):
        X_train, Y_train, X_test, Y_test = split(data, seed, (TRAIN, TEST))
        X_train, X_test = scaled(kind_of(data).scale, X_train, X_test)
        chances = fitted(X_train, Y_train, X_test, seed)
        found.append({name: measures(Y_test, P) for name, P in chances.items()})
    return [{name: spread([one[name][i] for one in found]) for name in found[0]} for i in range(3)]


def spread(values):
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def measures(Y, P):
    P = np.clip(P, 1e-6, 1 - 1e-6)
    return (
        log_loss(Y, P, average="macro"),
        calibration_error(Y, P),
        calibration_error(Y, P, average="macro"),
    )


def fitted(X, Y, X_test, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ends of the grid, and of iterations of the peer
        ridge = LabelRidgeCV(random_state=seed, verbose=False).fit(X, Y)
        tuned = LabelRidgeCV(scoring="log_loss", random_state=seed, verbose=False).fit(X, Y)
        shared = SharedSubspaceClassifierCV(random_state=seed, verbose=False).fit(X, Y)
        logistic = LogisticRegression(max_iter=300)
        plain = OneVsRestClassifier(logistic).fit(X, Y)
        peer = OneVsRestClassifier(CalibratedClassifierCV(logistic, method="sigmoid", cv=5))
        peer.fit(X, Y)
    return {
        OURS: ridge.predict_proba(X_test),
        TUNED: tuned.predict_proba(X_test),
        SHARED: shared.predict_proba(X_test),
        BARE: np.clip((1 + ridge.uncut_scores(X_test)) / 2, 0, 1),
        PEER: peer.predict_proba(X_test),
        LOGISTIC: plain.predict_proba(X_test),
    }


def judged(what, found):
    ways = list(next(iter(found.values())))
    rows = [
        (name, *(f"{mean:.4f} ± {error:.4f}" for mean, error in of_set.values()))
        for name, of_set in found.items()
    ]

    def no_worse(one, other):
        return sum(of_set[one][0] <= of_set[other][0] for of_set in found.values())

    said = (
        f"**{OURS} is no worse than {PEER} on {no_worse(OURS, PEER)} of {len(found)} sets "
        f"({no_worse(TUNED, PEER)} with its penalty chosen for log loss), and than its own scores "
        f"on {no_worse(OURS, BARE)}** (means over the splits, ± their standard error).\n"
    )
    return "\n".join([f"### {what}\n", said, table(["", *ways], rows)])


if __name__ == "__main__":
    print(run())
