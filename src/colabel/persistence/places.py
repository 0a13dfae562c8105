"""Numbers of a file that say where something is: none may lead to other memory, or in circles."""

from types import FunctionType
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier


def check_places(thing: Any) -> None:
    """Refuse sparse arrays and trees with numbers that lead out of them."""
    if sp.issparse(thing):
        if hasattr(thing, "check_format"):
            thing.check_format(full_check=True)
    elif isinstance(thing, list | tuple | set):
        for part in thing:
            check_places(part)
    elif isinstance(thing, dict):
        check_places(list(thing.values()))
    elif isinstance(thing, np.ndarray):
        if thing.dtype == object:
            check_places(thing.ravel().tolist())
    elif hasattr(thing, "__dict__") and not isinstance(thing, type | FunctionType):
        if isinstance(thing, DecisionTreeClassifier) and hasattr(thing, "tree_"):
            _check_tree(thing)
        if isinstance(thing, HistGradientBoostingClassifier) and hasattr(thing, "_predictors"):
            _check_boosted(thing)
        check_places(vars(thing))


def _check_tree(model: Any) -> None:
    tree = model.tree_
    inner = np.flatnonzero(tree.children_left != -1)
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    fits = tree.n_features == model.n_features_in_
    _check_nodes(inner, children, tree.feature[inner], tree.node_count, tree.n_features, fits)


def _check_boosted(model: Any) -> None:
    for tree in (tree for trees in model._predictors for tree in trees):
        nodes = tree.nodes
        inner = np.flatnonzero(nodes["is_leaf"] == 0)
        children = np.stack([nodes["left"][inner], nodes["right"][inner]]).astype(np.int64)
        # categories have places of their own, and no member of ours has any
        numbers = not nodes["is_categorical"].any()
        features = nodes["feature_idx"][inner]
        _check_nodes(inner, children, features, len(nodes), model.n_features_in_, numbers)


def _check_nodes(
    inner: np.ndarray, children: np.ndarray, features: np.ndarray, count: int, most: int, fits: bool
) -> None:
    """Children stand behind their parents, so that every way ends at a leaf."""
    after = np.all((children > inner) & (children < count))
    if not (fits and after and np.all((features >= 0) & (features < most))):
        raise ValueError("a tree leads out of itself")
