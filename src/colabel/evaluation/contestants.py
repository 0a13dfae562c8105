"""What a comparison can run: every method of the library, and what people use today, tuned alike.

Every method is tuned on the same folds of the training rows, for its parameters and for a threshold
of each label. The semi-supervised classifiers are left out: they need rows without labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from colabel.classifiers import LabelRidge
from colabel.evaluation import limits
from colabel.evaluation import methods as registry
from colabel.evaluation.baselines import papers_baselines, usual_baselines
from colabel.evaluation.contestant import ALPHAS, RIDGES, Contestant
from colabel.evaluation.limits import Limit
from colabel.evaluation.methods import Method

#: The share of the eigenvalues that extractors keep, as Xu et al. (2016) do.
SHARE = 0.999
_SEMI_SUPERVISED = ("cnmf", "sgt")
_ALIASES = {"ridge": "label-ridge", "null": "label-ridge", "svm": "linear-svm", "cca": "label-cca"}

#: Titles of the methods of the library, and what each does.
_ABOUT = {
    "shared-subspace": ("shared subspace", "least squares with a subspace that all labels share"),
    "label-ridge": ("ridge (NULL)", "ridge regression on the features as they are"),
    "aso": ("ASO", "margin classifiers that share a subspace, by alternating optimisation"),
    "rank-svm": ("RankSVM", "ranks the labels of a row above the others"),
    "mtsda": ("MtSDA", "sparse discriminant directions of overlapping labels"),
    "pca": ("PCA", "directions of most variance, without labels"),
    "mddmp": ("MDDMp", "orthonormal directions that depend most on the labels"),
    "mddmf": ("MDDMf", "uncorrelated features that depend most on the labels"),
    "mvmd": ("MVMD", "variance and dependence on the labels, traded off"),
    "label-cca": ("CCA", "directions most correlated with the labels"),
    "opls": ("OPLS", "directions that predict the labels best by least squares"),
    "ocm": ("OCM", "the orthonormal centroids of the labels"),
    "mlsi": ("MLSI", "latent indexing of features and labels together"),
    "mlda": ("MLDA", "discriminant analysis with labels that overlap"),
    "dmlda": ("DMLDA", "discriminant analysis by pairs of rows"),
    "hypergraph-spectral": ("hypergraph", "spectral learning on the hypergraph of labels"),
}


@cache
def contestants() -> dict[str, Contestant]:
    """Everything that can be compared by name, in the order of a report.

    Returns
    -------
    dict from names to Contestant

    Examples
    --------
    >>> from colabel.evaluation.contestants import contestants
    >>> list(contestants())[:3]
    ['shared-subspace', 'label-ridge', 'aso']
    """
    known = registry.methods()
    own = [known[name] for name in _ABOUT if name in known]
    own += [m for m in known.values() if m.name not in _ABOUT and m.name not in _SEMI_SUPERVISED]
    extractors = [method for method in own if method.is_extractor]
    found = [_classifier(method) for method in own if not method.is_extractor]
    found += [_extractor(method) for method in extractors]
    found += [*papers_baselines(), *usual_baselines()]
    found += [_extractor_svm(method) for method in extractors]
    return {contestant.name: contestant for contestant in found}


def select(names: Any) -> list[Contestant]:
    """The contestants of names; of a mapping from names to classifiers, these as they are.

    Parameters
    ----------
    names : None, str, sequence of str, or mapping
        None is all that run by default. In a mapping, None as a value stands for the registered
        method of that name.

    Returns
    -------
    list of Contestant
    """
    if names is None:
        return [contestant for contestant in contestants().values() if contestant.by_default]
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
    if isinstance(names, Mapping):
        found = [find(key) if value is None else _given(key, value) for key, value in names.items()]
    else:
        found = [find(name) for name in names]
    if not found:
        raise ValueError("there are no methods to compare; name at least one")
    unique = {contestant.name: contestant for contestant in found}
    return [replace(contestant, too_large=None) for contestant in unique.values()]


def find(name: str) -> Contestant:
    """The contestant of a name, however it is written: rank-svm, RankSVM, mvmd-svm."""
    known = {_plain(key): key for key in contestants()}
    known |= {_plain(alias): key for alias, key in _ALIASES.items()}
    wanted = _plain(str(name))
    for spelling in (
        wanted,
        wanted.removesuffix("cv"),
        wanted.removesuffix("cv")[: -len("classifier")],
    ):
        if spelling in known:
            return contestants()[known[spelling]]
    if wanted in _SEMI_SUPERVISED:
        raise ValueError(f"{name} needs rows without labels and cannot be compared; leave it out")
    close = get_close_matches(wanted, known, n=1)
    default = ", ".join(c.name for c in contestants().values() if c.by_default)
    hint = f"did you mean {known[close[0]]}?" if close else f"use {default}"
    raise ValueError(f"{name}: there is no such method; {hint}")


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c not in "-_ ")


def _given(name: str, estimator: Any) -> Contestant:
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise TypeError(
            f"method {name!r} must be a classifier with fit and predict; got {estimator!r}"
        )
    about = f"{type(estimator).__name__} as it was given"
    return Contestant(str(name), str(name), "baseline", about, estimator)


def _named(method: Method) -> tuple[str, str]:
    title, about = _ABOUT.get(method.name, (method.name, ""))
    return title, about or (method.plain.__doc__ or method.name).strip().splitlines()[0]


def _classifier(method: Method) -> Contestant:
    title, about = _named(method)
    plain, grid = method.plain(), _GRIDS.get(method.name)
    if grid is None and "thresholds" in (method.tuned or method.plain)().get_params():
        return Contestant(
            method.name, title, "classifier", about, plain, factored=True, tunes_itself=method
        )
    plain.set_params(**_SETTINGS.get(method.name, {}))
    limit = _LIMITS.get(method.name)
    return Contestant(method.name, title, "classifier", about, plain, grid or {}, too_large=limit)


#: Rounds and tolerances with which the slower classifiers are as good, and several times faster.
_SETTINGS: dict[str, dict[str, Any]] = {
    "aso": {"loss": "squared_hinge", "max_iter": 20},
    "rank-svm": {"threshold": "zero"},
    "mtsda": {"max_iter": 20, "tol": 1e-3},
}
_GRIDS: dict[str, dict[str, list[Any]]] = {
    "aso": {"alpha": [0.01, 0.1, 1.0], "n_components": [1, None]},
    "rank-svm": {"C": [0.01, 0.1, 1.0]},
    "mtsda": {"l1": [0.01, 0.03, 0.1], "l2": [1.0]},
}
_LIMITS: dict[str, Limit] = {"aso": limits.margins, "mtsda": limits.sparse_directions}


def _extractor(method: Method) -> Contestant:
    title, about = _named(method)
    model = Pipeline([("extract", method.plain(SHARE)), ("classify", LabelRidge())])
    grid = {**_extractor_grid(method), "classify__alpha": ALPHAS}
    return Contestant(method.name, title, "extractor", f"{about}; then ridge", model, grid, True)


def _extractor_grid(method: Method) -> dict[str, list[Any]]:
    known = method.plain().get_params()
    if "ridge" in known:
        # a problem of full rank costs an eigendecomposition for each
        full_rank = method.name in ("dmlda", "mlsi")
        return {"extract__ridge": RIDGES[::2] if full_rank else RIDGES}
    return {"extract__beta": [0.1, 0.5, 0.9]} if "beta" in known else {}


def _extractor_svm(method: Method) -> Contestant:
    title, about = _named(method)
    svm = OneVsRestClassifier(LinearSVC(random_state=0))
    model = Pipeline([("extract", method.plain(SHARE)), ("classify", svm)])
    grid = {**_extractor_grid(method), "classify__estimator__C": [0.01, 0.1, 1.0]}
    return Contestant(
        f"{method.name}-svm",
        f"{title} + SVM",
        "extractor",
        f"{about}; then linear SVMs",
        model,
        grid,
        factored=True,
        by_default=False,
        too_large=limits.svms,
    )
