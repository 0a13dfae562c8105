"""Folds as a person gives them."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from colabel._indicator import Indicator


def as_folds(cv: Any, X: Any, labels: Indicator, random_state: Any = None) -> list[Any]:
    """Pairs of training and test rows, for any `cv` that scikit-learn takes; an int is shuffled."""
    X = np.zeros((labels.matrix.shape[0], 1)) if X is None else X
    if not isinstance(cv, Integral):
        return _given_folds(cv, X, labels)
    rng = check_random_state(random_state)
    if labels.classes is None:  # which looks at no labels
        return list(KFold(int(cv), shuffle=True, random_state=rng).split(X))
    return list(StratifiedKFold(int(cv), shuffle=True, random_state=rng).split(X, labels.codes))


def _given_folds(cv: Any, X: Any, labels: Indicator) -> list[Any]:
    """Of splits of all rows, those that count."""
    weights, codes = labels.weights, labels.codes
    if weights is None or weights.kept is None:
        return list(check_cv(cv).split(X, codes))
    whole = np.zeros((len(weights.given), *codes.shape[1:]), dtype=codes.dtype)
    whole[weights.kept] = codes
    return weights.renumber(list(check_cv(cv).split(np.zeros((len(whole), 1)), whole)))
