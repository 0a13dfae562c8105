"""What probabilities cost beside the tuned fits that they come from."""

import numpy as np

from benchmarks.measure import best_of, check, data, record, seconds, table
from colabel import LabelRidgeCV
from colabel.tuning.calibration import calibrate


def run():
    lines = [
        measured("scene, 1600 rows, five widths of a kernel", *scene(), kernel="rbf"),
        measured("enron, sparse", *data("enron")),
        measured("20,000×200 in float32, 50 labels", *made(20_000, 200, 50)),
        measured("100,000×100, 50 labels", *made(100_000, 100, 50, np.float64)),
    ]
    return (
        "A tuned fit, and the sigmoids of its held-out scores, which are part of it; each the "
        "least of three.\n\n" + table(("data", "tuned fit", "sigmoids", "share"), lines)
    )


def scene(rows=1600):
    X, Y = data("scene")
    X = X[:rows].toarray()
    return (X - X.mean(axis=0)) / X.std(axis=0), Y[:rows]


def made(n, d, q, dtype=np.float32):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(n, d)).astype(dtype), rng.normal(size=(d, q)).astype(dtype)
    return X, (X @ W + np.sqrt(d) * rng.normal(size=(n, q)) > np.sqrt(d)).astype(int)


def measured(work, X, Y, **settings):
    model = LabelRidgeCV(keep_scores=True, random_state=0, verbose=False, **settings)
    whole, model = best_of(lambda: model.fit(X, Y), 3)
    varying = Y.any(axis=0) & ~Y.all(axis=0)
    scores, truth = model.held_out_scores_[:, varying], Y[:, varying]
    alone, found = best_of(lambda: calibrate(scores, truth), 3)
    # the fit has them of scores by models of one intercept, next to these
    own = model.calibration_.apply(model.held_out_scores_)[:, varying]
    check("probabilities, mean", float(np.abs(found.apply(scores) - own).mean()), 1e-3)
    record(f"sigmoids, {work}", alone, whole)
    return work, seconds(whole), seconds(alone), f"{alone / whole:.1%}"


if __name__ == "__main__":
    print(run())
