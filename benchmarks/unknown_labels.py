"""How good models are of which half of the labels is known."""

import warnings

import numpy as np

from benchmarks.measure import FOLDER, table
from benchmarks.scaling import FEWEST, scaled, split
from colabel import LabelRidgeCV, SharedSubspaceClassifierCV
from colabel.datasets import load
from colabel.metrics import f1
from colabel.scales import kind_of

SETS = ("scene", "yeast", "emotions", "enron")
TRAIN, TEST, SPLITS = 1000, 2000, 5
METHODS = {"LabelRidgeCV": LabelRidgeCV, "SharedSubspaceClassifierCV": SharedSubspaceClassifierCV}
FULL, MASKED, AS_ZERO, COMPLETE = (
    "all labels", "half unknown", "unknown taken as 0", "complete rows only",
)  # fmt: skip
#: What may be lost.
LOSS = 0.03


def run():
    warnings.simplefilter("ignore")  # of labels that do not vary, and of ends of the grid
    parts = [
        f"Macro F1 with tuned thresholds, means and standard deviations of {SPLITS} random "
        f"splits into {TRAIN} training and {TEST} test rows, or two thirds and a third; half of "
        "the training labels are hidden at random, each by itself; labels of at least "
        f"{FEWEST[0]} training and {FEWEST[1]} test rows; features prepared as by `--scale auto`. "
        f"Asked for: within {LOSS} of all labels, and above the two other ways.\n"
    ]
    found = {name: measured(load(FOLDER / f"{name}.svm.xz")) for name in SETS}
    for method in METHODS:
        rows = []
        for name in SETS:
            values = {way: np.array([one[method][way] for one in found[name]])
                      for way in (FULL, MASKED, AS_ZERO, COMPLETE)}  # fmt: skip
            lost = values[FULL].mean() - values[MASKED].mean()
            rows.append([name, *map(shown, values.values()), f"{lost:.3f}"])
        heads = ["data", FULL, MASKED, AS_ZERO, COMPLETE, "lost"]
        parts.append(f"{method}:\n\n{table(heads, rows)}")
    return "\n".join(parts)


def shown(values):
    known = values[~np.isnan(values)]
    if not len(known):
        return "no row is complete"
    few = "" if len(known) == len(values) else f" ({len(known)} splits)"
    return f"{known.mean():.3f} ± {known.std(ddof=1) if len(known) > 1 else 0:.3f}{few}"


def measured(data):
    print(f"  {data.name}", flush=True)
    found = []
    for seed in range(SPLITS):
        X, Y, X_test, Y_test = split(data, seed, (TRAIN, TEST))
        X, X_test = scaled(kind_of(data).scale, X, X_test)
        Y = Y.astype(np.float64)
        gaps = np.where(np.random.default_rng(seed).random(Y.shape) < 0.5, np.nan, Y)
        whole = ~np.isnan(gaps).any(axis=1)
        ways = {
            FULL: (X, Y), MASKED: (X, gaps), AS_ZERO: (X, np.nan_to_num(gaps)),
            COMPLETE: (X[whole], Y[whole]),
        }  # fmt: skip
        found.append({
            method: {way: judged(make, *given, X_test, Y_test, seed)
                     for way, given in ways.items()}
            for method, make in METHODS.items()
        })  # fmt: skip
    return found


def judged(make, X, Y, X_test, Y_test, seed):
    """Macro F1; NaN where there are too few rows to tune on."""
    if X.shape[0] < 5 or not (np.nanmax(Y, axis=0) > 0).any():
        return float("nan")
    model = make(verbose=False, random_state=seed).fit(X, Y)
    return f1(Y_test, model.predict(X_test), average="macro")
