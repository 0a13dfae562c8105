"""What a mixture is made of: classifiers that score rows which they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import Pipeline

from colabel import _limits as limits
from colabel.preparation import FullRows
from colabel.tuning import LabelRidgeCV, OutOfFoldSearch, SharedSubspaceClassifierCV
from colabel.tuning.grid import TunedOnGrid
from colabel.tuning.out_of_fold import is_ours

#: Instead of names: those that need no folds.
QUICK = "quick"
#: Of chains, and one against the rest.
ONE_LABEL = LogisticRegression(tol=1e-3, max_iter=200)


@dataclass(frozen=True)
class Member:
    """A classifier by its name, and how it comes to scores of rows that it has not seen."""

    name: str
    make: Callable[[], Any] = field(repr=False)
    #: What is tried for its parameters.
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    #: Whether each row is scored by the trees that have not seen it; by folds otherwise.
    out_of_bag: bool = False
    #: Why it is not fitted to data of a size; None where it is.
    too_large: limits.Limit | None = field(default=None, repr=False)

    @property
    def needs_folds(self) -> bool:
        """Whether rows that it has not seen are scored by more fits of it."""
        return not self.out_of_bag and not isinstance(self.make(), TunedOnGrid)

    @property
    def takes_unknown(self) -> bool:
        """Whether it learns from what is known of a row."""
        made = self.make()
        is_search = isinstance(made, OutOfFoldSearch)
        return is_ours(made.estimator if is_search else made)

    def classifier(self, cv: Any, scoring: Any, seed: int, n_jobs: int | None) -> Any:
        """Unfitted; it keeps the scores of held-out rows."""
        made = seeded(self.make(), seed)
        common = {"scoring": scoring, "random_state": seed}
        if isinstance(made, TunedOnGrid):  # leaves out each row by itself
            return made.set_params(**common, keep_scores="level", n_jobs=n_jobs, verbose=False)
        if isinstance(made, OutOfFoldSearch):
            return made.set_params(keep_scores=True)
        folds = "oob" if self.out_of_bag else cv
        return OutOfFoldSearch(made, dict(self.grid), cv=folds, keep_scores=True, **common)


def seeded(estimator: Any, seed: int) -> Any:
    """A clone with every random part of it seeded."""
    estimator = clone(estimator)
    names = [
        name
        for name in estimator.get_params()
        if name == "random_state" or name.endswith("__random_state")
    ]
    return estimator.set_params(**dict.fromkeys(names, seed))


def boosted_trees() -> Pipeline:
    """Histogram gradient boosting, one for each label: scikit-learn's has one output."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(max_leaf_nodes=15, early_stopping=False)
    return Pipeline([("full", FullRows()), ("boost", OneVsRestClassifier(trees))])


LOGISTIC = Member(
    "logistic-regression",
    partial(OneVsRestClassifier, ONE_LABEL),
    {"estimator__C": [0.01, 0.1, 1.0, 10.0]},
)
CHAIN = Member(
    "classifier-chain",
    partial(ClassifierChain, ONE_LABEL, order="random"),
    {"estimator__C": [0.01, 0.1, 1.0]},
)
FOREST = Member(
    "random-forest",
    RandomForestClassifier,
    {"min_samples_leaf": [1, 3]},
    out_of_bag=True,
    too_large=limits.forest,
)
EXTRA_TREES = Member(
    "extra-trees",
    partial(ExtraTreesClassifier, bootstrap=True),
    {"min_samples_leaf": [1, 3]},
    out_of_bag=True,
    too_large=limits.forest,
)
BOOSTED = Member("gradient-boosting", boosted_trees, too_large=limits.boosting)

#: Those of a mixture where none are named, the quick ones first: a budget is spent in this order.
MEMBERS = {
    member.name: member
    for member in (
        Member("label-ridge", LabelRidgeCV),
        Member("shared-subspace", SharedSubspaceClassifierCV),
        Member("kernel-ridge", partial(LabelRidgeCV, kernel="rbf"), too_large=limits.kernels),
        Member(
            "kernel-shared-subspace",
            partial(SharedSubspaceClassifierCV, kernel="rbf"),
            too_large=limits.kernels,
        ),
        FOREST,
        EXTRA_TREES,
        LOGISTIC,
        CHAIN,
        BOOSTED,
    )
}


def members_of(given: Any) -> list[Member]:
    """Those that are named, or given as classifiers by name; all where none are."""
    if given is None:
        return list(MEMBERS.values())
    if given == QUICK:
        return [member for member in MEMBERS.values() if not member.needs_folds]
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else ((name, None) for name in given)
    found = [_member(name, estimator) for name, estimator in pairs]
    if not found:
        raise ValueError("members is empty: a mixture needs at least one; None is all of them")
    return found


def _member(name: str, estimator: Any) -> Member:
    if estimator is not None:
        return Member(str(name), lambda: estimator)
    if name not in MEMBERS:
        raise ValueError(
            f"members: there is no {name!r}; use {QUICK!r}, {', '.join(MEMBERS)}, or a mapping "
            "that gives names to classifiers of your own"
        )
    return replace(MEMBERS[name], too_large=None)  # who names it wants it
