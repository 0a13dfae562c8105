"""What Han, Wu, Jia, Zhuang & Yu (2010) compare."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from colabel._cuts import best_global_threshold
from colabel.classifiers import LabelRidge, MtSDA
from colabel.hypergraph import HypergraphSpectral
from colabel.metrics import f1, roc_auc
from colabel.papers import protocol as paper
from colabel.papers.margins import ExactSVM, LibSVM
from colabel.tuning import MtSDACV

CITATION = (
    "Han, Wu, Jia, Zhuang & Yu (2010), Multi-task sparse discriminant analysis (MtSDA) with "
    "overlapping categories, tables 2 and 3"
)
#: What the AUC is called where it is that of 0 and 1, and where the means of labels are added.
OF_LABELS, WITH_MEANS = "AUC of labels", "micro AUC, means added"
BASELINES = ("SVM", "LDA+SVM", "HSML")
MTSDA = ("MtSDA (Ω=I)", "MtSDA (Ω=Δ)")
RIDGES = [1e-2, 1e-1, 1.0, 10.0, 100.0]
COSTS = [10.0**i for i in range(-5, 4)]
#: The paper's 1/k; k = 1 leaves Ω singular.
RHOS = [1 / k for k in range(2, 11)]
L2S = (1e-2, 0.1, 1.0, 10.0, 100.0)
N_L1S = 5
FOLDS = 5


def judge(split: paper.Split, model: Any, X: Any, means: Any = 0.0) -> paper.Scores:
    """Micro-averaged AUC of scores and of labels; F1 at the threshold best on training rows."""
    own, scores = np.asarray(model.decision_function(X)), model.decision_function(split.new)
    threshold = best_global_threshold(own, split.Y)
    labels = model.predict(split.new) if hasattr(model, "predict") else scores > 0
    return {
        "micro AUC": float(roc_auc(split.truth, scores, average="micro")),
        OF_LABELS: float(roc_auc(split.truth, np.asarray(labels, dtype=float), average="micro")),
        "F-measure": float(f1(split.truth, (scores > threshold).astype(int), average="micro")),
        WITH_MEANS: float(roc_auc(split.truth, scores + means, average="micro")),
    }


class SVMAfter:
    """An SVM for each label on the directions that an extractor finds for all labels together."""

    def __init__(self, extractor: Any, C: float) -> None:
        self.extractor, self.svm = extractor, ExactSVM(C)

    def fit(self, X: Any, Y: np.ndarray) -> Self:
        """Both."""
        self.svm.fit(self.extractor.fit(X, Y).transform(X), Y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, n×q."""
        return self.svm.decision_function(self.extractor.transform(X))


class SVMAfterEach:
    """The same on the direction of each label alone, that of its discriminant analysis.

    It is that of ridge regression, of which one solves for all labels, scaled so that
    wᵀ(X̄ᵀX̄ + γI)w = wᵀX̄ᵀȳ is 1 as it is for an extractor; where it begins is the intercept's affair.
    """

    def __init__(self, ridge: float, C: float) -> None:
        self.ridge, self.C = ridge, C

    def fit(self, X: Any, Y: np.ndarray) -> Self:
        """The directions together, then the SVM of one label after the other."""
        self.directions = LabelRidge(self.ridge).fit(X, Y)
        centred = 2.0 * (Y - Y.mean(axis=0))
        norms = np.sum(self.directions.decision_function(X) * centred, axis=0)
        self.scales = 1.0 / np.sqrt(np.where(norms > 0, norms, 1.0))  # 0 where a label is constant
        Z = self._project(X)
        columns = range(Y.shape[1])
        self.svms = [ExactSVM(self.C).fit(Z[:, [j]], Y[:, [j]]) for j in columns]
        return self

    def _project(self, X: Any) -> np.ndarray:
        return np.asarray(self.directions.decision_function(X)) * self.scales

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, n×q."""
        columns = np.split(self._project(X), len(self.svms), axis=1)
        return np.hstack([s.decision_function(z) for s, z in zip(self.svms, columns, strict=True)])


#: By the parameters that are tuned.
MAKERS: dict[str, Callable[..., Any]] = {
    "SVM": LibSVM,
    "LDA+SVM": SVMAfterEach,
    "HSML": lambda ridge, C: SVMAfter(HypergraphSpectral(laplacian="clique", ridge=ridge), C),
}
GRIDS: dict[str, list[dict[str, float]]] = {
    "SVM": [{"C": C} for C in COSTS],
    "LDA+SVM": [{"ridge": ridge, "C": C} for ridge in RIDGES for C in COSTS[4:]],
    "HSML": [{"ridge": ridge, "C": C} for ridge in RIDGES for C in COSTS],
}


def fold_scores(
    split: paper.Split, name: str, grid: Sequence[dict[str, float]]
) -> list[list[float]]:
    """Micro AUC of a baseline on held-out folds, for each of its candidates."""
    X, Y = _rows(split, name), split.Y
    found = []
    for train, test in split.folds(FOLDS):
        fitted, held = X[train], X[test]  # factored rows are cut once, not for each candidate
        models = (MAKERS[name](**values).fit(fitted, Y[train]) for values in grid)
        found.append([micro_auc(model, held, Y[test]) for model in models])
    return found


def _rows(split: paper.Split, name: str) -> Any:
    return split.X if name == "SVM" else split.factored


def run_baseline(name: str) -> paper.Method:
    """A baseline with what was tuned."""

    def run(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
        X = _rows(split, name)
        return judge(split, MAKERS[name](**parameters).fit(X, split.Y), X)

    return run


def baseline(name: str) -> paper.Procedure:
    """A baseline, its parameters by cross-validation on the first split."""

    def tune(split: paper.Split) -> paper.Parameters:
        return paper.best(GRIDS[name], fold_scores(split, name, GRIDS[name]))

    return paper.Procedure(run_baseline(name), tune)


def micro_auc(model: Any, X: Any, Y: np.ndarray) -> float:
    """Of the scores of a model."""
    return float(roc_auc(Y, model.decision_function(X), average="micro"))


def tuned_mtsda(split: paper.Split, **candidates: Any) -> dict[str, float]:
    """The best λ₁, λ₂ and ρ by cross-validation."""
    folds = split.splitter(FOLDS)
    search = MtSDACV(
        **candidates, label_means=False, cv=folds, tol=1e-4, verbose=False, random_state=0
    )
    search.fit(split.X, split.Y)
    return {"l1": float(search.l1_), "l2": float(search.l2_), "rho": float(search.rho_)}


def tune_identity(split: paper.Split) -> paper.Parameters:
    """Ω = I."""
    return split.problem.once("Ω = I", lambda: tuned_mtsda(split, l1s=N_L1S, l2s=L2S, rhos=[0.0]))


def tune_equicorrelated(split: paper.Split) -> paper.Parameters:
    """Ω = Δ: ρ, with λ₁ and λ₂ of Ω = I."""
    fixed = tune_identity(split)
    return tuned_mtsda(split, l1s=[fixed["l1"]], l2s=[fixed["l2"]], rhos=RHOS)


def run_mtsda(
    split: paper.Split, parameters: paper.Parameters, of: type[MtSDA] = MtSDA
) -> paper.Scores:
    """MtSDA with what was tuned, its scores as in Eq. 11."""
    model = of(label_means=False).set_params(**parameters).fit(split.X, split.Y)
    return judge(split, model, split.X, split.Y.mean(axis=0))
