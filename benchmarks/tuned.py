"""Tuned fits beside the products that they cannot do without, and beside untuned peers."""

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import colabel
from benchmarks import tuned_checks as checks
from benchmarks.measure import (
    best_of,
    check,
    data,
    in_turns,
    peak_bytes,
    record,
    relative,
    seconds,
    table,
)
from colabel import (
    LabelRidge,
    LabelRidgeCV,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    factor,
)
from colabel.datasets import Columns
from colabel.linalg.containers import as_matrix
from colabel.persistence import Bundle

ALPHAS = [float(b) for b in np.geomspace(1e-2, 1e3, 8)]
#: Eight of each: 64 cells.
PENALTIES = [10.0**i for i in range(-6, 2)]
SHAPE = "40,000×384×100 float32"


def run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grids
        parts = [wide_text(), embeddings(), many_labels(), shared_bibtex()]
        lines = [line for found, _ in parts for line in found]
        lines += [ridge_by_one_out(), *model_files()]
    memory = [line for _, found in parts for line in found]
    return (
        "A ratio is the time over that of what stands beside it where at most so much is asked, "
        "and the other's over ours where at least so much is; bold where it is not met.\n\n"
        + table(("work", "time", "beside", "its time", "ratio", "asked"), lines)
        + "\n### Peak memory\n\nWhat a fit holds at most, X itself not counted, beside the sizes "
        "of X, of the smaller Gram, and of the scores of all rows by one model.\n\n"
        + table(("fit", "X", "Gram", "scores", "held at most"), memory)
    )


def beside(work, time, other="", its_time=None, *, most=None, least=None, within=None):
    """A line of the table, recorded; asked is a ratio at `most` or at `least`, or seconds."""
    record(work, time, its_time)
    ratio = its_time and (its_time / time if least else time / its_time)
    if within:
        met, asked = time <= within, f"≤ {seconds(within)}"
    else:
        met, asked = (ratio <= most, f"≤ {most}") if most else (ratio >= least, f"≥ {least}")
    shown = [seconds(time), f"{ratio:.2f}" if ratio else ""]
    if not met:
        shown[0 if within else 1] = f"**{shown[0 if within else 1]}**"
    return work, shown[0], other, seconds(its_time) if its_time else "", shown[1], asked


def held(what, model, X, Y):
    """A line of the memory's table, and the model fitted."""
    given = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    gram, scores = 8 * min(X.shape) ** 2, X.dtype.itemsize * Y.size
    peak = peak_bytes(lambda: model.fit(X, Y))
    return what, *(f"{size / 2**20:.0f} MB" for size in (given, gram, scores, peak))


def ridge_cv(**given):
    return LabelRidgeCV(ALPHAS, random_state=0, verbose=False, **given)


def shared_cv():
    return SharedSubspaceClassifierCV(PENALTIES, PENALTIES, random_state=0, verbose=False)


def wide_text():
    X, Y = data("rcv1subset1")
    shape = "×".join(map(str, (*X.shape, Y.shape[1])))
    model = ridge_cv(keep_scores=True)
    memory = held(f"LabelRidgeCV, rcv1subset1, {shape}", model, X, Y)
    checks.check_tuned_ridge(model, X, Y, rows=5, limit=1e-7)
    bare, (lam, _) = best_of(lambda: np.linalg.eigh(as_matrix(X).outer()), 1)
    factoring, found = best_of(lambda: factor(X), 1)
    s = found.factorise().svd.s
    check("singular values", relative(s**2, lam[::-1][: len(s)]), 1e-8)
    time, _ = best_of(lambda: ridge_cv().fit(X, Y), 1)
    what = "its Gram and one `eigh`"
    return [
        beside("LabelRidgeCV, rcv1subset1, 8 penalties", time, what, bare, most=1.6),
        beside("factor(X), rcv1subset1", factoring, what, bare, most=1.5),
    ], [memory]


