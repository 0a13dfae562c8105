"""What kernels cost, beside what they cannot do without."""

import time
import warnings

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks.kernels import forest
from benchmarks.measure import apart, check, data, in_turns, memory, record, seconds, table
from colabel import LabelRidge, LabelRidgeCV
from colabel.metrics import roc_auc

ALPHAS = [float(b) for b in np.geomspace(1e-2, 1e3, 8)]
MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Rows, features, labels and landmarks of the large problem.
ROWS, FEATURES, LABELS, LANDMARKS = 100_000, 100, 50, 2000
TEST = 10_000


def run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grids
        lines = [*tuned_widths(), *landmarks()]
    header = ("work", "time", "memory", "beside", "its time", "ratio", "asked")
    return (
        "A ratio is the time over that of what stands beside it; bold where it is more than "
        "asked. Landmarks and their peer are fitted in processes of their own, in turns; memory "
        "is the most that the process had, data included.\n\n" + table(header, lines)
    )


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
        (
            work,
            seconds(time),
            "",
            "five eigendecompositions",
            seconds(bare),
            *asked(time / bare, 1.5),
        ),
        ("", "", "", "random forest tuned alike", seconds(trees), *asked(time / trees, 1.0)),
    ]


def check_held_out(X, Y, gamma):
    """Scores of rows left out, against refits."""
    model = LabelRidgeCV([1.0], kernel="rbf", gamma=gamma, keep_scores=True).fit(X, Y)
    rest = np.arange(1, len(X))
    refit = LabelRidge(1.0, kernel="rbf", gamma=gamma).fit(X[rest], Y[rest])
    error = np.abs(refit.decision_function(X[:1]) - model.held_out_scores_[:1]).max()
    check("leave-one-out under a kernel", error, 1e-9)


def many_rows():
    """Dense rows with labels that no linear score tells, to fit and to test."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS + TEST, FEATURES))
    signal = np.sin(X @ rng.normal(size=(FEATURES, LABELS)) / 10)
    Y = (signal + 0.3 * rng.normal(size=signal.shape) > 0.3).astype(np.int8)
    return X[:ROWS], Y[:ROWS], X[ROWS:], Y[ROWS:]


def tuned_landmarks():
    X, Y, X_test, Y_test = many_rows()
    settings = {"gamma": 0.5 / FEATURES, "n_landmarks": LANDMARKS, "random_state": 0}
    model = LabelRidgeCV(ALPHAS, kernel="rbf", verbose=False, **settings)
    start = time.perf_counter()
    model.fit(X, Y)
    spent, peak = time.perf_counter() - start, memory()
    area = roc_auc(Y_test, model.uncut_scores(X_test), average="macro")
    return {"seconds": spent, "memory": peak, "area": area, "alpha": model.alpha_}


def peers_landmarks(alpha=193.0):
    """At one penalty, about the best of ours; ±1 is made before."""
    X, Y, X_test, Y_test = many_rows()
    signs = 2.0 * Y - 1
    features = Nystroem(gamma=0.5 / FEATURES, n_components=LANDMARKS, random_state=0)
    model = make_pipeline(features, Ridge(alpha, solver="cholesky"))
    start = time.perf_counter()
    model.fit(X, signs)
    spent, peak = time.perf_counter() - start, memory()
    area = roc_auc(Y_test, model.predict(X_test), average="macro")
    return {"seconds": spent, "memory": peak, "area": area}


def landmarks(rounds=2):
    """Many dense rows, beside scikit-learn's Nystroem and Ridge at one penalty."""
    ours, peer = apart(rounds, tuned_landmarks, peers_landmarks)
    check("macro AUC below the peer's", peer["area"] - ours["area"], 1e-3)
    work = f"{ROWS:,}×{FEATURES}×{LABELS}, {LANDMARKS:,} landmarks, eight penalties and thresholds"
    time, other = ours["seconds"], peer["seconds"]
    record(work, time, other)
    areas = f"macro AUC {peer['area']:.4f}; ours {ours['area']:.4f}"
    beside = f"Nystroem + Ridge, one penalty ({areas})"
    peak = f"{ours['memory'] / 1e9:.2f} GB"
    return [(work, seconds(time), peak, beside, seconds(other), *asked(time / other, 1.2))]


def asked(ratio, most):
    shown = f"{ratio:.2f}"
    return (shown if ratio <= most else f"**{shown}**"), f"≤ {most:g}"


if __name__ == "__main__":
    print(run())
