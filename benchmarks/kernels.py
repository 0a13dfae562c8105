"""Kernels: where they pay, and what they cost beside what they cannot do without."""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.measure import FOLDER, best_of, check, data, in_turns, record, seconds, table
from benchmarks.scaling import FEWEST, scaled, split
from colabel import LabelRidge, LabelRidgeCV
from colabel.datasets import load
from colabel.metrics import f1, roc_auc
from colabel.scales import kind_of
from colabel.tuning import OutOfFoldSearch

TRAIN, TEST, SPLITS = 1000, 2000, 2
ALPHAS = [float(b) for b in np.geomspace(1e-2, 1e3, 8)]
#: Features of which trees take minutes, as `compare` has it.
WIDEST_FOREST = 1500
MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0)


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
        return "\n".join([quality(), speed()])


def quality():
    paths = sorted(FOLDER.glob("*.svm.xz"))
    check("data sets found, of one or more", max(0, 1 - len(paths)), 0)
    lines = [judge(load(path)) for path in paths]
    opening = (
        f"### Where a kernel pays\n\n{SPLITS} random splits of each set into {TRAIN} training and "
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


def speed():
    opening = (
        "### What it costs\n\nA ratio is the time over that of what stands beside it; bold where "
        "it is more than asked.\n\n"
    )
    lines = [*tuned_widths(), *landmarks()]
    return opening + table(("work", "time", "beside", "its time", "ratio", "asked"), lines)


def tuned_widths(rows=1600):
    """Five widths and eight penalties with thresholds on scene."""
    X, Y = data("scene")
    X, Y = X[:rows].toarray(), Y[:rows]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    own = LabelRidge(kernel="rbf").fit(X, Y)
    gammas = [own.gamma_ * multiple for multiple in MULTIPLES]
    check_held_out(X[:200], Y[:200], own.gamma_)
    kernels = [own.kernel_map_.kernel.__class__("rbf", gamma).values(X, X) for gamma in gammas]
    tuned = LabelRidgeCV(ALPHAS, kernel="rbf", gammas=gammas, verbose=False)
    (time, _), (bare, _), (trees, _) = in_turns(
        3,
        lambda: tuned.fit(X, Y),
        lambda: [np.linalg.eigh(K) for K in kernels],
        lambda: forest(0).fit(X, Y),
    )
    work = f"five widths × eight penalties and thresholds, scene, {rows} rows"
    record(work, time, bare)
    return [
        (work, seconds(time), "five eigendecompositions", seconds(bare), *asked(time / bare, 1.5)),
        ("", "", "random forest tuned alike", seconds(trees), *asked(time / trees, 1.0)),
    ]


def check_held_out(X, Y, gamma):
    """Scores of rows left out, against refits."""
    model = LabelRidgeCV([1.0], kernel="rbf", gamma=gamma, keep_scores=True).fit(X, Y)
    rest = np.arange(1, len(X))
    refit = LabelRidge(1.0, kernel="rbf", gamma=gamma).fit(X[rest], Y[rest])
    error = np.abs(refit.decision_function(X[:1]) - model.held_out_scores_[:1]).max()
    check("leave-one-out under a kernel", error, 1e-9)


def landmarks(n=100_000, d=100, q=50, m=2000):
    """Many dense rows, beside scikit-learn's Nystroem and Ridge at one penalty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 10_000, d))
    signal = np.sin(X @ rng.normal(size=(d, q)) / 10)
    Y = (signal + 0.3 * rng.normal(size=signal.shape) > 0.3).astype(np.int8)
    X, X_test, Y, Y_test = X[:n], X[n:], Y[:n], Y[n:]
    gamma = 1.0 / (2 * d)
    settings = {"kernel": "rbf", "gamma": gamma, "n_landmarks": m, "random_state": 0}
    ours = LabelRidgeCV(ALPHAS, verbose=False, **settings)
    time, model = best_of(lambda: ours.fit(X, Y), 1)
    features = Nystroem(gamma=gamma, n_components=m, random_state=0)
    theirs = make_pipeline(features, Ridge(model.alpha_, solver="cholesky"))
    peer, other = best_of(lambda: theirs.fit(X, 2.0 * Y - 1), 1)
    areas = [
        roc_auc(Y_test, scores, average="macro")
        for scores in (model.uncut_scores(X_test), other.predict(X_test))
    ]
    work = f"{n:,}×{d}×{q}, {m:,} landmarks, eight penalties and thresholds"
    record(work, time, peer)
    beside = f"Nystroem + Ridge, one penalty (macro AUC {areas[1]:.4f}; ours {areas[0]:.4f})"
    return [(work, seconds(time), beside, seconds(peer), *asked(time / peer, 1.2))]


def asked(ratio, most):
    shown = f"{ratio:.2f}"
    return (shown if ratio <= most else f"**{shown}**"), f"≤ {most:g}"


if __name__ == "__main__":
    print(run())
