"""Figure 1 of Liu, Jin and Yang (2006) on data that are here, and what a factorisation costs."""

import multiprocessing
import resource
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.measure import check, data, relative, save_plot, seconds, table
from colabel import LabelRidge
from colabel.semi_supervised import (
    CNMF,
    SGT,
    LabelledOnly,
    SemiSupervisedMLSI,
    evaluate_ranking,
    plot_ranking,
)

SETS = {"Enron": "enron", "Yahoo Arts": "yahoo_arts"}
LABELLED = (100, 500)
ROWS = (12_500, 25_000, 50_000, 100_000)


def methods():
    svm = OneVsRestClassifier(LinearSVC(random_state=0))
    return {
        "CNMF, random start": CNMF(init="random", early_stopping=False, tol=0.0, random_state=0),
        "CNMF": CNMF(random_state=0),
        "CNMF, spread on neighbours": CNMF(init="knn-propagation", random_state=0),
        "CNMF, from ridge": CNMF(init=LabelRidge(), random_state=0),
        "SGT": SGT(random_state=0),
        "MLSI+SVM": LabelledOnly(svm, SemiSupervisedMLSI(50, random_state=0)),
        "SVM": LabelledOnly(svm),
        "ridge": LabelledOnly(LabelRidge()),
    }


def verdict(curves):
    """Every method's highest F1 over ranks, best first, and in how many splits it beats ridge."""
    of = {name: values.max(axis=1) for name, values in curves.values["F1"].items()}
    ordered = sorted(of, key=lambda name: -of[name].mean())
    rows = [
        (
            name,
            f"{of[name].mean():.3f} ± {of[name].std():.3f}",
            curves.ranks[np.argmax(curves.mean("F1", name))],
            "" if name == "ridge" else f"{np.sum(of[name] > of['ridge'])} of {len(of[name])}",
        )
        for name in ordered
    ]
    wins = f"**{ordered[0]}** has the highest F1 at its best rank.\n\n"
    return wins + table(("", "highest F1", "at rank", "splits better than ridge"), rows)


def reproduction(splits=10, max_rank=15, labelled=LABELLED, sets=SETS, chosen=None):
    sections = []
    for title, name in sets.items():
        X, Y = data(name)
        X = sp.csr_array(TfidfTransformer().fit_transform(X))
        found = []
        for n_labelled in labelled:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                curves = evaluate_ranking(
                    chosen or methods(),
                    X,
                    Y,
                    n_labelled=n_labelled,
                    n_splits=splits,
                    max_rank=max_rank,
                    random_state=0,
                    verbose=True,
                )
            found.append(curves)
            heading = f"### {title}, {n_labelled} of {len(Y)} rows labelled, {Y.shape[1]} labels"
            sections.append(f"{heading}\n\n{verdict(curves)}\n{curves.to_markdown()}\n")
        sections.append(save_plot(plot_ranking(found), f"ranking_{name}"))
    opening = (
        f"TF-IDF with unit rows; {splits} random choices of the labelled rows; micro-averaged "
        "measures of the unlabelled rows, each of which is given the k labels ranked highest, "
        "means over splits.\n\n"
    )
    return opening + "\n".join(sections)


def documents(n, d=30_000, words=100, q=50, seed=0):
    """Sparse counts, `words` to a row: half of its labels' vocabulary, half of everybody's."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(q, size=(n, 3), dtype=np.int32)
    own = d // (2 * q)
    chosen = np.take_along_axis(labels, rng.integers(3, size=(n, words // 2)), axis=1)
    indices = np.hstack(
        [
            d // 2 + chosen * own + rng.integers(own, size=chosen.shape, dtype=np.int32),
            rng.integers(d // 2, size=(n, words - words // 2), dtype=np.int32),
        ]
    )
    start = np.arange(0, n * words + 1, words, dtype=np.int32)
    X = sp.csr_array((np.ones(n * words), indices.ravel().astype(np.int32), start), shape=(n, d))
    X.sum_duplicates()
    Y = np.zeros((n, q), dtype=np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    return X, Y


def one_fit(n, rounds, queue):
    """Fit in a process of its own, so that its peak memory is that of this fit."""
    X, Y = documents(n)
    model = CNMF(max_iter=rounds, tol=0.0, early_stopping=False)
    labelled = np.arange(n) < min(1000, n // 2)
    warnings.simplefilter("ignore", ConvergenceWarning)
    start = time.perf_counter()
    model.fit(X, Y, labelled=labelled)
    elapsed = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    queue.put((elapsed, peak, bool(np.all(np.diff(model.objective_) <= 0))))


def linear_cost(rows=ROWS, rounds=50):
    check_the_implicit_cosine()
    context = multiprocessing.get_context("spawn")
    results = []
    for n in rows:
        queue = context.SimpleQueue()
        process = context.Process(target=one_fit, args=(n, rounds, queue))
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"the fit of {n} rows ended with exit code {process.exitcode}")
        results.append(queue.get())
    elapsed, peaks, monotone = (np.array(part) for part in zip(*results, strict=True))
    if not monotone.all():
        raise AssertionError("the objective rose; not reported")
    exponent = np.polyfit(np.log(rows), np.log(elapsed), 1)[0]
    lines = [
        (f"{n:,}", seconds(t), f"{peak:.2f} GiB")
        for n, t, peak in zip(rows, elapsed, peaks, strict=True)
    ]
    return (
        f"### {rounds} rounds on n × 30,000, 100 words a row, 50 labels\n\n"
        f"Time is n to the power **{exponent:.2f}** (fitted); the start and ‖A‖² are included.\n\n"
        + table(("rows", "time", "peak memory"), lines)
    )


def check_the_implicit_cosine():
    X, Y = documents(400)
    labelled = np.arange(400) < 100
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for similarity in ("cosine", cosine_similarity):
            model = CNMF(
                similarity=similarity, init=LabelRidge(), early_stopping=False, max_iter=20, tol=0.0
            )
            found.append(model.fit(X, Y, labelled=labelled).label_scores_)
    check("implicit cosines", relative(*found), 1e-8)


def run(splits=10, labelled=LABELLED, rows=ROWS, rounds=50):
    return reproduction(splits, labelled=labelled) + "\n" + linear_cost(rows, rounds)


if __name__ == "__main__":
    print(run())
