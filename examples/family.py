"""The whole linear family on one factorisation of real data, each followed by the same ridge.

Debian packages described by words, with their debtags as labels: 2785 packages to learn from, 1393
to predict. Run it with ``make demo``, or ``python examples/family.py``.
"""

import time

from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.feature_extraction.text import TfidfTransformer

import colabel
from colabel.datasets import load_debtags

METHODS = {
    "PCA": colabel.PCA(100),
    "MDDMp": colabel.MDDMp(0.999),
    "MDDMf": colabel.MDDMf(0.999),
    "MVMD": colabel.MVMD(0.9),
    "LabelCCA": colabel.LabelCCA(0.999, ridge=1.0),
    "OPLS": colabel.OPLS(0.999, ridge=1.0),
    "OCM": colabel.OCM(0.999),
    "MLDA": colabel.MLDA(0.999, ridge=1.0),
    **{
        f"HypergraphSpectral {kind}": colabel.HypergraphSpectral(0.999, laplacian=kind, ridge=1.0)
        for kind in ("clique", "star", "zhou", "cca")
    },
}


def main() -> None:
    debtags = load_debtags()
    X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(debtags.X), debtags.Y
    train, test = debtags.split

    start = time.perf_counter()
    fm = colabel.factor(X[train])
    factoring = time.perf_counter() - start

    table = Table(title=f"Debian packages: {X.shape[0]} × {X.shape[1]} words, {Y.shape[1]} tags")
    for column in ("method", "directions", "solver", "fit, s", "macro F1", "micro F1", "AUC"):
        table.add_column(column, justify="left" if column == "method" else "right")

    for name, extractor in track(METHODS.items(), "fitting", transient=True):
        start = time.perf_counter()
        extractor.fit(fm, Y[train])
        seconds = time.perf_counter() - start
        ridge = colabel.LabelRidgeCV(random_state=0, verbose=False)
        ridge.fit(extractor.transform(fm), Y[train])
        scores = ridge.decision_function(extractor.transform(X[test]))
        add_row(table, name, extractor, seconds, scores, Y[test])

    start = time.perf_counter()
    shared = colabel.SharedSubspaceClassifierCV(random_state=0).fit(fm, Y[train])
    seconds = time.perf_counter() - start
    table.add_section()
    add_row(
        table,
        "SharedSubspaceClassifierCV",
        shared,
        seconds,
        shared.decision_function(X[test]),
        Y[test],
    )

    console = Console()
    console.print(table)
    console.print(
        f"X was factored once, in {factoring:.1f} s; every extractor above shared it. "
        "SharedSubspaceClassifierCV tried 64 settings in 5 folds."
    )


def add_row(table, name, model, seconds, scores, truth):
    predicted = (scores > 0).astype(int)
    table.add_row(
        name,
        str(model.n_components_),
        model.solver_,
        f"{seconds:.2f}",
        f"{colabel.metrics.f1(truth, predicted, average='macro'):.3f}",
        f"{colabel.metrics.f1(truth, predicted, average='micro'):.3f}",
        f"{colabel.metrics.roc_auc(truth, scores):.3f}",
    )


if __name__ == "__main__":
    main()
