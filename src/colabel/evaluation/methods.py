"""Every method of the library under a name, ready to be fitted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from inspect import isclass
from typing import Any

from sklearn.base import ClassifierMixin
from sklearn.pipeline import Pipeline

import colabel
from colabel import LabelRidge, LabelRidgeCV, ThresholdTuner
from colabel._base import LinearExtractor
from colabel.evaluation.scales import scaled

DEFAULT = "shared-subspace"


@dataclass(frozen=True)
class Plan:
    """How a method is to be fitted.

    Attributes
    ----------
    tune : bool
        Whether penalties are found by cross-validation.
    thresholds : bool
        Whether a threshold is found for each label.
    scale : {"standard", "unit", "tfidf", "none"}
        What is done to X first.
    cv, scoring, seed, jobs
        Of the cross-validation.
    parameters : dict
        Of the method, beside its defaults.
    """

    tune: bool = True
    thresholds: bool = True
    scale: str = "none"
    cv: int = 5
    scoring: str = "f1_macro"
    seed: int = 0
    jobs: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """An extractor or a classifier of the library, and the form of it that tunes itself."""

    name: str
    plain: type
    tuned: type | None

    @property
    def is_extractor(self) -> bool:
        """Whether a classifier has to follow."""
        return issubclass(self.plain, LinearExtractor)

    def estimator(self, plan: Plan) -> Any:
        """The classifier to fit: scaled, tuned, and with thresholds, as the plan says.

        The thresholds of an extractor's scores are tuned around extractor and classifier both:
        directions that saw a row's labels make its score too good to cut by.
        """
        common: dict[str, Any] = {"random_state": plan.seed, "n_jobs": plan.jobs, "cv": plan.cv}
        search: dict[str, Any] = {**common, "scoring": plan.scoring, "verbose": False}
        tuned = self.tuned is not None and plan.tune
        own = self._made(self.tuned if tuned else self.plain, plan, search)
        cut_inside = "thresholds" in own.get_params()
        if self.is_extractor:
            ridge = LabelRidgeCV(**search, thresholds=None) if plan.tune else LabelRidge()
            model: Any = Pipeline([("extract", own), ("classify", ridge)])
        else:
            model = own
        if cut_inside:
            model.set_params(thresholds="out-of-fold" if plan.thresholds else None, verbose=True)
        elif plan.thresholds:
            model = ThresholdTuner(model, **common)
        return scaled(model, plan.scale)

    def _made(self, kind: Any, plan: Plan, settings: dict[str, Any]) -> Any:
        estimator = kind()
        known = estimator.get_params(deep=False)
        for name in plan.parameters:
            if name not in known:
                raise ValueError(
                    f"{name}: no such parameter; {self.name} has {', '.join(sorted(known))}"
                )
        usual = {name: value for name, value in settings.items() if name in known}
        return estimator.set_params(**{**usual, **plan.parameters})


@cache
def methods() -> dict[str, Method]:
    """The methods by name, classifiers first."""
    found = []
    for name in colabel.__all__:
        kind = getattr(colabel, name)
        if not isclass(kind) or kind is ThresholdTuner or name.endswith("CV"):
            continue
        if issubclass(kind, LinearExtractor | ClassifierMixin):
            found.append(Method(_kebab(name), kind, getattr(colabel, f"{name}CV", None)))
    found.sort(key=lambda method: (method.is_extractor, method.name != DEFAULT, method.name))
    return {method.name: method for method in found}


def find(name: str) -> Method:
    """The method of a name, however it is written: shared-subspace, SharedSubspaceClassifier."""
    known = {_plain(method.name): method for method in methods().values()}
    wanted = _plain(re.sub(r"(Classifier)?(CV)?$", "", name))
    if wanted in known:
        return known[wanted]
    close = get_close_matches(wanted, known, n=1)
    hint = f"did you mean {known[close[0]].name}?" if close else f"use {', '.join(methods())}"
    raise ValueError(f"{name}: there is no such method; {hint}")


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z]{2})(?=[A-Z])", "-", name.removesuffix("Classifier")).lower()


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()
