"""What Han, Wu, Jia, Zhuang & Yu (2010) leave open, or print otherwise, done so."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from colabel.classifiers import MtSDA
from colabel.classifiers.mtsda.elastic_net import elastic_net
from colabel.classifiers.mtsda.optimal_scoring import LabelRange, State
from colabel.classifiers.mtsda.penalty import Penalty
from colabel.classifiers.mtsda.predictors import Standardised
from colabel.papers import protocol as paper
from colabel.papers.effects import experiment
from colabel.papers.han2010_methods import (
    BASELINES,
    CITATION,
    COSTS,
    FOLDS,
    GRIDS,
    L2S,
    MTSDA,
    N_L1S,
    OF_LABELS,
    RIDGES,
    WITH_MEANS,
    fold_scores,
    micro_auc,
    run_baseline,
    run_mtsda,
    tune_identity,
    tuned_mtsda,
)
from colabel.papers.yahoo import sources

LOWER_L2S = (1e-4, 1e-3, *L2S)
#: The candidates of λ₁, and one more between any two.
MORE_L1S = 2 * N_L1S - 1
_RIDGES = (RIDGES[0] / 10, *RIDGES, RIDGES[-1] * 10)
_COSTS = (COSTS[0] / 10, *COSTS, COSTS[-1] * 10)
#: Of the baselines, the candidates of the tables and one more at either end, but for the C of
#: LDA+SVM, which takes longest and has its best inside.
WIDER: dict[str, list[dict[str, float]]] = {
    "SVM": [{"C": C} for C in _COSTS],
    "LDA+SVM": [{"ridge": ridge, "C": C} for ridge in _RIDGES for C in COSTS[4:]],
    "HSML": [{"ridge": ridge, "C": C} for ridge in _RIDGES for C in _COSTS],
}
#: The set on which what takes longest is tuned, and the one of which the lowest λ₂ is the best.
TUNED_ON, LOWERED_ON = "Arts", "Business"
#: Rounds of the step that the paper prints, and the share by which the last changes YΘ.
PRINTED_ROUNDS, PRINTED_TOL = 20, 1e-3
_HOW = {"max_iter": PRINTED_ROUNDS, "tol": PRINTED_TOL}
#: What λ₁ is multiplied by where it is tuned for that step, by the steps of its candidates.
LESS = [0.1 ** (k / (N_L1S - 1)) for k in range(3)]


class PrintedStep(MtSDA):
    """MtSDA with the step for Θ as Eq. 9 prints it: √n Y⁺UVᵀ, where X̃B = USVᵀ.

    The objective may rise, so that rounds end where YΘ stands still.
    """

    def _alternate(
        self,
        design: Standardised,
        space: LabelRange,
        penalty: Penalty,
        R: np.ndarray,
        B: np.ndarray | None = None,
    ) -> tuple[State, np.ndarray]:
        """The last state, which has the elastic nets of its scores, and the objective of all."""
        objective: list[float] = []
        for _ in range(self.max_iter):
            T = space.targets(R)
            B, residual = elastic_net(design.X, T, penalty, B, tol=self._inner_tol)
            fitted = design.X.dot(B)
            objective.append(float(np.sum((T - fitted) ** 2)) / len(T) + penalty(B))
            state = State(B, R, objective[-1], residual)
            U, _, Vt = linalg.svd(fitted, full_matrices=False)
            R = space.Q.T @ (U @ Vt)  # YΘ = YY⁺UVᵀ√n, which is QQᵀUVᵀ√n
            if linalg.norm(R - state.R) <= self.tol * linalg.norm(R):
                break
        return state, np.array(objective)

    def _warn_if_unfinished(self, state: State) -> None:
        if len(self.objective_) == self.max_iter:
            words = f"the step of Eq. 9 still changes the scores after {self.max_iter} rounds"
            warnings.warn(words, ConvergenceWarning, stacklevel=2)


def by_the_printed_step(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
    """MtSDA with Eq. 9."""
    return run_mtsda(split, {**parameters, **_HOW}, PrintedStep)


def tune_printed(split: paper.Split) -> paper.Parameters:
    """λ₁ for Eq. 9, from that of the tables down."""
    ours, X, Y = tune_identity(split), split.X, split.Y
    grid = [{**ours, "l1": share * float(ours["l1"] or 0.0)} for share in LESS]
    judged = []
    for train, test in split.folds(FOLDS):
        models = (PrintedStep(label_means=False).set_params(**values, **_HOW) for values in grid)
        judged.append([micro_auc(m.fit(X[train], Y[train]), X[test], Y[test]) for m in models])
    return paper.best(grid, judged)


def tune_lower_l2(split: paper.Split) -> paper.Parameters:
    """Ω = I, λ₂ from lower on."""
    return tuned_mtsda(split, l1s=N_L1S, l2s=LOWER_L2S, rhos=[0.0])


def tune_finer_l1(split: paper.Split) -> paper.Parameters:
    """Ω = I, more λ₁ between the same ends, with the λ₂ of the tables."""
    l2 = tune_identity(split)["l2"]
    return tuned_mtsda(split, l1s=MORE_L1S, l2s=[l2], rhos=[0.0])


def among(name: str, grid: Sequence[dict[str, float]]) -> paper.Procedure:
    """A baseline with some of the wider candidates, which are all judged once."""

    def tune(split: paper.Split) -> paper.Parameters:
        wider = WIDER[name]
        judged = split.problem.once(name, lambda: fold_scores(split, name, wider))
        of = [wider.index(candidate) for candidate in grid]
        return paper.best(grid, np.array(judged)[:, of].tolist())

    return paper.Procedure(run_baseline(name), tune)


def _of_auc(procedure: paper.Procedure) -> paper.Procedure:
    """Judged by what is tuned for alone."""

    def run(split: paper.Split, parameters: paper.Parameters) -> paper.Scores:
        return {"micro AUC": procedure.run(split, parameters)["micro AUC"]}

    return replace(procedure, run=run)


_FINER, _LOWER, _PRINTED, _OWN = (
    f"{MTSDA[0]}, {how}" for how in ("finer λ₁", "lower λ₂", "Eq. 9", "Eq. 9, own λ₁")
)
_OF_MTSDA = {
    MTSDA[0]: paper.Procedure(run_mtsda, tune_identity),
    _FINER: paper.Procedure(run_mtsda, tune_finer_l1),
    _PRINTED: paper.Procedure(by_the_printed_step, tune_identity),
}
_ON_EDGE = {_LOWER: paper.Procedure(run_mtsda, tune_lower_l2)}
_WIDER = {name: f"{name}, wider" for name in BASELINES}
_ON_ONE = {
    _OWN: paper.Procedure(by_the_printed_step, tune_printed),
    **{name: among(name, GRIDS[name]) for name in BASELINES},
    **{_WIDER[name]: among(name, WIDER[name]) for name in BASELINES},
}
CHOICES = experiment(
    "han2010",
    CITATION,
    {
        TUNED_ON: replace(sources()[TUNED_ON], methods=(*_OF_MTSDA, *_ON_ONE)),
        LOWERED_ON: replace(sources()[LOWERED_ON], methods=(*_OF_MTSDA, *_ON_EDGE)),
    },
    {name: _of_auc(procedure) for name, procedure in {**_OF_MTSDA, **_ON_EDGE, **_ON_ONE}.items()},
    (paper.measure("micro AUC"),),
    n_splits=3,
)


def _judged(methods: Sequence[str], measure: str) -> tuple[paper.Otherwise, ...]:
    return tuple(paper.Otherwise(name, name, measures={"micro AUC": measure}) for name in methods)


def _of_both(variant: str) -> tuple[paper.Otherwise, ...]:
    return (paper.Otherwise(MTSDA[0], variant, MTSDA),)


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
        f"candidates of λ₁: {N_L1S} down to a tenth of the largest; the paper names none "
        f"(otherwise: {MORE_L1S} between the same ends, λ₂ as before)",
        _of_both(_FINER),
    ),
    paper.Difference(
        f"candidates of λ₂: {L2S[0]:g} to {L2S[-1]:g}; the paper names none (otherwise: "
        f"{LOWER_L2S[0]:g} to {LOWER_L2S[-1]:g}, on {LOWERED_ON})",
        _of_both(_LOWER),
    ),
    paper.Difference(
        f"candidates of the baselines: ridges of {RIDGES[0]:g} to {RIDGES[-1]:g}, C of "
        f"{COSTS[0]:g} to {COSTS[-1]:g}, of LDA+SVM from {COSTS[4]:g}; the paper names none "
        f"(otherwise: ten times wider at either end, but for C of LDA+SVM, on {TUNED_ON})",
        tuple(paper.Otherwise(name, wider) for name, wider in _WIDER.items()),
    ),
    paper.Difference(
        "ρ = 1/k without k = 1, for which Ω is singular",
        unseen="its Ω has to be positive definite, by the paper's own definition",
    ),
    paper.Difference(
        "step for Θ: in the range of Y, where its Eq. 9 leaves it, by which the constraint breaks "
        "and the objective rises (see the errata); otherwise: Eq. 9 as printed, with the same λ, "
        f"until YΘ changes by {PRINTED_TOL:g} of it, at most {PRINTED_ROUNDS} rounds",
        _of_both(_PRINTED),
    ),
    paper.Difference(
        "step for Θ, as before (otherwise: Eq. 9 with a λ₁ tuned for it, that of ours or one of "
        f"{len(LESS) - 1} smaller ones, down to {LESS[-1]:.2f} of it, on {TUNED_ON})",
        _of_both(_OWN),
    ),
    paper.Difference("Business: other pages", other_data=("Business",)),
    paper.Difference(
        "NUS-6, NUS-16, MM2.0 and seven sets of pages are not to be had here", unseen=paper.NO_DATA
    ),
)
