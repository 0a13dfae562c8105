"""The whole linear family on one factorisation of real data, each followed by the same ridge.

Debian packages described by words, with their debtags as labels: 1200 packages to learn from, 1393
to predict. Run it with ``make demo``, or ``python examples/family.py``.
"""

import time

from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

import colabel
from colabel.datasets import load_debtags

METHODS = {
    "PCA": colabel.PCA(100),
    "MDDMp": colabel.MDDMp(),
    "MDDMf": colabel.MDDMf(),
    "MVMD": colabel.MVMD(100),
    "LabelCCA": colabel.LabelCCA(ridge=1.0),
    "OPLS": colabel.OPLS(ridge=1.0),
    "OCM": colabel.OCM(),
    "MLDA": colabel.MLDA(ridge=1.0),
    "Hypergraph clique": colabel.HypergraphSpectral(laplacian="clique", ridge=1.0),
    "Hypergraph star": colabel.HypergraphSpectral(laplacian="star", ridge=1.0),
    "Hypergraph zhou": colabel.HypergraphSpectral(laplacian="zhou", ridge=1.0),
}
COLUMNS = ("method", "directions", "solver", "fit, s", "macro F1", "micro F1", "AUC")


def main() -> None:
    debtags = load_debtags()
    X, Y = TfidfTransformer(sublinear_tf=True).fit_transform(debtags.X), debtags.Y
    train, test = debtags.split
    train = train[:1200]

    start = time.perf_counter()
    fm = colabel.factor(X[train])
    factoring = time.perf_counter() - start

    table = Table(title=f"Debian packages: {len(train)} × {X.shape[1]} words, {Y.shape[1]} tags")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "method" else "right", no_wrap=True)

    for name, extractor in track(METHODS.items(), "fitting", transient=True):
        start = time.perf_counter()
        extractor.fit(fm, Y[train])
        seconds = time.perf_counter() - start
        # thresholds out of fold, the extractor fitted anew in each: it has seen the labels
        pipeline = make_pipeline(extractor, colabel.LabelRidge(1.0))
        tuner = colabel.ThresholdTuner(pipeline, cv=3, random_state=0).fit(fm, Y[train])
        add_row(table, name, extractor, seconds, tuner.decision_function(X[test]), Y[test])

    start = time.perf_counter()
    shared = colabel.SharedSubspaceClassifierCV(random_state=0).fit(fm, Y[train])
    seconds = time.perf_counter() - start
    table.add_section()
    add_row(table, "SharedSubspaceCV", shared, seconds, shared.decision_function(X[test]), Y[test])

    console = Console()
    console.print(table)
    console.print(
        f"X was factored once, in {factoring:.1f} s; every extractor above was given it. "
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
