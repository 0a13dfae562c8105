"""How long RankSVM and ASO take, on pages as Sun et al. (2008) prepare them."""

import warnings

from benchmarks.measure import FOLDER, best_of, check, record, seconds, table
from colabel import ASOClassifier, RankSVM
from colabel.datasets import load
from colabel.papers.protocol import Split, svm
from colabel.papers.sun2008 import texts


def run(rows=2000, repeats=3):
    """Times of RankSVM and ASO beside one SVM for each label, on the same pages."""
    split = Split(texts(load(FOLDER / "yahoo_arts.svm.xz"), rows), 0)
    X, Y = split.X, split.Y
    warnings.simplefilter("ignore")
    base, _ = best_of(lambda: svm().fit(X, Y), repeats)
    lines = [("LinearSVC, one against the rest", seconds(base), "1.0", "")]
    for loss in ("squared_hinge", "hinge"):
        time, model = best_of(lambda loss=loss: RankSVM(loss=loss).fit(X, Y), repeats)
        error = rank_error(model, X, Y)
        check(f"RankSVM, {loss}", error, 1e-3)
        record(f"RankSVM, {loss}", time, base)
        lines.append((f"RankSVM, {loss}", seconds(time), f"{time / base:.1f}", f"{error:.0e}"))
    for loss in ("hinge", "squared_hinge", "least_squares"):
        time, model = best_of(lambda loss=loss: ASOClassifier(loss=loss).fit(X, Y), repeats)
        error = aso_error(model, X, Y)
        check(f"ASO, {loss}", error, 1e-3)
        record(f"ASO, {loss}", time, base)
        title = f"ASO, {loss}, {model.n_iter_} rounds"
        lines.append((title, seconds(time), f"{time / base:.1f}", f"{error:.0e}"))
    opening = (
        f"Arts, {rows} pages × {X.shape[1]} terms × {Y.shape[1]} labels, all with their defaults. "
        "The last column is how far the objective is above that of a fit to a hundredth of the "
        "tolerance, as a share of it; for ASO, what one more round to that accuracy gains, as a "
        "share of the objective without features.\n\n"
    )
    return opening + table(("", "time", "× LinearSVC", "error"), lines)


def rank_error(model, X, Y):
    exact = RankSVM(loss=model.loss, tol=model.tol / 100, max_iter=5000).fit(X, Y)
    return model.objective_ / exact.objective_ - 1


def aso_error(model, X, Y):
    """What one more round, to a hundredth of the tolerance, gains, as a share of the start."""
    from colabel.classifiers.aso.alternation import Alternation
    from colabel.classifiers.aso.hinge import LOSSES
    from colabel.linalg.containers import as_matrix

    varying = Y.any(axis=0) & ~Y.all(axis=0)
    loss, r = LOSSES[model.loss], model.n_components_
    signs, core = 2.0 * Y[:, varying] - 1, as_matrix(X)
    again = Alternation(core, signs, loss, model.alpha, r, model.subspace_, tol=model.tol / 100)
    again.change = 0.0  # the first round is as accurate as the last
    gain = (model.objective_[-1] - next(again.rounds())) / again.scale.sum()
    check("ASO is not below what its subspace allows", -gain, 1e-6)
    return gain


if __name__ == "__main__":
    print(run())
