"""Parameters of a fit that are meant for others: the classifier inside, and what makes folds.

With scikit-learn's metadata routing they go where `set_fit_request` and `set_split_request` send
them. Without it, `groups` goes to the folds and all others to the classifier; weights of rows to
whatever takes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

import numpy as np
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from colabel._documents import Says
from colabel._indicator import Indicator
from colabel._labels import as_labels
from colabel._sklearn import count_rows, is_routing, rows_of_parameters
from colabel._weights import Weights, as_weights

FitParams: TypeAlias = Annotated[
    Any,
    Says(
        "For the classifier's fit, and `groups` for the folds; with scikit-learn's metadata\n"
        "    routing, as `set_fit_request` and `set_split_request` have it. Those with a value a\n"
        "    row are divided as the rows are.",
        "dict",
    ),
]
SplitParams: TypeAlias = Annotated[
    Any,
    Says(
        "For the folds, as `groups`; with scikit-learn's metadata routing, as\n"
        "    `set_split_request` has it.",
        "dict",
    ),
]


@dataclass(frozen=True)
class Passed:
    """What a fit passes on."""

    to_fit: dict[str, Any] = field(default_factory=dict)
    to_split: dict[str, Any] = field(default_factory=dict)
    #: Whether scikit-learn has said who gets weights, which are among those to fit then.
    is_routed: bool = False

    def of_rows(self, X: Any, rows: Any) -> dict[str, Any]:
        """Parameters of a fit on some rows of X; None: on all."""
        return self.to_fit if rows is None else rows_of_parameters(X, self.to_fit, rows)

    def counted(self, X: Any, weights: Weights | None) -> Passed:
        """The same for the rows that count; folds are made of all rows."""
        if weights is None or weights.kept is None:
            return self
        return Passed(self.of_rows(X, weights.kept), self.to_split, self.is_routed)


def pass_on(
    estimator: Any, params: dict[str, Any], sample_weight: Any = None, *, to_fit: bool = True
) -> Passed:
    """Say what goes where; without `to_fit` there is no classifier inside."""
    if is_routing():
        routed = process_routing(estimator, "fit", sample_weight=sample_weight, **params)
        given = dict(routed.estimator.fit) if to_fit else {}
        return Passed(given, dict(routed.splitter.split), is_routed=True)
    rest = {name: value for name, value in params.items() if name != "groups"}
    if rest and not to_fit:
        called, strange = f"{type(estimator).__name__}.fit()", next(iter(rest))
        raise TypeError(f"{called} got an unexpected keyword argument {strange!r}")
    return Passed(rest, {name: params[name] for name in params.keys() - rest.keys()})


def rows_that_count(
    estimator: Any, X: Any, y: Any, sample_weight: Any, observed: Any, params: dict[str, Any]
) -> tuple[Any, Any, Indicator, Passed]:
    """X and y without rows of weight 0, the labels, and what a fit passes on with these rows."""
    passed, weights = pass_on(estimator, params, sample_weight), as_weights(sample_weight)
    labels = as_labels(estimator, y, X, weights, observed)
    if weights is None:
        return X, y, labels, passed
    passed = passed.counted(X, weights)
    weights.check(count_rows(X))
    return weights.take(X), weights.take(y), labels, passed


class PassesOn:
    """For a classifier that is fitted in folds, and may have another inside."""

    def get_metadata_routing(self) -> MetadataRouter:
        """Which parameters of a fit go where, as scikit-learn's metadata routing asks.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if hasattr(self, "estimator"):
            mapping = MethodMapping().add(caller="fit", callee="fit")
            router.add(estimator=self.estimator, method_mapping=mapping)
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(splitter=getattr(self, "cv", None), method_mapping=mapping)


def weights_to_pass(weights: np.ndarray | None, passed: Passed) -> np.ndarray | None:
    """Weights of rows as all that takes some is given them; None where that is said elsewhere."""
    return None if passed.is_routed else weights
