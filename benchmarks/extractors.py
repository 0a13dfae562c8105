"""The linear family against scikit-learn, cca-zoo, and the dense eigenproblems of the papers."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from cca_zoo.linear import CCA as ZooCCA  # noqa: N811
from scipy import linalg
from sklearn.cross_decomposition import CCA as SklearnCCA  # noqa: N811

import colabel
from benchmarks.measure import best_of, check, data, record, relative, save_plot, seconds, table

LOW_RANK = {
    "MDDMp": colabel.MDDMp(),
    "MDDMf": colabel.MDDMf(),
    "LabelCCA": colabel.LabelCCA(),
    "OPLS": colabel.OPLS(),
    "OCM": colabel.OCM(),
    **{
        f"HypergraphSpectral {kind}": colabel.HypergraphSpectral(laplacian=kind)
        for kind in ("clique", "star", "zhou", "cca")
    },
}


def run():
    return "\n".join([canonical_correlations(), shared_factorisation(), growth()])


def canonical_correlations(n=4000, d=300, q=30, k=15):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, q))
    X = Z @ rng.normal(size=(q, d)) + 3 * rng.normal(size=(n, d))
    Y = (Z + rng.normal(size=(n, q)) > 0).astype(float)
    Qx, Qy = (linalg.qr(M - M.mean(axis=0), mode="economic")[0] for M in (X, Y))
    truth = linalg.svdvals(Qx.T @ Qy)[:k]

    ours = colabel.LabelCCA(k, ridge=0, label_ridge=0)
    time_ours, model = best_of(lambda: ours.fit(X, Y), 10)
    error_ours = np.max(np.abs(np.sqrt(model.eigenvalues_) - truth))
    check("LabelCCA", error_ours, 1e-8)

    time_zoo, zoo = best_of(lambda: ZooCCA(n_components=k).fit([X, Y]), 10)
    record("LabelCCA beside cca-zoo", time_ours, time_zoo)
    error_zoo = correlation_error(*zoo.transform([X, Y]), truth)
    time_sklearn, theirs = best_of(lambda: SklearnCCA(k, max_iter=1000).fit(X, Y), 1)
    error_sklearn = correlation_error(*theirs.transform(X, Y), truth)
    rows = [
        ("colabel LabelCCA", seconds(time_ours), "1", f"{error_ours:.0e}"),
        ("cca-zoo CCA", seconds(time_zoo), f"{time_zoo / time_ours:.1f}", f"{error_zoo:.0e}"),
        (
            "scikit-learn CCA",
            seconds(time_sklearn),
            f"{time_sklearn / time_ours:.0f}",
            f"{error_sklearn:.0e}",
        ),
    ]
    return f"### Canonical correlations, n={n}, d={d}, q={q}, k={k}\n\n" + table(
        ("", "fit", "times ours", "error of the correlations"), rows
    )


def correlation_error(x, y, truth):
    found = [np.corrcoef(a, b)[0, 1] for a, b in zip(x.T, y.T, strict=True)]
    return np.max(np.abs(np.sort(found)[::-1] - truth))


def shared_factorisation():
    X, Y = data("humango")
    factoring, fm = best_of(lambda: colabel.factor(X), 3)
    dense = dense_eigenproblems(X, Y)
    rows, total = [], 0.0
    for name, model in LOW_RANK.items():
        shared, fitted = best_of(lambda model=model: model.fit(fm, Y), 5)
        eigenvalues = fitted.eigenvalues_.copy()
        alone, fitted = best_of(lambda model=model: model.fit(X, Y), 3)
        check(name, relative(fitted.eigenvalues_, eigenvalues), 1e-8)
        plain = name in ("MDDMp", "OCM")
        reference, expected = dense["B = I" if plain else "B ≠ I"]
        if name in ("MDDMp", "OPLS"):
            check(name, relative(eigenvalues, expected[: len(eigenvalues)]), 1e-8)
        total += shared
        record(f"{name} of humango, from X", alone, reference)
        rows.append((name, seconds(shared), seconds(alone), f"{reference / alone:.0f}×"))
    record("nine methods on a factored humango", total)
    rows.append(("**all nine**", seconds(total), "", ""))
    n, d = X.shape
    return (
        f"### humango, {n}×{d} sparse, {Y.shape[1]} labels\n\n"
        f"`factor(X)`: {seconds(factoring)}. The nine low-rank methods on it together: "
        f"{seconds(total)}, {total / factoring:.2f} of the factorisation. "
        f"The dense {d}×{d} eigenproblem of the papers, leading eigenpairs only: "
        f"{seconds(dense['B = I'][0])} with B = I, {seconds(dense['B ≠ I'][0])} without.\n\n"
        + table(("", "on one `factor(X)`", "alone, from X", "dense over alone"), rows)
    )


def dense_eigenproblems(X, Y):
    """Seconds and eigenvalues of max tr(PᵀAP) with A, B formed, for MDDMp and for OPLS."""
    X = X.toarray()
    X -= X.mean(axis=0)
    F = X.T @ (2.0 * Y - 1)
    A, d, q = F @ F.T, X.shape[1], Y.shape[1]
    leading = {"subset_by_index": [d - q, d - 1], "check_finite": False}
    plain, (lam, _) = best_of(lambda: linalg.eigh(A, **leading), 1)
    B = X.T @ X
    B.flat[:: d + 1] += 0.1
    general, (mu, _) = best_of(lambda: linalg.eigh(A, B, **leading), 1)
    return {"B = I": (plain, lam[::-1]), "B ≠ I": (general, mu[::-1])}


def growth(d=2000, q=20, k=10, per_row=20):
    """Time against nnz at fixed d, q, k, with the exponent of a power law."""
    rng = np.random.default_rng(0)
    sizes = [10_000, 20_000, 40_000, 80_000, 160_000]
    models = {
        "two-stage: OPLS": colabel.OPLS(k, solver="two-stage"),
        "two-stage: MLDA": colabel.MLDA(k, solver="two-stage"),
        "truncated: MVMD": colabel.MVMD(k, solver="truncated", tol=1e-6, random_state=0),
        "truncated: PCA": colabel.PCA(k, solver="truncated", tol=1e-6, random_state=0),
    }
    nnz, times = [], {name: [] for name in models}
    for n in sizes:
        topics = rng.random((q, d)) ** 8
        mixture = rng.dirichlet(np.full(q, 0.2), size=n)
        columns = rng.integers(0, d, size=(n, per_row))
        strength = 1 + 5 * np.einsum("nq,qnp->np", mixture, topics[:, columns])
        X = sp.csr_array(
            (strength.ravel(), columns.ravel(), np.arange(0, n * per_row + 1, per_row)), (n, d)
        )
        X.sum_duplicates()
        Y = (mixture > 0.15).astype(int)
        nnz.append(X.nnz)
        for name, model in models.items():
            times[name].append(best_of(lambda m=model, X=X, Y=Y: m.fit(X, Y), 3)[0])
    figure, ax = plt.subplots(layout="constrained")
    rows = []
    for name, values in times.items():
        slope = np.polyfit(np.log(nnz[-3:]), np.log(values[-3:]), 1)[0]
        ax.loglog(nnz, values, marker="o", label=f"{name} (exponent {slope:.2f})")
        record(f"{name}, {sizes[-1]} rows", values[-1])
        rows.append((name, *(seconds(v) for v in values), f"{slope:.2f}"))
    ax.set(xlabel="stored entries", ylabel="seconds", title=f"d={d}, q={q}, k={k}")
    ax.legend()
    header = ("", *(f"{m / 1e6:.1f}M" for m in nnz), "exponent, last three")
    return (
        f"### Growth with stored entries, d={d}, q={q}, k={k}\n\n"
        + table(header, rows)
        + "\n"
        + save_plot(figure, "growth")
    )


if __name__ == "__main__":
    print(run())
