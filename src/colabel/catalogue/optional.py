"""Contestants of other libraries, by name where these are installed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from colabel.catalogue.method import Method
from colabel.preparation import FullRows


@dataclass(frozen=True)
class Optional:
    """A row of what may be installed: the package, its class, and how it takes several labels."""

    package: str
    kind: str
    title: str
    about: str
    settings: dict[str, Any]
    #: One a label; else it takes them together.
    each: bool = False
    dense: bool = False

    def make(self) -> Any:
        """The classifier, unfitted."""
        found = getattr(import_module(self.package), self.kind)(**self.settings)
        found = OneVsRestClassifier(found) if self.each else found
        return Pipeline([("full", FullRows()), ("classify", found)]) if self.dense else found

    def row(self, name: str) -> Method:
        """As a comparison runs it, if it is named."""
        make: Callable[[], Any] = partial(Optional.make, self)
        return Method(name, self.title, "baseline", self.about, make, by_default=False)


OPTIONAL = {
    "xgboost": Optional(
        "xgboost", "XGBClassifier", "XGBoost", "XGBoost's trees with a value for each label",
        {"n_estimators": 100, "tree_method": "hist", "multi_strategy": "multi_output_tree"},
    ),
    "lightgbm": Optional(
        "lightgbm", "LGBMClassifier", "LightGBM", "LightGBM, one a label",
        {"verbose": -1}, each=True,
    ),
    "catboost": Optional(
        "catboost", "CatBoostClassifier", "CatBoost", "CatBoost's trees of all labels together",
        {"loss_function": "MultiLogloss", "verbose": 0, "allow_writing_files": False}, dense=True,
    ),
    "tabpfn": Optional(
        "tabpfn", "TabPFNClassifier", "TabPFN", "TabPFN's trained network, one a label", {},
        each=True, dense=True,
    ),
}  # fmt: skip


def installed() -> list[Method]:
    """Those that can be run here."""
    return [row.row(name) for name, row in OPTIONAL.items() if find_spec(row.package) is not None]


def missing(name: str) -> str | None:
    """What to install for one that cannot be run here; None of other names."""
    row = OPTIONAL.get(name)
    if row is None or find_spec(row.package) is not None:
        return None
    return f"{name} is not installed: pip install {row.package}"