def made(n=40_000, d=384, q=100):
    """As if of a neural network: correlated features, labels of a tenth of the rows each."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32)
    X @= (rng.standard_normal((d, d), dtype=np.float32) * np.geomspace(1, 0.05, d)).T / d**0.5
    scores = X @ rng.standard_normal((d, q), dtype=np.float32)
    scores += scores.std() * rng.standard_normal((n, q), dtype=np.float32)
    return X, (scores > np.quantile(scores, 0.9, axis=0)).astype(int)


def bare_products(X, q, penalties):
    """One Gram; and for each penalty, scores, and a sort of them a label."""
    W = np.random.default_rng(0).standard_normal((X.shape[1], q), dtype=X.dtype)

    def work():
        gram = X.T @ X
        for _ in range(penalties):
            np.sort(np.ascontiguousarray((X @ W).T), axis=1)
        return gram

    return work


def embeddings(one_of=10):
    """Dense rows; of logistic regressions, which are one a label, one in `one_of` is fitted."""
    X, Y = made()
    model, shared = ridge_cv(keep_scores=True), shared_cv()
    memory = [
        held(f"LabelRidgeCV, {SHAPE}", model, X, Y),
        held(f"SharedSubspaceClassifierCV, {SHAPE}", shared, X, Y),
    ]
    checks.check_tuned_ridge(model, X, Y, rows=20, limit=1e-3)
    plain = SharedSubspaceClassifier(shared.alpha_, shared.beta_).fit(X, Y)
    checks.check_same_fit(shared, plain, 1e-3)
    products = bare_products(X, Y.shape[1], len(ALPHAS))
    (bare, _), (time, _) = in_turns(5, products, lambda: ridge_cv().fit(X, Y))
    cells, _ = best_of(lambda: shared_cv().fit(X, Y), 2)
    logistic = OneVsRestClassifier(LogisticRegression(C=1.0))
    theirs, _ = best_of(lambda: logistic.fit(X, Y[:, ::one_of]), 1)
    work = f"LabelRidgeCV, {SHAPE}, 8 penalties"
    return [
        beside(work, time, "a Gram, 8 products of scores, a sort each", bare, most=4),
        beside(
            f"{work}, beside a peer",
            time,
            f"OneVsRest LogisticRegression, one C (1 in {one_of} labels, × {one_of})",
            theirs * one_of,
            least=10,
        ),
        beside(
            f"SharedSubspaceClassifierCV, {SHAPE}, 64 cells",
            cells,
            "LabelRidgeCV, 8 penalties",
            time,
            most=6,
        ),
    ], memory


def many_labels():
    X, Y = data("delicious")
    X, Y = X[:12_920], Y[:12_920]
    model = ridge_cv(keep_scores=True)
    memory = held("LabelRidgeCV, delicious, 12920×500×983", model, X, Y)
    checks.check_tuned_ridge(model, X, Y, rows=5, limit=1e-7)
    fits = (lambda: ridge_cv().fit(X, Y)), (lambda: LabelRidge(model.alpha_).fit(X, Y))
    (time, _), (plain, _) = in_turns(2, *fits)
    work = "LabelRidgeCV, delicious, 8 penalties"
    return [beside(work, time, "LabelRidge", plain, within=10)], [memory]


def shared_bibtex():
    X, Y = data("bibtex")
    model = shared_cv()
    memory = held("SharedSubspaceClassifierCV, bibtex, 7395×1836×159", model, X, Y)
    plain = SharedSubspaceClassifier(model.alpha_, model.beta_).fit(X, Y)
    checks.check_same_fit(model, plain, 1e-6)
    time, _ = best_of(lambda: shared_cv().fit(X, Y), 2)
    theirs, _ = best_of(lambda: OneVsRestClassifier(LinearSVC()).fit(X, Y), 1)
    work = "SharedSubspaceClassifierCV, bibtex, 64 cells"
    return [beside(work, time, "OneVsRest LinearSVC, one C", theirs, within=6)], [memory]


def ridge_by_one_out(n=4000, d=300, q=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    Y = np.eye(q)[np.argmax(X @ rng.normal(size=(d, q)), axis=1)]
    checks.check_against_ridge_cv(X, Y, ALPHAS)
    ours, peer = ridge_cv(thresholds=None), RidgeCV(ALPHAS)
    (time, _), (theirs, _) = in_turns(5, lambda: ours.fit(X, Y), lambda: peer.fit(X, 2 * Y - 1))
    work = f"LabelRidgeCV, {n}×{d}×{q}, cut at 0, 8 penalties"
    return beside(work, time, "RidgeCV, leave-one-out", theirs, least=1)


def model_files(words=100_000, rows=2000, q=50):
    """A model of texts with a word in each column, whose words all occur."""
    bundle = text_model(words, rows, q)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        saving, _ = best_of(lambda: colabel.save(bundle, path), 3)
        loading, again = best_of(lambda: colabel.load(path), 3)
        size = os.path.getsize(path) / 2**20
    vectorizer, text = again.columns.vectorizer, " ".join(f"w{i}" for i in range(0, words, 1000))
    one, scores = best_of(lambda: again.scores(vectorizer.transform([text])), 20)
    expected = bundle.scores(bundle.columns.vectorizer.transform([text]))
    check("scores of a loaded model", relative(scores, expected), 1e-12)
    what = f"a text model of {words:,} words and {q} labels"
    yield beside(f"{what}: save", saving, f"({size:.0f} MB)", within=1)
    yield beside(f"{what}: load", loading, within=1)
    yield beside(f"{what}: one text, from words to scores", one, within=0.005)


def text_model(words, rows, q):
    rng = np.random.default_rng(0)
    own = rng.permutation(words).reshape(rows, -1)
    drawn = rng.integers(words, size=own.shape)
    texts = [" ".join(f"w{i}" for i in row) for row in np.hstack([own, drawn])]
    vectorizer = TfidfVectorizer()
    X = sp.csr_array(vectorizer.fit_transform(texts))
    Y = rng.integers(0, 2, size=(rows, q))
    names = vectorizer.get_feature_names_out()
    check("words of the model", abs(len(names) - words), 0)
    columns = Columns(names, len(names), "text", vectorizer)
    labels = np.array([f"label {i}" for i in range(q)])
    return Bundle(estimator=LabelRidge().fit(X, Y), columns=columns, label_names=labels)


if __name__ == "__main__":
    print(run())
