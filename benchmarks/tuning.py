"""A grid of penalties on one factorisation a fold, against a search that fits every cell."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.measure import best_of, check, record, save_plot, seconds, table, training_pages
from colabel import SharedSubspaceClassifier, SharedSubspaceClassifierCV, ThresholdTuner
from colabel.metrics import get_scorer

PENALTIES = [0.0, *(10.0**i for i in range(-6, 1))]


def run():
    X, Y = training_pages()
    return "\n".join([against_grid_search(X, Y), growth_with_labels(X)])


def against_grid_search(X, Y):
    folds = KFold(5, shuffle=True, random_state=0)
    ours = SharedSubspaceClassifierCV(
        PENALTIES, PENALTIES, cv=folds, thresholds="train", verbose=False
    )
    time_ours, model = best_of(lambda: ours.fit(X, Y), 3)
    search = GridSearchCV(
        ThresholdTuner(SharedSubspaceClassifier(), cv="train"),
        {"estimator__alpha": PENALTIES, "estimator__beta": PENALTIES},
        cv=folds,
        scoring=get_scorer("f1_macro"),
    )
    time_search, theirs = best_of(lambda: search.fit(X, Y), 1)
    a, b = (m.cv_results_["mean_test_score"] for m in (model, theirs))
    check("scores of the grid", np.max(np.abs(a - b)), 1e-3)
    default = SharedSubspaceClassifierCV(PENALTIES, PENALTIES, cv=folds, verbose=False)
    time_default, _ = best_of(lambda: default.fit(X, Y), 3)
    record("64 cells in 5 folds", time_ours, time_search)
    n, d = X.shape
    rows = [
        ("SharedSubspaceClassifierCV", seconds(time_ours), "1"),
        (
            "the same, thresholds out of fold",
            seconds(time_default),
            f"{time_default / time_ours:.1f}",
        ),
        ("GridSearchCV, 320 fits and one", seconds(time_search), f"{time_search / time_ours:.0f}"),
    ]
    agreement = np.max(np.abs(a - b))
    return (
        f"### The 8×8 grid in 5 folds on Arts, {n}×{d}, {Y.shape[1]} labels\n\n"
        f"Mean scores of the 64 cells differ by at most {agreement:.0e}; both choose "
        f"α = {model.alpha_:g}, β = {model.beta_:g}.\n\n" + table(("", "time", "times ours"), rows)
    )


def growth_with_labels(X):
    rng = np.random.default_rng(0)
    labels = [5, 10, 20, 50, 100, 200]
    scores = X @ rng.normal(size=(X.shape[1], max(labels)))
    Y = (scores > np.quantile(scores, 0.8, axis=0)).astype(int)
    times = []
    for q in labels:
        model = SharedSubspaceClassifierCV(
            PENALTIES, PENALTIES, cv=5, random_state=0, verbose=False
        )
        times.append(best_of(lambda m=model, q=q: m.fit(X, Y[:, :q]), 2)[0])
    record(f"64 cells in 5 folds, {labels[-1]} labels", times[-1])
    figure, ax = plt.subplots(layout="constrained")
    ax.plot(labels, times, marker="o")
    ax.set(xlabel="labels", ylabel="seconds", ylim=(0, None), title="tuning 64 cells in 5 folds")
    header = ("labels", *labels)
    return (
        "### Tuning time against the number of labels, the same pages\n\n"
        + table(header, [("time", *(seconds(t) for t in times))])
        + "\n"
        + save_plot(figure, "tuning_labels")
    )


if __name__ == "__main__":
    print(run())
