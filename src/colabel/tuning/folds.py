"""Folds as a person gives them."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from colabel._indicator import Indicator
from colabel.datasets.splits import IterativeStratifiedKFold

#: Seconds that stratification may take, beside fits that take more on as many rows; and what it
#: was seen to take for a row, and for an entry and label.
LITTLE, ROW, ENTRY = 0.5, 2.2e-5, 5e-10


def as_folds(
    cv: Any, X: Any, labels: Indicator, random_state: Any = None, params: Any = None
) -> list[Any]:
    """Pairs of training and test rows, for any `cv` that scikit-learn takes.

    An int makes shuffled folds, stratified by classes, or by labels where that takes little time.
    Otherwise `params` are those of the splitter, as its groups.
    """
    n, q = labels.matrix.shape
    X = np.zeros((n, 1)) if X is None else X
    if not isinstance(cv, Integral):
        return _given_folds(cv, X, labels, params or {})
    rng = check_random_state(random_state)
    if labels.classes is not None:
        return list(StratifiedKFold(int(cv), shuffle=True, random_state=rng).split(X, labels.codes))
    if n * (ROW + ENTRY * q * q) > LITTLE:  # so many rows are shuffled well enough
        return list(KFold(int(cv), shuffle=True, random_state=rng).split(X))
    folds = IterativeStratifiedKFold(int(cv), random_state=rng)
    return list(folds.split(np.zeros((n, 1)), labels.known_rows(slice(None))))


def _given_folds(cv: Any, X: Any, labels: Indicator, params: dict[str, Any]) -> list[Any]:
    """Of splits of all rows, those that count."""
    weights, codes = labels.weights, labels.codes
    if weights is None or weights.kept is None:
        return list(check_cv(cv).split(X, codes, **params))
    whole = np.zeros((len(weights.given), *codes.shape[1:]), dtype=codes.dtype)
    whole[weights.kept] = codes
    splits = check_cv(cv).split(np.zeros((len(whole), 1)), whole, **params)
    return weights.renumber(list(splits))
