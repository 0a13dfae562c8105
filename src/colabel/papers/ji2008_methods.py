"""What Ji, Tang, Yu & Ye (2008) compare."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from colabel.classifiers import ASOClassifier, LabelRidge
from colabel.extractors import LabelCCA
from colabel.metrics import f1, roc_auc
from colabel.papers import protocol as paper
from colabel.papers.margins import ExactSVM, LibSVM, gram_of, solve_gram
from colabel.tuning import LabelRidgeCV, SharedSubspaceClassifierCV
from colabel.tuning.cut_scores import per_label_thresholds

MEASURES = (paper.measure("AUC"), paper.measure("macro F1"), paper.measure("micro F1"))
CITATION = (
    "Ji, Tang, Yu & Ye (2008), Extracting shared subspace for multi-label classification, "
    "tables 3 and 4"
)
CCA_RIDGES = [10.0**i for i in range(-6, 2)]
RIDGES = [10.0**i for i in range(-6, 1)]
COSTS = [10.0**i for i in range(-5, 6)]
ALPHAS = [10.0**i for i in range(-4, 4)]
FOLDS = 5
FBR = 0.1
#: Rounds of ASO while its α is tuned.
HASTY_ROUNDS = 10


def measures(truth: np.ndarray, scores: np.ndarray) -> paper.Scores:
    """The three measures of scores that are cut at 0."""
    predicted = (scores > 0).astype(int)
    return {
        "AUC": float(roc_auc(truth, scores)),
        "macro F1": float(f1(truth, predicted, average="macro")),
        "micro F1": float(f1(truth, predicted, average="micro")),
    }


def thresholds(scores: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Those of each label that are best for its F1."""
    return per_label_thresholds(np.asarray(scores), Y.astype(float), "f1", FBR)


def cut(model: Any, X: Any, Y: np.ndarray, new: Any) -> np.ndarray:
    """Scores of new rows less the thresholds that are best for F1 on the training rows."""
    return model.decision_function(new) - thresholds(model.decision_function(X), Y)


def macro_f1(Y: np.ndarray, scores: np.ndarray) -> float:
    """Of scores that are cut at 0."""
    return float(f1(Y, (scores > 0).astype(int), average="macro"))


