"""Folds as a person gives them."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from colabel._labels import Indicator


def as_folds(cv: Any, X: Any, labels: Indicator, random_state: Any = None) -> list[Any]:
    """Pairs of training and test rows, for any `cv` that scikit-learn takes; an int is shuffled."""
    X = np.zeros((labels.matrix.shape[0], 1)) if X is None else X
    if not isinstance(cv, Integral):
        return list(check_cv(cv).split(X, labels.codes))
    rng = check_random_state(random_state)
    if labels.classes is None:  # which looks at no labels
        return list(KFold(int(cv), shuffle=True, random_state=rng).split(X))
    return list(StratifiedKFold(int(cv), shuffle=True, random_state=rng).split(X, labels.codes))
