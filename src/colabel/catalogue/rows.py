"""The catalogue: every method of the library, and what people use today, tuned alike.

Every method of a comparison is tuned on training rows that it has not seen, for its parameters and
for a threshold of each label: on folds, the same for all, or row by row where that costs nothing.
The semi-supervised classifiers are not compared: they need rows without labels.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from colabel import _limits as limits
from colabel import classifiers, extractors, hypergraph, semi_supervised, tuning
from colabel.catalogue.method import BEST, LINEAR, QUICK, SHARE, Grid, Method
from colabel.catalogue.optional import installed, missing
from colabel.catalogue.own import load_object
from colabel.classifiers import pipelines
from colabel.family import LinearExtractor
from colabel.mixture import BestOf, Member, members
from colabel.variance import PCA

_RIDGES = [0.1, 1.0, 10.0, 100.0]
_ALPHA = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0]
_C = [0.01, 0.1, 1.0]
_ALIASES = {"ridge": "label-ridge", "null": "label-ridge", "svm": "linear-svm", "cca": "label-cca"}
_ALIASES |= {"BestOf": BEST}


def _extractor(
    name: str, make: Callable[[], Any], about: str, title: str = "", **tried: list[Any]
) -> Method:
    """A row of an extractor, which is called as its class is unless there is a title."""
    grid = {f"extract__{parameter}": values for parameter, values in tried.items()}
    grid["classify__alpha"] = _ALPHA
    settings, title = {"n_components": SHARE}, title or getattr(make, "__name__", name)
    return Method(
        name, title, "extractor", about, make, settings=settings, grid=grid, factored=True
    )


def _before_svm(method: Method) -> Method:
    """An extractor with linear SVMs behind it."""
    grid: Grid = {name: tried for name, tried in method.grid.items() if "classify" not in name}
    return replace(
        method,
        name=f"{method.name}-svm",
        title=f"{method.title} + SVM",
        then="linear SVMs",
        behind=partial(OneVsRestClassifier, LinearSVC(random_state=0)),
        grid={**grid, "classify__estimator__C": _C},
        by_default=False,
        too_large=limits.svms,
    )


def _of_library() -> list[Method]:
    return [
        Method(
            "shared-subspace", "shared subspace", "classifier",
            "least squares with a subspace that all labels share",
            classifiers.SharedSubspaceClassifier, tuning.SharedSubspaceClassifierCV, factored=True,
        ),
        Method(
            "label-ridge", "ridge (NULL)", "classifier",
            "ridge regression for each label",
            classifiers.LabelRidge, tuning.LabelRidgeCV, factored=True,
        ),
        Method(
            "aso", "ASO", "classifier",
            "margin classifiers that share a subspace, by alternating optimisation",
            classifiers.ASOClassifier,
            settings={"loss": "squared_hinge", "max_iter": 20},
            grid={"alpha": [0.01, 0.1, 1.0], "n_components": [1, None]},
            too_large=limits.margins,
        ),
        Method(
            "rank-svm", "RankSVM", "classifier", "ranks the labels of a row above the others",
            classifiers.RankSVM, settings={"threshold": "zero"}, grid={"C": _C},
        ),
        Method(
            "mtsda", "MtSDA", "classifier",
            "sparse discriminant directions of overlapping labels",
            classifiers.MtSDA, tuning.MtSDACV,
            settings={"max_iter": 20, "tol": 1e-3},
            grid={"l1": [0.01, 0.03, 0.1], "l2": [1.0]},
            too_large=limits.sparse_directions,
        ),
    ]  # fmt: skip


def _with_kernel(method: Method) -> Method:
    """The same on the images of rows under a Gaussian kernel."""
    tuned = None if method.tuned is None else partial(method.tuned, kernel="rbf")
    return replace(
        method,
        name=f"kernel-{method.name.removeprefix('label-')}",
        title=f"kernel {method.title.removesuffix(' (NULL)')}",
        about=f"{method.about}, of the rows under a Gaussian kernel",
        make=partial(method.make, kernel="rbf"),
        tuned=tuned,
        factored=False,
        too_large=limits.kernels,
    )


def _kernels() -> list[Method]:
    plain = {method.name: method for method in (*_of_library(), *_extractors())}
    names = ("shared-subspace", "label-ridge", "mvmd", "hypergraph-spectral")
    return [_with_kernel(plain[name]) for name in names]


def _extractors() -> list[Method]:
    row, of, beta, many = _extractor, extractors, [0.1, 0.5, 0.9], _RIDGES
    few = _RIDGES[::2]  # a problem of full rank costs an eigendecomposition for each
    graph = "spectral learning on the hypergraph of labels"
    return [
        row("pca", PCA, "directions of most variance, without labels"),
        row("mddmp", of.MDDMp, "orthonormal directions that depend most on the labels"),
        row("mddmf", of.MDDMf, "uncorrelated features that depend most on the labels", beta=beta),
        row("mvmd", of.MVMD, "variance and dependence on the labels, traded off", beta=beta),
        row(
            "label-cca",
            of.LabelCCA,
            "directions most correlated with the labels",
            "CCA",
            ridge=many,
        ),
        row(
            "opls", of.OPLS, "directions that predict the labels best by least squares", ridge=many
        ),
        row("ocm", of.OCM, "the orthonormal centroids of the labels"),
        row("mlsi", of.MLSI, "latent indexing of features and labels together", ridge=few),
        row("mlda", of.MLDA, "discriminant analysis with labels that overlap", ridge=many),
        row("dmlda", of.DMLDA, "discriminant analysis by pairs of rows", ridge=few),
        row("hypergraph-spectral", hypergraph.HypergraphSpectral, graph, "hypergraph", ridge=many),
    ]


def _semi_supervised() -> list[Method]:
    return [
        Method(
            "cnmf", "CNMF", "semi-supervised",
            "rows that are alike share labels, by constrained factorisation",
            semi_supervised.CNMF, by_default=False,
        ),
        Method(
            "sgt", "SGT", "semi-supervised", "each label cuts a graph of neighbours in two",
            semi_supervised.SGT, by_default=False,
        ),
    ]  # fmt: skip


def _of_papers() -> list[Method]:
    """The baselines of Ji et al. (2008) and of Han et al. (2010)."""
    ridge = [1.0, 100.0]
    return [
        Method(
            "cca-ridge", "CCA + ridge", "baseline",
            "canonical correlation without a penalty on labels; then ridge", pipelines.cca_ridge,
            grid={"cca__ridge": _RIDGES, "ridge__alpha": _ALPHA}, factored=True, by_default=False,
        ),
        Method(
            "cca-svm", "CCA + SVM", "baseline", "canonical correlation; then linear SVMs",
            pipelines.cca_svm, grid={"cca__ridge": ridge, "svm__estimator__C": _C}, factored=True,
            too_large=limits.svms,
        ),
        Method(
            "hsml", "hypergraph + SVM", "baseline", "hypergraph spectral learning; then SVMs",
            pipelines.hsml, grid={"hypergraph__ridge": ridge, "svm__estimator__C": _C},
            factored=True, too_large=limits.svms,
        ),
        Method(
            "lda-svm", "LDA + SVM", "baseline", "discriminant analysis and an SVM, label by label",
            pipelines.lda_svm, grid={"lda_svm__estimator__lda__ridge": _RIDGES[::2]},
            too_large=limits.discriminants, factored=True,
        ),
    ]  # fmt: skip


def _of_mixtures(member: Member, title: str, about: str) -> Method:
    """A row of what is a member of mixtures, too."""
    return Method(
        member.name, title, "baseline", about, member.make, grid=member.grid,
        out_of_bag=member.out_of_bag, too_large=member.too_large,
    )  # fmt: skip


def _mixtures() -> list[Method]:
    quick = partial(BestOf, members.QUICK)
    return [
        Method(
            QUICK, "quick mixture", "classifier",
            "least squares, kernels and forests, which need no folds, mixed like the best mixture",
            quick, quick, by_default=False,
        ),
        Method(
            BEST, "best mixture", "classifier",
            "members of several kinds, mixed by what they say of rows that they have not seen",
            BestOf, BestOf,
        ),
    ]  # fmt: skip


def _usual() -> list[Method]:
    """What a person would take from scikit-learn today."""
    from sklearn.neighbors import KNeighborsClassifier

    return [
        Method(
            "linear-svm", "linear SVM", "baseline", "scikit-learn's LinearSVC, one a label",
            pipelines.linear_svm, grid={"svm__estimator__C": [1e-3, 0.01, 0.1, 1.0]},
        ),
        _of_mixtures(
            members.LOGISTIC, "logistic regression",
            "scikit-learn's LogisticRegression, one a label",
        ),
        _of_mixtures(
            members.CHAIN, "classifier chain",
            "logistic regressions that see the labels before them, in a random order",
        ),
        Method(
            "chain-ensemble", "ensemble of chains", "baseline",
            "the mean of five classifier chains in random orders",
            partial(classifiers.ChainEnsemble, members.ONE_LABEL, 5),
            grid={"estimator__C": [1.0, 10.0]}, too_large=limits.chains,
        ),
        Method(
            "knn", "nearest neighbours", "baseline", "scikit-learn's KNeighborsClassifier",
            # trees of rows cannot be saved
            partial(KNeighborsClassifier, algorithm="brute"), grid={"n_neighbors": [5, 10, 20]},
        ),
        Method(
            "ml-knn", "ML-kNN", "baseline",
            "how many neighbours have a label, by Bayes' rule (Zhang and Zhou 2007)",
            classifiers.MLkNN, grid={"n_neighbors": [5, 10, 20]},
        ),
        _of_mixtures(
            members.FOREST, "random forest", "scikit-learn's RandomForestClassifier of 100 trees",
        ),
        _of_mixtures(
            members.EXTRA_TREES, "extra trees",
            "scikit-learn's ExtraTreesClassifier of 100 trees, each of a sample of the rows",
        ),
        _of_mixtures(
            members.BOOSTED, "gradient boosting",
            "scikit-learn's HistGradientBoostingClassifier, one a label",
        ),
    ]  # fmt: skip


@cache
def catalogue() -> dict[str, Method]:
    """Every method by its name, in the order of a report."""
    rows = [*_of_library(), *_extractors(), *_kernels(), *_of_papers(), *_usual(), *installed()]
    rows += [_before_svm(method) for method in rows if method.is_extractor]
    return {method.name: method for method in [*rows, *_mixtures(), *_semi_supervised()]}


def of_library() -> dict[str, Method]:
    """The methods of the library itself."""
    rows = [*_of_library(), *_semi_supervised(), *_extractors(), *_kernels(), *_mixtures()]
    return {method.name: method for method in _sort(rows)}


def fittable() -> dict[str, Method]:
    """The methods that ``colabel fit`` has by name: all, those of the library first."""
    rows = of_library()
    return {**rows, **{method.name: method for method in _sort(catalogue().values())}}


def _sort(rows: Iterable[Method]) -> list[Method]:
    first = {name: number for number, name in enumerate((LINEAR, BEST, QUICK))}

    def order(method: Method) -> tuple[bool, int, str]:
        return method.is_extractor, first.get(method.name, len(first)), method.name

    return sorted(rows, key=order)


def comparable() -> dict[str, Method]:
    """The methods that a comparison can run: all but those that need rows without labels."""
    return {name: m for name, m in catalogue().items() if m.kind != "semi-supervised"}


def find(name: str, among: Mapping[str, Method] | None = None) -> Method:
    """The method of a name, however it is written: rank-svm, RankSVM, mvmd-svm."""
    rows = catalogue() if among is None else among
    if ":" in str(name):
        return given(str(name), load_object(str(name)))
    absent = missing(_plain(str(name)))
    if absent:
        raise ValueError(absent)
    known = {_plain(key): key for key in rows}
    known |= {_plain(alias): key for alias, key in _ALIASES.items() if key in rows}
    wanted = _plain(str(name))
    short = wanted.removesuffix("cv").removesuffix("classifier")
    for spelling in (wanted, wanted.removesuffix("cv"), short):
        if spelling in known:
            return rows[known[spelling]]
    close = get_close_matches(wanted, known, n=1)
    usual = ", ".join(row.name for row in rows.values() if row.by_default or among is not None)
    hint = f"did you mean {known[close[0]]}?" if close else f"use {usual}"
    raise ValueError(f"{name}: there is no such method; {hint}")


def select(names: Any) -> list[Method]:
    """The methods of names, to be compared; of a mapping from names to classifiers, these."""
    if names is None:
        return [method for method in catalogue().values() if method.by_default]
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
    if isinstance(names, Mapping):
        found = [
            _comparable(key) if value is None else given(key, value) for key, value in names.items()
        ]
    else:
        found = [_comparable(name) for name in names]
    if not found:
        raise ValueError("there are no methods to compare; name at least one")
    unique = {method.name: method for method in found}
    return [replace(method, too_large=None) for method in unique.values()]


def _comparable(name: str) -> Method:
    method = find(name)
    if method.kind == "semi-supervised":
        raise ValueError(f"{name} needs rows without labels and cannot be compared; leave it out")
    return method


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()


def given(name: str, estimator: Any) -> Method:
    """A person's own: a classifier as it is, or an extractor of the family with ridge behind it."""
    about = f"{type(estimator).__name__} as it was given"
    if isinstance(estimator, LinearExtractor):
        own = _extractor(str(name), lambda: estimator, about, str(name))
        return replace(own, settings={}, is_given=True)
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
        raise TypeError(
            f"method {name!r} must be a classifier with fit and predict, or an extractor of "
            f"colabel.family; got {estimator!r}"
        )
    return Method(str(name), str(name), "baseline", about, lambda: estimator, is_given=True)