def label_f1(Y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Of each label, scores being cut at 0."""
    predicted = scores > 0
    hits = (predicted & (Y > 0)).sum(axis=0)
    return 2.0 * hits / np.maximum(predicted.sum(axis=0) + Y.sum(axis=0), 1)


def aso(alpha: float, rounds: int = 100) -> ASOClassifier:
    """With the hinge, as in the paper; its tolerance and rounds are the paper's too."""
    return ASOClassifier(alpha, loss="hinge", max_iter=rounds)


def hasty_aso(alpha: float) -> ASOClassifier:
    """For tuning, which the paper ends early too."""
    return aso(alpha, HASTY_ROUNDS)


#: Candidates for α, and for β.
PENALTIES = (0.0, *RIDGES)


def shared_subspace(
    thresholds: Literal["train", "out-of-fold"], penalties: Sequence[float] = PENALTIES
) -> paper.Method:
    """ML_LS, its α and β from the paper's grid."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        model = fitted_subspace(split, thresholds, penalties)
        return measures(split.truth, model.decision_function(split.new))

    return run


def fitted_subspace(
    split: paper.Split,
    thresholds: Literal["train", "out-of-fold"],
    penalties: Sequence[float] = PENALTIES,
) -> SharedSubspaceClassifierCV:
    """With penalties and thresholds."""
    model = SharedSubspaceClassifierCV(
        penalties, penalties, thresholds=thresholds, cv=split.splitter(FOLDS), verbose=False
    )
    return model.fit(split.factored, split.Y)


def ridge_alone(split: paper.Split, _: paper.Parameters) -> paper.Scores:
    """ML_LS with α = 0, β from the paper's grid: what the shared subspace has to improve on."""
    ridges = [len(split.Y) * beta for beta in RIDGES]
    folds = split.splitter(FOLDS)
    model = LabelRidgeCV(ridges, thresholds="train", cv=folds, verbose=False)
    return measures(split.truth, model.fit(split.factored, split.Y).decision_function(split.new))


def one_parameter(
    make: Callable[[float], Any],
    candidates: Sequence[float],
    tuning: Callable[[float], Any] | None = None,
    folds: int = FOLDS,
) -> paper.Method:
    """A classifier of one parameter, chosen by macro F1 over folds of what `tuning` makes."""
    tried = tuning or make

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        chosen = candidates[0]
        if len(candidates) > 1:
            scores = [
                [
                    macro_f1(Y[test], cut(model, X[train], Y[train], X[test]))
                    for model in (tried(value).fit(X[train], Y[train]) for value in candidates)
                ]
                for train, test in split.folds(folds)
            ]
            chosen = paper.best(candidates, scores)
        return measures(split.truth, cut(make(chosen).fit(X, Y), X, Y, split.new))

    return run


def linear_svm(costs: Sequence[float], for_each_label: bool = True) -> paper.Method:
    """LIBSVM's, the C of each label by its own F1 over folds, or one for all by their mean."""

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        X, Y = split.X, split.Y
        K = gram_of(X, X)
        chosen = np.zeros(Y.shape[1], dtype=int)
        if len(costs) > 1:
            means = np.mean([_fold_f1(K, Y, costs, *fold) for fold in split.folds(FOLDS)], axis=0)
            best = means.argmax(axis=0), means.mean(axis=1).argmax()
            chosen = best[0] if for_each_label else np.full(len(chosen), best[1])
        scores = np.empty(split.truth.shape)
        for place in np.unique(chosen):
            of = np.flatnonzero(chosen == place)
            model = LibSVM(costs[place]).fit(X, Y[:, of], K)
            scores[:, of] = cut(model, X, Y[:, of], split.new)
        return measures(split.truth, scores)

    return run


def _fold_f1(
    K: np.ndarray, Y: np.ndarray, costs: Sequence[float], train: np.ndarray, test: np.ndarray
) -> list[np.ndarray]:
    """F1 of each label on held-out rows, for each C."""
    own, held, found = K[np.ix_(train, train)], K[np.ix_(test, train)], []
    for C in costs:
        duals, intercepts = solve_gram(own, Y[train], C)
        cuts = thresholds(own @ duals + intercepts, Y[train])
        found.append(label_f1(Y[test], held @ duals + intercepts - cuts))
    return found


def after_cca(make: Callable[[float], Any], candidates: Sequence[float]) -> paper.Method:
    """CCA, then another classifier on its directions; both parameters chosen together."""
    grid = [(ridge, value) for ridge in CCA_RIDGES for value in candidates]

    def fold_scores(split: paper.Split, train: np.ndarray, test: np.ndarray) -> list[float]:
        fm, Y, found = split.factored, split.Y, []
        fitted, held = fm[train], fm[test]
        for ridge in CCA_RIDGES:
            cca = LabelCCA(ridge=ridge, label_ridge=0.0).fit(fitted, Y[train])
            Z, new = cca.transform(fitted), cca.transform(held)
            for value in candidates:
                model = make(value).fit(Z, Y[train])
                found.append(macro_f1(Y[test], cut(model, Z, Y[train], new)))
        return found

    def run(split: paper.Split, _: paper.Parameters) -> paper.Scores:
        ridge, value = paper.best(grid, [fold_scores(split, *fold) for fold in split.folds(FOLDS)])
        cca = LabelCCA(ridge=ridge, label_ridge=0.0).fit(split.factored, split.Y)
        Z, new = cca.transform(split.factored), cca.transform(split.new)
        return measures(split.truth, cut(make(value).fit(Z, split.Y), Z, split.Y, new))

    return run


def main_methods() -> dict[str, paper.Procedure]:
    """The methods of the tables."""
    found = {
        "ML_LS": shared_subspace("train"),
        "CCA+ridge": after_cca(LabelRidge, RIDGES),
        "CCA+SVM": after_cca(ExactSVM, COSTS[1:]),
        "ASO-SVM": one_parameter(aso, ALPHAS, hasty_aso),
        "SVM (C=1)": linear_svm([1.0]),
        "SVM": linear_svm(COSTS),
        "ridge alone": ridge_alone,
        "ML_LS (out of fold)": shared_subspace("out-of-fold"),
    }
    return {name: paper.Procedure(run) for name, run in found.items()}
