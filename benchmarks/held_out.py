"""Leave-one-out in closed form beside five folds: what is chosen is as good, and what it costs."""

import warnings

import numpy as np

from benchmarks.measure import FOLDER, best_of, check, record, seconds, table
from benchmarks.scaling import FEWEST, scaled, split
from colabel import LabelRidgeCV, SharedSubspaceClassifierCV
from colabel.datasets import load
from colabel.metrics import f1
from colabel.scales import kind_of

TRAIN, TEST, SPLITS = 1000, 2000, 3
#: Sets that the classifier with two penalties is tuned on, too.
SMALL = ("birds", "emotions", "gnegativego", "image", "scene", "yeast")
WAYS = {"leave-one-out": "loo", "five folds": 5}
AVERAGES = ("macro", "micro")


def run():
    paths = sorted(FOLDER.glob("*.svm.xz"))
    check("data sets found, of one or more", max(0, 1 - len(paths)), 0)
    sets = [load(path) for path in paths]
    small = [data for data in sets if data.name in SMALL]
    opening = (
        f"{SPLITS} random splits of each set into {TRAIN} training and {TEST} test rows, or two "
        f"thirds and a third; labels of at least {FEWEST[0]} training and {FEWEST[1]} test rows; "
        "features prepared as by `--scale auto`; default grids, tuned for macro F1. F1 is of the "
        "test rows. Times are of one fit each, the mean over the splits, and depend on machine "
        "and noise.\n"
    )
    parts = [judged(LabelRidgeCV, sets), judged(SharedSubspaceClassifierCV, small)]
    return "\n".join([opening, *parts])


def judged(kind, sets):
    """What the differences come to, and the table."""
    found = {data.name: measured(kind, data) for data in sets}
    rows = [line(name, *numbers) for name, numbers in found.items()]
    header = ["", "training rows × features × labels"]
    for average in AVERAGES:
        header += [f"{average} F1, {way}" for way in WAYS] + ["difference"]
    header += [f"time, {way}" for way in WAYS]
    quality, times = (np.array([numbers[i] for numbers in found.values()]) for i in (1, 2))
    return "\n".join(
        [f"### {kind.__name__}\n", verdict(kind.__name__, quality, times), table(header, rows)]
    )


def measured(kind, data):
    """Shape of the first split; F1 of test rows, ways × averages, and seconds: means of splits."""
    print(f"  {kind.__name__}, {data.name}", flush=True)
    shape, quality, times = None, [], []
    for seed in range(SPLITS):
        X_train, Y_train, X_test, Y_test = split(data, seed, (TRAIN, TEST))
        X_train, X_test = scaled(kind_of(data).scale, X_train, X_test)
        shape = shape or (*X_train.shape, Y_train.shape[1])
        fits = [timed(kind, cv, seed, X_train, Y_train) for cv in WAYS.values()]
        times.append([time for time, _ in fits])
        predicted = [model.predict(X_test) for _, model in fits]
        quality.append([[f1(Y_test, P, average=how) for how in AVERAGES] for P in predicted])
    return shape, np.mean(quality, axis=0), np.mean(times, axis=0)


def timed(kind, cv, seed, X, Y):
    model = kind(cv=cv, random_state=seed, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grid
        return best_of(lambda: model.fit(X, Y), 1)


def line(name, shape, quality, times):
    cells = []
    for one_out, folds in quality.T:
        cells += [f"{one_out:.3f}", f"{folds:.3f}", f"{one_out - folds:+.3f}"]
    return (name, "×".join(map(str, shape)), *cells, *map(seconds, times))


def verdict(kind, quality, times):
    """Whether the differences are more than chance, over the sets, and which way is cheaper."""
    said = []
    for i, average in enumerate(AVERAGES):
        difference = quality[:, 0, i] - quality[:, 1, i]
        mean, error = difference.mean(), difference.std(ddof=1) / np.sqrt(len(difference))
        equal = abs(mean) <= 2 * error
        better = "no difference is seen" if equal else f"{list(WAYS)[int(mean < 0)]} is better"
        said.append(f"{average} F1 {mean:+.4f} ± {error:.4f}, {better}")
    ratios = times[:, 0] / times[:, 1]
    record(f"{kind}, leave-one-out beside five folds", times[:, 0].sum(), times[:, 1].sum())
    return (
        f"**Leave-one-out less five folds, mean over {len(quality)} sets and its standard error: "
        f"{'; '.join(said)}** (by two standard errors). It takes "
        f"{np.exp(np.log(ratios).mean()):.2f} of the time (geometric mean), and is the cheaper on "
        f"{np.sum(ratios < 1)} of {len(ratios)} sets.\n"
    )


if __name__ == "__main__":
    print(run())
