"""Dense rows beside scikit-learn: principal components, and ridge regression in float32."""

import numpy as np
from sklearn.decomposition import PCA as SklearnPCA  # noqa: N811
from sklearn.linear_model import Ridge

import colabel
from benchmarks.measure import apart, best_of, check, relative, table
from benchmarks.tuned import SHAPE, beside, made

SHAPES = ((4000, 300), (20_000, 500), (300, 4000), (2000, 2000))
DIRECTIONS = 50
#: Fits in a process, of which the fastest counts; and processes of each.
REPEATS, ROUNDS = 7, 2


def run():
    header = ("work", "time", "beside", "its time", "ratio", "asked")
    return (
        f"Each in processes of its own, {ROUNDS} in turns, {REPEATS} fits in each, of which the "
        "fastest counts: in one process, threads of one BLAS that still wait for work slow down "
        "what the other library does next. A ratio is the other's time over ours; bold where it "
        "is less than asked.\n\n"
        + table(header, [*(principal_components(*shape) for shape in SHAPES), plain_ridge()])
    )


def rows(n, d):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)) * np.geomspace(1, 1e-3, d) + rng.standard_normal(d)


def pca_step(n, d, solver):
    """A fit of ours, or by one of scikit-learn's solvers: its time, and the eigenvalues."""
    X = rows(n, d)
    if solver is None:
        model = colabel.PCA(DIRECTIONS)
    else:
        model = SklearnPCA(DIRECTIONS, svd_solver=solver, random_state=0)
    spent, _ = best_of(lambda: model.fit(X), REPEATS)
    values = model.eigenvalues_ if solver is None else (n - 1) * model.explained_variance_
    return {"seconds": spent, "values": values.tolist()}


def principal_components(n, d):
    """Beside the fastest of scikit-learn's solvers that are exact."""
    # what is left out is several times as slow as what is tried
    solvers = (
        ["covariance_eigh"] if n >= 10 * d else ["arpack", "full" if d > n else "covariance_eigh"]
    )
    ours, *peers = apart(ROUNDS, *((pca_step, n, d, solver) for solver in (None, *solvers)))
    for solver, peer in zip(solvers, peers, strict=True):
        error = relative(np.array(ours["values"]), np.array(peer["values"]))
        check(f"PCA, {solver}", error, 1e-8)
    theirs, best = min((p["seconds"], s) for s, p in zip(solvers, peers, strict=True))
    work = f"PCA, {n}×{d}, k={DIRECTIONS}"
    return beside(work, ours["seconds"], f"scikit-learn's, {best}", theirs, least=1)


def ridge_step(ours, alpha=1.0):
    X, Y = made()
    signs = (2 * Y - 1).astype(X.dtype)
    model = colabel.LabelRidge(alpha) if ours else Ridge(alpha)
    spent, _ = best_of(lambda: model.fit(X, Y if ours else signs), REPEATS)
    return {"seconds": spent, "values": model.coef_[:3].tolist()}


def plain_ridge():
    ours, peer = apart(ROUNDS, (ridge_step, True), (ridge_step, False))
    check("LabelRidge", relative(*(np.array(one["values"]) for one in (ours, peer))), 1e-2)
    return beside(f"LabelRidge, {SHAPE}", ours["seconds"], "Ridge", peer["seconds"], least=1.2)


if __name__ == "__main__":
    print(run())
