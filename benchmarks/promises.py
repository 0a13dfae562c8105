"""Sets with a promise on real data: what they miss, how large they are, beside MAPIE's."""

import warnings

import numpy as np

from benchmarks.measure import FOLDER, check, table
from benchmarks.scaling import scaled
from colabel import LabelRidgeCV
from colabel.datasets import load
from colabel.scales import kind_of
from colabel.tuning.promise import Promise

SETS = ("scene", "yeast", "emotions", "enron", "birds", "image", "slashdot", "yahoo_arts")
LEVELS = (0.05, 0.1, 0.2)
#: Models of a third of the rows each, and random halves of the others for each of them.
MODELS, HALVES, MOST = 10, 20, 3000


def run():
    paths = [FOLDER / f"{name}.svm.xz" for name in SETS]
    check("data sets found, of eight", sum(not path.exists() for path in paths), 0)
    rows, kept, cells = [], 0, 0
    for path in paths:
        data = load(path)
        print(f"  {data.name}", flush=True)
        found = measured(data)
        for level in LEVELS:
            line = found[level]
            is_kept = [holds(line[what], level) for what in ("joint", "worst label")]
            kept, cells = kept + sum(is_kept), cells + 2
            rows.append((data.name, level, *shown(line)))
    opening = (
        f"{MODELS} models (`LabelRidgeCV`), each of a random third of the rows, at most {MOST} in "
        f"all; for each {HALVES} random halves of the other rows, one of which finds the "
        "threshold: 200 splits a set. Missed is the mean share of a row's labels that its set "
        "lacks; for each label by itself, that of the label which misses most, less two standard "
        "errors, labels with too few rows being in every set. Splits overlap, so that their "
        "standard error is too small if "
        f"anything. **The share missed is at most the level plus two standard errors in {kept} of "
        f"{cells} cases.** Sets beside MAPIE's are of the same probabilities, of rows that have a "
        "label, as it refuses others, in the first split of each model; MAPIE looks at 100 "
        "thresholds.\n"
    )
    header = [
        "",
        "level",
        "missed",
        "labels in a set",
        "missed, of the worst label",
        "labels in a set",
        "ours on labelled rows",
        "MAPIE's",
    ]
    return opening + "\n" + table(header, rows)


def holds(values, level):
    mean, error = values
    return mean <= level + 2 * error


def shown(line):
    parts = []
    for what, size in (("joint", "size"), ("worst label", "size of labels")):
        mean, error = line[what]
        parts += [f"{mean:.4f} ± {error:.4f}", f"{line[size]:.2f}"]
    return (*parts, f"{line['ours']:.2f}", "–" if line["mapie"] is None else f"{line['mapie']:.2f}")


def measured(data):
    draws = {level: [] for level in LEVELS}
    for seed in range(MODELS):
        rng = np.random.default_rng(seed)
        order = rng.permutation(data.X.shape[0])[:MOST]
        third = len(order) // 3
        P, Y = scores_of_others(data, order[:third], order[third:], seed)
        for i in range(HALVES):
            half = rng.permutation(len(P)) < len(P) // 2
            parts = P[half], Y[half], P[~half], Y[~half]
            for level in LEVELS:
                peer = beside(*parts, level) if i == 0 else {}
                draws[level].append({**tried(*parts, level), **peer})
    return {level: summary(found) for level, found in draws.items()}


def scores_of_others(data, train, others, seed):
    X, X_others = scaled(kind_of(data).scale, data.X[train], data.X[others])
    Y, Y_others = data.Y[train].toarray(), data.Y[others].toarray() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grid, and constant labels
        model = LabelRidgeCV(random_state=seed, verbose=False).fit(X, Y)
    return model.predict_proba(X_others), Y_others


def tried(P, Y, P_test, Y_test, level):
    promise = Promise.of(P, Y)
    one = P_test >= promise.threshold(level)
    each = P_test >= promise.label_thresholds(level, None, rare="include")
    with np.errstate(invalid="ignore"):
        lost = (Y_test & ~each).sum(axis=0) / Y_test.sum(axis=0)
    return {
        "joint": missed(one, Y_test),
        "lost": lost,
        "size": one.sum(axis=1).mean(),
        "size of labels": each.sum(axis=1).mean(),
    }


def beside(P, Y, P_test, Y_test, level):
    """Sizes of our sets and of MAPIE's, which takes long, on the rows that have a label."""
    kept, tested = Y.any(axis=1), Y_test.any(axis=1)
    ours = Promise.of(P[kept], Y[kept]).threshold(level)
    return {
        "ours": (P_test[tested] >= ours).sum(axis=1).mean(),
        "mapie": of_mapie(P[kept], Y[kept], P_test[tested], level),
    }


def missed(sets, Y):
    return ((Y & ~sets).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)).mean()


def of_mapie(P, Y, P_test, level):
    """The mean size of MAPIE's sets of the same probabilities; None without MAPIE."""
    try:
        from mapie.risk_control import MultiLabelClassificationController
    except ImportError:
        return None
    peer = MultiLabelClassificationController(
        lambda given: given, risk="recall", method="crc", target_level=1 - level
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.calibrate(P, Y.astype(int))
        return np.asarray(peer.predict(P_test)).reshape(*P_test.shape).sum(axis=1).mean()


def summary(found):
    """Means over the splits; of labels by themselves, the one that misses most."""
    joint = [one["joint"] for one in found]
    lost = np.array([one["lost"] for one in found])
    often = (~np.isnan(lost)).sum(axis=0) >= len(found) // 2
    means, errors = np.nanmean(lost[:, often], axis=0), errors_of(lost[:, often])
    worst = int(np.argmax(means - 2 * errors))
    of_peer = [one["mapie"] for one in found if "mapie" in one]
    sizes = ("size", "size of labels", "ours")
    line = {what: np.mean([one[what] for one in found if what in one]) for what in sizes}
    return {
        **line,
        "joint": (np.mean(joint), np.std(joint, ddof=1) / np.sqrt(len(joint))),
        "worst label": (means[worst], errors[worst]),
        "mapie": None if None in of_peer else np.mean(of_peer),
    }


def errors_of(lost):
    return np.nanstd(lost, axis=0, ddof=1) / np.sqrt((~np.isnan(lost)).sum(axis=0))


if __name__ == "__main__":
    print(run())
