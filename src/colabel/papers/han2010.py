"""Han, Wu, Jia, Zhuang & Yu (2010): multi-task sparse discriminant analysis, tables 2 and 3."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from colabel._cuts import best_global_threshold
from colabel.classifiers import LabelRidge, MtSDA
from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.standings import spread_of, standings
from colabel.datasets.dataset import Dataset
from colabel.hypergraph import HypergraphSpectral
from colabel.metrics import f1, roc_auc
from colabel.papers import protocol as paper
from colabel.papers.claims import leads, means
from colabel.papers.margins import ExactSVM, LibSVM
from colabel.papers.yahoo import TITLES, sources
from colabel.tuning import MtSDACV

MICRO_AUC = paper.figures("""
method      | Arts | Business | Computers | Education | Entertainment | Health | Recreation | Reference | Science | Social | Society | NUS-6 | NUS-16 | MM2.0
SVM         | .5357±.0167 | .8862±.0070 | .7532±.0030 | .5915±.0485 | .6605±.0194 | .7120±.0241 | .5789±.0134 | .6927±.0342 | .5233±.0067 | .7463±.0253 | .6108±.0802 | .6247±.0777 | .6002±.1123 | .7502±.0182
LDA+SVM     | .5238±.0011 | .8807±.0005 | .7540±.0008 | .5645±.0659 | .6137±.0008 | .6657±.0059 | .5589±.0006 | .6453±.0068 | .5150±.0060 | .6268±.0080 | .6194±.0538 | .6247±.0777 | .6002±.1123 | .7502±.0182
HSML        | .5771±.0022 | .8895±.0011 | .7664±.0014 | .5922±.0058 | .6608±.0041 | .7220±.0052 | .5967±.0023 | .7041±.0030 | .5575±.0056 | .7471±.0039 | .6278±.0051 | .6548±.0709 | .6414±.0775 | .7726±.0175
MtSDA (Ω=I) | .7610±.0131 | .8934±.0171 | .8082±.0152 | .7200±.1058 | .8005±.0055 | .8255±.0577 | .7699±.0182 | .8267±.0131 | .7944±.0178 | .7925±.1272 | .7598±.0174 | .6824±.0316 | .5752±.0716 | .7331±.0415
MtSDA (Ω=Δ) | .7620±.0119 | .9034±.0070 | .8184±.0109 | .7695±.0135 | .7978±.0046 | .8494±.0045 | .7705±.0216 | .8383±.0045 | .8035±.0103 | .8665±.0282 | .7604±.0181 | .7453±.0207 | .6533±.0384 | .7591±.0240
""")  # noqa: E501  a table is read by its columns
F_MEASURE = paper.figures("""
method      | NUS-6 | NUS-16 | MM2.0
SVM         | .4018±.0269 | .2207±.0229 | .2089±.0143
LDA+SVM     | .4018±.0269 | .2207±.0229 | .2089±.0143
HSML        | .3994±.0412 | .2463±.0116 | .3626±.0133
MtSDA (Ω=I) | .4232±.0706 | .2945±.0681 | .3509±.0198
MtSDA (Ω=Δ) | .4554±.0266 | .3410±.0113 | .3629±.0461
""")

#: What the AUC is called where it is that of 0 and 1, and where the means of labels are added.
OF_LABELS, WITH_MEANS = "AUC of labels", "micro AUC, means added"
BASELINES = ("SVM", "LDA+SVM", "HSML")
IMAGES = {"NUS-6": "nus6", "NUS-16": "nus16", "MM2.0": "mm2"}
RIDGES = [1e-2, 1e-1, 1.0, 10.0, 100.0]
COSTS = [10.0**i for i in range(-5, 4)]
#: The paper's 1/k; k = 1 leaves Ω singular.
RHOS = [1 / k for k in range(2, 11)]
L2S = (1e-2, 0.1, 1.0, 10.0, 100.0)
N_L1S = 5
FOLDS = 5


def images(data: Dataset) -> paper.Problem:
    """Annotated images, with 5000 for training."""
    return paper.Problem(data, paper.split_with_every_label(data.Y, 5000))


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


def baseline(name: str) -> paper.Procedure:
    """A baseline, its parameters by cross-validation on the first split."""
    make, grid = MAKERS[name], GRIDS[name]

    def rows(split: paper.Split) -> Any:
        return split.X if name == "SVM" else split.factored

    def tune(split: paper.Split) -> paper.Parameters:
        return paper.best(grid, [scores_of(split, *fold) for fold in split.folds(FOLDS)])

    def scores_of(split: paper.Split, train: np.ndarray, test: np.ndarray) -> list[float]:
        X, Y = rows(split), split.Y
        fitted, held = X[train], X[test]  # factored rows are cut once, not for each candidate
        return [_micro(make(**values).fit(fitted, Y[train]), held, Y[test]) for values in grid]

    def run(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
        X = rows(split)
        return judge(split, make(**parameters).fit(X, split.Y), X)

    return paper.Procedure(run, tune)


def _micro(model: Any, X: Any, Y: np.ndarray) -> float:
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


def run_mtsda(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
    """MtSDA with what was tuned, its scores as in Eq. 11."""
    model = MtSDA(label_means=False).set_params(**parameters).fit(split.X, split.Y)
    return judge(split, model, split.X, split.Y.mean(axis=0))


def in_words(found: ComparisonData) -> str:
    """How the figures of the baselines may have come about."""
    gaps: dict[str, list[float]] = {"micro AUC": [], OF_LABELS: []}
    for data in found.datasets:
        for method in BASELINES:
            paper = MICRO_AUC[data.name][method][0]
            for measure, of in gaps.items():
                mean = spread_of(found, data.name, method, measure).mean
                of += [] if mean is None else [abs(paper - mean)]
    if not all(gaps.values()):
        return ""
    scores, labels = (np.mean(of) for of in gaps.values())
    return (
        f"The paper's AUC of {', '.join(BASELINES)} is {scores:.3f} from that of our scores on "
        f"average, and {labels:.3f} from that of our labels cut at 0, as if a ranking of scores "
        "had been measured for MtSDA alone. With scores for all, MtSDA is not ahead here."
        if labels < scores and not _leads(found)
        else f"The paper's AUC of {', '.join(BASELINES)} is {scores:.3f} from ours on average."
    )


def _leads(found: ComparisonData) -> bool:
    """Whether MtSDA has the highest AUC on any set."""
    tables = (standings(found, data.name, "micro AUC") for data in found.datasets)
    return any(table[0].best and table[0].name not in BASELINES for table in tables)


def _judged(methods: Sequence[str], measure: str) -> tuple[paper.Otherwise, ...]:
    return tuple(paper.Otherwise(name, name, measures={"micro AUC": measure}) for name in methods)


MTSDA = ("MtSDA (Ω=I)", "MtSDA (Ω=Δ)")
DIFFERS = (
    paper.Difference(
        "AUC of the baselines: of scores, as of MtSDA (otherwise: of labels cut at 0)",
        _judged(BASELINES, OF_LABELS),
    ),
    paper.Difference(
        "scores of MtSDA: X̃BΘ⁺ as in its Eq. 11, of centred features (otherwise: the means of the "
        "labels added)",
        _judged(MTSDA, WITH_MEANS),
    ),
    paper.Difference("AUC of MtSDA: of scores (otherwise: of labels)", _judged(MTSDA, OF_LABELS)),
    paper.Difference(
        "λ₁, λ₂: beside a loss divided by n; the paper's are n times these",
        unseen="the paper prints none of its values, so that no figure depends on their scale",
    ),
    paper.Difference(
        "candidates: λ₁ of 5 values down to a tenth of the largest, λ₂ and ridges of 0.01 to 100, "
        "C of 1e-5 to 1000; the paper names none but ρ = 1/k"
    ),
    paper.Difference(
        "ρ = 1/k without k = 1, for which Ω is singular",
        unseen="its Ω has to be positive definite, by the paper's own definition",
    ),
    paper.Difference(
        "step for Θ: in the range of Y, where its Eq. 9 leaves it",
        unseen="by Eq. 9 the constraint breaks and the objective rises (see the errata)",
    ),
    paper.Difference("Business: other pages", other_data=("Business",)),
    paper.Difference(
        "NUS-6, NUS-16, MM2.0 and seven sets of pages are not to be had here", unseen=paper.NO_DATA
    ),
)


def _by_far(found: ComparisonData) -> paper.Verdict | None:
    """By how much at most, where the paper names no limit."""
    of = {data.name: means(found, data.name, "micro AUC", MTSDA) for data in found.datasets}
    gains = {name: two[MTSDA[1]] - two[MTSDA[0]] for name, two in of.items() if len(two) == 2}
    if not gains:
        return None
    most = max(gains, key=gains.__getitem__)
    return paper.UNTESTED, f"at most by {gains[most]:+.4f}, on {most}; the paper says no limit"


CLAIMS = (
    paper.Claim(
        "MtSDA provides much better classification than the other algorithms",
        "table 2",
        leads(MTSDA[0], BASELINES, "micro AUC"),
    ),
    paper.Claim(
        "Ω = Δ outperforms Ω = I slightly",
        "tables 2 and 3",
        leads(MTSDA[1], MTSDA[:1], "micro AUC"),
    ),
    paper.Claim("in some cases Ω = Δ outperforms Ω = I substantially", "abstract", _by_far),
    paper.Claim(
        "MtSDA achieves better results than single-task SVM and LDA+SVM",
        "conclusion",
        leads(MTSDA[1], BASELINES[:2], "micro AUC"),
    ),
    paper.Claim(
        "MtSDA outperforms HSML in most cases",
        "conclusion",
        leads(MTSDA[1], BASELINES[2:], "micro AUC"),
    ),
    paper.Claim("MtSDA annotates images better (F-measure)", "table 3"),
)

PROTOCOL = paper.Protocol(
    name="han2010",
    citation="Han, Wu, Jia, Zhuang & Yu (2010), Multi-task sparse discriminant analysis (MtSDA) "
    "with overlapping categories, tables 2 and 3",
    about=(
        "{splits} random splits with 1000 training pages (5000 images), every label among them. "
        "Parameters are tuned on the first split and kept, as in the paper, by 5-fold "
        "cross-validation on micro AUC; for Ω = Δ, ρ with λ₁ and λ₂ of Ω = I. The pages are "
        "prepared as by Ji et al. (2008), whom the paper follows. SVMs have the hinge and a free "
        "intercept: LIBSVM's on all words, exact ones on directions. F-measure is micro-averaged, "
        "at the one threshold that is best on the training rows; the paper gives it for images "
        "only."
    ),
    sources={**sources(), **{title: paper.Source(name, images) for title, name in IMAGES.items()}},
    tables={2: (*TITLES, *IMAGES), 3: tuple(IMAGES)},
    methods={
        **{name: baseline(name) for name in BASELINES},
        "MtSDA (Ω=I)": paper.Procedure(run_mtsda, tune_identity),
        "MtSDA (Ω=Δ)": paper.Procedure(run_mtsda, tune_equicorrelated),
    },
    measures=(paper.measure("micro AUC"), paper.measure(OF_LABELS), paper.measure("F-measure")),
    further=(paper.measure(WITH_MEANS),),
    published={"micro AUC": MICRO_AUC, "F-measure": F_MEASURE},
    n_splits=5,
    paper_splits=5,
    words=in_words,
    differs=DIFFERS,
    claims=CLAIMS,
    since="2026-11-18",
)
